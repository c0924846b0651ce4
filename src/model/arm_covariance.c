/* SPDX-License-Identifier: MIT */
/* P = K - c R, where K = Phi Phi' (model/feature/basis.h, shared by the policies of a context) and R is a triangle: time multiplies the factor c by m^2, and an observation of arm a with noise variance v takes the column p = P[:, a],
 * s = p[a] + v, and adds p p' / (c s) to R. The scale is kept apart so that time costs O(n). */
#include "model/arm_covariance.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* A state to go back to: R, mean and variance of all arms, and what else changes. */
typedef struct past {
    double *R, *mean, *var, scale, now, likelihood, ratio;
    tvgp__posterior_counts counts;
} past;

typedef struct seen {
    double t, y, noise, gain; /* gain: what the log likelihood gets in addition */
    uint32_t arm;
    int32_t assumed;
} seen;

typedef struct {
    tvgp__posterior base;
    tvgp__drift drift;
    double noise; /* the smallest of an observation: the basis depends on it */
    tvgp__basis basis;
    double *R, scale;          /* the lower triangle by columns; its factor */
    double *g, *phi;           /* workspace: n, r */
    size_t late_limit, middle; /* middle: number of those kept that the newer state knows */
    past older, newer;
    seen *list; /* since the older state, in order of time: n, at most 2 late_limit + 1 */
    size_t n;
} covariance;

static size_t triangle(size_t n) {
    return n * (n + 1) / 2;
}

/* ---- states of the past ------------------------------------------------------------------------------------------ */

static void save(const covariance *p, past *to) {
    const tvgp__posterior *b = &p->base;
    memcpy(to->R, p->R, triangle(b->n) * sizeof *p->R);
    memcpy(to->mean, b->own.mean, b->n * sizeof *p->R);
    memcpy(to->var, b->own.var, b->n * sizeof *p->R);
    to->scale = p->scale;
    to->now = b->now;
    to->likelihood = b->log_marginal_likelihood;
    to->ratio = b->log_det_ratio;
    to->counts = b->counts;
}

static void restore(covariance *p, const past *from) {
    tvgp__posterior *b = &p->base;
    const size_t widened = b->counts.widened;
    memcpy(p->R, from->R, triangle(b->n) * sizeof *p->R);
    memcpy(b->own.mean, from->mean, b->n * sizeof *p->R);
    memcpy(b->own.var, from->var, b->n * sizeof *p->R);
    p->scale = from->scale;
    b->now = from->now;
    b->log_marginal_likelihood = from->likelihood;
    b->log_det_ratio = from->ratio;
    b->counts = from->counts;
    b->counts.widened = widened;
}

/* Room of one state. */
static tvgp_status allocate_past(tvgp_ctx *ctx, size_t n, past *s) {
    TVGP__TRY(tvgp__memory_alloc(ctx, triangle(n) + 2 * n, sizeof *s->R, &s->R));
    s->mean = s->R + triangle(n);
    s->var = s->mean + n;
    return TVGP_OK;
}

static int keeps(const covariance *p) {
    return p->late_limit > 0;
}

static void insert(covariance *p, size_t k, const seen *o) {
    memmove(p->list + k + 1, p->list + k, (p->n++ - k) * sizeof *o);
    p->list[k] = *o;
    p->middle += k < p->middle;
}

static void drop(covariance *p, size_t n) {
    p->n -= n;
    p->middle -= n;
    memmove(p->list, p->list + n, p->n * sizeof *p->list);
}

/* The newer state becomes the older one when as many came since as may be late. */
static void turn(covariance *p) {
    if (p->n - p->middle <= p->late_limit)
        return;
    const past older = p->older;
    drop(p, p->middle);
    p->older = p->newer;
    p->newer = older;
    p->middle = p->n;
    save(p, &p->newer);
}

/* ---- time and observations ------------------------------------------------------------------------------------------- */

static void kernel_column(const covariance *p, size_t arm, double *out) {
    const tvgp__basis *f = &p->basis;
    for (size_t j = 0; j < f->r; j++)
        p->phi[j] = f->Phi[j * f->n + arm];
    tvgp__blas_gemv(TVGP__NO_TRANS, f->n, f->r, 1, f->Phi, f->n, p->phi, 0, out);
}

/* out -= scale R[:, arm] */
static void subtract_column(size_t n, double scale, const double *R, size_t arm, double *out) {
    for (size_t j = 0; j < arm; R += n - j++)
        out[j] -= scale * R[arm - j];
    for (size_t i = arm; i < n; i++)
        out[i] -= scale * R[i - arm];
}

