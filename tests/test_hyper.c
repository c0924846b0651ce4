/* SPDX-License-Identifier: MIT */
/* learn/hyper: the optima of the golden data, gradients of the objective by differences, data of every bad kind, short samples. */
#include "golden/golden_learn.h"
#include "golden/golden_lengthscale_prior.h"
#include "harness.h"
#include "learn/hyper.h"
#include "ref/ref_fit.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIM = 6 };

/* Matern 5/2 on [0, 1]^d with the usual lengthscales. */
static tvgp_kernel *matern(size_t d) {
    double l[MOST_DIM];
    for (size_t i = 0; i < d; i++)
        l[i] = 0.3 * pow((double)d, 0.25);
    return MAKE_KERNEL(tvgp_kernel_matern, ctx, d, 2.5, 1, d, l);
}

/* space and time are given up. */
static tvgp__hyper *make(tvgp_kernel *space, tvgp_kernel *time, size_t window, double noise, double tolerance) {
    tvgp__hyper *h = NULL;
    const tvgp__hyper_spec spec = {.space = space,
                                   .time = time,
                                   .window = window,
                                   .noise = noise,
                                   .tolerance = tolerance,
                                   .usual_ratio = TVGP__HYPER_USUAL_RATIO};
    ASSERT_OK(tvgp__hyper_new(ctx, &spec, &h));
    return h;
}

static void fill(tvgp__hyper *h, size_t n, const double *X, const double *t, const double *y) {
    memcpy(h->X, X, n * h->space->dim * sizeof *X);
    memcpy(h->y, y, n * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        h->t[i] = t ? t[i] : (double)i;
        h->noise[i] = NAN;
        h->segment[i] = 0;
    }
    h->n = n;
}

static int64_t fit(tvgp__hyper *h, const tvgp__hyper_point *warm, int64_t at_a_time) {
    int64_t evaluations = 0;
    tvgp_status status = TVGP_AGAIN;
    tvgp__hyper_begin(h, warm);
    while (status == TVGP_AGAIN && evaluations < 1000) {
        status = tvgp__hyper_run(h, at_a_time, &evaluations);
        ck_assert_int_ge(status, 0);
    }
    ck_assert_int_eq(status, TVGP_OK);
    return evaluations;
}

static tvgp_kernel *forgetting(void) {
    return MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.02);
}

/* ---- golden ----------------------------------------------------------------------------------------------------- */

static struct ref_optimum reference(const struct golden_optimum *g) {
    const struct ref_fit fit = {
        .n = (size_t)g->n, .d = (size_t)g->d, .x = g->x, .t = g->t, .y = g->y, .step = g->rate > 0 ? g->median_dt : 0};
    return ref_fit_optimum(&fit, NULL);
}

/* Those of the reference on the golden data, to 1e-9 with a fine tolerance, in one go or one evaluation at a time; within 0.02
 * with the usual one. */
TEST_EACH(optima_found, 3) {
    const struct golden_optimum *g = &golden_optima[_i];
    const struct ref_optimum ref = reference(g);
    for (int way = 0; way < 3; way++) {
        tvgp_kernel *space = NULL, *time = NULL;
        tvgp__hyper *h = make(matern((size_t)g->d), g->rate > 0 ? forgetting() : NULL, 150, NAN, way < 2 ? 1e-12 : 1e-3);
        fill(h, (size_t)g->n, g->x, g->t, g->y);
        ck_assert_int_eq(tvgp__hyper_look(h), 1);
        ASSERT_NEAR(h->b0, g->b0, 1e-14);
        if (g->rate > 0)
            ASSERT_NEAR(h->step, g->median_dt, 1e-14);
        int64_t evaluations = fit(h, NULL, way == 1 ? 1 : 1000);
        if (way == 2) {
            ck_assert_int_le(evaluations, 30); /* of two starts */
            ck_assert_double_le(fabs(h->best.objective - ref.objective), 0.02);
            tvgp__hyper_free(h);
            continue;
        }
        ASSERT_NEAR(h->best.objective, ref.objective, 1e-11);
        ASSERT_NEAR(h->best.evidence, ref.evidence, 1e-6);
        ASSERT_NEAR(h->best.mean / ref.mean, 1, 1e-6);
        ASSERT_NEAR(h->best.scale / ref.scale, 1, 1e-5);
        ASSERT_NEAR(log(h->best.noise / h->best.scale), log(ref.ratio), 1e-5);
        ASSERT_OK(tvgp__hyper_kernels(h, &h->best, &space, &time));
        ASSERT_NEAR(harness_parameter(space, 0), h->best.scale, 1e-14);
        for (size_t d = 0; d < (size_t)g->d; d++)
            ASSERT_NEAR(log(harness_parameter(space, 1 + d)), log(ref.lengthscale[d]), 1e-5);
        if (time)
            ASSERT_NEAR(log(-0.5 * log1p(-harness_parameter(time, 0))), log(ref.rate), 1e-5);
        ck_assert_uint_eq(tvgp__hyper_at_bound(h, &h->best), 0);
        tvgp_kernel_destroy(space);
        tvgp_kernel_destroy(time);
        tvgp__hyper_free(h);
    }
}

