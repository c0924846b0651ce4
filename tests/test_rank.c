/* SPDX-License-Identifier: MIT */
/* Features that leave a part of the arms' variance out, which counts as noise of their outcomes, against dense posteriors of the
 * model that this is: f = g + e, Cov(g) = K[:, S] K[S, S]^-1 K_p[S, S] K[S, S]^-1 K[S, :] for pivots S of the sum K of the
 * kernels, e independent and drawn again for each outcome. */
#include "cases.h"
#include "harness.h"
#include "model/kalman_mixture.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 50, STEPS = 40, KERNELS = 2 };

static const struct ref_kernel smooth = {.kind = REF_SE, .dim = 2, .variance = 1.3, .l = {0.3, 0.4}};
static const struct ref_kernel other = {.kind = REF_SE, .dim = 2, .variance = 0.4, .l = {0.5, 0.5}};
static const double NOISE = 0.02;
static double X[ARMS * 2];

static const struct scene {
    size_t kernels;
    tvgp__basis_rule rule;
    double leaves; /* of the largest variance */
} scenes[] = {{1, {.tolerance = 0.01}, 2e-4 / 1.3},
              {1, {.tolerance = 1}, 1e-3},
              {1, {.tolerance = 1e-9, .limit = 3}, 1e-2},
              {2, {.tolerance = 0.5, .limit = 5}, 1e-3 * 1e-3 / 4}};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- the dense model ---------------------------------------------------------------------------------------------- */

typedef struct model {
    size_t r, pivot[ARMS];
    double g[KERNELS][ARMS][ARMS]; /* covariance of g */
} model;

static const struct ref_kernel *const kernels[KERNELS] = {&smooth, &other};

/* Pivots of the largest residual variance, until at most `leaves` of the largest variance is left, from `limit` pivots on. The residual
 * variance equals a posterior's with exact outcomes at the pivots. */
static void find_pivots(model *o, const struct scene *s, const struct ref_kernel *sum) {
    struct ref_gp at;
    double rest[ARMS];
    ref_gp_init(&at, sum, 0, ARMS);
    for (o->r = 0; o->r < ARMS; o->r++) {
        size_t p = 0;
        ref_gp_predict(&at, ARMS, X, 0, NULL, rest);
        for (size_t i = 0; i < ARMS; i++)
            p = rest[i] > rest[p] ? i : p;
        if (!(rest[p] > s->leaves * smooth.variance) && (s->kernels > 1 || o->r >= s->rule.limit))
            break;
        o->pivot[o->r] = p;
        ref_gp_add(&at, X + 2 * p, 0, 0, 0);
    }
    ref_gp_free(&at);
}

/* g = A' K_p[S, S] A, A = K[S, S]^-1 K[S, :]: row a of A is the mean after outcomes of 1 at pivot a and 0 at the others. */
static void open_model(model *o, const struct scene *s) {
    static const struct ref_kernel both = {.kind = REF_SUM, .dim = 2, .a = &smooth, .b = &other};
    static double A[ARMS][ARMS];
    const struct ref_kernel *sum = s->kernels > 1 ? &both : &smooth;
    memset(o, 0, sizeof *o);
    find_pivots(o, s, sum);
    for (size_t a = 0; a < o->r; a++) {
        struct ref_gp at;
        ref_gp_init(&at, sum, 0, ARMS);
        for (size_t b = 0; b < o->r; b++)
            ref_gp_add(&at, X + 2 * o->pivot[b], 0, a == b, 0);
        ref_gp_predict(&at, ARMS, X, 0, A[a], NULL);
        ref_gp_free(&at);
    }
    for (size_t k = 0; k < s->kernels * ARMS * ARMS; k++)
        for (size_t a = 0, p = k / ARMS / ARMS, i = k / ARMS % ARMS, j = k % ARMS; a < o->r; a++)
            for (size_t b = 0; b < o->r; b++)
                o->g[p][i][j] += A[a][i] * ref_kernel(kernels[p], X + 2 * o->pivot[a], X + 2 * o->pivot[b]) * A[b][j];
}

/* ---- banks -------------------------------------------------------------------------------------------------------- */

static const tvgp__drift drifts[] = {{.kind = TVGP__DRIFT_FORGETTING}, {.kind = TVGP__DRIFT_FORGETTING, .rate = 0.05}};
static const double levels[] = {1, 30};

