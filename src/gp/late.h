/* SPDX-License-Identifier: MIT */
/* What weight space needs for late answers: the last observations as innovations, and the state before them. The covariance
 * at the time of a late answer is repeated from there, r^2 flops an observation; nothing runs backwards, so it is exact
 * however long ago that was. */
#ifndef TVGP__GP_LATE_H
#define TVGP__GP_LATE_H

#include "gp/innovation.h"
#include "gp/law.h"
#include "gp/weights.h"

typedef struct tvgp__late {
    tvgp__law law;
    tvgp__weights base; /* the state just after the last observation that is not kept: R of its own, basis borrowed */
    double *mean;       /* r: its mean, in weights */
    double t;           /* its time; -infinity: nothing was left out */
    size_t limit, first, count;
    tvgp__innovation *seen; /* limit of them, in order of time; the k-th oldest is at (first + k) % limit */
    double *h, *mu;         /* r each: workspace */
} tvgp__late;

/* Nothing kept yet, nothing left out. NOMEM. */
tvgp_status tvgp__late_new(const tvgp__weights *w, const tvgp__law *law, size_t limit, tvgp__late *out);
void tvgp__late_free(tvgp__late *late);
void tvgp__late_clear(tvgp__late *late);

tvgp__innovation *tvgp__late_at(const tvgp__late *late, size_t k); /* the k-th oldest */

/* Before the k-th oldest, at t: fills phi and c of w for the arm; returns its mean. R of w is then that of time t. */
double tvgp__late_rewind(tvgp__late *late, tvgp__weights *w, size_t k, double t, size_t arm);

/* Carries an observation of time t from before the k-th oldest to `now`: in->h is the weights of its column / sqrt(s) then
 * and now, R of w becomes that of now with it. */
void tvgp__late_carry(tvgp__late *late, tvgp__weights *w, size_t k, double t, double now, tvgp__insertion *in);

/* Keeps an observation before the k-th oldest (k = count: the newest); the oldest goes into the base when there are too many. */
void tvgp__late_insert(tvgp__late *late, size_t k, const tvgp__innovation *seen);

#endif
