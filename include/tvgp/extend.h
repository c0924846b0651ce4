/* SPDX-License-Identifier: MIT */
/** @file
 * Kernels, domains and policies of your own (docs/project/extending.md). Experimental: may change in a minor version.
 *
 * A type is a table of functions with a name, registered in a context. An object of the type holds a pointer of yours
 * (`data` or `state`), which the functions receive. Each function returns 0, or -1000 to -1999, which the library call
 * under way then returns (other values become TVGP_ERR_CALLBACK); the failed call changes nothing. A function must not use the
 * object it belongs to (TVGP_ERR_REENTRANT), nor a policy that waits for it; other objects it may use. Numbers that it writes
 * are checked (TVGP_ERR_NONFINITE, TVGP_ERR_LIMIT).
 *
 * Set struct_size of a table to its size. A table of an older header is shorter; missing members count as NULL.
 */
#ifndef TVGP_EXTEND_H
#define TVGP_EXTEND_H

#include "domain.h"
#include "kernel.h"
#include "option.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A type of kernel. */
typedef struct tvgp_kernel_type {
    size_t struct_size; /**< sizeof(tvgp_kernel_type). */
    const char *name;   /**< Name of the type, 1 to 63 bytes; stored in snapshots. */
    /** K[i * ldk + j] = k(X_i, Z_j). X is n x dim, Z is m x dim, row-major. The kernel must be symmetric and positive
     * semi-definite. */
    int32_t (*block)(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk);
    /** Optional. d[i] = k(X_i, X_i). Without it block is called point by point. */
    int32_t (*diagonal)(void *data, size_t n, const double *X, double *d);
    /** Optional. G (n x dim) += sum_j C[i * m + j] dk(Z_i, X_j) / dZ_i, for a kernel with the same variance everywhere. Without
     * it the kernel is differenced numerically. */
    int32_t (*gradient)(void *data, size_t n, const double *Z, size_t m, const double *X, const double *C, double *G);
    /** Optional. Writes lengthscales (dim), which set the scale of a search on a box. Without it: a fifth of each side. */
    void (*lengthscale)(void *data, double *lengthscale);
    /** Optional, together with load: the content of data, for full snapshots and comparison of kernels. Without a buffer it
     * writes the size to *needed. With a buffer *needed is the room there is; a result of another size is
     * TVGP_ERR_CALLBACK. */
    int32_t (*save)(void *data, void *buffer_or_null, size_t *needed);
    /** Optional, together with save: creates data from the bytes that save wrote. */
    int32_t (*load)(void *user, size_t dim, size_t n, const void *bytes, void **data);
    /** Optional. Frees data, when the last reference to the kernel is released. */
    void (*release)(void *data);
    /** Optional, together with with_params: the parameters that hyperparameter optimisation may change. Writes their number,
     * and unless list_or_null is NULL name (copied on return), value, lower, upper (both 0: 1e-100 .. 1e100), kind and flags.
     * Called when a kernel is created. */
    int32_t (*params)(void *data, size_t *n, tvgp_param_info *list_or_null);
    /** Optional, together with params: creates data of the same kernel with other parameter values. */
    int32_t (*with_params)(void *data, const double *values, void **copy);
    /** Optional. gradient[p] += sum_ij W[i * ldw + j] dk(X_i, Z_j) / du_p, as tvgp_kernel_param_gradient. Without it the kernel is
     * differenced numerically. */
    int32_t (*param_gradient)(void *data, size_t n, const double *X, size_t m, const double *Z, const double *W, size_t ldw,
                              double *gradient);
} tvgp_kernel_type;

/** Registers a type of kernel in a context, for the context's lifetime.
 *
 * @param ctx              The context.
 * @param type             The table; it and its name are copied.
 * @param user             First argument of load.
 * @param destroy_or_null  Called with user when the context is freed; not called on error.
 * @retval TVGP_ERR_ARG  A name or block is missing, the name is taken, struct_size is too small, or only one of two functions that
 *                       belong together is given.
 */
TVGP_API tvgp_status tvgp_ctx_register_kernel(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user,
                                              tvgp_destroy_fn destroy_or_null);