static void column_of(const covariance *p, size_t arm, double *out) {
    kernel_column(p, arm, out);
    subtract_column(p->base.n, p->scale, p->R, arm, out);
}

static void column(tvgp__posterior *b, size_t arm, double *out) {
    column_of((covariance *)b, arm, out);
}

TVGP__SIMD_CLONES
static void add_square(size_t n, const double *restrict g, double *restrict R) {
    for (size_t j = 0; j < n; R += n - j++)
        for (size_t i = j; i < n; i++)
            R[i - j] += g[j] * g[i];
}

static void rescale(covariance *p) {
    tvgp__blas_scale(triangle(p->base.n), p->scale, p->R);
    p->scale = 1;
}

static void advance(tvgp__posterior *b, double t) {
    covariance *p = (covariance *)b;
    if (b->now == -INFINITY) {
        b->now = t;
        return;
    }
    if (t == b->now)
        return;
    const tvgp__drift_step step = tvgp__drift_between(&p->drift, b->now, t);
    b->now = t;
    if (step.m == 1 && step.q == 0)
        return;
    tvgp__posterior_transit(b, step.m, step.q);
    p->scale *= step.m * step.m;
    if (p->scale < 1e-100)
        rescale(p);
}

static void take(covariance *p, const seen *o) {
    double e;
    if (o->t > p->base.now)
        advance(&p->base, o->t);
    p->base.assumes = o->assumed;
    column_of(p, o->arm, p->g);
    const double s = tvgp__posterior_condition(&p->base, o->arm, o->y, o->noise, NAN, p->g, &e);
    if (!isinf(s)) {
        tvgp__blas_scale(p->base.n, 1 / sqrt(p->scale), p->g);
        add_square(p->base.n, p->g, p->R);
    }
    p->base.log_marginal_likelihood += o->assumed ? 0 : o->gain;
}

/* Back, and once more with the late one in its place. Where the newer state knows more than may be late, the older one takes the oldest, so
 * that there is room. */
static void repeat(covariance *p, size_t k, const seen *o) {
    const double now = p->base.now;
    const int recent = k >= p->middle && o->t >= p->newer.now;
    insert(p, k, o);
    const int full = !recent && p->middle > p->late_limit;
    restore(p, recent ? &p->newer : &p->older);
    for (size_t i = recent ? p->middle : 0; i < p->n; i++) {
        take(p, &p->list[i]);
        if (full && i == 0)
            save(p, &p->older);
        if (i + 1 == p->middle)
            save(p, &p->newer);
    }
    p->base.assumes = o->assumed;
    advance(&p->base, now);
    drop(p, (size_t)full);
    turn(p);
}

static void keep(covariance *p, const seen *o) {
    if (!keeps(p))
        return;
    insert(p, p->n, o);
    turn(p);
}

static void observe_late(covariance *p, seen o) {
    tvgp__posterior *b = &p->base;
    const tvgp__drift_step step = tvgp__drift_between(&p->drift, o.t, b->now);
    size_t k = p->n;
    while (k && p->list[k - 1].t > o.t)
        k--;
    if (keeps(p) && p->n - k <= p->late_limit && o.t >= p->older.now) {
        repeat(p, k, &o);
        return;
    }
    tvgp__posterior_count_late(b);
    if (step.m < 0x1p-53) { /* it says nothing of the present */
        b->counts.observations++;
        return;
    }
    o.t = b->now;
    o.y /= step.m;
    o.gain = -log(step.m);
    o.noise = (o.noise + step.q * b->prior[o.arm]) / (step.m * step.m);
    take(p, &o);
    keep(p, &o);
}

static void observe(tvgp__posterior *b, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *outcome) {
    covariance *p = (covariance *)b;
    const seen o = {
        .arm = (uint32_t)points->arm[i], .t = outcome->t, .y = outcome->y, .noise = outcome->noise, .assumed = b->assumes};
    if (o.t < b->now) {
        observe_late(p, o);
        return;
    }
    take(p, &o);
    keep(p, &o);
}

/* The basis and the list are there. */
static tvgp_status prepare(tvgp__posterior *b, const tvgp__points *points) {
    (void)b, (void)points;
    return TVGP_OK;
}

static void reset(tvgp__posterior *b) {
    covariance *p = (covariance *)b;
    memset(p->R, 0, triangle(b->n) * sizeof *p->R);
    p->scale = 1;
    p->n = p->middle = 0;
    tvgp__posterior_prior(b, 1);
    if (keeps(p)) {
        save(p, &p->older);
        save(p, &p->newer);
        p->older.now = p->newer.now = -INFINITY; /* nothing is known at any time */
    }
}

