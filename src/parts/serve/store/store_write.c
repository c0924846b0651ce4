/* SPDX-License-Identifier: MIT */
/* Calls of a store that change a policy (parts/serve/store/store_write.h). */
#include "parts/serve/store/store_write.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "parts/serve/store/store_copy.h"
#include "parts/serve/store/store_reply.h"
#include "parts/serve/store/store_time.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"

#include <math.h>
#include <string.h>

enum { SLATE_MOST = 32, MOST_OUTPUTS = 16 };
static const int64_t most_id = INT64_C(1) << 53;

#define ARGUMENTS(s) (&(s)->arguments)

/* Appends the event of a call of the library that came to this status. */
static tvgp_status made(tvgp_store *s, tvgp_status status, tvgp_event e, const double *x) {
    return status < 0 ? tvgp__store_common_failed(s, s->copy, status) : tvgp__store_copy_append(s, e, x);
}

/* The same of a call that a query may refuse: taken is 0 then. */
static tvgp_status made_if_pending(tvgp_store *s, tvgp_status status, tvgp_event e, const double *x) {
    s->reply.taken = status != TVGP_ERR_TICKET;
    return status == TVGP_ERR_TICKET ? TVGP_OK : made(s, status, e, x);
}

/* ---- actions ---------------------------------------------------------------------------------------------------- */

static size_t dim_of(const tvgp_store *s) {
    return s->copy->policy->domain->dim;
}

static size_t arms_of(const tvgp_store *s) {
    return tvgp__domain_entries(s->copy->policy->domain);
}

static size_t contexts_of(const tvgp_store *s) {
    const size_t n = tvgp__product_contexts(s->copy->policy->domain);
    return n ? n : 1;
}

/* Makes the arms of n actions (NULL: all) available; a mask of bytes and of numbers in *mask, to be freed. */
static tvgp_status set_actions(tvgp_store *s, const int64_t *action, size_t n) {
    const size_t arms = arms_of(s), contexts = contexts_of(s);
    double *x = NULL;
    if (!action)
        return made(s, tvgp_policy_set_available(s->copy->policy, 0, NULL), (tvgp_event){.kind = TVGP_EVENT_AVAILABLE},
                    NULL);
    TVGP__TRY(tvgp__memory_alloc(s->ctx, arms, sizeof *x + 1, &x));
    uint8_t *mask = (uint8_t *)(x + arms);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < contexts; k++)
            x[(size_t)action[i] * contexts + k] = mask[(size_t)action[i] * contexts + k] = 1;
    const tvgp_status status = made(s, tvgp_policy_set_available(s->copy->policy, arms, mask),
                                    (tvgp_event){.kind = TVGP_EVENT_AVAILABLE, .size = (int64_t)arms}, x);
    tvgp__memory_free(s->ctx, x);
    return status;
}

/* The argument as a mask. */
static tvgp_status take_actions(tvgp_store *s, const char *key) {
    int64_t *action = NULL;
    size_t n = 0;
    TVGP__TRY(tvgp__store_arguments_actions(ARGUMENTS(s), key, &s->copy->facts, arms_of(s) / contexts_of(s), &action, &n));
    const tvgp_status status = set_actions(s, action, n);
    tvgp__memory_free(s->ctx, action);
    return status;
}

/* The mask that holds; NULL: there is none. To be freed. */
static tvgp_status copy_mask(const tvgp_store *s, double **mask) {
    const uint8_t *allowed = s->copy->policy->available.allowed;
    *mask = NULL;
    if (!allowed)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, arms_of(s), sizeof **mask + 1, mask));
    for (size_t i = 0; i < arms_of(s); i++)
        (*mask)[i] = allowed[i] != 0;
    return TVGP_OK;
}

