/* SPDX-License-Identifier: MIT */
/* bkb: golden runs with given uniform numbers, its relation to gp-ucb, the theorem it rests on, and its options. */
#include "cases.h"
#include "golden/golden_bkb.h"
#include "policy/bkb.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 12, ARMS = SIDE * SIDE };

/* A side x side grid of the unit square with an SE kernel; X may be NULL. */
static tvgp_policy *create_on(size_t side, double lengthscale, const char *name, double noise, double *X) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points[] = {side, side};
    tvgp_domain *domain = harness_grid(2, lower, upper, points);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, harness_se(2, 1, &lengthscale));
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", noise));
    if (strcmp(name, "bkb") == 0) /* it is the dictionary that is tested */
        ASSERT_OK(tvgp_policy_set_str(policy, "dictionary.exact", "off"));
    for (size_t i = 0; X && i < side * side; i++)
        ASSERT_OK(tvgp_domain_point(domain, (int64_t)i, X + 2 * i));
    return policy;
}

static tvgp_policy *create(const char *name, double noise, double *X) {
    return create_on(SIDE, 0.2, name, noise, X);
}

static double value(const double *x, struct rnd *rnd) {
    return sin(6 * x[0]) * cos(4 * x[1]) + 0.1 * rnd_normal(rnd);
}

static int64_t step(tvgp_policy *policy, double t, struct rnd *rnd) {
    double x[2];
    tvgp_query q = harness_ask_at(policy, t, x);
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, value(x, rnd)));
    return q.arm;
}

/* ---- golden ----------------------------------------------------------------------------------------------------- */

static double given(void *user, uint64_t dictionary, size_t pull) {
    (void)user;
    return golden_bkb_uniform[dictionary][pull];
}

TEST_EACH(golden, 2) {
    static const struct {
        double qbar;
        const struct golden_bkb_step *steps;
    } runs[] = {{2, golden_bkb_qbar_2}, {6, golden_bkb_qbar_6}};
    const double lambda = 0.02;
    uint8_t only[GOLDEN_BKB_ARMS] = {0};
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, GOLDEN_BKB_ARMS, golden_bkb_k);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "bkb", harness_indices(GOLDEN_BKB_ARMS), kernel);
    ASSERT_OK(tvgp_policy_set_f64(policy, "lambda", lambda));
    ASSERT_OK(tvgp_policy_set(policy, "dictionary.exact=off width.subgauss=0.1414 width.bound=2"));
    ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", runs[_i].qbar));
    tvgp__bkb_feed(policy, given, NULL);
    only[7] = 1;
    ASSERT_OK(tvgp_policy_set_available(policy, GOLDEN_BKB_ARMS, only));
    tvgp_query q = harness_ask(policy, 1);
    ck_assert_int_eq(q.arm, 7);
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, golden_bkb_f[7]));
    ASSERT_OK(tvgp_policy_set_available(policy, 0, NULL));
    for (size_t i = 0; i < sizeof golden_bkb_qbar_2 / sizeof *golden_bkb_qbar_2; i++) {
        const struct golden_bkb_step *g = &runs[_i].steps[i];
        ASSERT_OK(tvgp_policy_ask_one(policy, (double)i + 2, &q, NULL));
        ck_assert_int_eq(q.arm, g->arm);
        ASSERT_NEAR(harness_stat(policy, "mean"), g->mean, 1e-9);
        ASSERT_NEAR(harness_stat(policy, "sd"), sqrt(g->var * lambda), 1e-9);
        ASSERT_NEAR(harness_stat(policy, "width"), g->width / sqrt(lambda), 1e-9);
        ASSERT_NEAR(q.score, g->mean + g->width * sqrt(g->var), 1e-9);
        ck_assert_double_eq(golden_bkb_f[g->arm], g->y);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, g->y));
        ck_assert_double_eq(harness_stat(policy, "dictionary.size"), g->distinct);
    }
}

TEST(theoretical_qbar) {
    tvgp_policy *policy = create("bkb", 0.01, NULL);
    ASSERT_OK(tvgp_policy_set_i64(policy, "horizon", 100));
    ASSERT_NEAR(harness_stat(policy, "qbar"), 597.171574087346, 1e-12); /* golden: accuracy 0.5, T = 100, delta 0.1 */
}

