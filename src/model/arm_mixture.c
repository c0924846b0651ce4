/* SPDX-License-Identifier: MIT */
/* Updates the fixed mixture of filters of independent arms (model/arm_mixture.h): observations, counts, weights, scales. */
#include "model/arm_mixture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/gamma.h"
#include "base/valid_range.h"
#include "space/kernel/categorical.h"
#include "space/kernel/combine.h"
#include "space/kernel/slice.h"
#include "space/temporal/median_gap.h"

#include <math.h>
#include <string.h>

static const double SHAPE = 1, UNIT = 0.3, STATED = 3; /* a; b over the square of the first difference, and over its noise */

/* The noise variance of one more count of the usual exposure, about this value of the process. */
static double noise_about(const tvgp__arm_mixture *g, double z) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < TVGP__ARM_MIXTURE_EXPOSURES; i++) {
        sum += g->exposure[i];
        n += g->exposure[i] > 0;
    }
    const double information = (n > 0 ? sum / n : 1) * g->counts->information(g->sign * z);
    return tvgp__valid_range_cap(1 / fmax(information, TVGP__VALID_RANGE_LEAST));
}

/* The moments of the arms of a context. Those without an outcome share theirs. */
static void finish_context(tvgp__arm_mixture *g, size_t context) {
    const size_t contexts = g->set.items.contexts, slots = g->set.n.arms + g->set.n.others;
    const tvgp__arm_entries other = tvgp__common_level_filters_other(&g->set, context);
    double *mean = g->base.own.mean, *var = g->base.own.var, m, v;
    tvgp__arm_mixture_mix(g, &other, &m, &v);
    for (size_t i = context; i < g->base.n; i += contexts) {
        mean[i] = m;
        var[i] = v;
    }
    for (size_t s = 0; s < slots; s++)
        if (g->set.item[s] < g->set.items.actions) {
            const size_t i = g->set.item[s] * contexts + context;
            const tvgp__arm_entries at = tvgp__common_level_filters_find(&g->set, i);
            tvgp__arm_mixture_mix(g, &at, &mean[i], &var[i]);
        }
}

static void finish(tvgp__posterior *base) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    if (!base->own.stale)
        return;
    tvgp__arm_mixture_look(g, base->now);
    for (size_t context = 0; context < g->set.items.contexts; context++)
        if (base->attended < 0 || (size_t)base->attended == context)
            finish_context(g, context);
    base->own.stale = 0;
}

/* Mean and variance of the arms follow when they are read. */
static void changed(tvgp__arm_mixture *g) {
    tvgp__posterior *base = &g->base;
    double noise = 0, prior = 0;
    for (size_t j = 0; j < g->set.count; j++) {
        const tvgp__arm_model *model = &g->set.filter[j].model;
        const double part = g->weight[j] * tvgp__arm_mixture_factor(g, j);
        noise += part * model->noise;
        prior += part * (1 + model->context + model->level);
    }
    base->learned.noise = g->counts ? noise_about(g, tvgp__arm_mixture_level(g)) : noise;
    base->learned.scale = tvgp__arm_mixture_scale(g);
    base->largest = prior;
    base->own.moments.valid = 0;
    base->own.stale = 1;
    g->has_means = 0;
}

static void refine(tvgp__posterior *base, size_t n, const size_t *arm) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    if (!base->own.stale)
        return;
    tvgp__arm_mixture_look(g, base->now);
    for (size_t i = 0; i < n; i++) {
        const size_t number = arm ? arm[i] : i;
        const tvgp__arm_entries at = tvgp__common_level_filters_find(&g->set, number);
        tvgp__arm_mixture_mix(g, &at, &base->own.mean[number], &base->own.var[number]);
    }
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

static tvgp_status column_room(tvgp__arm_mixture *g) {
    g->has_means = 0;
    return tvgp__memory_reserve(g->base.ctx, tvgp__memory_product(3 + g->set.count, tvgp__arm_mixture_entries(g)),
                                sizeof *g->column, &g->column, &g->column_slots);
}

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    TVGP__TRY(tvgp__common_level_filters_reserve(&g->set, points->n, points->arm));
    return column_room(g);
}

