/* SPDX-License-Identifier: MIT */
/* A policy to which everything happens at once: batches, delayed and missing outcomes, unsolicited observations, masks,
 * means, bounds, priors that come later, constraints. A seed determines the events; all results
 * (queries, predictions, statistics) go into a digest, so that two algorithms, or one algorithm in several processes, can
 * be compared bit for bit. */
#ifndef PLAYER_H
#define PLAYER_H

#include "cases.h"

enum { PLAYER_PENDING = 256, PLAYER_DIM = 4 };

/* A way to make the same policy again. */
struct recipe {
    const char *name, *options;
    tvgp_domain *domain;
    tvgp_kernel *kernel, *other; /* other: of priors that are added */
    size_t n, dim;               /* n 0: a box */
    int priors;                  /* added before the start */
    int limits; /* constraints: the first one's model has the true hyperparameters, the second one's has default settings */
    size_t log; /* rows of the log it is given before the start, and now and then later; 0: none */
};

/* This policy on the arms of a kernel of cases.h; `priors` as said by player_takes_priors. */
void recipe_of_case(struct recipe *r, const char *name, const char *options, size_t kernel);
void recipe_free(struct recipe *r);
int player_takes_priors(const char *name);
int player_takes_limits(const char *name);
tvgp_policy *recipe_make(const struct recipe *r);

/* All there is in addition to the policy: plain numbers, which may be written to a file. */
struct player_state {
    struct rnd rnd;
    uint64_t digest;
    double t;
    int64_t id[PLAYER_PENDING], told, added;
    size_t pending;
};

struct player {
    const struct recipe *recipe;
    tvgp_policy *policy;
    struct player_state state;
    char last[200]; /* the last numbers, for messages */
};

struct player player_new(const struct recipe *r, uint64_t seed);
void player_step(struct player *p);
void player_read_stats(struct player *p);

struct blob {
    unsigned char *bytes;
    size_t n;
};
struct blob blob_of(const tvgp_policy *p); /* a snapshot, to be freed */
void assert_same_blob(const struct blob *a, const struct blob *b, const char *what);

#endif
