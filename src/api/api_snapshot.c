/* SPDX-License-Identifier: MIT */
#include "api/enter.h"
#include "frame/snapshot.h"
#include "tvgp.h"

/* Entry of a call on a policy; what only reads it writes to its memory of snapshots, which nobody sees. */
#define ENTER(p)                                                                                                            \
    if (!(p))                                                                                                               \
        return TVGP_ERR_ARG;                                                                                                \
    tvgp_ctx *ctx = (p)->ctx;                                                                                               \
    TVGP__ENTER(ctx);                                                                                                       \
    if ((p)->busy)                                                                                                          \
    return tvgp__error_set(ctx, TVGP_ERR_REENTRANT, "called from inside a call on the same policy")

tvgp_status tvgp_policy_save(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed) {
    ENTER(policy);
    TVGP__REQUIRE(ctx, needed);
    return tvgp__snapshot_save((tvgp_policy *)policy, buffer_or_null, capacity, needed);
}

tvgp_status tvgp_policy_load(tvgp_policy *policy, const void *bytes, size_t n) {
    ENTER(policy);
    TVGP__REQUIRE(ctx, bytes);
    policy->busy = 1;
    tvgp_status status = tvgp__snapshot_load(policy, bytes, n);
    policy->busy = 0;
    return status;
}

tvgp_status tvgp_policy_clone(const tvgp_policy *policy, tvgp_policy **out) {
    ENTER(policy);
    TVGP__REQUIRE(ctx, out);
    tvgp_policy *source = (tvgp_policy *)policy;
    source->busy = 1;
    tvgp_status status = tvgp__snapshot_clone(source, out);
    source->busy = 0;
    return status;
}
