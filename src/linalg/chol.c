/* SPDX-License-Identifier: MIT */
/* Cholesky factor K + Sigma = L L' of a Gram matrix (linalg/chol.h). */
#include "linalg/chol.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/log_product.h"

#include <math.h>
#include <string.h>

enum { PANEL = 512, PART = PANEL / 2, NARROW = 8 }; /* columns of V rotated together; rows in blocks of four */
static const double round_off = 1e-14;              /* of the prior variance: a pivot of no more needs jitter */

void tvgp__chol_free(tvgp__chol *f) {
    if (f->ctx)
        tvgp__memory_free(f->ctx, f->L);
    f->L = NULL;
    f->n = f->capacity = 0;
}

tvgp_status tvgp__chol_reserve(tvgp__chol *f, size_t n) {
    if (n <= f->capacity)
        return TVGP_OK;
    const size_t capacity = f->capacity * 2 > n ? f->capacity * 2 : (n > 16 ? n : 16);
    return tvgp__chol_room(f, f->most >= n && capacity > f->most ? f->most : capacity);
}

tvgp_status tvgp__chol_room(tvgp__chol *f, size_t capacity) {
    double *L = NULL;
    if (capacity <= f->capacity)
        return TVGP_OK;
    TVGP__TRY(tvgp__valid_range_count(f->ctx, "rows of a Cholesky factor", capacity));
    TVGP__TRY(tvgp__memory_alloc(f->ctx, capacity, capacity * sizeof *L, &L));
    for (size_t j = 0; j < f->n; j++)
        for (size_t i = j; i < f->n; i++)
            L[j * capacity + i] = f->L[j * f->capacity + i];
    tvgp__memory_free(f->ctx, f->L);
    f->L = L;
    f->capacity = capacity;
    return TVGP_OK;
}

void tvgp__chol_visit(tvgp__chol *f, size_t most, tvgp__visit *v) {
    size_t n = f->n;
    tvgp__visit_count(v, &n, most, sizeof *f->L);
    if (tvgp__visit_loads(v) && n > 0 && (n + 1) / 2 > (v->end - v->at) / sizeof *f->L / n)
        tvgp__visit_refuse(v, "there are more rows than bytes for them");
    if (tvgp__visit_loads(v)) {
        f->n = 0; /* nothing to be copied */
        if (tvgp__visit_try(v, tvgp__chol_reserve(f, n)))
            f->n = n;
    }
    tvgp__visit_tally_size(v, &f->jitter);
    tvgp__visit_triangle(v, f->n, f->L, f->capacity);
    for (size_t i = 0; tvgp__visit_loads(v) && i < f->n; i++)
        if (!(f->L[i * (f->capacity + 1)] > 0))
            tvgp__visit_refuse(v, "a pivot is not positive");
}

tvgp_status tvgp__chol_pivot(tvgp_ctx *ctx, double variance, double *square, size_t *jitter) {
    variance = fmax(variance, TVGP__VALID_RANGE_LEAST); /* a product of kernels may be smaller: dividing would overflow */
    static const double ladder[] = {0, 1e-10, 1e-8, 1e-6};
    for (size_t step = 0; step < sizeof ladder / sizeof *ladder; step++) {
        double tried = *square + ladder[step] * variance;
        if (tried > round_off * variance) {
            *square = tried;
            *jitter += step > 0;
            return TVGP_OK;
        }
    }
    return tvgp__error_set(ctx, TVGP_ERR_NUMERIC,
                           "the Gram matrix is not positive definite: pivot %g with prior variance %g, bound %g", *square,
                           variance, -1e-6 * variance);
}

void tvgp__chol_push(tvgp__chol *f, const double *w, double pivot) {
    for (size_t j = 0; j < f->n; j++)
        f->L[j * f->capacity + f->n] = w[j];
    f->L[f->n * f->capacity + f->n] = pivot;
    f->n++;
}

