/* SPDX-License-Identifier: MIT */
/* What every registered policy must do with every kernel. New policies and kernels are picked up by their registration. */
#include "base/error.h"
#include "cases.h"
#include "outside.h"
#include "player.h"

#include <math.h>
#include <string.h>

static double X[CASES_ARMS * REF_MAX_DIM];
static const struct ref_kernel *kernel;
static const char *name;
static tvgp_policy *policy;

static int registered;

/* The built-in policies, and one from outside. */
static const char *policy_at(int i) {
    return i < harness_policies() ? harness_policy_at(i) : outside_ucb.name;
}

/* Loop index -> policy and kernel. */
static void choose(int i) {
    kernel = cases_kernel_at((size_t)(i % CASES_ALL));
    name = policy_at(i / CASES_ALL);
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL));
    (void)MAKE_DOMAIN(cases_domain, ctx, kernel, X);
}

static void open_policy(int64_t seed) {
    policy = MAKE_POLICY(cases_policy, ctx, name, kernel);
    ASSERT_OK(tvgp_policy_set_i64(policy, "seed", seed));
    cases_set(policy, "delay.exact_observations", 400); /* every outcome is exact */
    cases_set(policy, "reset.every", 29);
    cases_set(policy, "window", CASES_WINDOW);
    cases_set(policy, "decay", 0.9);
}

static const double *point(size_t arm) {
    return X + arm * kernel->dim;
}

/* The variance of a mixture holds the spread of its means and may exceed the prior's. */
static int is_mixture(void) {
    return harness_has(policy, "drift.models");
}

/* Predictions are finite, between nothing and the prior, and those of the reference when there is one. */
static void assert_predictions(struct ref_gp *ref, double t) {
    double mean[CASES_ARMS], var[CASES_ARMS], want_mean[CASES_ARMS], want_var[CASES_ARMS];
    tvgp_status status = tvgp_policy_predict(policy, t, CASES_ARMS, X, mean, var);
    if (status == TVGP_ERR_UNSUPPORTED) {
        ck_assert(!cases_has_model(policy));
        return;
    }
    ck_assert_int_eq(status, TVGP_OK);
    ref_gp_predict(ref, CASES_ARMS, X, t, want_mean, want_var);
    for (size_t i = 0; i < CASES_ARMS; i++) {
        double prior = ref_kernel(kernel, point(i), point(i));
        ck_assert(isfinite(mean[i]) && isfinite(var[i]) && var[i] >= 0);
        ck_assert(is_mixture() || var[i] <= prior * (1 + 1e-12));
        if (cases_has_reference(policy)) {
            ASSERT_NEAR(mean[i], want_mean[i], 1e-10);
            ASSERT_NEAR(var[i], want_var[i], 1e-10);
        }
    }
}

static int has_open_side(size_t n, const tvgp_query *open) {
    for (size_t i = 0; i < n; i++)
        if (open[i].kind == TVGP_SIDE)
            return 1;
    return 0;
}

