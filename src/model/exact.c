/* SPDX-License-Identifier: MIT */
/* The exact posterior on a box (Rasmussen and Williams 2006, alg. 2.1): rows in order of arrival, L L' = K o T + Sigma
 * with T the correlation in time, W = L^-1, z = W y. Rows do not change as time passes, so delayed feedback is just
 * another row, and the posterior at a time costs O(n): c_j = T(t, t_j).
 *
 * An observation costs 2 n^2 flops; with w = L^-1 k the new row of W is (-w'W, 1) / p. Deleting row i costs 4 n^2: the
 * rotations that restore L also update the rows of W and z. With growing noise (space/temporal/noise_age.h) the whole diagonal
 * changes, and L, W and z are recomputed for each time at which they are needed, n^3 flops; observations beyond 2^53
 * prior variances are dropped.
 *
 * tvgp__posterior_prune drops observations that no longer matter. Row i explains of the variance at z, exactly,
 *   (om'D k(X, z))^2 <= (D om)'K(D om) k(z, z),   om = A^-1 e_i / sqrt(e_i'A^-1 e_i),   A = L L',  D = diag c,
 * and moves the mean by |om'D k(z)| times its standardised innovation. */
#include "model/exact.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol_inverse.h"
#include "model/gp/cholesky_rows.h"

#include <math.h>
#include <string.h>

static const double FADED = 0x1p53; /* prior variances of noise beyond which an observation has no effect */

typedef struct {
    tvgp__posterior base;
    tvgp__drift drift;
    tvgp__noise_age age;
    int aging, fitted;
    double at, newest; /* time the fit is for; of the newest observation */
    size_t limit;
    int compared, window;
    double measured;          /* log marginal likelihood of all observations that were measured */
    double assumed;           /* log densities of the assumed ones, each when it was observed */
    tvgp__cholesky_rows rows; /* with aging noise X, t, y and noise alone until the fit */
    size_t slots;             /* room of the following arrays */
    double *W;                /* slots x slots, column-major: lower triangle of L^-1; aging: above the diagonal K */
    double *prior, *sigma;    /* slots each: k(x, x); noise in use */
    double *c, *own;          /* of the last predictive */
    double *work;
    size_t *origin;                                     /* column of `cross` of each row */
    double *cross;                                      /* points prepared x (rows then and points) */
    double *variance;                                   /* of the points prepared */
    size_t cross_slots, variance_slots, columns, first; /* rows at the time of prepare */
} exact;

/* ---- room ------------------------------------------------------------------------------------------------------- */

static tvgp_status grow(exact *p, size_t slots) {
    tvgp_ctx *ctx = p->base.ctx;
    double **const arrays[] = {&p->prior, &p->sigma, &p->c, &p->own, &p->work};
    double *W = NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TVGP__TRY(tvgp__memory_grow(ctx, slots, sizeof **arrays[i], arrays[i]));
    TVGP__TRY(tvgp__memory_grow(ctx, slots, sizeof *p->origin, &p->origin));
    TVGP__TRY(tvgp__memory_alloc(ctx, slots, slots * sizeof *W, &W));
    for (size_t j = 0; j < p->rows.factor.n; j++)
        memcpy(W + j * slots, p->W + j * p->slots, p->rows.factor.n * sizeof *W);
    tvgp__memory_free(ctx, p->W);
    p->W = W;
    p->slots = slots;
    return TVGP_OK;
}

static tvgp_status reserve(exact *p, size_t more) {
    size_t rows = p->rows.factor.n + more;
    rows = (p->limit && rows > p->limit ? p->limit : rows) + TVGP__EXACT_PENDING;
    if (rows <= p->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__cholesky_rows_reserve(&p->rows, rows));
    return grow(p, p->rows.slots);
}

static tvgp_status prepare(tvgp__posterior *b, const tvgp__points *points) {
    exact *p = (exact *)b;
    size_t n = p->rows.factor.n, m = points->n;
    TVGP__TRY(reserve(p, m));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, m, sizeof *p->variance, &p->variance, &p->variance_slots));
    TVGP__TRY(tvgp__kernel_diag(b->kernel, m, points->X, p->variance));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, tvgp__memory_product(m, n + m), sizeof *p->cross, &p->cross, &p->cross_slots));
    if (n)
        TVGP__TRY(tvgp__kernel_block(b->kernel, m, points->X, n, p->rows.X, p->cross, n + m));
    TVGP__TRY(tvgp__kernel_block(b->kernel, m, points->X, m, points->X, p->cross + n, n + m));
    p->columns = n + m;
    p->first = n;
    for (size_t i = 0; i < n; i++)
        p->origin[i] = i;
    return TVGP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* K without row and column i. */
