/* SPDX-License-Identifier: MIT */
/* A policy learns historical data, gains arms, or is saved. Its new model is created separately, and replaces the old
 * one when nothing can fail any more. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/valid_range.h"
#include "choose/exploration_schedule.h"
#include "parts/history/history_prior.h"
#include "protocol/policy_options.h"
#include "protocol/prior.h"
#include "space/kernel/table_points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_GIVEN = 8 };                              /* periods */
static const double LEAST_SD = 1e-48, MOST_SD = 1e49; /* so that noise and covariance stay in the range */

tvgp__history_prior *tvgp__history_prior_of(const tvgp_policy *p) {
    return (tvgp__history_prior *)tvgp__guard_find(p, &tvgp__history_prior_ops);
}

int tvgp__history_prior_unsteady(const tvgp_policy *p) {
    const tvgp__history_prior *r = tvgp__history_prior_of(p);
    return r && r->past.unsteady;
}

/* ---- learning --------------------------------------------------------------------------------------------------- */

static int has(const tvgp_policy *p, const char *key) {
    return tvgp__option_index(p->ops->groups, p->ops->n_groups, key) < tvgp__option_count(p->ops->groups, p->ops->n_groups);
}

/* Whether historical data decide about model.assume_misspecified. */
static int doubts(const tvgp_policy *p) {
    return has(p, "model.assume_misspecified") && !tvgp__policy_options_was_set(p, "model.assume_misspecified");
}

/* The text of an option; "" where the policy has none. */
static const char *text_of(const tvgp_policy *p, const char *key) {
    const char *text = "";
    if (has(p, key))
        (void)tvgp__option_get_str(p->ctx, p->ops->groups, p->ops->n_groups, p->config, key, &text);
    return text;
}

/* The number of one it has. */
static double number_of(const tvgp_policy *p, const char *key) {
    double value = 0;
    (void)tvgp__option_get_f64(p->ctx, p->ops->groups, p->ops->n_groups, p->config, key, &value);
    return value;
}

/* The correlation of the kernel given (arms x arms), where there is one. */
static tvgp_status correlation_of(const tvgp_policy *p, double **out) {
    const tvgp_domain *d = p->domain;
    const size_t n = d->n;
    if (!p->given.kernel)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n + 1, n * sizeof **out, out));
    double *C = *out, *sd = C + n * n;
    TVGP__TRY(tvgp__kernel_block(p->created, n, d->X, n, d->X, C, n));
    for (size_t a = 0; a < n; a++)
        sd[a] = sqrt(fmax(C[a * (n + 1)], 0));
    for (size_t i = 0; i < n * n; i++)
        C[i] = i % (n + 1) == 0 ? 1 : sd[i / n] > 0 && sd[i % n] > 0 ? C[i] / (sd[i / n] * sd[i % n]) : 0;
    return TVGP_OK;
}

/* What the options say of periods. */
static tvgp_status read_periods(const tvgp_policy *p, double *given, tvgp__fitted_history_spec *spec) {
    const char *text = text_of(p, "history.periods");
    if (!*text)
        return TVGP_OK;
    spec->n_given = tvgp__number_text_list(text, MOST_GIVEN, given);
    spec->given = given;
    int wrong = !spec->n_given || spec->n_given > MOST_GIVEN;
    spec->still = spec->n_given == 1 && given[0] == 0;
    for (size_t i = 0; !wrong && !spec->still && i < spec->n_given; i++)
        wrong = !(given[i] >= TVGP__VALID_RANGE_LEAST && given[i] <= TVGP__VALID_RANGE_MOST);
    if (wrong)
        return tvgp__error_set(
            p->ctx, TVGP_ERR_OPTION,
            "option 'history.periods' = '%.64s' is no list of at most %d periods > 0 with commas between, nor 0", text,
            (int)MOST_GIVEN);
    return TVGP_OK;
}

/* The kernel in use, from the log where that says something, otherwise the one given, otherwise of arms that have nothing in
 * common. */
static tvgp_status make_kernel(tvgp_policy *p, const tvgp_domain *d, tvgp_kernel *given, tvgp__history_prior *r,
                               tvgp_kernel **out) {
    const size_t n = d->n;
    const double unit = r->past.sd * r->past.sd;
    double *K = NULL;
    r->own = r->past.known || !p->given.kernel;
    if (!r->own) {
        *out = tvgp__kernel_retain(given);
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, n * sizeof *K, &K));
    for (size_t i = 0; i < n * n; i++)
        K[i] = unit * (r->past.known ? r->past.K[i] : i % (n + 1) == 0);
    const tvgp_status status = tvgp__table_points_covariance(p->ctx, n, d->dim, d->X, K, out);
    tvgp__memory_free(p->ctx, K);
    return status;
}