/* Everything at once: irregular and repeated times, masks, unsolicited observations, skips, many pending, delayed outcomes. */
START_TEST(anything_goes) {
    choose(_i);
    open_policy(1);
    struct ref_gp ref;
    struct rnd r = {(uint64_t)_i};
    uint8_t mask[CASES_ARMS];
    tvgp_query open[40];
    size_t n_open = 0;
    double t = -3, resets = 0;
    cases_reference(policy, kernel, 400, &ref);
    for (size_t step = 0; step < 150; step++) {
        t += rnd_uniform(&r) < 0.4 ? 0 : 5 * rnd_uniform(&r) * rnd_uniform(&r);
        memset(mask, 0, sizeof mask);
        for (size_t i = 0; i < 1 + rnd_below(&r, CASES_ARMS); i++)
            mask[rnd_below(&r, CASES_ARMS)] = 1;
        ASSERT_OK(tvgp_policy_set_available(policy, CASES_ARMS, mask));
        tvgp_query *q = &open[n_open++];
        double x[REF_MAX_DIM], now = 0;
        tvgp_status asked = tvgp_policy_ask_one(policy, t, q, x);
        if (asked == TVGP_AGAIN) { /* it waits for outcomes at this time, not later */
            ck_assert(has_open_side(--n_open, open));
            t += 0.25;
            asked = tvgp_policy_ask_one(policy, t, &open[n_open++], x);
        }
        ASSERT_OK(asked);
        ck_assert(q->arm >= 0 && q->arm < CASES_ARMS && mask[q->arm] && isfinite(q->score) && q->noise_var >= 0);
        ck_assert_mem_eq(x, point((size_t)q->arm), kernel->dim * sizeof *x);
        if (cases_has_reference(policy))
            ASSERT_OK(tvgp_policy_stat(policy, "resets", &now));
        if (now > resets) { /* what is still open was asked in another life */
            ref_gp_drop(&ref, ref.n);
            open[0] = *q;
            n_open = 1;
        }
        resets = now;
        if (rnd_uniform(&r) < 0.3) {
            size_t arm = rnd_below(&r, CASES_ARMS);
            double y = rnd_normal(&r);
            ASSERT_OK(tvgp_policy_tell(
                policy, 1, &(tvgp_obs){.y = y, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.2, .t = t},
                point(arm)));
            cases_observe(&ref, point(arm), t, y, 0.2);
        }
        for (int k = 0; k < 2 && n_open > 0 && (n_open == 40 || step % 60 < 30); k++) { /* else: they pile up */
            size_t pick = rnd_below(&r, n_open);
            tvgp_obs obs = {.id = open[pick].id, .y = rnd_normal(&r)};
            obs.outcome = rnd_uniform(&r) < 0.2 ? TVGP_SKIPPED : TVGP_VALUE;
            ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
            if (obs.outcome == TVGP_VALUE)
                cases_observe(&ref, point((size_t)open[pick].arm), open[pick].t, obs.y, open[pick].noise_var);
            open[pick] = open[--n_open];
        }
        if (step % 10 == 9)
            assert_predictions(&ref, t + rnd_uniform(&r));
    }
    ref_gp_free(&ref);
}

/* Whether chance plays. */
static int play(int64_t seed, size_t steps, tvgp_query *out) {
    open_policy(seed);
    const int random = cases_is_random(policy);
    for (size_t i = 0; i < steps; i++) {
        ASSERT_OK(tvgp_policy_ask_one(policy, 0.5 * (double)i, &out[i], NULL));
        ASSERT_OK(tvgp_policy_tell_value(policy, out[i].id, sin((double)(out[i].arm * 7 + (int64_t)i))));
    }
    return random;
}

/* The same seed gives the same run, to the last bit; another seed another one, where chance plays. */
START_TEST(seeds) {
    tvgp_query a[60], b[60];
    choose(_i);
    play(3, 60, a);
    play(3, 60, b);
    ck_assert_msg(memcmp(a, b, sizeof a) == 0, "seed 3 and seed 3 again");
    const int random = play(4, 60, b);
    ck_assert_msg((memcmp(a, b, sizeof a) != 0) == random, "seed 3 and seed 4");
}

static void assert_listed(tvgp_policy *p) {
    size_t n = 0;
    ASSERT_OK(tvgp_policy_stat_count(p, &n));
    for (size_t i = 0; i < n; i++) {
        const char *key = harness_stat_key(p, i);
        double value = NAN;
        ASSERT_OK(tvgp_policy_stat(p, key, &value));
        ck_assert_msg(!isnan(value), "statistic %s", key);
    }
    ck_assert_int_eq(tvgp_policy_stat_info(p, n, &(tvgp_stat_info){0}), TVGP_ERR_ARG);
}

/* Listed statistics can be read also where options are wrong of which only the start says so. */
START_TEST(statistics_with_wrong_options) {
    assert_listed(harness_described("auto-gp-ucb grid=0:1:5 se=.3 noise.factors=none"));
}

/* What it assumes comes from what it is given alone. */
static int can_model(const char *of) {
    static const char *const all[] = {"gp-ucb",      "igp-ucb",   "tv-gp-ucb",  "sw-gp-ucb", "w-gp-ucb", "ui-gp-ucb",
                                      "auto-gp-ucb", "pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(of, all[i]))
            return 1;
    return 0;
}

/* Limits are taken, or refused by the policy's name; so is the policy as the model of one. */
START_TEST(limits_or_a_refusal) {
    choose(_i * CASES_ALL);
    policy = MAKE_POLICY(cases_policy, ctx, name, kernel);
    tvgp_policy *twin = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", kernel); /* domains are the same when their points are */
    tvgp_policy *model = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", kernel);
    if (player_takes_limits(name)) {
        ASSERT_OK(tvgp_policy_add_constraint(policy, model, TVGP_AT_LEAST, 0));
        ASSERT_OK(tvgp_policy_set_safe(policy, 1, X));
        (void)harness_ask(policy, 0);
    } else {
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_constraint(policy, model, TVGP_AT_LEAST, 0), name);
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_safe(policy, 1, X), name);
        ck_assert(!harness_has(policy, "constraint.confidence"));
    }
    policy = MAKE_POLICY(cases_policy, ctx, name, kernel);
    if (can_model(name))
        ASSERT_OK(tvgp_policy_add_constraint(twin, policy, TVGP_AT_LEAST, 0));
    else
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_constraint(twin, policy, TVGP_AT_LEAST, 0), name);
}