/* ---- the posterior ---------------------------------------------------------------------------------------------- */

/* With every pull in the dictionary the predictions are gp-ucb's, at arms and between them. */
TEST(large_qbar_is_exact) {
    double X[2 * ARMS];
    struct rnd rnd = {1};
    tvgp_policy *bkb = create("bkb", 0.01, X), *exact = create("gp-ucb", 0.01, NULL);
    ASSERT_OK(tvgp_policy_set_f64(bkb, "qbar", 1e12));
    for (size_t t = 1; t <= (harness_all() ? 300 : 150); t++) {
        double x[2];
        tvgp_query q = harness_ask_at(bkb, (double)t, x);
        const tvgp_obs o = {.y = value(x, &rnd), .flags = TVGP_OBS_HAS_TIME, .t = (double)t};
        ASSERT_OK(tvgp_policy_tell_value(bkb, q.id, o.y));
        ASSERT_OK(tvgp_policy_tell(exact, 1, &o, x));
        if (t % 6)
            continue;
        double Z[2 * ARMS]; /* arms and points between them in turn */
        for (size_t i = 0; i < 2 * ARMS; i++)
            Z[i] = X[i] + (i % 4 < 2 ? 0.03 : 0);
        ASSERT_SAME_PREDICTIONS(bkb, exact, (double)t, ARMS, Z, 1e-8);
    }
    ck_assert_double_eq(harness_stat(bkb, "dictionary.size"), harness_stat(bkb, "distinct"));
    ASSERT_NEAR(harness_stat(bkb, "log_marginal_likelihood"), harness_stat(exact, "log_marginal_likelihood"), 1e-6);
}

/* Calandriello et al. 2019, thm 1: with the theoretical qbar var / alpha <= var~ <= alpha var at all arms and
 * |S| <= 3 (1 + kappa^2 / lambda) alpha qbar d_eff. Two places where arms leave the dictionary, most of them pulled once or
 * twice: thousands of pulls that tell nearly the same, and noise so strong that the bound on |S| is
 * below the number of distinct arms. */
struct place {
    size_t side, hubs, pulls, batches;
    double lengthscale, lambda;
};
static const struct place crowded = {.side = 10, .hubs = 8, .pulls = 8000, .batches = 8, .lengthscale = 0.7, .lambda = 800};
static const struct place noisy = {.side = 14, .hubs = 0, .pulls = 300, .batches = 3, .lengthscale = 0.7, .lambda = 15000};

enum { MAX_ARMS = 14 * 14, MAX_PULLS = 8000, SINGLE = 3 };

struct theorem {
    const struct place *place;
    tvgp_policy *policy;
    double X[2 * MAX_ARMS];
    size_t arms, pulled[MAX_ARMS];
    double lowest, highest; /* of var~ / var */
    double dimension;       /* sum over pulls of var / lambda */
};

/* Every arm once or twice at random times, the hubs at all others. */
static void fill(const struct theorem *c, struct rnd *rnd, size_t *arm) {
    const struct place *p = c->place;
    for (size_t i = 0; i < p->pulls; i++)
        arm[i] = p->hubs ? rnd_below(rnd, p->hubs) * (c->arms / p->hubs) : rnd_below(rnd, c->arms);
    for (size_t i = 0; i < c->arms; i++)
        arm[rnd_below(rnd, p->pulls)] = i;
}

static void tell(struct theorem *c, size_t n, const size_t *arm) {
    tvgp_obs *o = calloc(n, sizeof *o);
    double *x = calloc(2 * n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        o[i] = (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 1};
        memcpy(x + 2 * i, c->X + 2 * arm[i], 2 * sizeof *x);
        c->pulled[arm[i]]++;
    }
    ASSERT_OK(tvgp_policy_tell(c->policy, n, o, x));
    free(o);
    free(x);
}

