/* SPDX-License-Identifier: MIT */
/* Kernels of r^2 = sum_d ((x_d - x'_d) / l_d)^2 (Rasmussen and Williams 2006, eq. 4.9, 4.17, 4.19): distances, then one
 * vectorised transform of the row. About 3 dim + 20 flops an entry; memory traffic is the points and the result. */
#include "space/kernel/stationary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/simd_clones.h"
#include "base/scratch.h"
#include "base/valid_range.h"
#include "linalg/loops.h"
#include "linalg/vexp.h"
#include "space/kernel/distances.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp_kernel base;
    int family;
    double variance;
    double shape;         /* alpha of the rational quadratic */
    size_t n_lengthscale; /* 1 or dim */
    double reciprocal[];  /* dim; then the n_lengthscale lengthscales themselves */
} stationary;

enum {
    CHUNK = TVGP__DISTANCES_CHUNK,
    GROUP = TVGP__DISTANCES_GROUP,
    LANES = TVGP__DISTANCES_LANES,
    STRIDE = TVGP__DISTANCES_STRIDE
};

/* a = sqrt(2 nu) r, at most 1000: exp(-a) is 0 long before, and polynomials in it stay finite. */
TVGP__SIMD_CLONES
static void scaled_roots(double two_nu, size_t m, const double *r2, double *a) {
    for (size_t j = 0; j < m; j++) {
        double root = sqrt(two_nu * r2[j]);
        a[j] = root < 1000 ? root : 1000;
    }
}

static double two_nu_of(const stationary *k) {
    return k->family == TVGP__MATERN12 ? 1 : k->family == TVGP__MATERN32 ? 3 : 5;
}

/* a = polynomial(a) decay */
TVGP__SIMD_CLONES
static void times_polynomial(int family, size_t m, const double *restrict decay, double *restrict a) {
    if (family == TVGP__MATERN12)
        memcpy(a, decay, m * sizeof *a);
    else if (family == TVGP__MATERN32)
        for (size_t j = 0; j < m; j++)
            a[j] = (1 + a[j]) * decay[j];
    else
        for (size_t j = 0; j < m; j++)
            a[j] = (1 + a[j] + a[j] * a[j] * (1.0 / 3)) * decay[j];
}

/* Turns squared distances (for SE: times -1/2) into covariances. Matern: a = sqrt(2 nu) r, exp(-a) kept in a stack buffer. */
TVGP__SIMD_CLONES
static void transform(const stationary *k, size_t m, double *row) {
    double decay[CHUNK];
    if (k->family == TVGP__SE) {
        tvgp__vexp(m, k->variance, row);
        return;
    }
    if (k->family == TVGP__RATIONAL_QUADRATIC) {
        for (size_t j = 0; j < m; j++)
            row[j] = -k->shape * log1p(fmin(row[j] / (2 * k->shape), 1e300));
        tvgp__vexp(m, k->variance, row);
        return;
    }
    for (size_t first = 0; first < m; first += CHUNK) {
        size_t n = m - first < CHUNK ? m - first : CHUNK;
        double *a = row + first;
        scaled_roots(two_nu_of(k), n, a, a);
        for (size_t j = 0; j < n; j++)
            decay[j] = -a[j];
        tvgp__vexp(n, k->variance, decay);
        times_polynomial(k->family, n, decay, a);
    }
}

/* h with dk/dz_d = -h (z_d - x_d) / l_d^2 and dk/dlog l_d = h ((z_d - x_d) / l_d)^2, from squared distances and covariances.
 * At distance 0 of Matern 1/2, where k has no derivative, h is 0. */
TVGP__SIMD_CLONES
static void slope_of(int family, double shape, size_t m, const double *r2, const double *K, double *h) {
    if (family == TVGP__MATERN12)
        for (size_t j = 0; j < m; j++)
            h[j] = h[j] > 0 ? K[j] / h[j] : 0;
    else if (family == TVGP__MATERN32)
        for (size_t j = 0; j < m; j++)
            h[j] = 3 * K[j] / (1 + h[j]);
    else if (family == TVGP__MATERN52)
        for (size_t j = 0; j < m; j++)
            h[j] = 5 * K[j] * (1 + h[j]) / (3 + 3 * h[j] + h[j] * h[j]);
    else
        for (size_t j = 0; j < m; j++)
            h[j] = K[j] / (1 + r2[j] / (2 * shape));
}