/* Refits when the data have grown by a tenth, from the last optimum: at most 5 evaluations on average, from the mode at most
 * 15, and they end where an optimisation of its own would. */
TEST(warm_starts_are_short) {
    int64_t warm = 0, refits = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct golden_optimum *g = &golden_optima[i];
        tvgp__hyper *h = make(matern((size_t)g->d), g->rate > 0 ? forgetting() : NULL, 150, NAN, 1e-3);
        tvgp__hyper_point before;
        for (size_t n = 10, last = 0; n != last; last = n, n = n + n / 10 < (size_t)g->n ? n + n / 10 : (size_t)g->n) {
            fill(h, n, g->x, g->t, g->y);
            ck_assert_int_eq(tvgp__hyper_look(h), 1);
            h->cold_n = n; /* no second run */
            int64_t evaluations = fit(h, last ? &before : NULL, 100);
            before = h->best;
            warm += last ? evaluations : 0;
            refits += last > 0;
            ck_assert_int_le(evaluations, last ? 15 : 30);
        }
        ck_assert_double_le(fabs(before.objective - reference(g).objective), 0.02);
        tvgp__hyper_free(h);
    }
    ck_assert_msg(warm <= 5 * refits, "%d evaluations in %d refits", (int)warm, (int)refits);
}

/* ---- the objective's gradient ------------------------------------------------------------------------------------ */

/* A random objective: sums, periods, many lengthscales; noise learned, trusted or of its own; outcomes put together; on either side
 * of the centre of the noise. The search's first gradient is compared with differences. */
static tvgp_kernel *kernel_of(int kind) {
    static const double l[40] = {[0] = 0.4, [1] = 0.7};
    double many[40];
    tvgp_kernel *a = NULL, *b = NULL, *k = NULL;
    for (size_t i = 0; i < 40; i++)
        many[i] = 0.5 + 0.02 * (double)i;
    switch (kind) {
    case 0:
        return matern(2);
    case 1: /* a sum: two variances, and a constant for the scale */
        a = MAKE_KERNEL(tvgp_kernel_se, ctx, 2, 1.3, 2, l);
        b = MAKE_KERNEL(tvgp_kernel_linear, ctx, 2, 0.5, 1, l, 0.2);
        k = MAKE_KERNEL(tvgp_kernel_sum, ctx, a, b);
        break;
    case 2:
        a = MAKE_KERNEL(tvgp_kernel_periodic, ctx, 2, 1.1, 2, l, 1, l);
        b = MAKE_KERNEL(tvgp_kernel_rational_quadratic, ctx, 2, 0.8, 0.6, 2, l);
        k = MAKE_KERNEL(tvgp_kernel_product, ctx, a, b);
        break;
    default: /* 40 lengthscales move together */
        k = MAKE_KERNEL(tvgp_kernel_se, ctx, 40, 1.3, 40, many);
    }
    return k;
}

