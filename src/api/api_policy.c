/* SPDX-License-Identifier: MIT */
/* The public functions of policies (tvgp/policy.h): each enters the context, checks its arguments and calls src/protocol. */
#include "api/policy_call.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/registry.h"
#include "base/valid_range.h"
#include "parts/features/constraints.h"
#include "protocol/copies/scores_from_copy.h"
#include "protocol/copies/tell_log.h"
#include "protocol/policy_ops.h"
#include "protocol/policy_options.h"
#include "protocol/stats.h"
#include "tvgp.h"

#include <string.h>

tvgp_status tvgp_policy_create(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, const tvgp_kernel *kernel_or_null,
                               tvgp_policy **out) {
    const tvgp__policy_ops *ops = NULL;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, name);
    TVGP__REQUIRE(ctx, domain);
    TVGP__REQUIRE(ctx, out);
    TVGP__TRY(tvgp__policy_find(ctx, name, &ops));
    return tvgp__policy_new(ctx, ops, domain, kernel_or_null, out);
}

void tvgp_policy_destroy(tvgp_policy *policy) {
    if (!policy)
        return;
    tvgp__memory_trim(policy->ctx);
    tvgp__policy_give_up(policy);
}

tvgp_status tvgp_policy_fit(tvgp_policy *policy, size_t max_evals, size_t *evals) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, evals);
    if (!max_evals)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "max_evals = 0 must be >= 1");
    if (!policy->ops->learns)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' learns no hyper-parameters", policy->ops->name);
    int64_t spent = 0;
    tvgp__policy_enter(policy);
    tvgp_status status =
        tvgp__policy_call_end(policy, policy->ops->learns->fit(policy, tvgp__enter_count(max_evals), &spent));
    if (status >= 0)
        *evals = (size_t)spent;
    return status;
}

tvgp_status tvgp_policy_kernel(const tvgp_policy *policy, tvgp_kernel **out) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, out);
    if (policy->ops->without_kernel)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' has no use for a kernel", policy->ops->name);
    return tvgp__policy_kernel_in_use(policy, out);
}

tvgp_status tvgp_policy_domain(const tvgp_policy *policy, tvgp_domain **out) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, out);
    *out = tvgp__domain_retain(policy->domain);
    return TVGP_OK;
}

tvgp_status tvgp_policy_dim(const tvgp_policy *policy, size_t *dim) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, dim);
    *dim = policy->domain->dim;
    return TVGP_OK;
}

tvgp_status tvgp_policy_name(const tvgp_policy *policy, const char **name) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, name);
    *name = policy->ops->name;
    return TVGP_OK;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

tvgp_status tvgp_policy_set_f64(tvgp_policy *policy, const char *key, double value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    return tvgp__policy_options_f64(policy, key, value);
}

tvgp_status tvgp_policy_set_i64(tvgp_policy *policy, const char *key, int64_t value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    return tvgp__policy_options_i64(policy, key, value);
}

tvgp_status tvgp_policy_set_str(tvgp_policy *policy, const char *key, const char *value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    TVGP__REQUIRE(ctx, value);
    return tvgp__policy_options_str(policy, key, value);
}

tvgp_status tvgp_policy_set(tvgp_policy *policy, const char *text) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, text);
    return tvgp__policy_options_text(policy, text);
}

tvgp_status tvgp_policy_get_f64(const tvgp_policy *policy, const char *key, double *value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    TVGP__REQUIRE(ctx, value);
    TVGP__TRY(tvgp__policy_options_here(policy, key));
    return tvgp__option_get_f64(ctx, policy->ops->groups, policy->ops->n_groups, policy->config, key, value);
}

tvgp_status tvgp_policy_get_i64(const tvgp_policy *policy, const char *key, int64_t *value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    TVGP__REQUIRE(ctx, value);
    TVGP__TRY(tvgp__policy_options_here(policy, key));
    return tvgp__option_get_i64(ctx, policy->ops->groups, policy->ops->n_groups, policy->config, key, value);
}

tvgp_status tvgp_policy_get_str(const tvgp_policy *policy, const char *key, const char **value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    TVGP__REQUIRE(ctx, value);
    TVGP__TRY(tvgp__policy_options_here(policy, key));
    return tvgp__option_get_str(ctx, policy->ops->groups, policy->ops->n_groups, policy->config, key, value);
}

tvgp_status tvgp_policy_set_prior_mean(tvgp_policy *policy, size_t n, const double *mean_or_null) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    return tvgp__policy_set_prior_mean(policy, &(tvgp__mean_function_given){.value = mean_or_null, .n = n});
}

