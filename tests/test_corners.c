/* SPDX-License-Identifier: MIT */
/* Promises at the edges of several floors, one by one: each test fails when the line it is about is taken out. */
#include "arm_posterior.h"
#include "cases.h"
#include "model/nystrom.h"
#include "model/posterior_make.h"
#include "ref/ref_gp.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void observe(tvgp__posterior *b, size_t arm, double t, double y, double noise) {
    const tvgp__points point = {.n = 1, .arm = &arm};
    ASSERT_OK(b->ops->prepare(b, &point));
    tvgp__posterior_observe(b, &point, 0, t, y, noise, 0);
}

enum { ARMS = 12 };
static const struct ref_kernel se = {.kind = REF_SE, .dim = 1, .variance = 2, .l = {0.3}};
static double X[ARMS];
static tvgp_policy *policy;

/* ARMS equally spaced points of [0, 1]. */
static void open_policy_with(const char *name, const struct ref_kernel *k) {
    for (size_t i = 0; i < ARMS; i++)
        X[i] = (double)i / (ARMS - 1);
    policy = MAKE_POLICY(tvgp_policy_create, ctx, name, harness_arms(ARMS, 1, X), MAKE_KERNEL(cases_kernel, ctx, k));
}

static void open_policy(const char *name) {
    open_policy_with(name, &se);
}

/* No caller asked for it. */
static void tell_at(size_t arm, double t, double y) {
    const tvgp_obs o = {.y = y, .t = t, .flags = TVGP_OBS_HAS_TIME};
    ASSERT_OK(tvgp_policy_tell(policy, 1, &o, X + arm));
}

static void tell_exactly(size_t arm, double y) {
    const tvgp_obs o = {.y = y, .flags = TVGP_OBS_HAS_TIME | TVGP_OBS_HAS_NOISE};
    ASSERT_OK(tvgp_policy_tell(policy, 1, &o, X + arm));
}

/* ---- posteriors ------------------------------------------------------------------------------------------------- */

/* After a reset, one outcome, and then one from before the reset's time: nothing of the time before comes back. */
TEST_EACH(late_after_a_reset, 2) {
    const tvgp__drift law = {TVGP__DRIFT_FORGETTING, 0.03, 0};
    struct ref_kernel smooth = se;
    struct rnd r = {1};
    struct ref_gp ref;
    tvgp__posterior *b;
    enum { MANY = 70 }; /* of fewer there are weights at once */
    double mean, var, points[MANY];
    smooth.l[0] = _i ? 2 : 0.05; /* weight space, columns */
    rnd_fill(&r, MANY, points);
    ASSERT_OK(arm_posterior_new(ctx, MAKE_KERNEL(cases_kernel, ctx, &smooth), &law, 64, MANY, points, &b));
    for (int t = 0; t < (_i ? 100 : 20); t++) {
        const size_t arm = rnd_below(&r, MANY);
        observe(b, arm, t, rnd_normal(&r), 0.1);
    }
    b->ops->reset(b);
    ref_gp_init(&ref, &smooth, 0.03, 4);
    static const double times[] = {103, 70, 101, 98};
    for (size_t i = 0; i < 4; i++) {
        observe(b, i, times[i], 1 - (double)i, 0.1);
        ref_gp_add(&ref, points + i, times[i], 1 - (double)i, 0.1);
    }
    for (size_t i = 0; i < MANY; i++) {
        ref_gp_predict(&ref, 1, points + i, 103, &mean, &var);
        ASSERT_NEAR(b->own.mean[i], mean, 1e-12);
        ASSERT_NEAR(b->own.var[i], var, 1e-12);
    }
    ASSERT_NEAR(b->log_marginal_likelihood, ref_gp_log_evidence(&ref), 1e-10);
    ref_gp_free(&ref);
    tvgp__posterior_free(b);
}