/* The other filter of the same model, or the filter itself. */
static size_t other(const tvgp__arm_mixture *g, size_t j) {
    if (j < g->models - g->abrupt)
        return j;
    return j < g->models ? j + g->abrupt : j - g->abrupt;
}

/* Divides the weight of a model: all arms were drawn again just now, as filter j has it, or not. */
static void divide(tvgp__arm_mixture *g, size_t j, double both) {
    const double share = g->hazard / (1 + g->hazard);
    g->weight[j] = share * both;
    g->weight[other(g, j)] = both - share * both;
}

static void weigh_first(tvgp__arm_mixture *g, double a, double b) {
    g->a = a;
    for (size_t j = 0; j < g->set.count; j++) {
        g->b[j] = g->counts ? g->set.filter[j].model.sd * g->set.filter[j].model.sd : b;
        if (j < g->models)
            g->weight[j] = g->prior[j];
        else
            divide(g, j, g->prior[other(g, j)]);
    }
    changed(g);
}

/* The first outcome is the origin. The first other one, or one that states its noise, gives a unit. */
static void measure(tvgp__arm_mixture *g, double y, double noise) {
    const double off = y - g->base.origin, stated = noise > 0 ? noise : 0, b = UNIT * off * off + STATED * stated;
    if (!g->base.counts.observations)
        g->base.origin = y;
    else if (!g->differs && (off != 0 || stated > 0)) {
        g->differs = 1;
        g->base.learned.vague = 0;
        weigh_first(g, SHAPE, fmax(tvgp__valid_range_cap(b), TVGP__VALID_RANGE_LEAST));
    }
}

/* Densities are per square root of this power of two, so that weights do not depend on the unit of outcomes. */
static int exponent(const tvgp__arm_mixture *g) {
    return ilogb(g->b[0]);
}

/* The noise variance of an outcome over the factor of filter j; NaN: it states none. */
static double noise_of(const tvgp__arm_mixture *g, size_t j, double noise) {
    if (g->counts)
        return (isnan(noise) ? g->base.learned.noise : noise) / tvgp__arm_mixture_factor(g, j);
    return isnan(noise) || !g->differs ? g->set.filter[j].model.noise : noise / tvgp__arm_mixture_factor(g, j);
}

/* Conditions filter j; its log density, and what b gains in *half. */
static double condition(tvgp__arm_mixture *g, size_t j, const tvgp__arm_entries *at, double y, double noise, double *half) {
    tvgp__common_level_filter *f = &g->set.filter[j];
    double m, S;
    tvgp__common_level_filter_moments(&g->set, f, &g->view[j], at, &m, &S);
    S = fmax(S, 0) + noise_of(g, j, noise);
    S = fmax(S, 1e-10); /* of a declared noise of 0 */
    tvgp__common_level_filter_observe(&g->set, f, &g->view[j], at, S, y - m, g->base.counts.observations);
    *half = 0.5 * tvgp__valid_range_misfit(y - m, S);
    return -0.5 * (TVGP__LOG_TWO_PI + log(ldexp(g->b[j], -exponent(g))) + log(S)) -
           (g->a + 0.5) * log1p(fmin(*half / g->b[j], 1e300));
}

/* The probability that another model holds from now on: r w^2, w the part of the variance of an outcome that is not noise. */
static double share_of(const tvgp__arm_mixture *g, double var) {
    const double all = fmax(var, 0) + g->base.learned.noise, w = g->constant_share || !(all > 0) ? 1 : fmax(var, 0) / all;
    return g->switching * w * w;
}

/* Returns this share of the weight to the prior. */
static void switch_models(tvgp__arm_mixture *g, double share) {
    for (size_t j = 0; j < g->models; j++) {
        const size_t k = other(g, j);
        const double both = g->weight[j] + (k == j ? 0 : g->weight[k]), part = k == j || both <= 0 ? 1 : g->weight[j] / both;
        const double after = (1 - share) * both + share * g->prior[j];
        g->weight[j] = part * after;
        if (k != j)
            g->weight[k] = after - part * after;
    }
}

