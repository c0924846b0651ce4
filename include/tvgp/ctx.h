/* SPDX-License-Identifier: MIT */
/* The context: allocator, error record, logger. Nothing in the library is global; everything starts from one of these. */
#ifndef TVGP_CTX_H
#define TVGP_CTX_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory hooks. `allocate` returns NULL when out of memory, otherwise storage aligned for any type; `release` takes what
 * allocate returned (never NULL). Both get `user` first. The struct is copied by tvgp_ctx_create. */
typedef struct tvgp_allocator {
    void *user;
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
} tvgp_allocator;

/* One line per event worth a log entry (a reset and its reason). `message` is valid during the call only. The logger must
 * not call back into objects of the same context. */
typedef void (*tvgp_logger)(void *user, const char *message);

/* Asked between blocks of long work; anything but 0 ends it: the call returns INTERRUPTED and has changed nothing. It must not
 * call back into objects of the same context. */
typedef int32_t (*tvgp_interrupt)(void *user);

/* "major.minor.patch" of the library in use (static string). */
TVGP_API const char *tvgp_version(void);

/* Name of a status code, e.g. "TVGP_ERR_ARG"; "TVGP_ERR_CALLBACK" for -1000..-1999, "unknown status" otherwise. Static. */
TVGP_API const char *tvgp_status_name(tvgp_status status);

/* Creates a context. allocator NULL: malloc and free. Errors: ARG (out NULL, or an allocator with a NULL hook), NOMEM. */
TVGP_API tvgp_status tvgp_ctx_create(const tvgp_allocator *allocator, tvgp_ctx **out);

/* Gives up the caller's hold; the memory goes when the last object made from the context is destroyed. */
TVGP_API void tvgp_ctx_destroy(tvgp_ctx *ctx);

/* Text of the last failure in this context ("" after a success), at most 255 bytes. Never NULL. */
TVGP_API const char *tvgp_ctx_errmsg(const tvgp_ctx *ctx);

/* Installs a logger (NULL: none). Errors: ARG (ctx NULL). */
TVGP_API tvgp_status tvgp_ctx_set_logger(tvgp_ctx *ctx, tvgp_logger logger, void *user);

/* Installs a function that may end long work (NULL: none): the factorisation of a large kernel at the first ask or tell, k-DPP
 * chains, fits of parameters, learning from logs and from fleets; about once a millisecond. Errors: ARG (ctx NULL). */
TVGP_API tvgp_status tvgp_ctx_set_interrupt(tvgp_ctx *ctx, tvgp_interrupt interrupt, void *user);

/* Limits for what is done in this context, as for snapshots that somebody else wrote (docs/restarts.md); 0: none, as at first.
 * bytes: what the context may hold, as tvgp_ctx_memory counts it. arms: of a domain that is made, on this rank where they are
 * shared (0: 10,000,000). work: values that one call may compute, counted from 0 in every call: of kernels (each pair of points, a variance, their
 * gradients; of a kernel made of kernels its own and those of its parts), of arms in joint draws (choice=thompson), pairs of
 * points that a search on a box compares, and values of historical data that learning reads (formula at tvgp_policy_learn_history). Calls made by a function of the caller's count in the call that called it; values of a
 * kernel count in the context that it was made in.
 * A call that would go beyond fails with LIMIT, whose message names what was asked and the quota, and has changed nothing; what
 * there is already stays. Errors: ARG (ctx NULL, work < 0), NOMEM. */
TVGP_API tvgp_status tvgp_ctx_set_quota(tvgp_ctx *ctx, size_t bytes, size_t arms, int64_t work);

/* Bytes now held by the context and all that was made from it. Errors: ARG. */
TVGP_API tvgp_status tvgp_ctx_memory(const tvgp_ctx *ctx, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
