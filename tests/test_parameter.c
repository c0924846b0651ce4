/* SPDX-License-Identifier: MIT */
/* Parameters of kernels: names and values, clones against closed forms, contractions against differences of clones. */
#include "cases.h"
#include "space/kernel/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 24, POINTS = 300 };

static double W[POINTS * POINTS], K[POINTS * POINTS], X[POINTS * REF_MAX_DIM], Z[POINTS * REF_MAX_DIM];

/* ---- one kernel of every kind ------------------------------------------------------------------------------------ */

typedef tvgp_status (*maker)(tvgp_kernel **);

static const double l2[] = {0.35, 0.8}, p2[] = {0.7, 1.9}, l3[] = {0.5, 0.9, 0.4};

static tvgp_status se(tvgp_kernel **k) {
    return tvgp_kernel_se(ctx, 2, 1.7, 2, l2, k);
}
static tvgp_status shared(tvgp_kernel **k) {
    return tvgp_kernel_se(ctx, 2, 1.7, 1, l2, k);
}
static tvgp_status line(tvgp_kernel **k) {
    return tvgp_kernel_matern(ctx, 1, 2.5, 0.3, 1, l2, k);
}
static tvgp_status matern12(tvgp_kernel **k) {
    return tvgp_kernel_matern(ctx, 2, 0.5, 1.7, 2, l2, k);
}
static tvgp_status matern32(tvgp_kernel **k) {
    return tvgp_kernel_matern(ctx, 2, 1.5, 1.7, 2, l2, k);
}
static tvgp_status matern52(tvgp_kernel **k) {
    return tvgp_kernel_matern(ctx, 3, 2.5, 1.7, 3, l3, k);
}
static tvgp_status quadratic(tvgp_kernel **k) {
    return tvgp_kernel_rational_quadratic(ctx, 2, 1.3, 1.7, 2, l2, k);
}
static tvgp_status shared_quadratic(tvgp_kernel **k) {
    return tvgp_kernel_rational_quadratic(ctx, 2, 1.3, 1.7, 1, l2, k);
}
static tvgp_status periodic(tvgp_kernel **k) {
    return tvgp_kernel_periodic(ctx, 2, 1.7, 2, l2, 2, p2, k);
}
static tvgp_status shared_periodic(tvgp_kernel **k) {
    return tvgp_kernel_periodic(ctx, 2, 1.7, 1, l2, 1, p2, k);
}
static tvgp_status linear(tvgp_kernel **k) {
    return tvgp_kernel_linear(ctx, 2, 1.7, 2, l2, 0.4, k);
}
static tvgp_status no_bias(tvgp_kernel **k) {
    return tvgp_kernel_linear(ctx, 2, 1.7, 1, l2, 0, k);
}
static tvgp_status categorical(tvgp_kernel **k) {
    return tvgp_kernel_categorical(ctx, 1.7, 0.3, k);
}
static tvgp_status forgetting(tvgp_kernel **k) {
    return tvgp_kernel_forgetting(ctx, 0.3, k);
}
static tvgp_status wiener(tvgp_kernel **k) {
    return tvgp_kernel_wiener(ctx, 0.7, -1, k);
}

