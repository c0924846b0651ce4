/* SPDX-License-Identifier: MIT */
/* bkb where actions are points: on a box, among candidates and in measured contexts. The posterior against a dense process, the
 * accuracy that the paper promises of a dictionary, pending actions, windows, and copies. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { DIM = 2, STEPS = 60, MOST = 400 };
static const double noise = 0.05, lengths[DIM] = {0.3, 0.4};
static const struct ref_kernel se = {.kind = REF_SE, .dim = DIM, .variance = 1, .l = {0.3, 0.4}};

static double truth(const double *x) {
    return sin(5 * x[0]) + cos(4 * x[1]);
}

static tvgp_policy *create(const char *options) {
    const double lower[DIM] = {0, 0}, upper[DIM] = {1, 1};
    tvgp_kernel *kernel = harness_se(DIM, DIM, lengths);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "bkb", harness_box(DIM, lower, upper), kernel);
    ASSERT_OK(tvgp_policy_set_f64(p, "noise", noise));
    ASSERT_OK(tvgp_policy_set(p, "search.effort=0.1 horizon=100"));
    ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

/* The oldest observation in the list leaves the window. */
typedef struct seen {
    size_t n;
    double x[MOST][DIM], y[MOST];
} seen;

static void step(tvgp_policy *p, int t, struct rnd *r, seen *s) {
    double *x = s->x[s->n];
    tvgp_query q = harness_ask_at(p, t, x);
    s->y[s->n] = truth(x) + sqrt(noise) * rnd_normal(r);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, s->y[s->n++]));
}

static void dense(const seen *s, size_t first, struct ref_gp *gp) {
    ref_gp_init(gp, &se, 0, MOST);
    for (size_t i = first; i < s->n; i++)
        ref_gp_add(gp, s->x[i], 0, s->y[i], noise);
}

static void assert_exact(tvgp_policy *p, struct ref_gp *gp, double t, const double *x, double tolerance) {
    double mean, var, exact_mean, exact_var;
    ASSERT_OK(tvgp_policy_predict(p, t, 1, x, &mean, &var));
    ref_gp_predict(gp, 1, x, 0, &exact_mean, &exact_var);
    ASSERT_NEAR(mean, exact_mean, tolerance);
    ASSERT_NEAR(var, exact_var, tolerance);
}

/* With every pull in the dictionary the posterior is exact, mean, variance and marginal likelihood; with a window, for
 * its pulls. */
TEST_EACH(full_dictionary_is_exact, 2) {
    const size_t window = _i ? 25 : MOST;
    tvgp_policy *p = create(_i ? "qbar=1e9 window=25" : "qbar=1e9");
    struct rnd r = {1};
    struct ref_gp gp;
    seen s = {0};
    for (int t = 1; t <= STEPS; t++)
        step(p, t, &r, &s);
    dense(&s, s.n > window ? s.n - window : 0, &gp);
    for (int i = 0; i < 40; i++) {
        double x[DIM];
        rnd_fill(&r, DIM, x);
        assert_exact(p, &gp, STEPS, x, 1e-6);
    }
    ASSERT_NEAR(harness_stat(p, "log_marginal_likelihood"), ref_gp_log_evidence(&gp), 1e-6);
    ck_assert_double_eq(harness_stat(p, "observations"), fmin((double)window, STEPS));
    ref_gp_free(&gp);
}

/* Outcomes at points that the dictionary holds are conditioned on without a new draw, and the posterior is exact all the same. */
TEST(conditioned_between_draws) {
    static const double at[4][DIM] = {{.2, .3}, {.8, .7}, {.5, .5}, {.9, .1}};
    tvgp_policy *p = create("qbar=1e9 update.growth=1.5");
    struct rnd r = {2};
    struct ref_gp gp;
    seen s = {0};
    for (int t = 0; t < STEPS; t++) {
        ASSERT_OK(tvgp_policy_set_bounds(p, at[t % 4], at[t % 4]));
        step(p, t, &r, &s);
        if (t % 7 != 6)
            continue;
        dense(&s, 0, &gp);
        for (int i = 0; i < 4; i++) {
            double x[DIM];
            rnd_fill(&r, DIM, x);
            assert_exact(p, &gp, t, at[i], 1e-9);
            assert_exact(p, &gp, t, x, 1e-9);
        }
        ASSERT_NEAR(harness_stat(p, "log_marginal_likelihood"), ref_gp_log_evidence(&gp), 1e-9);
        ASSERT_NEAR(harness_stat(p, "information_gain"), ref_gp_information_gain(&gp), 1e-9);
        ref_gp_free(&gp);
    }
    ck_assert_double_lt(harness_stat(p, "dictionary.draws"), STEPS / 2);
}

/* Appendix A of the paper: with the oversampling of the theorem, variance / alpha <= that of the dictionary <= alpha variance at every
 * pull, alpha = (1 + accuracy) / (1 - accuracy); and the dictionary is smaller than the number of pulls. */
