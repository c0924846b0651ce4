/* SPDX-License-Identifier: MIT */
#include "belief/bank.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "linalg/blas.h"
#include "linalg/chol.h"

#include <math.h>
#include <string.h>

static const double LEVEL = 1e-9; /* log weights closer than this count as equal */

/* ---- mixture ---------------------------------------------------------------------------------------------------- */

static size_t active(tvgp__bank *b) {
    size_t n = 0;
    for (; n < b->J; n++)
        b->active[n] = &b->set.filter[n];
    if (b->slot_on)
        b->active[n++] = &b->set.filter[b->J];
    return n;
}

static double factor(const tvgp__bank *b, size_t j) {
    return b->scale ? b->member[j].b / b->member[j].a : 1;
}

double tvgp__bank_factor(const tvgp__bank *b) {
    double sum = 0;
    if (!b->scale)
        return 1;
    for (size_t j = 0; j < b->J + (size_t)b->slot_on; j++) /* an empty slot has no factor */
        sum += b->weight[j] * factor(b, j);
    return sum;
}

double tvgp__bank_heaviest(const tvgp__bank *b, size_t n) {
    double most = -INFINITY;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, b->member[j].log_weight);
    return most;
}

/* log sum exp of the log weights of the first n members */
static double total(const tvgp__bank *b, size_t n) {
    double most = tvgp__bank_heaviest(b, n), sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += exp(b->member[j].log_weight - most);
    return most + log(sum);
}

/* Lowest index of those level with the best: copies of one state stay level but for round-off. */
static size_t leader(const tvgp__bank *b) {
    double most = tvgp__bank_heaviest(b, b->J);
    size_t best = 0;
    while (b->member[best].log_weight < most - LEVEL)
        best++;
    return best;
}

static void weigh(tvgp__bank *b) {
    double sum = 0, most = tvgp__bank_heaviest(b, b->J + 1);
    for (size_t j = 0; j <= b->J; j++)
        sum += b->weight[j] = exp(b->member[j].log_weight - most);
    for (size_t j = 0; j <= b->J; j++)
        b->weight[j] /= sum;
}