/* The gradient with which a search begins at a point is that of differences. */
static void assert_gradient(tvgp__hyper *h, tvgp__hyper_point at) {
    int64_t evaluations = 0;
    tvgp__hyper_begin(h, &at);
    ck_assert_int_eq(tvgp__hyper_run(h, 1, &evaluations), TVGP_AGAIN);
    for (size_t k = 0; k < h->p; k++) {
        double side[2];
        if (h->lower[k] == h->upper[k])
            continue;
        for (int s = 0; s < 2; s++) {
            tvgp__hyper_point moved = at;
            moved.theta[k] += s ? 1e-5 : -1e-5;
            ASSERT_OK(tvgp__hyper_evaluate(h, &moved));
            side[s] = moved.objective;
        }
        ASSERT_NEAR(-h->search.g[k], (side[1] - side[0]) / 2e-5, 2e-8 * fabs(side[0]));
    }
}

TEST_EACH(gradient_of_objective, 40) {
    enum { N = 14 };
    double X[N * 40], y[N], t[N];
    struct rnd r = {100 + (uint64_t)_i};
    int kind = _i % 4, noise = _i / 4 % 5; /* learned, trusted, of its own for some, for most; of outcomes put together */
    tvgp__hyper *h = make(kernel_of(kind), kind == 3 ? NULL : forgetting(), N, noise == 1 ? 0.05 : NAN, 1e-3);
    rnd_fill(&r, N * 40, X);
    for (size_t i = 0; i < N; i++) {
        y[i] = 100 + 3 * rnd_normal(&r);
        t[i] = (double)i + rnd_uniform(&r);
    }
    fill(h, N, X, t, y);
    for (size_t i = 0; noise == 2 && i < N; i += 3)
        h->noise[i] = 0.3;
    for (size_t i = 0; noise == 3 && i < N - 3; i++)
        h->noise[i] = 20;
    for (size_t i = 0; noise == 4 && i < N; i++) {
        h->count[i] = (double)(1 + i % 3);
        h->within[i] = i % 3 ? 2 * rnd_uniform(&r) : 0;
    }
    ck_assert_int_eq(tvgp__hyper_look(h), 1);
    ck_assert_int_eq(isnan(h->declared), noise != 1 && noise != 3);
    if (kind == 3)
        ck_assert_uint_eq(h->p, 3);
    tvgp__hyper_point at;
    tvgp__hyper_mode(h, &at);
    for (size_t k = 0; k < h->p; k++)
        if (h->lower[k] < h->upper[k])
            at.theta[k] += 0.3 * rnd_normal(&r) + (_i >= 20 && k == h->log_noise ? 5 : 0);
    assert_gradient(h, at);
    tvgp__hyper_free(h);
}

/* Of the noise: Gaussian below its centre, and what a Cauchy costs above, with no step between. */
TEST(prior_of_noise) {
    static const double ratio[] = {0.01, 1e-4, 1, 10, 100, 1000}, cost[] = {0, 2.65, 1.84, 2.56, 3.10, 3.53};
    double X[6], y[6], before = 0;
    struct rnd r = {5};
    tvgp__hyper *h = make(matern(1), NULL, 6, NAN, 1e-3);
    tvgp__hyper_point at;
    rnd_fill(&r, 6, X);
    rnd_fill(&r, 6, y);
    fill(h, 6, X, NULL, y);
    ck_assert_int_eq(tvgp__hyper_look(h), 1);
    tvgp__hyper_mode(h, &at);
    for (size_t i = 0; i < 6; i++) {
        at.theta[h->log_noise] = log(ratio[i]);
        ASSERT_OK(tvgp__hyper_evaluate(h, &at));
        ck_assert_double_le(fabs(at.evidence - at.objective - cost[i]), 0.006);
    }
    for (int side = -1; side <= 1; side += 2) {
        at.theta[h->log_noise] = log(0.01) + side * 1e-9;
        ASSERT_OK(tvgp__hyper_evaluate(h, &at));
        if (side > 0)
            ck_assert_double_le(fabs(at.objective - before), 1e-7);
        before = at.objective;
    }
    tvgp__hyper_free(h);
}

