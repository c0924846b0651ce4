/* Domains behind one ops table. A finite domain holds its points as one n x dim array: everything a posterior on arms needs.
 * A continuous box will be another table whose `n` is 0 and whose acquisition search is its own. */
#ifndef TVGP__DOMAIN_DOMAIN_H
#define TVGP__DOMAIN_DOMAIN_H

#include "base/ctx.h"
#include "tvgp/domain.h"

typedef struct tvgp__domain_ops {
    size_t struct_size;
    /* Index of the arm at x, or -1: exact comparison, lowest index. */
    int64_t (*locate)(tvgp_domain *, const double *x);
    /* OPTIONAL: releases what the domain holds, not the domain itself. */
    void (*release)(tvgp_domain *);
} tvgp__domain_ops;

/* First member of every domain. */
struct tvgp_domain {
    tvgp_ctx *ctx;
    const tvgp__domain_ops *ops;
    size_t n, dim;
    double *X; /* n x dim */
    size_t references;
};

/* Allocates a domain struct of `size` bytes with its X, checks n and dim: ARG, DIM, LIMIT, NOMEM. */
tvgp_status tvgp__domain_new(tvgp_ctx *ctx, const tvgp__domain_ops *ops, size_t n, size_t dim, size_t size, void *out);
tvgp_domain *tvgp__domain_retain(const tvgp_domain *domain);
void tvgp__domain_release(tvgp_domain *domain);

/* Constructors (arguments other than handles and outputs are checked here). */
tvgp_status tvgp__arms_new(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);
tvgp_status tvgp__grid_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                           tvgp_domain **out);
tvgp_status tvgp__grid_indices_new(tvgp_ctx *ctx, size_t n, tvgp_domain **out);

#endif
