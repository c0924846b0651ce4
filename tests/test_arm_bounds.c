/* SPDX-License-Identifier: MIT */
/* Where the posterior of many arms is known to within bounds only: the bounds hold, and no caller sees a difference. Choices,
 * means and variances equal a plain filter in long double, and a twin that keeps all arms exact because it is asked for all
 * of them, whatever comes between: delayed outcomes, pending actions, masks, a prior
 * mean, snapshots, a reset of the noise. */
#include "family/ucb.h"
#include "feature/arm_bounds.h"
#include "harness.h"
#include "kernel/kernel_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, ARMS = SIDE * SIDE, STEPS = 700, WAITING = 6 };
static const double EPSILON = 0.05, NOISE = 0.01, WIDTH = 2;

struct world {
    double X[2 * ARMS], f[ARMS];
    struct rnd rnd;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
};

static void open_world(struct world *w) {
    const double l = 0.45;
    *w = (struct world){.rnd = {5}};
    rnd_fill(&w->rnd, 2 * ARMS, w->X);
    for (size_t i = 0; i < ARMS; i++)
        w->f[i] = sin(6 * w->X[2 * i]) * cos(5 * w->X[2 * i + 1]);
    ASSERT_OK(tvgp_domain_arms(ctx, ARMS, 2, w->X, &w->domain));
    ASSERT_OK(tvgp_kernel_se(ctx, 2, 1, 1, &l, &w->kernel));
}

static void close_world(struct world *w) {
    tvgp_domain_destroy(w->domain);
    tvgp_kernel_destroy(w->kernel);
}

static tvgp_policy *open_policy(struct world *w) {
    tvgp_policy *policy;
    ASSERT_OK(tvgp_policy_create(ctx, "tv-gp-ucb", w->domain, w->kernel, &policy));
    ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", EPSILON));
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", NOISE));
    ASSERT_OK(tvgp_policy_set_str(policy, "width.schedule", "constant"));
    ASSERT_OK(tvgp_policy_set_f64(policy, "width.value", WIDTH));
    return policy;
}

/* ---- the bound -------------------------------------------------------------------------------------------------- */

/* Of columns with random weights, and of those with weights as columns have them, falling like the features. */
START_TEST(columns_are_within_their_bound) {
    struct world w;
    open_world(&w);
    const tvgp_kernel *kernels[] = {w.kernel};
    tvgp__basis_search search = tvgp__basis_search_of(ctx, 1, kernels, ARMS, w.X, 1e-13);
    tvgp__basis basis = {0};
    tvgp__arm_bounds screen;
    ASSERT_OK(tvgp__basis_search_on(&search, ARMS));
    ASSERT_OK(tvgp__basis_of(&search, &basis));
    tvgp__basis_search_end(&search);
    ASSERT_OK(tvgp__arm_bounds_new(&basis, &screen));
    ck_assert_uint_lt(screen.kept, basis.r);
    double *c = calloc(basis.r, sizeof *c), p[ARMS];
    for (int repeat = 0; repeat < 40; repeat++) {
        const double size = repeat % 3 == 2 ? 1e100 : 1;
        for (size_t j = 0; j < basis.r; j++)
            c[j] = size * rnd_normal(&w.rnd) * (repeat % 2 ? basis.L[j * (basis.r + 1)] : 1);
        const double bound = tvgp__arm_bounds_column(&screen, basis.r, c, p);
        long double worst = 0;
        for (size_t i = 0; i < ARMS; i++) {
            long double exact = 0;
            for (size_t j = 0; j < basis.r; j++)
                exact += (long double)basis.Phi[j * ARMS + i] * c[j];
            worst = fmaxl(worst, fabsl(exact - p[i]));
        }
        ck_assert_double_le((double)worst, bound);
        ck_assert_double_gt((double)worst, 0);
        if (repeat % 2)
            ck_assert_double_lt(bound, 2e-4 * size);
    }
    free(c);
    tvgp__arm_bounds_free(ctx, &screen);
    tvgp__basis_free(&basis);
    close_world(&w);
}
END_TEST

/* ---- a plain filter --------------------------------------------------------------------------------------------- */

typedef long double real;

struct filter {
    real *K, *P, mean[ARMS];
};