/* ---- predictions ----------------------------------------------------------------------------------------------------- */

static tvgp__drift_step step_to(const covariance *p, double t) {
    return p->base.now == -INFINITY ? (tvgp__drift_step){.m = 0, .q = 1} : tvgp__drift_between(&p->drift, p->base.now, t);
}

static void at(tvgp__posterior *b, double t, size_t n, const size_t *arm, double *mean, double *var) {
    const tvgp__drift_step step = step_to((const covariance *)b, t);
    for (size_t k = 0; k < n; k++) {
        const size_t i = arm ? arm[k] : k;
        mean[k] = step.m * b->own.mean[i];
        var[k] = fmax(step.m * step.m * b->own.var[i] + step.q * b->prior[i], 0);
    }
}

static tvgp_status covariances(tvgp__posterior *b, double t, size_t m, const size_t *arm, double *out) {
    const covariance *p = (const covariance *)b;
    const tvgp__drift_step step = step_to(p, t);
    for (size_t j = 0; j < m; j++, out += b->n) {
        column_of(p, arm[j], out);
        kernel_column(p, arm[j], p->g);
        for (size_t i = 0; i < b->n; i++)
            out[i] = step.m * step.m * out[i] + step.q * p->g[i];
    }
    return TVGP_OK;
}

/* R of two arms. */
static double entry(const covariance *p, size_t i, size_t j) {
    const size_t low = i < j ? i : j, high = i < j ? j : i;
    return p->R[low * (2 * p->base.n - low + 1) / 2 + high - low];
}

/* In weights: u = L^-1 mean, S = L^-1 R L^-T at the pivots. */
static tvgp_status predictive(tvgp__posterior *b, double t, tvgp__predictive *out) {
    covariance *p = (covariance *)b;
    const size_t r = p->basis.r, dim = b->kernel->dim;
    double *memory = NULL;
    TVGP__TRY(tvgp__memory_alloc(b->ctx, r, (r + dim + 1) * sizeof *memory, &memory));
    double *S = memory, *u = S + r * r, *X = u + r;
    tvgp__basis_points(&p->basis, dim, b->X, X);
    tvgp__basis_weights(&p->basis, b->own.mean, u);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < r; i++)
            S[j * r + i] = entry(p, p->basis.pivot[i], p->basis.pivot[j]);
    tvgp__blas_trsm(TVGP__NO_TRANS, r, r, p->basis.L, r, S, r);
    tvgp__blas_trsm_right(r, r, p->basis.L, r, S, r);
    *out = tvgp__predictive_of(b->ctx, b->kernel, r, X, p->basis.L, r, u);
    out->S = S;
    out->scale = p->scale;
    out->memory = memory;
    out->fade = b->now == -INFINITY ? 1 : tvgp__drift_between(&p->drift, b->now, t).m;
    return TVGP_OK;
}

static double correlation(const tvgp__posterior *b, double from, double to) {
    return tvgp__drift_correlation(&((const covariance *)b)->drift, from, to);
}

