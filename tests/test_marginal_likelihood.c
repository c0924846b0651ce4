/* SPDX-License-Identifier: MIT */
/* learn/marginal_likelihood: golden values and gradients of every kernel under every drift model; two segments; many outcomes
 * as one; what does not depend on units. */
#include "golden/golden_learn.h"
#include "golden/golden_records.h"
#include "harness.h"
#include "learn/marginal_likelihood.h"
#include "space/kernel/parameter.h"

#include <math.h>
#include <string.h>

enum { N = GOLDEN_LEARN_N };

/* The kernel of a golden case from its values; returns how many it took. */
static size_t make_space(int kernel, const double *v, tvgp_kernel **out) {
    tvgp_kernel *a = NULL, *b = NULL;
    size_t taken = 3;
    switch (kernel) {
    case 0:
        ASSERT_OK(tvgp_kernel_se(ctx, 2, v[0], 2, v + 1, out));
        return 3;
    case 1:
    case 2:
    case 3:
        ASSERT_OK(tvgp_kernel_matern(ctx, 2, kernel - 0.5, v[0], 2, v + 1, out));
        return 3;
    case 4:
        ASSERT_OK(tvgp_kernel_rational_quadratic(ctx, 2, v[3], v[0], 2, v + 1, out));
        return 4;
    case 5:
        ASSERT_OK(tvgp_kernel_periodic(ctx, 2, v[0], 2, v + 1, 2, v + 3, out));
        return 5;
    case 6:
        ASSERT_OK(tvgp_kernel_linear(ctx, 2, v[0], 2, v + 1, v[3], out));
        return 4;
    default:
        (void)make_space(kernel == 7 ? 0 : 2, v, &a);
        taken += make_space(kernel == 7 ? 6 : 5, v + 3, &b);
        ASSERT_OK((kernel == 7 ? tvgp_kernel_sum : tvgp_kernel_product)(ctx, a, b, out));
        tvgp_kernel_destroy(a);
        tvgp_kernel_destroy(b);
        return taken;
    }
}

enum { NONE, FORGETTING, MATERN32, WIENER };

static tvgp_kernel *make_time(int law, double rate) {
    const double length = sqrt(3) / rate;
    tvgp_kernel *k = NULL;
    if (law == FORGETTING)
        k = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, -expm1(-2 * rate));
    else if (law == MATERN32)
        k = MAKE_KERNEL(tvgp_kernel_matern, ctx, 1, 1.5, 1, 1, &length);
    else if (law == WIENER)
        k = MAKE_KERNEL(tvgp_kernel_wiener, ctx, rate, 0);
    return k;
}

/* The derivative by log rate from a gradient of the library: Matern in time has its variance first, and a length. */
static double by_rate(int law, const double *gradient) {
    return law == MATERN32 ? -gradient[1] : gradient[0];
}

static tvgp__marginal_likelihood workspace;

static tvgp__marginal_likelihood_value evaluate(const tvgp__marginal_likelihood_model *m,
                                                const tvgp__marginal_likelihood_data *data, double *gradient) {
    tvgp__marginal_likelihood_value value;
    workspace.ctx = ctx;
    ASSERT_OK(tvgp__marginal_likelihood_reserve(&workspace, data->n));
    ASSERT_OK(tvgp__marginal_likelihood_at(&workspace, m, data, &value, gradient));
    tvgp__marginal_likelihood_free(&workspace);
    return value;
}

static void assert_gradient(const tvgp__marginal_likelihood_model *m, int law, size_t space, const double *gradient,
                            const double *golden, int with_noise) {
    ASSERT_ALL_NEAR(space, gradient, golden, 1e-11);
    if (law != NONE)
        ASSERT_NEAR(by_rate(law, gradient + space), golden[space], 1e-11);
    if (with_noise)
        ASSERT_NEAR(gradient[tvgp__marginal_likelihood_count(m) - 1], golden[space + (law != NONE)], 1e-11);
}