static void filter_open(struct filter *f, const struct world *w) {
    double *K = malloc(sizeof(double) * ARMS * ARMS);
    f->K = malloc(sizeof(real) * ARMS * ARMS);
    f->P = malloc(sizeof(real) * ARMS * ARMS);
    ASSERT_OK(tvgp__kernel_block(w->kernel, ARMS, w->X, ARMS, w->X, K, ARMS));
    for (size_t i = 0; i < ARMS * ARMS; i++)
        f->K[i] = f->P[i] = K[i];
    memset(f->mean, 0, sizeof f->mean);
    free(K);
}

static void filter_step(struct filter *f) {
    const real m2 = 1 - (real)EPSILON, m = sqrtl(m2);
    for (size_t i = 0; i < ARMS * ARMS; i++)
        f->P[i] = m2 * f->P[i] + (1 - m2) * f->K[i];
    for (size_t i = 0; i < ARMS; i++)
        f->mean[i] *= m;
}

static void filter_observe(struct filter *f, size_t arm, double y) {
    real p[ARMS], s = f->P[arm * (ARMS + 1)] + (real)NOISE, e = y - f->mean[arm];
    memcpy(p, f->P + arm * ARMS, sizeof p);
    for (size_t i = 0; i < ARMS; i++) {
        f->mean[i] += p[i] * e / s;
        for (size_t j = 0; j < ARMS; j++)
            f->P[i * ARMS + j] -= p[i] * p[j] / s;
    }
}

static real filter_score(const struct filter *f, size_t arm) {
    return f->mean[arm] + (real)WIDTH * sqrtl(f->P[arm * (ARMS + 1)]);
}

static void compare(tvgp_policy *policy, const struct world *w, const struct filter *f, double t, size_t n) {
    double mean[ARMS], var[ARMS];
    ASSERT_OK(tvgp_policy_predict(policy, t, n, w->X, mean, var));
    for (size_t i = 0; i < n; i++) {
        ASSERT_NEAR(mean[i], (double)f->mean[i], 1e-10);
        ASSERT_NEAR(var[i], (double)f->P[i * (ARMS + 1)], 1e-10);
    }
}

/* Another ask while this arm is pending: variances are as if it had been observed at its mean. It is never answered. */
static void ask_beside(tvgp_policy *policy, const struct filter *f, size_t pending, double t) {
    const real *p = f->P + pending * ARMS;
    real score[ARMS], best = -INFINITY;
    for (size_t i = 0; i < ARMS; i++) {
        const real var = f->P[i * (ARMS + 1)] - p[i] * p[i] / (p[pending] + (real)NOISE);
        score[i] = f->mean[i] + (real)WIDTH * sqrtl(var);
        best = fmaxl(best, score[i]);
    }
    const tvgp_query q = harness_ask(policy, t);
    ASSERT_NEAR(q.score, (double)score[q.arm], 1e-10);
    ASSERT_NEAR(q.score, (double)best, 1e-10);
    const tvgp_obs none = {.id = q.id, .outcome = TVGP_CANCELLED};
    ASSERT_OK(tvgp_policy_tell(policy, 1, &none, NULL));
}

/* The last choice was made of bounds: most arms are still known to within these only. */
static size_t is_screened(const tvgp_policy *policy) {
    const tvgp__ucb *u = policy->state;
    return u->posterior->own.off.mean > 0 && u->posterior->own.off.var > 0;
}

START_TEST(choices_are_those_of_a_plain_filter) {
    struct world w;
    struct filter f;
    open_world(&w);
    filter_open(&f, &w);
    tvgp_policy *policy = open_policy(&w);
    size_t clear = 0, screened = 0;
    for (size_t t = 1; t <= STEPS; t++) {
        tvgp_query q = harness_ask(policy, (double)t);
        screened += is_screened(policy);
        filter_step(&f);
        size_t best = 0;
        real second = -INFINITY;
        for (size_t i = 1; i < ARMS; i++)
            if (filter_score(&f, i) > filter_score(&f, best)) {
                second = filter_score(&f, best);
                best = i;
            } else
                second = fmaxl(second, filter_score(&f, i));
        if (t > 1 && filter_score(&f, best) - second > 1e-8L) {
            ck_assert_int_eq(q.arm, (int64_t)best);
            clear++;
        }
        ASSERT_NEAR(q.score, (double)filter_score(&f, (size_t)q.arm), 1e-10);
        if (t % 10 == 5)
            ask_beside(policy, &f, (size_t)q.arm, (double)t);
        if (t % 100 == 0)
            compare(policy, &w, &f, (double)t, t < STEPS ? 5 : ARMS);
        const double y = w.f[q.arm] + sqrt(NOISE) * rnd_normal(&w.rnd);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        filter_observe(&f, (size_t)q.arm, y);
    }
    compare(policy, &w, &f, STEPS, ARMS);
    ck_assert_uint_gt(clear, STEPS - STEPS / 20);
    ck_assert_uint_gt(screened, STEPS / 2);
    ck_assert_double_lt(harness_stat(policy, "rank"), ARMS / 4.0);
    tvgp_policy_destroy(policy);
    free(f.K);
    free(f.P);
    close_world(&w);
}
END_TEST

