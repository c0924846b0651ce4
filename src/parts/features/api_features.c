/* SPDX-License-Identifier: MIT */
/* The public functions of features (tvgp/policy.h): incumbent, budget, costs, payoffs, constraints, slates. */
#include "api/policy_call.h"
#include "parts/features/budget.h"
#include "parts/features/conservative.h"
#include "parts/features/constraints.h"
#include "parts/features/costs.h"
#include "parts/features/payoffs.h"
#include "parts/features/slate.h"
#include "tvgp.h"

tvgp_status tvgp_policy_set_incumbent(tvgp_policy *policy, const double *x_or_null, double max_loss_share) {
    TVGP__POLICY_CALL(policy);
    return tvgp__conservative_set(policy, x_or_null, max_loss_share);
}

tvgp_status tvgp_policy_set_budget(tvgp_policy *policy, double budget, double period, double asks) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    return tvgp__budget_set(policy, budget, period, asks);
}

tvgp_status tvgp_policy_set_costs(tvgp_policy *policy, size_t n, const double *cost) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, cost);
    return tvgp__costs_set(policy, n, cost);
}

tvgp_status tvgp_policy_set_cost_weight(tvgp_policy *policy, double weight) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    return tvgp__costs_set_weight(policy, weight);
}

tvgp_status tvgp_policy_set_payoffs(tvgp_policy *policy, size_t n, const double *payoffs_or_null) {
    TVGP__POLICY_CALL(policy);
    if (n)
        TVGP__REQUIRE(ctx, payoffs_or_null);
    return tvgp__payoffs_set(policy, n, payoffs_or_null);
}

tvgp_status tvgp_policy_charge(tvgp_policy *policy, int64_t id, double cost) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    return tvgp__budget_charge(policy, id, cost);
}

tvgp_status tvgp_policy_add_constraint(tvgp_policy *policy, tvgp_policy *model, uint32_t flags, double bound) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, model);
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__constraints_add(policy, model, flags, bound));
}

tvgp_status tvgp_policy_set_constraint(tvgp_policy *policy, int32_t output, double bound) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    return tvgp__constraints_set(policy, output, bound);
}

tvgp_status tvgp_policy_set_safe(tvgp_policy *policy, size_t n, const double *X_or_null) {
    TVGP__POLICY_CALL(policy);
    if (n)
        TVGP__REQUIRE(ctx, X_or_null);
    return tvgp__constraints_declare(policy, n, X_or_null);
}

tvgp_status tvgp_policy_ask_slate(tvgp_policy *policy, double t, size_t k, tvgp_query *q, double *x, size_t *n) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, q);
    TVGP__REQUIRE(ctx, n);
    tvgp__policy_enter(policy);
    size_t emitted = 0;
    tvgp_status status = tvgp__policy_call_end(policy, tvgp__policy_call_ask(tvgp__slate_ask, policy, t, k, q, x, &emitted));
    if (status >= 0)
        *n = emitted;
    return status;
}
