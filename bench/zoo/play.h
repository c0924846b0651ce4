/* SPDX-License-Identifier: MIT */
/* One algorithm on one problem. An algorithm is a text: "best-constant-arm" and "best-arm-of-the-hour" (in hindsight), a
 * third-party algorithm, or a policy of the library, each with its own settings. Algorithms for arms choose
 * on a box among 200 points of a Halton sequence. */
#ifndef ZOO_PLAY_H
#define ZOO_PLAY_H

#include "../zoo.h"

/* What all algorithms of a problem share. */
typedef struct zoo_stage {
    tvgp_ctx *ctx;
    tvgp_zoo_problem *problem;
    tvgp_zoo_info info;
    size_t arms;   /* of algorithms for arms */
    double *X, *K; /* arms x dim; their prior covariance in units of the range, squared */
    uint64_t seed;
    /* Looks at policies; NULL: none is looked at. When an action was asked and no outcome has arrived, and with NULL after
     * the outcomes of the step. */
    void (*look)(void *user, tvgp_policy *policy, size_t step, const tvgp_query *action_or_null);
    void *user;
} zoo_stage;

typedef struct zoo_score {
    double regret, uniform;                   /* sums over the steps: of the algorithm, of uniform play (expected) */
    double restarts, microseconds, kilobytes; /* of a step; held at the end */
} zoo_score;

/* The problem stays the caller's. */
void zoo_stage_open(zoo_stage *stage, tvgp_ctx *ctx, tvgp_zoo_problem *problem, uint64_t seed);
void zoo_stage_close(zoo_stage *stage);

/* Plays all steps; 0, or -1 where this algorithm is not for this problem or level. Ends the program on other failures. */
int zoo_play(zoo_stage *stage, const char *player, int level, zoo_score *score);

/* Whether it is the library's. */
int zoo_play_is_ours(const char *player);

#endif
