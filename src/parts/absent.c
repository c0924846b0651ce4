/* SPDX-License-Identifier: MIT */
/* What stands for parts that the library is built without (TVGP_PARTS, src/package/small.cmake): their public functions return
 * UNSUPPORTED, so that the library exports the same names, and the functions that the core calls do nothing. */
#include "parts/absent.h"

#include "base/error.h"
#include "parts/features/constraints.h"
#include "parts/history/history_prior.h"
#include "tvgp.h"
#include "tvgp/store.h"

#include <math.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

tvgp_status tvgp__absent_error(tvgp_ctx *ctx, const char *function) {
    if (!ctx)
        return TVGP_ERR_ARG;
    ctx->function = function;
    return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "the library was built without this part");
}

/* A public function; `context` is the context of its first argument. ALONE: there is none. */
#define ABSENT(function, arguments, context)                                                                                \
    tvgp_status function arguments {                                                                                        \
        return tvgp__absent_error(context, #function);                                                                      \
    }
#define ABSENT_ALONE(function, arguments)                                                                                   \
    tvgp_status function arguments {                                                                                        \
        return TVGP_ERR_UNSUPPORTED;                                                                                        \
    }
#define OF(handle) ((handle) ? (handle)->ctx : NULL)

#ifdef TVGP__WITHOUT_FEATURES
/* The options that are of every policy, and would be without effect. */
static tvgp_status refuse(tvgp_policy *p) {
    const tvgp__policy_config *c = p->config;
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    return c->draws.floor > 0 || c->draws.holdout > 0 || (type && type->counts)
               ? tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                                 "the library was built without features: no exploration floor, holdout share or counts")
               : TVGP_OK;
}

const tvgp__guard_ops tvgp__absent_ops = {.name = "NONE", .start = refuse};

tvgp_status tvgp__constraints_risk(tvgp_policy *p, double t, size_t n, const double *X, double *risk) {
    return tvgp__absent_error(p->ctx, __func__);
}
ABSENT(tvgp_policy_set_incumbent, (tvgp_policy * policy, const double *x_or_null, double max_loss_share), OF(policy))
ABSENT(tvgp_policy_set_budget, (tvgp_policy * policy, double budget, double period, double asks), OF(policy))
ABSENT(tvgp_policy_set_costs, (tvgp_policy * policy, size_t n, const double *cost), OF(policy))
ABSENT(tvgp_policy_set_cost_weight, (tvgp_policy * policy, double weight), OF(policy))
ABSENT(tvgp_policy_set_payoffs, (tvgp_policy * policy, size_t n, const double *payoffs_or_null), OF(policy))
ABSENT(tvgp_policy_charge, (tvgp_policy * policy, int64_t id, double cost), OF(policy))
ABSENT(tvgp_policy_add_constraint, (tvgp_policy * policy, tvgp_policy *model, uint32_t flags, double bound), OF(policy))
ABSENT(tvgp_policy_set_constraint, (tvgp_policy * policy, int32_t output, double bound), OF(policy))
ABSENT(tvgp_policy_set_safe, (tvgp_policy * policy, size_t n, const double *X_or_null), OF(policy))
ABSENT(tvgp_policy_ask_slate, (tvgp_policy * policy, double t, size_t k, tvgp_query *q, double *x, size_t *n), OF(policy))
#endif

#ifdef TVGP__WITHOUT_HISTORY
tvgp__history_prior *tvgp__history_prior_of(const tvgp_policy *p) {
    return NULL;
}

double tvgp__history_prior_period(const tvgp_policy *p, size_t i) {
    return NAN;
}

size_t tvgp__history_prior_periods(const tvgp_policy *p) {
    return 0;
}

tvgp_status tvgp__history_prior_fit(tvgp_policy *p) {
    return tvgp__absent_error(p->ctx, __func__);
}

void tvgp__history_prior_note(tvgp_policy *p, const tvgp__answer *a, double noise) {}

void tvgp__history_prior_forget(tvgp_policy *p, double t) {}

int tvgp__history_prior_unsteady(const tvgp_policy *p) {
    return 0;
}

double tvgp__history_prior_width(const tvgp_policy *p) {
    return 1;
}
ABSENT(tvgp_policy_learn_history, (tvgp_policy * policy, size_t n, const tvgp_obs *obs, const double *x), OF(policy))
ABSENT(tvgp_policy_learn_history_table, (tvgp_policy * policy, size_t rows, const double *t_or_null, const double *value),
       OF(policy))
ABSENT(tvgp_policy_prior_mean, (const tvgp_policy *policy, double t, size_t n, double *mean), OF(policy))
#endif