/* A gamma prior of lengthscales: objective and gradient of the reference; the search begins at its mode. */
TEST_EACH(gamma_prior, sizeof golden_lengthscale_priors / sizeof *golden_lengthscale_priors) {
    const struct golden_lengthscale_prior *g = &golden_lengthscale_priors[_i];
    const size_t d = (size_t)g->d;
    double x[12 * 2];
    tvgp_kernel *space = matern(d);
    const tvgp__hyper_spec spec = {.space = space,
                                   .window = 12,
                                   .noise = NAN,
                                   .tolerance = 1e-3,
                                   .usual_ratio = TVGP__HYPER_USUAL_RATIO,
                                   .gamma_shape = g->shape,
                                   .gamma_rate = g->rate};
    tvgp__hyper *h = NULL;
    tvgp__hyper_point at;
    int64_t evaluations = 0;
    ASSERT_OK(tvgp__hyper_new(ctx, &spec, &h));
    for (size_t i = 0; i < 12 * d; i++)
        x[i] = golden_prior_x[i / d][i % d];
    fill(h, 12, x, NULL, golden_prior_y);
    ck_assert_int_eq(tvgp__hyper_look(h), 1);
    tvgp__hyper_mode(h, &at);
    for (size_t k = 0; k < d; k++) {
        const double given = 0.3 * pow((double)d, 0.25);
        ASSERT_NEAR(given * exp(at.theta[k]), g->shape / g->rate, 1e-12);
        at.theta[k] = log(g->lengthscale[k] / given);
    }
    at.theta[h->log_noise] = log(g->ratio);
    ASSERT_OK(tvgp__hyper_evaluate(h, &at));
    ASSERT_NEAR(at.objective, g->objective, 1e-11);
    tvgp__hyper_begin(h, &at);
    ck_assert_int_eq(tvgp__hyper_run(h, 1, &evaluations), TVGP_AGAIN);
    for (size_t k = 0; k < d; k++)
        ASSERT_NEAR(-h->search.g[k], g->by[k], 1e-10);
    ASSERT_NEAR(-h->search.g[h->log_noise], g->by[d], 1e-10);
    tvgp__hyper_free(h);
}

/* ---- noise that grows ---------------------------------------------------------------------------------------------- */

enum { AGED = 14, GROWTHS = 3 };

/* Irregular times out of order; some outcomes with noise of their own where `own`. */
static tvgp__hyper *aged(int growth, int own, int told, double *X, double *t, double *y) {
    struct rnd r = {300 + (uint64_t)growth};
    tvgp__hyper *h = NULL;
    tvgp_kernel *space = matern(2);
    const tvgp__hyper_spec spec = {.space = space,
                                   .window = AGED,
                                   .noise = NAN,
                                   .tolerance = 1e-3,
                                   .usual_ratio = TVGP__HYPER_USUAL_RATIO,
                                   .keep_rate = told,
                                   .age = {.growth = growth, .rate = 0.07, .alpha = 0.8}};
    ASSERT_OK(tvgp__hyper_new(ctx, &spec, &h));
    rnd_fill(&r, AGED * 2, X);
    for (size_t i = 0; i < AGED; i++) {
        y[i] = 100 + 3 * rnd_normal(&r);
        t[i] = (double)((5 * i) % AGED) + rnd_uniform(&r);
    }
    fill(h, AGED, X, t, y);
    for (size_t i = 0; own && i < AGED; i += 3)
        h->noise[i] = 0.3;
    ck_assert_int_eq(tvgp__hyper_look(h), 1);
    return h;
}

TEST_EACH(gradient_with_aging_noise, 4 * GROWTHS) {
    double X[AGED * 2], t[AGED], y[AGED];
    const int growth = TVGP__NOISE_AGE_LINEAR + _i % GROWTHS, own = _i / GROWTHS % 2, told = _i / GROWTHS / 2;
    tvgp__hyper *h = aged(growth, own, told, X, t, y);
    struct rnd r = {400 + (uint64_t)_i};
    tvgp__hyper_point at;
    tvgp__hyper_mode(h, &at);
    for (size_t k = 0; k < h->p; k++)
        if (h->lower[k] < h->upper[k])
            at.theta[k] += 0.3 * rnd_normal(&r);
    ck_assert_uint_eq(h->p, told ? 4 : 5);
    assert_gradient(h, at);
    tvgp__hyper_free(h);
}

/* The log marginal likelihood of a flat mean, from a dense Gaussian process with the noises as they are at the newest observation:
 * ln p(y) at c = 0 and 1 and 2 gives its parabola in c, which is integrated. */