/* ---- error texts --------------------------------------------------------------------------------------------------- */

/* What a user's function may do that is of no concern to the call it is called from. */
static void fail_at_something(void) {
    tvgp_policy *none = NULL;
    ck_assert_int_eq(tvgp_policy_create(ctx, "no such policy", NULL, NULL, &none), TVGP_ERR_ARG);
}

static void failing_log(void *user, const char *line) {
    (void)user;
    (void)line;
    fail_at_something();
}

static int32_t failing_interrupt(void *user) {
    (void)user;
    fail_at_something();
    return 0;
}

static int32_t failing_mean(void *user, size_t n, const double *points, double *mean, double *gradient) {
    (void)user;
    (void)points;
    fail_at_something();
    memset(mean, 0, n * sizeof *mean);
    if (gradient)
        memset(gradient, 0, 2 * n * sizeof *gradient);
    return 0;
}

static int32_t failing_feasible(void *user, size_t n, const double *points, uint8_t *ok) {
    (void)user;
    (void)points;
    fail_at_something();
    memset(ok, 1, n);
    return 0;
}

static int block_fails; /* the kernel returns a status of its own */

/* A covariance that is none: higher off the diagonal than on it, so that pivots need more than jitter. */
static int32_t failing_block(void *data, size_t n, const double *A, size_t m, const double *B, double *K, size_t ldk) {
    (void)data;
    fail_at_something();
    if (block_fails)
        return -1234;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = A[2 * i] == B[2 * j] && A[2 * i + 1] == B[2 * j + 1] ? 1 : 1.2;
    return 0;
}

static const tvgp_kernel_type failing_kernel = {
    .struct_size = sizeof failing_kernel, .name = "failing", .block = failing_block};

#define ASSERT_SILENT(call)                                                                                                 \
    do {                                                                                                                    \
        const tvgp_status silent_status_ = (call);                                                                          \
        ck_assert_msg(silent_status_ < 0 || !*tvgp_ctx_errmsg(ctx), "%s: %s, and says %s", #call,                           \
                      tvgp_status_name(silent_status_), tvgp_ctx_errmsg(ctx));                                              \
    } while (0)

/* A statistic shows what there is where what it would rather show cannot be worked out. */
static void look_silently(void) {
    size_t n = 0;
    double value;
    block_fails = 1;
    ASSERT_OK(tvgp_policy_stat_count(policy, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_SILENT(tvgp_policy_stat(policy, harness_stat_key(policy, i), &value));
    }
    block_fails = 0;
}

/* Steps with delayed outcomes and unsolicited observations, a prior, predictions and statistics in between. */
static void play_silently(const tvgp_kernel *k) {
    const double x[2] = {0.25, 0.5}, zero = 0;
    double mean, var, at[2];
    int64_t waiting = 0, arm;
    for (int t = 0; t < 40; t++) {
        tvgp_query q = {0};
        ASSERT_SILENT(tvgp_policy_ask_one(policy, t, &q, at));
        if (t % 3 == 0 && waiting)
            ASSERT_SILENT(tvgp_policy_tell_value(policy, waiting, cos(t)));
        waiting = t % 3 == 1 ? q.id : t % 3 == 0 ? 0 : waiting;
        if (q.id && t % 3 != 1)
            ASSERT_SILENT(tvgp_policy_tell_value(policy, q.id, sin(t)));
        if (t % 5 == 0)
            ASSERT_SILENT(tvgp_policy_tell(
                policy, 1, &(tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .t = t - 3}, x));
        if (t == 20)
            ASSERT_SILENT(tvgp_policy_add_prior(policy, k, 1, &zero, 0.1));
        look_silently();
        ASSERT_SILENT(tvgp_policy_predict(policy, t, 1, x, &mean, &var));
        ASSERT_SILENT(tvgp_policy_best(policy, t, &arm, at));
    }
}

/* After a success there is no text: not of pivots that jitter did not help, nor of what failed inside the user's functions. */
START_TEST(text_after_every_call) {
    const double low[2] = {0, 0}, high[2] = {1, 1};
    name = policy_at(_i);
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL));
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &failing_kernel, NULL, NULL));
    ASSERT_OK(tvgp_ctx_set_logger(ctx, failing_log, NULL, NULL));
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, failing_interrupt, NULL, NULL));
    for (int box = 0; box < 2; box++) {
        if (!harness_all() && box != _i % 2)
            continue;
        tvgp_domain *domain = box ? harness_box(2, low, high) : harness_grid(2, low, high, (const size_t[]){5, 5});
        tvgp_kernel *k = MAKE_KERNEL(tvgp_kernel_of_type, ctx, "failing", 2, NULL);
        if (tvgp_policy_create(ctx, name, domain, k, &policy) == TVGP_OK) {
            if (box && tvgp_policy_set_prior_mean_fn(policy, failing_mean, NULL, NULL) == TVGP_OK)
                ASSERT_OK(tvgp_policy_set_feasible(policy, failing_feasible, NULL, NULL));
            play_silently(k);
            tvgp_policy_destroy(policy);
        }
    }
}

