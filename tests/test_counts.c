/* SPDX-License-Identifier: MIT */
/* Counts: a policy on rates makes the decisions of a twin that is given the matched observations, which this file computes by a sum
 * over a fine grid; and golden values of the match by adaptive quadrature. */
#include "harness.h"
#include "protocol/policy_ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 7 };
static const double low = 0, high = 1;

static double inverse(int binomial, double z) {
    return binomial ? 1 / (1 + exp(-z)) : exp(z);
}
static double potential(int binomial, double z) {
    return binomial ? (z > 0 ? z + log1p(exp(-z)) : log1p(exp(z))) : exp(z);
}
static double link_of(int binomial, double u) {
    return binomial ? log(u / (1 - u)) : log(u);
}

/* The normal observation that has the effect of a count. */
static void match(int binomial, double m, double v, double y, double exposure, double *z, double *noise) {
    enum { POINTS = 40001 };
    double sum[3] = {0}, most = -INFINITY, width = 24 * sqrt(v) / (POINTS - 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < POINTS; i++) {
            const double at = m + (i - POINTS / 2) * width;
            const double l = y * at - exposure * potential(binomial, at) - (at - m) * (at - m) / (2 * v);
            most = pass ? most : fmax(most, l);
            for (int k = 0; pass && k < 3; k++)
                sum[k] += exp(l - most) * (k == 0 ? 1 : k == 1 ? at - m : (at - m) * (at - m));
        }
    const double off = sum[1] / sum[0], v1 = sum[2] / sum[0] - off * off;
    *noise = 1 / (1 / v1 - 1 / v);
    *z = m + *noise * off / v1;
}

static tvgp_policy *make(int box, double variance, const char *options) {
    tvgp_domain *domain;
    if (box)
        domain = harness_box(1, &low, &high);
    else
        domain = harness_grid(1, &low, &high, (const size_t[]){ARMS});
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, variance, 1, (const double[]){0.3});
    tvgp_policy *p = harness_create("tv-gp-ucb", domain, kernel, "noise=0.3 epsilon=0.02");
    ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

/* ---- the match ------------------------------------------------------------------------------------------------------- */

static const struct {
    int binomial;
    double m, v, y, exposure, z, noise;
} golden[] = {{0, .2, .5, 3, 2, .30684152, .36800421},         {0, 0, 1, 0, 1, -1.7896300, 1.6393149},
              {0, 1, 4, 12000, 1000, 2.4848650, 8.3339384e-5}, {1, -2, 1, 3, 10, -.87316420, .61799486},
              {1, -3, .25, 0, 200, -5.0279853, .26904163},     {1, 0, 1, 1, 1, 2.4198900, 4.8558675}};
enum { GOLDEN = sizeof golden / sizeof *golden };

/* Moments of the twin that is given the golden observation. */
TEST_EACH(golden_matches, GOLDEN) {
    const int binomial = golden[_i].binomial;
    const double rate = inverse(binomial, golden[_i].m);
    tvgp_policy *p = make(0, golden[_i].v, binomial ? "outcome.type=binomial" : "outcome.type=poisson"),
                *twin = make(0, golden[_i].v, "");
    double x, m, v, mean, var, z, noise;
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &rate));
    ASSERT_OK(tvgp_policy_set_prior_mean(twin, 1, &golden[_i].m));
    tvgp_query q = harness_ask(p, 0), other = harness_ask(twin, 0);
    const tvgp_obs count = tvgp_obs_count(q.id, golden[_i].y, golden[_i].exposure);
    ASSERT_OK(tvgp_policy_tell(p, 1, &count, NULL));
    const tvgp_obs matched = {.id = other.id, .flags = TVGP_OBS_HAS_NOISE, .y = golden[_i].z, .noise_var = golden[_i].noise};
    ASSERT_OK(tvgp_policy_tell(twin, 1, &matched, NULL));
    x = (double)q.arm / (ARMS - 1);
    ASSERT_OK(tvgp_policy_predict(p, 0, 1, &x, &mean, &var));
    ASSERT_OK(tvgp_policy_predict(twin, 0, 1, &x, &m, &v));
    if (!binomial) {
        ASSERT_NEAR(mean / exp(m + v / 2), 1, 1e-5);
        ASSERT_NEAR(var / (expm1(v) * exp(2 * m + v)), 1, 1e-4);
    } else {
        double sum[3] = {0}; /* E p and E p^2 by a sum over a grid */
        for (double e = -8; e <= 8; e += 0.001) {
            const double w = exp(-e * e / 2), r = inverse(1, m + sqrt(v) * e);
            sum[0] += w;
            sum[1] += w * r;
            sum[2] += w * r * r;
        }
        mean -= sum[1] / sum[0];
        ck_assert(fabs(mean) < 1e-5 * sum[1] / sum[0]);
        ck_assert(fabs(var - (sum[2] / sum[0] - pow(sum[1] / sum[0], 2))) < 1e-4 * var);
    }
    match(binomial, golden[_i].m, golden[_i].v, golden[_i].y, golden[_i].exposure, &z,
          &noise); /* the reference of this file */
    ASSERT_NEAR(z / golden[_i].z, 1, 1e-5);
    ASSERT_NEAR(noise / golden[_i].noise, 1, 1e-5);
}