TEST_EACH(evidence_of_aging_noise, GROWTHS) {
    double X[AGED * 2], t[AGED], y[AGED], newest = 0, at[3];
    const int growth = TVGP__NOISE_AGE_LINEAR + _i;
    tvgp__hyper *h = aged(growth, 1, 1, X, t, y);
    tvgp__hyper_point point;
    tvgp__hyper_mode(h, &point);
    ASSERT_OK(tvgp__hyper_evaluate(h, &point));
    const struct ref_kernel space = {
        .kind = REF_MATERN52, .dim = 2, .variance = point.scale, .l = {0.3 * pow(2, 0.25), 0.3 * pow(2, 0.25)}};
    for (size_t i = 0; i < AGED; i++)
        newest = fmax(newest, t[i]);
    for (int c = 0; c < 3; c++) {
        struct ref_gp gp;
        ref_gp_init(&gp, &space, 0, AGED);
        for (size_t i = 0; i < AGED; i++) {
            const double v = i % 3 ? point.noise : 0.3, old = newest - t[i];
            const double grown = growth == TVGP__NOISE_AGE_LINEAR  ? v + 0.07 * old
                                 : growth == TVGP__NOISE_AGE_POWER ? v * (1 + pow(old, 0.8))
                                                                   : v * exp(0.07 * old);
            ref_gp_add(&gp, X + 2 * i, 0, y[i] - 100 - c, grown);
        }
        at[c] = ref_gp_log_evidence(&gp);
        ref_gp_free(&gp);
    }
    const double bend = 2 * at[1] - at[0] - at[2], slope = at[1] - at[0] + 0.5 * bend; /* -bend/2 c^2 + slope c + at[0] */
    const double integral = at[0] + 0.5 * slope * slope / bend + 0.5 * log(2 * 3.14159265358979323846 / bend);
    ASSERT_NEAR(point.evidence, integral, 1e-10);
    ASSERT_NEAR(point.mean, 100 + slope / bend, 1e-9);
    ASSERT_NEAR(point.precision, bend, 1e-9);
    tvgp__hyper_free(h);
}

