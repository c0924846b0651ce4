/* SPDX-License-Identifier: MIT */
/* Kernels over time. Forgetting: (1 - epsilon)^(|t - t'| / 2) (Bogunovic, Scarlett, Cevher 2016).
 * Wiener: 1 + rate (min(t, t') - origin), a constant plus Brownian motion (Brunzema et al. 2022). */
#include "space/kernel/time.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/loops.h"
#include "linalg/vexp.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp_kernel base;
    double epsilon; /* forgetting */
    double rate;    /* forgetting: log(1 - epsilon) */
    double origin;
} temporal;

enum { CHUNK = 256 }; /* entries of a row worked on at a time, on the stack */

/* -kappa |x - z|, kappa = -rate / 2 */
TVGP__SIMD_CLONES
static void exponents(double rate, double x, size_t m, const double *restrict Z, double *restrict e) {
    for (size_t j = 0; j < m; j++)
        e[j] = 0.5 * rate * fabs(x - Z[j]);
}

/* e^-kappa dt, and 0 where that is below e^-700: so it is, and what it meets would be denormal. */
TVGP__SIMD_CLONES
static void correlations(size_t m, double *e) {
    tvgp__vexp(m, 1, e);
    for (size_t j = 0; j < m; j++)
        e[j] = e[j] < 1e-304 ? 0 : e[j];
}

static tvgp_status forgetting_block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                    double *K, size_t ldk) {
    for (size_t i = 0; i < n; i++) {
        exponents(((const temporal *)kernel)->rate, X[i], m, Z, K + i * ldk);
        correlations(m, K + i * ldk);
    }
    return TVGP_OK;
}

static tvgp_status forgetting_diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)kernel;
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = 1;
    return TVGP_OK;
}

static size_t forgetting_params(const tvgp_kernel *kernel, tvgp__param *list) {
    size_t n = 0;
    tvgp__parameter_put(list, &n, "epsilon", TVGP_PARAM_RATE, ((const temporal *)kernel)->epsilon);
    if (list && n) {
        list->upper = nextafter(1, 0);
        list->flags = TVGP_PARAM_EPSILON;
    }
    return n;
}

static void forgetting_assign(tvgp_kernel *kernel, const double *values) {
    temporal *k = (temporal *)kernel;
    k->epsilon = values[0];
    k->rate = log1p(-values[0]);
}

/* sum_j w_j dk/dlog kappa = -kappa dt e^(-kappa dt) w, of at most CHUNK entries */
static double forgetting_slope(double rate, double x, size_t m, const double *Z, const double *w) {
    enum { PART = CHUNK / 2 }; /* exponents held at a time, on the stack */
    double exponent[PART], K[CHUNK];
    for (size_t first = 0; first < m; first += PART) {
        const size_t n = m - first < PART ? m - first : PART;
        exponents(rate, x, n, Z + first, exponent);
        memcpy(K + first, exponent, n * sizeof *K);
        correlations(n, K + first);
        for (size_t j = 0; j < n; j++)
            K[first + j] *= exponent[j];
    }
    return tvgp__loops_dot(m, w, K);
}

static tvgp_status forgetting_contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                       const double *W, size_t ldw, double *gradient) {
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += CHUNK)
            gradient[0] += forgetting_slope(((const temporal *)kernel)->rate, X[i], m - first < CHUNK ? m - first : CHUNK,
                                            Z + first, W + i * ldw + first);
    return TVGP_OK;
}

static void forgetting_visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    double epsilon = *kernel ? ((const temporal *)*kernel)->epsilon : 0;
    (void)dim;
    tvgp__visit_real(v, &epsilon, 0, 1);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__time_forgetting_new(v->ctx, epsilon, kernel));
}

const tvgp__kernel_ops tvgp__time_forgetting_ops = {.type = "time-forgetting",
                                                    .visit = forgetting_visit,
                                                    .block = forgetting_block,
                                                    .diag = forgetting_diag,
                                                    .params = forgetting_params,
                                                    .assign = forgetting_assign,
                                                    .contract = forgetting_contract};

static tvgp_status wiener_block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                                size_t ldk) {
    const temporal *k = (const temporal *)kernel;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = 1 + k->rate * (fmin(X[i], Z[j]) - k->origin);
    return TVGP_OK;
}

static tvgp_status wiener_diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    const temporal *k = (const temporal *)kernel;
    for (size_t i = 0; i < n; i++)
        d[i] = 1 + k->rate * (X[i] - k->origin);
    return TVGP_OK;
}

static tvgp_status wiener_check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X) {
    const temporal *k = (const temporal *)kernel;
    for (size_t i = 0; i < n; i++)
        if (X[i] < k->origin)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s[%zu] = %g is before the origin %g of the Wiener kernel", argument,
                                   i, X[i], k->origin);
    return TVGP_OK;
}

static size_t wiener_params(const tvgp_kernel *kernel, tvgp__param *list) {
    size_t n = 0;
    tvgp__parameter_put(list, &n, "rate", TVGP_PARAM_RATE, ((const temporal *)kernel)->rate);
    return n;
}

static void wiener_assign(tvgp_kernel *kernel, const double *values) {
    ((temporal *)kernel)->rate = values[0];
}

static tvgp_status wiener_contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                   const double *W, size_t ldw, double *gradient) {
    const temporal *k = (const temporal *)kernel;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            gradient[0] += W[i * ldw + j] * k->rate * (fmin(X[i], Z[j]) - k->origin);
    return TVGP_OK;
}

static void wiener_visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const temporal *k = (const temporal *)*kernel;
    double rate = k ? k->rate : 0, origin = k ? k->origin : 0;
    (void)dim;
    tvgp__visit_real(v, &rate, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &origin, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__time_wiener_new(v->ctx, rate, origin, kernel));
}

const tvgp__kernel_ops tvgp__time_wiener_ops = {.type = "time-wiener",
                                                .visit = wiener_visit,
                                                .block = wiener_block,
                                                .diag = wiener_diag,
                                                .check = wiener_check,
                                                .params = wiener_params,
                                                .assign = wiener_assign,
                                                .contract = wiener_contract};

tvgp_status tvgp__time_forgetting_new(tvgp_ctx *ctx, double epsilon, tvgp_kernel **out) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "epsilon", epsilon, 1));
    if (epsilon >= 1)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "epsilon = %g is outside [0, 1)", epsilon);
    temporal *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__time_forgetting_ops, 1, sizeof *k, &k));
    k->epsilon = epsilon;
    k->rate = log1p(-epsilon);
    *out = &k->base;
    return TVGP_OK;
}

tvgp_status tvgp__time_wiener_new(tvgp_ctx *ctx, double rate, double origin, tvgp_kernel **out) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "rate", rate, 1));
    TVGP__TRY(tvgp__valid_range_value(ctx, "origin", origin));
    temporal *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__time_wiener_ops, 1, sizeof *k, &k));
    k->rate = rate;
    k->origin = origin;
    *out = &k->base;
    return TVGP_OK;
}

int tvgp__time_is(const tvgp_kernel *kernel) {
    return kernel->ops == &tvgp__time_forgetting_ops || kernel->ops == &tvgp__time_wiener_ops;
}
