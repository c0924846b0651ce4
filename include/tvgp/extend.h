/* SPDX-License-Identifier: MIT */
/* Parts from outside the library. Experimental until 1.0: what is here may change with a minor version.
 *
 * A type of kernel is a table of functions with a name, registered in a context; a kernel of that type holds a pointer of yours,
 * which the functions are given. Functions return 0, or -1000..-1999, which the call under way then returns (anything else
 * becomes CALLBACK); the failed call changes nothing. They must not touch their own kernel through the library (REENTRANT), nor
 * a policy that is waiting for them. Numbers they write are looked at: NONFINITE, LIMIT. */
#ifndef TVGP_EXTEND_H
#define TVGP_EXTEND_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set struct_size to sizeof(tvgp_kernel_type): a table of an older header is shorter, and what it lacks counts as NULL. */
typedef struct tvgp_kernel_type {
    size_t struct_size;
    const char *name; /* 1 to 63 bytes; what a snapshot calls it */
    /* K[i * ldk + j] = k(X_i, Z_j): X is n x dim, Z is m x dim, row-major. Symmetric, positive semi-definite. */
    int32_t (*block)(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk);
    /* OPTIONAL: d[i] = k(X_i, X_i); otherwise block is asked for it, point by point. */
    int32_t (*diagonal)(void *data, size_t n, const double *X, double *d);
    /* OPTIONAL: G (n x dim) += sum_j C[i * m + j] dk(Z_i, X_j)/dZ_i; otherwise the kernel is differenced where a gradient is
     * needed. For a kernel whose variance k(x, x) is the same everywhere. */
    int32_t (*gradient)(void *data, size_t n, const double *Z, size_t m, const double *X, const double *C, double *G);
    /* OPTIONAL: lengthscale (dim): over which distance the function changes; a search over a box goes by it. Without: a fifth
     * of the sides. */
    void (*reach)(void *data, double *lengthscale);
    /* OPTIONAL, both or none, for whole snapshots and to tell kernels of this type apart: what data holds, *needed bytes, into
     * buffer unless that is NULL; and the other way. */
    int32_t (*save)(void *data, void *buffer_or_null, size_t *needed);
    int32_t (*load)(void *user, size_t dim, const void *bytes, size_t n, void **data);
    /* OPTIONAL: gives data back, when the last hold on the kernel is gone. */
    void (*release)(void *data);
    /* OPTIONAL, both or none: parameters, which fits learn (docs/learning.md). params: how many, and into list unless that is NULL, name
     * (copied on return), value, lower, upper (both 0: 1e-100 .. 1e100), kind, flags, the rest being 0; called when a kernel is made.
     * clone: data of a kernel of the same family with these values. The kernel itself never changes. */
    int32_t (*params)(void *data, size_t *n, tvgp_param_info *list_or_null);
    int32_t (*clone)(void *data, const double *values, void **copy);
    /* OPTIONAL: gradient[p] += sum_ij W[i * ldw + j] dk(X_i, Z_j)/du_p, u the parameter's coordinate (tvgp_kernel_contract);
     * otherwise the kernel is differenced. */
    int32_t (*contract)(void *data, size_t n, const double *X, size_t m, const double *Z, const double *W, size_t ldw,
                        double *gradient);
} tvgp_kernel_type;

/* Gives back what a type was registered with. */
typedef void (*tvgp_destroy_fn)(void *user);

/* Registers a type of kernel in this context, for good; the table and its name are copied. user is what `load` is given;
 * destroy is called with it when the context is gone. Errors: ARG (no name, no block, struct_size too small, save
 * without load, a name that is taken), NOMEM; destroy is not called then. */
TVGP_API tvgp_status tvgp_ctx_register_kernel(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user,
                                              tvgp_destroy_fn destroy_or_null);

/* A kernel of a registered type over dim coordinates; takes over data. Errors: NOTFOUND (the message names the nearest), DIM,
 * LIMIT, NOMEM; data is still yours then. */
TVGP_API tvgp_status tvgp_kernel_of_type(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out);

#ifdef __cplusplus
}
#endif
#endif