/* The optimum is that of a search over a lattice of all coordinates, none of which is higher than it. */
TEST_EACH(no_lattice_point_is_higher, GROWTHS) {
    double X[AGED * 2], t[AGED], y[AGED], highest = -INFINITY;
    const int growth = TVGP__NOISE_AGE_LINEAR + _i;
    tvgp__hyper *h = aged(growth, 0, 0, X, t, y);
    for (size_t i = 0; i < AGED; i++) /* smooth, and less and less so in the past */
        y[i] = 3 * sin(5 * X[2 * i]) + X[2 * i + 1] + 0.2 * (14 - t[i]) * sin(40 * X[2 * i + 1]);
    fill(h, AGED, X, t, y);
    ck_assert_int_eq(tvgp__hyper_look(h), 1);
    h->rules.tol_gain = 1e-10;
    (void)fit(h, NULL, 1000);
    size_t count[5] = {9, 9, 1, 9, 9}, total = 9 * 9 * 9 * 9;
    for (size_t code = 0; code < total; code++) {
        tvgp__hyper_point p;
        tvgp__hyper_mode(h, &p);
        for (size_t k = 0, rest = code; k < 5; rest /= count[k], k++)
            p.theta[k] += count[k] > 1 ? 0.5 * ((double)(rest % count[k]) - 4) : 0;
        ASSERT_OK(tvgp__hyper_evaluate(h, &p));
        highest = fmax(highest, p.objective);
    }
    ck_assert_msg(h->best.objective >= highest, "%g, and a lattice point has %g", h->best.objective, highest);
    ck_assert_double_lt(h->best.objective - highest, 0.5);
    tvgp__hyper_free(h);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* y -> 1000 y - 7, one coordinate times 1000, time times 60: only what has that unit follows. */
TEST(units) {
    const struct golden_optimum *g = &golden_optima[2];
    double X[240], y[120], t[120];
    tvgp__hyper_point point[2];
    double length[2][2], rate[2];
    for (int way = 0; way < 2; way++) {
        for (size_t i = 0; i < 120; i++) {
            X[2 * i] = g->x[2 * i];
            X[2 * i + 1] = g->x[2 * i + 1] * (way ? 1000 : 1);
            t[i] = g->t[i] * (way ? 60 : 1);
            y[i] = way ? 1000 * g->y[i] - 7 : g->y[i];
        }
        const double l[2] = {0.3 * pow(2, 0.25), 0.3 * pow(2, 0.25) * (way ? 1000 : 1)};
        tvgp_kernel *time = NULL;
        tvgp_kernel *space = MAKE_KERNEL(tvgp_kernel_matern, ctx, 2, 2.5, 3, 2, l);
        tvgp__hyper *h = make(space, forgetting(), 120, NAN, 1e-12);
        fill(h, 120, X, t, y);
        ck_assert_int_eq(tvgp__hyper_look(h), 1);
        (void)fit(h, NULL, 1000);
        point[way] = h->best;
        ASSERT_OK(tvgp__hyper_kernels(h, &h->best, &space, &time));
        length[way][0] = harness_parameter(space, 1);
        length[way][1] = harness_parameter(space, 2);
        rate[way] = log1p(-harness_parameter(time, 0));
        tvgp_kernel_destroy(space);
        tvgp_kernel_destroy(time);
        tvgp__hyper_free(h);
    }
    ASSERT_NEAR(length[1][0] / length[0][0], 1, 1e-6);
    ASSERT_NEAR(length[1][1] / length[0][1], 1000, 1e-6);
    ASSERT_NEAR(rate[1] / rate[0] * 60, 1, 1e-6);
    ASSERT_NEAR((point[1].mean + 7) / point[0].mean, 1000, 1e-6);
    ASSERT_NEAR(point[1].scale / point[0].scale, 1e6, 1e-6);
    ASSERT_NEAR(point[1].noise / point[0].noise, 1e6, 1e-6);
}

/* ---- short and bad data ------------------------------------------------------------------------------------------ */

/* No runaway lengthscale, nothing that is no number: short samples of a function, repeated points, outliers, exact and equal
 * outcomes. The environment's TVGP_ROUNDS says how many. */
TEST(short_samples) {
    static const size_t sizes[] = {2, 3, 5, 10, 12};
    const char *wanted = getenv("TVGP_ROUNDS");
    const int rounds = wanted ? atoi(wanted) : 1500;
    struct rnd r = {77};
    for (int round = 0; round < rounds; round++) {
        size_t d = (size_t[]){1, 2, 6}[round % 3], n = sizes[rnd_below(&r, 5)];
        double X[12 * MOST_DIM], y[12], t[12];
        rnd_fill(&r, n * d, X);
        for (size_t i = 0; i < n; i++) {
            y[i] = 5 * sin(4 * X[i * d]) + 0.1 * rnd_normal(&r);
            t[i] = (double)rnd_below(&r, 20);
        }
        int bad = (int)rnd_below(&r, 5), law = (int)rnd_below(&r, 2);
        if (bad == 1)
            memcpy(X + d * (n - 1), X, d * sizeof *X);
        if (bad == 2)
            y[rnd_below(&r, n)] = 1e6;
        for (size_t i = 1; bad == 3 && i < n - 1; i++)
            y[i] = y[0];
        tvgp__hyper *h = make(matern(d), law ? forgetting() : NULL, 12, NAN, 1e-3);
        fill(h, n, X, t, y);
        if (bad == 4)
            h->noise[0] = h->noise[n - 1] = 0;
        if (tvgp__hyper_look(h)) {
            (void)fit(h, NULL, 5);
            ck_assert(isfinite(h->best.objective) && isfinite(h->best.mean) && h->best.scale > 0 && h->best.noise > 0);
            for (size_t k = 0; k < d; k++) {
                double ranges = 0.3 * pow((double)d, 0.25) * exp(h->best.theta[k]);
                /* exact outcomes that differ close to each other do say that it is short */
                ck_assert_msg(ranges < 5 && ranges > (bad == 4 ? 5e-3 : 0.03),
                              "round %d: n %zu d %zu bad %d: %g ranges; %g %g, %g %g", round, n, d, bad, ranges, X[0], y[0],
                              X[d], y[1]);
            }
        }
        tvgp__hyper_free(h);
    }
}

TEST(nothing_to_learn_from) {
    double X[4] = {0, 0.3, 0.5, 1}, y[4] = {5, 5, 5, 5};
    tvgp__hyper *h = make(matern(1), NULL, 4, NAN, 1e-3);
    fill(h, 4, X, NULL, y);
    ck_assert_int_eq(tvgp__hyper_look(h), 0);
    fill(h, 1, X, NULL, y);
    ck_assert_int_eq(tvgp__hyper_look(h), 0);
    y[0] = 1e300; /* the variance overflows */
    fill(h, 4, X, NULL, y);
    ck_assert_int_eq(tvgp__hyper_look(h), 0);
    tvgp__hyper_free(h);
}

/* A draw of the model with drift: with its drift model the optimisation finds the noise, without it drift is taken for noise. */
TEST_EACH(drift_is_not_noise, 5) {
    enum { N = 200 };
    static double K[N * N];
    double X[2 * N], t[N], z[N], y[N], l = 0.3;
    struct rnd r = {910 + (uint64_t)_i};
    rnd_fill(&r, 2 * N, X);
    for (size_t i = 0; i < N; i++) {
        t[i] = (double)i;
        z[i] = rnd_normal(&r);
        for (size_t j = 0; j <= i; j++) {
            double a = X[2 * i] - X[2 * j], b = X[2 * i + 1] - X[2 * j + 1];
            K[i * N + j] = exp(-(a * a + b * b) / (2 * l * l)) * pow(1 - 0.03, 0.5 * (t[i] - t[j])) + (i == j ? 0.01 : 0);
        }
    }
    for (size_t i = 0; i < N; i++) { /* y = L z, row by row */
        y[i] = 0;
        for (size_t j = 0; j <= i; j++) {
            double s = K[i * N + j];
            for (size_t k = 0; k < j; k++)
                s -= K[i * N + k] * K[j * N + k];
            K[i * N + j] = i == j ? sqrt(s) : s / K[j * N + j];
            y[i] += K[i * N + j] * z[j];
        }
    }
    for (int law = 0; law < 2; law++) {
        tvgp__hyper *h = make(harness_se(2, 1, &l), law ? forgetting() : NULL, N, NAN, 1e-3);
        fill(h, N, X, t, y);
        ck_assert_int_eq(tvgp__hyper_look(h), 1);
        (void)fit(h, NULL, 1000);
        if (law)
            ck_assert_msg(h->best.noise > 0.01 / 4 && h->best.noise < 0.01 * 4, "noise %g", h->best.noise);
        else
            ck_assert_msg(h->best.noise > 0.2, "noise %g", h->best.noise);
        tvgp__hyper_free(h);
    }
}

/* Draws of n values: a sum of three cosines of length scale l, of every coordinate, and noise of that many standard deviations. */
static void fill_world(tvgp__hyper *h, size_t n, size_t d, double l, double noise, struct rnd *r) {
    double X[60 * MOST_DIM], y[60], w[3][MOST_DIM + 1];
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i <= d; i++)
            w[k][i] = i < d ? rnd_normal(r) / l : 6.283185307179586 * rnd_uniform(r);
    for (size_t i = 0; i < n; i++) {
        y[i] = noise * rnd_normal(r);
        for (size_t j = 0; j < d; j++)
            X[i * d + j] = rnd_uniform(r);
        for (size_t k = 0; k < 3; k++) {
            double phase = w[k][d];
            for (size_t j = 0; j < d; j++)
                phase += w[k][j] * X[i * d + j];
            y[i] += cos(phase);
        }
    }
    fill(h, n, X, NULL, y);
}