/* The less likely filter of a model starts again if it no longer counts. */
static void restart(tvgp__arm_mixture *g) {
    for (size_t j = g->models - g->abrupt; j < g->models; j++) {
        const size_t k = other(g, j), less = g->weight[j] < g->weight[k] ? j : k, more = j + k - less;
        if (g->weight[less] >= g->hazard * g->weight[more])
            continue;
        tvgp__common_level_filter_restart(&g->set, &g->set.filter[more], &g->set.filter[less]);
        g->b[less] = g->b[more];
        divide(g, less, g->weight[j] + g->weight[k]);
    }
}

/* Bayes' rule; returns the log density of the mixture. */
static double reweigh(tvgp__arm_mixture *g) {
    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < g->set.count; j++)
        most = fmax(most, g->density[j]);
    for (size_t j = 0; j < g->set.count; j++)
        sum += g->weight[j] *= exp(g->density[j] - most);
    for (size_t j = 0; j < g->set.count; j++)
        g->weight[j] /= sum;
    return most + log(sum);
}

/* By an assumed outcome: scales learn nothing, and both filters of a model keep their shares. */
static void weigh_assumed(tvgp__arm_mixture *g, double switched) {
    for (size_t j = g->models - g->abrupt; j < g->models; j++) {
        const size_t k = other(g, j);
        const double both = g->weight[j] + g->weight[k], share = both > 0 ? g->weight[j] / both : 0.5,
                     most = fmax(g->density[j], g->density[k]);
        g->density[j] = g->density[k] =
            most + log(share * exp(g->density[j] - most) + (1 - share) * exp(g->density[k] - most));
    }
    (void)reweigh(g);
    switch_models(g, switched);
}

static void weigh(tvgp__arm_mixture *g, const double *half, double switched) {
    g->base.log_marginal_likelihood +=
        reweigh(g) + tvgp__gamma_log(g->a + 0.5) - tvgp__gamma_log(g->a) - 0.5 * log(2) * exponent(g);
    for (size_t j = 0; j < g->set.count; j++)
        g->b[j] += half[j];
    g->a += 0.5;
    switch_models(g, switched);
    restart(g);
}

static void advance(tvgp__posterior *base, double t) {
    base->now = t;
    changed((tvgp__arm_mixture *)base);
}

/* The front moves to the time of an outcome, if that is later. */
static void move_front(tvgp__arm_mixture *g, double t) {
    const double elapsed = tvgp__arm_mixture_units(g, t);
    if (t < g->front) {
        tvgp__posterior_count_late(&g->base);
        return;
    }
    for (size_t j = 0; elapsed > 0 && j < g->set.count; j++)
        tvgp__common_level_filter_advance(&g->set, &g->set.filter[j], elapsed);
    g->front = t;
}

/* Moments of an arm at `now`. */
static void moments_now(tvgp__arm_mixture *g, size_t arm, double *mean, double *var) {
    const tvgp__arm_entries at = tvgp__common_level_filters_find(&g->set, arm);
    tvgp__arm_mixture_look(g, g->base.now);
    tvgp__arm_mixture_mix(g, &at, mean, var);
    *var = fmax(*var, 0);
}

/* Counts an outcome of time t whose variance over its noise is `ratio`. The arm's entries, and the views of this time. */
static tvgp__arm_entries enter(tvgp__arm_mixture *g, size_t arm, double t, double ratio) {
    tvgp__posterior *base = &g->base;
    base->log_det_ratio += log1p(tvgp__valid_range_cap(ratio));
    base->counts.observations++;
    move_front(g, t);
    const tvgp__arm_entries at = tvgp__common_level_filters_join(&g->set, arm, base->counts.observations);
    base->counts.rank = g->set.n.arms + g->set.n.others;
    tvgp__arm_mixture_look(g, t);
    return at;
}

