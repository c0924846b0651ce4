/* SPDX-License-Identifier: MIT */
/* Where on a box a policy may ask now: bounds inside the domain's, and a set given as a function. */
#ifndef TVGP__FRAME_WITHIN_H
#define TVGP__FRAME_WITHIN_H

#include "domain/domain_ops.h"
#include "frame/mean.h"
#include "search/space.h"
#include "tvgp/policy.h"

typedef struct tvgp__within {
    tvgp_feasible_fn feasible;
    void *user;
    double *pending;          /* points of the tickets */
    tvgp__mean_function mean; /* the prior mean as a function; call NULL: none */
    double *points;           /* of the answers being told, point_slots x dim */
    size_t point_slots;
    int lost_feasible; /* a snapshot was loaded that had such a function, and nobody has set it again */
    int lost_mean;
    double *side;    /* of the domain, dim */
    double bounds[]; /* lower, upper: dim each */
} tvgp__within;

/* Of a box; NULL for a domain with arms. NOMEM. */
tvgp_status tvgp__within_new(const tvgp_domain *, tvgp__within **out);
void tvgp__within_free(tvgp_ctx *, tvgp__within *);

/* lower, upper NULL: the domain's. NONFINITE, ARG (outside the domain, lower above upper, no whole number between), UNSUPPORTED (arms). */
tvgp_status tvgp__within_set_bounds(tvgp__within *, const tvgp_domain *, const double *lower, const double *upper);
tvgp_status tvgp__within_set_feasible(tvgp__within *, const tvgp_domain *, tvgp_feasible_fn, void *user);

/* Bounds, and whether there are functions (base/visit.h). */
void tvgp__within_visit(tvgp__within *, const tvgp_domain *, tvgp__visit *);

/* After loading: the feasible set is that of `before`, and the mean where the snapshot had a function; `sign` is its. */
void tvgp__within_adopt(tvgp__within *, const tvgp__within *before, double sign);

/* STATE where a function has to be set again. */
tvgp_status tvgp__within_check(const tvgp__within *, tvgp_ctx *);

/* Where a search goes; `reach` (dim) is filled from the kernel, at most the side. Valid until one of them changes. */
tvgp__space tvgp__within_space(const tvgp__within *, const tvgp_domain *, const tvgp_kernel *, double *reach);

#endif