tvgp_status tvgp_policy_add_prior(tvgp_policy *policy, const tvgp_kernel *kernel, size_t n_mean, const double *mean_or_null,
                                  double epsilon) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, kernel);
    const tvgp__mean_function_given mean = {.value = mean_or_null, .n = n_mean};
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__policy_add_prior(policy, kernel, &mean, epsilon));
}

tvgp_status tvgp_policy_add_prior_fn(tvgp_policy *policy, const tvgp_kernel *kernel, tvgp_mean_fn mean_or_null, void *user,
                                     tvgp_destroy_fn destroy_or_null, double epsilon) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, kernel);
    tvgp__mean_function_given mean = {.as_function = 1, .call = mean_or_null, .user = user};
    TVGP__TRY(tvgp__context_user_new(ctx, user, destroy_or_null, &mean.owned));
    tvgp__policy_enter(policy);
    tvgp_status status = tvgp__policy_add_prior(policy, kernel, &mean, epsilon);
    return tvgp__policy_call_end(policy, tvgp__context_user_finish(ctx, mean.owned, status));
}

tvgp_status tvgp_policy_set_added_prior_mean(tvgp_policy *policy, size_t i, size_t n, const double *mean_or_null) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(
        policy, tvgp__policy_set_added_prior_mean(policy, i, &(tvgp__mean_function_given){.value = mean_or_null, .n = n}));
}

tvgp_status tvgp_policy_set_available(tvgp_policy *policy, size_t n, const uint8_t *mask_or_null) {
    TVGP__POLICY_CALL(policy);
    return tvgp__available_set(&policy->available, policy->domain, mask_or_null, n);
}

tvgp_status tvgp_policy_extend(tvgp_policy *policy, const tvgp_domain *larger, const double *new_mean_or_null) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, larger);
    TVGP__TRY(tvgp__policy_check_free(policy));
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__policy_extend(policy, larger, new_mean_or_null));
}

tvgp_status tvgp_policy_set_context(tvgp_policy *policy, int64_t context) {
    TVGP__POLICY_CALL(policy);
    TVGP__TRY(tvgp__policy_check_free(policy));
    (void)ctx;
    return tvgp__available_set_context(&policy->available, policy->domain, context);
}

tvgp_status tvgp_policy_set_context_point(tvgp_policy *policy, size_t n, const double *z) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, z);
    TVGP__TRY(tvgp__policy_check_free(policy));
    return tvgp__policy_set_context_point(policy, z, n);
}

tvgp_status tvgp_policy_set_bounds(tvgp_policy *policy, const double *lower_or_null, const double *upper_or_null) {
    TVGP__POLICY_CALL(policy);
    return tvgp__action_set_set_bounds(policy->within, policy->domain, lower_or_null, upper_or_null);
}

tvgp_status tvgp_policy_set_candidates(tvgp_policy *policy, size_t n, const double *X_or_null, const double *mean_or_null) {
    TVGP__POLICY_CALL(policy);
    if (mean_or_null && tvgp__policy_outcome(policy))
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "with outcome.type = %s candidates have no means of their own",
                               tvgp__policy_outcome(policy)->name);
    return tvgp__action_set_set_candidates(policy->within, policy->domain, n, X_or_null, mean_or_null);
}

tvgp_status tvgp_policy_set_feasible(tvgp_policy *policy, tvgp_feasible_fn feasible_or_null, void *user,
                                     tvgp_destroy_fn destroy_or_null) {
    TVGP__POLICY_CALL(policy);
    tvgp__context_user *owned;
    TVGP__TRY(tvgp__context_user_new(ctx, user, destroy_or_null, &owned));
    tvgp__policy_enter(policy);
    tvgp_status status = tvgp__action_set_set_feasible(policy->within, policy->domain, feasible_or_null, user, owned);
    return tvgp__policy_call_end(policy, tvgp__context_user_finish(ctx, owned, status));
}

tvgp_status tvgp_policy_set_prior_mean_fn(tvgp_policy *policy, tvgp_mean_fn mean_or_null, void *user,
                                          tvgp_destroy_fn destroy_or_null) {
    TVGP__POLICY_CALL(policy);
    tvgp__mean_function_given mean = {.as_function = 1, .call = mean_or_null, .user = user};
    TVGP__TRY(tvgp__context_user_new(ctx, user, destroy_or_null, &mean.owned));
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy,
                                 tvgp__context_user_finish(ctx, mean.owned, tvgp__policy_set_prior_mean(policy, &mean)));
}

