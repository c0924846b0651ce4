/* SPDX-License-Identifier: MIT */
/* tvgp_policy_set_incumbent: what is asked and counted, five worlds in which no
 * run may pay much more than the incumbent, snapshots, and what is refused. `test_conservative RUNS`
 * prints what is paid in the worlds at several budgets. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 25, STEPS = 200, NORMALS = 40 };

/* ---- worlds: costs of settings, always positive ----------------------------------------------------------------- */

typedef struct {
    struct rnd r;
    double wave[NORMALS];
} world;

/* A sum of waves that wander, within about -2 .. 2: smooth in x and in t. */
static double waves(const world *w, double x, double t) {
    double sum = 0;
    for (size_t k = 0; k < 10; k++)
        sum += sin(2 * w->wave[4 * k] * x + 0.01 * w->wave[4 * k + 1] * t + 3 * w->wave[4 * k + 2]) * w->wave[4 * k + 3];
    return sum / 3;
}

static double drift(const world *w, double x, double t) {
    return 10 * exp(0.3 * waves(w, x, t));
}

/* A valley that moves. */
static double valley(const world *w, double x, double t) {
    const double off = x - 0.5 - 0.3 * sin(t / 60 + w->wave[0]);
    return 2 + 20 * off * off;
}

/* The same where what there is to do is common to all settings, and swings. */
static double busy(const world *w, double x, double t) {
    return valley(w, x, t) * exp(0.3 * sin(t / 4) + 0.2 * sin(t / 1.7 + w->wave[1]));
}

/* No policy assumes steps: beyond the cliff all is five times as expensive, and the cliff moves. */
static double cliff(const world *w, double x, double t) {
    return (x > 0.65 + 0.1 * sin(t / 50 + w->wave[0]) ? 5 : 1) * (1.5 - x);
}

/* What is best becomes what is worst, twice. */
static double jumps(const world *w, double x, double t) {
    const double at = (int)(t / 70 + fabs(w->wave[0])) % 2 ? 0.25 : 0.75;
    return 1 + 3 * fabs(x - at);
}

static const struct {
    const char *name;
    double (*cost)(const world *, double x, double t);
    double incumbent, noise; /* where, of 0 .. 1; sd of the noise over the cost */
    int heavy;               /* noise with outliers */
} worlds[] = {{"drift", drift, 0.4, 0.05, 0},
              {"valley", valley, 0.6, 0.1, 0},
              {"load", busy, 0.6, 0.1, 0},
              {"cliff", cliff, 0.4, 0.1, 1},
              {"jumps", jumps, 0.5, 0.1, 0}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static double noise_of(struct rnd *r, int heavy) {
    const double z = rnd_normal(r);
    return heavy && rnd_uniform(r) < 0.05 ? 5 * z : z;
}

static tvgp_policy *policy_on(const char *name, int box, double max_loss_share, double at) {
    tvgp_domain *domain;
    const double x = floor(at * (ARMS - 1) + 0.5) / (ARMS - 1);
    if (box)
        domain = harness_box(1, (const double[]){0}, (const double[]){1});
    else
        domain = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){ARMS});
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, NULL);
    ASSERT_OK(tvgp_policy_set_str(policy, "sense", "min"));
    if (max_loss_share >= 0)
        ASSERT_OK(tvgp_policy_set_incumbent(policy, &x, max_loss_share));
    return policy;
}

/* What is paid in a run, over what the incumbent would have paid; max_loss_share < 0: without one. */
static double paid(size_t which, const char *name, int box, double max_loss_share, uint64_t seed) {
    world w = {.r = {seed}};
    const double at = floor(worlds[which].incumbent * (ARMS - 1) + 0.5) / (ARMS - 1);
    double mine = 0, its = 0;
    tvgp_policy *policy = policy_on(name, box, max_loss_share, at);
    for (size_t k = 0; k < NORMALS; k++)
        w.wave[k] = rnd_normal(&w.r);
    for (int t = 0; t < STEPS; t++) {
        double x;
        tvgp_query q = harness_ask_at(policy, t, &x);
        const double cost = worlds[which].cost(&w, x, t);
        mine += cost;
        its += worlds[which].cost(&w, at, t);
        ASSERT_OK(
            tvgp_policy_tell_value(policy, q.id, cost * (1 + worlds[which].noise * noise_of(&w.r, worlds[which].heavy))));
    }
    return mine / its;
}

static const char *const players[] = {"auto-gp-ucb", "tv-gp-ucb"};

TEST_EACH(never_far_below, WORLDS) {
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int i = 0; i < 2; i++) {
            const double share = paid((size_t)_i, players[i], 0, 0.1, seed);
            ck_assert_msg(share <= 1.15, "%s, %s, seed %d: %.3f of the incumbent", worlds[_i].name, players[i], (int)seed,
                          share);
        }
}