static tvgp_status restore_mask(tvgp_store *s, double *mask) {
    const size_t arms = arms_of(s);
    uint8_t *bytes = mask ? (uint8_t *)(mask + arms) : NULL;
    for (size_t i = 0; mask && i < arms; i++)
        bytes[i] = mask[i] != 0;
    return made(s, tvgp_policy_set_available(s->copy->policy, mask ? arms : 0, bytes),
                (tvgp_event){.kind = TVGP_EVENT_AVAILABLE, .size = mask ? (int64_t)arms : 0}, mask);
}

tvgp_status tvgp__store_write_available(tvgp_store *s) {
    s->reply.taken = 1;
    return take_actions(s, "arms");
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

/* A number among numbered contexts, or a measured context. */
static tvgp_status set_context(tvgp_store *s) {
    double *z = NULL;
    size_t n = 0, rows = 0;
    TVGP__TRY(tvgp__store_arguments_list(ARGUMENTS(s), "context", &z, &n, &rows));
    if (!z)
        return TVGP_OK;
    tvgp_policy *policy = s->copy->policy;
    tvgp_status status;
    if (tvgp__product_measured(policy->domain) || n != 1 || rows)
        status = made(s, tvgp_policy_set_context_point(policy, n, z),
                      (tvgp_event){.kind = TVGP_EVENT_CONTEXT_POINT, .size = (int64_t)n}, z);
    else if (z[0] != floor(z[0]) || fabs(z[0]) > 1e9)
        status = tvgp__error_set(s->ctx, TVGP_ERR_ARG, "context = %.17g must be the number of a context", z[0]);
    else
        status = made(s, tvgp_policy_set_context(policy, (int64_t)z[0]),
                      (tvgp_event){.kind = TVGP_EVENT_CONTEXT, .arm = (int64_t)z[0]}, NULL);
    tvgp__memory_free(s->ctx, z);
    return status;
}

static tvgp_status no_candidates(tvgp_store *s) {
    return made(s, tvgp_policy_set_candidates(s->copy->policy, 0, NULL, NULL), (tvgp_event){.kind = TVGP_EVENT_CANDIDATES},
                NULL);
}

/* n points, with their means behind them if there are any. */
static tvgp_status put_candidates(tvgp_store *s, double **x, size_t n, size_t size, const double *mean, size_t means) {
    if (mean && means != n)
        return tvgp__error_set(s->ctx, TVGP_ERR_DIM, "means has %zu numbers, expected %zu, one for each candidate", means,
                               n);
    if (!n)
        return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "candidates must be a list of points");
    if (size != n * dim_of(s))
        return tvgp__error_set(s->ctx, TVGP_ERR_DIM, "candidates has points of %zu coordinates, expected %zu", size / n,
                               dim_of(s));
    if (mean) {
        TVGP__TRY(tvgp__memory_grow(s->ctx, size + n, sizeof **x, x));
        memcpy(*x + size, mean, n * sizeof **x);
    }
    return made(s, tvgp_policy_set_candidates(s->copy->policy, n, *x, mean ? *x + size : NULL),
                (tvgp_event){.kind = TVGP_EVENT_CANDIDATES,
                             .arm = (int64_t)n,
                             .flags = mean ? TVGP_EVENT_MEANS : 0,
                             .size = (int64_t)(size + (mean ? n : 0))},
                *x);
}

static tvgp_status set_candidates(tvgp_store *s, int *listed) {
    double *x = NULL, *mean = NULL;
    size_t size = 0, n = 0, means = 0, rows = 0;
    tvgp_status status = tvgp__store_arguments_list(ARGUMENTS(s), "candidates", &x, &size, &n);
    if (status == TVGP_OK)
        status = tvgp__store_arguments_list(ARGUMENTS(s), "means", &mean, &means, &rows);
    *listed = x != NULL;
    if (status == TVGP_OK && mean && !x)
        status = tvgp__store_arguments_need(ARGUMENTS(s), "candidates");
    if (status == TVGP_OK && x)
        status = put_candidates(s, &x, n ? n : dim_of(s) == 1 ? size : 0, size, mean, means);
    tvgp__memory_free(s->ctx, x);
    tvgp__memory_free(s->ctx, mean);
    return status;
}