/* ---- a game ----------------------------------------------------------------------------------------------------------- */

typedef struct pair {
    int binomial;
    tvgp_policy *policy, *twin;
} pair;

static pair make_pair(int binomial, int box, const char *options) {
    char text[120];
    const double rate = 0.3, z = link_of(binomial, rate);
    const pair two = {binomial, make(box, 1, options), make(box, 1, options)};
    snprintf(text, sizeof text, "outcome.type=%s", binomial ? "binomial" : "poisson");
    ASSERT_OK(tvgp_policy_set(two.policy, text));
    ASSERT_OK(tvgp_policy_set_prior_mean(two.policy, 1, &rate));
    ASSERT_OK(tvgp_policy_set_prior_mean(two.twin, 1, &z));
    return two;
}

/* A count at x, at a time at which the twin had these moments. Returns the noise variance. */
static double tell(const pair *two, tvgp_obs obs, const double *x, double m, double v, int64_t twin_id) {
    tvgp_obs matched = {.id = twin_id, .flags = TVGP_OBS_HAS_NOISE | (obs.flags & TVGP_OBS_HAS_TIME), .t = obs.t};
    const double exposure = obs.flags & TVGP_OBS_HAS_EXPOSURE ? obs.exposure : 1;
    match(two->binomial, m, v, obs.y, exposure, &matched.y, &matched.noise_var);
    ASSERT_OK(tvgp_policy_tell(two->policy, 1, &obs, x));
    ASSERT_OK(tvgp_policy_tell(two->twin, 1, &matched, x));
    return matched.noise_var;
}

static double count_at(const pair *two, double x, int t, double exposure) {
    const double rate = inverse(two->binomial, -1 + sin(5 * x + 0.05 * t)),
                 count = floor(rate * exposure + 0.5 + 0.4 * sin(7 * t));
    return fmax(0, two->binomial ? fmin(count, exposure) : count);
}

/* Both likelihoods, arms and a box, both senses: outcomes of queries, and unsolicited ones. */
TEST_EACH(like_a_twin_with_matched_observations, 8) {
    const int binomial = _i % 2, box = _i / 2 % 2;
    const pair two = make_pair(binomial, box, _i / 4 ? "sense=min" : "");
    for (int t = 0; t < 40; t++) {
        double x, y, m, v;
        tvgp_query q, other;
        ASSERT_OK(tvgp_policy_ask_one(two.policy, t, &q, &x));
        ASSERT_OK(tvgp_policy_ask_one(two.twin, t, &other, &y));
        ASSERT_NEAR(x, y, 1e-4);
        ASSERT_NEAR(q.score / inverse(binomial, other.score), 1, 1e-4);
        ASSERT_OK(tvgp_policy_predict(two.twin, t, 1, &x, &m, &v));
        const double exposure = 1 + t % 5 * 3, at = 0.5;
        tell(&two, tvgp_obs_count(q.id, count_at(&two, x, t, exposure), exposure), NULL, m, v, other.id);
        if (t % 8 == 5) {
            ASSERT_OK(tvgp_policy_predict(two.twin, t + 0.5, 1, &at, &m, &v));
            tell(&two, tvgp_obs_unsolicited(t + 0.5, count_at(&two, at, t, 1)), &at, m, v, 0);
        }
    }
}