static tvgp_status pair(maker a, maker b, int product, tvgp_kernel **k) {
    tvgp_kernel *first = NULL, *second = NULL;
    tvgp_status status = a(&first);
    if (status == TVGP_OK)
        status = b(&second);
    if (status == TVGP_OK)
        status = product ? tvgp_kernel_product(ctx, first, second, k) : tvgp_kernel_sum(ctx, first, second, k);
    tvgp_kernel_destroy(first);
    tvgp_kernel_destroy(second);
    return status;
}
static tvgp_status sum(tvgp_kernel **k) {
    return pair(se, linear, 0, k);
}
static tvgp_status product(tvgp_kernel **k) {
    return pair(matern32, periodic, 1, k);
}
static tvgp_status sum_of_products(tvgp_kernel **k) {
    return pair(product, sum, 0, k);
}
static tvgp_status product_of_sums(tvgp_kernel **k) {
    return pair(sum, quadratic, 1, k);
}
static tvgp_status slices(tvgp_kernel **k) { /* line on coordinate 1, categories on coordinate 0 */
    tvgp_kernel *inner[2] = {NULL, NULL}, *part[2] = {NULL, NULL};
    tvgp_status status = line(&inner[0]);
    if (status == TVGP_OK)
        status = categorical(&inner[1]);
    for (size_t i = 0; i < 2 && status == TVGP_OK; i++)
        status = tvgp_kernel_slice(ctx, 2, 1 - i, inner[i], &part[i]);
    if (status == TVGP_OK)
        status = tvgp_kernel_product(ctx, part[0], part[1], k);
    for (size_t i = 0; i < 2; i++) {
        tvgp_kernel_destroy(inner[i]);
        tvgp_kernel_destroy(part[i]);
    }
    return status;
}
static tvgp_status with_table(tvgp_kernel **k) { /* the table has nothing to learn */
    static const double unit[4] = {1, 0.5, 0.5, 2};
    tvgp_kernel *table = NULL, *other = NULL;
    tvgp_status status = tvgp_kernel_table(ctx, 2, unit, &table);
    if (status == TVGP_OK)
        status = line(&other);
    if (status == TVGP_OK)
        status = tvgp_kernel_product(ctx, table, other, k);
    tvgp_kernel_destroy(table);
    tvgp_kernel_destroy(other);
    return status;
}

static const struct {
    maker make;
    const char *names;
} kinds[] = {
    {se, "variance lengthscale.0 lengthscale.1"},
    {shared, "variance lengthscale.0"},
    {line, "variance lengthscale.0"},
    {matern12, "variance lengthscale.0 lengthscale.1"},
    {matern32, "variance lengthscale.0 lengthscale.1"},
    {matern52, "variance lengthscale.0 lengthscale.1 lengthscale.2"},
    {quadratic, "variance lengthscale.0 lengthscale.1 alpha"},
    {shared_quadratic, "variance lengthscale.0 alpha"},
    {periodic, "variance lengthscale.0 lengthscale.1 period.0 period.1"},
    {shared_periodic, "variance lengthscale.0 period.0"},
    {linear, "variance lengthscale.0 lengthscale.1 bias"},
    {no_bias, "variance lengthscale.0"},
    {categorical, "variance correlation"},
    {forgetting, "epsilon"},
    {wiener, "rate"},
    {sum, "a.variance a.lengthscale.0 a.lengthscale.1 b.variance b.lengthscale.0 b.lengthscale.1 b.bias"},
    {product, "a.variance a.lengthscale.0 a.lengthscale.1 b.variance b.lengthscale.0 b.lengthscale.1 b.period.0 b.period.1"},
    {sum_of_products, "a.a.variance a.a.lengthscale.0 a.a.lengthscale.1 a.b.variance a.b.lengthscale.0 a.b.lengthscale.1 "
                      "a.b.period.0 a.b.period.1 b.a.variance b.a.lengthscale.0 b.a.lengthscale.1 b.b.variance "
                      "b.b.lengthscale.0 b.b.lengthscale.1 b.b.bias"},
    {product_of_sums, "a.a.variance a.a.lengthscale.0 a.a.lengthscale.1 a.b.variance a.b.lengthscale.0 a.b.lengthscale.1 "
                      "a.b.bias b.variance b.lengthscale.0 b.lengthscale.1 b.alpha"},
    {slices, "a.variance a.lengthscale.0 b.variance b.correlation"},
    {with_table, "b.variance b.lengthscale.0"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static tvgp_kernel *kernel_at(int i) {
    tvgp_kernel *k = NULL;
    ASSERT_OK(kinds[i].make(&k));
    return k;
}

static size_t values_of(const tvgp_kernel *k, double *values) {
    size_t n = 0;
    tvgp_param_info info;
    ASSERT_OK(tvgp_kernel_param_count(k, &n));
    ck_assert_uint_le(n, MOST);
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_kernel_param_info(k, i, &info));
        values[i] = info.value;
    }
    return n;
}