static tvgp__kalman_mixture *open_bank(const struct scene *s) {
    tvgp_kernel *kernel[KERNELS];
    const double *no_means[KERNELS] = {0};
    tvgp__posterior *posterior;
    kernel[0] = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    kernel[1] = MAKE_KERNEL(cases_kernel, ctx, &other);
    const tvgp__kalman_mixture_spec spec = {.n_drifts = 2,
                                            .n_levels = 2,
                                            .n_priors = s->kernels,
                                            .drifts = drifts,
                                            .levels = levels,
                                            .kernels = (const tvgp_kernel *const *)kernel,
                                            .means = no_means,
                                            .rule = s->rule};
    ASSERT_OK(tvgp__kalman_mixture_new(ctx, &spec, NOISE, ARMS, X, &posterior));
    return (tvgp__kalman_mixture *)posterior;
}

/* Moments of a filter: the moments of g, with the remainder of g as noise of the outcomes, plus its variance. */
static void assert_filter(const model *o, const tvgp__kalman_filter *f, const struct ref_gp *told, double now) {
    const double own = kernels[f->prior]->variance;
    const struct ref_kernel table = {.kind = REF_TABLE, .dim = 1, .n = ARMS, .table = o->g[f->prior][0]};
    struct ref_gp ref;
    ref_gp_init(&ref, &table, f->drift.rate, STEPS);
    for (size_t i = 0; i < told->n; i++) {
        const size_t arm = (size_t)told->x[i];
        ref_gp_add(&ref, &told->x[i], told->t[i], told->y[i], f->level * NOISE + fmax(own - o->g[f->prior][arm][arm], 0));
    }
    for (size_t i = 0; i < ARMS; i++) {
        double mean, var;
        ref_gp_predict(&ref, 1, &(double){(double)i}, now, &mean, &var);
        ASSERT_NEAR(f->mean[i], mean, 1e-9);
        ASSERT_NEAR(f->var[i], var + own - o->g[f->prior][i][i], 1e-9);
    }
    ref_gp_free(&ref);
}

TEST_EACH(equals_dense, SCENES) {
    static model o;
    double x[STEPS], t[STEPS], y[STEPS];
    struct ref_gp told = {.x = x, .t = t, .y = y};
    struct rnd rnd = {3};
    rnd_fill(&rnd, sizeof X / sizeof *X, X);
    open_model(&o, &scenes[_i]);
    tvgp__kalman_mixture *b = open_bank(&scenes[_i]);
    ck_assert_uint_eq(b->set.basis.r, o.r);
    ck_assert_uint_lt(o.r, ARMS);
    for (double now = 0; told.n < STEPS; told.n++, now += rnd_uniform(&rnd)) {
        const size_t i = told.n, arm = rnd_below(&rnd, ARMS);
        x[i] = (double)arm;
        t[i] = now;
        y[i] = rnd_normal(&rnd);
        tvgp__posterior_observe(&b->base, &(tvgp__points){.n = 1, .arm = &arm}, 0, now, y[i], NOISE, 0);
    }
    for (size_t j = 0; j < b->J; j++)
        assert_filter(&o, &b->set.filter[j], &told, b->base.now);
    tvgp__posterior_free(&b->base);
}

/* ---- policies ----------------------------------------------------------------------------------------------------- */

/* A joint draw takes no column for what no column says. */
TEST(draws) {
    rnd_fill(&(struct rnd){3}, sizeof X / sizeof *X, X);
    tvgp_domain *domain = harness_arms(ARMS, 2, X);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    tvgp_policy *p = harness_create("auto-gp-ucb", domain, kernel, "rank.tolerance=1 choice=thompson noise=.02");
    for (int t = 0; t < 60; t++) {
        const tvgp_query q = harness_ask(p, t);
        ck_assert(isfinite(q.score));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(6 * X[2 * q.arm]) + cos(4 * X[2 * q.arm + 1])));
    }
    double best[2];
    int64_t arm;
    ASSERT_OK(tvgp_policy_best(p, 60, &arm, best));
    for (size_t i = 0; i < ARMS; i++)
        ck_assert_double_le(sin(6 * X[2 * i]) + cos(4 * X[2 * i + 1]) - 0.1, sin(6 * best[0]) + cos(4 * best[1]));
}

/* ---- boxes -------------------------------------------------------------------------------------------------------- */