/* Unsolicited counts of one batch are matched each at its own point: the order of the records does not matter. */
TEST(batch_in_any_order) {
    tvgp_policy *p[2] = {make(1, 1, "outcome.type=poisson"), make(1, 1, "outcome.type=poisson")};
    const double x[2] = {0.2, 0.9}, turned[2] = {0.9, 0.2};
    const tvgp_obs obs[2] = {{.y = 2, .flags = TVGP_OBS_HAS_TIME, .t = 6}, {.y = 9, .flags = TVGP_OBS_HAS_TIME, .t = 6}};
    const tvgp_obs back[2] = {obs[1], obs[0]};
    double mean[2][2], var[2][2];
    for (int k = 0; k < 2; k++) {
        for (int t = 1; t <= 5; t++)
            ASSERT_OK(tvgp_policy_tell(p[k], 1, &(tvgp_obs){.y = 4 * t, .flags = TVGP_OBS_HAS_TIME, .t = t}, &low));
        ASSERT_OK(k ? tvgp_policy_tell(p[k], 2, back, turned) : tvgp_policy_tell(p[k], 2, obs, x));
        ASSERT_OK(tvgp_policy_predict(p[k], 6, 2, x, mean[k], var[k]));
    }
    ASSERT_ALL_NEAR(2, mean[0], mean[1], 1e-9);
    ASSERT_ALL_NEAR(2, var[0], var[1], 1e-9);
}

/* An outcome that comes 3 steps late is matched with the moments of its ask. */
TEST_EACH(late_outcomes, 2) {
    const pair two = make_pair(_i, 0, "");
    struct {
        int64_t id, other;
        double x, m, v;
    } late = {0};
    for (int t = 0; t < 40; t++) {
        const size_t arm = (size_t)(3 * t % ARMS);
        uint8_t mask[ARMS] = {0};
        double m, v, mean[2], var[2];
        mask[arm] = 1;
        ASSERT_OK(tvgp_policy_set_available(two.policy, ARMS, mask));
        ASSERT_OK(tvgp_policy_set_available(two.twin, ARMS, mask));
        const tvgp_query q = harness_ask(two.policy, t), other = harness_ask(two.twin, t);
        const double x = (double)arm / (ARMS - 1);
        ASSERT_OK(tvgp_policy_predict(two.twin, t, 1, &x, &m, &v));
        if (t % 8 == 2) {
            late.id = q.id;
            late.other = other.id;
            late.x = x;
            late.m = m;
            late.v = v;
        } else {
            tell(&two, tvgp_obs_count(q.id, count_at(&two, x, t, 5), 5), NULL, m, v, other.id);
        }
        if (t % 8 == 5)
            tell(&two, tvgp_obs_count(late.id, count_at(&two, late.x, t, 4), 4), NULL, late.m, late.v, late.other);
        ASSERT_OK(tvgp_policy_predict(two.policy, t + 1, 1, &late.x, &mean[0], &var[0]));
        ASSERT_OK(tvgp_policy_predict(two.twin, t + 1, 1, &late.x, &mean[1], &var[1]));
        if (!_i)
            ASSERT_NEAR(mean[0] / exp(mean[1] + var[1] / 2), 1, 1e-4);
        else
            ck_assert(fabs(mean[0] - inverse(1, mean[1])) < 0.1); /* the mean of the rate is near the rate of the mean */
    }
}

/* The noise variance of a pending query is the mean of the last 32. */
TEST(pending_queries_have_the_mean_noise) {
    const pair two = make_pair(0, 0, "");
    double kept[32] = {0};
    for (int t = 0; t < 50; t++) {
        double m, v, mean = 0;
        const tvgp_query q = harness_ask(two.policy, t), other = harness_ask(two.twin, t);
        const double x = (double)q.arm / (ARMS - 1);
        ASSERT_OK(tvgp_policy_predict(two.twin, t, 1, &x, &m, &v));
        for (int i = 0; i < 32; i++)
            mean += kept[i] / (t < 32 ? t : 32);
        if (t)
            ASSERT_NEAR(two.policy->tickets.list[two.policy->tickets.first].noise / mean, 1, 1e-4);
        kept[t % 32] = tell(&two, tvgp_obs_count(q.id, count_at(&two, x, t, 2 + t % 3), 2 + t % 3), NULL, m, v, other.id);
    }
}

