/* SPDX-License-Identifier: MIT */
/* Computes mean, variance and log marginal likelihood on arms from all observations at once (model/refit.h). */
#include "model/refit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/lincomb.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, LANES = TVGP__CHOL_LANES, FIRST = TVGP__REFIT_FIRST }; /* BLOCK: arms explained at a time */

/* Few arms are conditioned column by column. */
static int has_columns(const tvgp__refit *r) {
    return !r->base.shard && r->base.n <= TVGP__REFIT_EAGER / r->base.n;
}

/* Says whether variances with n rows wait until they are read. */
static int waits(const tvgp__refit *r, size_t n) {
    return r->lazy && !r->base.shard && n > FIRST && n > TVGP__REFIT_EAGER / r->base.n;
}

tvgp_status tvgp__refit_room(tvgp__posterior *p, size_t n) {
    tvgp__refit *r = (tvgp__refit *)p;
    size_t arms = tvgp__posterior_arms(p), rows = n < arms ? n : arms;
    if (rows <= r->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__chol_reserve(&r->factor, rows));
    size_t slots = r->factor.capacity < arms ? r->factor.capacity : arms;
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->arm, &r->arm));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->precision, &r->precision));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->y, &r->y));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->z, &r->z));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, p->kernel->dim * sizeof *r->points, &r->points));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, (has_columns(r) && p->n > BLOCK ? p->n : BLOCK) * sizeof *r->V, &r->V));
    if (waits(r, slots) && !r->exact)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, p->n, sizeof *r->exact, &r->exact));
    if (waits(r, slots) && !r->before) {
        TVGP__TRY(tvgp__memory_alloc(p->ctx, p->n, sizeof *r->before, &r->before));
        memcpy(r->before, p->prior, p->n * sizeof *r->before);
    }
    r->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__refit_room_loaded(tvgp__posterior *p, size_t n) {
    const size_t arms = tvgp__posterior_arms(p);
    TVGP__TRY(tvgp__chol_room(&((tvgp__refit *)p)->factor, n < arms ? n : arms));
    return tvgp__refit_room(p, n);
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

static void clear(tvgp__refit *r) {
    for (size_t i = 0; r->row && i < r->factor.n; i++)
        r->row[r->arm[i]] = 0;
    r->factor.n = 0;
    r->apart = 0;
    r->merged = (tvgp__log_product){.product = 1};
    tvgp__posterior_prior(&r->base, 1);
    r->base.own.off.together = 0;
}

/* The row of an arm, from 1; 0: it has none. */
static size_t row_of(const tvgp__refit *r, size_t arm) {
    if (r->row)
        return r->row[arm];
    for (size_t i = 0; i < r->factor.n; i++)
        if (r->arm[i] == arm)
            return i + 1;
    return 0;
}

/* An observation joins the row of its arm. The likelihoods of two observations of f with noises 1/p and 1/q are one of their
 * weighted mean with noise 1/(p + q), times N(difference; 0, 1/p + 1/q). */
void tvgp__refit_add(tvgp__posterior *b, size_t arm, double y, double noise) {
    tvgp__refit *r = (tvgp__refit *)b;
    if (noise > TVGP__REFIT_LIMIT * b->largest)
        return;
    double q = 1 / tvgp__posterior_noise(b, noise);
    b->counts.observations++;
    size_t row = row_of(r, arm);
    if (!row) {
        size_t i = r->factor.n++, dim = b->kernel->dim;
        if (r->row)
            r->row[arm] = i + 1;
        r->arm[i] = arm;
        r->precision[i] = q;
        r->y[i] = y;
        memcpy(r->points + i * dim, tvgp__shard_point(b->shard, b->X, dim, arm), dim * sizeof *r->points);
        return;
    }
    size_t i = row - 1;
    double sum = r->precision[i] + q, apart = y - r->y[i], share = q / sum * r->precision[i]; /* 1 / (1/p + 1/q) */
    tvgp__log_product_times(&r->merged, share);
    r->apart -= 0.5 * (TVGP__LOG_TWO_PI + tvgp__valid_range_misfit(apart, 1 / share));
    r->y[i] += apart * (q / sum);
    r->precision[i] = sum;
}

TVGP__SIMD_CLONES
static void pick(size_t n, const size_t *restrict arm, const double *restrict row, double *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] = row[arm[i]];
}