static void set_unit(tvgp__posterior *b, double unit) {
    tvgp__drift_set_unit(&((covariance *)b)->drift, unit);
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

static void release(tvgp__posterior *b) {
    covariance *p = (covariance *)b;
    tvgp__basis_free(&p->basis);
    tvgp__memory_free(b->ctx, p->R);
    tvgp__memory_free(b->ctx, p->older.R);
    tvgp__memory_free(b->ctx, p->newer.R);
    tvgp__memory_free(b->ctx, p->list);
}

static void visit_past(const covariance *p, past *s, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    tvgp__visit_reals(v, triangle(p->base.n) + 2 * p->base.n, s->R, -most, most);
    tvgp__visit_real(v, &s->scale, 1e-200, 1);
    tvgp__visit_real(v, &s->now, -INFINITY, most);
    tvgp__visit_real(v, &s->likelihood, -most, most);
    tvgp__visit_real(v, &s->ratio, -most, most);
    tvgp__visit_tally_size(v, &s->counts.observations);
    tvgp__visit_tally_size(v, &s->counts.jitter);
    if (tvgp__visit_loads(v))
        s->counts.rank = p->base.n;
}

static void visit_list(covariance *p, tvgp__visit *v) {
    const double range = TVGP__VALID_RANGE_MOST;
    size_t n = p->n;
    tvgp__visit_count(v, &n, 2 * p->late_limit + 1, 38);
    p->n = n;
    for (size_t i = 0; tvgp__visit_fine(v) && i < p->n; i++) {
        seen *o = &p->list[i];
        size_t arm = o->arm;
        int assumed = o->assumed;
        tvgp__visit_indices(v, 1, &arm, p->base.n);
        tvgp__visit_flag(v, &assumed);
        tvgp__visit_real(v, &o->t, -range, range);
        tvgp__visit_real(v, &o->y, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
        tvgp__visit_real(v, &o->noise, 0, TVGP__VISIT_MOST);
        tvgp__visit_real(v, &o->gain, 0, TVGP__VISIT_MOST);
        o->arm = (uint32_t)arm;
        o->assumed = assumed;
    }
}

static void visit(tvgp__posterior *b, tvgp__visit *v) {
    covariance *p = (covariance *)b;
    tvgp__visit_reals(v, triangle(b->n), p->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &p->scale, 1e-200, 1);
    if (!keeps(p))
        return;
    visit_list(p, v);
    tvgp__visit_size(v, &p->middle, 0, p->n);
    visit_past(p, &p->older, v);
    visit_past(p, &p->newer, v);
}

/* ---- more arms --------------------------------------------------------------------------------------------------- */

/* What pivots may leave out of the largest variance: B magnifies the round-off of R by 1 / share and of the mean by its root; what is left
 * out loses a variance of share / noise, and a mean of the root of it. */
static const double LEAST_SQUARE = 1e-10, LEAST_MEAN = 1e-14;

/* B = K(new, P) K(P, P)^-1 for the first pivots P of the old arms, one row of `old` for each new arm, 0 elsewhere: mean and R of all arms
 * are (I; B) times what they are of the old ones. The pivots leave out at most this share of the largest variance. P: room for r x dim, then
 * for r. The kernel's status. */
static tvgp_status projection(const covariance *from, const covariance *p, double least, double *P, double *B) {
    const tvgp__basis *f = &from->basis;
    const size_t old = f->n, more = p->base.n - old, dim = p->base.kernel->dim;
    double *work = P + f->r * dim;
    size_t r = 1;
    while (r < f->r && f->L[r * (f->r + 1)] * f->L[r * (f->r + 1)] > least * from->base.most)
        r++;
    tvgp__basis_points(f, dim, from->base.X, P);
    TVGP__TRY(tvgp__kernel_block(p->base.kernel, more, p->base.X + old * dim, r, P, B, old));
    tvgp__blas_trsm(TVGP__NO_TRANS, r, more, f->L, f->r, B, old);
    tvgp__blas_trsm(TVGP__TRANS, r, more, f->L, f->r, B, old);
    for (size_t i = 0; i < more; i++) {
        memcpy(work, B + i * old, r * sizeof *B);
        memset(B + i * old, 0, old * sizeof *B);
        for (size_t j = 0; j < r; j++)
            B[i * old + f->pivot[j]] = work[j];
    }
    return TVGP_OK;
}

/* x = R b, in a triangle of n. */
static void multiply(size_t n, const double *R, const double *b, double *x) {
    memset(x, 0, n * sizeof *x);
    for (size_t j = 0; j < n; R += n - j++) {
        x[j] += R[0] * b[j];
        for (size_t i = j + 1; i < n; i++) {
            x[i] += R[i - j] * b[j];
            x[j] += R[i - j] * b[i];
        }
    }
}

/* State `s` of the old arms becomes `to` of all of them, by the projection B, the mean by M. W: room for more x old. */
static void extend_state(size_t old, const past *s, const double *B, const double *M, double *W, covariance *p, past *to) {
    const size_t n = p->base.n, more = n - old;
    const double *R = s->R;
    double *S = to->R;
    for (size_t i = 0; i < more; i++)
        multiply(old, s->R, B + i * old, W + i * old);
    for (size_t j = 0; j < old; R += old - j, S += n - j, j++) {
        memcpy(S, R, (old - j) * sizeof *S);
        for (size_t i = 0; i < more; i++)
            S[old - j + i] = W[i * old + j];
    }
    memcpy(to->mean, s->mean, old * sizeof *S);
    memcpy(to->var, s->var, old * sizeof *S);
    for (size_t j = 0; j < more; S += more - j++) {
        for (size_t i = j; i < more; i++)
            S[i - j] = tvgp__blas_dot(old, B + i * old, W + j * old);
        to->mean[old + j] = tvgp__blas_dot(old, M + j * old, s->mean);
        to->var[old + j] = p->base.prior[old + j] - s->scale * S[0];
    }
    to->scale = s->scale;
    to->now = s->now;
    to->likelihood = s->likelihood;
    to->ratio = s->ratio;
    to->counts = s->counts;
    to->counts.rank = n;
}

static tvgp_status extend_all(const covariance *from, covariance *p) {
    const size_t old = from->base.n, more = p->base.n - old, r = from->basis.r;
    double *B = NULL;
    TVGP__TRY(tvgp__memory_alloc(
        p->base.ctx, tvgp__memory_product(3 * more, old) + tvgp__memory_product(r, p->base.kernel->dim + 1), sizeof *B, &B));
    double *M = B + more * old, *W = M + more * old, *P = W + more * old;
    tvgp_status status = projection(from, p, LEAST_SQUARE, P, B);
    if (status == TVGP_OK)
        status = projection(from, p, LEAST_MEAN, P, M);
    if (status == TVGP_OK) {
        const past present = {.R = from->R, .mean = from->base.own.mean, .var = from->base.own.var, .scale = from->scale};
        past larger = {.R = p->R, .mean = p->base.own.mean, .var = p->base.own.var};
        tvgp__posterior_inherit(&p->base, &from->base);
        extend_state(old, &present, B, M, W, p, &larger);
        p->base.counts.rank = p->base.n;
        p->scale = from->scale;
    }
    if (status == TVGP_OK && keeps(p)) {
        extend_state(old, &from->older, B, M, W, p, &p->older);
        extend_state(old, &from->newer, B, M, W, p, &p->newer);
        if (from->n)
            memcpy(p->list, from->list, from->n * sizeof *p->list);
        p->n = from->n;
        p->middle = from->middle;
    }
    tvgp__memory_free(p->base.ctx, B);
    return status;
}

static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const covariance *from = (const covariance *)base;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__arm_covariance_new(base->ctx, base->kernel, &from->drift, from->noise, from->late_limit, n, X, &fresh));
    const tvgp_status status = extend_all(from, (covariance *)fresh);
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

static const tvgp__posterior_ops ops = {.extend = extend,
                                        .prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .at = at,
                                        .column = column,
                                        .predictive = predictive,
                                        .reset = reset,
                                        .correlation = correlation,
                                        .covariance = covariances,
                                        .set_unit = set_unit,
                                        .release = release,
                                        .visit = visit};

static tvgp_status find_basis(covariance *p) {
    const tvgp__posterior *b = &p->base;
    const tvgp_kernel *kernel = b->kernel;
    tvgp__basis_search s = tvgp__basis_search_of(b->ctx, 1, &kernel, b->n, b->X, tvgp__basis_tolerance(b->most, p->noise));
    tvgp_status status = tvgp__basis_search_on(&s, SIZE_MAX);
    if (status == TVGP_OK)
        status = tvgp__basis_of(&s, &p->basis);
    tvgp__basis_search_end(&s);
    return status;
}

/* Phi Phi' is positive semi-definite whatever the kernel is, and of one that is not has larger variances than the kernel says. */
static void raise_largest(covariance *p) {
    const tvgp__basis *f = &p->basis;
    double most = 0;
    for (size_t i = 0; i < f->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < f->r; j++)
            sum += f->Phi[j * f->n + i] * f->Phi[j * f->n + i];
        most = fmax(most, sum);
    }
    if (most > 2 * p->base.most)
        p->base.most = most;
}