static void shrink_gram(exact *p, size_t n, size_t i) {
    for (size_t k = i + 1; k < n; k++) {
        const double *from = p->W + k * p->slots;
        double *to = p->W + (k - 1) * p->slots;
        memcpy(to, from, i * sizeof *to);
        memcpy(to + i, from + i + 1, (k - 1 - i) * sizeof *to);
    }
}

static void shift(void *array, size_t n, size_t i) {
    char *at = (char *)array + i * sizeof(double);
    memmove(at, at + sizeof(double), (n - 1 - i) * sizeof(double));
}

/* Row i goes. */
static void forget(exact *p, size_t i) {
    size_t n = p->rows.factor.n;
    if (!p->aging) {
        tvgp__cholesky_rows_drop(&p->rows, i);
        tvgp__chol_inverse_delete(p->W, p->slots, n, i, p->rows.turn, p->rows.turn + p->rows.slots);
    } else {
        shrink_gram(p, n, i);
        tvgp__cholesky_rows_close_gap(&p->rows, i, n);
        p->rows.factor.n--;
    }
    shift(p->prior, n, i);
    shift(p->sigma, n, i);
    memmove(p->origin + i, p->origin + i + 1, (n - 1 - i) * sizeof *p->origin);
    p->base.counts.dropped++;
}

static void take_stock(exact *p) {
    const double z = p->rows.factor.n ? p->rows.z[p->rows.factor.n - 1] : 0;
    p->base.counts.observations = p->base.counts.rank = p->rows.factor.n;
    p->base.log_det_ratio = tvgp__chol_log_det_ratio(&p->rows.factor, p->sigma);
    p->base.log_marginal_likelihood =
        tvgp__chol_log_density(p->rows.factor.n, p->rows.z, tvgp__chol_log_det(&p->rows.factor));
    p->base.square = z * z;
    if (p->compared)
        p->base.log_marginal_likelihood = p->measured;
    else if (!p->window)
        p->base.log_marginal_likelihood -= p->assumed;
}

/* Row n, from its covariances with those before, w = L^-1 k; the jitter of a singular one is counted. One that lacks more than
 * jitter (tvgp__posterior_lack; the noise is at least 1e-10 of the largest variance) says nothing. */
static void append(exact *p, const tvgp__row *row, double *k) {
    tvgp__cholesky_rows *rows = &p->rows;
    size_t n = rows->factor.n, jitter = rows->factor.jitter;
    const double own = tvgp__drift_kappa(&p->drift, row->t) * p->prior[n];
    const tvgp_status status = tvgp__cholesky_rows_append(rows, row, k, own, row->y);
    tvgp__error_forget(p->base.ctx, status);
    if (status < 0) {
        p->base.counts.jitter++;
        return;
    }
    double pivot = tvgp__cholesky_rows_pivot(rows, n);
    p->base.counts.jitter += rows->factor.jitter - jitter;
    tvgp__chol_inverse_border(p->W, p->slots, n, k, 1, pivot);
    *(p->base.assumes ? &p->assumed : &p->measured) += tvgp__chol_log_density(1, &rows->z[n], 2 * log(pivot));
}

static void advance(tvgp__posterior *b, double t) {
    b->now = t;
}

static double reference(const exact *p, double t) {
    return p->age.from_last ? p->newest : t;
}

static double grown(const exact *p, size_t i, double at) {
    return tvgp__noise_age_noise(&p->age, p->rows.noise[i], at - p->rows.t[i]);
}

/* Drops for good what has no effect any more: noise only grows. */
static void forget_faded(exact *p) {
    double at = reference(p, p->base.now);
    for (size_t i = p->rows.factor.n; p->aging && i-- > 0;)
        if (!(grown(p, i, at) <= FADED * p->base.largest))
            forget(p, i);
}

/* The oldest observation, which prepare's columns know by where it stood then. */
static void make_room(exact *p) {
    while (p->limit && p->rows.factor.n >= p->limit)
        forget(p, 0);
}

