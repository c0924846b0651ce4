/* SPDX-License-Identifier: MIT */
/* kernels: golden values, closed forms in blocks of every shape, what makes a covariance. */
#include "cases.h"
#include "golden/golden_kernels.h"

#include <math.h>
#include <stdlib.h>

/* A hand written constructor with one shared lengthscale gives what the array form gives. */
static tvgp_status shared_lengthscale(const struct ref_kernel *k, tvgp_kernel **out) {
    switch (k->kind) {
    case REF_SE:
        return tvgp_kernel_se(ctx, 2, k->variance, 1, k->l, out);
    case REF_MATERN12:
    case REF_MATERN32:
    case REF_MATERN52:
        return tvgp_kernel_matern(ctx, 2, 0.5 + (double)(k->kind - REF_MATERN12), k->variance, 1, k->l, out);
    default:
        return cases_kernel(ctx, k, out);
    }
}

TEST_EACH(golden_values, GOLDEN_KERNELS) {
    const struct golden_kernel *g = &golden_kernels[_i];
    tvgp_kernel *kernel = NULL;
    for (int shared = 0; shared < 2; shared++) {
        if (shared && g->kernel.l[0] != g->kernel.l[1])
            continue;
        double xy[12], xx[16];
        ASSERT_OK(shared ? shared_lengthscale(&g->kernel, &kernel) : cases_kernel(ctx, &g->kernel, &kernel));
        ASSERT_OK(tvgp_kernel_gram(kernel, 4, golden_kernel_x[0], 3, golden_kernel_y[0], xy));
        ASSERT_OK(tvgp_kernel_gram(kernel, 4, golden_kernel_x[0], 4, golden_kernel_x[0], xx));
        ASSERT_ALL_NEAR(12, xy, g->k_xy, 1e-14);
        ASSERT_ALL_NEAR(16, xx, g->k_xx, 1e-14);
        tvgp_kernel_destroy(kernel);
    }
    for (size_t i = 0; i < 12; i++) /* and the reference used elsewhere is right too */
        ASSERT_NEAR(ref_kernel(&g->kernel, golden_kernel_x[i / 3], golden_kernel_y[i % 3]), g->k_xy[i], 1e-14);
}

TEST(golden_time_kernels) {
    double kf[12], kw[12];
    tvgp_kernel *forgetting = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.03);
    tvgp_kernel *wiener = MAKE_KERNEL(tvgp_kernel_wiener, ctx, 0.05, 0);
    ASSERT_OK(tvgp_kernel_gram(forgetting, 4, golden_time_x, 3, golden_time_y, kf));
    ASSERT_OK(tvgp_kernel_gram(wiener, 4, golden_time_x, 3, golden_time_y, kw));
    const struct ref_kernel se = {.kind = REF_SE, .dim = 2, .variance = 1.7, .l = {0.37, 0.37}};
    for (size_t i = 0; i < 12; i++) {
        double t = golden_time_x[i / 3], s = golden_time_y[i % 3];
        ASSERT_NEAR(kf[i], golden_forgetting[i], 1e-14);
        ASSERT_NEAR(kw[i], golden_wiener[i], 1e-14);
        ASSERT_NEAR(ref_forgetting(0.03, t, s), golden_forgetting[i], 1e-14);
        ASSERT_NEAR(ref_wiener(0.05, 0, t, s), golden_wiener[i], 1e-14);
        ASSERT_NEAR(kf[i] * ref_kernel(&se, golden_kernel_x[i / 3], golden_kernel_y[i % 3]), golden_product[i], 1e-14);
    }
}