/* L L' = K + Sigma; returns how often jitter helped. */
static size_t factorise(tvgp__refit *r) {
    tvgp__posterior *b = &r->base;
    size_t n = r->factor.n, ld = r->factor.capacity;
    double *L = r->factor.L, *diagonal = r->z;
    for (size_t j = 0; j < n; j++) {
        const double *row = tvgp__kernel_rows_at(&b->rows, r->arm[j]);
        if (b->shard)
            for (size_t i = 0; i < n; i++)
                L[j * ld + i] = tvgp__shard_entry(b->shard, row, r->arm[i]);
        else
            pick(n, r->arm, row, L + j * ld);
        for (size_t i = n; b->shard && i < ld; i++)
            L[j * ld + i] = 0;
    }
    tvgp__shard_max(b->shard, L, n * ld);
    for (size_t j = 0; j < n; j++)
        diagonal[j] = L[j * ld + j] + 1 / r->precision[j];
    return tvgp__chol_factorise(&r->factor, diagonal, b->largest);
}

/* V = k(the first n rows, arms first .. first + m - 1). */
static void gather(const tvgp__refit *r, size_t n, size_t first, size_t m, double *V) {
    for (size_t j = 0; j < n; j++) {
        const double *row = tvgp__kernel_rows_at(&r->base.rows, r->arm[j]) + first;
        for (size_t i = 0; i < m; i++)
            V[i * n + j] = row[i];
    }
}

/* With v = L^-1 k(rows, x): mean v'z, and v'v of the prior variance is explained (Rasmussen and Williams 2006, alg. 2.1). */
static void explain(tvgp__refit *r, size_t first, size_t m) {
    tvgp__posterior *b = &r->base;
    size_t n = r->factor.n;
    gather(r, n, first, m, r->V);
    tvgp__chol_solve(&r->factor, TVGP__NO_TRANS, m, r->V, n);
    for (size_t i = 0; i < m; i++) {
        const double *v = r->V + i * n;
        b->own.mean[first + i] = tvgp__blas_dot(n, v, r->z);
        b->own.var[first + i] = b->prior[first + i] - tvgp__blas_dot(n, v, v);
    }
}

/* ---- computed when read ------------------------------------------------------------------------------------------- */

static void exchange(double *x, size_t n, size_t i, size_t j) {
    for (size_t k = 0; k < n; k++) {
        const double kept = x[i * n + k];
        x[i * n + k] = x[j * n + k];
        x[j * n + k] = kept;
    }
}

/* Row i and row j change places; so do their entries of the workspaces d and W, which has k columns. */
static void exchange_rows(tvgp__refit *r, size_t i, size_t j, double *d, double *W, size_t k) {
    const size_t arm = r->arm[i];
    r->arm[i] = r->arm[j];
    r->arm[j] = arm;
    r->row[r->arm[i]] = i + 1;
    r->row[r->arm[j]] = j + 1;
    exchange(r->precision, 1, i, j);
    exchange(r->y, 1, i, j);
    exchange(r->points, r->base.kernel->dim, i, j);
    exchange(d, 1, i, j);
    for (size_t l = 0; l < k; l++)
        exchange(W + l * r->factor.n, 1, i, j);
}

/* The row from k on that says most, where the rows before k leave d. */
static size_t most_informative(const tvgp__refit *r, size_t k, const double *d) {
    size_t best = k;
    double most = -INFINITY;
    for (size_t i = k; i < r->factor.n; i++) {
        const double left = fmax(d[i], 0), says = left / (left + 1 / r->precision[i]) * left;
        if (says > most) {
            most = says;
            best = i;
        }
    }
    return best;
}