/* An outcome so late that it hardly counts is kept, for later ones. */
TEST_EACH(faded_when_told, 2) {
    const tvgp__drift law = {TVGP__DRIFT_FORGETTING, 0.3, 0};
    enum { MANY = 70 };
    double points[MANY];
    const double newest = _i ? 400 : 200; /* .7^75 is above 2^-53, .7^150 and .7^175 are below */
    tvgp__posterior *b;
    for (size_t i = 0; i < MANY; i++)
        points[i] = (double)i;
    ASSERT_OK(arm_posterior_new(ctx, MAKE_KERNEL(cases_kernel, ctx, &se), &law, 64, MANY, points, &b));
    for (size_t i = 0; i < 3; i++) {
        observe(b, i, i == 0 ? newest : 50, 1, 0.1);
    }
    b->ops->advance(b, newest);
    ck_assert_uint_eq(b->counts.observations, 3);
    tvgp__posterior_free(b);
}

/* The last observations are kept for late outcomes: one between the oldest of them and what was left out belongs to what was left
 * out, and later late outcomes count on it. */
TEST_EACH(late_by_all_that_is_kept, 24) {
    enum { KEPT = 8 };
    const int told = 60 + _i; /* every phase of what is kept */
    const tvgp__drift law = {TVGP__DRIFT_FORGETTING, 0.03, 0};
    struct ref_kernel smooth = se;
    struct rnd r = {4};
    struct ref_gp ref;
    tvgp__posterior *b;
    double mean, var, points[CASES_ARMS];
    smooth.l[0] = 2;
    rnd_fill(&r, CASES_ARMS, points);
    ref_gp_init(&ref, &smooth, 0.03, (size_t)told + 3);
    ASSERT_OK(arm_posterior_new(ctx, MAKE_KERNEL(cases_kernel, ctx, &smooth), &law, KEPT, CASES_ARMS, points, &b));
    for (int i = 0; i < told + 3; i++) { /* of the last three, two are as late as can be, one a little less */
        const size_t arm = rnd_below(&r, CASES_ARMS);
        double t = i < told ? i : i == told + 2 ? told - 3.5 : told - KEPT - 0.5, y = rnd_normal(&r);
        observe(b, arm, t, y, 0.1);
        ref_gp_add(&ref, points + arm, t, y, 0.1);
    }
    ck_assert_uint_eq(b->counts.widened, 0);
    for (size_t i = 0; i < CASES_ARMS; i++) {
        ref_gp_predict(&ref, 1, points + i, told - 1, &mean, &var);
        ASSERT_NEAR(b->own.mean[i], mean, 1e-11);
        ASSERT_NEAR(b->own.var[i], var, 1e-11);
    }
    ref_gp_free(&ref);
    tvgp__posterior_free(b);
}

/* What is known exactly does not move by another exact value of the same arm. */
TEST_EACH(exact_twice, 4) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "et-gp-ucb", "mle-gp-ucb"};
    double before[ARMS], after[ARMS];
    open_policy(names[_i]);
    tell_exactly(3, 1);
    ASSERT_OK(tvgp_policy_predict(policy, 0, ARMS, X, before, NULL));
    tell_exactly(3, 5);
    ASSERT_OK(tvgp_policy_predict(policy, 0, ARMS, X, after, NULL));
    ASSERT_NEAR(before[3], 1, 1e-12);
    for (size_t i = 0; i < ARMS; i++)
        ck_assert_msg(after[i] == before[i], "%s: arm %zu: %g, before %g", names[_i], i, after[i], before[i]);
    ck_assert(isfinite(harness_stat(policy, "log_marginal_likelihood")) &&
              isfinite(harness_stat(policy, "information_gain")));
}