/* Mean and variance of n counts in an exposure of 1 at this rate: one trial, or the arrivals of a Poisson process. */
static void simulate(int binomial, double rate, int n, double *mean, double *var) {
    struct rnd r = {9};
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++) {
        double count = 0;
        if (binomial)
            count = rnd_uniform(&r) < rate;
        else
            for (double at = -log1p(-rnd_uniform(&r)) / rate; at < 1; at -= log1p(-rnd_uniform(&r)) / rate)
                count++;
        sum += count;
        square += count * count;
    }
    *mean = sum / n;
    *var = square / n - *mean * *mean;
}

/* The noise variance of a query is the variance of simulated counts at the predicted rate, early and late, in both senses; a policy
 * without a model expects none. */
TEST_EACH(noise_of_a_query_is_that_of_simulated_counts, 8) {
    enum { N = 40000 };
    static const double rates[] = {0.1, 0.02, 0.7, 3};
    const int binomial = _i % 2;
    const double rate = rates[_i / 2 % (binomial ? 3 : 4)];
    tvgp_policy *p = make(0, 0.25, binomial ? "outcome.type=binomial" : "outcome.type=poisson");
    ASSERT_OK(tvgp_policy_set(p, _i % 3 ? "sense=max" : "sense=min"));
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &rate));
    for (int t = 0; t < 30; t++) {
        double predicted[ARMS], var[ARMS], mean, simulated;
        ASSERT_OK(tvgp_policy_predict(p, t, ARMS, NULL, predicted, var));
        const tvgp_query q = harness_ask(p, t);
        ASSERT_NEAR(q.noise_var / (predicted[q.arm] * (binomial ? 1 - predicted[q.arm] : 1)), 1, 1e-9);
        if (t % 10 == 0) {
            simulate(binomial, predicted[q.arm], N, &mean, &simulated);
            ck_assert_msg(fabs(q.noise_var / simulated - 1) < 0.25, "rate %g: %g, simulated %g", rate, q.noise_var,
                          simulated);
        }
        const tvgp_obs o = tvgp_obs_count(q.id, floor(rate * 100 + 0.5), 100);
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, NULL));
    }
}

/* The same with default settings, and of a policy without a model. */
TEST_EACH(noise_with_default_settings, 2) {
    const char *type = _i % 2 ? "outcome.type=binomial" : "outcome.type=poisson";
    tvgp_policy *p[2];
    tvgp_query q[2];
    const char *const name[] = {"auto-gp-ucb", "random"};
    for (int k = 0; k < 2; k++) {
        p[k] = MAKE_POLICY(tvgp_policy_create, ctx, name[k], harness_indices(3), NULL);
        ASSERT_OK(tvgp_policy_set(p[k], type));
        for (int t = 0; t < 200; t++) {
            q[k] = harness_ask(p[k], t);
            const tvgp_obs o = tvgp_obs_count(q[k].id, t % 10 == 0 ? 11 : 10, 100);
            ASSERT_OK(tvgp_policy_tell(p[k], 1, &o, NULL));
        }
    }
    ck_assert_msg(q[0].noise_var > 0.08 && q[0].noise_var < 0.13, "%g", q[0].noise_var);
    ck_assert(q[1].noise_var == 0);
}

/* Where it is known what the rate is, counts change nothing; no count is too large or too rare. */
TEST(extreme_counts) {
    static const double counts[][2] = {{0, 1e-90}, {1e90, 1e-5}, {0, 1e90}, {1, 1}, {1e15, 1e15}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        tvgp_policy *p = make(0, 1, "outcome.type=poisson");
        const tvgp_query q = harness_ask(p, 0);
        const tvgp_obs obs = tvgp_obs_count(q.id, counts[k][0], counts[k][1]);
        double mean[ARMS], var[ARMS];
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        ASSERT_OK(tvgp_policy_predict(p, 1, ARMS, NULL, mean, var));
        for (size_t a = 0; a < ARMS; a++)
            ck_assert(isfinite(mean[a]) && isfinite(var[a]) && var[a] >= 0);
        tvgp_policy *uniform = MAKE_POLICY(tvgp_policy_create, ctx, "random", MAKE_DOMAIN(tvgp_policy_domain, p), NULL);
        ASSERT_OK(tvgp_policy_set_str(uniform, "outcome.type", "poisson"));
        const tvgp_obs blind = tvgp_obs_count(harness_ask(uniform, 0).id, counts[k][0], counts[k][1]);
        ASSERT_OK(tvgp_policy_tell(uniform, 1, &blind, NULL));
    }
}