/* Rows and outcomes of the run. */
static tvgp_status make_room(const tvgp_policy *p, tvgp__history_prior *r) {
    const size_t arms = r->past.arms;
    const double refit = number_of(p, "history.refit_interval"),
                 rows = ceil((refit > 0 ? refit : r->past.longest) / r->past.scale.width) + 1;
    tvgp_ctx *ctx = p->ctx;
    r->every = refit < 0 ? 0 : refit > 0 ? refit : r->past.longest;
    r->due = r->past.scale.first + (r->past.newest + 1) * r->past.scale.width + r->every;
    r->row_slots = r->every > 0 ? (size_t)fmin(fmax(rows, 2), TVGP__HISTORY_TABLE_MOST) : 0;
    r->most = (size_t)number_of(p, "history.max_replayed");
    r->kept.ctx = ctx;
    if ((double)r->row_slots * (double)arms * 9 > TVGP__FITTED_HISTORY_BYTES)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT,
                               "the rows between two times of history.refit_interval are %zu of %zu arms, at most %d bytes",
                               r->row_slots, arms, (int)TVGP__FITTED_HISTORY_BYTES);
    TVGP__TRY(tvgp__memory_room(ctx, r->row_slots, sizeof *r->row, &r->row));
    TVGP__TRY(tvgp__memory_room(ctx, tvgp__memory_product(r->row_slots, arms), sizeof *r->value, &r->value));
    TVGP__TRY(tvgp__memory_room(ctx, tvgp__memory_product(r->row_slots, arms), 1, &r->seen));
    TVGP__TRY(tvgp__observations_reserve(&r->kept, r->most + r->most / 8 + 1));
    TVGP__TRY(tvgp__memory_room(ctx, r->most, sizeof *r->again, &r->again));
    TVGP__TRY(tvgp__memory_room(ctx, r->most, sizeof *r->arm, &r->arm));
    return tvgp__memory_room(ctx, 2 * arms, sizeof *r->moments, &r->moments);
}

/* The options that historical data decide unless the user set them. `config` is not yet the policy's; `initial` has the
 * defaults. */
static tvgp_status configure(const tvgp_policy *p, const tvgp__history_prior *r, const void *initial, void *config) {
    const tvgp__option_group *groups = p->ops->groups;
    const size_t n = p->ops->n_groups;
    double noise = 0.01 * r->past.sd * r->past.sd;
    if (!r->own) /* also where another log decided before */
        TVGP__TRY(tvgp__option_get_f64(p->ctx, groups, n, initial, "noise", &noise));
    if (!tvgp__policy_options_was_set(p, "noise"))
        TVGP__TRY(tvgp__option_set_f64(p->ctx, groups, n, config, "noise", noise));
    if (!tvgp__policy_options_was_set(p, "fit"))
        TVGP__TRY(tvgp__option_set_str(p->ctx, groups, n, config, "fit", "off"));
    if (doubts(p))
        TVGP__TRY(tvgp__option_set_i64(p->ctx, groups, n, config, "model.assume_misspecified", r->cautious));
    return TVGP_OK;
}

/* Of a policy whose coefficient follows the rate, if the user set none. */
static double width_of(const tvgp_policy *p) {
    const int follows = strcmp(text_of(p, "width.schedule"), "rate") == 0;
    return follows && !tvgp__policy_options_any_set(p, "width.", TVGP__EXPLORATION_SCHEDULE_OPTIONS,
                                                    tvgp__exploration_schedule_options)
               ? number_of(p, "history.width_factor")
               : 1;
}

/* ---- restart of the policy ---------------------------------------------------------------------------------------- */

/* What a policy gives up when another model, or another domain, takes the place of what it has. */
static void give_up(tvgp_policy *old, const tvgp_policy *p) {
    if (old->state && old->state != p->state) {
        TVGP__POLICY_OP(old->ops, release)(old);
        tvgp__memory_free(old->ctx, old->state);
        while (old->priors.n)
            tvgp__prior_pop(old);
        tvgp__memory_free(old->ctx, old->priors.items);
    }
    tvgp__mean_function_free(old->ctx, &old->mean);
    tvgp__kernel_release(old->kernel);
}