static tvgp_status allocate(covariance *p) {
    const size_t n = p->base.n;
    tvgp_ctx *ctx = p->base.ctx;
    TVGP__TRY(find_basis(p));
    raise_largest(p);
    TVGP__TRY(tvgp__memory_alloc(ctx, triangle(n) + n + p->basis.r, sizeof *p->R, &p->R));
    p->g = p->R + triangle(n);
    p->phi = p->g + n;
    if (!keeps(p))
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(ctx, 2 * p->late_limit + 2, sizeof *p->list, &p->list));
    TVGP__TRY(allocate_past(ctx, n, &p->older));
    return allocate_past(ctx, n, &p->newer);
}

tvgp_status tvgp__arm_covariance_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__drift *drift, double noise,
                                     size_t late_limit, size_t n, const double *X, tvgp__posterior **out) {
    covariance *p = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->drift = *drift;
    p->noise = noise;
    p->basis.ctx = ctx;
    p->late_limit = late_limit;
    tvgp__kernel_rows_free(&p->base.rows); /* the basis holds the kernel */
    p->base.rows.ctx = NULL;
    p->base.counts.rank = n;
    const tvgp_status status = allocate(p);
    if (status < 0) {
        tvgp__posterior_free(&p->base);
        return status;
    }
    reset(&p->base);
    *out = &p->base;
    return TVGP_OK;
}
