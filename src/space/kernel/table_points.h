/* SPDX-License-Identifier: MIT */
/* A covariance known only at given points: a table whose rows are found by coordinates. */
#ifndef TVGP__SPACE_KERNEL_TABLE_POINTS_H
#define TVGP__SPACE_KERNEL_TABLE_POINTS_H

#include "space/kernel/kernel_ops.h"

/* Makes the kernel of n points X (n x dim, copied) and a kernel over 0 .. n - 1, which is kept
 * alive. A point that stands in X twice is the first of the two. ARG (n = 0), DIM (dim = 0, or the
 * table's is not 1), LIMIT, NONFINITE, NOMEM. */
tvgp_status tvgp__table_points_new(tvgp_ctx *, size_t n, size_t dim, const double *X, const tvgp_kernel *table,
                                   tvgp_kernel **out);

/* The kernel with this covariance (n x n) between the points X (n x dim): a table over indices where
 * they are 0 .. n - 1, otherwise one that is known at these points alone. NUMERIC, LIMIT, NOMEM. */
tvgp_status tvgp__table_points_covariance(tvgp_ctx *, size_t n, size_t dim, const double *X, const double *K,
                                          tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__table_points_ops;

#endif