/* ---- constraints, copies ---------------------------------------------------------------------------------------------- */

/* The constraint bounds a rate; its outcomes are counts. */
TEST(constraint_on_a_rate) {
    tvgp_policy *reward = make(0, 1, ""), *failures = make(0, 1, "outcome.type=poisson");
    const double rate = 0.5, safe = 0;
    double risk[ARMS], X[ARMS];
    ASSERT_OK(tvgp_policy_set_prior_mean(failures, 1, &rate));
    ASSERT_OK(tvgp_policy_add_constraint(reward, failures, TVGP_AT_MOST | TVGP_OF_MEAN, 2));
    ASSERT_OK(tvgp_policy_set_safe(reward, 1, &safe));
    for (int t = 0; t < 60; t++) {
        const tvgp_query q = harness_ask(reward, t);
        tvgp_obs obs[2] = {tvgp_obs_value(q.id, 0.1 * (double)q.arm), tvgp_obs_count(q.id, q.arm > 3 ? 40 : 2, 10)};
        obs[1].output = 1;
        ASSERT_OK(tvgp_policy_tell(reward, 2, obs, NULL));
    }
    for (size_t a = 0; a < ARMS; a++)
        X[a] = (double)a / (ARMS - 1);
    ASSERT_OK(harness_risks(reward, 60, ARMS, X, risk));
    ck_assert(risk[1] < 0.05 && risk[ARMS - 1] > 0.2);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------------- */

TEST(refuses_by_name_and_value) {
    tvgp_policy *p = make(0, 1, "outcome.type=binomial"), *plain = make(0, 1, ""),
                *robust = make(0, 1, "outcome.type=poisson"), *held = make(0, 1, "outcome.type=poisson");
    const double mean = 1.5, x = 0.5;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_prior_mean(p, 1, &mean), "mean[0]", "1.5", "binomial");
    tvgp_query q = harness_ask(p, 0);
    tvgp_obs obs = tvgp_obs_count(q.id, -1, 5);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].y", "-1", ">= 0");
    obs = tvgp_obs_count(q.id, 6, 5);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].y", "6", "exposure 5");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell_value(p, q.id, 0.12), "obs[0].y = 0.12 must be a whole number", "binomial");
    obs = tvgp_obs_count(q.id, 0, 0);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].exposure", "> 0");
    obs = tvgp_obs_count(q.id, 0, INFINITY);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].exposure");
    obs = tvgp_obs_count(q.id, 1, 5);
    obs.flags |= TVGP_OBS_HAS_NOISE;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "noise variance (1)", "binomial");
    obs.flags = 128;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "128", "beyond 127");
    obs = tvgp_obs_count(harness_ask(plain, 0).id, 1, 5);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(plain, 1, &obs, NULL), "exposure (4)", "normal");
    ASSERT_OK(tvgp_policy_set_f64(robust, "outlier.sd", 3));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(robust, 0, &q, NULL), "outlier.sd", "poisson");
    ASSERT_OK(tvgp_policy_set_incumbent(held, &x, 0.1));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(held, 0, &q, NULL), "max_loss_share = 0.1", "poisson");
    ASSERT_OK(tvgp_policy_set_incumbent(held, &x, INFINITY));
    ASSERT_OK(tvgp_policy_set_f64(held, "holdout.share", 0.2));
    ASSERT_OK(tvgp_policy_ask_one(held, 0, &q, NULL));
}

TEST(refuses_side_queries_and_history) {
    tvgp_query q;
    double values[2 * ARMS] = {0};
    tvgp_domain *domain = harness_indices(ARMS);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "sparq-gp-ucb", domain, NULL);
    ASSERT_OK(tvgp_policy_set_str(p, "outcome.type", "poisson"));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, NULL), "sparq-gp-ucb", "poisson", "side queries");
    p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL);
    ASSERT_OK(tvgp_policy_set_str(p, "outcome.type", "poisson"));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_learn_history_table(p, 2, NULL, values), "counts", "outcome.type");
}

HARNESS_MAIN("counts")
