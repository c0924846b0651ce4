/* SPDX-License-Identifier: MIT */
/* What a game of state is played on: where the actions are, kernel, options, priors and limits, all of them drawn, and two equal policies of it, each
 * in a context of its own. Boxes lie away from 0 and have whole numbers; kernels, arms and a policy come from outside too. */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

#include "fuzz/draw.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

enum { DIM = 2, MOST_ARMS = 40, OPEN = 32, PRIORS = 2, LIMITS = 2 };
enum place { ARMS, GRID, BOX, PRODUCT, MEASURED, FOREIGN, PLACES };
enum make { SE, MATERN, SUM, OUTSIDE, BOXCAR, NONE, MAKES };
enum mean { OWN, ONE, EACH, FUNCTION, MEANS };

struct side {
    struct memory memory;
    size_t limit; /* bytes of one block; 0: none */
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    tvgp_domain *domain;
    tvgp_policy *policy;
    long interrupt_in;     /* checks until one ends the call; 0: never */
    long checks, patience; /* so far; one in that many ends the call; 0: none */
    double most;           /* feasible on a box: first coordinates up to this */
};

/* What is added to a policy that weighs several. */
struct prior {
    enum make make; /* not NONE */
    enum mean mean;
    double epsilon;
};

struct game {
    const char *label, *name, *call;
    struct draw draw;
    enum place place;
    enum make make;
    size_t arms, calls;
    double X[DIM * MOST_ARMS], low[DIM], high[DIM], lower[DIM], upper[DIM], z, t, size;
    size_t listed; /* candidates */
    uint8_t masked[4 * MOST_ARMS];
    int placed, set, mean, begun, whole;
    int functions; /* a prior has one as its mean, which no snapshot holds */
    int64_t open[OPEN];
    size_t n_open, n_priors;
    struct prior prior[PRIORS];
    struct side side, twin;
    const char *options;
    size_t limits; /* the first one's model has the kernel, the second one's has default settings */
};

#define DEMAND(g, condition, ...)                                                                                           \
    do {                                                                                                                    \
        if (!(condition)) {                                                                                                 \
            fprintf(stderr, "\n%s: %s, place %d, kernel %d, %zu priors, \"%s\", call %zu (%s): %s: ", (g)->label,           \
                    (g)->name, (int)(g)->place, (int)(g)->make, (g)->n_priors, (g)->options, (g)->calls, (g)->call,         \
                    #condition);                                                                                            \
            fprintf(stderr, __VA_ARGS__);                                                                                   \
            fprintf(stderr, "\n");                                                                                          \
            abort();                                                                                                        \
        }                                                                                                                   \
    } while (0)

void table_draw(struct game *g);
void table_open(struct game *g, struct side *s);
tvgp_status table_make(struct game *g, struct side *s);
void table_clear(struct game *g, struct side *s);

/* What one call may compute, and the context hold; 0: any number. */
void table_quota(struct side *s, size_t bytes, int64_t work);

/* A prior of that kind; what the policy says. */
tvgp_status table_add_prior(struct game *g, struct side *s, const struct prior *prior);
struct prior table_draw_prior(struct draw *d);

/* The prior mean of a function on a box. */
int32_t table_mean(void *user, size_t n, const double *X, double *mean, double *gradient);

#endif