static void observe(tvgp__posterior *b, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    exact *p = (exact *)b;
    const tvgp__row row = {points->X + i * b->kernel->dim, t, y, tvgp__posterior_noise(b, noise)};
    b->now = fmax(b->now, t);
    p->newest = fmax(p->newest, t);
    forget_faded(p);
    make_room(p);
    size_t n = p->rows.factor.n;
    p->sigma[n] = row.noise;
    p->prior[n] = p->variance[i];
    p->origin[n] = p->first + i;
    p->fitted = 0;
    double *k = p->aging ? p->W + n * p->slots : p->work;
    for (size_t j = 0; j < n; j++)
        k[j] = tvgp__drift_covariance(&p->drift, t, p->rows.t[j]) * p->cross[i * p->columns + p->origin[j]];
    if (p->aging) {
        tvgp__cholesky_rows_note(&p->rows, n, &row);
        p->rows.factor.n++;
        return;
    }
    append(p, &row, k);
    take_stock(p);
}

static void reset(tvgp__posterior *b) {
    exact *p = (exact *)b;
    p->rows.factor.n = 0;
    p->newest = -INFINITY;
    p->fitted = 0;
    p->measured = p->assumed = 0;
    take_stock(p);
    b->counts.effective = 0;
}

/* ---- aging noise ------------------------------------------------------------------------------------------------ */

/* What has no effect at a later time gets a noise that leaves it none. */
static void grow_noise(exact *p, double at) {
    p->base.counts.effective = 0;
    for (size_t i = 0; i < p->rows.factor.n; i++) {
        p->sigma[i] = fmin(grown(p, i, at), 2 * FADED * p->base.largest);
        p->base.counts.effective += p->rows.noise[i] / p->sigma[i];
    }
}

/* L, W and z from K + Sigma at this time; jitter grows until it is positive definite. */
static void refit(exact *p, double at) {
    tvgp__posterior *b = &p->base;
    size_t n = p->rows.factor.n, ld = p->rows.factor.capacity;
    double *L = p->rows.factor.L;
    if (p->fitted && p->at == at)
        return;
    grow_noise(p, at);
    for (size_t j = 0; j < n; j++) {
        p->work[j] = p->prior[j] + p->sigma[j];
        for (size_t i = j + 1; i < n; i++)
            L[j * ld + i] = L[i * ld + j] = p->W[i * p->slots + j];
    }
    if (n)
        b->counts.jitter += tvgp__chol_factorise(&p->rows.factor, p->work, b->largest);
    for (size_t j = 0; j < n; j++)
        memcpy(p->W + j * (p->slots + 1), L + j * (ld + 1), (n - j) * sizeof *L);
    if (n)
        tvgp__blas_trtri(n, p->W, p->slots);
    memcpy(p->rows.z, p->rows.y, n * sizeof *p->rows.z);
    tvgp__chol_solve(&p->rows.factor, TVGP__NO_TRANS, 1, p->rows.z, n);
    p->fitted = 1;
    p->at = at;
    take_stock(p);
}

static void finish(tvgp__posterior *b) {
    exact *p = (exact *)b;
    if (p->aging && p->rows.factor.n)
        refit(p, reference(p, b->now));
}

/* ---- the predictive distribution -------------------------------------------------------------------------------------- */

static tvgp_status predictive(tvgp__posterior *b, double t, tvgp__predictive *out) {
    exact *p = (exact *)b;
    TVGP__TRY(reserve(p, 0));
    if (p->aging)
        refit(p, reference(p, t));
    for (size_t i = 0; i < p->rows.factor.n; i++) {
        p->c[i] = tvgp__drift_covariance(&p->drift, t, p->rows.t[i]);
        p->own[i] = tvgp__drift_kappa(&p->drift, p->rows.t[i]) * p->prior[i] + p->sigma[i];
    }
    *out = tvgp__predictive_of(b->ctx, b->kernel, p->rows.factor.n, p->rows.X, p->W, p->slots, p->rows.z);
    out->inverse = 1;
    out->c = p->c;
    out->own = p->own;
    out->kappa = tvgp__drift_kappa(&p->drift, t);
    return TVGP_OK;
}

/* v = W (T(t_p, .) o k(X, z_p)) gives the variance left, and so the next row; its z is 0, so the mean stays. No row where less
 * than nothing is left: the kernel is not positive semi-definite. */
