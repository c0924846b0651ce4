/* SPDX-License-Identifier: MIT */
/* Turns a policy that the caller registered (tvgp/extend.h) into one of the library: its table of functions becomes the ops of
 * a policy (parts/foreign/foreign_policy.h). */
#include "parts/foreign/foreign_policy.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "parts/foreign/foreign_tables.h"
#include "space/outcome/mean_function.h"

#include <math.h>
#include <string.h>

/* A registered policy. It has the ops of its type, so a policy's type is found from its ops. */
typedef struct {
    tvgp__foreign_type base;
    tvgp__policy_ops ops;
    tvgp_policy_type given;
    tvgp__foreign_tables tables;
} foreign_type;

typedef struct {
    tvgp__foreign_type_call call;
    void *own; /* what start made */
    int made;
    tvgp_policy_view view;
    double *options;
    int64_t *pending;
    size_t pending_slots;
    tvgp_obs *obs; /* those being reported, and their arms behind them */
    size_t obs_slots;
} state;

static const foreign_type *type_of(const tvgp_policy *p) {
    return (const foreign_type *)(const void *)((const char *)p->ops - offsetof(foreign_type, ops));
}

/* One callback of the state s of policy p. */
#define CALL(p, s, op, ...)                                                                                                 \
    do {                                                                                                                    \
        TVGP__TRY(tvgp__foreign_type_enter(&(s)->call));                                                                    \
        TVGP__TRY(tvgp__foreign_type_leave(&(s)->call, type_of(p)->given.op(__VA_ARGS__)));                                 \
    } while (0)

/* What is seen of the policy now. */
static const tvgp_policy_view *look(const tvgp_policy *p, state *s) {
    s->view.asked = p->counts.asked;
    s->view.available = p->available.mask;
    s->view.mean = p->mean.by_arm ? p->mean.value : NULL;
    s->view.n_pending = 0;
    return &s->view;
}

/* ---- life ------------------------------------------------------------------------------------------------------------- */

static tvgp_status start(tvgp_policy *p) {
    const foreign_type *type = type_of(p);
    state *s = p->state;
    s->call = (tvgp__foreign_type_call){.ctx = p->ctx, .what = "policy", .name = type->base.name};
    TVGP__TRY(tvgp__memory_alloc(p->ctx, type->tables.groups[1].n, sizeof *s->options, &s->options));
    tvgp__foreign_tables_read(&type->tables, p->config, s->options);
    s->view = (tvgp_policy_view){.ctx = p->ctx,
                                 .domain = p->domain,
                                 .kernel = p->kernel,
                                 .n = p->domain->n,
                                 .dim = p->domain->dim,
                                 .X = p->domain->X,
                                 .options = s->options,
                                 .seed = ((const tvgp__policy_config *)p->config)->seed};
    CALL(p, s, start, type->base.user, look(p, s), &s->own);
    s->made = 1;
    return TVGP_OK;
}

static void release(tvgp_policy *p) {
    state *s = p->state;
    if (s->made && type_of(p)->given.release)
        type_of(p)->given.release(s->own);
    tvgp__memory_free(p->ctx, s->options);
    tvgp__memory_free(p->ctx, s->pending);
    tvgp__memory_free(p->ctx, s->obs);
}

/* ---- ask and tell ----------------------------------------------------------------------------------------------------- */

static tvgp_status find_pending(tvgp_policy *p, state *s) {
    TVGP__TRY(tvgp__memory_reserve(p->ctx, p->tickets.count, sizeof *s->pending, &s->pending, &s->pending_slots));
    s->view.pending = s->pending;
    for (size_t i = p->tickets.first; i < p->tickets.first + p->tickets.count; i++)
        if (tvgp__tickets_pends(&p->tickets.list[i]))
            s->pending[s->view.n_pending++] = (int64_t)p->tickets.list[i].arm;
    return TVGP_OK;
}

static tvgp_status check_query(const tvgp_policy *p, const tvgp_query *q) {
    if (q->arm < 0 || (uint64_t)q->arm >= p->domain->n || (p->available.mask && !p->available.mask[q->arm]))
        return tvgp__error_set(p->ctx, TVGP_ERR_CALLBACK, "policy '%s' asks for arm %" PRId64 ", which is not available",
                               p->ops->name, q->arm);
    TVGP__TRY(tvgp__valid_range_value(p->ctx, "the policy's score", q->score));
    TVGP__TRY(tvgp__valid_range_positive(p->ctx, "the policy's noise_var", q->noise_var, 1));
    if (!(q->propensity >= 0 && q->propensity <= 1))
        return tvgp__error_set(p->ctx, TVGP_ERR_CALLBACK, "policy '%s' gives the propensity %g, must be in 0..1",
                               p->ops->name, q->propensity);
    return TVGP_OK;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    state *s = p->state;
    tvgp_query q = {.arm = -1, .t = t};
    (void)cap;
    (void)look(p, s);
    TVGP__TRY(find_pending(p, s));
    TVGP__TRY(tvgp__foreign_type_enter(&s->call));
    int32_t status = type_of(p)->given.ask(s->own, &s->view, t, &q);
    const int none = status == TVGP_AGAIN || status == TVGP_DONE;
    TVGP__TRY(tvgp__foreign_type_leave(&s->call, none ? TVGP_OK : status));
    *n = !none;
    if (none)
        return status;
    TVGP__TRY(check_query(p, &q));
    *out = (tvgp__chosen){.kind = TVGP_ACTION,
                          .index = (size_t)q.arm,
                          .score = q.score + tvgp__mean_function_at(&p->mean, (size_t)q.arm),
                          .noise = q.noise_var,
                          .propensity = q.propensity};
    return TVGP_OK;
}