tvgp_status tvgp__chol_append(tvgp__chol *f, double *k, double variance, double noise) {
    TVGP__TRY(tvgp__chol_reserve(f, f->n + 1));
    tvgp__chol_solve(f, 0, 1, k, f->n ? f->n : 1);
    double square = variance + noise - tvgp__blas_dot(f->n, k, k);
    TVGP__TRY(tvgp__chol_pivot(f->ctx, variance, &square, &f->jitter));
    tvgp__chol_push(f, k, sqrt(square));
    return TVGP_OK;
}

int tvgp__chol_extend(tvgp__chol *f, size_t m, const double *variance) {
    size_t n = f->n, ld = f->capacity;
    double *below = f->L + n, *corner = below + n * ld;
    tvgp__blas_trsm_right(m, n, f->L, ld, below, ld);
    tvgp__blas_syrk(TVGP__NO_TRANS, m, n, -1, below, ld, 1, corner, ld);
    if (tvgp__blas_potrf(m, corner, ld))
        return 0;
    for (size_t i = 0; i < m; i++) {
        double pivot = corner[i * (ld + 1)];
        if (!(pivot * pivot > round_off * fmax(variance[i], TVGP__VALID_RANGE_LEAST)))
            return 0;
    }
    f->n += m;
    return 1;
}

size_t tvgp__chol_factorise(tvgp__chol *f, const double *diagonal, double largest) {
    size_t n = f->n, ld = f->capacity, helped = 0;
    double *L = f->L;
    for (double jitter = 0; isfinite(jitter); jitter = jitter > 0 ? 100 * jitter : 1e-10 * largest) {
        for (size_t i = 0; i < n; i++)
            L[i * ld + i] = diagonal[i] + jitter;
        helped += jitter > 0;
        if (tvgp__blas_potrf(n, L, ld) == 0)
            break;
        for (size_t j = 0; j < n; j++)
            for (size_t i = j + 1; i < n; i++)
                L[j * ld + i] = L[i * ld + j];
    }
    return helped;
}

/* A column becomes c x + s y of the column x that was carried to it and the next one y, a row further up; c y - s x is carried
 * on. */
TVGP__SIMD_CLONES
static void turn_up(size_t rows, double c, double s, double *x, double *restrict y) {
    for (size_t i = 0; i < rows; i++) {
        const double x0 = x[i + 1], y0 = y[i + 1];
        x[i] = c * x0 + s * y0;
        y[i + 1] = c * y0 - s * x0;
    }
}

void tvgp__chol_delete(tvgp__chol *f, size_t i, double *c, double *s) {
    size_t ld = f->capacity, n = f->n;
    for (size_t j = 0; j < i; j++)
        memmove(f->L + j * ld + i, f->L + j * ld + i + 1, (n - i - 1) * sizeof *f->L);
    /* Without row i, columns i.. are lower Hessenberg: rotate columns (j, j + 1) to clear the entry above the diagonal. */
    for (size_t j = i; j + 1 < n; j++) {
        double *left = f->L + j * (ld + 1), *right = left + ld;
        double r = sqrt(left[1] * left[1] + right[1] * right[1]); /* row j + 1 becomes row j; its pivot stays positive */
        c[j - i] = left[1] / r;
        s[j - i] = right[1] / r;
        turn_up(n - j - 1, c[j - i], s[j - i], left, right);
    }
    f->n--;
}

/* A row becomes c x + s y of the row x that was carried down to it and the next row y; c y - s x is carried on, here through
 * four rows. out: gains their sum with weights w. */
static inline void turn_four(size_t width, const double *c, const double *s, const double *w, double *restrict r0,
                             double *restrict r1, double *restrict r2, double *restrict r3, const double *restrict r4,
                             double *restrict x, double *restrict out) {
    const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    const double w0 = w ? w[0] : 0, w1 = w ? w[1] : 0, w2 = w ? w[2] : 0, w3 = w ? w[3] : 0;
    for (size_t k = 0; k < width; k++) {
        const double x0 = x[k], y1 = r1[k], y2 = r2[k], y3 = r3[k], y4 = r4[k];
        const double x1 = c0 * y1 - s0 * x0, x2 = c1 * y2 - s1 * x1, x3 = c2 * y3 - s2 * x2;
        const double v0 = c0 * x0 + s0 * y1, v1 = c1 * x1 + s1 * y2, v2 = c2 * x2 + s2 * y3, v3 = c3 * x3 + s3 * y4;
        x[k] = c3 * y4 - s3 * x3;
        r0[k] = v0;
        r1[k] = v1;
        r2[k] = v2;
        r3[k] = v3;
        if (w)
            out[k] += (v0 * w0 + v1 * w1) + (v2 * w2 + v3 * w3);
    }
}