TEST_EACH(golden, GOLDEN_LEARN_CASES) {
    const struct golden_learn *g = &golden_learns[_i];
    double gradient[12], y[N];
    tvgp_kernel *space = NULL, *time;
    size_t n = make_space(g->kernel, g->value, &space);
    ck_assert_int_eq((int)n + (g->law != NONE) + 1, g->n);
    time = make_time(g->law, g->value[n]);
    for (size_t i = 0; i < N; i++)
        y[i] = golden_learn_y[i] - golden_learn_mean;
    tvgp__marginal_likelihood_model m = {.space = space, .time = time, .noise = g->value[g->n - 1]};
    const tvgp__marginal_likelihood_data data = {.n = N, .X = golden_learn_x[0], .t = golden_learn_t, .y = y};
    tvgp__marginal_likelihood_value value = evaluate(&m, &data, gradient);
    ASSERT_NEAR(value.log_marginal_likelihood, g->plain, 1e-13);
    assert_gradient(&m, g->law, n, gradient, g->plain_by, 1);
    m.form = TVGP__MARGINAL_LIKELIHOOD_COLLAPSED;
    m.a0 = golden_learn_a0;
    m.b0 = golden_learn_b0 *
           (1 + m.noise); /* of the total variance; the golden one is of the scale alone, whatever the noise */
    value = evaluate(&m, &data, gradient);
    gradient[tvgp__marginal_likelihood_count(&m) - 1] += m.noise / (1 + m.noise) * (m.a0 - golden_learn_b0 / value.scale);
    ASSERT_NEAR(value.log_marginal_likelihood, g->collapsed, 1e-13);
    ASSERT_NEAR(golden_learn_mean + value.mean, g->mean, 1e-12);
    ASSERT_NEAR(value.scale, g->scale, 1e-12);
    assert_gradient(&m, g->law, n, gradient, g->collapsed_by, 1);
    ck_assert_double_eq(evaluate(&m, &data, NULL).log_marginal_likelihood, value.log_marginal_likelihood);
    tvgp_kernel_destroy(space);
}

/* The derivative by the noise variance of each observation, against central differences. */
TEST(by_each_noise) {
    double noise[N], by_own[N], gradient[12];
    const double lengthscale = .3;
    tvgp_kernel *space = MAKE_KERNEL(tvgp_kernel_se, ctx, 2, 1.5, 1, &lengthscale);
    for (size_t i = 0; i < N; i++)
        noise[i] = .1 + .01 * (double)i;
    const tvgp__marginal_likelihood_model m = {.space = space, .noise = .1};
    const tvgp__marginal_likelihood_data data = {
        .n = N, .X = golden_learn_x[0], .t = golden_learn_t, .y = golden_learn_y, .noise = noise};
    workspace.by_own = by_own;
    (void)evaluate(&m, &data, gradient);
    workspace.by_own = NULL;
    for (size_t i = 0; i < N; i++) {
        const double v = noise[i], h = 1e-4 * v;
        noise[i] = v + h;
        double difference = evaluate(&m, &data, NULL).log_marginal_likelihood;
        noise[i] = v - h;
        difference -= evaluate(&m, &data, NULL).log_marginal_likelihood;
        noise[i] = v;
        ASSERT_NEAR(by_own[i], difference / (2 * h), 1e-6);
    }
}

TEST_EACH(segmented, 2) {
    const struct golden_segmented *g = &golden_segmenteds[_i];
    double gradient[12];
    tvgp_kernel *space = NULL, *time;
    size_t n = make_space(g->kernel, g->value, &space);
    time = make_time(g->law, g->value[n]);
    tvgp__marginal_likelihood_model m = {
        .space = space, .time = time, .noise = 7, .form = TVGP__MARGINAL_LIKELIHOOD_FLAT_MEAN};
    const tvgp__marginal_likelihood_data data = {.n = N,
                                                 .X = golden_learn_x[0],
                                                 .t = golden_learn_t,
                                                 .y = golden_learn_y,
                                                 .noise = golden_learn_noise,
                                                 .segment = golden_learn_segment};
    ASSERT_NEAR(evaluate(&m, &data, gradient).log_marginal_likelihood, g->plain, 1e-13);
    assert_gradient(&m, g->law, n, gradient, g->plain_by, 0);
    ck_assert_double_eq(gradient[tvgp__marginal_likelihood_count(&m) - 1], 0); /* no observation has the model's noise */
    tvgp_kernel_destroy(space);
}