/* An enormous outcome that has left the window leaves nothing behind: sums are made again. */
TEST(window_after_an_outlier) {
    enum { W = 10 };
    double mean[2][ARMS], var[2][ARMS];
    for (int with = 0; with < 2; with++) {
        open_policy("sw-gp-ucb");
        ASSERT_OK(tvgp_policy_set_i64(policy, "window", W));
        if (with)
            tell_at(4, 0, 1e12);
        for (size_t t = 1; t <= 4 * W; t++)
            tell_at(t * 5 % ARMS, (double)t, sin((double)t));
        ASSERT_OK(tvgp_policy_predict(policy, 4 * W, ARMS, X, mean[with], var[with]));
    }
    ASSERT_ALL_NEAR(ARMS, mean[1], mean[0], 1e-9);
    ASSERT_ALL_NEAR(ARMS, var[1], var[0], 1e-12);
}

/* Exact outcomes count as nearly exact where the noise is divided by: information stays finite. */
TEST_EACH(windows_of_exact_answers, 6) {
    static const char *const names[] = {"sw-gp-ucb", "w-gp-ucb", "ui-gp-ucb", "bkb", "auto-gp-ucb", "r-gp-ucb"};
    double mean, var;
    open_policy(names[_i]);
    for (size_t i = 0; i < 3; i++)
        tell_exactly(4 * i, (double)i);
    double gain = harness_stat(policy, "information_gain");
    /* three outcomes of noise 1e-10 of the variance, a little less for the correlations */
    ck_assert_msg(gain > 25 && gain < 1.5 * log(1 + 1e10), "%s: %g", names[_i], gain);
    ck_assert(isfinite(harness_stat(policy, "log_marginal_likelihood")));
    ASSERT_OK(tvgp_policy_predict(policy, 0, 1, X + 4, &mean, &var));
    ck_assert_double_eq_tol(mean, 1, 1e-6);
}

/* On a line from 0 to `length`. */
static tvgp__nystrom *nystrom_of(const struct ref_kernel *k, double length) {
    tvgp__nystrom *d;
    for (size_t i = 0; i < ARMS; i++)
        X[i] = length * (double)i / (ARMS - 1);
    ASSERT_OK(tvgp__nystrom_new(ctx, MAKE_KERNEL(cases_kernel, ctx, k), 1, ARMS, X, &d));
    d->base.ops->advance(&d->base, 0);
    return d;
}

static void fit(tvgp__nystrom *d, size_t oldest, size_t m, const size_t *member) {
    ASSERT_OK(tvgp__nystrom_prepare(d, 0, m, member));
    tvgp__nystrom_fit(d, oldest, m, member);
}

/* A dictionary of nearly dependent arms: features of its members are rows of the factor, without the round-off of a solve
 * divided by the smallest pivot; the posterior is that of all observations. */
TEST(members_are_exact) {
    const struct ref_kernel smooth = {.kind = REF_SE, .dim = 1, .variance = 1, .l = {1.5}};
    struct ref_gp ref;
    tvgp__nystrom *d = nystrom_of(&smooth, 1);
    size_t member[ARMS];
    ref_gp_init(&ref, &smooth, 0, ARMS);
    for (size_t i = 0; i < ARMS; i++) {
        double y = cos(3 * X[i]);
        member[i] = i;
        observe(&d->base, i, 0, y, 1e-6);
        ref_gp_add(&ref, X + i, 0, y, 1e-6);
    }
    fit(d, 0, ARMS, member);
    const tvgp__basis *basis = &d->features.basis;
    ck_assert_uint_lt(basis->r, ARMS); /* some of them add nothing but round-off */
    for (size_t j = 0; j < basis->r; j++)
        for (size_t c = 0; c < basis->r; c++)
            ck_assert_double_eq(basis->Phi[c * ARMS + basis->pivot[j]], c <= j ? basis->L[c * basis->r + j] : 0);
    for (size_t i = 0; i < ARMS; i++) {
        double mean, var;
        ref_gp_predict(&ref, 1, X + i, 0, &mean, &var);
        ASSERT_NEAR(d->base.own.mean[i], mean, 1e-8);
        ck_assert_double_eq_tol(d->base.own.var[i], var, 1e-9);
    }
    ref_gp_free(&ref);
    tvgp__posterior_free(&d->base);
}