static inline void turn_one(size_t width, double c, double s, const double *w, double *restrict row,
                            const double *restrict next, double *restrict x, double *restrict out) {
    const double own = w ? *w : 0;
    for (size_t k = 0; k < width; k++) {
        const double y = c * x[k] + s * next[k];
        x[k] = c * next[k] - s * x[k];
        row[k] = y;
        if (w)
            out[k] += own * y;
    }
}

/* Part of a panel, of which columns do not see each other; by fours: the panel is not narrow. */
TVGP__SIMD_CLONES
static void carry_part(int fours, size_t rows, const double *c, const double *s, const double *w, size_t width, double *V,
                       size_t ld, double *out) {
    double x[PART];
    size_t j = 0;
    memcpy(x, V, width * sizeof *x);
    for (; fours && j + 4 < rows; j += 4)
        turn_four(width, c + j, s + j, w ? w + j : NULL, V + j * ld, V + (j + 1) * ld, V + (j + 2) * ld, V + (j + 3) * ld,
                  V + (j + 4) * ld, x, out);
    for (; j + 1 < rows; j++)
        turn_one(width, c[j], s[j], w ? w + j : NULL, V + j * ld, V + (j + 1) * ld, x, out);
    memcpy(V + (rows - 1) * ld, x, width * sizeof *x);
}

static void carry_panel(size_t rows, const double *c, const double *s, const double *w, size_t width, double *V, size_t ld,
                        double *out) {
    for (size_t first = 0; first < width; first += PART)
        carry_part(width >= NARROW, rows, c, s, w, width - first < PART ? width - first : PART, V + first, ld,
                   w ? out + first : NULL);
}

void tvgp__chol_carry_sum(size_t rows, const double *c, const double *s, const double *w, size_t m, double *V, size_t ld,
                          double *out) {
    for (size_t first = 0; first < m; first += PANEL)
        carry_panel(rows, c, s, w, m - first < PANEL ? m - first : PANEL, V + first, ld, w ? out + first : NULL);
}

void tvgp__chol_carry(size_t n_before, size_t i, const double *c, const double *s, size_t m, double *V, size_t ld) {
    tvgp__chol_carry_sum(n_before - i, c, s, NULL, m, V + i * ld, ld, NULL);
}

void tvgp__chol_solve(const tvgp__chol *f, int trans, size_t m, double *B, size_t ldb) {
    if (!f->n || !m)
        return;
    if (m == 1)
        tvgp__blas_trsv(trans, f->n, f->L, f->capacity, B);
    else
        tvgp__blas_trsm(trans, f->n, m, f->L, f->capacity, B, ldb);
}

enum { COLUMNS = 4 }; /* eliminated at a time: one pass over what is left, and a short chain of dependent operations */

/* The four next entries of L^-1 y by substitution, then y without their columns; n entries are left after them. */
static inline void eliminate(size_t n, const double *restrict L, size_t ld, double *restrict y) {
    const double *c0 = L, *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    double r0 = 1 / c0[0], r1 = 1 / c1[1], r2 = 1 / c2[2], r3 = 1 / c3[3];
    double y0 = y[0] * r0;
    double y1 = (y[1] - c0[1] * y0) * r1;
    double y2 = ((y[2] - c0[2] * y0) - c1[2] * y1) * r2;
    double y3 = (((y[3] - c0[3] * y0) - c1[3] * y1) - c2[3] * y2) * r3;
    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
    y[3] = y3;
    for (size_t i = COLUMNS; i < n + COLUMNS; i++)
        y[i] -= (c0[i] * y0 + c1[i] * y1) + (c2[i] * y2 + c3[i] * y3);
}

