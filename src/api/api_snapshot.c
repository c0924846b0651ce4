/* SPDX-License-Identifier: MIT */
/* The public functions that save, load, restore and clone policies (tvgp/save.h). */
#include "api/enter.h"
#include "protocol/copies/snapshot.h"
#include "tvgp.h"

static tvgp_status refuse_shared(tvgp_ctx *ctx, const tvgp_domain *domain) {
    if (domain && domain->shared)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED,
                               "policies on shared arms are saved and loaded in parts, by tvgp_policy_save and load");
    return TVGP_OK;
}

static tvgp_status save(tvgp_policy *p, int whole, void *buffer, size_t capacity, size_t *needed) {
    tvgp__quota_begin_copy(p->ctx);
    tvgp__policy_enter(p);
    tvgp_status status = p->domain->shared ? tvgp__snapshot_save_part(p, buffer, capacity, needed)
                                           : tvgp__snapshot_save(p, whole, buffer, capacity, needed);
    tvgp__policy_leave(p);
    return status;
}

tvgp_status tvgp_policy_save(const tvgp_policy *policy, size_t capacity, void *buffer_or_null, size_t *needed) {
    TVGP__ENTER_POLICY(policy);
    TVGP__REQUIRE(ctx, needed);
    return save((tvgp_policy *)policy, 0, buffer_or_null, capacity, needed);
}

tvgp_status tvgp_policy_save_full(const tvgp_policy *policy, size_t capacity, void *buffer_or_null, size_t *needed) {
    TVGP__ENTER_POLICY(policy);
    TVGP__TRY(refuse_shared(ctx, policy->domain));
    TVGP__REQUIRE(ctx, needed);
    return save((tvgp_policy *)policy, 1, buffer_or_null, capacity, needed);
}

tvgp_status tvgp_policy_load(tvgp_policy *policy, size_t n, const void *bytes) {
    TVGP__ENTER_POLICY(policy);
    TVGP__REQUIRE(ctx, bytes);
    TVGP__TRY(tvgp__policy_check_free(policy));
    tvgp__quota_begin_copy(ctx);
    tvgp__policy_enter(policy);
    tvgp_status status =
        policy->domain->shared ? tvgp__snapshot_load_parts(policy, bytes, n) : tvgp__snapshot_load(policy, bytes, n);
    tvgp__policy_leave(policy);
    return status;
}

/* The parts given take the place of those read. */
static tvgp_status create(tvgp_ctx *ctx, const tvgp__snapshot_parts *parts, const tvgp_domain *domain,
                          const tvgp_kernel *kernel, const void *bytes, size_t n, tvgp_policy **out) {
    const tvgp__policy_ops *ops = NULL;
    tvgp_policy *policy = NULL;
    TVGP__TRY(tvgp__policy_find(ctx, parts->name, &ops));
    domain = domain ? domain : parts->domain;
    kernel = kernel ? kernel : parts->kernel;
    if (!domain || (!kernel && !parts->no_kernel && !ops->without_kernel))
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "there is no %s in the snapshot, which tvgp_policy_save_full puts there",
                               domain ? "kernel" : "domain");
    TVGP__TRY(tvgp__policy_new(ctx, ops, domain, kernel, &policy));
    tvgp_status status = tvgp__snapshot_make_models(policy, bytes, n);
    tvgp__policy_enter(policy);
    if (status == TVGP_OK)
        status = tvgp__snapshot_load(policy, bytes, n);
    tvgp__policy_leave(policy);
    if (status < 0)
        tvgp__policy_free(policy);
    else
        *out = policy;
    return status;
}

tvgp_status tvgp_policy_restore(tvgp_ctx *ctx, size_t n, const void *bytes, const tvgp_domain *domain_or_null,
                                const tvgp_kernel *kernel_or_null, tvgp_policy **out) {
    tvgp__snapshot_parts parts;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, bytes);
    TVGP__REQUIRE(ctx, out);
    TVGP__TRY(refuse_shared(ctx, domain_or_null));
    tvgp__quota_begin_copy(ctx);
    TVGP__TRY(tvgp__snapshot_read_parts(ctx, bytes, n, &parts));
    tvgp_status status = create(ctx, &parts, domain_or_null, kernel_or_null, bytes, n, out);
    tvgp__snapshot_forget(&parts);
    return status;
}

tvgp_status tvgp_policy_clone(const tvgp_policy *policy, tvgp_policy **out) {
    TVGP__ENTER_POLICY(policy);
    TVGP__TRY(refuse_shared(ctx, policy->domain));
    TVGP__REQUIRE(ctx, out);
    tvgp_policy *source = (tvgp_policy *)policy;
    tvgp__policy_enter(source);
    tvgp_status status = tvgp__snapshot_clone(source, out);
    tvgp__policy_leave(source);
    return status;
}