/* v = (row[arm] - W w) / root, W and w: `k` columns, and `stride` apart the entries of one of their rows; d loses v^2. */
TVGP__SIMD_CLONES
static void take_away(size_t n, size_t k, size_t stride, const double *restrict W, const double *restrict w, double root,
                      double *restrict v, double *restrict d) {
    for (size_t l = 0; l < k; l++)
        for (size_t i = 0; i < n; i++)
            v[i] -= W[l * stride + i] * w[l * stride];
    for (size_t i = 0; i < n; i++) {
        v[i] /= root;
        d[i] -= v[i] * v[i];
    }
}

/* The rows that say most become the first ones. W: n x FIRST, columns of the factor of those chosen so far. */
static void arrange(tvgp__refit *r) {
    const size_t n = r->factor.n;
    double *d = r->z, *W = r->V;
    pick(n, r->arm, r->base.prior, d);
    for (size_t k = 0; k < FIRST; k++) {
        exchange_rows(r, k, most_informative(r, k, d), d, W, k);
        double *v = W + k * n;
        pick(n, r->arm, tvgp__kernel_rows_at(&r->base.rows, r->arm[k]), v);
        take_away(n, k, n, W, W + k, sqrt(fmax(d[k], 0) + 1 / r->precision[k]), v, d);
    }
}

/* Bounds roundings of means from alpha, and of variances. */
static const double ROUNDING = 0x1p-44;

static void bound_means(tvgp__refit *r) {
    tvgp__posterior *b = &r->base;
    const size_t n = r->factor.n;
    double *alpha = r->V, sum = 0;
    tvgp__lincomb_term term[BLOCK];
    memcpy(alpha, r->z, n * sizeof *alpha);
    tvgp__chol_solve(&r->factor, TVGP__TRANS, 1, alpha, n);
    memset(b->own.mean, 0, b->n * sizeof *b->own.mean);
    for (size_t j = 0, m = 0; j < n; j++) {
        term[m++] = (tvgp__lincomb_term){alpha[j], tvgp__kernel_rows_at(&b->rows, r->arm[j])};
        sum += fabs(alpha[j]);
        if (m == BLOCK || j + 1 == n) {
            tvgp__lincomb_add(b->n, m, term, b->own.mean);
            m = 0;
        }
    }
    b->own.off.mean = ROUNDING * b->largest * sum;
}

static void bound_variances(tvgp__refit *r, size_t first, size_t m) {
    tvgp__posterior *b = &r->base;
    tvgp__chol head = r->factor;
    head.n = FIRST;
    gather(r, FIRST, first, m, r->V);
    tvgp__chol_solve(&head, TVGP__NO_TRANS, m, r->V, FIRST);
    for (size_t i = 0; i < m; i++)
        b->own.var[first + i] = b->prior[first + i] - tvgp__blas_dot(FIRST, r->V + i * FIRST, r->V + i * FIRST);
}

/* By what was known before, with as much again as many roundings may take away. */
static void carry(tvgp__refit *r) {
    tvgp__posterior *b = &r->base;
    const double c = r->grown;
    for (size_t i = 0; c < INFINITY && i < b->n; i++) {
        const double v = fmax(r->before[i], 0), prior = b->prior[i];
        b->own.var[i] = fmin(b->own.var[i], fmin(c * v, prior - (prior - v) / c) + 0x1p-50 * prior);
    }
}

static void bound(tvgp__refit *r) {
    tvgp__posterior *b = &r->base;
    bound_means(r);
    for (size_t first = 0; first < b->n; first += BLOCK)
        bound_variances(r, first, b->n - first < BLOCK ? b->n - first : BLOCK);
    carry(r);
    b->own.off.var = ROUNDING * b->largest;
    b->own.off.together = LANES;
    memset(r->exact, 0, b->n);
}