/* Points in [0, 2); every first coordinate is 0 or 1 for categories and tables. */
static void fill_points(int whole, size_t dim, struct rnd *r) {
    rnd_fill(r, POINTS * dim, X);
    rnd_fill(r, POINTS * dim, Z);
    for (size_t i = 0; i < POINTS * dim; i++) {
        X[i] = whole && i % dim == 0 ? floor(2 * X[i]) : 2 * X[i];
        Z[i] = whole && i % dim == 0 ? floor(2 * Z[i]) : 2 * Z[i];
    }
    memcpy(Z, X, 3 * dim * sizeof *Z); /* some points coincide: distance 0 */
    for (size_t i = 0; i < POINTS * POINTS; i++)
        W[i] = rnd_normal(r);
}

static int whole(int kind) {
    return kinds[kind].make == categorical || kinds[kind].make == slices || kinds[kind].make == with_table;
}

/* ---- names, values, clones --------------------------------------------------------------------------------------- */

TEST_EACH(names_and_bounds, KINDS) {
    tvgp_kernel *k = kernel_at(_i);
    char names[1024] = "";
    size_t n;
    tvgp_param_info info;
    ASSERT_OK(tvgp_kernel_param_count(k, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_kernel_param_info(k, i, &info));
        strcat(strcat(names, i ? " " : ""), info.name);
        ck_assert(info.lower > 0 && info.lower <= info.value && info.value <= info.upper);
        ck_assert_int_eq(info.flags == TVGP_PARAM_EPSILON, strstr(info.name, "epsilon") != NULL);
        ck_assert_int_eq(info.kind == TVGP_PARAM_LENGTHSCALE, strstr(info.name, "lengthscale") != NULL);
        ck_assert_int_eq(info.kind == TVGP_PARAM_VARIANCE, strstr(info.name, "variance") != NULL);
        ck_assert_int_eq(info.kind == TVGP_PARAM_PERIOD, strstr(info.name, "period") != NULL);
    }
    ck_assert_str_eq(names, kinds[_i].names);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_param_info(k, n, &info), "parameters");
    tvgp_kernel_destroy(k);
}

/* A clone without values, and one with the values read back, have the same bits; the kernel is not moved by its clones. */
TEST_EACH(clones_are_equal, KINDS) {
    struct rnd r = {3};
    double values[MOST], other[MOST], *before = K, *after = K + 64;
    tvgp_kernel *k = kernel_at(_i), *same = NULL;
    size_t n = values_of(k, values), dim;
    ASSERT_OK(tvgp_kernel_dim(k, &dim));
    fill_points(whole(_i), dim, &r);
    ASSERT_OK(tvgp_kernel_gram(k, 8, X, 8, Z, before));
    for (int given = 0; given < 2; given++) {
        same = MAKE_KERNEL(tvgp_kernel_with_params, k, given ? values : NULL);
        ASSERT_OK(tvgp_kernel_gram(same, 8, X, 8, Z, after));
        ck_assert_int_eq(memcmp(before, after, 64 * sizeof *K), 0);
    }
    for (size_t i = 0; i < n; i++)
        other[i] = 0.9 * values[i];
    same = MAKE_KERNEL(tvgp_kernel_with_params, k, other);
    ck_assert_uint_eq(values_of(same, values), n);
    ck_assert_int_eq(memcmp(values, other, n * sizeof *values), 0);
    ASSERT_OK(tvgp_kernel_gram(k, 8, X, 8, Z, after));
    ck_assert_int_eq(memcmp(before, after, 64 * sizeof *K), 0);
    tvgp_kernel_destroy(k);
    ASSERT_OK(tvgp_kernel_gram(same, 8, X, 8, Z, after));
    ck_assert_int_ne(memcmp(before, after, 64 * sizeof *K), 0);
}

