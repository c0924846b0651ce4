/* SPDX-License-Identifier: MIT */
/* The public functions of historical data (tvgp/policy.h). */
#include "api/policy_call.h"
#include "parts/history/history_prior.h"
#include "tvgp.h"

tvgp_status tvgp_policy_learn_history(tvgp_policy *policy, size_t n, const tvgp_obs *obs, const double *x) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, obs);
    TVGP__REQUIRE(ctx, x);
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__history_prior_records(policy, obs, x, n));
}

tvgp_status tvgp_policy_learn_history_table(tvgp_policy *policy, size_t rows, const double *t_or_null, const double *value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, value);
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__history_prior_table(policy, rows, t_or_null, value));
}

tvgp_status tvgp_policy_prior_mean(const tvgp_policy *policy, double t, size_t n, double *mean) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, mean);
    return tvgp__history_prior_means(policy, t, mean, n);
}
