/* SPDX-License-Identifier: MIT */
#include "posterior/recursive.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd_clones.h"
#include "feature/basis_turn.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

/* Observations before the first search of the rank; arms from which weights cost less than columns if the drift model
 * forgets, up to which many pivots at once take no time, and from which a column takes long; arms that are made exact
 * one by one. */
enum { FIRST_SEARCH = 64, SOME = 512, SMALL = 1024, MANY = 1 << 14, ONE_BY_ONE = 16 };

typedef tvgp__recursive recursive;

/* ---- change of form --------------------------------------------------------------------------------------------- */

static void drop_rank(recursive *p) {
    if (p->rank)
        tvgp__basis_search_end(p->rank);
    tvgp__memory_free(p->base.ctx, p->rank);
    p->rank = NULL;
}

static void drop_found(recursive *p) {
    tvgp__basis_change_free(p->base.ctx, p->found);
    p->found = NULL;
}

/* Makes weights of the rank that was found, and what the change to them needs. NOMEM. */
static tvgp_status set_aside(const recursive *p, tvgp__basis_change **out) {
    return tvgp__basis_change_new(p->rank, &p->law, tvgp__recursive_keeps_late(p) ? p->late_limit : 0, out);
}

/* The next stage of the change, one for each observation. */
static tvgp_status go_on(recursive *p) {
    const size_t now = p->base.counts.observations + 1;
    const tvgp_status status = p->found->as_of == now ? TVGP_OK : tvgp__basis_change_prepare(p->found);
    if (status == TVGP_OK)
        p->found->as_of = now;
    return tvgp__shard_agree(p->base.shard, status);
}

/* Searches for a rank of at most a quarter of the columns after the next observation, because only a part of the columns
 * is read if arms repeat. With few arms and forgetting the limit is all columns, so that small policies are small from
 * the start, and half otherwise. With many arms and forgetting it is half, because each column takes long and a step in
 * weights does not. The pivots continue from the pivots of the previous search, one for each observation if one takes long.
 * Their number depends only on the observations, so a call that fails after this has not changed when the form changes.
 */
static tvgp_status search_rank(recursive *p) {
    const size_t observations = p->columns.count - p->columns.faded + 1;
    const int still = tvgp__recursive_is_static(p);
    size_t n = tvgp__shard_total(p->base.shard, p->base.n), first = FIRST_SEARCH < 2 * n ? FIRST_SEARCH : 2 * n;
    size_t many = still ? MANY : SOME, pivots = observations / (n > FIRST_SEARCH && n < many ? 4 : 2);
    if (p->found)
        return go_on(p);
    if (n <= FIRST_SEARCH && !still)
        pivots = n;
    else if (observations < first)
        return TVGP_OK;
    if (n > SMALL && pivots > observations - first + 1)
        pivots = observations - first + 1;
    p->rank->may_give_up = pivots < n;
    if (p->rank->given_up && pivots >= n)
        tvgp__basis_search_end(p->rank);
    TVGP__TRY(tvgp__basis_search_on(p->rank, pivots));
    if (!p->rank->complete || p->rank->basis.r > pivots)
        return TVGP_OK;
    TVGP__TRY(set_aside(p, &p->found));
    p->found->as_of = p->base.counts.observations + 1;
    return TVGP_OK;
}

/* The form is weights from now on: what columns needed goes. */
static void go_on_in_weights(recursive *p) {
    drop_found(p);
    drop_rank(p);
    p->in_weights = 1;
    tvgp__columns_trim(&p->columns, 0);
    tvgp__kernel_rows_free(&p->base.rows);
}

