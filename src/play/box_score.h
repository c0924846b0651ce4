/* SPDX-License-Identifier: MIT */
/* The score under search on a box: a sum over terms of weight (prior mean + mean + width sd), each a posterior's, with its
 * gradient and an upper bound, which are sums as well. One term for a policy with one posterior. */
#ifndef TVGP__PLAY_BOX_SCORE_H
#define TVGP__PLAY_BOX_SCORE_H

#include "play/ucb.h"

/* A posterior whose score counts in a choice. */
typedef struct tvgp__box_part {
    tvgp__belief *posterior, *inner; /* inner: the one in use, where the parameters are learned; otherwise the same */
    const tvgp__mean *mean;          /* prior mean */
    double weight;
} tvgp__box_part;

typedef struct tvgp__box_term {
    tvgp__box_part part;
    tvgp__form form, known; /* with the pending actions, without */
    const double *own;      /* of the rows, for tvgp__form_bound; NULL: none */
    double width;
    size_t first; /* of its weights in `a` */
} tvgp__box_term;

struct tvgp__box_ucb {
    int searched;      /* x is the last maximiser */
    double *x, *reach; /* the point and its prior mean; dim */
    int anchored;      /* of this ask: moving from `anchor` (dim) costs something (frame/switch.h) */
    double *anchor;
    size_t n_pending;        /* of this ask */
    double *pending, *times; /* UCB_PENDING x dim, UCB_PENDING */
    tvgp__box_term *term;    /* what is maximised: sum over terms of weight (prior mean + mean + width sd) */
    size_t terms, term_slots;
    double *a, *work; /* of all forms: weights of the means, workspace */
    double *actions;  /* measured contexts: workspace for mean, variance and score of each */
    size_t a_slots, work_slots;
};

/* Clear frees the terms; join adds one at time t, of width 0 without pending actions unless
 * it is for an ask; maximise finds the maximiser of the sum and its score; describe the mean and sd of a term at x without the
 * pending actions. */
void tvgp__box_score_clear(tvgp_policy *policy);
tvgp_status tvgp__box_score_join(tvgp_policy *policy, const tvgp__box_part *part, double t, int asks);
tvgp_status tvgp__box_score_maximise(tvgp_policy *policy, double *x, double *value);
tvgp_status tvgp__box_score_pick(tvgp_policy *policy, double *x, double *value,
                                 size_t *arm); /* of the actions in a context */
tvgp_status tvgp__box_score_describe(const tvgp_policy *policy, size_t term, const double *x, double *mean, double *sd);

#endif