/* Creates a new state and conditions it on the newest outcomes. */
static tvgp_status begin_again(tvgp_policy *p, tvgp__history_prior *r) {
    p->state = NULL;
    p->started = p->priors.own = 0;
    p->priors.items = NULL;
    p->priors.n = p->priors.slots = 0;
    TVGP__TRY(tvgp__policy_start(p));
    TVGP__TRY(tvgp__history_prior_prepare(p, r));
    tvgp__history_prior_retell(p, r);
    return TVGP_OK;
}

static void forecast(const void *past, double t, size_t arm, double *mean) {
    if (arm == SIZE_MAX)
        tvgp__fitted_history_means(past, t, mean);
    else
        *mean = tvgp__fitted_history_mean(past, arm, t);
}

static tvgp_status make_mean(tvgp_policy *p, const tvgp__history_prior *r, tvgp__mean_function *out) {
    *out = (tvgp__mean_function){.n = r->past.arms, .by_arm = r->past.arms > 1, .forecast = forecast, .of = &r->past};
    return tvgp__memory_alloc(p->ctx, out->n, sizeof *out->value, &out->value);
}

tvgp_status tvgp__history_prior_install(tvgp_policy *p, tvgp__history_prior *r, tvgp_kernel *kernel) {
    tvgp_policy before = *p;
    tvgp__guard *old = NULL;
    const size_t size = p->ops->config_size;
    char *config = NULL;
    tvgp__mean_function mean = {0};
    tvgp_status status = tvgp__memory_alloc(p->ctx, 1, 3 * size, &config);
    if (status == TVGP_OK)
        status = make_mean(p, r, &mean);
    if (status == TVGP_OK) {
        memcpy(config, p->config, size); /* as it was */
        memcpy(config + size, p->config, size);
        tvgp__policy_options_defaults(p->ops, config + 2 * size);
        status = configure(p, r, config + 2 * size, config + size);
    }
    if (status == TVGP_OK) {
        memcpy(p->config, config + size, size);
        old = tvgp__guard_exchange(p, &tvgp__history_prior_ops, &r->base);
        p->kernel = kernel;
        p->mean = mean;
        if (p->started)
            status = begin_again(p, r);
        if (status < 0) {
            tvgp__policy_stop(p);
            tvgp__memory_free(p->ctx, p->priors.items == before.priors.items ? NULL : p->priors.items);
            memcpy(p->config, config, size);
            (void)tvgp__guard_exchange(p, &tvgp__history_prior_ops, old);
            before.guards = p->guards;
            *p = before;
        }
    }
    tvgp__memory_free(p->ctx, config);
    if (status < 0) {
        tvgp__memory_free(p->ctx, mean.value);
        tvgp__history_prior_free(p->ctx, r);
        tvgp__kernel_release(kernel);
        return status;
    }
    give_up(&before, p);
    tvgp__history_prior_free(p->ctx, (tvgp__history_prior *)old);
    p->made_from.size = 0;
    tvgp__history_prior_move(p, r, -INFINITY);
    return TVGP_OK;
}

/* Moves earlier outcomes to the new model. */
static void keep_answers(const tvgp__history_prior *from, tvgp__history_prior *to) {
    const size_t kept = tvgp__history_prior_kept(from), n = kept < to->most ? kept : to->most;
    for (size_t i = from->kept.n - n; i < from->kept.n; i++)
        tvgp__observations_add(&to->kept, &from->kept.list[i], NULL);
}

static tvgp_status check_unit(const tvgp_policy *p, double sd) {
    if (sd >= LEAST_SD && sd <= MOST_SD)
        return TVGP_OK;
    return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT,
                           "the values of the log have a standard deviation of %g, must be within %g .. %g", sd, LEAST_SD,
                           MOST_SD);
}

static tvgp_status make(tvgp_policy *p, size_t n, const tvgp__history_table_record *record, tvgp__history_prior *r) {
    const tvgp__history_prior *from = tvgp__history_prior_of(p);
    double given[MOST_GIVEN + 1], *correlation = NULL;
    tvgp__fitted_history_spec spec = {.arms = p->domain->n,
                                      .bytes = has(p, "memory.limit") ? number_of(p, "memory.limit") : 0};
    TVGP__TRY(read_periods(p, given, &spec));
    TVGP__TRY(tvgp__fitted_history_fits(p->ctx, &spec));
    tvgp_status status = correlation_of(p, &correlation);
    spec.correlation = correlation;
    if (status == TVGP_OK)
        status = tvgp__fitted_history_learn(p->ctx, &spec, n, record, &r->past);
    tvgp__memory_free(p->ctx, correlation);
    TVGP__TRY(status);
    TVGP__TRY(check_unit(p, r->past.sd));
    r->cautious = doubts(p) && (!r->past.dense /* what was chosen cannot be replayed */ || r->past.unsteady);
    r->width = width_of(p);
    TVGP__TRY(make_room(p, r));
    if (from)
        keep_answers(from, r);
    return TVGP_OK;
}