/** Creates a kernel of a registered type.
 *
 * @param ctx       The context.
 * @param type      Name of the type.
 * @param dim       Number of coordinates.
 * @param data      First argument of the type's functions. The kernel owns it on success; on error it is still the caller's.
 * @param[out] out  The new kernel.
 * @retval TVGP_ERR_NOTFOUND  No such type; the message gives the most similar name.
 * @retval TVGP_ERR_DIM       dim is 0.
 * @retval TVGP_ERR_LIMIT     dim is out of range.
 * @retval TVGP_ERR_CALLBACK  params failed; statuses -1000 .. -1999 are returned unchanged.
 */
TVGP_API tvgp_status tvgp_kernel_of_type(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out);

/** A type of finite domain. */
typedef struct tvgp_domain_type {
    size_t struct_size; /**< sizeof(tvgp_domain_type). */
    const char *name;   /**< Name of the type, 1 to 63 bytes; stored in snapshots. */
    /** Writes the points of the arms, n x dim, row-major. Called once, when a domain is created. */
    int32_t (*points)(void *data, size_t n, size_t dim, double *X);
    /** Optional. 1 if coordinates are categories, as for tvgp_domain_indices, whose distances mean nothing: a policy then needs a
     * kernel. */
    int32_t categorical;
    /** Optional, together with load: the content of data, as in tvgp_kernel_type. */
    int32_t (*save)(void *data, void *buffer_or_null, size_t *needed);
    /** Optional, together with save: creates data from the bytes that save wrote. */
    int32_t (*load)(void *user, size_t n, size_t dim, size_t n_bytes, const void *bytes, void **data);
    /** Optional. Frees data, when the last reference to the domain is released. */
    void (*release)(void *data);
} tvgp_domain_type;

/** Registers a type of domain in a context, for the context's lifetime.
 *
 * @param ctx              The context.
 * @param type             The table; it and its name are copied.
 * @param user             First argument of load.
 * @param destroy_or_null  Called with user when the context is freed; not called on error.
 * @retval TVGP_ERR_ARG  A name or points is missing, the name is taken, struct_size is too small, or only one of save and load is
 *                       given.
 */
TVGP_API tvgp_status tvgp_ctx_register_domain(tvgp_ctx *ctx, const tvgp_domain_type *type, void *user,
                                              tvgp_destroy_fn destroy_or_null);

/** Creates a domain of a registered type. tvgp_domain_append turns it into a list of arms.
 *
 * @param ctx       The context.
 * @param type      Name of the type.
 * @param n         Number of arms, at least 1.
 * @param dim       Number of coordinates, at least 1.
 * @param data      First argument of the type's functions. The domain owns it on success; on error it is still the caller's.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_NOTFOUND   No such type; the message gives the most similar name.
 * @retval TVGP_ERR_ARG        n is 0.
 * @retval TVGP_ERR_DIM        dim is 0.
 * @retval TVGP_ERR_NONFINITE  points wrote NaN or infinity.
 * @retval TVGP_ERR_LIMIT      A number is out of range, or the quota of arms is exceeded.
 * @retval TVGP_ERR_CALLBACK   points failed; statuses -1000 .. -1999 are returned unchanged.
 */
TVGP_API tvgp_status tvgp_domain_of_type(tvgp_ctx *ctx, const char *type, size_t n, size_t dim, void *data,
                                         tvgp_domain **out);

/** Surroundings of a registered policy during a call. ctx, domain, kernel, n, dim, X and options stay valid as
 * long as the state. New members may be added at the end. */
typedef struct tvgp_policy_view {
    tvgp_ctx *ctx;             /**< The context. */
    const tvgp_domain *domain; /**< The domain. */
    const tvgp_kernel *kernel; /**< The kernel that the policy was created with. */
    size_t n;                  /**< Number of arms. */
    size_t dim;                /**< Number of coordinates. */
    const double *X;           /**< Points, n x dim, row-major. */
    const double *options;     /**< Values of the type's options, in their order; of a choice its index. */
    int64_t seed;              /**< Value of the option seed. */
    int64_t asked;             /**< Number of actions asked so far; with seed it names a random stream (random.h). */
    const uint8_t *available;  /**< 0 where an arm may not be asked now (n); NULL: all may. */
    const double *mean;        /**< Prior means of the arms (n); NULL: all equal. */
    const int64_t *pending;    /**< In ask: arms of the pending queries, oldest first (n_pending). */
    size_t n_pending;          /**< Number of pending queries. */
} tvgp_policy_view;