/* The next instalment; with the last one the form changes. Where nothing moves columns change all the time: all at once. */
static void change(recursive *p) {
    tvgp__basis_change *found = p->found;
    if (!found || !tvgp__basis_change_fill(found, &p->columns, tvgp__recursive_is_static(p), p->base.own.mean, p->base.now))
        return;
    p->weights = found->weights;
    p->late = found->late;
    found->weights = (tvgp__weight_space){0};
    found->late = (tvgp__delayed){0};
    go_on_in_weights(p);
}

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    recursive *p = (recursive *)base;
    size_t more = points->n;
    if (!p->in_weights && !base->shard)
        TVGP__TRY(search_rank(p));
    if (p->found && p->found->stage == TVGP__BASIS_CHANGE_READY && !p->columns.count)
        return TVGP_OK; /* in weights before the first of them: no column, no row, and nothing that can fail from here on */
    if (!p->in_weights)
        TVGP__TRY(tvgp__columns_reserve(&p->columns, more));
    return tvgp__posterior_hold(base, points);
}

/* The room for columns that prepare made is more than enough when a rank is found. */
static tvgp_status seek(tvgp__posterior *base, const tvgp__points *points) {
    recursive *p = (recursive *)base;
    (void)points;
    return p->in_weights ? TVGP_OK : search_rank(p);
}

/* ---- time and observations in order ----------------------------------------------------------------------------- */

static void move(recursive *p, double t) {
    tvgp__posterior *b = &p->base;
    if (t == b->now)
        return;
    tvgp__drift_step step = tvgp__drift_between(&p->law, b->now, t);
    double m2 = step.m * step.m;
    b->largest *= tvgp__drift_kappa(&p->law, t) / tvgp__drift_kappa(&p->law, b->now);
    b->now = t;
    b->own.moments.valid = 0;
    if (step.m != 1 || step.q != 0)
        tvgp__posterior_transit(b, step.m, step.q);
    if (step.m == 1)
        return;
    if (p->in_weights) {
        tvgp__weight_space_decay(&p->weights, m2);
        if (p->weights.scale == 1) /* R was rescaled */
            p->looked = 0;
        tvgp__blas_scale(p->weights.basis.r, step.m, p->weights.mean);
        return;
    }
    const size_t before = p->columns.count;
    tvgp__columns_move(&p->columns, m2);
    if (p->found)
        tvgp__basis_change_move(p->found, step.m, before - p->columns.count);
}

static void advance(tvgp__posterior *base, double t) {
    if (base->now != -INFINITY)
        move((recursive *)base, t);
    else
        tvgp__posterior_prior(base, tvgp__drift_kappa(&((recursive *)base)->law, base->now = t));
    const recursive *p = (const recursive *)base;
    base->counts.rank = p->in_weights ? p->weights.basis.r : p->columns.count - p->columns.faded;
}

/* Of shared arms (otherwise it is not read): the prior variance of one. */
static double prior_of(tvgp__posterior *b, size_t arm) {
    double mean, var;
    if (b->shard)
        tvgp__posterior_moments(b, arm, &mean, &var);
    return b->own.moments.prior;
}

/* Of the `keep` oldest columns, at a time when the decays were `factor` times as large; of shared arms its entry at the arm. */
static double column_at(const recursive *p, size_t keep, double t, double factor, size_t arm, double prior, double *out) {
    return tvgp__columns_column(&p->columns, &p->law, keep, t, factor, arm, prior, tvgp__kernel_rows_at(&p->base.rows, arm),
                                out);
}

static void column(tvgp__posterior *base, size_t arm, double *out) {
    recursive *p = (recursive *)base;
    if (p->in_weights)
        tvgp__recursive_weights_column(p, arm, out);
    else
        (void)column_at(p, p->columns.count, base->now, 1, arm, NAN, out);
}

/* Nothing moves, and column k is of this arm: it takes the observation in. */
static void condition_again(recursive *p, size_t k, double y, double noise, tvgp__innovation *seen) {
    tvgp__columns *c = &p->columns;
    tvgp__columns_raise(c, k);
    double variance = tvgp__columns_after(c, c->count - 1, 1, p->work) * tvgp__columns_own(c);
    seen->s = tvgp__posterior_condition(&p->base, seen->arm, y, noise, variance, p->work, &seen->e);
    if (!isinf(seen->s))
        tvgp__columns_join(c, seen, noise);
}