/* Against the exact posterior; n pulls of an arm are one of noise lambda / n. */
static void compare(struct theorem *c) {
    const struct place *p = c->place;
    const struct ref_kernel kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {p->lengthscale, p->lengthscale}};
    double mean[MAX_ARMS], var[MAX_ARMS], exact_var[MAX_ARMS];
    struct ref_gp exact;
    ref_gp_init(&exact, &kernel, 0, MAX_ARMS);
    for (size_t i = 0; i < c->arms; i++)
        if (c->pulled[i])
            ref_gp_add(&exact, c->X + 2 * i, 0, 0, p->lambda / (double)c->pulled[i]);
    ref_gp_predict(&exact, c->arms, c->X, 0, mean, exact_var);
    ASSERT_OK(tvgp_policy_predict(c->policy, 1, c->arms, c->X, mean, var));
    c->lowest = INFINITY;
    c->highest = c->dimension = 0;
    for (size_t i = 0; i < c->arms; i++) {
        c->lowest = fmin(c->lowest, var[i] / exact_var[i]);
        c->highest = fmax(c->highest, var[i] / exact_var[i]);
        c->dimension += (double)c->pulled[i] * exact_var[i] / p->lambda;
    }
    ref_gp_free(&exact);
}

static void open_theorem(struct theorem *c, const struct place *place, int seed, double qbar) {
    *c = (struct theorem){.place = place, .arms = place->side * place->side};
    c->policy = create_on(place->side, place->lengthscale, "bkb", place->lambda, c->X);
    ASSERT_OK(tvgp_policy_set_i64(c->policy, "horizon", (int64_t)place->pulls + SINGLE));
    ASSERT_OK(tvgp_policy_set_i64(c->policy, "seed", seed));
    ASSERT_OK(tvgp_policy_set_f64(c->policy, "qbar", qbar));
}

TEST_EACH(theorem, 100) { /* 50 runs in each place */
    const double alpha = 3;
    const struct place *places[] = {&crowded, &noisy}, *place = places[_i % 2];
    static size_t arm[MAX_PULLS];
    struct theorem c;
    struct rnd rnd = {(uint64_t)_i + 1};
    open_theorem(&c, place, _i, 0);
    fill(&c, &rnd, arm);
    const size_t batch = place->pulls / place->batches;
    for (size_t i = 0; i < place->batches + SINGLE; i++) {
        const int single = i >= place->batches;
        if (single)
            tell(&c, 1, &arm[i]);
        else
            tell(&c, batch, arm + i * batch);
        if (i + 1 < place->batches / 2)
            continue;
        compare(&c);
        ck_assert_double_ge(c.lowest, 1 / alpha);
        ck_assert_double_le(c.highest, alpha);
        if (!single) /* the bound on |S| counts on draws at every step */
            continue;
        const double bound = 3 * (1 + 1 / place->lambda) * alpha * harness_stat(c.policy, "qbar") * c.dimension;
        ck_assert_double_le(harness_stat(c.policy, "dictionary.size"), bound);
        ck_assert_double_lt(harness_stat(c.policy, "dictionary.size"), 0.8 * harness_stat(c.policy, "distinct"));
        if (place == &noisy)
            ck_assert_double_lt(bound, harness_stat(c.policy, "distinct"));
    }
    tvgp_policy_destroy(c.policy);
}

/* The inequalities above are not true of any dictionary: with the last pull alone they fail. */
TEST(theorem_needs_dictionary) {
    static size_t arm[MAX_PULLS];
    struct theorem c;
    struct rnd rnd = {1};
    open_theorem(&c, &crowded, 1, 1e-12);
    fill(&c, &rnd, arm);
    tell(&c, crowded.pulls, arm);
    compare(&c);
    ck_assert_double_gt(c.highest, 3);
}

/* ---- dictionaries ----------------------------------------------------------------------------------------------- */

/* The mean size of the next dictionary over seeds against its expectation, for the same data: an arm with n pulls stays
 * with probability 1 - (1 - p)^n. */