/* Observations that were forgotten before any fit were never known: the next one counts. */
TEST(reset_before_a_fit) {
    tvgp__nystrom *d = nystrom_of(&se, ARMS - 1);
    for (size_t i = 0; i < 5; i++)
        observe(&d->base, i, 0, 1, 0.1);
    fit(d, 4, 1, (size_t[]){4});
    ck_assert_uint_eq(d->pulls.n, 1);
    ck_assert_uint_eq(d->pulls_known, 1);
    tvgp__posterior_free(&d->base);
}

/* A dictionary of an arm without variance spans nothing: another observation of the arm says nothing about the others. */
TEST(dictionary_of_no_variance) {
    tvgp__nystrom *d = nystrom_of(&(struct ref_kernel){.kind = REF_LINEAR, .dim = 1, .variance = 1, .l = {1}}, 1);
    observe(&d->base, 0, 0, 1, 0.1);
    fit(d, 0, 1, (size_t[]){0});
    observe(&d->base, 0, 0, 1, 0.1);
    tvgp__nystrom_condition(d);
    for (size_t i = 0; i < ARMS; i++) {
        ck_assert_double_eq(d->base.own.mean[i], 0);
        ck_assert_double_eq(d->base.own.var[i], d->base.prior[i]);
    }
    tvgp__posterior_free(&d->base);
}

/* ---- the mixture --------------------------------------------------------------------------------------------------- */

/* auto-gp-ucb after a calm time. */
static void open_calm_bank(void) {
    open_policy("auto-gp-ucb");
    for (size_t t = 0; t < 80; t++)
        tell_at(t * 5 % ARMS, (double)t, 0.1 * cos((double)t));
}

/* An abrupt change of everything is assumed when another arm says so too, not for one arm that goes mad. */
TEST_EACH(one_mad_arm, 2) {
    const size_t second = _i ? 9 : 2;
    open_calm_bank();
    for (size_t i = 0; i < 3; i++)
        tell_at(i ? second : 2, 80 + (double)i, 8);
    ck_assert_double_eq(harness_stat(policy, "resets"), _i ? 1 : 0);
}

/* An outlier of the past does not say that anything was abruptly changed since. */
TEST_EACH(late_outlier, 2) {
    open_calm_bank();
    tell_at(2, _i ? 81 : 40.5, 8);
    if (_i)
        ck_assert_double_gt(harness_stat(policy, "changepoint.weight"), 0.01);
    else
        ck_assert_double_eq(harness_stat(policy, "changepoint.weight"), 0);
}

/* ---- frame and policies ----------------------------------------------------------------------------------------- */

/* The clock is the newest time of asks and observations. An outcome that teaches nothing has no time; a failed query is observed. */
TEST(shrugs_have_no_time) {
    open_policy("tv-gp-ucb");
    ASSERT_OK(tvgp_policy_set_f64(policy, "failed.width", 0));
    for (int32_t outcome = TVGP_SKIPPED; outcome <= TVGP_CANCELLED; outcome++) {
        tvgp_query q = harness_ask(policy, outcome);
        const tvgp_obs o = {.id = q.id, .outcome = outcome, .flags = TVGP_OBS_HAS_TIME, .t = 50};
        ASSERT_OK(tvgp_policy_tell(policy, 1, &o, NULL));
        ck_assert_double_eq(harness_stat(policy, "clock"), outcome);
    }
}

