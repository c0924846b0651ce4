/* SPDX-License-Identifier: MIT */
/* Delayed feedback for the posterior in weight space (gp/weight_space.h). Keeps two earlier copies of the posterior, and
 * the observations since then as innovations. For delayed feedback, the covariance at its time is recomputed forwards
 * from the newest copy that is older, at 3 r^2 flops per observation on the way. Nothing is undone, so the result is
 * exact at any age.
 *
 * A copy is taken every `limit` observations and the previous copy is kept. At least the last `limit` observations can
 * therefore be recomputed, and copying costs r^2 / limit flops a step. */
#ifndef TVGP__GP_DELAYED_H
#define TVGP__GP_DELAYED_H

#include "gp/innovation.h"
#include "gp/weight_space.h"
#include "temporal/drift.h"

typedef struct tvgp__delayed_state {
    double *R, *mean; /* lower triangle, packed by columns; r: mean of the weights */
    double t;         /* -infinity: the prior */
} tvgp__delayed_state;

typedef struct tvgp__delayed {
    tvgp_ctx *ctx;
    tvgp__drift law;
    size_t r, limit, slots;
    tvgp__delayed_state older, newer;
    size_t first, count; /* observations since the older state: a ring of 2 limit + 1 */
    size_t in_newer;     /* the oldest ones, which the newer state knows */
    double (*value)[3];  /* t, s, e of each */
    uint32_t *arm;       /* and its arm, in the same memory */
    double *memory;      /* of the arrays of doubles */
    double *h, *mean;    /* r each: an insertion; the mean of a state that is repeated */
} tvgp__delayed;

/* Creates the memory of the past for a posterior of r weights: no observations and no copies yet, and room for going
 * back over the last `limit` observations. NOMEM. */
tvgp_status tvgp__delayed_new(tvgp_ctx *ctx, size_t r, const tvgp__drift *law, size_t limit, tvgp__delayed *out);
void tvgp__delayed_free(tvgp__delayed *late);
/* Forgets all observations, as at a reset. */
void tvgp__delayed_clear(tvgp__delayed *late);

/* Saves the copies and innovations; loading requires the same rank, drift model and limit (base/visit.h). */
void tvgp__delayed_visit(tvgp__delayed *late, size_t n, tvgp__visit *v);

/* The next three fill it when a posterior changes to weights. First the older copy: w, divided by `decay`, is the state of
 * time t. */
void tvgp__delayed_start(tvgp__delayed *late, const tvgp__weight_space *w, double decay, double t);
/* Then the observations made since, in order, at most `limit` of them. */
void tvgp__delayed_keep(tvgp__delayed *late, const tvgp__innovation *seen);
/* Then the newer copy, which is w as it is now. */
void tvgp__delayed_mark(tvgp__delayed *late, const tvgp__weight_space *w, double now);

/* Counts the stored observations with a time of at most t; SIZE_MAX if more than `limit` are later. */
size_t tvgp__delayed_made_by(const tvgp__delayed *late, double t);

/* Takes w back to time t, when only the *k oldest observations had been made, and makes it look at the arm
 * (tvgp__weight_space_look); returns the mean of the arm then. *k may become one less, as the observation may be dropped that
 * was the oldest. */
double tvgp__delayed_rewind(tvgp__delayed *late, tvgp__weight_space *w, size_t *k, double t, size_t arm);

/* Carries a late observation, whose column / sqrt(s) at time t has the weights in->h, past the observations after the k
 * oldest to the present, and takes w there too (gp/innovation.h). */
void tvgp__delayed_carry(tvgp__delayed *late, tvgp__weight_space *w, size_t k, double t, double now, tvgp__insertion *in);

/* Records an observation, made after the k oldest; w is the present, and knows it already. */
void tvgp__delayed_add(tvgp__delayed *late, size_t k, const tvgp__innovation *seen, const tvgp__weight_space *w, double now);

#endif
