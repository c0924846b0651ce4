/* SPDX-License-Identifier: MIT */
/* A scene: a policy in words (docs/reference/protocol.md) and what happens to it, by a seed: delayed, missing and unsolicited outcomes,
 * in batches; masks, lists of candidates, contexts, means, priors, constraints, historical data, new arms. */
#ifndef SCENE_H
#define SCENE_H

#include "harness.h"

enum { DIM = 3, OPEN = 12, ARMS = 64, LIST = 20, GRID = 20, BATCH = 32, OUTPUTS = 3, ROWS = 40 };
enum {
    LATE = 1,        /* outcomes wait, and come in any order */
    FAILS = 2,       /* some have no value */
    MASKS = 4,       /* the arms that are available change */
    LISTS = 8,       /* candidates that change, some with means */
    SLATES = 16,     /* two arms at a time */
    MEANS = 32,      /* the prior mean changes */
    TABLE = 64,      /* historical data, before the start and later */
    GROWS = 128,     /* arms are added */
    PRIORS = 256,    /* two are added before the start, one later */
    HELD = 512,      /* there is an incumbent */
    BUDGET = 1024,   /* costs are charged to a budget */
    UNEVEN = 2048,   /* times between asks vary by a factor of e */
    FUNCTION = 4096, /* the prior mean is a function */
    ON_GRID = 8192 /* candidates are points of 4 x 5, and contexts whole numbers: the same as arms have masks and numbers */
};

struct game {
    char text[400];
    int with, minimises, moved; /* moved: arms were added */
    size_t arms, dim, contexts, measured, outputs;
    tvgp_policy *policy;
    struct rnd r;
    double t, last[DIM];
    struct {
        int64_t id;
        double x[DIM], t;
    } open[OPEN + BATCH];
    size_t n_open;
    struct {
        tvgp_query q;
        double x[DIM];
    } seen[BATCH]; /* in the last step */
    size_t n_seen;
    double size;      /* of outcomes; 0: 1 */
    double looked[4]; /* mean, variance, score, best arm */
    /* what may be asked */
    uint8_t mask[ARMS];
    double low[DIM], high[DIM], list[LIST * DIM], z[DIM];
    size_t n_list, row[GRID]; /* the points of the grid that candidates are */
    int64_t context;
};

/* The policy is NULL if it cannot be created like this. Allocation `refused` fails. */
struct game scene_open(const char *text, int with, uint64_t seed, int minimises, size_t refused);

/* One step, in which allocation number `refused` fails. The queries are in `seen`. */
void scene_step(struct game *g, int i, size_t refused);

#endif
