/* SPDX-License-Identifier: MIT */
/* Pivoted Cholesky factorisation K ~ Phi Phi' of a Gram matrix that is never stored (Harbrecht, Peters, Schneider 2012).
 * Each step evaluates one column, at the pivot with the largest residual variance. A r^2 multiply-adds for rank r and A
 * points. */
#ifndef TVGP__LINALG_PIVOTED_H
#define TVGP__LINALG_PIVOTED_H

#include "base/shard.h"

/* Writes column `index` of the Gram matrix (A entries) to out; a failure ends the factorisation. */
typedef tvgp_status (*tvgp__pivoted_column)(const void *user, size_t index, double *out);

/* Fills Phi (A x max_rank, column-major, leading dimension A) and pivot (max_rank entries) until the largest residual
 * variance is at most `tolerance`; *rank is what was reached. The pivots are nested: where
 * *rank is not 0 it goes on from what an earlier call with a smaller max_rank left in residual, Phi and pivot. `residual` enters as the diagonal of K (A entries) and leaves
 * as the residual variances; the factorisation is complete when none exceeds the tolerance. Ties go to the lowest index.
 *
 * With points that are shared over ranks (otherwise NULL) n of them are here, while index and pivot number all of them, and
 * every rank has the same pivots: collective, the same status on all ranks. work: max_rank, workspace. */
tvgp_status tvgp__pivoted_factor(tvgp__shard *shard, size_t n, tvgp__pivoted_column column, const void *user,
                                 double tolerance, size_t max_rank, double *residual, double *Phi, size_t *pivot,
                                 double *work, size_t *rank);

#endif
