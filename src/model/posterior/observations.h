/* SPDX-License-Identifier: MIT */
/* Observations as they were reported, in order of arrival, for a reader that computes from them again
 * (tvgp__posterior_replay). The owner of a list decides which observations stay. State that is derived from observations, such
 * as columns or rows of a window, is kept elsewhere. */
#ifndef TVGP__MODEL_OBSERVATIONS_H
#define TVGP__MODEL_OBSERVATIONS_H

#include "model/gp/kernel_rows.h"

/* One observation. */
typedef struct tvgp__observation {
    size_t arm;
    double t, y;     /* its time and its value */
    double reported; /* the newest time when it was taken; 0 where the owner of the list does not need it */
    double mean;     /* the prior mean when it was asked for; 0 where y is relative to that already */
    double exposure; /* of a count; 0: it is none */
    double noise;    /* the variance of its noise */
    int64_t step;    /* the number of actions asked when it was asked for; 0: unsolicited */
    int64_t known;   /* number of actions asked when it was reported */
    int32_t kind;    /* the kind of its query */
    int assumed;     /* whether y is assumed (tvgp__posterior_observe) */
} tvgp__observation;

/* A list of observations. */
typedef struct tvgp__observations {
    tvgp_ctx *ctx;
    tvgp__observation *list; /* n, and room for `slots` */
    size_t n, slots;
    size_t dim; /* of the points, on a box; 0: there are arms */
    double *X;  /* on a box: the points (n x dim) */
    size_t point_slots;
} tvgp__observations;

void tvgp__observations_free(tvgp__observations *kept);

/* Makes room for `more` observations, which add then takes. NOMEM. */
tvgp_status tvgp__observations_reserve(tvgp__observations *kept, size_t more);
/* Adds an observation at the end; insert makes it number k <= n. x: its point (dim), not read on arms. */
void tvgp__observations_add(tvgp__observations *kept, const tvgp__observation *o, const double *x);
void tvgp__observations_insert(tvgp__observations *kept, size_t k, const tvgp__observation *o, const double *x);

/* Keeps only the observations that are wanted. */
void tvgp__observations_keep(tvgp__observations *kept, int (*wanted)(const void *user, const tvgp__observation *),
                             const void *user);
/* Drops the oldest n. */
void tvgp__observations_drop(tvgp__observations *kept, size_t n);

/* Saves or loads all but `reported` (base/visit.h). Arms are below n; n = 0: there are no arms. */
void tvgp__observations_visit(tvgp__observations *kept, size_t n, tvgp__visit *v);

/* Adds the kernel's row of every arm in the list to the set TVGP__KERNEL_ROWS_OBSERVED of `rows`. NOMEM, the kernel's status. */
tvgp_status tvgp__observations_hold(const tvgp__observations *kept, tvgp__kernel_rows *rows);

#endif