tvgp_status tvgp__history_prior_make(tvgp_policy *p, size_t n, const tvgp__history_table_record *record,
                                     tvgp_kernel **kernel, tvgp__history_prior **out) {
    tvgp__history_prior *r = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *r, &r));
    r->base.ops = &tvgp__history_prior_ops;
    tvgp_status status = make(p, n, record, r);
    if (status == TVGP_OK)
        status = make_kernel(p, p->domain, p->created, r, kernel);
    r->past.ctx = p->ctx;
    if (status < 0)
        tvgp__history_prior_free(p->ctx, r);
    else
        *out = r;
    return status;
}

/* ---- more arms -------------------------------------------------------------------------------------------------- */

/* Rows and outcomes of fewer arms; the values of new arms are their prior mean. */
static void keep_rows(const tvgp__history_prior *from, tvgp__history_prior *to) {
    const size_t old = from->past.arms, arms = to->past.arms;
    to->n_rows = from->n_rows;
    memcpy(to->row, from->row, from->n_rows * sizeof *to->row);
    for (size_t i = 0; i < to->n_rows; i++) {
        tvgp__fitted_history_means(&to->past, to->past.scale.first + to->row[i] * to->past.scale.width,
                                   to->value + i * arms);
        memcpy(to->value + i * arms, from->value + i * old, old * sizeof *to->value);
        memcpy(to->seen + i * arms, from->seen + i * old, old);
    }
}

static tvgp_status enlarge(tvgp_policy *p, const tvgp_domain *larger, tvgp__history_prior *r) {
    const tvgp__history_prior *from = tvgp__history_prior_of(p);
    *r = (tvgp__history_prior){.base.ops = &tvgp__history_prior_ops,
                               .own = from->own,
                               .width = from->width,
                               .cautious = from->cautious,
                               .refits = from->refits};
    TVGP__TRY(tvgp__fitted_history_extend(&from->past, larger->n, &r->past));
    TVGP__TRY(make_room(p, r));
    r->due = from->due;
    keep_answers(from, r);
    keep_rows(from, r);
    return TVGP_OK;
}

tvgp_status tvgp__history_prior_extend(tvgp_policy *p, const tvgp_domain *larger, tvgp_kernel *given, tvgp_kernel **kernel,
                                       tvgp__history_prior **out) {
    tvgp__history_prior *r = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *r, &r));
    tvgp_status status = enlarge(p, larger, r);
    if (status == TVGP_OK)
        status = make_kernel(p, larger, given, r, kernel);
    r->past.ctx = p->ctx;
    if (status < 0)
        tvgp__history_prior_free(p->ctx, r);
    else
        *out = r;
    return status;
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static void visit_run(tvgp__history_prior *r, size_t arms, tvgp__visit *v) {
    const double most = TVGP__VALID_RANGE_MOST;
    size_t n = r->n_rows;
    tvgp__visit_count(v, &n, r->row_slots, arms * sizeof *r->value);
    r->n_rows = tvgp__visit_loads(v) ? n : r->n_rows;
    tvgp__visit_reals(v, n, r->row, -0x1p53, 0x1p53);
    tvgp__visit_reals(v, n * arms, r->value, -most, most);
    tvgp__visit_bytes(v, n * arms, r->seen);
    n = tvgp__history_prior_kept(r);
    tvgp__visit_count(v, &n, r->most, 28);
    r->kept.n = tvgp__visit_loads(v) ? n : r->kept.n;
    for (size_t i = 0; tvgp__visit_fine(v) && i < n; i++) {
        tvgp__observation *a = &r->kept.list[r->kept.n - n + i];
        tvgp__visit_indices(v, 1, &a->arm, arms);
        tvgp__visit_real(v, &a->t, -most, most);
        tvgp__visit_real(v, &a->y, -most, most);
        tvgp__visit_maybe(v, 1, &a->noise, 0, TVGP__VISIT_MOST);
        tvgp__visit_flag(v, &a->assumed);
    }
}