/* Some observations have noise of their own: the derivative by that of the others, by differences. */
TEST(mixed_noise) {
    double noise[N], gradient[12], side[2];
    tvgp_kernel *space = NULL;
    (void)make_space(3, golden_learns[12].value, &space);
    for (size_t i = 0; i < N; i++)
        noise[i] = i % 3 ? NAN : golden_learn_noise[i];
    tvgp__marginal_likelihood_model m = {.space = space, .noise = 0.07, .form = TVGP__MARGINAL_LIKELIHOOD_FLAT_MEAN};
    const tvgp__marginal_likelihood_data data = {.n = N, .X = golden_learn_x[0], .y = golden_learn_y, .noise = noise};
    (void)evaluate(&m, &data, gradient);
    for (int i = 0; i < 2; i++) {
        m.noise = 0.07 * exp(i ? 1e-5 : -1e-5);
        side[i] = evaluate(&m, &data, NULL).log_marginal_likelihood;
    }
    ASSERT_NEAR(gradient[3], (side[1] - side[0]) / 2e-5, 1e-8);
    tvgp_kernel_destroy(space);
}

/* ---- many outcomes as one ------------------------------------------------------------------------------------------ */

static tvgp_kernel *record_kernel(int categorical) {
    const double l = 0.4;
    tvgp_kernel *k = NULL;
    if (categorical)
        k = MAKE_KERNEL(tvgp_kernel_categorical, ctx, 1, l);
    else
        k = MAKE_KERNEL(tvgp_kernel_matern, ctx, 1, 2.5, 1, 1, &l);
    return k;
}

TEST_EACH(golden_record, GOLDEN_RECORDS_CASES) {
    const struct golden_record *g = &golden_records[_i];
    double within[GOLDEN_RECORDS] = {golden_records_within}, gradient[5], raw_X[GOLDEN_RECORDS_RAW];
    int64_t raw_segment[GOLDEN_RECORDS_RAW];
    tvgp_kernel *space = record_kernel(g->categorical), *time = make_time(FORGETTING, golden_records_kappa);
    const tvgp__marginal_likelihood_model m = {.space = space,
                                               .time = time,
                                               .noise = g->g,
                                               .form = g->flat ? TVGP__MARGINAL_LIKELIHOOD_FLAT_MEAN
                                                               : TVGP__MARGINAL_LIKELIHOOD_COLLAPSED,
                                               .a0 = golden_records_a0,
                                               .b0 = golden_records_b0};
    const tvgp__marginal_likelihood_data data = {.n = GOLDEN_RECORDS,
                                                 .X = g->categorical ? golden_records_arm : golden_records_x,
                                                 .t = golden_records_t,
                                                 .y = golden_records_y,
                                                 .count = golden_records_count,
                                                 .within = within,
                                                 .segment = golden_records_segment[g->segments - 1]};
    tvgp__marginal_likelihood_value value = evaluate(&m, &data, gradient);
    ASSERT_NEAR(value.log_marginal_likelihood, g->log_marginal_likelihood, 1e-13);
    ASSERT_NEAR(value.mean, g->mean, 1e-12);
    ASSERT_NEAR(value.scale, g->scale, 1e-12);
    for (size_t p = 0; p < 3; p++)
        ASSERT_NEAR(gradient[1 + p], g->by[p], 1e-11);
    for (size_t i = 0; i < GOLDEN_RECORDS_RAW; i++) { /* the outcomes themselves */
        size_t of = 0;
        while (golden_records_arm[of] != golden_records_raw_arm[i] || golden_records_t[of] != golden_records_raw_t[i])
            of++;
        raw_X[i] = data.X[of];
        raw_segment[i] = data.segment[of];
    }
    const tvgp__marginal_likelihood_data raw = {
        .n = GOLDEN_RECORDS_RAW, .X = raw_X, .t = golden_records_raw_t, .y = golden_records_raw_y, .segment = raw_segment};
    ASSERT_NEAR(evaluate(&m, &raw, NULL).log_marginal_likelihood, g->log_marginal_likelihood, 1e-11);
}

