/* SPDX-License-Identifier: MIT */
/* A product grid, and the indices 0 .. n-1. */
#ifndef TVGP__SPACE_DOMAIN_GRID_H
#define TVGP__SPACE_DOMAIN_GRID_H

#include "space/domain/domain_ops.h"

tvgp_status tvgp__grid_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                           tvgp_domain **out);
/* The part of it, by the first coordinate, that process `rank` of `size` holds. */
tvgp_status tvgp__grid_part_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                                size_t rank, size_t size, tvgp_domain **out);
tvgp_status tvgp__grid_indices_new(tvgp_ctx *ctx, size_t n, tvgp_domain **out);
/* Whether the domain is indices, and the n points in X are the next ones. */
int tvgp__grid_continues(const tvgp_domain *, size_t n, const double *X);

extern const tvgp__domain_ops tvgp__grid_ops;

#endif