TEST(inclusion) {
    enum { SEEDS = 150, TOLD = 60, PLACES = 15 };
    const double noise = 0.05, qbar = 0.5;
    double X[2 * ARMS], var[PLACES], Z[2 * PLACES], expected = 0, spread = 0, sum = 0;
    for (int seed = 0; seed <= SEEDS; seed++) {
        struct rnd rnd = {3};
        tvgp_policy *policy = create("bkb", noise, X);
        ASSERT_OK(tvgp_policy_set_i64(policy, "seed", seed));
        ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", 1e9));
        size_t count[PLACES] = {0};
        tvgp_obs o[TOLD];
        double x[2 * TOLD];
        for (size_t i = 0; i < TOLD; i++) {
            size_t place = rnd_below(&rnd, PLACES);
            count[place]++;
            memcpy(x + 2 * i, X + 2 * (9 * place), 2 * sizeof *x);
            memcpy(Z + 2 * place, x + 2 * i, 2 * sizeof *x);
            o[i] = (tvgp_obs){.y = value(x + 2 * i, &rnd), .flags = TVGP_OBS_HAS_TIME, .t = 1};
        }
        ASSERT_OK(tvgp_policy_tell(policy, TOLD, o, x)); /* all of them are in the dictionary */
        ck_assert_double_eq(harness_stat(policy, "dictionary.size"), harness_stat(policy, "distinct"));
        ASSERT_OK(tvgp_policy_predict(policy, 1, PLACES, Z, &(double[PLACES]){0}[0], var));
        tvgp_policy_destroy(policy);

        policy = create("bkb", noise, NULL); /* the same, but with uniform numbers against a small qbar */
        ASSERT_OK(tvgp_policy_set_i64(policy, "seed", seed));
        ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", qbar));
        ASSERT_OK(tvgp_policy_tell(policy, TOLD, o, x)); /* prior variances: qbar / noise > 1 keeps all */
        ck_assert_double_eq(harness_stat(policy, "dictionary.size"), harness_stat(policy, "distinct"));
        const tvgp_obs far = {.y = 0,
                              .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME,
                              .t = 1,
                              .noise_var = 1e6}; /* says nothing, but draws again */
        ASSERT_OK(tvgp_policy_tell(policy, 1, &far, X + 2 * (ARMS - 1)));
        if (seed)
            sum += harness_stat(policy, "dictionary.size");
        for (size_t i = 0; !seed && i < PLACES; i++) {
            double p = fmin(1, qbar * var[i] / noise), n = (double)count[i];
            double in = 1 - pow(1 - p, n);
            expected += in;
            spread += in * (1 - in);
        }
    }
    ck_assert_double_gt(spread, 1); /* something is left to chance */
    ck_assert_double_lt(fabs(sum / SEEDS - expected), 4 * sqrt(spread / SEEDS) + 1e-6);
}

/* Draws depend on seed, step and pull only: questions in between change nothing, another seed does. */
TEST(draws) {
    double X[2 * ARMS], mean[ARMS], var[ARMS];
    int64_t arm[3][60];
    for (int run = 0; run < 3; run++) {
        struct rnd rnd = {4};
        tvgp_policy *policy = create("bkb", 0.05, X);
        ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", 1));
        ASSERT_OK(tvgp_policy_set_i64(policy, "seed", run == 2));
        for (int t = 0; t < 60; t++) {
            arm[run][t] = step(policy, t, &rnd);
            if (run == 1) {
                ASSERT_OK(tvgp_policy_predict(policy, t, ARMS, X, mean, var));
                ASSERT_OK(tvgp_policy_best(policy, t, &(int64_t){0}, NULL));
            }
        }
        ck_assert_double_eq(harness_stat(policy, "dictionary.draws"), 60);
        ck_assert_double_lt(harness_stat(policy, "dictionary.size"), harness_stat(policy, "distinct"));
    }
    ck_assert_mem_eq(arm[0], arm[1], sizeof arm[0]);
    ck_assert_mem_ne(arm[0], arm[2], sizeof arm[0]);
}

/* A batch of 10,000 pulls of 144 arms needs room for as many pulls and for 144 members, not for 10,000, which is gigabytes. */
TEST(large_batch) {
    enum { PULLS = 10000 };
    static tvgp_obs o[PULLS];
    static double x[2 * PULLS];
    double X[2 * ARMS];
    size_t before, after;
    tvgp_policy *policy = create("bkb", 0.01, X);
    for (size_t i = 0; i < PULLS; i++) {
        o[i] = (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 1};
        memcpy(x + 2 * i, X + 2 * (i % ARMS), 2 * sizeof *x);
    }
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    ASSERT_OK(tvgp_policy_tell(policy, PULLS, o, x));
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    ck_assert_uint_lt(after - before, 16000000);
    ck_assert_double_eq(harness_stat(policy, "dictionary.size"), ARMS);
}

