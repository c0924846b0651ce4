/* SPDX-License-Identifier: MIT */
/* Features that leave a part of the arms' variance out, which counts as noise of their outcomes, against dense posteriors of the
 * model that this is: f = g + e, Cov(g) = K[:, S] K[S, S]^-1 K_p[S, S] K[S, S]^-1 K[S, :] for pivots S of the sum K of the
 * kernels, e independent and drawn again for each outcome. */
#include "cases.h"
#include "harness.h"
#include "model/kalman_mixture.h"

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
    double K[KERNELS][ARMS][ARMS], g[KERNELS][ARMS][ARMS]; /* covariances of f and of g */
} model;

/* Solves A X = B (n x n, n x m) by elimination with pivots; both are overwritten. */
static void solve(size_t n, size_t m, double A[ARMS][ARMS], double B[ARMS][ARMS]) {
    for (size_t k = 0; k < n; k++) {
        size_t p = k;
        for (size_t i = k; i < n; i++)
            p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        for (size_t j = 0; j < ARMS; j++) {
            const double a = A[k][j], b = B[k][j];
            A[k][j] = A[p][j], A[p][j] = a;
            B[k][j] = B[p][j], B[p][j] = b;
        }
        for (size_t i = 0; i < n; i++) {
            const double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (size_t j = 0; factor != 0 && j < n; j++)
                A[i][j] -= factor * A[k][j];
            for (size_t j = 0; factor != 0 && j < m; j++)
                B[i][j] -= factor * B[k][j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            B[i][j] /= A[i][i];
}

static void sum_of(const model *o, size_t kernels, double K[ARMS][ARMS]) {
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j < ARMS; j++)
            K[i][j] = o->K[0][i][j] + (kernels > 1 ? o->K[1][i][j] : 0);
}

/* Pivots of the largest residual variance, until at most `leaves` of the largest variance is left, from `limit` pivots on. */
static void find_pivots(model *o, const struct scene *s) {
    static double R[ARMS][ARMS];
    double most = 0, own = 0;
    sum_of(o, s->kernels, R);
    for (size_t k = 0; k < s->kernels; k++)
        own = fmax(own, o->K[k][0][0]);
    for (o->r = 0; o->r < ARMS; o->r++) {
        size_t p = 0;
        for (size_t i = 0; i < ARMS; i++)
            p = R[i][i] > R[p][p] ? i : p;
        most = R[p][p];
        if (!(most > s->leaves * own) && (s->kernels > 1 || o->r >= s->rule.limit))
            return;
        o->pivot[o->r] = p;
        for (size_t i = 0; i < ARMS; i++) {
            const double factor = R[i][p] / most;
            for (size_t j = 0; i != p && j < ARMS; j++)
                R[i][j] -= factor * R[p][j];
        }
        memset(R[p], 0, sizeof R[p]);
    }
}

/* g = A' K_p[S, S] A, A = K[S, S]^-1 K[S, :] */
static void find_features(model *o, const struct scene *s) {
    static double K[ARMS][ARMS], SS[ARMS][ARMS], A[ARMS][ARMS];
    sum_of(o, s->kernels, K);
    for (size_t i = 0; i < o->r; i++)
        for (size_t j = 0; j < ARMS; j++) {
            A[i][j] = K[o->pivot[i]][j];
            SS[i][j] = j < o->r ? K[o->pivot[i]][o->pivot[j]] : 0;
        }
    solve(o->r, ARMS, SS, A);
    for (size_t p = 0; p < s->kernels; p++)
        for (size_t i = 0; i < ARMS; i++)
            for (size_t j = 0; j < ARMS; j++) {
                o->g[p][i][j] = 0;
                for (size_t a = 0; a < o->r; a++)
                    for (size_t b = 0; b < o->r; b++)
                        o->g[p][i][j] += A[a][i] * o->K[p][o->pivot[a]][o->pivot[b]] * A[b][j];
            }
}

static void open_model(model *o, const struct scene *s) {
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j < ARMS; j++) {
            o->K[0][i][j] = ref_kernel(&smooth, X + 2 * i, X + 2 * j);
            o->K[1][i][j] = ref_kernel(&other, X + 2 * i, X + 2 * j);
        }
    find_pivots(o, s);
    find_features(o, s);
}

typedef struct told {
    size_t n, arm[STEPS];
    double t[STEPS], y[STEPS];
} told;

static double forgotten(double epsilon, double t, double s) {
    return pow(1 - epsilon, fabs(t - s) / 2);
}

/* Moments of arms at time t; `level` multiplies the noise, not what is left out. */
static void predict(const model *o, size_t p, double epsilon, double level, const told *d, double t, double *mean,
                    double *var) {
    static double A[ARMS][ARMS], B[ARMS][ARMS];
    for (size_t i = 0; i < d->n; i++) {
        const size_t a = d->arm[i];
        for (size_t j = 0; j < d->n; j++)
            A[i][j] = o->g[p][a][d->arm[j]] * forgotten(epsilon, d->t[i], d->t[j]);
        A[i][i] += level * NOISE + fmax(o->K[p][a][a] - o->g[p][a][a], 0);
        for (size_t j = 0; j < ARMS; j++)
            B[i][j] = o->g[p][a][j] * forgotten(epsilon, d->t[i], t);
    }
    solve(d->n, ARMS, A, B);
    for (size_t j = 0; j < ARMS; j++) {
        mean[j] = 0;
        var[j] = o->K[p][j][j];
        for (size_t i = 0; i < d->n; i++) {
            mean[j] += B[i][j] * d->y[i];
            var[j] -= B[i][j] * o->g[p][d->arm[i]][j] * forgotten(epsilon, d->t[i], t);
        }
    }
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

TEST_EACH(equals_dense, SCENES) {
    static model o;
    const struct scene *s = &scenes[_i];
    struct rnd rnd = {3};
    told d = {0};
    double mean[ARMS], var[ARMS];
    rnd_fill(&rnd, sizeof X / sizeof *X, X);
    open_model(&o, s);
    tvgp__kalman_mixture *b = open_bank(s);
    ck_assert_uint_eq(b->set.basis.r, o.r);
    ck_assert_uint_lt(o.r, ARMS);
    for (double t = 0; d.n < STEPS; d.n++, t += rnd_uniform(&rnd)) {
        const size_t i = d.n;
        d.arm[i] = rnd_below(&rnd, ARMS);
        d.t[i] = t;
        d.y[i] = rnd_normal(&rnd);
        tvgp__posterior_observe(&b->base, &(tvgp__points){.n = 1, .arm = &d.arm[i]}, 0, t, d.y[i], NOISE, 0);
    }
    for (size_t j = 0; j < b->J; j++) {
        const tvgp__kalman_filter *f = &b->set.filter[j];
        predict(&o, f->prior, f->drift.rate, f->level, &d, b->base.now, mean, var);
        ASSERT_ALL_NEAR(ARMS, f->mean, mean, 1e-9);
        ASSERT_ALL_NEAR(ARMS, f->var, var, 1e-9);
    }
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