static tvgp_obs outcome_of(const tvgp__answer *a) {
    return (tvgp_obs){.id = a->ticket ? a->ticket->id : 0,
                      .outcome = a->outcome,
                      .flags = TVGP_OBS_HAS_TIME | (isnan(a->noise) ? 0 : TVGP_OBS_HAS_NOISE) |
                               (a->partial ? TVGP_OBS_PARTIAL : 0),
                      .y = a->outcome == TVGP_VALUE ? a->y - a->prior_mean : 0,
                      .noise_var = isnan(a->noise) ? 0 : a->noise,
                      .t = a->t};
}

/* The whole of a tell: it may fail, and nothing fails after it. */
static tvgp_status prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    state *s = p->state;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *s->obs + sizeof(int64_t), &s->obs, &s->obs_slots));
    int64_t *arm = (int64_t *)(void *)(s->obs + n);
    for (size_t i = 0; i < n; i++) {
        s->obs[i] = outcome_of(&answers[i]);
        arm[i] = (int64_t)answers[i].arm;
    }
    CALL(p, s, tell, s->own, look(p, s), n, s->obs, arm);
    return TVGP_OK;
}

/* ---- predictions
 * ------------------------------------------------------------------------------------------------------ */

static tvgp_status at(const tvgp_policy *p, double t, size_t n, const size_t *arm, double *mean, double *var) {
    state *s = p->state;
    for (size_t i = 0; arm && i < n; i++) { /* one is what is asked for */
        int64_t own = (int64_t)arm[i];
        CALL(p, s, predict, s->own, look(p, s), t, 1, &own, &mean[i], &var[i]);
    }
    if (!arm)
        CALL(p, s, predict, s->own, look(p, s), t, n, NULL, mean, var);
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "the policy's mean", n, mean));
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "the policy's variance", n, var));
    for (size_t i = 0; i < n; i++)
        if (var[i] < 0)
            return tvgp__error_set(p->ctx, TVGP_ERR_CALLBACK, "policy '%s' gives the variance %g", p->ops->name, var[i]);
    return TVGP_OK;
}

static tvgp_status predict(tvgp_policy *p, double t, size_t n, const double *X, const tvgp__predictive_values *out) {
    (void)t, (void)n, (void)X, (void)out;
    return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "a point is no arm, and policy '%s' knows arms", p->ops->name);
}

static tvgp_status stat(const tvgp_policy *p, size_t i, double *value) {
    state *s = p->state;
    double own = 0;
    if (s)
        CALL(p, s, stat, s->own, i, &own);
    if (isnan(own))
        return tvgp__error_set(p->ctx, TVGP_ERR_NONFINITE, "policy '%s' gives no number", p->ops->name);
    *value = own;
    return TVGP_OK;
}

static const tvgp__policy_outside outside = {.stat = stat};

static void visit(tvgp_policy *p, tvgp__visit *v) {
    state *s = p->state;
    const tvgp_policy_type *given = &type_of(p)->given;
    const void *bytes = NULL;
    size_t n = 0;
    tvgp__foreign_type_visit(v, &s->call, given->save, s->own, &bytes, &n);
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, tvgp__foreign_type_enter(&s->call)))
        tvgp__visit_try(v, tvgp__foreign_type_leave(&s->call, given->load(s->own, n, bytes)));
}

/* ---- registering ------------------------------------------------------------------------------------------------------ */

static void release_type(tvgp_ctx *ctx, tvgp__foreign_type *type) {
    tvgp__foreign_tables_free(ctx, &((foreign_type *)type)->tables);
}

static tvgp__policy_ops ops_of(const foreign_type *type) {
    const tvgp_policy_type *given = &type->given;
    return (tvgp__policy_ops){.name = type->base.name,
                              .doc = given->doc ? given->doc : "",
                              .groups = type->tables.groups,
                              .n_groups = TVGP__FOREIGN_TABLES_GROUPS,
                              .stats = &type->tables.group,
                              .n_stats = 1,
                              .outside = &outside,
                              .config_size = type->tables.config_size,
                              .state_size = sizeof(state),
                              .start = start,
                              .ask = ask,
                              .prepare = given->tell ? prepare : NULL,
                              .at = given->predict ? at : NULL,
                              .predict = given->predict ? predict : NULL,
                              .release = release,
                              .visit = given->save ? visit : NULL};
}

tvgp_status tvgp__foreign_policy_register(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user, tvgp_destroy_fn destroy) {
    foreign_type *fresh = NULL;
    tvgp_policy_type given = {0};
    TVGP__TRY(tvgp__foreign_type_read(ctx, TVGP__TYPE_POLICY, type, offsetof(tvgp_policy_type, doc), &given, sizeof given));
    if (!given.start || !given.ask)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->%s is NULL", given.start ? "ask" : "start");
    if (!given.save != !given.load)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->save and type->load: one is NULL, the other not");
    TVGP__TRY(tvgp__foreign_type_alloc(ctx, given.name, sizeof *fresh, &fresh));
    fresh->base.release = release_type;
    fresh->given = given;
    tvgp_status status = tvgp__foreign_tables_fill(ctx, &given, &fresh->tables);
    if (status < 0) {
        tvgp__foreign_type_free(ctx, &fresh->base);
        return status;
    }
    fresh->ops = ops_of(fresh);
    return tvgp__foreign_type_add(ctx, TVGP__TYPE_POLICY, &fresh->base, &fresh->ops, user, destroy);
}