/* qbar almost 0: what stays is the last pull. */
TEST(never_empty) {
    struct rnd rnd = {4};
    tvgp_policy *policy = create("bkb", 0.01, NULL);
    ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", 1e-12));
    for (int t = 0; t < 20; t++) {
        step(policy, t, &rnd);
        ck_assert_double_eq(harness_stat(policy, "dictionary.size"), 1);
        ck_assert_double_eq(harness_stat(policy, "rank"), 1);
    }
}

/* The rule of update.growth, followed from outside by predictions right after each draw. */
TEST(growth) {
    const double noise = 0.05, limit = 4;
    double X[2 * ARMS], mean[ARMS], var[ARMS], sum = 1, drawn = 0;
    struct rnd rnd = {4};
    tvgp_policy *policy = create("bkb", noise, X);
    ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", 3));
    ASSERT_OK(tvgp_policy_set_f64(policy, "update.growth", limit));
    for (int t = 0; t < 150; t++) {
        int64_t arm = step(policy, t, &rnd);
        if (t)
            sum += var[arm] / noise;
        if (!t || sum >= limit) {
            drawn++;
            sum = 1;
            ASSERT_OK(tvgp_policy_predict(policy, t, ARMS, X, mean, var));
        }
        ck_assert_double_eq(harness_stat(policy, "dictionary.draws"), drawn);
    }
    ck_assert_double_lt(drawn, 100);
    ck_assert_double_eq(harness_stat(policy, "observations"), 150);
}

/* ---- forgetting ------------------------------------------------------------------------------------------------- */

TEST_EACH(window, 2) {
    enum { WINDOW = 20 };
    double X[2 * ARMS], mean[ARMS], var[ARMS], want_mean, want_var;
    struct rnd rnd = {4};
    const struct ref_kernel kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.2, 0.2}};
    struct ref_gp exact;
    ref_gp_init(&exact, &kernel, 0, 60);
    tvgp_policy *policy = create("bkb", 0.01, X);
    ASSERT_OK(tvgp_policy_set_f64(policy, "qbar", 1e12));
    ASSERT_OK(tvgp_policy_set_f64(policy, "update.growth", _i ? 1e9 : 1));
    ASSERT_OK(tvgp_policy_set_i64(policy, "window", WINDOW));
    for (int t = 0; t < 50; t++) {
        double x[2];
        tvgp_query q = harness_ask_at(policy, t, x);
        double y = value(x, &rnd);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        ref_gp_add(&exact, x, t, y, 0.01);
    }
    ref_gp_drop(&exact, 50 - WINDOW);
    ck_assert_double_eq(harness_stat(policy, "observations"), WINDOW);
    ASSERT_OK(tvgp_policy_predict(policy, 50, ARMS, X, mean, var));
    for (size_t i = 0; i < ARMS; i++) {
        ref_gp_predict(&exact, 1, X + 2 * i, 50, &want_mean, &want_var);
        ASSERT_NEAR(mean[i], want_mean, 1e-8);
        ASSERT_NEAR(var[i], want_var, 1e-8);
    }
    ref_gp_free(&exact);
}

TEST(reset_every) {
    struct rnd rnd = {4};
    tvgp_policy *policy = create("bkb", 0.01, NULL);
    ASSERT_OK(tvgp_policy_set_i64(policy, "reset.every", 10));
    for (int t = 0; t < 35; t++)
        step(policy, t, &rnd);
    ck_assert_double_eq(harness_stat(policy, "resets"), 3);
    ck_assert_double_eq(harness_stat(policy, "observations"), 5);
}

TEST_EACH(refuses_kernels_over_time, 2) {
    const double lower = 0, upper = 1;
    const size_t points = 5;
    tvgp_kernel *kernel;
    tvgp_query q;
    tvgp_domain *domain = harness_grid(1, &lower, &upper, &points);
    if (_i)
        kernel = MAKE_KERNEL(tvgp_kernel_wiener, ctx, 0.1, 0);
    else
        kernel = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.1);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "bkb", domain, kernel);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(policy, 1, &q, NULL), "bkb", "window", "reset.every");
}