/* ---- a twin ----------------------------------------------------------------------------------------------------- */

enum { PLAIN, MASKS, LATE, SAVED, VARIANTS };

static void mask(tvgp_policy *policy, uint64_t seed) {
    uint8_t available[ARMS];
    struct rnd rnd = {seed};
    for (size_t i = 0; i < ARMS; i++)
        available[i] = rnd_below(&rnd, 3) > 0;
    ASSERT_OK(tvgp_policy_set_available(policy, ARMS, available));
}

/* Goes on from a snapshot; the other one from where it was. */
static tvgp_policy *again(struct world *w, tvgp_policy *policy) {
    size_t n;
    ASSERT_OK(tvgp_policy_save(policy, 0, NULL, &n));
    unsigned char *bytes = malloc(n);
    ASSERT_OK(tvgp_policy_save(policy, n, bytes, &n));
    tvgp_policy_destroy(policy);
    tvgp_policy *fresh = open_policy(w);
    ASSERT_OK(tvgp_policy_load(fresh, n, bytes));
    free(bytes);
    return fresh;
}

/* Of both the same, to the last bit if they did the same. */
static void assert_alike(const tvgp_query *a, const tvgp_query *b, int bits) {
    ck_assert_int_eq(a->arm, b->arm);
    if (bits)
        ck_assert_mem_eq(&a->score, &b->score, sizeof a->score);
    ASSERT_NEAR(a->score, b->score, 1e-11);
}

START_TEST(nobody_sees_a_difference) {
    struct world w;
    open_world(&w);
    tvgp_policy *policy = open_policy(&w), *twin = open_policy(&w);
    tvgp_query wait[WAITING];
    size_t waiting = 0;
    if (_i == MASKS) {
        ASSERT_OK(tvgp_policy_set_prior_mean(policy, ARMS, w.f));
        ASSERT_OK(tvgp_policy_set_prior_mean(twin, ARMS, w.f));
    }
    for (size_t t = 1; t <= STEPS; t++) {
        double all[ARMS];
        if (_i != SAVED)
            ASSERT_OK(tvgp_policy_predict(twin, (double)t, ARMS, w.X, all, NULL));
        else if (t % 150 == 0 || (t > 300 && t < 400)) /* the change of form comes in these steps */
            twin = again(&w, twin);
        if (_i == MASKS && t % 10 == 0) {
            mask(policy, t);
            mask(twin, t);
        }
        tvgp_query q = harness_ask(policy, (double)t), r = harness_ask(twin, (double)t);
        assert_alike(&q, &r, _i == SAVED);
        double y = w.f[q.arm] * cos(0.01 * (double)t) + sqrt(NOISE) * rnd_normal(&w.rnd);
        if (_i == LATE && waiting < WAITING && t % 5 == 0) {
            wait[waiting++] = q;
            continue;
        }
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        ASSERT_OK(tvgp_policy_tell_value(twin, q.id, y));
        if (waiting && t % 50 == 0)
            for (; waiting; waiting--) {
                ASSERT_OK(tvgp_policy_tell_value(policy, wait[waiting - 1].id, y));
                ASSERT_OK(tvgp_policy_tell_value(twin, wait[waiting - 1].id, y));
            }
        if (_i == SAVED && t % 60 == 0) { /* all exact, on both sides */
            ASSERT_OK(tvgp_policy_predict(policy, (double)t, ARMS, w.X, all, NULL));
            ASSERT_OK(tvgp_policy_predict(twin, (double)t, ARMS, w.X, all, NULL));
        }
    }
    ck_assert_double_lt(harness_stat(policy, "rank"), ARMS / 4.0);
    tvgp_policy_destroy(policy);
    tvgp_policy_destroy(twin);
    close_world(&w);
}
END_TEST