/* mean = sum w m, var = sum w (v + (m - mean)^2) */
static void mix(tvgp__bank *b) {
    tvgp__belief *p = &b->base;
    size_t n = p->n, count = active(b);
    weigh(b);
    p->unit = tvgp__bank_factor(b);
    memset(p->mean, 0, 2 * n * sizeof *p->mean); /* and var */
    for (size_t j = 0; j < count; j++)
        tvgp__blas_axpy(n, b->weight[j], b->active[j]->mean, p->mean);
    for (size_t j = 0; j < count; j++) {
        double scale = factor(b, j);
        for (size_t i = 0; b->weight[j] > 0 && i < n; i++) {
            double off = b->active[j]->mean[i] - p->mean[i];
            p->var[i] += b->weight[j] * (scale * b->active[j]->var[i] + tvgp__range_product(off, off));
        }
    }
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Log density of e with variance S (times an inverse-gamma factor, which learns from it). */
static double learn(const tvgp__bank *b, tvgp__bank_member *m, double S, double e) {
    static const double two_pi = 6.283185307179586476925;
    double half = 0.5 * tvgp__range_misfit(e, S), a = m->a;
    half = b->scale ? fmin(half, 1e150) : half; /* times a variance, and a width, it is finite still */
    if (!b->scale)
        return -0.5 * log(two_pi * S) - half;
    double density = lgamma(a + 0.5) - lgamma(a) - 0.5 * log(two_pi * m->b * S) - (a + 0.5) * log1p(half / m->b);
    m->a += 0.5;
    m->b += half;
    return density;
}

typedef struct {
    size_t arm;
    double t, y, noise;
} observation;

/* Step 1. */
static void condition(tvgp__bank *b, const observation *o) {
    size_t count = active(b);
    tvgp__filters_columns(&b->set, count, b->active, o->arm, fmax(b->base.now - o->t, 0));
    for (size_t j = 0; j < count; j++) {
        double S, e;
        tvgp__filter_innovation(&b->set, b->active[j], o->arm, o->y, o->noise, &S, &e);
        b->member[j].log_weight += learn(b, &b->member[j], S, e);
        tvgp__filter_condition(&b->set, b->active[j], S, e);
    }
}

static void clear_slot(tvgp__bank *b) {
    b->slot_on = b->confirmed = 0;
    b->member[b->J].log_weight = -INFINITY;
}

/* Step 2; `lead` was the leader before the observation, `a` and `b` its factor then. */
static void consider_redraw(tvgp__bank *b, const observation *o, double old, size_t lead, tvgp__bank_member fresh) {
    tvgp__filter *slot = &b->set.filter[b->J], *from = &b->set.filter[lead];
    double elapsed = b->newest == -INFINITY ? 1 : fmax(o->t - b->newest, 0); /* before the first observation: one unit */
    double S, e;
    size_t helped = 0;
    if (!(b->hazard > 0))
        return;
    fresh.log_weight = log(-expm1(elapsed * log1p(-b->hazard))) + old;
    S = b->set.variance[from->prior * b->base.n + o->arm] + o->noise;
    (void)tvgp__chol_pivot(b->base.ctx, b->set.largest, &S, &helped); /* as the filters do; cannot fail: S >= 0 */
    e = o->y - b->set.mean[from->prior * b->base.n + o->arm];
    fresh.log_weight += learn(b, &fresh, S, e);
    if (!(fresh.log_weight > b->member[b->J].log_weight)) {
        b->confirmed |= o->arm != b->slot_arm;
        return;
    }
    tvgp__filter_start(&b->set, slot, &from->law, from->prior);
    tvgp__filters_columns(&b->set, 1, &slot, o->arm, 0);
    tvgp__filter_innovation(&b->set, slot, o->arm, o->y, o->noise, &S, &e);
    tvgp__filter_condition(&b->set, slot, S, e);
    b->member[b->J] = fresh;
    b->rate[b->J] = b->rate[lead];
    for (size_t j = 0; j < b->J; j++)
        b->member[j].spawn = b->member[j].before - old;
    b->slot_on = 1;
    b->confirmed = 0;
    b->slot_arm = o->arm;
    b->slot_made = b->base.observations;
    b->slot_time = o->t;
}

static void take_state(tvgp__bank *b, size_t j, size_t from, double log_weight) {
    tvgp__filter_copy(&b->set, &b->set.filter[j], &b->set.filter[from]);
    b->member[j].a = b->member[from].a;
    b->member[j].b = b->member[from].b;
    b->member[j].log_weight = log_weight;
}

/* Step 3. */
static void reset_to_slot(tvgp__bank *b) {
    if (!b->confirmed || !(b->member[b->J].log_weight > b->member[leader(b)].log_weight))
        return;
    for (size_t j = 0; j < b->J; j++)
        take_state(b, j, b->J, b->member[j].spawn);
    clear_slot(b);
    b->resets++;
    b->reset_time = b->base.now;
    b->redraw_time = b->slot_time;
}

/* Step 4. */
static void recycle(tvgp__bank *b) {
    size_t best = leader(b);
    double most = fmax(b->member[best].log_weight, b->member[b->J].log_weight);
    for (size_t j = 0; j <= b->J; j++)
        b->member[j].log_weight -= most;
    double floor = b->member[best].log_weight + log(b->recycle / (double)b->J);
    for (size_t j = 0; j < b->J; j++)
        if (b->member[j].log_weight < floor - LEVEL)
            take_state(b, j, best, floor);
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static void advance(tvgp__belief *base, double t) {
    tvgp__bank *b = (tvgp__bank *)base;
    size_t count = active(b);
    for (size_t j = 0; base->now != -INFINITY && j < count; j++)
        tvgp__filter_advance(&b->set, b->active[j], t - base->now);
    base->now = t;
    mix(b);
}

static void observe(tvgp__belief *base, const tvgp__points *points, size_t i, double t, double y, double noise) {
    tvgp__bank *b = (tvgp__bank *)base;
    const size_t arm = points->arm[i];
    const observation o = {.arm = arm, .t = t, .y = y, .noise = noise};
    if (t > base->now)
        advance(base, t);
    base->observations++;
    size_t lead = leader(b);
    double old = total(b, b->J), all = total(b, b->J + 1);
    tvgp__bank_member fresh = b->member[lead];
    base->log_det_ratio += log1p(tvgp__range_cap(fmax(base->var[arm], 0) / fmax(noise, 1e-10 * base->largest)));
    for (size_t j = 0; j < b->J; j++)
        b->member[j].before = b->member[j].log_weight;
    condition(b, &o);
    base->log_evidence += total(b, b->J + 1) - all;
    consider_redraw(b, &o, old, lead, fresh);
    reset_to_slot(b);
    recycle(b);
    b->newest = fmax(b->newest, t);
    base->jitter = b->set.jitter;
    mix(b);
}

static void column(tvgp__belief *base, size_t arm, double *out) {
    tvgp__bank *b = (tvgp__bank *)base;
    size_t count = active(b);
    tvgp__filters_columns(&b->set, count, b->active, arm, 0);
    memset(out, 0, base->n * sizeof *out);
    for (size_t j = 0; j < count; j++) {
        const tvgp__filter *f = b->active[j];
        double scale = factor(b, j), off = f->mean[arm] - base->mean[arm];
        for (size_t i = 0; i < base->n; i++)
            out[i] += b->weight[j] * (scale * f->g[0][i] + tvgp__range_product(off, f->mean[i] - base->mean[i]));
    }
}

/* Filters that have not seen a time yet hold the prior, which does not move. */
static double elapsed_to(const tvgp__bank *b, double t) {
    return b->base.now == -INFINITY ? 0 : t - b->base.now;
}

/* The weighted sum grows by filters (West 1979): the spread of the means without cancellation. */
static void at(tvgp__belief *base, double t, size_t n, const size_t *arm, double *mean, double *var) {
    const tvgp__bank *b = (const tvgp__bank *)base;
    double sum = 0;
    memset(mean, 0, n * sizeof *mean);
    memset(var, 0, n * sizeof *var);
    for (size_t j = 0; j <= b->J; j++) {
        const tvgp__filter *f = &b->set.filter[j];
        double weight = b->weight[j], m, v;
        if (weight == 0)
            continue;
        const tvgp__law_transition step = tvgp__law_transition_over(&f->law, elapsed_to(b, t));
        sum += weight;
        for (size_t i = 0; i < n; i++) {
            tvgp__filter_arm_at(&b->set, f, &step, arm ? arm[i] : i, &m, &v);
            double off = m - mean[i];
            mean[i] += weight / sum * off;
            var[i] += weight * (factor(b, j) * v + tvgp__range_product(off, m - mean[i]));
        }
    }
    for (size_t i = 0; i < n; i++)
        var[i] = fmax(var[i], 0);
}

/* The moments of the mixture in weight space: u = sum w_j mu_j, S = sum w_j f_j R_j - sum w_j (mu_j - u)(mu_j - u)'. */
static void fill_form(const tvgp__bank *b, double t, double *u, double *S, double *means) {
    size_t r = b->set.basis.r;
    for (size_t j = 0; j <= b->J; j++) {
        double *mu = means + j * r, weight = b->weight[j];
        if (weight == 0)
            continue;
        tvgp__filter_weights(&b->set, &b->set.filter[j], elapsed_to(b, t), weight * factor(b, j), mu, S);
        tvgp__blas_axpy(r, weight, mu, u);
    }
    for (size_t j = 0; j <= b->J; j++) {
        double *off = means + j * r; /* a weight of 0 adds 0 */
        for (size_t i = 0; i < r; i++)
            off[i] = fmax(-1e140, fmin(off[i] - u[i], 1e140)); /* finite whatever is told */
        tvgp__blas_syr(r, -b->weight[j], off, S, r);
    }
}

static tvgp_status form(tvgp__belief *base, double t, tvgp__form *out) {
    tvgp__bank *b = (tvgp__bank *)base;
    size_t r = b->set.basis.r, dim = base->kernel->dim;
    double *memory = NULL;
    if (!b->anywhere)
        return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED,
                               "X is not an arm, and with several priors or the mean of one nothing is known elsewhere");
    TVGP__TRY(tvgp__memory_alloc(base->ctx, r, (1 + r + dim + (b->J + 1)) * sizeof *memory, &memory));
    double *u = memory, *S = u + r, *points = S + r * r;
    fill_form(b, t, u, S, points + r * dim);
    tvgp__basis_points(&b->set.basis, dim, base->X, points);
    *out = tvgp__form_of(base->ctx, base->kernel, r, points, b->set.basis.L, r, u);
    out->S = S;
    out->kappa = tvgp__bank_factor(b);
    out->memory = memory;
    return TVGP_OK;
}

static void reset(tvgp__belief *base) {
    tvgp__bank *b = (tvgp__bank *)base;
    for (size_t j = 0; j < b->J; j++) {
        tvgp__filter *f = &b->set.filter[j];
        tvgp__filter_start(&b->set, f, &f->law, f->prior);
        b->member[j] = (tvgp__bank_member){.log_weight = -log((double)b->J), .a = 0.5, .b = 0.5};
    }
    clear_slot(b);
    b->newest = -INFINITY;
    base->log_evidence = base->log_det_ratio = 0;
    base->observations = 0;
    mix(b);
}

/* Of the law that fits such a step best: there are some for any unit of time but the wrong ones. */
static double correlation(const tvgp__belief *base, double from, double to) {
    const tvgp__bank *b = (const tvgp__bank *)base;
    double best = -1;
    for (size_t j = 0; j < b->n_laws; j++) {
        double rho = tvgp__law_correlation(&b->set.filter[j].law, from, to);
        if (fabs(rho - 0.5) < fabs(best - 0.5))
            best = rho;
    }
    return best;
}

static void release(tvgp__belief *base) {
    tvgp__bank *b = (tvgp__bank *)base;
    tvgp__filters_free(&b->set);
    tvgp__memory_free(base->ctx, b->member);
    tvgp__memory_free(base->ctx, b->active);
    tvgp__memory_free(base->ctx, b->rate);
}

static const tvgp__belief_ops ops = {.struct_size = sizeof ops,
                                     .prepare = tvgp__belief_hold, /* of which it needs none */
                                     .observe = observe,
                                     .advance = advance,
                                     .at = at,
                                     .column = column,
                                     .form = form,
                                     .reset = reset,
                                     .correlation = correlation,
                                     .release = release};

static tvgp_status build(tvgp__bank *b, const tvgp__bank_spec *spec, double noise) {
    tvgp__belief *base = &b->base;
    size_t states = 1, members = b->J + 1;
    for (size_t j = 0; j < spec->n_laws; j++)
        states = tvgp__law_states(&spec->laws[j]) > states ? tvgp__law_states(&spec->laws[j]) : states;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, members, sizeof *b->member, &b->member));
    TVGP__TRY(tvgp__memory_alloc(base->ctx, members, sizeof *b->active, &b->active));
    TVGP__TRY(tvgp__memory_alloc(base->ctx, 2 * members, sizeof *b->rate, &b->rate));
    TVGP__TRY(tvgp__filters_new(base->ctx, spec->n_priors, spec->kernels, spec->means, base->n, base->X, noise, members,
                                states, &b->set));
    b->weight = b->rate + members;
    for (size_t j = 0; j < b->J; j++) {
        const tvgp__law *law = &spec->laws[j % spec->n_laws];
        tvgp__filter_start(&b->set, &b->set.filter[j], law, j / spec->n_laws);
        b->rate[j] = tvgp__law_epsilon(law);
    }
    base->rank = b->set.basis.r;
    reset(base);
    return TVGP_OK;
}

tvgp_status tvgp__bank_new(tvgp_ctx *ctx, const tvgp__bank_spec *spec, double noise, size_t n, const double *X,
                           tvgp__belief **out) {
    tvgp__bank *b = NULL;
    TVGP__TRY(tvgp__belief_new(ctx, &ops, spec->kernels[0], n, X, sizeof *b, &b));
    b->n_laws = spec->n_laws;
    b->J = spec->n_laws * spec->n_priors;
    b->recycle = spec->recycle;
    b->hazard = spec->hazard;
    b->scale = spec->scale;
    b->anywhere = spec->n_priors == 1 && !spec->means[0];
    b->reset_time = b->redraw_time = -INFINITY;
    tvgp__rows_free(&b->base.rows); /* the basis holds the kernel */
    tvgp_status status = build(b, spec, noise);
    if (status < 0)
        tvgp__belief_free(&b->base);
    else
        *out = &b->base;
    return status;
}