/* An optimisation that begins at the prior's mode begins a second time there with much noise: of 200 small data sets some
 * end more than 0.1 nat higher, and none lower. */
TEST(second_cold_start) {
    size_t better = 0;
    for (uint32_t seed = 0; seed < 200; seed++) {
        static const double lengths[] = {.02, .1, .3, 1}, noises[] = {.01, .3, 1, 3, 10};
        struct rnd r = {seed};
        const size_t n = 5 + seed * 7 % 50, d = 1 + seed % 3;
        double objective[2];
        for (int both = 0; both < 2; both++) {
            struct rnd same = r;
            tvgp__hyper *h = make(matern(d), seed % 2 ? forgetting() : NULL, 150, NAN, 1e-3);
            fill_world(h, n, d, lengths[seed / 2 % 4], noises[seed / 8 % 5], &same);
            ck_assert_int_eq(tvgp__hyper_look(h), 1);
            int64_t evaluations = 0;
            tvgp__hyper_begin(h, NULL);
            h->cold_next = both ? h->cold_next : 0;
            ck_assert_int_eq(tvgp__hyper_run(h, 1000, &evaluations), TVGP_OK);
            objective[both] = h->best.objective;
            tvgp__hyper_free(h);
        }
        better += objective[1] > objective[0] + 0.1;
        ck_assert_double_ge(objective[1], objective[0]);
    }
    ck_assert_uint_ge(better, 12); /* it is 17 */
}

