/* SPDX-License-Identifier: MIT */
/* Chooses the action by the rule (choose/rule.h). A policy names its posteriors. The method depends on the domain alone:
 *   arms                the posterior holds mean and variance of every arm, a column for each pending action
 *   measured contexts   a predictive function is evaluated at every action in the present context (policy/ucb/maximise_box.c)
 *   a box               predictive functions are searched by gradients and upper bounds, which add up over the terms (policy/ucb/maximise_box.c)
 *   candidates          a predictive function is evaluated at each of them, as in contexts */
#ifndef TVGP__POLICY_UCB_MAXIMISE_H
#define TVGP__POLICY_UCB_MAXIMISE_H

#include "policy/ucb/ucb.h"
#include "protocol/across_ranks.h"

/* What a policy off the arms (on a box, in measured contexts) works with, from one choice to the next. */
struct tvgp__maximise {
    int searched;  /* whether x is the last choice */
    double *x;     /* the point chosen last, and behind it its prior mean; then two such of choices under way */
    double *reach; /* of the kernel (dim) */
    const tvgp__guard_leaving *leaving; /* what leaving the last action costs in this choice; NULL: nothing */
    size_t n_pending;                   /* pending actions in this choice */
    double *pending, *times;            /* where they are (TVGP__RULE_PENDING x dim), and when each was asked */
    tvgp__rule rule;                    /* of this choice, with the terms whose predictives are open */
    double *a,
        *work; /* what a search keeps of all predictives: condensed, or the weights of their means; and their workspace */
    double *actions; /* workspace: mean, variance and score of each action or candidate */
    double *joint;   /* where candidates are drawn from: their covariance, and workspace */
    size_t a_slots, work_slots, action_slots, joint_slots;
};

/* Allocates the tvgp__maximise of a policy on a box or in measured contexts. NOMEM: release frees what there is. */
tvgp_status tvgp__maximise_room(tvgp_policy *policy);
/* Frees the tvgp__maximise of the policy, if it has one. */
void tvgp__maximise_release(tvgp_policy *policy);
/* Saves or loads the point that was chosen last, the part of a tvgp__maximise that snapshots hold (base/visit.h). */
void tvgp__maximise_visit(tvgp_policy *policy, tvgp__visit *v);

/* Finds the pending actions, and on arms makes room for their columns. NOMEM: nothing has changed. */
tvgp_status tvgp__maximise_open(tvgp_policy *policy);

/* Finds the maximiser of the sum of n terms at time t. Term `credited`, of prior `prior`, counts as the one that chose.
 * On arms the posteriors have been moved to t and have the pending actions within reach, and nothing can fail; elsewhere
 * it fails as a search does, and has changed nothing then; the point out->x of an earlier choice (NULL: none) stays as it is.
 * On shared arms it is the best of this rank. */
tvgp_status tvgp__maximise_choose(tvgp_policy *policy, double t, size_t n, tvgp__rule_term *term, size_t credited,
                                  size_t prior, tvgp__chosen *out);

/* Replaces the choice by the best of all ranks; `posterior` returns the posterior of a prior. Collective. */
void tvgp__maximise_agree(tvgp_policy *policy, tvgp__chosen *chosen,
                          tvgp__posterior *(*posterior)(const tvgp_policy *, size_t prior));

/* Completes the choice, and notes it for the statistics of the family, which refer to u->posterior. */
void tvgp__maximise_complete(tvgp_policy *policy, tvgp__chosen *chosen);

/* On a box: finds the maximiser of the sum of weight (prior mean + mean). Fails as a search does. */
tvgp_status tvgp__maximise_best(tvgp_policy *policy, double t, size_t n, tvgp__rule_term *term, double *x);

/* Makes ready for a choice by a draw (choose/thompson.h): the part of opening a search that does. NOMEM, LIMIT. */
tvgp_status tvgp__maximise_open_draw(tvgp_policy *policy);
/* Makes u->score a joint draw of all arms. */
void tvgp__maximise_draw_arms(tvgp_policy *policy, const tvgp__rule_term *term);
/* Makes `score` a joint draw of n candidates X; var has room for n. Fails as predictives do, NOMEM. */
tvgp_status tvgp__maximise_draw_points(tvgp_policy *policy, const tvgp__rule_term *term, size_t n, const double *X,
                                       double *var, double *score);

/* Does what tvgp__maximise_choose does off the arms. */
tvgp_status tvgp__maximise_box(tvgp_policy *policy, double t, const tvgp__rule *rule, size_t credited, tvgp__chosen *out);

#endif