static void take_value(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    double mean, var, *half = g->variance;
    if (t > base->now)
        advance(base, t);
    if (!base->assumes)
        measure(g, y, noise);
    moments_now(g, points->arm[i], &mean, &var);
    const double share = share_of(g, var);
    const tvgp__arm_entries at = enter(g, points->arm[i], t, var / tvgp__posterior_noise(base, base->learned.noise));
    for (size_t j = 0; j < g->set.count; j++)
        g->density[j] = condition(g, j, &at, y - base->origin, noise, &half[j]);
    if (g->differs && base->assumes)
        weigh_assumed(g, share);
    else if (g->differs)
        weigh(g, half, share);
    changed(g);
}

/* ---- counts ----------------------------------------------------------------------------------------------------- */

/* Conditions filter j; its log density relative to the one at `from`. `shift`: of the process to the filter's state. */
static double condition_on_count(tvgp__arm_mixture *g, size_t j, const tvgp__arm_entries *at,
                                 const tvgp__posterior_outcome *c, double shift, double from) {
    tvgp__common_level_filter *f = &g->set.filter[j];
    const double factor = tvgp__arm_mixture_factor(g, j);
    double m, v;
    tvgp__common_level_filter_moments(&g->set, f, &g->view[j], at, &m, &v);
    v = fmax(v, 0);
    const tvgp__outcome_site site = g->counts->site(c->y, c->exposure, g->sign * (m + shift), factor * v, from);
    tvgp__common_level_filter_observe(&g->set, f, &g->view[j], at, v + site.noise / factor, g->sign * site.z - shift - m,
                                      g->base.counts.observations);
    return site.log_likelihood;
}

static void take_count(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *c) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    double mean, var;
    if (c->t > base->now)
        advance(base, c->t);
    if (!g->differs)
        base->origin = g->sign * g->counts->first(c->y, c->exposure) - c->prior_mean;
    base->learned.vague = 0;
    g->differs = 1;
    moments_now(g, points->arm[i], &mean, &var);
    const double shift = base->origin + c->prior_mean, from = g->sign * (mean + shift);
    const double ratio = var * c->exposure * g->counts->information(from), w = ratio / (1 + ratio);
    g->exposure[base->counts.observations % TVGP__ARM_MIXTURE_EXPOSURES] = c->exposure;
    const tvgp__arm_entries at = enter(g, points->arm[i], c->t, ratio);
    for (size_t j = 0; j < g->set.count; j++)
        g->density[j] = condition_on_count(g, j, &at, c, shift, from);
    base->log_marginal_likelihood += g->counts->log_density(c->y, c->exposure, from) + reweigh(g);
    switch_models(g, g->switching * w * w);
    changed(g);
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    if (o->exposure > 0)
        take_count(base, points, i, o);
    else
        take_value(base, points, i, o);
}

static double noise_at(tvgp__posterior *base, size_t arm, double prior_mean) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    double mean, var;
    moments_now(g, arm, &mean, &var);
    return noise_about(g, mean + base->origin + prior_mean);
}

static void reset(tvgp__posterior *base) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    tvgp__common_level_filters_reset(&g->set);
    base->origin = base->log_marginal_likelihood = base->log_det_ratio = 0;
    base->counts.observations = base->counts.rank = 0;
    base->learned.vague = 1;
    g->differs = 0;
    g->front = -INFINITY;
    memset(g->exposure, 0, sizeof g->exposure);
    weigh_first(g, 1, 1);
}

/* ---- other ops -------------------------------------------------------------------------------------------------- */

static void set_unit(tvgp__posterior *base, double unit) {
    ((tvgp__arm_mixture *)base)->time_unit = unit > 0 ? unit : 1;
}