static tvgp_status pend(exact *p, tvgp__predictive *predictive, const double *x, double t, double t_now, double noise) {
    size_t r = predictive->r, dim = p->base.kernel->dim;
    double *v = p->work, variance;
    TVGP__TRY(tvgp__kernel_diag(p->base.kernel, 1, x, &variance));
    if (r)
        TVGP__TRY(tvgp__kernel_block(p->base.kernel, 1, x, r, p->rows.X, v, r));
    for (size_t j = 0; j < r; j++)
        v[j] *= tvgp__drift_covariance(&p->drift, t, p->rows.t[j]);
    if (r)
        tvgp__blas_trmm(TVGP__NO_TRANS, r, 1, p->W, p->slots, v, r);
    double own = tvgp__drift_kappa(&p->drift, t) * variance + noise, left = own - noise - tvgp__blas_dot(r, v, v);
    if (!(left >= tvgp__posterior_lack(&p->base)))
        return TVGP_OK;
    double square = fmax(own - tvgp__blas_dot(r, v, v), noise);
    tvgp__chol_inverse_border(p->W, p->slots, r, v, 1, sqrt(square));
    memcpy(p->rows.X + r * dim, x, dim * sizeof *p->rows.X);
    p->rows.t[r] = t;
    p->rows.z[r] = 0;
    p->own[r] = own;
    p->c[r] = tvgp__drift_covariance(&p->drift, t_now, t);
    predictive->r++;
    return TVGP_OK;
}