static tvgp_policy *on_box(const char *name, int knows, const char *options) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    tvgp_domain *domain = harness_box(2, lower, upper);
    return harness_create(name, domain, knows ? MAKE_KERNEL(cases_kernel, ctx, &smooth) : NULL, options);
}

/* One drift model: in the weights of the points visited as with a row for each outcome, within a tenth of the noise. */
TEST_EACH(weights_of_one_law, 3) {
    enum { ANSWERS = 300, LOOKS = 40 };
    static const char *const laws_of[] = {"epsilon=.02 noise=.02 delay.exact_observations=0",
                                          "time.kernel=matern32 time.rate=.05 noise=.02 delay.exact_observations=0",
                                          "noise=.02"};
    char exactly[128];
    double at[2 * LOOKS], mean[2][LOOKS], sd[2][LOOKS];
    struct rnd rnd = {8};
    snprintf(exactly, sizeof exactly, "%s rank.tolerance=0 forget.tolerance=0", laws_of[_i]);
    const char *name = _i < 2 ? "tv-gp-ucb" : "gp-ucb";
    tvgp_policy *a = on_box(name, 1, laws_of[_i]), *b = on_box(name, 1, exactly);
    for (int t = 0; t < ANSWERS; t++) {
        double x[2];
        rnd_fill(&rnd, 2, x);
        const tvgp_obs o = {
            .flags = TVGP_OBS_HAS_TIME, .t = t, .y = sin(6 * x[0] + 0.02 * t) + x[1] + sqrt(NOISE) * rnd_normal(&rnd)};
        ASSERT_OK(tvgp_policy_tell(a, 1, &o, x));
        ASSERT_OK(tvgp_policy_tell(b, 1, &o, x));
    }
    rnd_fill(&rnd, 2 * LOOKS, at);
    ASSERT_OK(tvgp_policy_predict(a, ANSWERS, LOOKS, at, mean[0], sd[0]));
    ASSERT_OK(tvgp_policy_predict(b, ANSWERS, LOOKS, at, mean[1], sd[1]));
    for (size_t i = 0; i < LOOKS; i++) {
        ASSERT_NEAR(mean[0][i], mean[1][i], 0.1 * sqrt(NOISE));
        ASSERT_NEAR(sd[0][i], sd[1][i], 0.1 * NOISE); /* variances */
    }
    ck_assert_double_le(harness_stat(a, "rank"), 100);
    ck_assert_double_eq(harness_stat(b, "rank"), ANSWERS);
}

/* With default settings, it learns the scale from how its weights predicted the outcomes, as rows do. */
TEST(weights_learn) {
    tvgp_policy *p[] = {on_box("tv-gp-ucb", 0, "delay.exact_observations=0"), on_box("tv-gp-ucb", 0, "")};
    for (size_t k = 0; k < 2; k++) {
        struct rnd rnd = {9};
        for (int t = 0; t < 150; t++) {
            double x[2];
            tvgp_query q = harness_ask_at(p[k], t, x);
            ASSERT_OK(tvgp_policy_tell_value(p[k], q.id, 50 * (sin(4 * x[0]) + cos(3 * x[1])) + rnd_normal(&rnd)));
        }
    }
    const double variance = harness_stat(p[1], "fit.variance");
    ck_assert_double_ge(harness_stat(p[0], "fit.adopted"), 1);
    ck_assert_double_gt(harness_stat(p[0], "fit.variance"), 0.2 * variance);
    ck_assert_double_lt(harness_stat(p[0], "fit.variance"), 5 * variance);
    ck_assert_double_lt(harness_stat(p[0], "rank"), 100);
}

/* From rank.limit support points on a hundredth of the variance may be left. */
TEST(limit_on_box) {
    static const char *const options[] = {"noise=1e-4 rank.limit=20", "noise=1e-4 rank.limit=0"};
    double rank[2];
    for (size_t k = 0; k < 2; k++) {
        tvgp_policy *p = on_box("gp-ucb", 1, options[k]);
        struct rnd rnd = {10};
        for (int t = 0; t < 200; t++) {
            double x[2];
            rnd_fill(&rnd, 2, x);
            ASSERT_OK(
                tvgp_policy_tell(p, 1, &(tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = t, .y = sin(5 * x[0] + 3 * x[1])}, x));
        }
        rank[k] = harness_stat(p, "rank");
    }
    ck_assert_double_ge(rank[0], 20);
    ck_assert_double_lt(rank[0], 0.7 * rank[1]);
}

HARNESS_MAIN("rank")