/* Of another family than SE, where h = K; r2 may be h. */
static void slope(const stationary *k, size_t m, const double *r2, const double *K, double *h) {
    if (k->family != TVGP__RATIONAL_QUADRATIC)
        scaled_roots(two_nu_of(k), m, r2, h);
    slope_of(k->family, k->shape, m, r2, K, h);
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const stationary *k = (const stationary *)kernel;
    const double factor = k->family == TVGP__SE ? -0.5 : 1;
    tvgp__distances(kernel->dim, k->reciprocal, factor, n, X, m, Z, K, ldk);
    if (ldk == m) /* one long row */
        transform(k, n * m, K);
    else
        for (size_t i = 0; i < n; i++)
            transform(k, m, K + i * ldk);
    return TVGP_OK;
}

static inline double total(const double sum[LANES]) {
    double s[LANES / 2];
    for (size_t j = 0; j < LANES / 2; j++)
        s[j] = sum[j] + sum[j + LANES / 2];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* wh = w o h of one point and at most CHUNK others, 0 up to the next LANES; r2 (not read for SE) may be wh. */
TVGP__SIMD_CLONES
static void weigh(const stationary *k, size_t m, const double *r2, const double *restrict K, const double *restrict w,
                  double *wh) {
    if (k->family == TVGP__SE)
        for (size_t j = 0; j < m; j++)
            wh[j] = w[j] * K[j];
    else {
        slope(k, m, r2, K, wh);
        for (size_t j = 0; j < m; j++)
            wh[j] *= w[j];
    }
    memset(wh + m, 0, (-m % LANES) * sizeof *wh);
}

/* sum_j h_j (x_j - z) of one coordinate; h is 0 from m up to the next LANES. */
static inline double moment(double z, size_t m, const double *restrict x, const double *restrict h) {
    double sum[LANES] = {0};
    for (size_t first = 0; first < m; first += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[j] += h[first + j] * (x[first + j] - z);
    return total(sum);
}

/* g[d] += sum_j h_j (x_jd - z_d) / l_d^2, `count` coordinates that were turned */
TVGP__SIMD_CLONES
static void gather(size_t count, const double *reciprocal, const double *z, size_t m, const double *T, const double *h,
                   double *g) {
    for (size_t d = 0; d < count; d++)
        g[d] += moment(z[d], m, T + d * STRIDE, h) * reciprocal[d] * reciprocal[d];
}

/* At most GROUP points with at most CHUNK; rows of K and C are ld apart. H: workspace (turned_room). */
static void pull_chunk(const stationary *k, size_t n, const double *Z, size_t m, const double *X, size_t ld, const double *K,
                       const double *C, double *G, double *H) {
    const size_t dim = k->base.dim;
    double *T = H + GROUP * CHUNK;
    if (k->family != TVGP__SE)
        tvgp__distances(dim, k->reciprocal, 1, n, Z, m, X, H, CHUNK);
    for (size_t i = 0; i < n; i++)
        weigh(k, m, H + i * CHUNK, K + i * ld, C + i * ld, H + i * CHUNK);
    for (size_t from = 0; from < dim; from += GROUP) {
        size_t count = dim - from < GROUP ? dim - from : GROUP;
        tvgp__distances_turn(dim, from, count, m, X, T, STRIDE);
        for (size_t i = 0; i < n; i++)
            gather(count, k->reciprocal + from, Z + i * dim + from, m, T, H + i * CHUNK, G + i * dim + from);
    }
}

/* Workspace for `rows` values of each point of a group, and behind them a group of turned coordinates. */
static size_t turned_room(const tvgp_kernel *kernel, size_t rows) {
    return rows * GROUP * CHUNK + (kernel->dim < GROUP ? kernel->dim : GROUP) * STRIDE;
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    const size_t dim = kernel->dim;
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, turned_room(kernel, 1), &work));
    for (size_t i = 0; i < n; i += GROUP)
        for (size_t first = 0; first < m; first += CHUNK)
            pull_chunk((const stationary *)kernel, n - i < GROUP ? n - i : GROUP, Z + i * dim,
                       m - first < CHUNK ? m - first : CHUNK, X + first * dim, m, K + i * m + first, C + i * m + first,
                       G + i * dim, work);
    tvgp__scratch_give(kernel->ctx, work);
    return TVGP_OK;
}