/* Of the rate that fits such a step best: there are some for any unit of time but the wrong ones. */
static double correlation(const tvgp__posterior *base, double from, double to) {
    const tvgp__arm_mixture *g = (const tvgp__arm_mixture *)base;
    double best = -1;
    for (size_t j = 0; j < g->set.count; j++) {
        const double rho = exp(0.5 * tvgp__median_gap_units(to - from, g->time_unit) * log1p(-g->rate[j]));
        if (g->rate[j] > 0 && fabs(rho - 0.5) < fabs(best - 0.5))
            best = rho;
    }
    return best;
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    tvgp__common_level_filters_visit(&g->set, v);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, column_room(g));
    tvgp__visit_real(v, &g->front, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &base->origin, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_flag(v, &g->differs);
    tvgp__visit_real(v, &g->a, 0.5, 1e18);
    tvgp__visit_reals(v, g->set.count, g->b, 1e-300, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, g->set.count, g->weight, 0, 1);
    if (g->counts)
        tvgp__visit_reals(v, TVGP__ARM_MIXTURE_EXPOSURES, g->exposure, 0, TVGP__VALID_RANGE_MOST);
    if (!tvgp__visit_loads(v))
        return;
    base->learned.vague = !g->differs;
    changed(g);
    base->own.stale = 0; /* mean and variance were read */
}

static void release(tvgp__posterior *base) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    if (g->set.ctx)
        tvgp__common_level_filters_free(&g->set);
    tvgp__memory_free(base->ctx, g->b);
    tvgp__memory_free(base->ctx, g->view);
    tvgp__memory_free(base->ctx, g->column);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static tvgp_status check_limit(const tvgp__arm_mixture *g) {
    const double bytes = tvgp__common_level_filters_bytes(&g->set);
    if (g->limit > 0 && bytes > (double)g->limit)
        return tvgp__error_set(g->base.ctx, TVGP_ERR_LIMIT,
                               "memory.limit = %lld: %zu filters of %zu arms need %.4g bytes if all are observed",
                               (long long)g->limit, g->set.count, g->base.n, bytes);
    return TVGP_OK;
}

static tvgp_status build(tvgp__arm_mixture *g, const tvgp__arm_mixture_spec *spec) {
    tvgp_ctx *ctx = g->base.ctx;
    const size_t n = spec->n + spec->abrupt;
    tvgp__arm_model *models = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, n, sizeof *models, &models));
    memcpy(models, spec->models, spec->n * sizeof *models);
    memcpy(models + spec->n, spec->models + spec->n - spec->abrupt, spec->abrupt * sizeof *models);
    const tvgp__arm_items items = {.actions = g->base.n / spec->contexts, .contexts = spec->contexts, .pairs = spec->pairs};
    const tvgp_status status = tvgp__common_level_filters_new(ctx, n, models, &items, &g->set);
    tvgp__memory_free(ctx, models);
    TVGP__TRY(status);
    TVGP__TRY(check_limit(g));
    TVGP__TRY(tvgp__memory_alloc(ctx, n, 6 * sizeof *g->b, &g->b));
    TVGP__TRY(tvgp__memory_alloc(ctx, n, sizeof *g->view, &g->view));
    TVGP__TRY(column_room(g));
    g->rate = g->b + n;
    g->weight = g->rate + n;
    g->prior = g->weight + n;
    g->density = g->prior + n;
    g->variance = g->density + n;
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        const tvgp__arm_model *model = &g->set.filter[j].model;
        g->rate[j] = model->rate;
        g->prior[j] = model->weight;
        most = fmax(most, model->level + model->context);
    }
    g->base.most += most;
    g->base.filters = (uint32_t)n;
    reset(&g->base);
    return TVGP_OK;
}

tvgp_status tvgp__arm_mixture_kernel(tvgp_ctx *ctx, size_t dim, tvgp_kernel **out) {
    tvgp_kernel *one = NULL, *part[2] = {NULL, NULL};
    TVGP__TRY(tvgp__categorical_new(ctx, 1, 0, &one));
    if (dim == 1) {
        *out = one;
        return TVGP_OK;
    }
    tvgp_status status = tvgp__slice_new(ctx, dim, 0, one, &part[0]);
    if (status == TVGP_OK)
        status = tvgp__slice_new(ctx, dim, 1, one, &part[1]);
    if (status == TVGP_OK)
        status = tvgp__combine_new(ctx, 1, part[0], part[1], out);
    tvgp__kernel_release(one);
    tvgp__kernel_release(part[0]);
    tvgp__kernel_release(part[1]);
    return status;
}