/* Random outcomes in cells, some with noise of their own: `raw` one by one, `data` put together. */
struct cells {
    size_t n, raw;
    double X[60], t[60], y[60], noise[60], count[60], within[60], raw_X[60], raw_t[60], raw_y[60], raw_noise[60];
    int64_t segment[60], raw_segment[60];
    double extra; /* log marginal likelihood of outcomes with noise of their own less the one of their weighted means */
};

static void fill_cells(struct cells *c, struct rnd *r, int own) {
    *c = (struct cells){0};
    while (c->raw < 48) {
        const size_t of = c->n++, n = 1 + rnd_below(r, 5), from = c->raw;
        const int its_own = own && rnd_below(r, 2);
        double weight = 0, sum = 0;
        c->X[of] = (double)rnd_below(r, 6) / 5;
        c->t[of] = 8 * (double)(of / 4);
        c->segment[of] = (int64_t)(of / 7);
        for (size_t i = 0; i < n; i++, c->raw++) {
            const double v = its_own ? 0.05 + rnd_uniform(r) : 1;
            c->raw_X[c->raw] = c->X[of];
            c->raw_t[c->raw] = c->t[of];
            c->raw_segment[c->raw] = c->segment[of];
            c->raw_y[c->raw] = 3 + rnd_normal(r);
            c->raw_noise[c->raw] = its_own ? v : NAN;
            weight += 1 / v;
            sum += c->raw_y[c->raw] / v;
        }
        c->y[of] = sum / weight;
        c->count[of] = its_own ? 1 : (double)n;
        c->noise[of] = its_own ? 1 / weight : NAN;
        for (size_t i = from; i < c->raw; i++) {
            const double e = c->raw_y[i] - c->y[of], v = c->raw_noise[i];
            if (its_own)
                c->extra -= 0.5 * (log(2 * acos(-1) * v) + e * e / v);
            else
                c->within[of] += e * e;
        }
        c->extra += its_own ? 0.5 * log(2 * acos(-1) / weight) : 0;
    }
}

/* Put together = one by one, for every form, with and without noise of their own; gradients against differences. */
TEST_EACH(grouped_is_raw, 12) {
    struct cells c;
    struct rnd r = {300 + (uint64_t)_i};
    const int form = _i % 3,
              own = form != TVGP__MARGINAL_LIKELIHOOD_COLLAPSED && _i % 2; /* collapsed: noise is relative to s */
    double gradient[4];
    tvgp_kernel *space = record_kernel(0);
    fill_cells(&c, &r, own);
    for (int k = 0; k < 3; k++) {
        tvgp_kernel *time = make_time(FORGETTING, 0.02 * exp(rnd_normal(&r)));
        tvgp__marginal_likelihood_model m = {
            .space = space, .time = time, .noise = exp(2 * rnd_normal(&r)), .form = form, .a0 = 1, .b0 = 0.8};
        const tvgp__marginal_likelihood_data data = {.n = c.n,
                                                     .X = c.X,
                                                     .t = c.t,
                                                     .y = c.y,
                                                     .noise = c.noise,
                                                     .count = c.count,
                                                     .within = c.within,
                                                     .segment = c.segment};
        const tvgp__marginal_likelihood_data raw = {
            .n = c.raw, .X = c.raw_X, .t = c.raw_t, .y = c.raw_y, .noise = c.raw_noise, .segment = c.raw_segment};
        const tvgp__marginal_likelihood_value value = evaluate(&m, &data, gradient), single = evaluate(&m, &raw, NULL);
        ck_assert_uint_lt(c.n, c.raw);
        ASSERT_NEAR(value.log_marginal_likelihood + c.extra, single.log_marginal_likelihood, 1e-12);
        ASSERT_NEAR(value.mean, single.mean, 1e-11);
        ASSERT_NEAR(value.scale, single.scale, 1e-11);
        double side[2];
        for (int i = 0; i < 2; i++) {
            tvgp__marginal_likelihood_model moved = m;
            moved.noise *= exp(i ? 1e-5 : -1e-5);
            side[i] = evaluate(&moved, &data, NULL).log_marginal_likelihood;
        }
        ASSERT_NEAR(gradient[3], (side[1] - side[0]) / 2e-5, 1e-7);
    }
}