/* The first arm: every one of four available arms comes up over the seeds, no other does. */
TEST(first_arm) {
    uint8_t mask[ARMS] = {0};
    size_t seen[ARMS] = {0};
    for (size_t i = 0; i < 4; i++)
        mask[30 * i] = 1;
    for (int seed = 0; seed < 200; seed++) {
        tvgp_policy *policy = create("bkb", 0.01, NULL);
        ASSERT_OK(tvgp_policy_set_i64(policy, "seed", seed));
        ASSERT_OK(tvgp_policy_set_available(policy, ARMS, mask));
        tvgp_query q = harness_ask(policy, 1);
        seen[q.arm]++;
    }
    for (size_t i = 0; i < ARMS; i++)
        ck_assert_msg(mask[i] ? seen[i] > 25 : seen[i] == 0, "arm %zu came up %zu times", i, seen[i]);
}

/* ---- the exact posterior ---------------------------------------------------------------------------------------- */

static double always(void *user, uint64_t dictionary, size_t pull) {
    (void)user;
    (void)dictionary;
    (void)pull;
    return 0;
}

static void assert_same(tvgp_policy *bkb, tvgp_policy *exact, double t, const double *X) {
    ASSERT_SAME_PREDICTIONS(bkb, exact, t, ARMS, X, 1e-8);
}

/* dictionary.exact=auto is gp-ucb's posterior with bkb's width, also with actions pending and after a reset; a dictionary comes once it
 * is cheaper (here all pulls enter it, so that it says the same), and knows everything told before. */
TEST_EACH(exact_while_cheaper, 4) {
    const double noise = _i % 2 ? 0.01 : 20;
    const int resets = _i / 2;
    double X[2 * ARMS], x[2];
    struct rnd rnd = {3};
    tvgp_policy *bkb = create("bkb", noise, X), *exact = create(resets ? "br-gp-ucb" : "gp-ucb", noise, NULL);
    ASSERT_OK(tvgp_policy_set_str(bkb, "dictionary.exact", "auto"));
    ASSERT_OK(tvgp_policy_set_f64(bkb, "qbar", noise > 1 ? 0.2 : 1e12));
    if (resets) {
        ASSERT_OK(tvgp_policy_set_i64(bkb, "reset.every", 30));
        ASSERT_OK(tvgp_policy_set_i64(exact, "reset.every", 30));
    }
    tvgp__bkb_feed(bkb, always, NULL);
    double before = 1;
    size_t kept = 0;
    for (size_t t = 1; t <= 100; t++) {
        tvgp_query q[2], other;
        ASSERT_OK(tvgp_policy_ask_one(bkb, (double)t, &q[0], x));
        ASSERT_OK(tvgp_policy_ask_one(exact, (double)t, &other, NULL));
        tvgp_obs o = {.y = value(x, &rnd), .flags = TVGP_OBS_HAS_TIME, .t = (double)t};
        if (t % 7 == 0) { /* a second action while the first is pending */
            ASSERT_OK(tvgp_policy_ask_one(bkb, (double)t, &q[1], NULL));
            ASSERT_OK(tvgp_policy_ask_one(exact, (double)t, &other, NULL));
            ck_assert(q[1].arm != q[0].arm || noise > 1);
        }
        ASSERT_OK(tvgp_policy_tell_value(bkb, q[0].id, o.y));
        ASSERT_OK(tvgp_policy_tell(exact, 1, &o, x));
        assert_same(bkb, exact, (double)t, X);
        double now = harness_stat(bkb, "posterior.exact");
        ck_assert_double_le(now, before); /* and does not come back */
        before = now;
        kept += now > 0;
        ASSERT_NEAR(harness_stat(bkb, "observations"), harness_stat(exact, "observations"), 0);
        if (now > 0)
            ck_assert_double_eq(harness_stat(bkb, "dictionary.size"), harness_stat(bkb, "distinct"));
    }
    ck_assert_uint_ge(kept, 1);
    ck_assert_uint_eq(kept == 100, noise < 1); /* with little noise all pulls would be in the dictionary */
}

int main(void) {
    golden_read_bkb();
    return HARNESS_RUN("bkb", harness_setup, harness_teardown);
}
