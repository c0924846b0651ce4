/* SPDX-License-Identifier: MIT */
/* The public functions that register kernels, domains and policies (tvgp/extend.h). */
#include "api/enter.h"
#include "parts/foreign/foreign_domain.h"
#include "parts/foreign/foreign_kernel.h"
#include "parts/foreign/foreign_policy.h"
#include "tvgp.h"

tvgp_status tvgp_ctx_register_kernel(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, type);
    return tvgp__foreign_kernel_register(ctx, type, user, destroy);
}

tvgp_status tvgp_kernel_of_type(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, type);
    TVGP__REQUIRE(ctx, out);
    return tvgp__foreign_kernel_new(ctx, type, dim, data, out);
}

tvgp_status tvgp_ctx_register_domain(tvgp_ctx *ctx, const tvgp_domain_type *type, void *user, tvgp_destroy_fn destroy) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, type);
    return tvgp__foreign_domain_register(ctx, type, user, destroy);
}

tvgp_status tvgp_domain_of_type(tvgp_ctx *ctx, const char *type, size_t n, size_t dim, void *data, tvgp_domain **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, type);
    TVGP__REQUIRE(ctx, out);
    return tvgp__foreign_domain_new(ctx, type, n, dim, data, out);
}

tvgp_status tvgp_ctx_register_policy(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user, tvgp_destroy_fn destroy) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, type);
    return tvgp__foreign_policy_register(ctx, type, user, destroy);
}
