/* SPDX-License-Identifier: MIT */
/* The exact posterior of arms that do not change, of all observations or of the last w: one column for each observed arm
 * (model/gp/columns.h). An observation of arm x with noise variance v takes the column p = P[:, x], s = p[x] + v, adds p p'/s to R and
 * p (y - mean[x])/s to the mean. Mean and all variances cost O(n) a step in addition. In a window the oldest observation leaves the
 * record of its arm, which goes with the last one. */
#include "model/arm_columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/simd_clones.h"
#include "linalg/loops.h"
#include "model/gp/columns.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp__posterior base;
    tvgp__columns columns;
    double *work;            /* n: the column being made */
    size_t window, unsummed; /* 0: all observations count; observations since mean and var were summed */
    tvgp__observations kept; /* with a window: those that count, the oldest first */
} arm_columns;

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    arm_columns *p = (arm_columns *)base;
    if (p->window)
        TVGP__TRY(tvgp__observations_reserve(&p->kept, points->n));
    TVGP__TRY(tvgp__columns_reserve(&p->columns, points->n));
    return tvgp__posterior_hold(base, points);
}

static void advance(tvgp__posterior *base, double t) {
    base->now = t;
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Of shared arms (otherwise it is not read): the prior variance of one. */
static double prior_of(tvgp__posterior *b, size_t arm) {
    double mean, var;
    if (b->shard)
        tvgp__posterior_moments(b, arm, &mean, &var);
    return b->own.moments.prior;
}

static void column(tvgp__posterior *base, size_t arm, double *out) {
    const arm_columns *p = (const arm_columns *)base;
    (void)tvgp__columns_column(&p->columns, arm, NAN, tvgp__kernel_rows_at(&base->rows, arm), out);
}

/* Record k is of this arm: it takes the observation in. */
static void condition_again(arm_columns *p, size_t k, double y, double noise, tvgp__innovation *seen) {
    tvgp__columns *c = &p->columns;
    tvgp__columns_raise(c, k);
    double variance = tvgp__columns_after(c, c->count - 1, p->work) * tvgp__columns_own(c);
    seen->s = tvgp__posterior_condition(&p->base, seen->arm, y, noise, variance, p->work, &seen->e);
    if (!isinf(seen->s))
        tvgp__columns_join(c, seen, noise);
}

/* With a column of its own. */
static void condition_anew(arm_columns *p, double y, double noise, tvgp__innovation *seen) {
    tvgp__columns *c = &p->columns;
    double *g = tvgp__columns_next(c);
    double variance =
        tvgp__columns_column(c, seen->arm, prior_of(&p->base, seen->arm), tvgp__kernel_rows_at(&p->base.rows, seen->arm), g);
    seen->s = tvgp__posterior_condition(&p->base, seen->arm, y, noise, variance, g, &seen->e);
    if (!isinf(seen->s))
        tvgp__columns_push(c, seen, noise);
}

static void append(arm_columns *p, size_t arm, double y, double noise) {
    tvgp__innovation seen = {.arm = arm, .t = p->base.now};
    const size_t last = tvgp__columns_find(&p->columns, p->columns.count, arm);
    if (last < p->columns.count)
        condition_again(p, last, y, noise, &seen);
    else
        condition_anew(p, y, noise, &seen);
}

/* ---- a window: the oldest observation leaves the record of its arm ------------------------------------------------ */

/* The observations of an arm that are left are one of their mean, weighted by precision. */
static double together(const arm_columns *p, size_t arm, double *y) {
    double precision = 0, sum = 0;
    for (size_t i = 1; i < p->kept.n; i++)
        if (p->kept.list[i].arm == arm) {
            precision += 1 / p->kept.list[i].noise;
            sum += p->kept.list[i].y / p->kept.list[i].noise;
        }
    *y = precision > 0 ? sum / precision : 0;
    return 1 / precision;
}

TVGP__SIMD_CLONES
static void lose(size_t n, double gain, double share, const double *restrict g, double *restrict mean,
                 double *restrict var) {
    for (size_t i = 0; i < n; i++) {
        mean[i] -= gain * g[i];
        var[i] -= share * g[i] * g[i];
    }
}

/* Gives the moments of the arm without the observation. */
static void leave(arm_columns *p, size_t k, const tvgp__observation *o, double *mean, double *var) {
    tvgp__posterior *b = &p->base;
    tvgp__columns *c = &p->columns;
    double y, gain, share;
    const double noise = together(p, o->arm, &y);
    tvgp__columns_raise(c, k);
    const tvgp__innovation *seen = &tvgp__columns_at(c, c->count - 1)->seen;
    tvgp__posterior_moments(b, o->arm, mean, var);
    const double e = y - (*mean - seen->e / sqrt(seen->s) * tvgp__columns_own(c));
    const double *g = tvgp__columns_leave(c, noise, e, &gain, &share);
    lose(b->n, gain, share, g, b->own.mean, b->own.var);
    lose(1, gain, share, tvgp__columns_entry(c, g, o->arm), mean, var);
    b->own.moments.valid = 0;
}

/* The likelihood loses the density that the other observations predict for it. */
static void expire(arm_columns *p) {
    tvgp__posterior *b = &p->base;
    const tvgp__observation o = p->kept.list[0];
    const size_t k = tvgp__columns_find(&p->columns, p->columns.count, o.arm);
    double mean, var;
    if (k < p->columns.count)
        leave(p, k, &o, &mean, &var);
    else
        tvgp__posterior_moments(b, o.arm, &mean, &var);
    tvgp__observations_drop(&p->kept, 1);
    const double log_ml = b->log_marginal_likelihood, ratio = b->log_det_ratio;
    const size_t helped = b->counts.jitter;
    (void)tvgp__posterior_surprise(b, o.y - mean, var, o.noise);
    b->log_marginal_likelihood = 2 * log_ml - b->log_marginal_likelihood;
    b->log_det_ratio = 2 * ratio - b->log_det_ratio;
    b->counts.observations -= 2;
    b->counts.jitter = helped;
}

static void sum_afresh(arm_columns *p) {
    tvgp__posterior *b = &p->base;
    const double log_ml = b->log_marginal_likelihood, ratio = b->log_det_ratio;
    const size_t observations = b->counts.observations;
    tvgp__posterior_prior(b, 1);
    for (size_t k = 0; k < p->columns.count; k++) {
        const tvgp__innovation *seen = &tvgp__columns_at(&p->columns, k)->seen;
        lose(b->n, -seen->e / sqrt(seen->s), 1, tvgp__columns_g(&p->columns, k), b->own.mean, b->own.var);
    }
    b->log_marginal_likelihood = log_ml;
    b->log_det_ratio = ratio;
    b->counts.observations = observations;
    p->unsummed = 0;
}

static void observe_in_window(arm_columns *p, size_t arm, double y, double noise) {
    noise = tvgp__posterior_noise(&p->base, noise);
    p->base.assumes = 0; /* the likelihood of a window is of all that it holds */
    if (p->kept.n == p->window)
        expire(p);
    append(p, arm, y, noise);
    tvgp__observations_add(&p->kept, &(tvgp__observation){.arm = arm, .y = y, .noise = noise}, NULL);
    if (++p->unsummed >= p->window)
        sum_afresh(p);
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    arm_columns *p = (arm_columns *)base;
    base->now = fmax(base->now, t);
    if (p->window)
        observe_in_window(p, points->arm[i], y, noise);
    else
        append(p, points->arm[i], y, noise);
    base->counts.rank = p->columns.count;
}

static void reset(tvgp__posterior *base) {
    arm_columns *p = (arm_columns *)base;
    tvgp__columns_clear(&p->columns);
    p->unsummed = p->kept.n = 0;
    tvgp__posterior_prior(base, 1);
}

/* ---- the other ops ---------------------------------------------------------------------------------------------- */

static tvgp_status predictive(tvgp__posterior *b, double t, tvgp__predictive *out) {
    (void)t;
    return tvgp__columns_predictive(&((const arm_columns *)b)->columns, b->kernel, b->X, out);
}

static tvgp_status covariance(tvgp__posterior *b, double t, size_t m, const size_t *arm, double *out) {
    (void)t;
    TVGP__TRY(tvgp__posterior_reach(b, &(tvgp__points){.n = m, .arm = arm}));
    for (size_t j = 0; j < m; j++)
        column(b, arm[j], out + j * b->n);
    return TVGP_OK;
}

static void release(tvgp__posterior *base) {
    arm_columns *p = (arm_columns *)base;
    tvgp__columns_free(&p->columns);
    tvgp__observations_free(&p->kept);
    tvgp__memory_free(base->ctx, p->work);
}

static tvgp_status share(tvgp__posterior *b) {
    arm_columns *p = (arm_columns *)b;
    TVGP__TRY(tvgp__memory_grow(b->ctx, b->n + TVGP__COLUMNS_TAIL, sizeof *p->work, &p->work));
    return tvgp__columns_share(&p->columns, b->shard);
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    arm_columns *p = (arm_columns *)base;
    tvgp__columns_visit(&p->columns, v);
    if (!p->window)
        return;
    tvgp__visit_size(v, &p->unsummed, 0, p->window);
    tvgp__observations_visit(&p->kept, tvgp__posterior_arms(base), v);
}

/* Adds record k of `from`, with the column given by the larger p->columns, which hold the earlier records. Mean and variance of the
 * new arms are the sums of their entries. */
static tvgp_status add_record(const arm_columns *from, size_t k, arm_columns *p) {
    tvgp__posterior *b = &p->base;
    const tvgp__columns_record *r = tvgp__columns_at(&from->columns, k);
    const double root = sqrt(r->seen.s), gain = r->seen.e / root;
    double *g = tvgp__columns_next(&p->columns);
    TVGP__TRY(tvgp__posterior_hold(b, &(tvgp__points){.n = 1, .arm = &r->seen.arm}));
    tvgp__columns_column(&p->columns, r->seen.arm, NAN, tvgp__kernel_rows_at(&b->rows, r->seen.arm), g);
    memcpy(g, tvgp__columns_g(&from->columns, k), from->base.n * sizeof *g);
    for (size_t i = from->base.n; i < b->n; i++) {
        g[i] /= root;
        b->own.mean[i] += gain * g[i];
        b->own.var[i] -= g[i] * g[i];
    }
    tvgp__columns_push(&p->columns, &r->seen, r->noise);
    return TVGP_OK;
}

static tvgp_status extend_state(const arm_columns *from, arm_columns *p) {
    TVGP__TRY(tvgp__observations_reserve(&p->kept, from->kept.n));
    for (size_t i = 0; i < from->kept.n; i++)
        tvgp__observations_add(&p->kept, &from->kept.list[i], NULL);
    TVGP__TRY(tvgp__columns_reserve(&p->columns, from->columns.count));
    for (size_t k = 0; k < from->columns.count; k++)
        TVGP__TRY(add_record(from, k, p));
    return TVGP_OK;
}

static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const arm_columns *from = (const arm_columns *)base;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__arm_columns_new(base->ctx, base->kernel, from->window, n, X, &fresh));
    tvgp__posterior_inherit(fresh, base);
    ((arm_columns *)fresh)->unsummed = from->unsummed;
    const tvgp_status status = extend_state(from, (arm_columns *)fresh);
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

static const tvgp__posterior_ops ops = {.prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .at = tvgp__posterior_still,
                                        .column = column,
                                        .predictive = predictive,
                                        .share = share,
                                        .reset = reset,
                                        .covariance = covariance,
                                        .extend = extend,
                                        .release = release,
                                        .visit = visit};

tvgp_status tvgp__arm_columns_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t window, size_t n, const double *X,
                                  tvgp__posterior **out) {
    arm_columns *p = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->window = window;
    p->kept.ctx = ctx;
    tvgp__columns_init(&p->columns, ctx, n);
    tvgp__posterior_prior(&p->base, 1);
    const tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *p->work, &p->work);
    if (status < 0)
        tvgp__posterior_free(&p->base);
    else
        *out = &p->base;
    return status;
}
