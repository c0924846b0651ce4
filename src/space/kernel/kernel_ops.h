/* SPDX-License-Identifier: MIT */
/* Covariance functions behind one ops table, evaluated in blocks. */
#ifndef TVGP__SPACE_KERNEL_KERNEL_OPS_H
#define TVGP__SPACE_KERNEL_KERNEL_OPS_H

#include "base/visit.h"
#include "tvgp/kernel.h"

typedef struct tvgp__param tvgp__param; /* space/kernel/parameter.h, as all about parameters */

typedef struct tvgp__kernel_ops {
    const char *type; /* what a snapshot calls it */
    /* OPTIONAL: its members; a visitor that loads makes *kernel from them by the kernel's own constructor. */
    void (*visit)(tvgp__visit *, size_t dim, tvgp_kernel **kernel);
    /* K[i * ldk + j] = k(X_i, Z_j), X is n x dim, Z is m x dim, row-major. Points have passed `check`. */
    tvgp_status (*block)(const tvgp_kernel *, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk);
    /* d[i] = k(X_i, X_i) */
    tvgp_status (*diag)(const tvgp_kernel *, size_t n, const double *X, double *d);
    /* OPTIONAL: points (already within range) at which the kernel is not defined give ARG, naming `argument`, in ctx. */
    tvgp_status (*check)(const tvgp_kernel *, tvgp_ctx *ctx, const char *argument, size_t n, const double *X);
    /* OPTIONAL: releases what the kernel holds, not the kernel itself. */
    void (*release)(tvgp_kernel *);
    /* OPTIONAL: G (n x dim) += sum_j C[i,j] dk(Z_i, X_j)/dZ_i, given K = block(Z, X); K and C are n x m, C is used up. */
    tvgp_status (*pull)(const tvgp_kernel *, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G);
    /* OPTIONAL (with pull: absent for a constant variance): G (n x dim) += w[i] dk(Z_i, Z_i)/dZ_i. */
    tvgp_status (*diag_pull)(const tvgp_kernel *, size_t n, const double *Z, const double *w, double *G);
    /* OPTIONAL: lowers out[d] to the distance along coordinate d over which the function changes (the lengthscale). */
    void (*reach)(const tvgp_kernel *, double *out);
    /* OPTIONAL, with one of the next two: a kernel with parameters that can be learned. How many, and what they are. */
    size_t (*params)(const tvgp_kernel *, tvgp__param *list_or_null);
    /* OPTIONAL: writes values, within the bounds that params gave, into a kernel that no other object uses. */
    void (*assign)(tvgp_kernel *, const double *values);
    /* OPTIONAL: the same family with these values (NULL: its own); without, a copy of the struct is assigned to. */
    tvgp_status (*clone)(const tvgp_kernel *, const double *values_or_null, tvgp_kernel **out);
    /* OPTIONAL: gradient[p] += sum_ij W[i * ldw + j] dk(X_i, Z_j)/du_p, u the parameter's coordinate. Allocates nothing. */
    tvgp_status (*contract)(const tvgp_kernel *, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient);
} tvgp__kernel_ops;

/* First member of every kernel. */
struct tvgp_kernel {
    tvgp_ctx *ctx;
    const tvgp__kernel_ops *ops;
    size_t size, dim;
    size_t depth, parts; /* of a kernel made of kernels: levels, and kernels that are not; 1 each otherwise */
    size_t references;
    void *names; /* of the parameters, as shown to the user: made when they are asked for */
};

/* Allocates a kernel struct of `size` bytes (first member: tvgp_kernel) with one reference; a hold on the context. DIM, LIMIT
 * (dim, whatever came of the size that was reckoned with it), NOMEM. */
tvgp_status tvgp__kernel_new(tvgp_ctx *ctx, const tvgp__kernel_ops *ops, size_t dim, size_t size, void *out);

/* A copy of the struct: of a kernel that refers to nothing. */
tvgp_status tvgp__kernel_copy(const tvgp_kernel *kernel, tvgp_kernel **out);

/* The last step of a kernel made of one or two others (part or NULL): *out = kernel, or LIMIT, and the kernel is released. */
tvgp_status tvgp__kernel_nest(tvgp_kernel *kernel, const tvgp_kernel *part, const tvgp_kernel *other, tvgp_kernel **out);
tvgp_kernel *tvgp__kernel_retain(const tvgp_kernel *kernel);
void tvgp__kernel_release(tvgp_kernel *kernel);

/* The two ways to evaluate a kernel. Both can fail, and so can their callers. */
tvgp_status tvgp__kernel_block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                               size_t ldk);
tvgp_status tvgp__kernel_diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d);

/* The gradients (see the ops); a kernel without `pull` is differenced, at steps of 6e-6 of the extent of Z and X. NOMEM, and
 * UNSUPPORTED for a kernel that is not a function of coordinates. */
tvgp_status tvgp__kernel_pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X,
                              const double *K, double *C, double *G);
tvgp_status tvgp__kernel_diag_pull(const tvgp_kernel *kernel, size_t n, const double *Z, const double *w, double *G);

/* The reach of every coordinate; where the kernel has none, a fifth of the side of the domain. */
void tvgp__kernel_reach(const tvgp_kernel *kernel, const double *side, double *out);

/* n points within range, at which this kernel is defined and its variance within range: LIMIT, NONFINITE, ARG, recorded in
 * ctx, that of the caller, which need not be the kernel's. */
tvgp_status tvgp__kernel_check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X);

/* Lengthscales and the like: positive, one for all dimensions or one for each. LIMIT, DIM, NONFINITE, ARG. */
tvgp_status tvgp__kernel_scales(tvgp_ctx *ctx, const char *argument, size_t dim, const double *values, size_t n_values);

#endif