/* With a column of its own. */
static void condition_anew(recursive *p, double y, double noise, tvgp__innovation *seen) {
    tvgp__columns *c = &p->columns;
    double *g = tvgp__columns_next(c);
    double variance = column_at(p, c->count, p->base.now, 1, seen->arm, prior_of(&p->base, seen->arm), g);
    seen->s = tvgp__posterior_condition(&p->base, seen->arm, y, noise, variance, g, &seen->e);
    if (!(tvgp__recursive_is_static(p) && isinf(seen->s)))
        tvgp__columns_insert(c, c->count, seen, noise, 1);
}

/* The newest observation, at `now`. */
static void append(recursive *p, size_t arm, double y, double noise) {
    const tvgp__columns *c = &p->columns;
    tvgp__innovation seen = {.arm = arm, .t = p->base.now};
    size_t last = tvgp__recursive_is_static(p) ? tvgp__columns_find(c, c->count, arm) : c->count;
    if (p->in_weights)
        tvgp__recursive_weights_condition(p, y, noise, &seen);
    else if (last < c->count)
        condition_again(p, last, y, noise, &seen);
    else
        condition_anew(p, y, noise, &seen);
}

/* ---- late observations ------------------------------------------------------------------------------------------ */

/* An innovation at arm x with variance s: updates the likelihood, and h, its column c, becomes c / sqrt(s). */
static tvgp__insertion begin(recursive *p, double *h, size_t n, double variance, double noise, tvgp__innovation *seen) {
    tvgp__posterior *b = &p->base;
    seen->s = tvgp__posterior_surprise(b, seen->e, variance, noise);
    double root = sqrt(seen->s);
    for (size_t i = 0; i < n; i++)
        h[i] /= root;
    return (tvgp__insertion){.ctx = b->ctx, .largest = b->largest, .n = n, .h = h, .eta = seen->e / root};
}

/* What the insertion changed: h over the arms, at `now`. */
static void end(recursive *p, const tvgp__insertion *in, const double *h) {
    tvgp__posterior *b = &p->base;
    b->own.moments.valid = 0;
    b->log_marginal_likelihood += b->assumes ? 0 : in->log_marginal_likelihood;
    b->log_det_ratio += in->log_det_ratio;
    b->counts.jitter += in->jitter;
    for (size_t i = 0; i < b->n; i++) {
        b->own.mean[i] += in->eta * h[i];
        b->own.var[i] -= h[i] * h[i];
    }
}

static void insert_column(recursive *p, size_t keep, double y, double noise, tvgp__innovation *seen) {
    tvgp__columns *c = &p->columns;
    double m = tvgp__drift_between(&p->law, seen->t, p->base.now).m, mean = 0, *h = p->work;
    const double *row = tvgp__columns_row(c, 0, keep, seen->arm, c->count);
    for (size_t k = keep; k-- > 0;) {
        const tvgp__innovation *before = &tvgp__columns_at(c, k)->seen;
        mean += sqrt(tvgp__columns_decay(c, k)) / m * before->e / sqrt(before->s) * row[k];
    }
    double variance = column_at(p, keep, seen->t, 1 / (m * m), seen->arm, prior_of(&p->base, seen->arm), h);
    seen->e = y - mean;
    if (p->found && keep < p->found->done)
        tvgp__basis_change_clear(p->found);
    tvgp__insertion in = begin(p, h, c->n + c->tail, isnan(variance) ? h[seen->arm] : variance, noise, seen);
    memcpy(tvgp__columns_next(c), h, c->n * sizeof *h);
    tvgp__columns_insert(c, keep, seen, noise, m * m);
    tvgp__columns_carry(c, &p->law, keep + 1, seen->t, p->base.now, &in);
    end(p, &in, h);
}

