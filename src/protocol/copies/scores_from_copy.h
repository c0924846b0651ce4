/* SPDX-License-Identifier: MIT */
/* The scores by which a policy would choose now, and the probabilities that arms are best. Only a choice computes them, and
 * a choice changes the policy: its posterior moves to the time of the ask and cannot return, and hyperparameters may be
 * optimised. So a copy of the policy is asked. The rule writes the scores, and the result is read from there
 * (policy/ucb/maximise.c, policy/ucb/maximise_box.c, policy/ucb/maximise_draw.c). */
#ifndef TVGP__PROTOCOL_COPIES_SCORES_FROM_COPY_H
#define TVGP__PROTOCOL_COPIES_SCORES_FROM_COPY_H

#include "protocol/policy_ops.h"

struct tvgp__scores_from_copy {
    size_t n;
    const size_t *arm;  /* n, where there are arms; NULL: all of them */
    const double *X;    /* n x dim, on a box */
    double *score;      /* n: as in the query, in the sense of a maximum until the copy has chosen; or the probabilities */
    int answered;       /* the last choice has filled them in */
    int paid;           /* they are payoffs, in the unit of the user */
    tvgp_status status; /* of that; a choice itself cannot fail */
    size_t draws;       /* > 0: probabilities are wanted, and the copy chooses by a draw */
    double *p;          /* of all arms or candidates: in how many of the draws each is best; written where draws > 0 */
};

/* The scores of tvgp_policy_evaluate, for points at which the policy predicts. */
tvgp_status tvgp__scores_from_copy_find(tvgp_policy *p, double t, size_t n, const double *X, double *score);

/* As tvgp_policy_best_probability. */
tvgp_status tvgp__scores_from_copy_best(tvgp_policy *p, double t, size_t n, const double *X, int64_t draws,
                                        double *probability);

/* How many joint draws an inquiry needs of the choice under way (0: there is none, or it needs scores). */
static inline size_t tvgp__scores_from_copy_draws(const tvgp_policy *p) {
    return p->work.wanted ? p->work.wanted->draws : 0;
}

/* Part of a choice: these are the scores of all arms here, what moving costs already taken off; `origin` is added to them. */
void tvgp__scores_from_copy_arms(tvgp_policy *p, const double *score, double origin);

#endif
