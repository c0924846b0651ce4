/* SPDX-License-Identifier: MIT */
/* Exact delayed feedback for a mixture with one drift model: the recent observations, and the mixture as it was before
 * them. For an observation of time t, the mixture returns to the state that is older than t, and the observations since
 * then are repeated with the new one in its place. A state is kept every `limit` observations and
 * used until two limits later, so at least `limit` observations can be repeated.
 *
 * The two states are the last two filters of the mixture's set, copied on write: keeping one costs O(r), and once in
 * `limit` observations r^2 numbers are copied. Outcomes in order cost nothing in addition. A delayed one costs the
 * repeated observations, at most two limits of them, and the kernel between them and the support. */
#ifndef TVGP__MODEL_KALMAN_MIXTURE_DELAYED_H
#define TVGP__MODEL_KALMAN_MIXTURE_DELAYED_H

#include "model/kalman_mixture.h"
#include "model/posterior/observations.h"

/* An earlier state of the mixture, in addition to its filter. */
typedef struct tvgp__kalman_mixture_past {
    double now, newest, log_marginal_likelihood, log_det_ratio; /* now: -infinity when nothing had been observed */
    size_t observations;
    tvgp__kalman_mixture_member member;
} tvgp__kalman_mixture_past;

typedef struct tvgp__kalman_mixture_delayed {
    tvgp_ctx *ctx;
    size_t limit;
    tvgp__kalman_mixture_past past[2]; /* of the last two filters of the set */
    size_t newer;                      /* which of them is the newer one */
    tvgp__observations kept; /* since the older state, in order of `reported`: the own time, or where that was too long ago
                              * the time of arrival; `arm` is the row among the covariances prepared last */
    size_t in_newer;         /* the oldest ones, which the newer state knows */
} tvgp__kalman_mixture_delayed;

/* Lets a mixture of one drift model on a box, whose set has two spare filters, insert outcomes up to `limit`
 * observations back. NOMEM. */
tvgp_status tvgp__kalman_mixture_delayed_new(tvgp__kalman_mixture *b, size_t limit);
void tvgp__kalman_mixture_delayed_free(tvgp__kalman_mixture *b);
/* Forgets all observations, as at a reset, when the mixture's filter is the prior again. */
/* Of arms: `to` is new, and has the same limit. */
void tvgp__kalman_mixture_delayed_copy(const tvgp__kalman_mixture_delayed *from, tvgp__kalman_mixture_delayed *to);
void tvgp__kalman_mixture_delayed_clear(tvgp__kalman_mixture *b);

/* Tells whether an observation of time t can be taken exactly. */
int tvgp__kalman_mixture_delayed_reaches(const tvgp__kalman_mixture *b, double t);

/* Takes note of an observation in order of time; there is room for one more than `limit` allows between two states. Gives
 * its index. */
size_t tvgp__kalman_mixture_delayed_add(tvgp__kalman_mixture *b, const tvgp__observation *seen, const double *x);

/* Keeps the present state if that is due, after the newest observation. */
void tvgp__kalman_mixture_delayed_keep(tvgp__kalman_mixture *b);

/* Returns the mixture to before observation k; returns the first one to be repeated. */
size_t tvgp__kalman_mixture_delayed_back(tvgp__kalman_mixture *b, size_t k);
/* Keeps what was repeated when observation i has been. */
void tvgp__kalman_mixture_delayed_repeated(tvgp__kalman_mixture *b, size_t i);
/* Ends the repetition. */
void tvgp__kalman_mixture_delayed_end(tvgp__kalman_mixture *b);

void tvgp__kalman_mixture_delayed_visit(tvgp__kalman_mixture *b, tvgp__visit *v); /* base/visit.h */

#endif