TEST(extreme_times) {
    const double times[] = {0, 1e-300, 0.3, 1, 1e12, 1e100};
    static const double epsilon[] = {0, 1e-11, 0.5, 1 - 0x1p-53}; /* 1e-11 at 1e12: times in nanoseconds */
    for (size_t e = 0; e < 4; e++) {
        double K[36];
        tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, epsilon[e]);
        ASSERT_OK(tvgp_kernel_gram(kernel, 6, times, 6, times, K));
        for (size_t i = 0; i < 36; i++) {
            ck_assert(K[i] >= 0 && K[i] <= 1);
            ASSERT_NEAR(K[i], exp(log1p(-epsilon[e]) / 2 * fabs(times[i / 6] - times[i % 6])), 1e-13);
        }
    }
    double at[] = {-3, -1}, K[4];
    tvgp_kernel *wiener = MAKE_KERNEL(tvgp_kernel_wiener, ctx, 0.5, -3);
    ASSERT_OK(tvgp_kernel_gram(wiener, 2, at, 2, at, K));
    ck_assert(K[0] == 1 && K[1] == 1 && K[2] == 1 && K[3] == 2);
    at[0] = -3.5;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_gram(wiener, 2, at, 2, at, K), "-3.5", "-3");
}

/* Blocks of every shape equal the closed form; a block equals its transpose; the matrix is positive semi-definite. */
TEST_EACH(blocks, CASES_KERNELS) {
    enum { MANY = 301 }; /* more than one chunk of whatever length */
    const struct ref_kernel *k = cases_kernel_at((size_t)_i);
    static double X[MANY * 2], K[MANY * MANY], transposed[MANY * MANY];
    struct rnd r = {11};
    for (size_t i = 0; i < MANY * k->dim; i++)
        X[i] = k->kind == REF_TABLE ? (double)rnd_below(&r, CASES_ARMS) : 3 * rnd_uniform(&r) - 1;
    X[k->dim] = X[0]; /* a repeated point */
    X[2 * k->dim - 1] = X[k->dim - 1];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, k);
    static const size_t shapes[][2] = {{1, 1}, {1, MANY}, {MANY, 1}, {7, 13}, {MANY, MANY}, {0, 5}, {5, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t n = shapes[s][0], m = shapes[s][1];
        const double *Z = X + (MANY - m) * k->dim;
        ASSERT_OK(tvgp_kernel_gram(kernel, n, X, m, Z, K));
        ASSERT_OK(tvgp_kernel_gram(kernel, m, Z, n, X, transposed));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++) {
                ASSERT_NEAR(K[i * m + j], ref_kernel(k, X + i * k->dim, Z + j * k->dim), 1e-14);
                ASSERT_NEAR(K[i * m + j], transposed[j * n + i], 1e-15);
            }
    }
    ASSERT_OK(tvgp_kernel_gram(kernel, MANY, X, MANY, X, K));
    for (size_t trial = 0; trial < 20; trial++) {
        double w[MANY], form = 0, scale = 0;
        for (size_t i = 0; i < MANY; i++)
            w[i] = rnd_normal(&r);
        for (size_t i = 0; i < MANY; i++)
            for (size_t j = 0; j < MANY; j++) {
                form += w[i] * K[i * MANY + j] * w[j];
                scale += fabs(w[i] * K[i * MANY + j] * w[j]);
            }
        ck_assert_double_ge(form, -1e-13 * scale);
    }
    size_t dim;
    ASSERT_OK(tvgp_kernel_dim(kernel, &dim));
    ck_assert_uint_eq(dim, k->dim);
}

/* Dimensions below, at and above what is worked on together, with a lengthscale each. */
TEST_EACH(many_dimensions, 6) {
    enum { ROWS = 5, MANY = 301, MOST = 17 };
    static const size_t dims[] = {3, 4, 5, 8, 9, MOST};
    const size_t dim = dims[_i];
    static double X[ROWS * MOST], Z[MANY * MOST], K[ROWS * MANY], one[MANY];
    double l[MOST];
    struct rnd r = {(uint64_t)dim};
    rnd_fill(&r, ROWS * dim, X);
    rnd_fill(&r, MANY * dim, Z);
    for (size_t d = 0; d < dim; d++)
        l[d] = 0.5 + rnd_uniform(&r);
    tvgp_kernel *se = MAKE_KERNEL(tvgp_kernel_se, ctx, dim, 1.3, dim, l);
    tvgp_kernel *matern = MAKE_KERNEL(tvgp_kernel_matern, ctx, dim, 1.5, 0.7, dim, l);
    for (size_t which = 0; which < 2; which++) {
        ASSERT_OK(tvgp_kernel_gram(which ? matern : se, ROWS, X, MANY, Z, K));
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < MANY; j++) {
                double r2 = 0;
                for (size_t d = 0; d < dim; d++)
                    r2 += pow((X[i * dim + d] - Z[j * dim + d]) / l[d], 2);
                double a = sqrt(3 * r2);
                ASSERT_NEAR(K[i * MANY + j], which ? 0.7 * (1 + a) * exp(-a) : 1.3 * exp(-r2 / 2), 1e-14);
            }
        ASSERT_OK(tvgp_kernel_gram(which ? matern : se, 1, X + dim, MANY, Z, one));
        ck_assert_mem_eq(one, K + MANY, sizeof one); /* a row is the same alone */
    }
}

