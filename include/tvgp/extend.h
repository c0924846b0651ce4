/* SPDX-License-Identifier: MIT */
/* Parts from outside the library. Experimental until 1.0: what is here may change with a minor version.
 *
 * A type of kernel, of domain or a policy is a table of functions with a name, registered in a context; what is made of it holds a
 * pointer of yours, which the functions are given. Functions return 0, or -1000..-1999, which the call under way then returns
 * (anything else becomes CALLBACK); the failed call changes nothing. They must not touch what they belong to through the library
 * (REENTRANT), nor a policy that is waiting for them; other objects they may use. Numbers they write are looked at: NONFINITE,
 * LIMIT. docs/extending.md. */
#ifndef TVGP_EXTEND_H
#define TVGP_EXTEND_H

#include "domain.h"
#include "kernel.h"
#include "option.h"

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
    void (*lengthscale)(void *data, double *lengthscale);
    /* OPTIONAL, both or none, for whole snapshots and to tell kernels of this type apart: what data holds, *needed bytes, into
     * buffer unless that is NULL; and the other way. With a buffer *needed says before the call how much room there is, which is
     * what was announced without one: another number afterwards is CALLBACK, and more than the room is never written. A size
     * that no snapshot has is LIMIT. */
    int32_t (*save)(void *data, void *buffer_or_null, size_t *needed);
    int32_t (*load)(void *user, size_t dim, const void *bytes, size_t n, void **data);
    /* OPTIONAL: gives data back, when the last hold on the kernel is gone. */
    void (*release)(void *data);
    /* OPTIONAL, both or none: parameters, which fits learn (docs/learning.md). params: how many, and into list unless that is NULL, name
     * (copied on return), value, lower, upper (both 0: 1e-100 .. 1e100), kind, flags, the rest being 0; called when a kernel is made.
     * clone: data of a kernel of the same family with these values. The kernel itself never changes. */
    int32_t (*params)(void *data, size_t *n, tvgp_param_info *list_or_null);
    int32_t (*with_params)(void *data, const double *values, void **copy);
    /* OPTIONAL: gradient[p] += sum_ij W[i * ldw + j] dk(X_i, Z_j)/du_p, u the parameter's coordinate (tvgp_kernel_param_gradient);
     * otherwise the kernel is differenced. */
    int32_t (*param_gradient)(void *data, size_t n, const double *X, size_t m, const double *Z, const double *W, size_t ldw,
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
 * LIMIT, NOMEM, CALLBACK or a status of its own from params; data is still yours then. */
TVGP_API tvgp_status tvgp_kernel_of_type(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out);

/* ---- domains ---------------------------------------------------------------------------------------------------- */

/* A finite set of arms. */
typedef struct tvgp_domain_type {
    size_t struct_size;
    const char *name; /* 1 to 63 bytes; what a snapshot calls it */
    /* X (n x dim, row-major): where the arms are; called once, when a domain is made. An arm is known by its coordinates. */
    int32_t (*points)(void *data, size_t n, size_t dim, double *X);
    /* OPTIONAL: 1 where coordinates are names, as with tvgp_domain_indices, and distances between them mean nothing: a kernel
     * is then never learned from nothing. */
    int32_t categorical;
    /* OPTIONAL, both or none, for whole snapshots, which hold the points too: as in tvgp_kernel_type. */
    int32_t (*save)(void *data, void *buffer_or_null, size_t *needed);
    int32_t (*load)(void *user, size_t n, size_t dim, const void *bytes, size_t n_bytes, void **data);
    /* OPTIONAL: gives data back, when the last hold on the domain is gone. */
    void (*release)(void *data);
} tvgp_domain_type;

/* As tvgp_ctx_register_kernel. Errors: ARG (no name, no points, struct_size too small, save without load, a name that is taken),
 * NOMEM. */
TVGP_API tvgp_status tvgp_ctx_register_domain(tvgp_ctx *ctx, const tvgp_domain_type *type, void *user,
                                              tvgp_destroy_fn destroy_or_null);

/* A domain of a registered type with n arms in dim coordinates; takes over data. tvgp_domain_append makes a list of arms of it.
 * Errors: NOTFOUND (the message names the nearest), ARG (n = 0), DIM, NONFINITE, LIMIT, CALLBACK, NOMEM; data is still yours then. */
TVGP_API tvgp_status tvgp_domain_of_type(tvgp_ctx *ctx, const char *type, size_t n, size_t dim, void *data,
                                         tvgp_domain **out);

/* ---- policies --------------------------------------------------------------------------------------------------- */

/* What the library keeps for a policy, as it is during a call. ctx to options stay as long as the state, so that start may keep
 * them. New members may come at the end. */
typedef struct tvgp_policy_view {
    tvgp_ctx *ctx;
    const tvgp_domain *domain;
    const tvgp_kernel *kernel; /* the one the policy was created with */
    size_t n, dim;             /* arms, coordinates */
    const double *X;           /* n x dim */
    const double *options;     /* values of the type's options, in their order; of a choice its index */
    int64_t seed;              /* the option of that name */
    int64_t asked;             /* actions asked so far: with seed the name of a random stream (tvgp/random.h) */
    const uint8_t *available;  /* n, 0: the arm may not be asked now; NULL: all may */
    const double *mean;        /* prior means of the arms; NULL: all have the same */
    const int64_t *pending;    /* arms that were asked and are waited for, oldest first; in ask only */
    size_t n_pending;
} tvgp_policy_view;

/* One statistic: its key and a line about it. */
typedef struct tvgp_stat_info {
    const char *key;
    const char *doc;
} tvgp_stat_info;

/* A policy over arms. Tickets, times, masks, contexts, means, options and counts are the library's: what a function is given has been
 * checked. The policy looks for the largest values, whatever `sense` says, and all values are relative to the prior mean; the
 * library turns and adds. A function that fails has changed nothing. */
typedef struct tvgp_policy_type {
    size_t struct_size;
    const char *name; /* 1 to 63 bytes */
    /* At the first ask or tell: *state, which the other functions are given. */
    int32_t (*start)(void *user, const tvgp_policy_view *view, void **state);
    /* The arm to try at time t, not before any time seen: sets q->arm, an available one, and as it likes q->score, q->noise_var,
     * q->propensity; the rest is 0. May also return TVGP_AGAIN or TVGP_DONE: no query. */
    int32_t (*ask)(void *state, const tvgp_policy_view *view, double t, tvgp_query *q);
    const char *doc; /* OPTIONAL: one line */
    /* OPTIONAL: n outcomes of arms, all or none: obs[i].id (0: nobody asked), outcome, y and t as in tvgp_policy_tell, noise_var
     * with the flag TVGP_OBS_NOISE. Late ones come when they come. Queries that are forgotten or timed out are not told. */
    int32_t (*tell)(void *state, const tvgp_policy_view *view, size_t n, const tvgp_obs *obs, const int64_t *arm);
    void (*release)(void *state); /* OPTIONAL */
    /* OPTIONAL: mean and variance at time t of n arms (NULL: of arms 0 .. n - 1), for tvgp_policy_predict and _best; points
     * that are no arms are UNSUPPORTED. */
    int32_t (*predict)(void *state, const tvgp_policy_view *view, double t, size_t n, const int64_t *arm, double *mean,
                       double *var);
    /* OPTIONAL: options beside seed, sense and pending.*; all members of each. At most 60, no free texts, no derived ones. */
    const tvgp_option_info *options;
    size_t n_options;
    /* OPTIONAL: statistics beside the library's, and the i-th of them. */
    const tvgp_stat_info *stats;
    size_t n_stats;
    int32_t (*stat)(void *state, size_t i, double *value);
    /* OPTIONAL, both or none, for snapshots and clones: what state holds, as in tvgp_kernel_type; and into a state that start has
     * made with the same options, whatever it was told since. One that failed to load is only given back. */
    int32_t (*save)(void *state, void *buffer_or_null, size_t *needed);
    int32_t (*load)(void *state, const void *bytes, size_t n);
} tvgp_policy_type;

/* Registers a policy, for good: tvgp_policy_create and tvgp_policy_restore know its name then. The table and its name are
 * copied; doc, options and stats must stay as long as the context. It plays on arms that are not shared and takes a kernel, which
 * it may leave alone; before the first ask or tell predictions are those of the kernel. What it does not say it cannot:
 * tvgp_policy_save and _clone are UNSUPPORTED once it has started, as are priors, gradients and new arms. user is what `start` is
 * given; destroy as above. Errors: ARG (a name, start, ask, a number of options or statistics without them, save without load; an
 * option or statistic with a key that is taken or none), OPTION (a default outside its bounds), LIMIT (60 options), NONFINITE, NOMEM. */
TVGP_API tvgp_status tvgp_ctx_register_policy(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user,
                                              tvgp_destroy_fn destroy_or_null);

#ifdef __cplusplus
}
#endif
#endif