tvgp_status tvgp__arm_mixture_new(tvgp_ctx *ctx, const tvgp__arm_mixture_spec *spec, size_t n, const double *X,
                                  tvgp__posterior **out) {
    tvgp_kernel *kernel = NULL;
    tvgp__arm_mixture *g = NULL;
    TVGP__TRY(tvgp__arm_mixture_kernel(ctx, spec->dim, &kernel));
    const tvgp__posterior_ops *ops = spec->counts ? &tvgp__arm_mixture_of_counts : &tvgp__arm_mixture_ops;
    tvgp_status status = tvgp__posterior_new(ctx, ops, kernel, n, X, sizeof *g, &g);
    tvgp__kernel_release(kernel);
    TVGP__TRY(status);
    tvgp__kernel_rows_free(&g->base.rows); /* arms are independent */
    g->models = spec->n;
    g->abrupt = spec->abrupt;
    g->hazard = spec->hazard;
    g->switching = spec->switching;
    g->constant_share = spec->abrupt > 0;
    g->limit = spec->limit;
    g->base.contexts = (uint32_t)spec->contexts;
    g->counts = spec->counts;
    g->sign = spec->turned ? -1 : 1;
    g->time_unit = 1;
    status = build(g, spec);
    if (status < 0)
        tvgp__posterior_free(&g->base);
    else
        *out = &g->base;
    return status;
}

static void inherit(const tvgp__arm_mixture *from, tvgp__arm_mixture *g) {
    memcpy(g->b, from->b, 3 * g->set.count * sizeof *g->b); /* with rates and weights */
    g->a = from->a;
    g->time_unit = from->time_unit;
    g->front = from->front;
    g->differs = from->differs;
    g->constant_share = from->constant_share;
    g->base.learned = from->base.learned;
    g->base.origin = from->base.origin;
    memcpy(g->exposure, from->exposure, sizeof g->exposure);
    tvgp__posterior_inherit(&g->base, &from->base);
    changed(g);
}

static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const tvgp__arm_mixture *from = (const tvgp__arm_mixture *)base;
    const size_t count = from->models;
    tvgp__arm_model *models = NULL;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, count, sizeof *models, &models));
    for (size_t j = 0; j < count; j++)
        models[j] = from->set.filter[j].model;
    const tvgp__arm_mixture_spec spec = {.n = count,
                                         .models = models,
                                         .dim = base->kernel->dim,
                                         .contexts = from->set.items.contexts,
                                         .pairs = from->set.items.pairs,
                                         .abrupt = from->abrupt,
                                         .hazard = from->hazard,
                                         .counts = from->counts,
                                         .turned = from->sign < 0,
                                         .switching = from->switching,
                                         .limit = from->limit};
    tvgp_status status = tvgp__arm_mixture_new(base->ctx, &spec, n, X, &fresh);
    tvgp__memory_free(base->ctx, models);
    TVGP__TRY(status);
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)fresh;
    status = tvgp__common_level_filters_copy(&from->set, &g->set);
    if (status == TVGP_OK)
        status = column_room(g);
    if (status < 0) {
        tvgp__posterior_free(fresh);
        return status;
    }
    inherit(from, g);
    *out = fresh;
    return TVGP_OK;
}

#define OPS                                                                                                                 \
    .prepare = prepare, .observe = observe, .advance = advance, .finish = finish, .refine = refine,                         \
    .at = tvgp__arm_mixture_at, .column = tvgp__arm_mixture_column, .draws = tvgp__arm_mixture_draws,                       \
    .predictive = tvgp__arm_mixture_predictive, .covariance = tvgp__arm_mixture_covariance, .reset = reset,                 \
    .correlation = correlation, .set_unit = set_unit, .extend = extend, .release = release, .visit = visit
const tvgp__posterior_ops tvgp__arm_mixture_ops = {OPS};
const tvgp__posterior_ops tvgp__arm_mixture_of_counts = {OPS, .noise_at = noise_at};