/* The event of an ask and its items. */
static tvgp_status append_ask(tvgp_store *s, double t, int64_t slate, const tvgp_query *q, const double *x, size_t n) {
    const size_t dim = dim_of(s), each = dim + 2;
    tvgp_event e = {.kind = TVGP_EVENT_ASK, .arm = -1, .t = t, .slate = (int32_t)slate};
    double *items = NULL;
    if (n) {
        e.id = q[0].id;
        e.epoch = s->type.epoch;
        e.arm = q[0].arm;
        e.t = q[0].t;
        e.propensity = q[0].propensity;
        e.size = (int64_t)(slate ? n * each : dim);
    }
    if (!slate)
        return tvgp__store_copy_append(s, e, x);
    TVGP__TRY(tvgp__memory_alloc(s->ctx, tvgp__memory_product(n, each), sizeof *items, &items));
    for (size_t i = 0; i < n; i++) {
        items[i * each] = (double)q[i].arm;
        items[i * each + 1] = q[i].propensity;
        memcpy(items + i * each + 2, x + i * dim, dim * sizeof *items);
    }
    const tvgp_status status = tvgp__store_copy_append(s, e, items);
    tvgp__memory_free(s->ctx, items);
    return status;
}

/* Asks and fills the reply. */
static tvgp_status ask(tvgp_store *s, double t, int64_t slate, tvgp__store_reply_arrays *a, tvgp_query *q) {
    tvgp_policy *policy = s->copy->policy;
    size_t n = 1;
    const tvgp_status status =
        slate ? tvgp_policy_ask_slate(policy, t, (size_t)slate, q, a->x, &n) : tvgp_policy_ask_one(policy, t, q, a->x);
    if (status < 0)
        return tvgp__store_common_failed(s, s->copy, status);
    n = status > 0 ? 0 : n;
    TVGP__TRY(append_ask(s, t, slate, q, a->x, n));
    for (size_t i = 0; i < n; i++) {
        a->id[i] = q[i].id;
        a->arm[i] = q[i].arm;
        a->first[i] = q[i].propensity;
    }
    s->reply.n = n;
    s->reply.list = slate != 0;
    s->reply.epoch = s->type.epoch;
    s->reply.second = NULL;
    return tvgp__store_reply_names(s, s->copy, a);
}

/* With what is set for this ask alone, which is taken back. */
static tvgp_status ask_among(tvgp_store *s, double t, int64_t slate, tvgp__store_reply_arrays *a) {
    const int some = tvgp__store_arguments_given(ARGUMENTS(s), "available");
    tvgp_query q[SLATE_MOST];
    double *mask = NULL;
    int listed = 0;
    TVGP__TRY(set_context(s));
    TVGP__TRY(set_candidates(s, &listed));
    if (some)
        TVGP__TRY(copy_mask(s, &mask));
    tvgp_status status = some ? take_actions(s, "available") : TVGP_OK;
    if (status == TVGP_OK)
        status = ask(s, t, slate, a, q);
    if (status == TVGP_OK && listed)
        status = no_candidates(s);
    if (status == TVGP_OK && some)
        status = restore_mask(s, mask);
    tvgp__memory_free(s->ctx, mask);
    return status;
}

tvgp_status tvgp__store_write_ask(tvgp_store *s) {
    tvgp__store_reply_arrays a;
    int64_t slate = 0;
    double t = 0;
    TVGP__TRY(tvgp__store_time_of(s, &t));
    TVGP__TRY(tvgp__store_arguments_integer(ARGUMENTS(s), "slate", 1, SLATE_MOST, &slate));
    if (!slate && strcmp(s->call, "ask_slate") == 0)
        return tvgp__store_arguments_need(ARGUMENTS(s), "slate");
    TVGP__TRY(tvgp__store_reply_room(s, slate ? (size_t)slate : 1, dim_of(s), &a));
    return ask_among(s, t, slate, &a);
}

