/* SPDX-License-Identifier: MIT */
/* The beginning of every public function: stores its name for messages, clears the last error, checks handles and
 * pointers. */
#ifndef TVGP__API_ENTER_H
#define TVGP__API_ENTER_H

#include "base/error.h"
#include "base/quota.h"

/* Of context `c`; NULL: ARG. */
#define TVGP__ENTER(c)                                                                                                      \
    if (!(c))                                                                                                               \
        return TVGP_ERR_ARG;                                                                                                \
    (c)->function = __func__, (c)->errmsg[0] = '\0', tvgp__quota_begin(c)

/* Of something made from a context, which becomes `ctx`; NULL: ARG. */
#define TVGP__ENTER_OF(handle)                                                                                              \
    if (!(handle))                                                                                                          \
        return TVGP_ERR_ARG;                                                                                                \
    tvgp_ctx *ctx = (handle)->ctx;                                                                                          \
    ctx->function = __func__, ctx->errmsg[0] = '\0', tvgp__quota_begin(ctx)

/* Of policy p: a logger that calls back into the policy it came from gets REENTRANT. */
#define TVGP__ENTER_POLICY(p)                                                                                               \
    TVGP__ENTER_OF(p);                                                                                                      \
    if (tvgp__policy_is_busy(p))                                                                                            \
    return tvgp__error_set(ctx, TVGP_ERR_REENTRANT, "called from inside a call on the same policy")

/* NULL arguments give ARG with the argument's name. */
#define TVGP__REQUIRE(c, pointer)                                                                                           \
    do {                                                                                                                    \
        if (!(pointer))                                                                                                     \
            return tvgp__error_set((c), TVGP_ERR_ARG, #pointer " is NULL");                                                 \
    } while (0)

/* A number of things, as far as anything counts. */
static inline int64_t tvgp__enter_count(size_t n) {
    const uint64_t all = n;
    return all < INT64_MAX ? (int64_t)all : INT64_MAX;
}

#endif
