/* SPDX-License-Identifier: MIT */
/* A list of arms. */
#ifndef TVGP__SPACE_DOMAIN_ARMS_H
#define TVGP__SPACE_DOMAIN_ARMS_H

#include "space/domain/domain_ops.h"

/* First member of every domain whose arms are found by their coordinates. */
typedef struct tvgp__arms {
    tvgp_domain base;
    size_t mask;    /* table size - 1, a power of two minus 1 */
    int32_t *table; /* arm + 1, 0 = empty */
} tvgp__arms;

/* Once X is there: NONFINITE, LIMIT (a coordinate out of range), NOMEM. And the ops that go with it. */
tvgp_status tvgp__arms_index(tvgp__arms *a);
int64_t tvgp__arms_locate(tvgp_domain *, const double *x);
void tvgp__arms_release(tvgp_domain *);

tvgp_status tvgp__arms_new(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);

extern const tvgp__domain_ops tvgp__arms_ops;

/* The arms of a domain and n more. */
tvgp_status tvgp__arms_append(tvgp_ctx *, const tvgp_domain *, size_t n, const double *X, tvgp_domain **out);

#endif
