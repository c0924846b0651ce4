/* SPDX-License-Identifier: MIT */
/* What a bank of one law needs to take a late answer exactly: the observations of the last while, and the bank as it stood
 * before them. An observation of time t is taken by going back to the state that is older than t and repeating what has been
 * observed since, with it in its place. As in gp/delayed.h, a state is kept every `limit` observations and serves until two limits
 * later, so that at least `limit` observations can be gone back.
 *
 * The two states kept are the last two filters of the bank's set, copies on write: keeping one costs O(r), and once in `limit`
 * observations r^2 numbers are copied. So answers that come in order cost nothing; a late one costs what the observations
 * repeated did, at most two limits of them, and the kernel between them and the support. */
#ifndef TVGP__POSTERIOR_KALMAN_MIXTURE_DELAYED_H
#define TVGP__POSTERIOR_KALMAN_MIXTURE_DELAYED_H

#include "posterior/kalman_mixture.h"

/* The bank at a time past, beside its filter. */
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
    tvgp__observations kept; /* since the older state, in order of `told`: the own time, or where that was too long ago
                              * the time of arrival; `arm` is the row among the covariances prepared last */
    size_t in_newer;         /* the oldest ones, which the newer state knows */
} tvgp__kalman_mixture_delayed;

/* Makes a bank of one law on a box, whose set has two filters to spare, take answers from `limit` observations back. NOMEM. */
tvgp_status tvgp__kalman_mixture_delayed_new(tvgp__kalman_mixture *b, size_t limit);
void tvgp__kalman_mixture_delayed_free(tvgp__kalman_mixture *b);
/* Forgets all observations, as at a reset, when the bank's filter is the prior again. */
void tvgp__kalman_mixture_delayed_clear(tvgp__kalman_mixture *b);

/* Tells whether an observation of time t can be taken exactly. */
int tvgp__kalman_mixture_delayed_reaches(const tvgp__kalman_mixture *b, double t);

/* Takes note of an observation at its place in time; there is room for one more than `limit` allows between two states. Gives
 * that place. */
size_t tvgp__kalman_mixture_delayed_add(tvgp__kalman_mixture *b, const tvgp__observation *seen, const double *x);

/* Keeps the bank as it is now, if that is due, when it has taken the newest observation. */
void tvgp__kalman_mixture_delayed_keep(tvgp__kalman_mixture *b);

/* Takes the bank back to before observation k; gives the first one that is to be repeated then. */
size_t tvgp__kalman_mixture_delayed_back(tvgp__kalman_mixture *b, size_t k);
/* Keeps what was repeated when observation i has been. */
void tvgp__kalman_mixture_delayed_repeated(tvgp__kalman_mixture *b, size_t i);
/* Ends the repetition. */
void tvgp__kalman_mixture_delayed_end(tvgp__kalman_mixture *b);

void tvgp__kalman_mixture_delayed_visit(tvgp__kalman_mixture *b, tvgp__visit *v); /* base/visit.h */

#endif
