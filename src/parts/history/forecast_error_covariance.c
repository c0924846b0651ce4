/* SPDX-License-Identifier: MIT */
/* The covariance of the forecast errors of a model of historical data (parts/history/forecast_error_covariance.h). */
#include "parts/history/forecast_error_covariance.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/sample_statistics.h"
#include "base/numbers/simd_clones.h"
#include "base/quota.h"
#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

static const double LEAST = 1e-12; /* a variance, in the standardised unit, that is none */

/* ---- a table of many arms at a time ----------------------------------------------------------------------------- */

/* Sums over rows of E_a E_b, its square, and of rows that have both; arms x arms each. */
typedef struct products {
    double *sum, *square, *n;
} products;

TVGP__SIMD_CLONES
static void add_products(size_t arms, double e, const double *E, const double *is, double *restrict sum,
                         double *restrict square, double *restrict n) {
    for (size_t b = 0; b < arms; b++) {
        const double both = e * E[b];
        sum[b] += both;
        square[b] += both * both;
        n[b] += is[b];
    }
}

static tvgp_status add_rows(const tvgp__history_table *s, const double *E, const double *is, products *p) {
    const size_t arms = s->arms;
    for (size_t r = 0; r < s->n; r++) {
        TVGP__TRY(tvgp__error_interrupted(s->ctx));
        for (size_t a = 0; a < arms; a++)
            if (is[r * arms + a] > 0)
                add_products(arms, E[r * arms + a], E + r * arms, is + r * arms, p->sum + a * arms, p->square + a * arms,
                             p->n + a * arms);
    }
    return TVGP_OK;
}

/* Sums become means; lambda. */
static double intensity(size_t arms, products *p) {
    double noise = 0, signal = 0;
    for (size_t a = 0; a < arms; a++)
        for (size_t b = 0; b < arms; b++) {
            const size_t i = a * arms + b;
            const double n = p->n[i], S = n > 0 ? p->sum[i] / n : 0;
            p->sum[i] = S;
            noise += a != b && n > 0 ? (p->square[i] / n - S * S) / n : 0;
            signal += a != b ? S * S : 0;
        }
    return signal > 0 ? fmin(fmax(noise / signal, 0), 1) : 1;
}

/* Median variance of the arms with at least 3 errors; 0: there are none. work: arms. */
static double usual(size_t arms, const products *p, double *work) {
    size_t n = 0;
    for (size_t a = 0; a < arms; a++)
        if (p->n[a * (arms + 1)] >= 3)
            work[n++] = p->sum[a * (arms + 1)];
    return tvgp__sample_statistics_median(n, work);
}

/* Records of each arm. */
static void count(const tvgp__history_table *s, double *n) {
    memset(n, 0, s->arms * sizeof *n);
    for (size_t r = 0; r < s->n; r++)
        for (size_t a = 0; a < s->arms; a++)
            n[a] += s->is[r * s->arms + a];
}

/* Of the entries whose n is positive. */
static double variance(size_t arms, const double *n, const double *x) {
    double mean = 0, square = 0, seen = 0;
    for (size_t a = 0; a < arms; a++)
        if (n[a] > 0) {
            seen++;
            const double off = x[a] - mean;
            mean += off / seen;
            square += off * (x[a] - mean);
        }
    return seen > 0 ? square / seen : 0;
}

static void shrink(size_t arms, products *p, double lambda, double *K) {
    for (size_t a = 0; a < arms; a++)
        for (size_t b = 0; b < arms; b++)
            K[a * arms + b] = (a == b ? 1 : 1 - lambda) * p->sum[a * arms + b];
}

static tvgp_status dense(const tvgp__history_table *s, const double *E, const double *is, const double *level, double *work,
                         double *K, int *made) {
    const size_t arms = s->arms;
    products p = {work, work + arms * arms, work + 2 * arms * arms};
    double *n = work + 3 * arms * arms;
    TVGP__TRY(tvgp__quota_work(s->ctx, s->n * arms, arms));
    TVGP__TRY(add_rows(s, E, is, &p));
    const double lambda = intensity(arms, &p), median = usual(arms, &p, n);
    *made = median > LEAST;
    if (!*made)
        return TVGP_OK;
    shrink(arms, &p, lambda, K);
    count(s, n);
    for (size_t a = 0; a < arms; a++) {
        if (p.n[a * (arms + 1)] < 3)
            K[a * (arms + 1)] = median;
        if (!(n[a] > 0))
            K[a * (arms + 1)] += variance(arms, n, level);
    }
    return tvgp__eigen_raise(s->ctx, arms, 1e-9, K);
}

/* ---- a log of what was chosen ----------------------------------------------------------------------------------- */

/* Mean square of the errors, and the correlation of neighbours of different arms; 0.3 where there are fewer than 20. */
static double mean_square(const tvgp__history_table *s, const double *E, const double *is, double *rho) {
    double square = 0, n = 0, product = 0, pairs = 0;
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < s->n * s->arms; i++) {
        if (!(is[i] > 0))
            continue;
        square += E[i] * E[i];
        n++;
        if (before != SIZE_MAX && before % s->arms != i % s->arms) {
            product += E[before] * E[i];
            pairs++;
        }
        before = i;
    }
    const double s2 = n > 0 ? square / n : 0;
    *rho = pairs >= 20 && s2 > 0 ? fmin(fmax(product / pairs / s2, 0), 0.95) : 0.3;
    return s2;
}

static void means(const tvgp__history_table *s, const double *n, double *mean) {
    memset(mean, 0, s->arms * sizeof *mean);
    for (size_t r = 0; r < s->n; r++)
        for (size_t a = 0; a < s->arms; a++)
            mean[a] += s->y[r * s->arms + a];
    for (size_t a = 0; a < s->arms; a++)
        mean[a] = n[a] > 0 ? mean[a] / n[a] : 0;
}

static void sparse(const tvgp__history_table *s, const double *E, const double *is, const double *correlation, double *work,
                   double *K, int *made) {
    const size_t arms = s->arms;
    double *n = work, *mean = work + arms, rho;
    const double s2 = mean_square(s, E, is, &rho);
    *made = s2 > LEAST;
    if (!*made)
        return;
    count(s, n);
    means(s, n, mean);
    const double t2 = variance(arms, n, mean);
    for (size_t a = 0; a < arms; a++) {
        for (size_t b = 0; b < arms; b++)
            K[a * arms + b] = s2 * (correlation ? correlation[a * arms + b] : a == b ? 1 : rho);
        K[a * (arms + 1)] += t2 / (n[a] * t2 / s2 + 1);
    }
}

tvgp_status tvgp__forecast_error_covariance(const tvgp__history_table *s, const double *E, const double *is,
                                            const double *level, const double *correlation, double *K, int *made) {
    const size_t arms = s->arms;
    double *work = NULL;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, 3 * arms + 2, arms * sizeof *work, &work));
    tvgp_status status = TVGP_OK;
    if (tvgp__history_table_dense(s))
        status = dense(s, E, is, level, work, K, made);
    else
        sparse(s, E, is, correlation, work, K, made);
    tvgp__memory_free(s->ctx, work);
    return status;
}