#ifdef TVGP__WITHOUT_FOREIGN
ABSENT(tvgp_ctx_register_kernel, (tvgp_ctx * ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy_or_null),
       ctx)
ABSENT(tvgp_kernel_of_type, (tvgp_ctx * ctx, const char *type, size_t dim, void *data, tvgp_kernel **out), ctx)
ABSENT(tvgp_ctx_register_domain, (tvgp_ctx * ctx, const tvgp_domain_type *type, void *user, tvgp_destroy_fn destroy_or_null),
       ctx)
ABSENT(tvgp_domain_of_type, (tvgp_ctx * ctx, const char *type, size_t n, size_t dim, void *data, tvgp_domain **out), ctx)
ABSENT(tvgp_ctx_register_policy, (tvgp_ctx * ctx, const tvgp_policy_type *type, void *user, tvgp_destroy_fn destroy_or_null),
       ctx)
#endif

#ifdef TVGP__WITHOUT_FLEET
ABSENT(tvgp_prior_learn,
       (tvgp_ctx * ctx, const tvgp_domain *domain, size_t n_runs, const size_t *first, size_t n, const int64_t *arm,
        const double *t_or_null, const double *y, const tvgp_kernel *kernel_or_null, double strength, double epsilon,
        size_t max_iterations, double *mean, tvgp_kernel **kernel, double *noise),
       ctx)
#endif

#ifdef TVGP__WITHOUT_SHARED
ABSENT(tvgp_domain_arms_shared,
       (tvgp_ctx * ctx, const tvgp_comm *comm, size_t n, size_t dim, const double *X, tvgp_domain **out), ctx)
ABSENT(tvgp_domain_grid_shared,
       (tvgp_ctx * ctx, const tvgp_comm *comm, size_t dim, const double *lower, const double *upper, const size_t *points,
        tvgp_domain **out),
       ctx)
#endif

#ifdef TVGP__WITHOUT_SERVE
ABSENT_ALONE(tvgp_shares, (size_t n, const double *p, double power, double floor, double *share))
ABSENT_ALONE(tvgp_assign, (size_t n, const double *share, uint64_t seed, uint64_t key, int64_t *arm))
ABSENT(tvgp_off_policy_value,
       (tvgp_ctx * ctx, size_t n, size_t arms, const double *t, const int64_t *arm, const double *y,
        const double *propensity, const double *target, const double *model_or_null, double now, double half_life,
        tvgp_value_estimate *out),
       ctx)
ABSENT(tvgp_policy_create_described, (tvgp_ctx * ctx, const char *text, tvgp_policy **out), ctx)
ABSENT(tvgp_event_off_policy_value,
       (tvgp_policy * policy, tvgp_policy *target_or_null, int64_t arm, size_t n, const tvgp_event *events, size_t n_x,
        const double *x_or_null, double half_life, tvgp_value_estimate *out),
       OF(policy))
ABSENT(tvgp_policy_apply, (tvgp_policy * policy, size_t n, const tvgp_event *events, size_t n_x, const double *x_or_null),
       OF(policy))
ABSENT(tvgp_event_describe,
       (tvgp_ctx * ctx, const char *description, const tvgp_event *event, size_t n_x, const double *x_or_null,
        size_t capacity, void *buffer_or_null, size_t *needed),
       ctx)
ABSENT(tvgp_event_format,
       (tvgp_ctx * ctx, const tvgp_event *event, size_t n_x, const double *x_or_null, size_t capacity, void *buffer_or_null,
        size_t *needed),
       ctx)
ABSENT(tvgp_event_parse,
       (tvgp_ctx * ctx, const char *line, size_t capacity, tvgp_event *event, double *x_or_null, size_t *n_x), ctx)
ABSENT_ALONE(tvgp_store_call, (tvgp_store * store, const char *call, const char *policy, size_t n, const char *const *keys,
                               const char *const *values, const tvgp_store_reply **out))
ABSENT_ALONE(tvgp_store_call_words, (tvgp_store * store, const char *call, const char *policy, size_t n,
                                     const char *const *words, const tvgp_store_reply **out))
ABSENT_ALONE(tvgp_store_text, (tvgp_store * store, size_t capacity, void *buffer_or_null, size_t *needed))
ABSENT_ALONE(tvgp_store_take_event, (tvgp_store * store, int64_t n, int64_t chain, const char *line))
ABSENT_ALONE(tvgp_store_take_snapshot, (tvgp_store * store, int64_t n, int64_t chain, size_t size, const void *bytes))
ABSENT(tvgp_store_open,
       (tvgp_ctx * ctx, const tvgp_store_type *type, void *user, tvgp_destroy_fn destroy_or_null, tvgp_store **out), ctx)

void tvgp_store_close(tvgp_store *store) {}
#endif
