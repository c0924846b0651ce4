/* SPDX-License-Identifier: MIT */
/* What every public function does first: remember its name for messages, clear the last error, check handles and pointers.
 */
#ifndef TVGP__API_ENTER_H
#define TVGP__API_ENTER_H

#include "base/error.h"

/* Inside a public function of context `c` (never NULL here). */
#define TVGP__ENTER(c) ((c)->function = __func__, (c)->errmsg[0] = '\0')

/* The same of policy p (NULL: ARG), whose context becomes `ctx`: a logger that calls back into the policy it came from gets
 * REENTRANT. */
#define TVGP__ENTER_POLICY(p)                                                                                               \
    if (!(p))                                                                                                               \
        return TVGP_ERR_ARG;                                                                                                \
    tvgp_ctx *ctx = (p)->ctx;                                                                                               \
    TVGP__ENTER(ctx);                                                                                                       \
    if ((p)->busy)                                                                                                          \
    return tvgp__error_set(ctx, TVGP_ERR_REENTRANT, "called from inside a call on the same policy")

/* NULL arguments give ARG with the argument's name. */
#define TVGP__REQUIRE(c, pointer)                                                                                           \
    do {                                                                                                                    \
        if (!(pointer))                                                                                                     \
            return tvgp__error_set((c), TVGP_ERR_ARG, #pointer " is NULL");                                                 \
    } while (0)

#endif