static void reach(const tvgp_kernel *kernel, double *out) {
    for (size_t d = 0; d < kernel->dim; d++)
        out[d] = fmin(out[d], 1 / ((const stationary *)kernel)->reciprocal[d]);
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = ((const stationary *)kernel)->variance;
    return TVGP_OK;
}

/* ---- parameters: variance, lengthscales, alpha ------------------------------------------------------------------ */

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    const stationary *k = (const stationary *)kernel;
    size_t n = 0;
    tvgp__parameter_put(list, &n, "variance", TVGP_PARAM_VARIANCE, k->variance);
    tvgp__parameter_put_each(list, &n, "lengthscale", TVGP_PARAM_LENGTHSCALE, k->n_lengthscale, k->reciprocal + kernel->dim);
    if (k->family == TVGP__RATIONAL_QUADRATIC)
        tvgp__parameter_put(list, &n, "alpha", TVGP_PARAM_SHAPE, k->shape);
    if (list)
        list->flags |= TVGP_PARAM_SCALES;
    return n;
}

static void assign(tvgp_kernel *kernel, const double *values) {
    stationary *k = (stationary *)kernel;
    k->variance = values[0];
    values =
        tvgp__parameter_take_each(values + 1, k->n_lengthscale, kernel->dim, k->reciprocal + kernel->dim, k->reciprocal);
    if (k->family == TVGP__RATIONAL_QUADRATIC)
        k->shape = values[0];
}

/* sum_ij W_ij ((x_i - t_j) / l)^2 of one coordinate; x_i are dim apart. W is 0 from m up to the next LANES. */
TVGP__SIMD_CLONES
static double squares(size_t dim, double reciprocal, size_t n, const double *x, size_t m, const double *restrict t,
                      const double *restrict W) {
    double sum[LANES] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += LANES) {
            const double *w = W + i * CHUNK + first, *at = t + first;
            for (size_t j = 0; j < LANES; j++) {
                double diff = (x[i * dim] - at[j]) * reciprocal, square = diff * diff;
                sum[j] += w[j] * (square < 1e300 ? square : 1e300); /* where w is 0 it may be infinite */
            }
        }
    return total(sum);
}

/* The share of each lengthscale, a chunk of Z turned once for n points; T: workspace. */
static void contract_lengthscales(const stationary *k, size_t n, const double *X, size_t m, const double *Z, const double *W,
                                  double *gradient, double *T) {
    const size_t dim = k->base.dim;
    for (size_t from = 0; from < dim; from += GROUP) {
        size_t count = dim - from < GROUP ? dim - from : GROUP;
        tvgp__distances_turn(dim, from, count, m, Z, T, STRIDE);
        for (size_t d = 0; d < count; d++)
            gradient[from + d] += squares(dim, k->reciprocal[from + d], n, X + from + d, m, T + d * STRIDE, W);
    }
}

/* dk/dlog alpha = k alpha (q / (1 + q) - log(1 + q)), q = r^2 / (2 alpha) */
static double shape_sum(const stationary *k, size_t m, const double *r2, const double *K, const double *w) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) {
        double q = r2[j] / (2 * k->shape);
        sum += w[j] * K[j] * k->shape * (q / (1 + q) - log1p(q));
    }
    return sum;
}

/* Covariances below e^-300 of the variance count as 0: denormal numbers are slow, infinite distances no numbers. */
TVGP__SIMD_CLONES
static void flush(double variance, size_t m, double *restrict r2, double *restrict K) {
    for (size_t j = 0; j < m; j++) {
        int none = K[j] < 5e-131 * variance;
        K[j] = none ? 0 : K[j];
        r2[j] = none ? 0 : r2[j];
    }
}