/* Far points: an exponential that underflows is 0, whatever it is multiplied with; a covariance never exceeds the variance.
 */
TEST_WHERE(far_points, CASES_KERNELS, cases_kernel_at((size_t)_i)->kind != REF_TABLE) {
    const struct ref_kernel *k = cases_kernel_at((size_t)_i);
    const double X[] = {0, 0, 1e-200, 0, 1e5, -1e5, 1e49, 1e49};
    double K[16];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, k);
    ASSERT_OK(tvgp_kernel_gram(kernel, 4, X, 4, X, K));
    for (size_t i = 0; i < 16; i++) {
        ck_assert(isfinite(K[i]));
        if (k->kind != REF_PERIODIC) /* the sine of such arguments is noise */
            ASSERT_NEAR(K[i], ref_kernel(k, X + i / 4 * 2, X + i % 4 * 2), 1e-14);
    }
    const double far[] = {0, 0, 1e99, -1e99, 1e100, 1e100};
    if (k->kind <= REF_RATIONAL_QUADRATIC) {
        ASSERT_OK(tvgp_kernel_gram(kernel, 1, far, 2, far + 2, K));
        ck_assert(K[0] >= 0 && K[0] < 1e-100 && K[1] >= 0 && K[1] < 1e-100);
    }
}

/* Sum and product keep their parts alive and nest. */
TEST(nesting) {
    const struct ref_kernel *a = cases_kernel_at(0), *b = cases_kernel_at(1);
    tvgp_kernel *ka = MAKE_KERNEL(cases_kernel, ctx, a);
    tvgp_kernel *sum = MAKE_KERNEL(tvgp_kernel_sum, ctx, ka, MAKE_KERNEL(cases_kernel, ctx, b));
    tvgp_kernel *nested = MAKE_KERNEL(tvgp_kernel_product, ctx, sum, ka);
    const double x[2] = {0.1, 0.2}, z[2] = {0.5, 0.4};
    double value;
    ASSERT_OK(tvgp_kernel_gram(nested, 1, x, 1, z, &value));
    ASSERT_NEAR(value, (ref_kernel(a, x, z) + ref_kernel(b, x, z)) * ref_kernel(a, x, z), 1e-14);
}

/* A singular but positive semi-definite table is a covariance; a table is copied. */
TEST(singular_table) {
    double K[] = {1, 1, 0, 1, 1, 0, 0, 0, 0}, got[9];
    const double arms[] = {0, 1, 2};
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 3, K);
    for (size_t i = 0; i < 9; i++)
        K[i] = 99;
    ASSERT_OK(tvgp_kernel_gram(kernel, 3, arms, 3, arms, got));
    ck_assert(got[0] == 1 && got[1] == 1 && got[2] == 0 && got[4] == 1 && got[8] == 0);
    tvgp_kernel_destroy(kernel);

    const double nearly[] = {1, 0.5 + 4e-11, 0.5, 1}; /* symmetric to round-off: made exactly so */
    kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, nearly);
    ASSERT_OK(tvgp_kernel_gram(kernel, 2, arms, 2, arms, got));
    ck_assert(got[1] == got[2] && got[1] > 0.5 && got[1] < 0.5 + 4e-11);
}

int main(void) {
    golden_read_kernels();
    return HARNESS_RUN("kernel", harness_setup, harness_teardown);
}