tvgp_status tvgp_policy_tell_values(tvgp_policy *policy, int64_t id, size_t n, const double *y) {
    TVGP__POLICY_CALL(policy);
    tvgp_obs obs[TVGP__OUTPUTS_MOST + 1];
    TVGP__REQUIRE(ctx, y);
    if (id == 0)
        return tvgp__error_set(ctx, TVGP_ERR_TICKET,
                               "id = 0 was never asked; report unsolicited observations by tvgp_policy_tell");
    if (n != 1 + tvgp__policy_outputs(policy))
        return tvgp__error_set(ctx, TVGP_ERR_DIM,
                               "y has n = %zu entries, must be %zu: the reward and one for each constraint", n,
                               1 + tvgp__policy_outputs(policy));
    for (size_t k = 0; k < n; k++)
        obs[k] = tvgp_obs_output(id, (int32_t)k, y[k]);
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__policy_tell(policy, obs, NULL, n));
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

tvgp_status tvgp_policy_ask(tvgp_policy *policy, double t, size_t cap, tvgp_query *q, double *x, size_t *n) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, q);
    TVGP__REQUIRE(ctx, n);
    tvgp__policy_enter(policy);
    ctx->keeping = !policy->given.kernel; /* a new posterior takes the memory of an earlier one */
    size_t emitted = 0;
    tvgp_status status =
        tvgp__policy_call_end(policy, tvgp__policy_call_ask(tvgp__policy_ask, policy, t, cap, q, x, &emitted));
    if (status >= 0)
        *n = emitted;
    return status;
}

tvgp_status tvgp_policy_tell(tvgp_policy *policy, size_t n, const tvgp_obs *obs, const double *x_or_null) {
    TVGP__POLICY_CALL(policy);
    if (n)
        TVGP__REQUIRE(ctx, obs);
    tvgp__policy_enter(policy);
    ctx->keeping = !policy->given.kernel; /* a new posterior takes the memory of an earlier one */
    return tvgp__policy_call_end(policy, n < 2 ? tvgp__policy_tell(policy, obs, x_or_null, n)
                                               : tvgp__tell_log(policy, obs, x_or_null, n));
}

tvgp_status tvgp_policy_pending(const tvgp_policy *policy, size_t cap, tvgp_query *q_or_null, double *x_or_null, size_t *n) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, n);
    *n = tvgp__policy_pending(policy, cap, q_or_null, x_or_null);
    return TVGP_OK;
}

tvgp_status tvgp_policy_ask_one(tvgp_policy *policy, double t, tvgp_query *q, double *x) {
    size_t n;
    return tvgp_policy_ask(policy, t, 1, q, x, &n);
}

tvgp_status tvgp_policy_tell_value(tvgp_policy *policy, int64_t id, double y) {
    if (id == 0) {
        TVGP__POLICY_CALL(policy);
        return tvgp__error_set(ctx, TVGP_ERR_TICKET,
                               "id = 0 was never asked; report unsolicited observations by tvgp_policy_tell");
    }
    const tvgp_obs obs = {.id = id, .outcome = TVGP_VALUE, .y = y};
    return tvgp_policy_tell(policy, 1, &obs, NULL);
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

tvgp_status tvgp_policy_predict(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *mean,
                                double *var) {
    TVGP__POLICY_CALL(policy);
    (void)ctx;
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__policy_predict(policy, t, n, X_or_null, mean, var));
}

/* Computes into a block, (4 + 2 dim) n, and copies when nothing can fail any more. */
static tvgp_status evaluate_in(tvgp_policy *p, double t, size_t n, const double *X, const tvgp_prediction *out,
                               double *block) {
    const size_t dim = p->domain->dim;
    double *const score = block + 2 * n, *const risk = block + 3 * n, *const dmean = block + 4 * n;
    const tvgp__predictive_values moments = {block, block + n, dmean, dmean + n * dim};
    if (out->dmean || out->dvar)
        TVGP__TRY(tvgp__policy_predict_gradient(p, t, n, X, &moments));
    else if (out->mean || out->var || out->score)
        TVGP__TRY(tvgp__policy_predict(p, t, n, X, moments.mean, moments.var));
    if (out->score) {
        const tvgp_status status = tvgp__scores_from_copy_find(p, t, n, X, score);
        if (status != TVGP_OK)
            return status;
    }
    if (out->risk)
        TVGP__TRY(tvgp__constraints_risk(p, t, n, X, risk));
    double *const to[] = {out->mean, out->var, out->score, out->risk, out->dmean, out->dvar};
    const double *const from[] = {moments.mean, moments.var, score, risk, moments.dmean, moments.dvar};
    for (size_t i = 0; n && i < sizeof to / sizeof *to; i++)
        if (to[i])
            memcpy(to[i], from[i], n * (i < 4 ? 1 : dim) * sizeof *block);
    return TVGP_OK;
}