/* Ten starts around the mode: it is seldom that one of them ends more than 0.1 nat above the optimisation from the mode. */
TEST(mode_is_a_good_start) {
    int missed = 0;
    for (int problem = 0; problem < 40; problem++) {
        enum { N = 25 };
        size_t d = problem % 2 ? 2 : 1;
        struct rnd r = {900 + (uint64_t)problem};
        double X[2 * N], y[N], best;
        rnd_fill(&r, N * d, X);
        double a = 3 + 6 * rnd_uniform(&r), b = 6 * rnd_uniform(&r);
        for (size_t i = 0; i < N; i++)
            y[i] = sin(a * X[i * d]) + (d > 1 ? cos(b * X[i * d + 1]) : 0) + 0.2 * rnd_normal(&r);
        tvgp__hyper *h = make(matern(d), NULL, N, NAN, 1e-3);
        fill(h, N, X, NULL, y);
        ck_assert_int_eq(tvgp__hyper_look(h), 1);
        (void)fit(h, NULL, 1000);
        best = h->best.objective;
        tvgp__hyper_point mode, start;
        tvgp__hyper_mode(h, &mode);
        double most = best;
        for (int k = 0; k < 10; k++) {
            start = mode;
            for (size_t j = 0; j < h->p; j++)
                start.theta[j] += 1.2 * rnd_normal(&r);
            (void)fit(h, &start, 1000);
            most = fmax(most, h->best.objective);
        }
        missed += most > best + 0.1;
        tvgp__hyper_free(h);
    }
    ck_assert_int_le(missed, 4);
}

TEST(too_many_parameters) {
    double l[30];
    tvgp_kernel *k[3];
    for (size_t i = 0; i < 30; i++)
        l[i] = 1;
    for (size_t i = 0; i < 3; i++)
        k[i] = harness_se(30, 30, l);
    tvgp_kernel *all = MAKE_KERNEL(tvgp_kernel_sum, ctx, MAKE_KERNEL(tvgp_kernel_sum, ctx, k[0], k[1]), k[2]);
    const tvgp__hyper_spec spec = {
        .space = all, .window = 5, .noise = NAN, .tolerance = 1e-3, .usual_ratio = TVGP__HYPER_USUAL_RATIO};
    tvgp__hyper *h = NULL;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp__hyper_new(ctx, &spec, &h), "93 parameters", "at most 62");
}

TEST(lack_of_memory) {
    tvgp_kernel *space = kernel_of(1), *time = forgetting();
    const tvgp__hyper_spec spec = {
        .space = space, .time = time, .window = 5, .noise = NAN, .tolerance = 1e-3, .usual_ratio = TVGP__HYPER_USUAL_RATIO};
    tvgp__hyper *h = NULL;
    for (size_t fail = 1; !h; fail++) {
        memory.fail_in = fail;
        tvgp_status status = tvgp__hyper_new(ctx, &spec, &h);
        memory.fail_in = 0;
        ck_assert(status == TVGP_OK || (status == TVGP_ERR_NOMEM && !h));
        ck_assert_uint_lt(fail, 60);
    }
    tvgp__hyper_free(h);
}

int main(void) {
    golden_read_learn();
    golden_read_lengthscale_prior();
    return HARNESS_RUN("hyper", harness_setup, harness_teardown);
}