/* Actions from before a reset that still wait do not count as observed after it. */
TEST(pending_before_a_reset) {
    open_policy("r-gp-ucb");
    ASSERT_OK(tvgp_policy_set(policy, "reset.every=4 width.schedule=constant width.value=1"));
    tvgp_query q[5];
    for (int i = 0; i < 5; i++)
        q[i] = harness_ask(policy, i);
    ck_assert_double_eq(harness_stat(policy, "resets"), 1);
    ck_assert_double_lt(q[3].score, q[0].score); /* where the others were counted */
    ck_assert_double_eq(q[4].score, q[0].score);
    ck_assert_int_eq(q[4].arm, q[0].arm);
}

/* Several asks without an outcome, with exact ones expected: as many different arms, finite scores that fall. */
TEST_EACH(pending_exact_answers, 10) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "pe-gp-ucb", "auto-gp-ucb"};
    const struct ref_kernel rough = {.kind = REF_MATERN12, .dim = 1, .variance = 1, .l = {_i % 2 ? 0.5 : 1e-3}};
    const char *name = names[_i / 2];
    double last = INFINITY;
    int asked[ARMS] = {0};
    open_policy_with(name, &rough);
    ASSERT_OK(tvgp_policy_set(policy, "noise=0 width.schedule=constant"));
    for (size_t i = 0; i < 2 * ARMS; i++) {
        tvgp_query q = harness_ask(policy, 0);
        ck_assert_msg(isfinite(q.score) && q.score <= last * (1 + 1e-12), "%s: ask %zu: score %g after %g", name, i, q.score,
                      last);
        ck_assert_msg(i >= ARMS || !asked[q.arm]++, "%s: arm %d again", name, (int)q.arm);
        last = q.score;
    }
}

/* The same arm thrice, the second time already as good as known: what the others may bring is still seen. */
TEST(pending_known_arm) {
    const struct ref_kernel apart = {.kind = REF_SE, .dim = 1, .variance = 1, .l = {1e-3}};
    uint8_t mask[ARMS] = {1};
    double first = 0;
    open_policy_with("gp-ucb", &apart);
    ASSERT_OK(tvgp_policy_set(policy, "noise=0 width.schedule=constant"));
    ASSERT_OK(tvgp_policy_set_available(policy, ARMS, mask));
    for (int i = 0; i < 3; i++) {
        tvgp_query q = harness_ask(policy, 0);
        first = i ? first : q.score;
    }
    ASSERT_OK(tvgp_policy_set_available(policy, 0, NULL));
    tvgp_query q = harness_ask(policy, 0);
    ck_assert_int_eq(q.arm, 1);
    ck_assert_double_eq(q.score, first);
}

/* An enormous surprise is a number, also where variances are the least there are. */
TEST(surprise_is_finite) {
    const struct ref_kernel least = {.kind = REF_SE, .dim = 1, .variance = 1e-100, .l = {0.3}};
    open_policy_with("gp-ucb", &least);
    tell_exactly(2, 1e100);
    tell_exactly(2, -1e100);
    ck_assert(isfinite(harness_stat(policy, "surprise")));
}

/* Reading a statistic changes none: here an optimisation that needs jitter is counted once. */
TEST_EACH(read_twice, 2) {
    const double off = 1 + 4e-10, K[] = {1, off, off, 1}; /* smallest eigenvalue -4e-10 */
    tvgp_domain *domain = harness_indices(2);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, K);
    policy = MAKE_POLICY(tvgp_policy_create, ctx, _i ? "w-gp-ucb" : "ui-gp-ucb", domain, kernel);
    X[0] = 0;
    X[1] = 1;
    tell_exactly(0, 1);
    tell_exactly(1, 2);
    double jitter = harness_stat(policy, "jitter");
    ck_assert_double_ge(jitter, 1);
    ck_assert_double_eq(harness_stat(policy, "jitter"), jitter);
    (void)harness_stat(policy, "log_marginal_likelihood");
    ck_assert_double_eq(harness_stat(policy, "jitter"), jitter);
}