/** A policy over arms.
 *
 * The library handles queries, times, masks, contexts, means, options and counts, and checks all arguments. The policy
 * maximises, whatever the option sense says, and sees values relative to the prior mean. A function that fails must have
 * changed nothing.
 */
typedef struct tvgp_policy_type {
    size_t struct_size; /**< sizeof(tvgp_policy_type). */
    const char *name;   /**< Name of the policy, 1 to 63 bytes. */
    /** Creates *state, the first argument of the other functions. Called at the first ask or tell. */
    int32_t (*start)(void *user, const tvgp_policy_view *view, void **state);
    /** Chooses an available arm for time t, which is not before any time seen: sets q->arm and optionally score, noise_var and
     * propensity; all other members are 0. May return TVGP_AGAIN or TVGP_DONE for no query. */
    int32_t (*ask)(void *state, const tvgp_policy_view *view, double t, tvgp_query *q);
    const char *doc; /**< Optional. Description in one line. */
    /** Optional. Receives n outcomes, all or none: id (0: unsolicited), outcome, y and t as in tvgp_policy_tell, noise_var with
     * TVGP_OBS_HAS_NOISE. Queries that were forgotten or timed out are not reported. */
    int32_t (*tell)(void *state, const tvgp_policy_view *view, size_t n, const tvgp_obs *obs, const int64_t *arm);
    void (*release)(void *state); /**< Optional. Frees the state. */
    /** Optional. Mean and variance at time t of n arms (NULL: arms 0 .. n - 1), for tvgp_policy_predict and tvgp_policy_best. */
    int32_t (*predict)(void *state, const tvgp_policy_view *view, double t, size_t n, const int64_t *arm, double *mean,
                       double *var);
    const tvgp_option_info
        *options;       /**< Optional. Options in addition to seed, sense and pending.*; no free texts, none derived. */
    size_t n_options;   /**< Number of options, at most 60. */
    size_t option_size; /**< sizeof(tvgp_option_info): bytes from one option to the next. Required with options. */
    const tvgp_stat_info *stats; /**< Optional. Statistics in addition to the library's. */
    size_t n_stats;              /**< Number of statistics. */
    size_t stat_size;            /**< sizeof(tvgp_stat_info): bytes from one statistic to the next. Required with stats. */
    int32_t (*stat)(void *state, size_t i, double *value); /**< Required with stats. Computes statistic i. */
    /** Optional, together with load, for snapshots and clones: the content of the state, as in tvgp_kernel_type. */
    int32_t (*save)(void *state, void *buffer_or_null, size_t *needed);
    /** Optional, together with save: loads into a state that start created with the same options. If it fails, the state is
     * only released. */
    int32_t (*load)(void *state, size_t n, const void *bytes);
} tvgp_policy_type;

/** Registers a policy in a context, for the context's lifetime. tvgp_policy_create and tvgp_policy_restore then accept its name.
 *
 * It plays on arms that are not distributed over ranks, and requires a kernel at creation, which it may ignore. Before the
 * first ask or tell, predictions come from the kernel alone. Without save and load, tvgp_policy_save and tvgp_policy_clone are
 * TVGP_ERR_UNSUPPORTED once it has started, as are priors, gradients and new arms.
 *
 * @param ctx              The context.
 * @param type             The table; it and its name are copied. doc, options and stats must stay valid as long as the context.
 * @param user             First argument of start.
 * @param destroy_or_null  Called with user when the context is freed; not called on error.
 * @retval TVGP_ERR_ARG        A name, start or ask is missing, a name or key is taken, struct_size, option_size or stat_size is too small, a kind is unknown, or members that belong
 *                             together are incomplete.
 * @retval TVGP_ERR_OPTION     A default is outside its bounds.
 * @retval TVGP_ERR_LIMIT      More than 60 options.
 * @retval TVGP_ERR_NONFINITE  A bound or default is NaN.
 */
TVGP_API tvgp_status tvgp_ctx_register_policy(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user,
                                              tvgp_destroy_fn destroy_or_null);

#ifdef __cplusplus
}
#endif
#endif