TEST_EACH(accuracy_of_the_dictionary, 2) {
    tvgp_policy *p = create(_i ? "dictionary.accuracy=0.5 update.growth=1.5" : "dictionary.accuracy=0.5");
    const double alpha = 3;
    struct rnd r = {2};
    seen s = {0};
    for (int t = 1; t <= 2 * STEPS; t++)
        step(p, t, &r, &s);
    for (size_t i = 0; i < s.n; i += 7) {
        struct ref_gp gp;
        double var, exact;
        dense(&s, 0, &gp);
        ASSERT_OK(tvgp_policy_predict(p, 2 * STEPS, 1, s.x[i], NULL, &var));
        ref_gp_predict(&gp, 1, s.x[i], 0, NULL, &exact);
        ck_assert_msg(var >= exact / alpha - 1e-9 && var <= alpha * exact + 1e-9, "pull %zu: %g, exact %g", i, var, exact);
        ref_gp_free(&gp);
    }
    ck_assert_double_eq(harness_stat(p, "posterior.exact"), 0);
}

/* A small oversampling gives a small dictionary, whose posterior mean still follows the function. */
TEST(small_dictionary) {
    tvgp_policy *p = create("qbar=0.5");
    struct rnd r = {3};
    seen s = {0};
    double worst = 0;
    for (int t = 1; t <= 2 * STEPS; t++)
        step(p, t, &r, &s);
    ck_assert_double_lt(harness_stat(p, "dictionary.size"), 2 * STEPS / 3);
    ck_assert_double_gt(harness_stat(p, "dictionary.draws"), STEPS);
    for (size_t i = 0; i < s.n; i++) {
        double mean, var;
        ASSERT_OK(tvgp_policy_predict(p, 2 * STEPS, 1, s.x[i], &mean, &var));
        ck_assert(var >= 0);
        worst = fmax(worst, fabs(mean - truth(s.x[i])) / sqrt(var + noise));
    }
    ck_assert_double_lt(worst, 5);
}

/* Queries without an outcome yet are at different points: each shrinks the variance around its point. */
TEST(pending_actions_spread) {
    tvgp_policy *p = create("qbar=1e9");
    struct rnd r = {4};
    seen s = {0};
    double x[8][DIM];
    for (int t = 1; t <= 10; t++)
        step(p, t, &r, &s);
    for (int i = 0; i < 8; i++) {
        (void)harness_ask_at(p, 11, x[i]);
        for (int j = 0; j < i; j++)
            ck_assert_double_gt(hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]), 1e-3);
    }
}

/* Among candidates that change at every ask, the score is that of the posterior, and the best one is asked. */
TEST(candidates) {
    enum { N = 12 };
    tvgp_policy *p = create("qbar=1 width.schedule=constant width.value=2");
    struct rnd r = {6};
    for (int t = 1; t <= 40; t++) {
        double list[N][DIM], mean[N], var[N], x[DIM];
        size_t best = 0;
        rnd_fill(&r, N * DIM, list[0]);
        ASSERT_OK(tvgp_policy_set_candidates(p, N, list[0], NULL));
        ASSERT_OK(tvgp_policy_predict(p, t, N, list[0], mean, var));
        for (size_t i = 1; i < N; i++)
            best = mean[i] + 2 * sqrt(var[i]) > mean[best] + 2 * sqrt(var[best]) ? i : best;
        tvgp_query q = harness_ask_at(p, t, x);
        ck_assert_mem_eq(x, list[best], sizeof x);
        ASSERT_NEAR(q.score, mean[best] + 2 * sqrt(var[best]), 1e-9);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(x) + sqrt(noise) * rnd_normal(&r)));
    }
}

/* In measured contexts the action is the one of the highest score there, and the posterior over the product is the dense one. */
TEST(measured_contexts) {
    enum { ACTIONS = 7 };
    const double lower = 0, upper = 1;
    double at[ACTIONS];
    struct ref_gp gp;
    struct rnd r = {7};
    for (int i = 0; i < ACTIONS; i++)
        at[i] = (double)i / (ACTIONS - 1);
    tvgp_domain *contexts = harness_box(1, &lower, &upper);
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_domain_product, ctx, harness_arms(ACTIONS, 1, at), contexts);
    tvgp_kernel *kernel = harness_se(DIM, DIM, lengths);
    tvgp_policy *p = harness_create("bkb", domain, kernel, "noise=0.05 qbar=1e9 width.schedule=constant width.value=2");
    ref_gp_init(&gp, &se, 0, MOST);
    for (int t = 1; t <= STEPS; t++) {
        double context, mean[ACTIONS], var[ACTIONS], x[DIM], best = -INFINITY;
        rnd_fill(&r, 1, &context);
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &context));
        tvgp_query q = harness_ask_at(p, t, x);
        for (int i = 0; i < ACTIONS; i++) {
            ref_gp_predict(&gp, 1, (double[]){at[i], context}, 0, &mean[i], &var[i]);
            best = fmax(best, mean[i] + 2 * sqrt(var[i]));
        }
        ASSERT_NEAR(q.score, best, 1e-6);
        const double y = truth(x) + sqrt(noise) * rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        ref_gp_add(&gp, x, 0, y, noise);
    }
    ref_gp_free(&gp);
}

HARNESS_MAIN("bkb on boxes")