/* ---- tell ------------------------------------------------------------------------------------------------------- */

/* A member of the outcome with this flag. */
static tvgp_status take_member(tvgp_store *s, const char *key, uint32_t flag, double *member, tvgp_event *e) {
    if (tvgp__store_arguments_given(ARGUMENTS(s), key))
        e->flags |= flag;
    return tvgp__store_arguments_number(ARGUMENTS(s), key, member);
}

static tvgp_status take_censored(tvgp_store *s, tvgp_event *e) {
    char *side = NULL;
    TVGP__TRY(tvgp__store_arguments_text(ARGUMENTS(s), "censored", &side));
    const int right = side && strcmp(side, "right") == 0, left = side && strcmp(side, "left") == 0;
    tvgp_status status = TVGP_OK;
    if (side && !right && !left)
        status = tvgp__error_set(s->ctx, TVGP_ERR_ARG, "censored = '%.40s' must be right or left", side);
    e->flags |= right ? TVGP_OBS_RIGHT_CENSORED : left ? TVGP_OBS_LEFT_CENSORED : 0;
    tvgp__memory_free(s->ctx, side);
    return status;
}

static tvgp_status take_members(tvgp_store *s, tvgp_event *e) {
    TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), "y", &e->y));
    TVGP__TRY(take_censored(s, e));
    TVGP__TRY(take_member(s, "exposure", TVGP_OBS_HAS_EXPOSURE, &e->exposure, e));
    TVGP__TRY(take_member(s, "reference", TVGP_OBS_HAS_REFERENCE, &e->reference, e));
    return take_member(s, "noise", TVGP_OBS_HAS_NOISE, &e->noise_var, e);
}

/* Says whether the query was asked in another epoch than the one given. */
static tvgp_status check_epoch(tvgp_store *s, int64_t id) {
    int64_t epoch = 0;
    TVGP__TRY(tvgp__store_arguments_integer(ARGUMENTS(s), "epoch", 1, most_id, &epoch));
    const int64_t asked = tvgp__store_metadata_epoch(&s->copy->facts, id);
    if (!epoch || !asked || asked == epoch)
        return TVGP_OK;
    return tvgp__error_set(s->ctx, TVGP_ERR_TICKET,
                           "epoch = %" PRId64 " must be %" PRId64 ", in which query %" PRId64 " was asked", epoch, asked,
                           id);
}

/* Tells an outcome at a point (NULL: of a query), with n further outputs. */
static tvgp_status tell(tvgp_store *s, tvgp_event e, const double *point, const double *output, size_t n) {
    const size_t dim = point ? dim_of(s) : 0;
    tvgp_obs obs[1 + MOST_OUTPUTS] = {{.id = e.id,
                                       .outcome = e.outcome,
                                       .flags = e.flags,
                                       .y = e.y,
                                       .noise_var = e.noise_var,
                                       .t = e.t,
                                       .exposure = e.exposure,
                                       .reference = e.reference}};
    double *x = NULL;
    if (n > MOST_OUTPUTS)
        return tvgp__error_set(s->ctx, TVGP_ERR_DIM, "outputs has %zu numbers, at most %d", n, MOST_OUTPUTS);
    TVGP__TRY(tvgp__memory_alloc(s->ctx, tvgp__memory_product(1 + n, dim) + n, sizeof *x,
                                 &x)); /* points, of which the last comes before the outputs */
    for (size_t k = 0; k <= n; k++) {
        if (dim)
            memcpy(x + k * dim, point, dim * sizeof *x);
        if (k)
            obs[k] = (tvgp_obs){
                .id = e.id, .flags = e.flags & TVGP_OBS_HAS_TIME, .y = output[k - 1], .t = e.t, .output = (int32_t)k};
    }
    if (n)
        memcpy(x + (1 + n) * dim, output, n * sizeof *x);
    e.outputs = (int32_t)n;
    e.size = (int64_t)(dim + n);
    const tvgp_status status =
        made_if_pending(s, tvgp_policy_tell(s->copy->policy, 1 + n, obs, dim ? x : NULL), e, x + n * dim);
    tvgp__memory_free(s->ctx, x);
    return status;
}

