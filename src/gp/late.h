/* SPDX-License-Identifier: MIT */
/* What weight space needs for late answers: the last observations as innovations, and two states of the past. A late answer
 * starts from the newer state before its time; the covariance of then is repeated from there, 3 r^2 flops an observation.
 * Nothing runs backwards, so it is exact however long ago that was.
 *
 * The states are copies: the newer one is made every `limit` observations and becomes the older one `limit` observations
 * later, so a step costs a share of r^2 / limit, and at least the last `limit` observations can be gone back. */
#ifndef TVGP__GP_LATE_H
#define TVGP__GP_LATE_H

#include "gp/innovation.h"
#include "gp/weights.h"
#include "law/law.h"

typedef struct tvgp__late_state {
    double *R, *mean; /* lower triangle, packed by columns; r: mean of the weights */
    double t;         /* -infinity: the prior */
} tvgp__late_state;

typedef struct tvgp__late {
    tvgp_ctx *ctx;
    tvgp__law law;
    size_t r, limit, slots;
    tvgp__late_state older, newer;
    size_t first, count; /* observations since the older state: a ring of 2 limit + 1 */
    size_t in_newer;     /* the oldest ones, which the newer state knows */
    double (*value)[3];  /* t, s, e of each */
    uint32_t *arm;       /* and its arm, in the same memory */
    double *memory;      /* of the arrays of doubles */
    double *h, *mean;    /* r each: an insertion; the mean of a state that is repeated */
} tvgp__late;

/* Begins with nothing kept. NOMEM. */
tvgp_status tvgp__late_new(tvgp_ctx *ctx, size_t r, const tvgp__law *law, size_t limit, tvgp__late *out);
void tvgp__late_free(tvgp__late *late);
void tvgp__late_clear(tvgp__late *late);

/* Saves what is kept; loading wants the same rank, law and limit (base/visit.h). */
void tvgp__late_visit(tvgp__late *late, size_t n, tvgp__visit *v);

/* Fills it in three steps. The older state comes first: w of now is what the state of time t has become by a decay. */
void tvgp__late_start(tvgp__late *late, const tvgp__weights *w, double decay, double t);
/* Observations follow in order, not more than `limit`. */
void tvgp__late_keep(tvgp__late *late, const tvgp__innovation *seen);
/* The present becomes the newer state. */
void tvgp__late_mark(tvgp__late *late, const tvgp__weights *w, double now);

/* Counts the observations kept that were made by time t; SIZE_MAX: more than `limit` were made since. */
size_t tvgp__late_made_by(const tvgp__late *late, double t);

/* Goes back: R of w becomes that of time t after the *k oldest (which may be one less from now on), and w looks at the arm, whose
 * mean is returned. */
double tvgp__late_rewind(tvgp__late *late, tvgp__weights *w, size_t *k, double t, size_t arm);

/* Carries in->h, the weights of a column / sqrt(s) at time t after the k oldest, to `now`; R of w becomes that of now. */
void tvgp__late_carry(tvgp__late *late, tvgp__weights *w, size_t k, double t, double now, tvgp__insertion *in);

/* Keeps an observation, which comes after the k oldest; w is that of now, with it. */
void tvgp__late_add(tvgp__late *late, size_t k, const tvgp__innovation *seen, const tvgp__weights *w, double now);

#endif