/* et-gp-ucb tests an outcome against what was assumed when it was asked for; after a trigger nothing of that is left. */
TEST(asked_before_a_trigger) {
    tvgp_query q[2];
    open_policy("et-gp-ucb");
    for (int i = 0; i < 2; i++)
        q[i] = harness_ask(policy, i);
    ASSERT_OK(tvgp_policy_tell_value(policy, q[0].id, 100));
    ck_assert_double_eq(harness_stat(policy, "resets"), 1);
    double statistic = harness_stat(policy, "trigger.statistic"), threshold = harness_stat(policy, "trigger.threshold");
    ASSERT_OK(tvgp_policy_tell_value(policy, q[1].id, -70));
    ck_assert_double_eq(harness_stat(policy, "resets"), 1);
    ck_assert_double_eq(harness_stat(policy, "ignored"), 1);
    ck_assert_double_eq(harness_stat(policy, "trigger.statistic"), statistic);
    ck_assert_double_eq(harness_stat(policy, "trigger.threshold"), threshold);
}

/* A constant added to the prior mean and to every outcome changes no decision of any policy. */
TEST_EACH(shifted_by_a_constant, harness_policies()) {
    const char *name, *doc;
    tvgp_policy *twin[2];
    struct rnd r = {(uint64_t)_i};
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    int blind = strcmp(name, "random") == 0 || strcmp(name, "constant-arm") == 0;
    for (int k = 0; k < 2; k++) {
        open_policy(name);
        twin[k] = policy;
        ASSERT_OK(tvgp_policy_set_prior_mean(policy, 1, &(double){k ? 1024 : 0}));
    }
    for (double t = 1; t <= 60; t++) {
        tvgp_query q[2];
        double y = floor(512 * (sin(0.1 * t) + 0.3 * rnd_normal(&r))) / 512; /* sums with the constant are exact */
        for (int k = 0; k < 2; k++) {
            tvgp_status status = tvgp_policy_ask_one(twin[k], t, &q[k], NULL);
            ck_assert_msg(status == TVGP_OK || status == TVGP_AGAIN, "%s, t = %g: %s", name, t, tvgp_status_name(status));
            if (status == TVGP_OK)
                ASSERT_OK(tvgp_policy_tell_value(twin[k], q[k].id, y + (k ? 1024 : 0)));
        }
        ck_assert_msg(q[0].arm == q[1].arm, "%s, t = %g: arms %d and %d", name, t, (int)q[0].arm, (int)q[1].arm);
        if (q[0].kind == TVGP_ACTION)
            ASSERT_NEAR(q[1].score - q[0].score, blind ? 0 : 1024, 1e-9);
    }
}

/* Variances of a slice beyond one packed block of points, where they differ from point to point. */
TEST(many_sliced_points) {
    enum { N = 1200 };
    static double points[2 * N], var[N];
    const double l = 1;
    for (size_t i = 0; i < 2 * N; i++)
        points[i] = (double)(i % 2 ? i + 1 : 5 * i);
    tvgp_domain *domain = harness_arms(N, 2, points);
    tvgp_kernel *inner = MAKE_KERNEL(tvgp_kernel_linear, ctx, 1, 1, 1, &l, 0);
    policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, MAKE_KERNEL(tvgp_kernel_slice, ctx, 2, 1, inner));
    ASSERT_OK(tvgp_policy_predict(policy, 0, N, points, NULL, var));
    for (size_t i = 0; i < N; i++)
        ck_assert_double_eq(var[i], points[2 * i + 1] * points[2 * i + 1]);
}

/* A key without a value says nothing: not 0 either. */
TEST(nothing_is_no_number) {
    open_policy("gp-ucb");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "seed="), "seed");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(policy, "noise="), "noise");
}