/* The same for the fewer than four entries at the end. */
static inline void finish(size_t n, const double *L, size_t ld, double *y) {
    for (size_t c = 0; c < n; c++) {
        y[c] /= L[c * (ld + 1)];
        for (size_t i = c + 1; i < n; i++)
            y[i] -= L[c * ld + i] * y[c];
    }
}

TVGP__SIMD_CLONES
static void solve_pair(const tvgp__chol *f, double *w, size_t s, double *m) {
    size_t n = f->n, ld = f->capacity, j = 0;
    for (size_t i = 0; i < n; i++)
        m[i] = i == s;
    for (; j + COLUMNS <= n; j += COLUMNS) {
        eliminate(n - j - COLUMNS, f->L + j * (ld + 1), ld, w + j);
        if (s < j + COLUMNS)
            eliminate(n - j - COLUMNS, f->L + j * (ld + 1), ld, m + j);
    }
    finish(n - j, f->L + j * (ld + 1), ld, w + j);
    finish(n - j, f->L + j * (ld + 1), ld, m + j);
}

void tvgp__chol_solve_pair(const tvgp__chol *f, double *w, size_t s, double *m) {
    solve_pair(f, w, s, m);
}

/* The same of LANES vectors side by side: n rows are left after four that are known. */
TVGP__SIMD_CLONES
static void eliminate_lanes(size_t n, const double *restrict L, size_t ld, double v[COLUMNS][TVGP__CHOL_LANES],
                            double *restrict V) {
    for (size_t i = 0; i < n; i++) {
        const double a0 = L[i], a1 = L[ld + i], a2 = L[2 * ld + i], a3 = L[3 * ld + i];
        for (size_t k = 0; k < TVGP__CHOL_LANES; k++)
            V[i * TVGP__CHOL_LANES + k] -= (a0 * v[0][k] + a1 * v[1][k]) + (a2 * v[2][k] + a3 * v[3][k]);
    }
}

/* The first `columns` of the rows, by themselves. */
static void finish_lanes(size_t columns, const double *L, size_t ld, double *V) {
    for (size_t c = 0; c < columns; c++)
        for (size_t k = 0; k < TVGP__CHOL_LANES; k++) {
            V[c * TVGP__CHOL_LANES + k] /= L[c * (ld + 1)];
            for (size_t i = c + 1; i < columns; i++)
                V[i * TVGP__CHOL_LANES + k] -= L[c * ld + i] * V[c * TVGP__CHOL_LANES + k];
        }
}

void tvgp__chol_solve_lanes(const tvgp__chol *f, double *V) {
    const size_t n = f->n, ld = f->capacity;
    double v[COLUMNS][TVGP__CHOL_LANES];
    size_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS) {
        const double *corner = f->L + j * (ld + 1);
        finish_lanes(COLUMNS, corner, ld, V + j * TVGP__CHOL_LANES);
        memcpy(v, V + j * TVGP__CHOL_LANES, sizeof v);
        eliminate_lanes(n - j - COLUMNS, corner + COLUMNS, ld, v, V + (j + COLUMNS) * TVGP__CHOL_LANES);
    }
    finish_lanes(n - j, f->L + j * (ld + 1), ld, V + j * TVGP__CHOL_LANES);
}

double tvgp__chol_log_det(const tvgp__chol *f) {
    tvgp__log_product pivots = {.product = 1};
    for (size_t i = 0; i < f->n; i++)
        tvgp__log_product_times(&pivots, f->L[i * f->capacity + i]);
    return 2 * tvgp__log_product_value(&pivots);
}

double tvgp__chol_log_det_ratio(const tvgp__chol *f, const double *d) {
    tvgp__log_product ratios = {.product = 1};
    for (size_t i = 0; i < f->n; i++) {
        const double pivot = f->L[i * f->capacity + i];
        tvgp__log_product_times(&ratios, pivot / d[i] * pivot);
    }
    return tvgp__log_product_value(&ratios);
}

double tvgp__chol_log_density(size_t n, const double *z, double log_det) {
    return 0 - 0.5 * (tvgp__valid_range_cap(tvgp__blas_dot(n, z, z)) + log_det + (double)n * TVGP__LOG_TWO_PI);
}