static tvgp_status tell_outputs(tvgp_store *s, tvgp_event e, const double *point) {
    double *output = NULL;
    size_t n = 0, rows = 0;
    TVGP__TRY(tvgp__store_arguments_list(ARGUMENTS(s), "outputs", &output, &n, &rows));
    const tvgp_status status = tell(s, e, point, output, n);
    tvgp__memory_free(s->ctx, output);
    return status;
}

/* The outcome of a query. */
static tvgp_status tell_query(tvgp_store *s, int32_t outcome) {
    tvgp_event e = {.kind = TVGP_EVENT_TELL, .outcome = outcome};
    int timed, partial = 0;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "id"));
    TVGP__TRY(tvgp__store_arguments_integer(ARGUMENTS(s), "id", 1, most_id, &e.id));
    TVGP__TRY(tvgp__store_time_given(s, &e.t, &timed));
    e.flags = timed ? TVGP_OBS_HAS_TIME : 0;
    TVGP__TRY(check_epoch(s, e.id));
    if (outcome == TVGP_VALUE)
        TVGP__TRY(take_members(s, &e));
    TVGP__TRY(tvgp__store_arguments_flag(ARGUMENTS(s), "partial", &partial));
    e.flags |= partial ? TVGP_OBS_PARTIAL : 0;
    return tell_outputs(s, e, NULL);
}

tvgp_status tvgp__store_write_tell(tvgp_store *s) {
    return tell_query(s, tvgp__store_arguments_given(ARGUMENTS(s), "y") ? TVGP_VALUE : TVGP_SKIPPED);
}

tvgp_status tvgp__store_write_skip(tvgp_store *s) {
    return tell_query(s, TVGP_SKIPPED);
}

tvgp_status tvgp__store_write_fail(tvgp_store *s) {
    return tell_query(s, TVGP_FAILED);
}

/* The point of the argument x: numbers, or an action by name. To be freed. */
static tvgp_status take_point(tvgp_store *s, double **x) {
    size_t n = 0, rows = 0;
    int64_t *action = NULL;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "x"));
    if (!s->copy->facts.names || tvgp__store_arguments_is_list(ARGUMENTS(s), "x")) {
        TVGP__TRY(tvgp__store_arguments_list(ARGUMENTS(s), "x", x, &n, &rows));
        return n == dim_of(s) ? TVGP_OK
                              : tvgp__error_set(s->ctx, TVGP_ERR_DIM, "x has %zu coordinates, expected %zu", n, dim_of(s));
    }
    TVGP__TRY(tvgp__store_arguments_actions(ARGUMENTS(s), "x", &s->copy->facts, arms_of(s), &action, &n));
    tvgp_status status = contexts_of(s) > 1 || tvgp__product_measured(s->copy->policy->domain)
                             ? tvgp__error_set(s->ctx, TVGP_ERR_ARG, "x must be a point, because there are contexts")
                             : tvgp__memory_alloc(s->ctx, dim_of(s), sizeof **x, x);
    if (status == TVGP_OK)
        status = tvgp_domain_point(s->copy->policy->domain, *action, *x);
    tvgp__memory_free(s->ctx, action);
    return status;
}

tvgp_status tvgp__store_write_observe(tvgp_store *s) {
    tvgp_event e = {.kind = TVGP_EVENT_TELL, .flags = TVGP_OBS_HAS_TIME};
    double *x = NULL;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "y"));
    TVGP__TRY(take_members(s, &e));
    TVGP__TRY(tvgp__store_time_of(s, &e.t));
    tvgp_status status = take_point(s, &x);
    if (status == TVGP_OK)
        status = tell_outputs(s, e, x);
    tvgp__memory_free(s->ctx, x);
    return status;
}