/* 0 and -0 are one coordinate. */
TEST(signed_zeros) {
    enum { N = 64 };
    double points[2 * N];
    const double l = 1;
    for (size_t i = 0; i < N; i++) {
        points[2 * i] = (double)(i / 2);
        points[2 * i + 1] = i % 2 ? 0.0 : (double)i + 1;
    }
    policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_arms(N, 2, points), harness_se(2, 1, &l));
    for (size_t i = 1; i < N; i += 2) {
        const double at[2] = {i == 1 ? -0.0 : points[2 * i], -0.0};
        const tvgp_obs o = {.y = 1, .flags = TVGP_OBS_HAS_TIME};
        ASSERT_OK(tvgp_policy_tell(policy, 1, &o, at));
    }
}

/* Priors that say the same except round-off are tied, and the first of them speaks. */
TEST_EACH(tied_priors, 2) {
    static const char *const names[] = {"pe-gp-ucb", "mle-gp-ucb"};
    const struct ref_kernel again = {.kind = REF_SE, .dim = 1, .variance = 2 * (1 + 4 * DBL_EPSILON), .l = {0.3}};
    tvgp_kernel *kernel[2];
    open_policy(names[_i]);
    kernel[0] = MAKE_KERNEL(cases_kernel, ctx, &se);
    kernel[1] = MAKE_KERNEL(cases_kernel, ctx, &again);
    for (int k = 0; k < 2; k++)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel[k], 0, NULL, 0));
    for (int t = 0; t < 40; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin(3 * X[q.arm]) + 0.1 * cos(5.0 * t)));
    }
    ck_assert_double_eq(harness_stat(policy, "prior.chosen.0"), 40);
    for (int k = 0; k < 2; k++)
        tvgp_kernel_destroy(kernel[k]);
}

/* ---- the maker -------------------------------------------------------------------------------------------------- */

/* Whatever is asked for together is made, or is refused with every need by name. */
TEST(made_or_refused) {
    const double corner[2] = {0, 1};
    const tvgp__drift drifts[] = {
        {0}, {TVGP__DRIFT_FORGETTING, 0.1, 0}, {TVGP__DRIFT_WIENER, 0.1, 0}, {TVGP__DRIFT_MATERN32, 0.1, 0}};
    static const char *const names[] = {"", "a drift model", "a drift model", "a smooth drift model"};
    tvgp_domain *domains[2];
    size_t made = 0, refused = 0;
    for (size_t i = 0; i < ARMS; i++)
        X[i] = (double)i / (ARMS - 1);
    domains[0] = harness_arms(ARMS, 1, X);
    domains[1] = harness_box(1, corner, corner + 1);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &se);
    for (unsigned i = 0; i < 2 * 4 * 16; i++) {
        tvgp__posterior *b = NULL;
        const tvgp__posterior_spec spec = {
            .ctx = ctx,
            .policy = "mine",
            .domain = domains[i & 1],
            .kernel = kernel,
            .noise = 0.1,
            .drift = drifts[i / 2 % 4],
            .age = {.growth = i & 8 ? TVGP__NOISE_AGE_LINEAR : TVGP__NOISE_AGE_NONE, .rate = 1},
            .window = i & 16 ? 5 : 0,
            .replaced = (i & 32) != 0,
            .sketched = (i & 64) != 0};
        if (tvgp__posterior_make(&spec, &b) == TVGP_OK) {
            made++;
            tvgp__posterior_free(b);
            continue;
        }
        refused++;
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp__posterior_make(&spec, &b), "'mine'", i & 1 ? "a box" : "arms",
                     names[i / 2 % 4], i & 8 ? "aging noise" : "", i & 16 ? "a window" : "",
                     i & 32 ? "replaced as a whole" : "", i & 64 ? "a dictionary" : "");
    }
    /* drift models, age, window, replaced, sketched; boxes: drift models and age, each with a window too, replaced, sketched */
    ck_assert_uint_eq(made, 4 + 1 + 1 + 1 + 1 + 4 + 4 + 1 + 1 + 1 + 1);
    ck_assert_uint_eq(made + refused, 128);
}

HARNESS_MAIN("corners")