TEST_EACH(never_far_below_on_a_box, WORLDS) {
    const double share = paid((size_t)_i, "auto-gp-ucb", 1, 0.1, 1);
    ck_assert_msg(share <= 1.15, "%s: %.3f of the incumbent", worlds[_i].name, share);
}

static int runs; /* of the table */

START_TEST(table) {
    static const double budgets[] = {-1, 0.05, 0.1, 0.2};
    printf("world,policy,max_loss_share,runs,mean,worst\n");
    for (size_t k = 0; k < WORLDS; k++)
        for (int i = 0; i < 2; i++)
            for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
                double sum = 0, worst = 0;
                for (int r = 0; r < runs; r++) {
                    const double share = paid(k, players[i], 0, budgets[b], 100 + (uint64_t)r);
                    sum += share;
                    worst = fmax(worst, share);
                }
                printf("%s,%s,%g,%d,%.3f,%.3f\n", worlds[k].name, players[i], budgets[b], runs, sum / runs, worst);
            }
}

/* ---- what is asked and counted ---------------------------------------------------------------------------------- */

/* Four independent arms, assumed to be 10 +- 1: each step by hand. */
TEST(counted) {
    tvgp_query q;
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_categorical, ctx, 1, 0);
    tvgp_policy *policy = harness_create("gp-ucb", harness_indices(4), kernel, "noise=1e-6");
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 4, (const double[]){10, 10, 10, 10}));
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){2}, 0.5));
    /* 11 - 9 may be lost, half of 11 is allowed: the own choice */
    q = harness_ask(policy, 1);
    ck_assert_int_eq(q.arm, 0);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss"), 2, 1e-12);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), 3.5, 1e-12);
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss"), 10, 1e-12);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), -4.5, 1e-12);
    /* 10 + 2 is more than half of 22: the incumbent; as long as it is not done, it earns nothing */
    q = harness_ask(policy, 2);
    ck_assert_int_eq(q.arm, 2);
    ASSERT_NEAR(harness_stat(policy, "incumbent.asked"), 1, 0);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), 1, 1e-12);
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_CANCELLED}, NULL));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), -4.5, 1e-12);
    q = harness_ask(policy, 3);
    ck_assert_int_eq(q.arm, 2);
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 10));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), 1, 1e-9);
    /* now it is known to be 10: 10 + 1 is less than half of 32. What was not done is not paid
     * either */
    q = harness_ask(policy, 4);
    ck_assert_int_eq(q.arm, 1);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss"), 11, 1e-2);
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_FAILED}, NULL));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss"), 10, 1e-9);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), 1, 1e-9);
    /* one that is never answered stays at its bound */
    q = harness_ask(policy, 5);
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_SKIPPED}, NULL));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss"), 11, 1e-2);
    /* a new one counts from 0, none counts nothing */
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){3}, 0));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss"), 0, 0);
    ck_assert_int_eq(harness_ask(policy, 6).arm, 3);
    ASSERT_OK(tvgp_policy_set_incumbent(policy, NULL, 0));
    ASSERT_NEAR(harness_stat(policy, "incumbent.asked"), 0, 0);
}

/* With an infinite share nothing is held back: the same choices as without an incumbent. */
TEST(infinite_share) {
    tvgp_policy *policy[2];
    for (int k = 0; k < 2; k++) {
        tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_categorical, ctx, 1, 0);
        policy[k] = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_indices(5), kernel);
    }
    ASSERT_OK(tvgp_policy_set_incumbent(policy[0], (const double[]){2}, INFINITY));
    ck_assert(isinf(harness_stat(policy[0], "incumbent.loss_left")));
    for (int t = 0; t < 40; t++) {
        const tvgp_query q = harness_ask(policy[0], t), want = harness_ask(policy[1], t);
        ck_assert_int_eq(q.arm, want.arm);
        ASSERT_OK(tvgp_policy_tell_value(policy[0], q.id, 0.5 * (double)(q.arm % 3)));
        ASSERT_OK(tvgp_policy_tell_value(policy[1], want.id, 0.5 * (double)(want.arm % 3)));
    }
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_incumbent(policy[0], (const double[]){2}, -0.1), "max_loss_share");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_incumbent(policy[0], (const double[]){2}, -INFINITY), "max_loss_share");
}