static tvgp_status evaluate(tvgp_policy *p, double t, size_t n, const double *X, const tvgp_prediction *out) {
    const size_t slopes = out->dmean || out->dvar ? p->domain->dim : 0;
    double *block = NULL;
    TVGP__TRY(tvgp__policy_check_time(p, "t", t));
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "n", n));
    tvgp_status status = tvgp__memory_alloc(p->ctx, n + 1, (4 + 2 * slopes) * sizeof *block, &block);
    status = tvgp__domain_agree(p->domain, status);
    if (status == TVGP_OK)
        status = evaluate_in(p, t, n, X, out, block);
    tvgp__memory_free(p->ctx, block);
    return status;
}

tvgp_status tvgp_policy_evaluate(tvgp_policy *policy, double t, size_t n, const double *X_or_null,
                                 const tvgp_prediction *out) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, out);
    if (out->struct_size < sizeof *out)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "out->struct_size = %zu must be >= %zu", out->struct_size, sizeof *out);
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, evaluate(policy, t, n, X_or_null, out));
}

tvgp_status tvgp_policy_best_probability(tvgp_policy *policy, double t, size_t n, const double *X_or_null, size_t draws,
                                         double *p) {
    TVGP__POLICY_CALL(policy);
    if (n)
        TVGP__REQUIRE(ctx, p);
    if (!draws)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "draws = 0 must be >= 1");
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__scores_from_copy_best(policy, t, n, X_or_null, tvgp__enter_count(draws), p));
}

tvgp_status tvgp_policy_best(tvgp_policy *policy, double t, int64_t *arm, double *x) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, arm);
    tvgp__policy_enter(policy);
    return tvgp__policy_call_end(policy, tvgp__policy_best(policy, t, arm, x));
}

tvgp_status tvgp_policy_stat(const tvgp_policy *policy, const char *key, double *value) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, key);
    TVGP__REQUIRE(ctx, value);
    tvgp__policy_enter((tvgp_policy *)policy); /* one from outside may be asked */
    tvgp_status status = tvgp__stats_get(policy, key, value);
    tvgp__policy_leave((tvgp_policy *)policy);
    return status;
}

/* ---- introspection ---------------------------------------------------------------------------------------------- */

tvgp_status tvgp_policy_count(const tvgp_ctx *ctx, size_t *n) {
    if (!ctx || !n)
        return TVGP_ERR_ARG;
    *n = tvgp__registry_count(ctx, TVGP__TYPE_POLICY);
    return TVGP_OK;
}

tvgp_status tvgp_policy_name_at(const tvgp_ctx *ctx, size_t i, const char **name, const char **doc) {
    if (!ctx)
        return TVGP_ERR_ARG;
    tvgp_ctx *record = (tvgp_ctx *)ctx; /* only its error record is written */
    TVGP__ENTER(record);
    TVGP__REQUIRE(record, name);
    const size_t n = tvgp__registry_count(ctx, TVGP__TYPE_POLICY);
    if (i >= n)
        return tvgp__error_set(record, TVGP_ERR_ARG, "i = %zu is outside 0..%zu", i, n - 1);
    const tvgp__policy_ops *ops = tvgp__registry_at(ctx, TVGP__TYPE_POLICY, i);
    *name = ops->name;
    if (doc)
        *doc = ops->doc;
    return TVGP_OK;
}

tvgp_status tvgp_policy_option_count(const tvgp_policy *policy, size_t *n) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, n);
    *n = tvgp__option_count(policy->ops->groups, policy->ops->n_groups);
    return TVGP_OK;
}

tvgp_status tvgp_policy_option_info(const tvgp_policy *policy, size_t i, tvgp_option_info *info) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, info);
    return tvgp__policy_options_describe(policy, i, info);
}

tvgp_status tvgp_policy_stat_count(const tvgp_policy *policy, size_t *n) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, n);
    *n = tvgp__stats_count(policy);
    return TVGP_OK;
}

tvgp_status tvgp_policy_stat_info(const tvgp_policy *policy, size_t i, tvgp_stat_info *info) {
    TVGP__POLICY_CALL(policy);
    TVGP__REQUIRE(ctx, info);
    return tvgp__stats_describe(policy, i, info);
}