static tvgp_status pend_all(tvgp__posterior *b, tvgp__predictive *predictive, double t_now, size_t n, const double *X,
                            const double *t, double noise) {
    noise = tvgp__posterior_noise(b, noise);
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(pend((exact *)b, predictive, X + i * b->kernel->dim, t[i], t_now, noise));
    return TVGP_OK;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void release(tvgp__posterior *b) {
    exact *p = (exact *)b;
    double *blocks[] = {p->W, p->prior, p->sigma, p->c, p->own, p->work, p->cross, p->variance};
    tvgp__cholesky_rows_free(&p->rows);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(b->ctx, blocks[i]);
    tvgp__memory_free(b->ctx, p->origin);
}

static void set_unit(tvgp__posterior *b, double unit) {
    exact *p = (exact *)b;
    tvgp__drift_set_unit(&p->drift, unit);
    tvgp__noise_age_set_unit(&p->age, unit);
    p->fitted &= !(p->age.unit > 0);
}

static double correlation(const tvgp__posterior *b, double from, double to) {
    const exact *p = (const exact *)b;
    return p->aging ? tvgp__noise_age_correlation(&p->age, b->largest, to - from)
                    : tvgp__drift_correlation(&p->drift, from, to);
}

enum { PRUNED = 16 }; /* rows that may go at a time */

/* ---- what time has made worthless ------------------------------------------------------------------------------- */

static size_t oldest(const exact *p) {
    size_t best = 0;
    for (size_t i = 1; i < p->rows.factor.n; i++)
        if (p->rows.t[i] < p->rows.t[best])
            best = i;
    return best;
}

/* (D om)'K(D om) of row i at `now`, with b = D om in p->c. */
static tvgp_status explains(exact *p, size_t i, double *size) {
    size_t n = p->rows.factor.n, dim = p->base.kernel->dim;
    double *b = p->c, scale = 0;
    memset(b, 0, i * sizeof *b);
    memcpy(b + i, p->W + i * p->slots + i, (n - i) * sizeof *b);
    scale = 1 / sqrt(tvgp__blas_dot(n - i, b + i, b + i));
    tvgp__blas_trmm(TVGP__TRANS, n, 1, p->W, p->slots, b, n);
    for (size_t j = 0; j < n; j++)
        b[j] *= scale * tvgp__drift_covariance(&p->drift, p->base.now, p->rows.t[j]);
    *size = 0;
    for (size_t j = 0; j < n; j++) {
        TVGP__TRY(tvgp__kernel_block(p->base.kernel, 1, p->rows.X + j * dim, n, p->rows.X, p->work, n));
        *size += b[j] * tvgp__blas_dot(n, b, p->work);
    }
    return TVGP_OK;
}

static tvgp_status prune(tvgp__posterior *b, double tolerance, double noise) {
    exact *p = (exact *)b;
    double most = tolerance * tolerance * tvgp__posterior_noise(b, noise), size;
    size_t before = p->base.counts.dropped;
    tvgp_status status = TVGP_OK;
    if (p->aging || !tvgp__drift_fades(&p->drift) || !(tolerance > 0))
        return TVGP_OK;
    for (int left = PRUNED; p->rows.factor.n && status == TVGP_OK && left > 0; left--) {
        size_t i = oldest(p);
        status = explains(p, i, &size);
        if (status < 0 || !(size * b->largest <= most))
            break;
        forget(p, i);
    }
    if (p->base.counts.dropped != before)
        take_stock(p);
    return status;
}

/* Whether such observations move the sd at `now` by less than 1e-3 noise sds, whatever they are. Dropping n of them raises the variance
 * by at most the factor c^2 sqrt(n k / noise), c the correlation since then. */
static int faded(const tvgp__posterior *b, double noise, double t, double now) {
    const exact *p = (const exact *)b;
    const double rows = p->limit ? (double)p->limit : 1e4, relative = tvgp__posterior_noise(b, noise) / b->largest;
    if (p->aging || !tvgp__drift_fades(&p->drift))
        return 0;
    double c = tvgp__drift_correlation(&p->drift, t, now);
    return c * c < 1e-6 * relative * sqrt(relative / rows);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_rows(exact *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST, least = 1e-10 * TVGP__VALID_RANGE_LEAST;
    size_t n = p->rows.factor.n;
    tvgp__visit_reals(v, n * p->base.kernel->dim, p->rows.X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_reals(v, n, p->rows.t, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_reals(v, n, p->rows.y, -most, most);
    tvgp__visit_reals(v, n, p->rows.noise, least, most);
    tvgp__visit_reals(v, n, p->prior, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_reals(v, n, p->sigma, least, most);
    tvgp__visit_reals(v, n, p->rows.z, -most, most);
}

/* Makes room for the rows of a snapshot, which replace the present ones. */
static void room_for_rows(exact *p, size_t n, tvgp__visit *v) {
    if (!tvgp__visit_loads(v))
        return;
    if (n && (n + 1) / 2 > (v->end - v->at) / sizeof *p->W / n)
        tvgp__visit_refuse(v, "there are more rows than bytes for them");
    p->rows.factor.n = 0;
    if (tvgp__visit_fine(v) && tvgp__visit_try(v, reserve(p, n)))
        p->rows.factor.n = n;
}

static void visit(tvgp__posterior *b, tvgp__visit *v) {
    exact *p = (exact *)b;
    const double most = TVGP__VISIT_MOST;
    size_t n = p->rows.factor.n;
    tvgp__visit_flag(v, &p->fitted);
    tvgp__visit_real(v, &p->at, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->newest, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_tally_size(v, &p->base.counts.dropped);
    if (p->compared)
        tvgp__visit_real(v, &p->measured, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    else
        tvgp__visit_real(v, &p->assumed, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_count(v, &n, p->limit ? p->limit : INT32_MAX, sizeof *p->W);
    room_for_rows(p, n, v);
    if (!tvgp__visit_fine(v))
        return;
    visit_rows(p, v);
    for (size_t j = 0; p->aging && j < n; j++) /* K above the diagonal */
        tvgp__visit_reals(v, j, p->W + j * p->slots, -most, most);
    if (p->aging && !p->fitted) /* L and W come with the next fit */
        return;
    tvgp__visit_tally_size(v, &p->rows.factor.jitter);
    tvgp__visit_triangle(v, n, p->rows.factor.L, p->rows.factor.capacity);
    tvgp__visit_triangle(v, n, p->W, p->slots);
    for (size_t i = 0; tvgp__visit_loads(v) && i < n; i++)
        if (!(p->rows.factor.L[i * (p->rows.factor.capacity + 1)] > 0) || !(p->W[i * (p->slots + 1)] > 0))
            tvgp__visit_refuse(v, "a pivot is not positive");
}

static const tvgp__posterior_anywhere anywhere = {.rows = 1, .pend = pend_all, .prune = prune, .faded = faded};

static const tvgp__posterior_ops ops = {.prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .finish = finish,
                                        .correlation = correlation,
                                        .set_unit = set_unit,
                                        .predictive = predictive,
                                        .reset = reset,
                                        .anywhere = &anywhere,
                                        .release = release,
                                        .visit = visit};

tvgp_status tvgp__exact_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__exact_spec *spec, size_t n,
                            const double *scale_at, tvgp__posterior **out) {
    exact *p = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, scale_at, sizeof *p, &p)); /* its arms give the scale, and no more */
    p->base.n = 0;
    p->base.X = NULL;
    p->rows = tvgp__cholesky_rows_of(ctx, kernel->dim);
    p->drift = spec->drift;
    p->limit = spec->limit;
    p->rows.factor.most = p->limit ? p->limit + TVGP__EXACT_PENDING : 0;
    p->compared = spec->compared;
    p->window = spec->window;
    p->newest = -INFINITY;
    p->aging = spec->age != NULL;
    if (spec->age)
        p->age = *spec->age;
    *out = &p->base;
    return TVGP_OK;
}