/* Independent arms: own choices pay 12 on average, with standard deviation 1, and the incumbent pays 10. */
TEST_EACH(known_advantage, 2) {
    enum { N = 400 };
    struct rnd r = {7};
    double sum = 0, squares = 0;
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_categorical, ctx, 1, 0);
    tvgp_policy *policy = harness_create("gp-ucb", harness_indices(3), kernel, _i ? "noise=1 sense=min" : "noise=1");
    const double sign = _i ? -1 : 1;
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 1, (const double[]){sign * 10}));
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){2}, 1e6));
    ck_assert_double_eq(harness_stat(policy, "incumbent.gain"), 0);
    ck_assert(isinf(harness_stat(policy, "incumbent.gain_error")));
    /* the posterior variance of the incumbent is 1 / (1 / 1 + 1 / 1e-4) */
    ASSERT_OK(tvgp_policy_tell(
        policy, 1, &(tvgp_obs){.y = sign * 10, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 1e-4},
        (const double[]){2}));
    for (int t = 0; t < N; t++) {
        const tvgp_query q = harness_ask(policy, t);
        const double y = 12 + rnd_normal(&r);
        ck_assert_int_ne(q.arm, 2);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sign * y));
        sum += y - 10;
        squares += (y - 10) * (y - 10);
    }
    const double mean = sum / N, error = sqrt((squares - N * mean * mean) / (N - 1) / N + 1 / 10001.0);
    ASSERT_NEAR(harness_stat(policy, "incumbent.gain"), mean, 1e-9);
    ASSERT_NEAR(harness_stat(policy, "incumbent.gain_error"), error, 1e-9);
    ck_assert_double_le(fabs(harness_stat(policy, "incumbent.gain") - 2), 3 * error);
    double m[3], v[3];
    ASSERT_OK(tvgp_policy_predict(policy, N - 1, 3, NULL, m, v));
    const size_t best = sign * m[1] > sign * m[0];
    ASSERT_NEAR(harness_stat(policy, "incumbent.possible_gain"), sign * (m[best] - m[2]), 1e-9);
    ASSERT_NEAR(harness_stat(policy, "incumbent.possible_gain_error"), sqrt(v[best] + v[2]), 1e-9);
}

/* What was asked before an incumbent was set does not count, whenever it is given; also in a copy. */
TEST(asked_before) {
    tvgp_query q[3];
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_categorical, ctx, 1, 0);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_indices(4), kernel);
    for (int i = 0; i < 3; i++)
        q[i] = harness_ask(policy, i);
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){3}, 10));
    tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, policy);
    for (int k = 0; k < 2; k++) {
        tvgp_policy *p = k ? copy : policy;
        ASSERT_OK(tvgp_policy_tell_value(p, q[0].id, -7));
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.id = q[1].id, .outcome = TVGP_FAILED}, NULL));
        ASSERT_OK(tvgp_policy_tell_value(p, q[2].id, 7));
        ck_assert_double_eq(harness_stat(p, "incumbent.loss"), 0);
        ck_assert_double_eq(harness_stat(p, "incumbent.loss_left"), 0);
    }
}

/* How probable the incumbent is, is known where nothing is drawn; of own choices always. */
TEST_EACH(propensity, 2) {
    int turns = 0, own = 0;
    tvgp_domain *domain = harness_indices(4);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_categorical, ctx, 1, 0);
    tvgp_policy *policy =
        harness_create("tv-gp-ucb", domain, kernel, _i ? "choice=thompson propensity.draws=16" : "epsilon=.1");
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 4, (const double[]){10, 10, 10, 10}));
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){2}, 0.05));
    for (int t = 0; t < 60; t++) {
        const tvgp_query q = harness_ask(policy, t);
        if (!_i)
            ck_assert_double_eq(q.propensity, 1);
        else if (q.arm == 2)
            ck_assert(q.propensity == 0 || q.propensity == 1);
        else
            ck_assert(q.propensity > 0 && q.propensity <= 1);
        turns += _i && q.arm == 2 && q.propensity == 0;
        own += q.arm != 2;
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 10));
    }
    ck_assert(own > 5 && (turns > 5 || !_i));
}

/* A max_loss_share that is never met changes nothing, and an incumbent that may not be asked holds nothing
 * back. */