/* Of each lane v: v'z and v'v. */
TVGP__SIMD_CLONES
static void dots(size_t n, const double *restrict V, const double *restrict z, double *restrict mean,
                 double *restrict known) {
    double a[LANES] = {0}, c[LANES] = {0};
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < LANES; k++) {
            const double v = V[j * LANES + k];
            a[k] += v * z[j];
            c[k] += v * v;
        }
    memcpy(mean, a, sizeof a);
    memcpy(known, c, sizeof c);
}

/* As explain, of up to LANES arms anywhere. */
static void explain_lanes(tvgp__refit *r, size_t m, const size_t *arm) {
    tvgp__posterior *b = &r->base;
    const size_t n = r->factor.n;
    double mean[LANES], known[LANES];
    for (size_t j = 0; j < n; j++) {
        const double *row = tvgp__kernel_rows_at(&b->rows, r->arm[j]);
        for (size_t k = 0; k < LANES; k++)
            r->V[j * LANES + k] = row[arm[k < m ? k : 0]];
    }
    tvgp__chol_solve_lanes(&r->factor, r->V);
    dots(n, r->V, r->z, mean, known);
    for (size_t k = 0; k < m; k++) {
        b->own.mean[arm[k]] = mean[k];
        b->own.var[arm[k]] = b->prior[arm[k]] - known[k];
        r->exact[arm[k]] = 1;
    }
}

void tvgp__refit_refine(tvgp__posterior *b, size_t n, const size_t *arm) {
    tvgp__refit *r = (tvgp__refit *)b;
    size_t list[LANES], m = 0;
    for (size_t i = 0; b->own.off.together && i < n; i++) {
        const size_t a = arm ? arm[i] : i;
        if (!r->exact[a])
            list[m++] = a;
        if (m == LANES || (m && i + 1 == n)) {
            explain_lanes(r, m, list);
            m = 0;
        }
    }
    if (!arm && n == b->n)
        b->own.off.mean = b->own.off.var = 0;
}

/* ---- column by column --------------------------------------------------------------------------------------------- */

/* v /= root becomes the column of a row: mean += gain v, var -= v^2. */
TVGP__SIMD_CLONES
static void condition(size_t n, double root, double gain, double *restrict v, double *restrict mean, double *restrict var) {
    for (size_t i = 0; i < n; i++) {
        v[i] /= root;
        mean[i] += gain * v[i];
        var[i] -= v[i] * v[i];
    }
}

/* v loses what the j columns before explain: v -= sum_k L_jk v_k, with L_jk = v_k[arm of row j]. Returns sum_k L_jk z_k, and takes L_jk^2
 * from *square. */
static double subtract_columns(tvgp__refit *r, size_t j, double *v, double *square) {
    const size_t n = r->base.n;
    double sum = 0;
    tvgp__lincomb_term term[BLOCK];
    for (size_t k = 0, m = 0; k < j; k++) {
        const double l = r->V[k * n + r->arm[j]];
        r->factor.L[k * r->factor.capacity + j] = l;
        sum += l * r->z[k];
        *square -= l * l;
        term[m++] = (tvgp__lincomb_term){-l, r->V + k * n};
        if (m == BLOCK || k + 1 == j) {
            tvgp__lincomb_add(n, m, term, v);
            m = 0;
        }
    }
    return sum;
}

/* V: one posterior column for each row; the entries at the arms of later rows are L. Returns 0 where a pivot is not positive. */
static int fill_columns(tvgp__refit *r) {
    tvgp__posterior *b = &r->base;
    memset(b->own.mean, 0, b->n * sizeof *b->own.mean);
    memcpy(b->own.var, b->prior, b->n * sizeof *b->own.var);
    for (size_t j = 0; j < r->factor.n; j++) {
        double *v = r->V + j * b->n;
        memcpy(v, tvgp__kernel_rows_at(&b->rows, r->arm[j]), b->n * sizeof *v);
        double square = v[r->arm[j]] + 1 / r->precision[j];
        const double sum = subtract_columns(r, j, v, &square);
        if (!(square > 0))
            return 0;
        const double root = sqrt(square);
        r->factor.L[j * (r->factor.capacity + 1)] = root;
        r->z[j] = (r->y[j] - sum) / root;
        condition(b->n, root, r->z[j], v, b->own.mean, b->own.var);
    }
    return 1;
}