/* Clones with other values are the kernels of the closed forms with those values. */
TEST(clones_follow_closed_forms) {
    struct ref_kernel a = {.kind = REF_RATIONAL_QUADRATIC, .dim = 2, .variance = 0.6, .alpha = 2.5, .l = {0.2, 1.4}};
    struct ref_kernel b = {.kind = REF_PERIODIC, .dim = 2, .variance = 0.9, .l = {1.1, 0.3}, .period = {2.1, 0.4}};
    struct ref_kernel c = {.kind = REF_LINEAR, .dim = 2, .variance = 0.2, .bias = 0.7, .l = {0.6, 3}};
    const struct ref_kernel sum = {.kind = REF_SUM, .dim = 2, .a = &b, .b = &c};
    const struct ref_kernel all = {.kind = REF_PRODUCT, .dim = 2, .a = &a, .b = &sum};
    const double values[] = {0.6, 0.2, 1.4, 2.5, 0.9, 1.1, 0.3, 2.1, 0.4, 0.2, 0.6, 3, 0.7};
    struct rnd r = {4};
    tvgp_kernel *parts[3];
    ASSERT_OK(quadratic(&parts[0]));
    ASSERT_OK(periodic(&parts[1]));
    ASSERT_OK(linear(&parts[2]));
    tvgp_kernel *plus = MAKE_KERNEL(tvgp_kernel_sum, ctx, parts[1], parts[2]);
    tvgp_kernel *k = MAKE_KERNEL(tvgp_kernel_product, ctx, parts[0], plus);
    tvgp_kernel *clone = MAKE_KERNEL(tvgp_kernel_with_params, k, values);
    fill_points(0, 2, &r);
    ASSERT_OK(tvgp_kernel_gram(clone, 40, X, 40, Z, K));
    for (size_t i = 0; i < 1600; i++)
        ASSERT_NEAR(K[i], ref_kernel(&all, X + i / 40 * 2, Z + i % 40 * 2), 1e-13);
    for (size_t i = 0; i < 3; i++)
        tvgp_kernel_destroy(parts[i]);
}

/* ---- contractions ------------------------------------------------------------------------------------------------ */

static double weighted_sum(const tvgp_kernel *k, const double *values, size_t n, size_t m) {
    double total = 0;
    tvgp_kernel *clone = MAKE_KERNEL(tvgp_kernel_with_params, k, values);
    ASSERT_OK(tvgp_kernel_gram(clone, n, X, m, Z, K));
    for (size_t i = 0; i < n * m; i++)
        total += W[i] * K[i];
    return total;
}

static double shifted(const tvgp_param_info *info, double h) {
    if (!(info->flags & TVGP_PARAM_EPSILON))
        return info->value * exp(h);
    double kappa = -0.5 * log1p(-info->value) * exp(h);
    return -expm1(-2 * kappa);
}

/* d/du_p of the weighted sum by four clones: the error is of fourth order. */
static double difference(const tvgp_kernel *k, size_t p, size_t n, size_t m) {
    static const double weight[] = {8, -8, -1, 1}, at[] = {1, -1, 2, -2};
    const double h = 1e-4;
    double values[MOST], moved[MOST], total = 0;
    tvgp_param_info info;
    size_t count = values_of(k, values);
    ASSERT_OK(tvgp_kernel_param_info(k, p, &info));
    for (size_t i = 0; i < 4; i++) {
        memcpy(moved, values, count * sizeof *values);
        moved[p] = shifted(&info, at[i] * h);
        total += weight[i] * weighted_sum(k, moved, n, m);
    }
    return total / (12 * h);
}

static void assert_contraction(const tvgp_kernel *k, size_t n, size_t m, double tolerance) {
    double gradient[MOST], values[MOST];
    size_t count = values_of(k, values);
    ASSERT_OK(tvgp_kernel_param_gradient(k, n, X, m, Z, W, gradient));
    for (size_t p = 0; p < count; p++)
        ASSERT_NEAR(gradient[p], difference(k, p, n, m), tolerance * sqrt((double)(n * m)));
}