TEST(where_it_does_not_matter) {
    uint8_t mask[ARMS];
    memset(mask, 1, sizeof mask);
    mask[12] = 0;
    tvgp_policy *free_one = policy_on("auto-gp-ucb", 0, -1, 0), *rich = policy_on("auto-gp-ucb", 0, 1e6, 0.4);
    tvgp_policy *poor = policy_on("auto-gp-ucb", 0, 0, 0.5), *masked = policy_on("auto-gp-ucb", 0, -1, 0);
    ASSERT_OK(tvgp_policy_set_available(poor, ARMS, mask));
    ASSERT_OK(tvgp_policy_set_available(masked, ARMS, mask));
    ASSERT_OK(tvgp_policy_set_prior_mean(rich, 1, (const double[]){5}));
    ASSERT_OK(tvgp_policy_set_prior_mean(free_one, 1, (const double[]){5}));
    for (int t = 0; t < 60; t++) {
        tvgp_policy *const all[] = {free_one, rich, poor, masked};
        int64_t arm[4];
        for (int i = 0; i < 4; i++) {
            const tvgp_query q = harness_ask(all[i], t);
            arm[i] = q.arm;
            ASSERT_OK(tvgp_policy_tell_value(all[i], q.id, 4 + cos((double)q.arm / 4)));
        }
        ck_assert_int_eq(arm[0], arm[1]);
        ck_assert_int_eq(arm[2], arm[3]);
    }
    ASSERT_NEAR(harness_stat(poor, "incumbent.asked"), 0, 0);
}

/* Where hours are contexts the incumbent is an action: its arm is that of the hour. */
TEST(in_contexts) {
    tvgp_query q;
    tvgp_domain *actions = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){5});
    tvgp_domain *hours = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){3});
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, hours);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", both, NULL);
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){1, 0.5}, 0));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(policy, 0, &q, NULL), "incumbent", "no context");
    for (int t = 0; t < 6; t++) {
        ASSERT_OK(tvgp_policy_set_context(policy, t % 3));
        q = harness_ask(policy, t);
        ck_assert_int_eq(q.arm, 4 * 3 + t % 3);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 7));
    }
}

/* ---- state ------------------------------------------------------------------------------------------------------ */

/* New arms change neither the incumbent nor what was spent. */
TEST(arms_that_come) {
    tvgp_domain *domain = harness_arms(3, 1, (const double[]){0, 0.5, 1});
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, domain, 2, (const double[]){1.5, 2});
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", domain, harness_se(1, 1, (const double[]){0.3}));
    ASSERT_OK(tvgp_policy_set_incumbent(policy, (const double[]){1}, 0));
    ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, 0).id, 5));
    const double left = harness_stat(policy, "incumbent.loss_left");
    ASSERT_OK(tvgp_policy_extend(policy, larger, NULL));
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), left, 0);
    ck_assert_int_eq(harness_ask(policy, 1).arm, 2);
}

/* ---- refused ---------------------------------------------------------------------------------------------------- */

static void refused_on(const char *name, const tvgp_domain *domain, tvgp_status status, const double *x,
                       double max_loss_share, const char *says) {
    size_t dim;
    ASSERT_OK(tvgp_domain_dim(domain, &dim));
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, harness_se(dim, 1, (const double[]){1}));
    ASSERT_FAILS(status, tvgp_policy_set_incumbent(policy, x, max_loss_share), says);
    ASSERT_NEAR(harness_stat(policy, "incumbent.loss_left"), 0, 0);
}

TEST(refused) {
    const double inside[] = {0.5, 0.5}, outside[] = {0.5, 1.5}, nan[] = {0.5, NAN};
    tvgp_domain *arms = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){3});
    tvgp_domain *box = harness_box(2, (const double[]){0, 0}, (const double[]){1, 1});
    tvgp_domain *measured = MAKE_DOMAIN(tvgp_domain_product, ctx, arms, box);
    refused_on("auto-gp-ucb", arms, TVGP_ERR_NOTFOUND, (const double[]){0.4}, 0.1, "0.4");
    refused_on("auto-gp-ucb", box, TVGP_ERR_NOTFOUND, outside, 0.1, "0.5");
    refused_on("auto-gp-ucb", box, TVGP_ERR_NONFINITE, nan, 0.1, "x[1]");
    refused_on("auto-gp-ucb", box, TVGP_ERR_ARG, inside, -0.1, "-0.1");
    refused_on("auto-gp-ucb", box, TVGP_ERR_NONFINITE, inside, NAN, "max_loss_share");
    refused_on("auto-gp-ucb", measured, TVGP_ERR_UNSUPPORTED, (const double[]){0.5, 0.5, 0.5}, 0.1, "contexts");
    refused_on("pe-gp-ucb", arms, TVGP_ERR_UNSUPPORTED, inside, 0.1, "priors");
    refused_on("random", arms, TVGP_ERR_UNSUPPORTED, inside, 0.1, "no model");
    ck_assert_int_eq(tvgp_policy_set_incumbent(NULL, inside, 0.1), TVGP_ERR_ARG);
}

int main(int argc, char **argv) {
    runs = argc > 1 ? atoi(argv[1]) : 0;
    if (runs > 0) {
        Suite *suite = suite_create("table");
        tcase_add_test(harness_case(suite, "table"), table);
        return harness_run(suite);
    }
    return HARNESS_RUN("incumbent", harness_setup, harness_teardown);
}