static void insert_weights(recursive *p, size_t keep, double y, double noise, tvgp__innovation *seen) {
    tvgp__weight_space *w = &p->weights;
    const tvgp__basis *b = &w->basis;
    seen->e = y - tvgp__delayed_rewind(&p->late, w, &keep, seen->t, seen->arm);
    memcpy(p->late.h, w->c, b->r * sizeof *w->c);
    tvgp__insertion in = begin(p, p->late.h, b->r, tvgp__blas_dot(b->r, w->phi, w->c), noise, seen);
    tvgp__delayed_carry(&p->late, w, keep, seen->t, p->base.now, &in);
    tvgp__blas_gemv(TVGP__NO_TRANS, b->n, b->r, 1, b->Phi, b->n, in.h, 0, p->work);
    tvgp__blas_axpy(b->r, in.eta, in.h, w->mean);
    end(p, &in, p->work);
    p->looked = 0;
    tvgp__delayed_add(&p->late, keep, seen, w, p->base.now);
}

/* Too late to be exact: y = m f_now[x] + noise of variance v + q k(x, x). */
static void blur(recursive *p, size_t arm, double t, double y, double noise) {
    tvgp__posterior *b = &p->base;
    tvgp__drift_step step = tvgp__drift_between(&p->law, t, b->now);
    tvgp__posterior_count_late(b);
    append(p, arm, y / step.m, (noise + step.q * tvgp__shard_at(b->shard, b->prior, arm)) / (step.m * step.m));
    b->log_marginal_likelihood -= b->assumes ? 0 : log(step.m); /* the density of y, not of y / m */
}

/* Returns the number of stored observations with a time of at most t; SIZE_MAX: more than late_limit are later. */
static size_t made_by(const recursive *p, double t) {
    if (!p->in_weights)
        return tvgp__columns_made_by(&p->columns, p->late_limit, t);
    return tvgp__recursive_keeps_late(p) ? tvgp__delayed_made_by(&p->late, t) : SIZE_MAX;
}

/* An observation of the past, under drift: exact by insertion, unless it is too old for that. */
static void observe_late(recursive *p, size_t arm, double t, double y, double noise) {
    tvgp__innovation seen = {.arm = arm, .t = t};
    if (tvgp__drift_between(&p->law, t, p->base.now).m < 0x1p-53)
        return; /* what it says about the present is below round-off */
    size_t keep = made_by(p, t);
    if (keep == SIZE_MAX)
        blur(p, arm, t, y, noise);
    else if (p->in_weights)
        insert_weights(p, keep, y, noise, &seen);
    else
        insert_column(p, keep, y, noise, &seen);
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, double t, double y, double noise) {
    recursive *p = (recursive *)base;
    size_t arm = points->arm[i];
    change(p);
    if (t >= base->now || tvgp__recursive_is_static(p)) {
        if (t > base->now)
            advance(base, t);
        append(p, arm, y, noise);
    } else {
        observe_late(p, arm, t, y, noise);
    }
}