/* What options and model give again. */
static void load_room(tvgp_policy *p, tvgp__history_prior *r, tvgp__visit *v) {
    if (tvgp__visit_loads(v) && (r->past.sd < LEAST_SD || r->past.sd > MOST_SD))
        tvgp__visit_refuse(v, "the unit of a log is out of bounds");
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, make_room(p, r));
}

static void load_kernel(tvgp_policy *p, tvgp__history_prior *r, tvgp__visit *v) {
    tvgp_kernel *kernel = NULL;
    if (!tvgp__visit_loads(v) ||
        !tvgp__visit_made(v, make_kernel(p, p->domain, p->created, r, &kernel), "the covariance of a log is none"))
        return;
    tvgp__kernel_release(p->kernel);
    p->kernel = kernel;
}

/* A log that is saved leaves the mean of now, whatever was looked at last. */
static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    const size_t arms = p->domain->n;
    tvgp__history_prior *r = (tvgp__history_prior *)g;
    if (tvgp__visit_loads(v)) {
        r->past.ctx = p->ctx;
        if (!p->ops->learns || !p->ops->learns->rebuild || !arms || p->domain->shared)
            tvgp__visit_refuse(v, "a log, of a policy that learns none");
        p->mean.forecast = forecast;
        p->mean.of = &r->past;
    }
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_real(v, &r->width, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &r->cautious);
    tvgp__fitted_history_visit(&r->past, p->ctx, arms, v);
    load_room(p, r, v);
    tvgp__visit_real(v, &r->due, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_tally(v, &r->refits);
    visit_run(r, arms, v);
    load_kernel(p, r, v);
    if (!tvgp__visit_loads(v) && tvgp__visit_fine(v))
        tvgp__history_prior_move(p, r, -INFINITY);
}

/* The policy is as before it learned a log. */
static void release(tvgp__guard *g, tvgp_policy *p) {
    tvgp__kernel_release(p->kernel);
    p->kernel = p->created ? tvgp__kernel_retain(p->created) : NULL;
    p->mean.forecast = NULL;
    tvgp__history_prior_free(p->ctx, (tvgp__history_prior *)g);
}

/* ---- the feature ------------------------------------------------------------------------------------------------ */

/* Options that determined the model, or what it replaces; history.periods is for the next data. */
static const char *const fixed[] = {
    "history.refit_interval", "history.max_replayed", "history.width_factor", "fit", "season.period", NULL};

static tvgp_status open_ask(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    return asks ? tvgp__history_prior_ask(p, (tvgp__history_prior *)g, t) : TVGP_OK;
}

static void after_tell(tvgp__guard *g, tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    tvgp__history_prior_observe(p, (tvgp__history_prior *)g, n, answers);
}

/* The policy begins again on the larger domain. */
static tvgp_status extend(tvgp__guard *g, tvgp_policy *p, const tvgp_domain *larger, tvgp_kernel *given) {
    tvgp_domain *old = p->domain;
    tvgp_kernel *kernel = NULL, *created = p->created;
    tvgp__history_prior *r = NULL;
    (void)g;
    TVGP__TRY(tvgp__history_prior_extend(p, larger, given, &kernel, &r));
    p->domain = (tvgp_domain *)larger; /* borrowed until it is known to stay; not written to */
    const tvgp_status status = tvgp__history_prior_install(p, r, kernel);
    p->domain = status == TVGP_OK ? tvgp__domain_retain(larger) : old;
    if (status < 0)
        return status;
    p->created = given ? tvgp__kernel_retain(given) : NULL;
    tvgp__kernel_release(created);
    tvgp__domain_release(old);
    return TVGP_OK;
}

const tvgp__guard_ops tvgp__history_prior_ops = {.name = "HLOG",
                                                 .size = sizeof(tvgp__history_prior),
                                                 .doc = "learned log",
                                                 .refuses = TVGP__GUARD_BOX | TVGP__GUARD_CONTEXTS | TVGP__GUARD_SHARED |
                                                            TVGP__GUARD_NO_REBUILD | TVGP__GUARD_PRIORS |
                                                            TVGP__GUARD_OUTPUTS | TVGP__GUARD_MODEL | TVGP__GUARD_COUNTS,
                                                 .early = 1,
                                                 .fixes = fixed,
                                                 .open = open_ask,
                                                 .after_tell = after_tell,
                                                 .extend = extend,
                                                 .visit = visit,
                                                 .release = release};