/* ---- constraints ------------------------------------------------------------------------------------------------ */

enum { MODELS = 2 };

struct constrained {
    tvgp_policy *policy, *model[MODELS];
    size_t n;
};

static struct constrained open_constrained(struct world *w, size_t n) {
    struct constrained c = {.policy = open_policy(w), .n = n};
    for (size_t k = 0; k < n; k++) {
        c.model[k] = open_policy(w);
        ASSERT_OK(tvgp_policy_add_constraint(c.policy, c.model[k], k ? TVGP_AT_MOST | TVGP_OF_MEAN : TVGP_AT_LEAST,
                                             k ? 0.9 : -0.4));
    }
    ASSERT_OK(tvgp_policy_set_safe(c.policy, 1, w->X));
    return c;
}

static void close_constrained(const struct constrained *c) {
    tvgp_policy_destroy(c->policy);
    for (size_t k = 0; k < c->n; k++)
        tvgp_policy_destroy(c->model[k]);
}

/* Moments of the model at time t are within their slack of the moments of the twin, which become exact. Whether there is a slack. */
static size_t has_slack(tvgp_policy *model, tvgp_policy *twin, double t) {
    double mean[ARMS], var[ARMS], exact_mean[ARMS], exact_var[ARMS];
    tvgp__slack slack = {0};
    ASSERT_OK(tvgp_policy_predict(twin, t, ARMS, NULL, exact_mean, exact_var));
    if (!model->started)
        return 0;
    ASSERT_OK(model->ops->at(model, t, ARMS, NULL, mean, var, &slack));
    for (size_t i = 0; i < ARMS; i++) {
        ck_assert_double_le(fabs(mean[i] - exact_mean[i]), slack.mean + 1e-11);
        ck_assert_double_le(fabs(var[i] - exact_var[i]), slack.var + 1e-11);
    }
    return slack.mean > 0 && slack.var > 0;
}

/* Arms asked, safe arms and risks equal a twin whose models know all arms exactly at every ask. */
START_TEST(constraints_see_no_difference) {
    struct world w;
    open_world(&w);
    const struct constrained c = open_constrained(&w, (size_t)_i), twin = open_constrained(&w, (size_t)_i);
    size_t loose = 0;
    for (size_t t = 1; t <= STEPS; t++) {
        for (size_t k = 0; k < c.n; k++)
            loose += has_slack(c.model[k], twin.model[k], (double)t);
        const tvgp_query q = harness_ask(c.policy, (double)t), r = harness_ask(twin.policy, (double)t);
        ck_assert_int_eq(q.arm, r.arm);
        ASSERT_NEAR(q.score, r.score, 1e-11);
        ck_assert_double_eq(harness_stat(c.policy, "safe.count"), harness_stat(twin.policy, "safe.count"));
        ASSERT_NEAR(harness_stat(c.policy, "safe.expected_violations"),
                    harness_stat(twin.policy, "safe.expected_violations"), 1e-9);
        const double f = w.f[q.arm] * cos(0.01 * (double)t), noise = sqrt(NOISE) * rnd_normal(&w.rnd);
        const double y[] = {f + noise, f - noise, f - 0.5 * noise};
        ASSERT_OK(tvgp_policy_tell_values(c.policy, q.id, 1 + c.n, y));
        ASSERT_OK(tvgp_policy_tell_values(twin.policy, r.id, 1 + c.n, y));
    }
    ck_assert_uint_gt(loose, c.n * STEPS / 2);
    ck_assert_double_eq(harness_stat(c.policy, "safe.explored"), harness_stat(twin.policy, "safe.explored"));
    close_constrained(&c);
    close_constrained(&twin);
    close_world(&w);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("screen");
    TCase *tc = harness_case(suite, "arms known to within bounds");
    tcase_add_test(tc, columns_are_within_their_bound);
    tcase_add_test(tc, choices_are_those_of_a_plain_filter);
    tcase_add_loop_test(tc, nobody_sees_a_difference, 0, VARIANTS);
    harness_add_turns(tc, constraints_see_no_difference, 1, MODELS + 1, 0);
    return harness_run(suite);
}