/* y -> a y + b: the collapsed marginal likelihood moves by a constant, its gradient not at all; c and s follow. */
TEST(equivariant) {
    static const double factor[] = {1e-6, 1e-3, 1000, 1e6, 1}, offset[] = {0, -7, 200, -1e4, 1e9};
    double y[N], gradient[12], there[12];
    tvgp_kernel *space = NULL, *time = make_time(FORGETTING, 0.04);
    (void)make_space(3, golden_learns[12].value, &space);
    tvgp__marginal_likelihood_model m = {
        .space = space, .time = time, .noise = 0.05, .form = TVGP__MARGINAL_LIKELIHOOD_COLLAPSED, .a0 = 1, .b0 = 0.8};
    tvgp__marginal_likelihood_data data = {.n = N, .X = golden_learn_x[0], .t = golden_learn_t, .y = golden_learn_y};
    const tvgp__marginal_likelihood_value before = evaluate(&m, &data, gradient);
    for (size_t k = 0; k < 5; k++) {
        for (size_t i = 0; i < N; i++)
            y[i] = factor[k] * golden_learn_y[i] + offset[k];
        data.y = y;
        m.b0 = 0.8 * factor[k] * factor[k];
        tvgp__marginal_likelihood_value after = evaluate(&m, &data, there);
        double tolerance = 1e-11 + 1e-15 * fabs(offset[k]) / factor[k]; /* digits that y itself has lost */
        for (size_t p = 0; p < tvgp__marginal_likelihood_count(&m); p++)
            ASSERT_NEAR(there[p], gradient[p], 10 * tolerance);
        ASSERT_NEAR(after.scale / (factor[k] * factor[k]), before.scale, tolerance);
        ASSERT_NEAR((after.mean - offset[k]) / factor[k], before.mean, tolerance);
        ASSERT_NEAR(after.log_marginal_likelihood + (N - 1) * log(factor[k]), before.log_marginal_likelihood, tolerance);
    }
    tvgp_kernel_destroy(space);
}

/* What cannot be evaluated is NaN with a gradient of zeros, not a failure. */
TEST(not_evaluable) {
    double X[N] = {0}, y[N], gradient[4] = {7, 7, 7, 7};
    const double l = 1;
    tvgp_kernel *space = harness_se(1, 1, &l);
    memcpy(y, golden_learn_y, sizeof y);
    tvgp__marginal_likelihood_model m = {
        .space = space, .noise = 0, .form = TVGP__MARGINAL_LIKELIHOOD_COLLAPSED, .a0 = 1, .b0 = 1};
    const tvgp__marginal_likelihood_data data = {.n = N, .X = X, .y = y};
    ck_assert(isnan(evaluate(&m, &data, gradient).log_marginal_likelihood)); /* one arm, exact outcomes that differ */
    ck_assert(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
    m.noise = 0.1;
    ck_assert(isfinite(evaluate(&m, &data, gradient).log_marginal_likelihood));
    y[3] = 1e200;
    ck_assert(isnan(evaluate(&m, &data, gradient).log_marginal_likelihood));
    ck_assert(gradient[0] == 0);
}

TEST(lack_of_memory) {
    tvgp__marginal_likelihood e = {.ctx = ctx};
    memory.fail_in = 1;
    ck_assert_int_eq(tvgp__marginal_likelihood_reserve(&e, 50), TVGP_ERR_NOMEM);
    ck_assert_uint_eq(e.capacity, 0);
    ASSERT_OK(tvgp__marginal_likelihood_reserve(&e, 50));
    memory.fail_in = 1;
    ck_assert_int_eq(tvgp__marginal_likelihood_reserve(&e, 60), TVGP_ERR_NOMEM);
    ck_assert_uint_eq(e.capacity, 50);
    tvgp__marginal_likelihood_free(&e);
}

int main(void) {
    golden_read_learn();
    golden_read_records();
    return HARNESS_RUN("evidence", harness_setup, harness_teardown);
}