static void reset(tvgp__posterior *base) {
    recursive *p = (recursive *)base;
    tvgp__columns_clear(&p->columns);
    if (p->found)
        tvgp__basis_change_clear(p->found);
    p->looked = 0;
    p->exact = TVGP__RECURSIVE_FULL; /* the arms are strongly correlated */
    if (p->in_weights)
        tvgp__weight_space_clear(&p->weights);
    if (p->in_weights && tvgp__recursive_keeps_late(p))
        tvgp__delayed_clear(&p->late);
    tvgp__posterior_prior(base, base->now == -INFINITY ? 1 : tvgp__drift_kappa(&p->law, base->now));
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

static tvgp__drift_step step_to(const recursive *p, double t) {
    return p->base.now == -INFINITY ? (tvgp__drift_step){.m = 0, .q = tvgp__drift_kappa(&p->law, t)}
                                    : tvgp__drift_between(&p->law, p->base.now, t);
}

TVGP__SIMD_CLONES
static void all_after(size_t n, double m, double q, const double *restrict mean, const double *restrict var,
                      const double *restrict prior, double *restrict mean_out, double *restrict var_out) {
    for (size_t i = 0; i < n; i++) {
        const double v = m * m * var[i] + q * prior[i];
        mean_out[i] = m * mean[i];
        var_out[i] = v > 0 ? v : 0;
    }
}

static void bounds_at(tvgp__posterior *b, double t, double *mean, double *var, tvgp__slack *slack) {
    const tvgp__drift_step step = step_to((const recursive *)b, t);
    all_after(b->n, step.m, step.q, b->own.mean, b->own.var, b->prior, mean, var);
    slack->mean = step.m * b->own.off.mean;
    slack->var = step.m * step.m * b->own.off.var;
}

static void at(tvgp__posterior *b, double t, size_t n, const size_t *arm, double *mean, double *var) {
    if (n > ONE_BY_ONE)
        tvgp__recursive_sharpen(b, b->n, NULL);
    else
        tvgp__recursive_sharpen(b, n, arm);
    const tvgp__drift_step step = step_to((const recursive *)b, t);
    for (size_t k = 0; k < n; k++) {
        size_t i = arm ? arm[k] : k;
        mean[k] = step.m * b->own.mean[i];
        var[k] = fmax(step.m * step.m * b->own.var[i] + step.q * b->prior[i], 0);
    }
}

static tvgp_status form(tvgp__posterior *b, double t, tvgp__predictive *out) {
    const recursive *p = (const recursive *)b;
    TVGP__TRY(p->in_weights ? tvgp__weight_space_form(&p->weights, b->kernel, b->X, b->own.mean, out)
                            : tvgp__columns_form(&p->columns, &p->law, b->kernel, b->X, out));
    out->kappa = tvgp__drift_kappa(&p->law, t);
    out->fade = b->now == -INFINITY ? 1 : tvgp__drift_between(&p->law, b->now, t).m;
    return TVGP_OK;
}

static double correlation(const tvgp__posterior *b, double from, double to) {
    return tvgp__drift_correlation(&((const recursive *)b)->law, from, to);
}

/* Of columns: with the rows of the kernel, which are held for them. */
static tvgp_status columns_covariance(recursive *p, const tvgp__drift_step *step, size_t m, const size_t *arm, double *out) {
    TVGP__TRY(tvgp__posterior_reach(&p->base, &(tvgp__points){.n = m, .arm = arm}));
    for (size_t j = 0; j < m; j++, out += p->base.n) {
        const double *row = tvgp__kernel_rows_at(&p->base.rows, arm[j]);
        column(&p->base, arm[j], out);
        for (size_t i = 0; i < p->base.n; i++)
            out[i] = step->m * step->m * out[i] + step->q * row[i];
    }
    return TVGP_OK;
}

static tvgp_status covariance(tvgp__posterior *b, double t, size_t m, const size_t *arm, double *out) {
    recursive *p = (recursive *)b;
    const tvgp__drift_step step = step_to(p, t);
    return p->in_weights ? tvgp__recursive_weights_columns(p, step.m * step.m, step.q, m, arm, out)
                         : columns_covariance(p, &step, m, arm, out);
}

static void release(tvgp__posterior *base) {
    recursive *p = (recursive *)base;
    drop_found(p);
    tvgp__basis_change_free(base->ctx, p->idle);
    drop_rank(p);
    if (p->columns.ctx)
        tvgp__columns_free(&p->columns);
    if (p->in_weights)
        tvgp__weight_space_free(&p->weights);
    if (p->in_weights && tvgp__recursive_keeps_late(p))
        tvgp__delayed_free(&p->late);
    tvgp__memory_free(base->ctx, p->work);
}

static tvgp_status share(tvgp__posterior *b, tvgp__shard *shard) {
    recursive *p = (recursive *)b;
    p->rank->basis.shard = shard;
    TVGP__TRY(tvgp__memory_grow(b->ctx, b->n + TVGP__COLUMNS_TAIL, sizeof *p->work, &p->work));
    return tvgp__columns_share(&p->columns, shard);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/* Features are not saved but made again from the kernel. A handle that loads now columns, now weights puts the weights away
 * meanwhile. */
static tvgp_status into_columns(tvgp__recursive *p) {
    tvgp__posterior *b = &p->base;
    if (!p->idle)
        TVGP__TRY(tvgp__memory_alloc(b->ctx, 1, sizeof *p->idle, &p->idle));
    if (!p->rank) {
        TVGP__TRY(tvgp__memory_alloc(b->ctx, 1, sizeof *p->rank, &p->rank));
        *p->rank = tvgp__basis_search_of(b->ctx, 1, (const tvgp_kernel *const *)&b->kernel, b->n, b->X, p->tolerance);
        p->rank->basis.shard = b->shard;
    }
    p->idle->stage = TVGP__BASIS_CHANGE_READY;
    p->idle->weights = p->weights;
    p->idle->late = p->late;
    p->weights = (tvgp__weight_space){0};
    p->late = (tvgp__delayed){0};
    if (!b->rows.ctx)
        tvgp__kernel_rows_init(&b->rows, b->ctx, b->kernel, b->n, b->X);
    tvgp__kernel_rows_share(&b->rows, b->shard);
    p->in_weights = 0;
    return TVGP_OK;
}

static tvgp_status into_weights(tvgp__recursive *p) {
    if (!p->idle) {
        if (p->rank->given_up)
            tvgp__basis_search_end(p->rank);
        p->rank->may_give_up = 0;
        TVGP__TRY(tvgp__basis_search_on(p->rank, tvgp__shard_total(p->base.shard, p->base.n)));
        TVGP__TRY(set_aside(p, &p->idle));
    }
    while (p->idle->stage < TVGP__BASIS_CHANGE_READY)
        TVGP__TRY(tvgp__basis_change_prepare(p->idle));
    p->weights = p->idle->weights;
    p->late = p->idle->late;
    tvgp__memory_free(p->base.ctx, p->idle->U);
    tvgp__memory_free(p->base.ctx, p->idle);
    p->idle = NULL;
    tvgp__kernel_rows_free(&p->base.rows);
    p->in_weights = 1;
    return TVGP_OK;
}

static void visit_found(tvgp__recursive *p, tvgp__visit *v) {
    int begun = p->found != NULL;
    size_t stage = begun ? p->found->stage : 0, as_of = begun ? p->found->as_of : 0;
    tvgp__visit_flag(v, &begun);
    tvgp__visit_size(v, &stage, 0, TVGP__BASIS_CHANGE_READY);
    tvgp__visit_size(v, &as_of, 0, SIZE_MAX);
    if (tvgp__visit_loads(v) && begun && !p->rank->complete)
        tvgp__visit_refuse(v, "weights without their rank");
    if (tvgp__visit_loads(v) && begun)
        tvgp__visit_try(v, set_aside(p, &p->found));
    while (tvgp__visit_loads(v) && begun && p->found->stage < stage)
        tvgp__visit_try(v, tvgp__basis_change_prepare(p->found));
    if (!begun || !tvgp__visit_fine(v))
        return;
    p->found->as_of = as_of;
    tvgp__basis_change_visit(p->found, &p->columns, v);
}

/* What a change has begun with; the search goes through the kernel again. */
static void begin_again(tvgp__recursive *p) {
    if (!p->found)
        return;
    tvgp__basis_change_free(p->base.ctx, p->found);
    tvgp__basis_search_end(p->rank);
    p->found = NULL;
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    tvgp__recursive *p = (tvgp__recursive *)base;
    int in_weights = p->in_weights;
    tvgp__visit_flag(v, &in_weights);
    if (tvgp__visit_loads(v))
        begin_again(p);
    if (tvgp__visit_loads(v) && in_weights != p->in_weights)
        tvgp__visit_try(v, in_weights ? into_weights(p) : into_columns(p));
    if (!tvgp__visit_fine(v))
        return;
    p->looked = 0;
    tvgp__visit_size(v, &p->exact, 0, INT32_MAX);
    if (!in_weights) {
        tvgp__columns_visit(&p->columns, v);
        tvgp__basis_search_visit(p->rank, v);
        visit_found(p, v);
        return;
    }
    if (tvgp__visit_loads(v)) {
        tvgp__columns_trim(&p->columns, 0);
    }
    tvgp__weight_space_visit(&p->weights, v);
    if (tvgp__recursive_keeps_late(p))
        tvgp__delayed_visit(&p->late, tvgp__shard_total(base->shard, base->n), v);
}

/* ---- more arms: columns ----------------------------------------------------------------------------------------- */

/* Adds record k of `from`, with the column given by the larger p->columns, which hold the earlier records. The column g
 * = P[:, x] / sqrt(s) at its own time gains the entries of the new arms, computed from the earlier records as for
 * delayed feedback. Mean and variance of the new arms are their sums. */
static tvgp_status add_record(const tvgp__recursive *from, size_t k, tvgp__recursive *p) {
    tvgp__posterior *b = &p->base;
    tvgp__columns *c = &p->columns;
    const tvgp__columns_record *r = tvgp__columns_at(&from->columns, k);
    const double decay = tvgp__columns_decay(&from->columns, k), m = tvgp__drift_between(&p->law, r->seen.t, b->now).m;
    const double root = sqrt(r->seen.s), gain = sqrt(decay) * (r->seen.e / root);
    double *g = tvgp__columns_next(c);
    TVGP__TRY(tvgp__posterior_hold(b, &(tvgp__points){.n = 1, .arm = &r->seen.arm}));
    tvgp__columns_column(c, &p->law, k, r->seen.t, 1 / (m * m), r->seen.arm, NAN,
                         tvgp__kernel_rows_at(&b->rows, r->seen.arm), g);
    memcpy(g, tvgp__columns_g(&from->columns, k), from->base.n * sizeof *g);
    for (size_t i = from->base.n; i < b->n; i++) {
        g[i] /= root;
        b->own.mean[i] += gain * g[i];
        b->own.var[i] -= decay * g[i] * g[i];
    }
    tvgp__columns_insert(c, k, &r->seen, r->noise, decay);
    return TVGP_OK;
}

static tvgp_status extend_columns(const tvgp__recursive *from, tvgp__recursive *p) {
    TVGP__TRY(tvgp__columns_reserve(&p->columns, from->columns.count));
    for (size_t k = 0; k < from->columns.count; k++)
        TVGP__TRY(add_record(from, k, p));
    return TVGP_OK;
}

/* ---- more arms: weights go over to the basis of the larger set, R becomes T R T' (feature/basis_turn.h) -------------------- */

static void turn_state(const tvgp__basis_turn *t, const tvgp__delayed_state *from, tvgp__delayed_state *to) {
    tvgp__basis_turn_packed(t, from->R, to->R);
    tvgp__basis_turn_vector(t, from->mean, to->mean);
    to->t = from->t;
}

/* What waits stays apart: the new weights may have another room for it. */
static void turn_weights(const tvgp__basis_turn *t, const tvgp__weight_space *from, tvgp__weight_space *to) {
    tvgp__basis_turn_packed(t, from->R, to->R);
    for (size_t k = 0; k < from->n_waiting; k++) {
        tvgp__basis_turn_vector(t, from->waiting + k * t->r, to->c);
        tvgp__weight_space_add(to, to->c);
    }
    tvgp__basis_turn_vector(t, from->mean, to->mean);
    to->scale = from->scale;
}

static tvgp_status turn_late(const tvgp__basis_turn *t, const tvgp__recursive *from, tvgp__recursive *p) {
    const tvgp__delayed *old = &from->late;
    TVGP__TRY(tvgp__delayed_new(p->base.ctx, t->r2, &p->law, p->late_limit, &p->late));
    turn_state(t, &old->older, &p->late.older);
    turn_state(t, &old->newer, &p->late.newer);
    p->late.first = old->first;
    p->late.count = old->count;
    p->late.in_newer = old->in_newer;
    memcpy(p->late.value, old->value, old->slots * sizeof *old->value);
    memcpy(p->late.arm, old->arm, old->slots * sizeof *old->arm);
    return TVGP_OK;
}

/* Mean and variance of the new arms. */
static void predict_new(const tvgp__basis_turn *t, const tvgp__recursive *from, tvgp__recursive *p) {
    const tvgp__weight_space *w = &from->weights;
    double *R = t->work, *Rv = R + tvgp__weight_space_triangle(t->r);
    tvgp__weight_space_copy(w, 0, R);
    for (size_t i = 0; i < t->more; i++) {
        const double *v = t->V + i * t->r;
        memset(Rv, 0, t->r * sizeof *Rv);
        tvgp__loops_spmv(t->r, w->scale, R, v, Rv);
        p->base.own.mean[from->base.n + i] = tvgp__blas_dot(t->r, w->mean, v);
        p->base.own.var[from->base.n + i] -= tvgp__blas_dot(t->r, v, Rv);
    }
}

static tvgp_status extend_weights(const tvgp__recursive *from, tvgp__recursive *p) {
    tvgp__posterior *b = &p->base;
    tvgp__basis_turn t = {0};
    TVGP__TRY(tvgp__basis_search_on(p->rank, b->n));
    p->weights.basis.ctx = b->ctx;
    TVGP__TRY(tvgp__weight_space_new(p->rank, &p->weights));
    tvgp_status status = tvgp__basis_turn_new(&from->weights.basis, &p->weights.basis, b->kernel, b->X, &t);
    if (status == TVGP_OK)
        status = tvgp__weight_space_screen(&p->weights);
    if (status == TVGP_OK) {
        turn_weights(&t, &from->weights, &p->weights);
        predict_new(&t, from, p);
        status = tvgp__recursive_keeps_late(p) ? turn_late(&t, from, p) : TVGP_OK;
    }
    tvgp__basis_turn_free(&t);
    go_on_in_weights(p); /* also on failure: so they are freed */
    return status;
}

static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const tvgp__recursive *from = (const tvgp__recursive *)base;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__recursive_new(base->ctx, base->kernel, &from->law, 0, from->late_limit, n, X, &fresh));
    tvgp__recursive *p = (tvgp__recursive *)fresh;
    p->tolerance = p->rank->tolerance = from->tolerance;
    if (base->now != -INFINITY)
        tvgp__posterior_prior(fresh, tvgp__drift_kappa(&p->law, base->now));
    tvgp__posterior_inherit(fresh, base);
    tvgp_status status = from->in_weights ? extend_weights(from, p) : extend_columns(from, p);
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

/* Several parts hold a copy of the drift model, including those set aside. */
static void pace(tvgp__posterior *base, double unit) {
    recursive *p = (recursive *)base;
    tvgp__basis_change *aside[] = {p->found, p->idle};
    tvgp__drift_pace(&p->law, unit);
    tvgp__drift_pace(&p->late.law, unit);
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++)
        if (aside[i]) {
            tvgp__drift_pace(&aside[i]->law, unit);
            tvgp__drift_pace(&aside[i]->late.law, unit);
        }
}

static const tvgp__posterior_shared shared = {.share = share, .seek = seek};
static const tvgp__posterior_ops ops = {.prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .sharpen = tvgp__recursive_sharpen,
                                        .at = at,
                                        .bounds_at = bounds_at,
                                        .column = column,
                                        .form = form,
                                        .shared = &shared,
                                        .reset = reset,
                                        .correlation = correlation,
                                        .covariance = covariance,
                                        .pace = pace,
                                        .extend = extend,
                                        .release = release,
                                        .visit = visit};

tvgp_status tvgp__recursive_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__drift *law, double noise,
                                size_t late_limit, size_t n, const double *X, tvgp__posterior **out) {
    recursive *p = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->law = *law;
    p->tolerance = tvgp__basis_tolerance(p->base.largest, noise);
    p->late_limit = late_limit;
    tvgp__columns_init(&p->columns, ctx, n);
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *p->work, &p->work);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, 1, sizeof *p->rank, &p->rank);
    if (status == TVGP_OK)
        *p->rank = tvgp__basis_search_of(ctx, 1, (const tvgp_kernel *const *)&p->base.kernel, n, X, p->tolerance);
    if (status < 0)
        tvgp__posterior_free(&p->base);
    else
        *out = &p->base;
    return status;
}