/* ---- a fit -------------------------------------------------------------------------------------------------------- */

static size_t factorise_and_solve(tvgp__refit *r) {
    const size_t helped = factorise(r);
    memcpy(r->z, r->y, r->factor.n * sizeof *r->z);
    tvgp__chol_solve(&r->factor, TVGP__NO_TRANS, 1, r->z, r->factor.n);
    return helped;
}

size_t tvgp__refit_end(tvgp__posterior *b) {
    tvgp__refit *r = (tvgp__refit *)b;
    size_t n = r->factor.n;
    b->counts.rank = n;
    if (!n)
        return 0;
    if (waits(r, n))
        arrange(r);
    const int columns = has_columns(r) && fill_columns(r);
    const size_t helped = columns ? 0 : factorise_and_solve(r);
    if (helped) /* jitter is noise too */
        r->grown = INFINITY;
    if (waits(r, n))
        bound(r);
    for (size_t first = 0; !columns && !waits(r, n) && first < b->n; first += BLOCK)
        explain(r, first, b->n - first < BLOCK ? b->n - first : BLOCK);
    tvgp__log_product ratios = {.product = 1};
    for (size_t i = 0; i < n; i++) {
        const double pivot = r->factor.L[i * r->factor.capacity + i];
        tvgp__log_product_times(&ratios, pivot * r->precision[i] * pivot);
    }
    b->log_det_ratio = tvgp__log_product_value(&ratios);
    r->apart += 0.5 * tvgp__log_product_value(&r->merged);
    r->merged = (tvgp__log_product){.product = 1};
    b->log_marginal_likelihood = r->apart + tvgp__chol_log_density(n, r->z, tvgp__chol_log_det(&r->factor));
    return helped;
}

void tvgp__refit_carry(tvgp__posterior *p, double grown) {
    ((tvgp__refit *)p)->grown = fmax(grown, 1);
}