/* ---- a budget --------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__store_write_budget(tvgp_store *s) {
    static const char *const key[] = {"budget", "period", "asks"};
    double b[3];
    s->reply.taken = 1;
    for (int i = 0; i < 3; i++) {
        TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), key[i]));
        TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), key[i], &b[i]));
    }
    return made(s, tvgp_policy_set_budget(s->copy->policy, b[0], b[1], b[2]),
                (tvgp_event){.kind = TVGP_EVENT_BUDGET, .size = 3}, b);
}

/* An empty list: 1 for all. */
tvgp_status tvgp__store_write_payoffs(tvgp_store *s) {
    double *payoff = NULL;
    size_t n = 0, rows = 0;
    s->reply.taken = 1;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "payoffs"));
    TVGP__TRY(tvgp__store_arguments_list(ARGUMENTS(s), "payoffs", &payoff, &n, &rows));
    const tvgp_status status = made(s, tvgp_policy_set_payoffs(s->copy->policy, n, payoff),
                                    (tvgp_event){.kind = TVGP_EVENT_PAYOFFS, .size = (int64_t)n}, payoff);
    tvgp__memory_free(s->ctx, payoff);
    return status;
}

tvgp_status tvgp__store_write_costs(tvgp_store *s) {
    double *cost = NULL;
    size_t n = 0, rows = 0;
    s->reply.taken = 1;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "costs"));
    TVGP__TRY(tvgp__store_arguments_list(ARGUMENTS(s), "costs", &cost, &n, &rows));
    const tvgp_status status = made(s, tvgp_policy_set_costs(s->copy->policy, n, cost),
                                    (tvgp_event){.kind = TVGP_EVENT_COSTS, .size = (int64_t)n}, cost);
    tvgp__memory_free(s->ctx, cost);
    return status;
}

tvgp_status tvgp__store_write_cost_weight(tvgp_store *s) {
    tvgp_event e = {.kind = TVGP_EVENT_COST_WEIGHT};
    s->reply.taken = 1;
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "weight"));
    TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), "weight", &e.y));
    return made(s, tvgp_policy_set_cost_weight(s->copy->policy, e.y), e, NULL);
}

/* Where nothing is learned or left to do there is no line, so that a timer does not fill the log. */
tvgp_status tvgp__store_write_fit(tvgp_store *s) {
    enum { PIECES = 8 };
    tvgp_event e = {.kind = TVGP_EVENT_FIT, .arm = PIECES};
    size_t evals;
    TVGP__TRY(tvgp__store_arguments_integer(ARGUMENTS(s), "pieces", 1, INT32_MAX, &e.arm));
    if (s->copy->fitted)
        return TVGP_OK;
    const tvgp_status status = tvgp_policy_fit(s->copy->policy, (size_t)e.arm, &evals);
    const int none = status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_STATE; /* nothing is learned */
    s->copy->fitted = none || status == TVGP_OK;
    s->reply.taken = !none;
    return none ? TVGP_OK : made(s, status, e, NULL);
}

tvgp_status tvgp__store_write_charge(tvgp_store *s) {
    tvgp_event e = {.kind = TVGP_EVENT_CHARGE};
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "id"));
    TVGP__TRY(tvgp__store_arguments_need(ARGUMENTS(s), "cost"));
    TVGP__TRY(tvgp__store_arguments_integer(ARGUMENTS(s), "id", 1, most_id, &e.id));
    TVGP__TRY(tvgp__store_arguments_number(ARGUMENTS(s), "cost", &e.charge));
    return made_if_pending(s, tvgp_policy_charge(s->copy->policy, e.id, e.charge), e, NULL);
}
