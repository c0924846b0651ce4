/* SPDX-License-Identifier: MIT */
/* A problem from inside. One file family_<what>.c makes those of some families: on arms it fills a table of values, on a box it
 * gives a function; what happens to outcomes on their way is said by members that problem.c reads. */
#ifndef ZOO_PROBLEM_H
#define ZOO_PROBLEM_H

#include "../zoo.h"
#include "draw.h"

enum { ZOO_SETTINGS = 8, ZOO_SIZES = 3 };

/* What an outcome is, f the value of its arm. */
enum {
    ZOO_NORMAL,  /* f + sqrt(noise) z */
    ZOO_STUDENT, /* f + noise of the same variance, Student with 3 degrees of freedom */
    ZOO_COINS,   /* the share of heads among `coins` coins of chance f */
    ZOO_POISSON  /* a count of mean f */
};
enum {
    ZOO_AT_ONCE,
    ZOO_FIXED,
    ZOO_GEOMETRIC,
    ZOO_LOST
}; /* when it comes: after `delay` steps, on average; or never, with chance `delay` */

typedef struct zoo_kind zoo_kind;
struct tvgp_zoo_problem {
    const zoo_kind *kind;
    tvgp_ctx *ctx;
    uint64_t seed;
    size_t size; /* 0 small, 1 middle, 2 hard; 3: other settings */
    double setting[ZOO_SETTINGS];
    tvgp_zoo_info info;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    double *f, *time; /* steps x arms, NaN: not there; steps, NULL: 1, 2, .. */
    double *priors;   /* n_priors x arms; NULL: info.mean for all. Prior 0 is the true one, or the mean of all */
    size_t n_priors;
    int answers, when;
    double coins, delay, variance; /* variance: of the values before anything is known */
    int expert;
    double expert_noise, expert_absent; /* absent: chance that it says nothing */
    double epsilon;                     /* 0: of the truth drawn */
    double *best, *uniform;             /* of each step */
    void *world;                        /* of a box */
    double (*at)(struct tvgp_zoo_problem *, size_t step, const double *x);
    void (*leave)(struct tvgp_zoo_problem *);
    char missing[900]; /* what the maker did not find; empty: nothing */
};
typedef tvgp_zoo_problem zoo_problem;

typedef struct zoo_setting {
    const char *key;
    double value[ZOO_SIZES]; /* small, middle, hard */
} zoo_setting;

struct zoo_kind {
    const char *name, *family, *doc;
    zoo_setting settings[ZOO_SETTINGS]; /* up to the first without a key */
    void (*make)(zoo_problem *);
};

extern const zoo_kind zoo_kinds_fields[], zoo_kinds_lines[], zoo_kinds_names[], zoo_kinds_boxes[], zoo_kinds_recorded[];

/* The setting of this name. */
double zoo_set(const zoo_problem *p, const char *key);

/* A table of that many steps on side^dim arms of the unit square or interval, with an SE kernel of this variance and
 * lengthscale; on names, with independent arms. The domain and the kernel are made. */
void zoo_on_grid(zoo_problem *p, size_t steps, size_t side, size_t dim, double lengthscale, double variance);
void zoo_on_names(zoo_problem *p, size_t steps, size_t arms, double mean, double variance);

/* An expert who gives outcomes of side queries: exactly, with noise, or in three of ten steps only. */
#define ZOO_EXPERT_SETTINGS                                                                                                 \
    {"expert_noise", {1e-4, 0.1, 0.01}}, {                                                                                  \
        "absent", {                                                                                                         \
            0, 0, 0.7                                                                                                       \
        }                                                                                                                   \
    }
void zoo_give_expert(zoo_problem *p);

static inline double *zoo_row(const zoo_problem *p, size_t step) {
    return p->f + step * p->info.arms;
}

#endif