void tvgp__refit_begin(tvgp__posterior *p, double now) {
    tvgp__refit *r = (tvgp__refit *)p;
    if (r->before)
        memcpy(r->before, p->own.var, p->n * sizeof *r->before);
    r->grown = INFINITY;
    clear(r);
    p->now = now;
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static tvgp_status prepare(tvgp__posterior *p, const tvgp__points *points) {
    const tvgp__refit *r = (const tvgp__refit *)p;
    TVGP__TRY(tvgp__posterior_hold(p, points));
    TVGP__TRY(tvgp__kernel_rows_hold(&p->rows, TVGP__KERNEL_ROWS_OBSERVED, r->factor.n, r->arm));
    return tvgp__refit_room(p, r->factor.n + points->n);
}

static void advance(tvgp__posterior *p, double t) {
    p->now = t;
}

static void observe(tvgp__posterior *p, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    p->now = fmax(p->now, t);
    tvgp__refit_add(p, points->arm[i], y, noise);
    p->counts.jitter += tvgp__refit_end(p);
}

/* k(x, .) - k(x, P) (L L')^-1 k(P, .) */
void tvgp__refit_column(tvgp__posterior *p, size_t arm, double *out) {
    tvgp__refit *r = (tvgp__refit *)p;
    size_t n = r->factor.n;
    double *w = r->V;
    memcpy(out, tvgp__kernel_rows_at(&p->rows, arm), p->n * sizeof *out);
    tvgp__shard_pick(p->shard, n, r->arm, out, w);
    tvgp__chol_solve(&r->factor, TVGP__NO_TRANS, 1, w, n);
    tvgp__chol_solve(&r->factor, TVGP__TRANS, 1, w, n);
    for (size_t j = 0; j < n; j++)
        tvgp__blas_axpy(p->n, -w[j], tvgp__kernel_rows_at(&p->rows, r->arm[j]), out);
}

tvgp_status tvgp__refit_predictive(tvgp__posterior *p, double t, tvgp__predictive *out) {
    const tvgp__refit *r = (const tvgp__refit *)p;
    (void)t;
    *out = tvgp__predictive_of(p->ctx, p->kernel, r->factor.n, r->points, r->factor.L, r->factor.capacity, r->z);
    return TVGP_OK;
}

static void reset(tvgp__posterior *p) {
    clear((tvgp__refit *)p);
}

void tvgp__refit_visit(tvgp__posterior *p, tvgp__visit *v) {
    tvgp__refit *r = (tvgp__refit *)p;
    const double most = TVGP__VISIT_MOST;
    size_t dim = p->kernel->dim;
    for (size_t i = 0; r->row && tvgp__visit_loads(v) && i < r->factor.n; i++)
        r->row[r->arm[i]] = 0;
    tvgp__chol_visit(&r->factor, tvgp__posterior_arms(p), v);
    if (tvgp__visit_loads(v) && !tvgp__visit_try(v, tvgp__refit_room(p, r->factor.n)))
        r->factor.n = 0;
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_indices(v, r->factor.n, r->arm, tvgp__posterior_arms(p));
    tvgp__visit_reals(v, r->factor.n, r->precision, 1e-300, most);
    tvgp__visit_reals(v, r->factor.n, r->y, -most, most);
    tvgp__visit_reals(v, r->factor.n, r->z, -most, most);
    tvgp__visit_real(v, &r->apart, -most, most);
    for (size_t i = 0; tvgp__visit_loads(v) && i < r->factor.n; i++) {
        if (row_of(r, r->arm[i]) && (r->row || row_of(r, r->arm[i]) != i + 1))
            tvgp__visit_refuse(v, "an arm has two rows");
        if (r->row)
            r->row[r->arm[i]] = i + 1;
        memcpy(r->points + i * dim, tvgp__shard_point(p->shard, p->X, dim, r->arm[i]), dim * sizeof *r->points);
    }
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__kernel_rows_replace(&p->rows, TVGP__KERNEL_ROWS_OBSERVED, r->factor.n, r->arm));
}

void tvgp__refit_release(tvgp__posterior *p) {
    tvgp__refit *r = (tvgp__refit *)p;
    tvgp__chol_free(&r->factor);
    double *blocks[] = {r->precision, r->y, r->z, r->points, r->V};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(p->ctx, blocks[i]);
    tvgp__memory_free(p->ctx, r->arm);
    tvgp__memory_free(p->ctx, r->row);
    tvgp__memory_free(p->ctx, r->exact);
    tvgp__memory_free(p->ctx, r->before);
}

tvgp_status tvgp__refit_share(tvgp__posterior *p) {
    tvgp__memory_free(p->ctx, ((tvgp__refit *)p)->row);
    ((tvgp__refit *)p)->row = NULL;
    return TVGP_OK;
}

tvgp_status tvgp__refit_create(tvgp_ctx *ctx, const tvgp__posterior_ops *ops, const tvgp_kernel *kernel, size_t n,
                               const double *X, size_t size, void *out) {
    tvgp__refit *r = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, ops, kernel, n, X, size, &r));
    r->factor.ctx = ctx;
    r->merged.product = 1;
    tvgp__posterior_prior(&r->base, 1);
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *r->row, &r->row);
    if (status < 0)
        tvgp__posterior_free(&r->base);
    else
        memcpy(out, &r, sizeof r);
    return status;
}

static const tvgp__posterior_ops refit_ops = {.prepare = prepare,
                                              .observe = observe,
                                              .advance = advance,
                                              .at = tvgp__posterior_still,
                                              .column = tvgp__refit_column,
                                              .predictive = tvgp__refit_predictive,
                                              .reset = reset,
                                              .release = tvgp__refit_release,
                                              .visit = tvgp__refit_visit};

tvgp_status tvgp__refit_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__posterior **out) {
    return tvgp__refit_create(ctx, &refit_ops, kernel, n, X, sizeof(tvgp__refit), out);
}