/* Parameters that were found and cannot be used, as their filters would take more than memory.limit, are given up in silence. */
START_TEST(text_after_a_fit_was_given_up) {
    const double low = 0, high = 1, smooth = 0.5;
    double given_up = 0, limit = 20000;
    tvgp_query q;
    tvgp_domain *domain = harness_grid(1, &low, &high, (const size_t[]){60});
    tvgp_kernel *k = harness_se(1, 1, &smooth);
    for (tvgp_status status = TVGP_ERR_LIMIT; status == TVGP_ERR_LIMIT; limit *= 1.1) {
        policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, k);
        ASSERT_OK(tvgp_policy_set(policy, "fit=map"));
        ASSERT_OK(tvgp_policy_set_f64(policy, "memory.limit", floor(limit)));
        status = tvgp_policy_ask_one(policy, 0, &q, NULL);
    }
    struct rnd r = {3};
    double rough[60], x;
    for (int i = 0; i < 60; i++) /* neighbours are nothing alike: more than the rank of the first kernel */
        rough[i] = rnd_normal(&r);
    for (int t = 1; t < 60; t++) {
        for (int64_t i = 0; i < 60; i += 3) {
            ASSERT_OK(tvgp_domain_point(domain, (i + t) % 60, &x));
            ASSERT_SILENT(
                tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = rough[(i + t) % 60], .flags = TVGP_OBS_HAS_TIME, .t = t}, &x));
        }
        ASSERT_SILENT(tvgp_policy_ask_one(policy, t, &q, NULL));
    }
    ASSERT_OK(tvgp_policy_stat(policy, "fit.failed", &given_up));
    ck_assert_double_gt(given_up, 0);
}

/* The same arm at the same time, again and again: informative, never an error. */
START_TEST(repeats) {
    choose(_i);
    open_policy(1);
    struct ref_gp ref;
    uint8_t mask[CASES_ARMS] = {0};
    mask[11] = 1;
    cases_reference(policy, kernel, 25, &ref); /* before any reset.every */
    ASSERT_OK(tvgp_policy_set_available(policy, CASES_ARMS, mask));
    for (size_t i = 0; i < 25; i++) {
        tvgp_query q = harness_ask(policy, 7);
        ck_assert_int_eq(q.arm, 11);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, (double)(i % 2)));
        cases_observe(&ref, point(11), 7, (double)(i % 2), q.noise_var);
    }
    assert_predictions(&ref, 7);
    ref_gp_free(&ref);
}

static tvgp_status make(tvgp_ctx *c, tvgp_domain **d, tvgp_kernel **k, tvgp_policy **p) {
    TVGP__TRY(tvgp_ctx_register_policy(c, &outside_ucb, &registered, NULL));
    TVGP__TRY(cases_domain(c, kernel, X, d));
    TVGP__TRY(cases_kernel(c, kernel, k));
    return tvgp_policy_create(c, name, *d, *k, p);
}