TEST_EACH(contraction_matches_differences, KINDS) {
    static const size_t shapes[][2] = {{1, 1}, {5, 3}, {2, 255}, {3, 256}, {2, 257}, {300, 1}};
    struct rnd r = {5};
    tvgp_kernel *k = kernel_at(_i);
    size_t dim;
    ASSERT_OK(tvgp_kernel_dim(k, &dim));
    fill_points(whole(_i), dim, &r);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        assert_contraction(k, shapes[s][0], shapes[s][1], 1e-10);
    tvgp_kernel_destroy(k);
}

/* Far points: no denormal number, no NaN, and the sum of nothing is 0. */
TEST(contraction_far_away) {
    const double x[2] = {0, 0}, z[6] = {1e3, 0, 40, -40, 0, 1e100}, w[3] = {1, 1, 1};
    double gradient[MOST];
    for (int i = 0; i < 2; i++) {
        tvgp_kernel *k = kernel_at(i ? 3 : 0);
        ASSERT_OK(tvgp_kernel_param_gradient(k, 1, x, 3, z, w, gradient));
        for (size_t p = 0; p < 3; p++)
            ck_assert_msg(gradient[p] == 0 || fabs(gradient[p]) > 1e-300, "gradient[%zu] = %g", p, gradient[p]);
        ASSERT_OK(tvgp_kernel_param_gradient(k, 0, x, 3, z, w, gradient));
        ck_assert_double_eq(gradient[0], 0);
        tvgp_kernel_destroy(k);
    }
}

/* By the family's own assign, which the copy has lost. */
static void (*assign_own)(tvgp_kernel *, const double *values);
static tvgp_status copy_and_assign(const tvgp_kernel *k, const double *values, tvgp_kernel **out) {
    tvgp_status status = tvgp__kernel_copy(k, out);
    if (status == TVGP_OK && values)
        assign_own(*out, values);
    return status;
}

/* A kernel that can be cloned but knows no derivative is differenced, alone and as a part. */
TEST(contraction_by_differences) {
    struct rnd r = {6};
    for (int i = 0; i < 3; i++) {
        static const int of[] = {5, 8, 13};
        tvgp_kernel *own = kernel_at(of[i]), *plain = kernel_at(of[i]);
        const tvgp__kernel_ops *whole = plain->ops;
        tvgp__kernel_ops ops = *whole;
        ops.contract = NULL;
        assign_own = ops.assign;
        ops.assign = NULL;
        ops.clone = copy_and_assign;
        plain->ops = &ops;
        fill_points(0, own->dim, &r);
        tvgp_kernel *sum_own = MAKE_KERNEL(tvgp_kernel_sum, ctx, own, own);
        tvgp_kernel *sum_plain = MAKE_KERNEL(tvgp_kernel_sum, ctx, own, plain);
        double a[2 * MOST], b[2 * MOST], values[MOST];
        size_t n = values_of(own, values);
        ASSERT_OK(tvgp_kernel_param_gradient(sum_own, 7, X, 257, Z, W, a));
        ASSERT_OK(tvgp_kernel_param_gradient(sum_plain, 7, X, 257, Z, W, b));
        ASSERT_ALL_NEAR(2 * n, b, a, 1e-6);
        /* written values arrive, by a new clone */
        tvgp_kernel *mine = NULL;
        values[0] *= 0.5;
        ASSERT_OK(tvgp__parameter_clone(plain, NULL, &mine));
        ASSERT_OK(tvgp__parameter_write(&mine, values));
        tvgp_param_info info;
        ASSERT_OK(tvgp_kernel_param_info(mine, 0, &info));
        ck_assert_double_eq(info.value, values[0]);
        tvgp_kernel_destroy(mine);
        plain->ops = whole; /* sum_plain outlives this scope */
        tvgp_kernel_destroy(own);
        tvgp_kernel_destroy(plain);
    }
}