/* One point with at most CHUNK others, at squared distances r2: the share of all but the lengthscales, for which w h is left. */
TVGP__SIMD_CLONES
static void contract_row(const stationary *k, size_t m, double *r2, const double *w, double *wh, double *gradient) {
    double K[CHUNK];
    for (size_t j = 0; j < m; j++)
        K[j] = k->family == TVGP__SE ? -0.5 * r2[j] : r2[j];
    transform(k, m, K);
    flush(k->variance, m, r2, K);
    weigh(k, m, r2, K, w, wh);
    gradient[0] += tvgp__loops_dot(m, w, K);
    if (k->n_lengthscale == 1)
        gradient[1] += tvgp__loops_dot(m, wh, r2);
    if (k->family == TVGP__RATIONAL_QUADRATIC)
        gradient[1 + k->n_lengthscale] += shape_sum(k, m, r2, K, w);
}

/* At most GROUP points with at most CHUNK. R2: workspace (turned_room). */
static void contract_chunk(const stationary *k, size_t n, const double *X, size_t m, const double *Z, const double *W,
                           size_t ldw, double *gradient, double *R2) {
    double *WH = R2 + GROUP * CHUNK;
    tvgp__distances(k->base.dim, k->reciprocal, 1, n, X, m, Z, R2, CHUNK);
    for (size_t i = 0; i < n; i++)
        contract_row(k, m, R2 + i * CHUNK, W + i * ldw, WH + i * CHUNK, gradient);
    if (k->n_lengthscale > 1)
        contract_lengthscales(k, n, X, m, Z, WH, gradient + 1, WH + GROUP * CHUNK);
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    size_t dim = kernel->dim;
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, turned_room(kernel, 2), &work));
    for (size_t i = 0; i < n; i += GROUP)
        for (size_t first = 0; first < m; first += CHUNK)
            contract_chunk((const stationary *)kernel, n - i < GROUP ? n - i : GROUP, X + i * dim,
                           m - first < CHUNK ? m - first : CHUNK, Z + first * dim, W + i * ldw + first, ldw, gradient, work);
    tvgp__scratch_give(kernel->ctx, work);
    return TVGP_OK;
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const stationary *k = (const stationary *)*kernel;
    stationary s = {0};
    if (k)
        s = *k;
    int64_t family = s.family;
    double *lengthscale = NULL;
    tvgp__visit_int(v, &family, TVGP__SE, TVGP__RATIONAL_QUADRATIC);
    tvgp__visit_real(v, &s.variance, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &s.shape, 0, TVGP__VALID_RANGE_MOST);
    tvgp__kernel_visit_list(v, dim, &s.n_lengthscale, k ? k->reciprocal + dim : NULL, &lengthscale);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(
            v, tvgp__stationary_new(v->ctx, (int)family, dim, s.variance, s.shape, lengthscale, s.n_lengthscale, kernel));
    tvgp__memory_free(v->ctx, lengthscale);
}

const tvgp__kernel_ops tvgp__stationary_ops = {.type = "stationary",
                                               .visit = visit,
                                               .block = block,
                                               .diag = diag,
                                               .pull = pull,
                                               .reach = reach,
                                               .params = params,
                                               .assign = assign,
                                               .contract = contract};

tvgp_status tvgp__stationary_new(tvgp_ctx *ctx, int family, size_t dim, double variance, double shape,
                                 const double *lengthscale, size_t n_lengthscale, tvgp_kernel **out) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__valid_range_positive(ctx, "alpha", shape, 0));
    TVGP__TRY(tvgp__kernel_scales(ctx, "lengthscale", dim, lengthscale, n_lengthscale));
    stationary *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__stationary_ops, dim, sizeof *k + 2 * dim * sizeof *k->reciprocal, &k));
    k->family = family;
    k->variance = variance;
    k->shape = shape;
    k->n_lengthscale = n_lengthscale;
    (void)tvgp__parameter_take_each(lengthscale, n_lengthscale, dim, k->reciprocal + dim, k->reciprocal);
    *out = &k->base;
    return TVGP_OK;
}