/* Handles may go in any order, also while others are in use. */
START_TEST(destruction_in_any_order) {
    choose(_i);
    cases_destroy_in_any_order(make);
}

/* One step of a service that reports five asks late, sometimes far too late, sometimes never. */
static void steady_step(int64_t *waiting, size_t step) {
    tvgp_query q = harness_ask(policy, (double)step);
    int64_t *slot = &waiting[step % 5];
    if (*slot && step % 50 != 0)
        ASSERT_OK(tvgp_policy_tell_value(policy, *slot, cos((double)step)));
    *slot = q.id;
    if (step % 7 == 0)
        ASSERT_OK(tvgp_policy_tell(
            policy, 1,
            &(tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.1, .t = (double)step - 40},
            point(step % CASES_ARMS)));
}

/* Once capacities are reached no ask and no tell allocates, and nothing grows. */
START_TEST(steady_state) {
    enum { WARM = 2600, MEASURED = 400 };
    choose(_i);
    open_policy(1);
    ASSERT_OK(tvgp_policy_set_i64(policy, "pending.limit", 64));
    int64_t waiting[5] = {0};
    size_t step = 41, before, after;
    for (; step < WARM; step++)
        steady_step(waiting, step);
    size_t calls = memory.allocated;
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    for (; step < WARM + MEASURED; step++)
        steady_step(waiting, step);
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    calls += name == outside_ucb.name ? MEASURED : 0; /* of tvgp_gp_predict, which each ask of its calls once */
    ck_assert_msg(memory.allocated == calls, "%s allocated %zu times", name, memory.allocated - calls);
    ck_assert_uint_eq(before, after);
}

/* Where the model of a constraint cannot learn because memory is refused, the ask fails; repeated, it leaves no text. */
START_TEST(text_after_a_model_could_not_learn) {
    const double low = 0, high = 1, smooth = 0.3;
    tvgp_query q;
    double x;
    tvgp_domain *domain = harness_grid(1, &low, &high, (const size_t[]){12});
    policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, harness_se(1, 1, &smooth));
    tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, NULL);
    ASSERT_OK(tvgp_policy_add_constraint(policy, model, TVGP_AT_MOST, 100));
    ASSERT_OK(tvgp_policy_set_safe(policy, 1, &low));
    for (int t = 0; t < 60; t++) {
        tvgp_status status = TVGP_ERR_NOMEM;
        for (size_t refused = 1; status == TVGP_ERR_NOMEM; refused++) {
            memory.fail_in = refused;
            ASSERT_SILENT(status = tvgp_policy_ask_one(policy, t, &q, &x));
            memory.fail_in = 0;
        }
        ASSERT_OK(status);
        ASSERT_OK(tvgp_policy_tell_values(policy, q.id, 2, (double[]){sin(5 * x), cos(4 * x + t)}));
    }
}

/* ---- infinite statistics ------------------------------------------------------------------------------------------- */

int main(void) {
    Suite *suite = suite_create("conformance");
    for (int i = 0; i < (harness_policies() + 1) * CASES_ALL; i++) {
        const int row = i / CASES_ALL, k = i % CASES_ALL;
        TCase *tc = harness_case_of(suite, 0, "%s, kernel %s, n = %d, seed 1", policy_at(row), cases_kernel_name((size_t)k),
                                    CASES_ARMS);
        if (cases_combined((size_t)row, (size_t)k, CASES_ALL)) {
            tcase_add_loop_test(tc, anything_goes, i, i + 1);
            tcase_add_loop_test(tc, seeds, i, i + 1);
            tcase_add_loop_test(tc, repeats, i, i + 1);
            tcase_add_loop_test(tc, destruction_in_any_order, i, i + 1);
        }
        if (harness_all() ? k < 2 : k == row % 2) /* a smooth kernel and a rough one */
            tcase_add_loop_test(tc, steady_state, i, i + 1);
    }
    tcase_add_loop_test(harness_case(suite, "limits"), limits_or_a_refusal, 0, harness_policies() + 1);
    tcase_add_test(harness_case(suite, "statistics"), statistics_with_wrong_options);
    TCase *texts = harness_case(suite, "texts");
    harness_add_turns(texts, text_after_every_call, 0, harness_policies() + 1, 0);
    harness_add(texts, text_after_a_fit_was_given_up, text_after_a_model_could_not_learn);
    return harness_run(suite);
}