TEST(coordinates) {
    tvgp__param plain = {.lower = 1e-300, .upper = 1e300},
                epsilon = {.lower = 1e-300, .upper = 1, .flags = TVGP_PARAM_EPSILON};
    ASSERT_NEAR(tvgp__parameter_coordinate(&plain, 0.25), log(0.25), 1e-15);
    ASSERT_NEAR(tvgp__parameter_coordinate(&epsilon, 0.03), log(-0.5 * log(0.97)), 1e-13);
    for (double v = 1e-9; v < 0.999; v *= 1.7) {
        ASSERT_NEAR(tvgp__parameter_value(&plain, tvgp__parameter_coordinate(&plain, v)) / v, 1, 1e-14);
        ASSERT_NEAR(tvgp__parameter_value(&epsilon, tvgp__parameter_coordinate(&epsilon, v)) / v, 1, 1e-14);
    }
    ck_assert_double_eq(tvgp__parameter_value(&plain, 1e4), 1e300); /* never beyond the bounds */
    ck_assert_double_eq(tvgp__parameter_value(&epsilon, 100), 1);
}

/* ---- errors, lack of memory -------------------------------------------------------------------------------------- */

TEST(errors) {
    const double nan_values[] = {1, NAN, 1}, zero[] = {1, 0, 1}, one[] = {1}, unit[4] = {1, 0, 0, 1};
    double gradient[3] = {7, 7, 7};
    tvgp_kernel *k = kernel_at(0), *f = kernel_at(13), *out = NULL;
    size_t n = 9;
    fill_points(0, 2, &(struct rnd){8});
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, unit);
    ASSERT_OK(tvgp_kernel_param_count(table, &n));
    ck_assert_uint_eq(n, 0);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_kernel_param_gradient(table, 1, zero, 1, zero, one, gradient), "no parameters");
    ck_assert_int_eq(tvgp_kernel_param_count(NULL, &n), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_param_count(k, NULL), "n is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_with_params(k, NULL, NULL), "out is NULL");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_with_params(k, nan_values, &out), "nan");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_with_params(k, zero, &out), "values[1]", "lengthscale.0", "= 0");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_with_params(f, one, &out), "epsilon", "= 1");
    ck_assert_ptr_null(out);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_param_gradient(k, 1, X, 1, Z, NULL, gradient), "W is NULL");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_param_gradient(k, 1, X, 3, Z, nan_values, gradient), "W[1]");
    ck_assert_double_eq(gradient[0], 7);
    tvgp_kernel_destroy(k);
    tvgp_kernel_destroy(f);
}

/* Allocation i fails: nothing is created, nothing leaks, the kernel gives the same numbers as before. */
TEST(lack_of_memory) {
    tvgp_kernel *k = kernel_at(17), *out = NULL;
    double values[MOST], gradient[MOST];
    tvgp_param_info info;
    for (size_t fail = 1;; fail++) {
        memory.fail_in = fail;
        tvgp_status status = tvgp_kernel_param_info(k, 2, &info);
        if (status == TVGP_OK)
            status = tvgp_kernel_with_params(k, NULL, &out);
        if (status == TVGP_OK)
            status = tvgp_kernel_param_gradient(k, 1, X, 1, Z, W, gradient);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        tvgp_kernel_destroy(out);
        out = NULL;
        ck_assert_uint_lt(fail, 100);
    }
    ck_assert_uint_eq(values_of(out, values), 15);
    tvgp_kernel_destroy(out);
    tvgp_kernel_destroy(k);
}

/* Names have room for 63 characters: deep inside, outer prefixes are left out. */
TEST(deep_names) {
    tvgp_kernel *k = kernel_at(1), *leaf = kernel_at(1), *next;
    tvgp_param_info info;
    for (int depth = 0; depth < 40; depth++) {
        next = MAKE_KERNEL(tvgp_kernel_sum, ctx, k, leaf);
        tvgp_kernel_destroy(k);
        k = next;
    }
    ASSERT_OK(tvgp_kernel_param_info(k, 1, &info));
    ck_assert_uint_le(strlen(info.name), 63);
    ck_assert_ptr_nonnull(strstr(info.name, "a.a.lengthscale.0"));
    tvgp_kernel_destroy(k);
    tvgp_kernel_destroy(leaf);
}

HARNESS_MAIN("parameter")
