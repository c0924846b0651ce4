/* SPDX-License-Identifier: MIT */
/** @file
 * Contexts: allocator, error message, logger, interruption and quotas.
 *
 * Threads: one context, and everything created from it, is used by one thread at a time; different
 * contexts are independent, since the library has no global state.
 */
#ifndef TVGP_CTX_H
#define TVGP_CTX_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Memory functions of a context. tvgp_ctx_create copies the struct. */
typedef struct tvgp_allocator {
    size_t struct_size;                         /**< sizeof(tvgp_allocator). */
    void *user;                                 /**< First argument of both functions. */
    void *(*allocate)(void *user, size_t size); /**< Returns storage aligned for any type, or NULL when out of memory. */
    void (*release)(void *user, void *memory);  /**< Frees what allocate returned; never called with NULL. */
} tvgp_allocator;

/** Receives one line per notable event, for instance a reset and its reason.
 *
 * The function must not call objects of the same context.
 *
 * @param user     The pointer given to tvgp_ctx_set_logger.
 * @param message  Text without a line feed, valid during the call only.
 */
typedef void (*tvgp_logger)(void *user, const char *message);

/** Asked about once a millisecond during long work. A nonzero result ends the call under way, which
 * returns TVGP_ERR_INTERRUPTED and leaves all objects unchanged.
 *
 * The function must not call objects of the same context.
 *
 * @param user  The pointer given to tvgp_ctx_set_interrupt.
 */
typedef int32_t (*tvgp_interrupt)(void *user);

/** Gives the version of the library in use.
 *
 * @return "major.minor.patch", a static string.
 */
TVGP_API const char *tvgp_version(void);

/** Gives the name of a status code, for instance "TVGP_ERR_ARG".
 *
 * @param status  Any value. -1000 to -1999 give "TVGP_ERR_CALLBACK", other unlisted values "unknown status".
 * @return The name, a static string.
 */
TVGP_API const char *tvgp_status_name(tvgp_status status);

/** Creates a context.
 *
 * @param allocator  Memory functions, copied. NULL: malloc and free.
 * @param[out] out   The new context; release it with tvgp_ctx_destroy.
 * @retval TVGP_ERR_ARG    out is NULL, or the allocator lacks a function or has a smaller struct_size.
 */
TVGP_API tvgp_status tvgp_ctx_create(const tvgp_allocator *allocator, tvgp_ctx **out);

/** Releases the caller's reference. The memory is freed with the last object created from the context.
 *
 * @param ctx  A context, or NULL (no effect).
 */
TVGP_API void tvgp_ctx_destroy(tvgp_ctx *ctx);

/** Gives the message of the last call in this context.
 *
 * @param ctx  A context, or NULL.
 * @return The text, at most 255 bytes, "" after a success; never NULL, valid until the next call.
 */
TVGP_API const char *tvgp_ctx_errmsg(const tvgp_ctx *ctx);

/** Sets the function that receives log lines.
 *
 * @param ctx              The context.
 * @param logger           The function; NULL: no log.
 * @param user             First argument of the function.
 * @param destroy_or_null  Called with user when the logger is replaced or the context is freed; not called on error.
 * @retval TVGP_ERR_ARG  ctx is NULL.
 */
TVGP_API tvgp_status tvgp_ctx_set_logger(tvgp_ctx *ctx, tvgp_logger logger, void *user, tvgp_destroy_fn destroy_or_null);

/** Sets a function that can end long work, and is called about once a millisecond of it: values that a quota of work counts
 * (tvgp_ctx_set_quota), the factorisation of a large kernel at the first ask or tell, k-DPP chains, joint draws,
 * hyperparameter optimisation, learning from historical data and from fleets.
 *
 * @param ctx              The context.
 * @param interrupt        The function; NULL: none.
 * @param user             First argument of the function.
 * @param destroy_or_null  Called with user when the function is replaced or the context is freed; not called on error.
 * @retval TVGP_ERR_ARG  ctx is NULL.
 */
TVGP_API tvgp_status tvgp_ctx_set_interrupt(tvgp_ctx *ctx, tvgp_interrupt interrupt, void *user,
                                            tvgp_destroy_fn destroy_or_null);

/** Limits the memory and the work of a context, for instance before loading a snapshot from an untrusted source.
 *
 * A call that would exceed a limit returns TVGP_ERR_LIMIT, names the requested amount and the quota, and changes
 * nothing. Existing objects are not affected. The work of functions of the caller is counted in the call that calls
 * them, and values of a kernel in the context in which the kernel was created.
 *
 * @param ctx    The context.
 * @param bytes  Memory that the context may hold, as tvgp_ctx_memory counts it. 0: no limit. tvgp_policy_save, load and
 *               restore may hold up to twice as much until they return, so that a policy that was saved under a quota
 *               is loaded under it.
 * @param arms   Arms of a new domain, on this rank if arms are shared. 0: 10,000,000.
 * @param work   Values that one call may compute. 0: no limit. Counted are kernel values (each pair of points, each
 *               variance and their gradients; a composite kernel counts itself and its parts), arms in joint draws
 *               (choice=thompson), pairs of points that a search on a box compares, and values that learning from
 *               historical data reads.
 * @retval TVGP_ERR_ARG    ctx is NULL, or work < 0.
 */
TVGP_API tvgp_status tvgp_ctx_set_quota(tvgp_ctx *ctx, size_t bytes, size_t arms, int64_t work);

/** Gives the bytes that the context and all objects created from it hold now.
 *
 * @param ctx         The context.
 * @param[out] bytes  The number of bytes.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_ctx_memory(const tvgp_ctx *ctx, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
