/* SPDX-License-Identifier: MIT */
/* The public functions of shares and off-policy estimates (tvgp/serve.h). */
#include "api/enter.h"
#include "parts/serve/shares.h"
#include "parts/serve/value.h"
#include "tvgp.h"

#include <string.h>

tvgp_status tvgp_shares(size_t n, const double *p, double power, double floor, double *share) {
    if (!n || !p || !share)
        return TVGP_ERR_ARG;
    return tvgp__shares_of(n, p, power, floor, share);
}

tvgp_status tvgp_assign(size_t n, const double *share, uint64_t seed, uint64_t key, int64_t *arm) {
    if (!n || !share || !arm)
        return TVGP_ERR_ARG;
    return tvgp__shares_assign(n, share, seed, key, arm);
}

tvgp_status tvgp_off_policy_value(tvgp_ctx *ctx, size_t n, size_t arms, const double *t, const int64_t *arm, const double *y,
                                  const double *propensity, const double *target, const double *model_or_null, double now,
                                  double half_life, tvgp_value_estimate *out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, t);
    TVGP__REQUIRE(ctx, arm);
    TVGP__REQUIRE(ctx, y);
    TVGP__REQUIRE(ctx, propensity);
    TVGP__REQUIRE(ctx, target);
    TVGP__REQUIRE(ctx, out);
    const size_t size = out->struct_size;
    if (size < sizeof *out)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "out->struct_size = %zu must be sizeof(tvgp_value_estimate) = %zu", size,
                               sizeof *out);
    const tvgp__value_log log = {.n = n,
                                 .arms = arms,
                                 .t = t,
                                 .arm = arm,
                                 .y = y,
                                 .propensity = propensity,
                                 .target = target,
                                 .model = model_or_null,
                                 .now = now,
                                 .half_life = half_life};
    TVGP__TRY(tvgp__value_check(ctx, &log));
    *out = tvgp__value_estimate(&log);
    out->struct_size = size;
    return TVGP_OK;
}
