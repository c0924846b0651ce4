/* SPDX-License-Identifier: MIT */
/* Policies with several priors: the posterior equals dense posteriors mixed by their marginal likelihood, equal priors are no prior
 * at all, priors come late, die, and are asked for things that cannot be. */
#include "cases.h"
#include "policy/priors/multi_prior_ucb.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = CASES_ARMS, PRIORS = 3, FAMILY = 4 };
static const char *const family[FAMILY] = {"pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};
static const double epsilons[PRIORS] = {0, 0.05, 0.3};
static const double noise = 0.01;                                       /* the default */
static const double told_weights[PRIORS] = {0.2, 5, 1}, *prior_weights; /* NULL: all equal */

static double X[ARMS * 2], means[PRIORS][ARMS];
static tvgp_kernel *kernels[PRIORS];

static void setup(void) {
    struct rnd r = {12};
    harness_setup();
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    for (size_t i = 0; i < PRIORS; i++) {
        kernels[i] = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(i));
        rnd_fill(&r, ARMS, means[i]);
    }
}

static void teardown(void) {
    for (size_t i = 0; i < PRIORS; i++)
        tvgp_kernel_destroy(kernels[i]);
    harness_teardown();
}

static tvgp_policy *open_policy(const char *name) {
    return MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
}

static void add_prior(tvgp_policy *policy, size_t i) {
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[i], i == 0 ? 0 : ARMS, i == 0 ? NULL : means[i], epsilons[i]));
}

static double stat(const tvgp_policy *policy, const char *series, int i) {
    char key[64];
    double value;
    snprintf(key, sizeof key, i < 0 ? "%s" : "%s.%d", series, i);
    ASSERT_OK(tvgp_policy_stat(policy, key, &value));
    return value;
}

static tvgp_query step(tvgp_policy *policy, double t, double y) {
    tvgp_query q = harness_ask(policy, t);
    ck_assert(isfinite(q.score));
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
    return q;
}

/* ---- posteriors ---------------------------------------------------------------------------------------------------- */

/* A dense posterior of each prior. */
struct reference {
    struct ref_gp gp[PRIORS];
};

static void ref_open(struct reference *ref) {
    for (size_t i = 0; i < PRIORS; i++)
        ref_gp_init(&ref->gp[i], cases_kernel_at(i), epsilons[i], 200);
}

static void ref_close(struct reference *ref) {
    for (size_t i = 0; i < PRIORS; i++)
        ref_gp_free(&ref->gp[i]);
}

static double mean_of(size_t i, size_t arm) {
    return i == 0 ? 0 : means[i][arm];
}

static void ref_tell(struct reference *ref, size_t arm, double t, double y, double variance) {
    for (size_t i = 0; i < PRIORS; i++)
        ref_gp_add(&ref->gp[i], X + 2 * arm, t, y - mean_of(i, arm), variance);
}

/* Marginal likelihood, weights, and E[f], Var[f] of the mixture at every arm. */
static void assert_beliefs(tvgp_policy *policy, struct reference *ref, double t) {
    double mean[ARMS], var[ARMS], m[PRIORS][ARMS], v[PRIORS][ARMS], weight[PRIORS], sum = 0;
    ASSERT_OK(tvgp_policy_predict(policy, t, ARMS, X, mean, var));
    for (size_t i = 0; i < PRIORS; i++) {
        ref_gp_predict(&ref->gp[i], ARMS, X, t, m[i], v[i]);
        weight[i] = exp(ref_gp_log_evidence(&ref->gp[i]) - ref_gp_log_evidence(&ref->gp[0]));
        weight[i] *= prior_weights ? prior_weights[i] : 1;
        sum += weight[i];
    }
    for (size_t i = 0; i < PRIORS; i++) {
        ASSERT_NEAR(stat(policy, "prior.log_marginal_likelihood", (int)i), ref_gp_log_evidence(&ref->gp[i]), 1e-9);
        ASSERT_NEAR(stat(policy, "prior.weight", (int)i), weight[i] / sum, 1e-9);
    }
    for (size_t a = 0; a < ARMS; a++) {
        double first = 0, second = 0;
        for (size_t i = 0; i < PRIORS; i++) {
            double mu = mean_of(i, a) + m[i][a];
            first += weight[i] / sum * mu;
            second += weight[i] / sum * (v[i][a] + mu * mu);
        }
        ASSERT_NEAR(mean[a], first, 1e-9);
        ASSERT_NEAR(var[a], second - first * first, 1e-8);
    }
}

/* Priors 0 .. late - 1 from the start, the others after half of the data; outcomes late and out of order. */
TEST_EACH(beliefs_equal_dense_mixture, 2) {
    for (size_t late = 0; late <= PRIORS; late++) {
        tvgp_policy *policy = open_policy("fb-gp-ucb");
        struct reference ref;
        struct rnd r = {(uint64_t)_i + 1};
        tvgp_query waiting[3];
        size_t n = 0;
        ref_open(&ref);
        for (size_t i = 0; i < late; i++)
            add_prior(policy, i);
        for (size_t k = 0; k < 80; k++) {
            double t = 0.3 * (double)k, y = 0.3 * rnd_normal(&r);
            /* without a prior of its own the policy has that of its kernel, which is prior 0 */
            for (size_t i = late > 0 ? late : 1; k == 40 && i < PRIORS; i++)
                add_prior(policy, i);
            ASSERT_OK(tvgp_policy_ask_one(policy, t, &waiting[n++], NULL));
            if (n == 3) {
                size_t pick = rnd_below(&r, 3);
                ASSERT_OK(tvgp_policy_tell_value(policy, waiting[pick].id, y));
                ref_tell(&ref, (size_t)waiting[pick].arm, waiting[pick].t, y, noise);
                waiting[pick] = waiting[--n];
            }
            if (k % 3 == 0) {
                size_t arm = rnd_below(&r, ARMS);
                tvgp_obs obs = {.y = y, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.2, .t = t - 1};
                ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, X + 2 * arm));
                ref_tell(&ref, arm, obs.t, y, 0.2);
            }
            if (k >= 40 && k % 13 == 1)
                assert_beliefs(policy, &ref, t + 0.7);
        }
        ref_close(&ref);
    }
}

/* Weights told of the first two priors, 1 of the third: before any data, and after some. Each policy; mle-gp-ucb chooses by them. */
TEST_EACH(weights_are_told, FAMILY) {
    tvgp_policy *policy = open_policy(family[_i]);
    struct reference ref;
    struct rnd r = {31};
    char text[64];
    ref_open(&ref);
    ASSERT_OK(tvgp_policy_set(policy, "prior.weights=0.2,5 width.delta=1e-9")); /* none dies */
    for (size_t i = 0; i < PRIORS; i++)
        add_prior(policy, i);
    prior_weights = told_weights;
    assert_beliefs(policy, &ref, 0.5);
    for (int k = 0; k < 12; k++) {
        double t = 0.3 * k, y = 0.3 * rnd_normal(&r), best = 0, chose;
        const tvgp_query q = step(policy, t, y);
        if (_i == 1) { /* by the posteriors before this outcome */
            chose = stat(policy, "prior.last", -1);
            for (size_t i = 0; i < PRIORS; i++)
                best = fmax(best, log(told_weights[i]) + ref_gp_log_evidence(&ref.gp[i]) -
                                      (log(told_weights[(size_t)chose]) + ref_gp_log_evidence(&ref.gp[(size_t)chose])));
            ck_assert_double_le(best, 1e-9);
        }
        ref_tell(&ref, (size_t)q.arm, t, y, noise);
        ck_assert_double_eq(stat(policy, "priors.alive", -1), PRIORS);
        assert_beliefs(policy, &ref, t + 0.1);
    }
    prior_weights = NULL;
    ref_close(&ref);
    const char *const bad[] = {"1,,2", "1,-1", "1,0", "many", "1;2"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        tvgp_query q;
        policy = open_policy(family[_i]);
        ASSERT_OK(tvgp_policy_set_str(policy, "prior.weights", bad[k]));
        snprintf(text, sizeof text, "'%s'", bad[k]);
        ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 0, &q, NULL), "prior.weights", text);
        ASSERT_OK(tvgp_policy_set_str(policy, "prior.weights", "1e-3"));
        step(policy, 0, 1);
    }
}

/* The means of priors move at every step, one of them sometimes to the policy's, while up to three outcomes are awaited, and the
 * policy goes on from a copy: an outcome counts relative to what held at its ask. */
TEST_EACH(means_follow_the_clock, 2) {
    tvgp_policy *policy = open_policy("fb-gp-ucb");
    struct reference ref;
    struct rnd r = {77 + (uint64_t)_i};
    tvgp_query waiting[3];
    double then[3][PRIORS];
    size_t n = 0;
    ref_open(&ref);
    if (_i)
        ASSERT_OK(tvgp_policy_set_str(policy, "sense", "min"));
    for (size_t i = 0; i < PRIORS; i++)
        add_prior(policy, i);
    for (int k = 0; k < 60; k++) {
        const double t = 0.3 * k, y = 0.3 * rnd_normal(&r), level = rnd_normal(&r);
        for (size_t i = 1; k % 2 == 0 && i < PRIORS; i++) {
            const int none = i == 2 && rnd_below(&r, 3) == 0;
            for (size_t a = 0; a < ARMS; a++)
                means[i][a] = none ? 0 : i == 1 ? level : rnd_normal(&r);
            ASSERT_OK(tvgp_policy_set_added_prior_mean(policy, i, none ? 0 : i == 1 ? 1 : ARMS, none ? NULL : means[i]));
        }
        ASSERT_OK(tvgp_policy_ask_one(policy, t, &waiting[n], NULL));
        for (size_t i = 0; i < PRIORS; i++)
            then[n][i] = mean_of(i, (size_t)waiting[n].arm);
        if (++n == 3) {
            const size_t pick = rnd_below(&r, 3);
            ASSERT_OK(tvgp_policy_tell_value(policy, waiting[pick].id, y));
            for (size_t i = 0; i < PRIORS; i++)
                ref_gp_add(&ref.gp[i], X + 2 * waiting[pick].arm, waiting[pick].t, y - then[pick][i], noise);
            waiting[pick] = waiting[--n];
            memcpy(then[pick], then[n], sizeof *then);
        }
        if (k % 7 == 3) {
            tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, policy);
            tvgp_policy_destroy(policy);
            policy = copy;
        }
        if (k % 5 == 4) {
            const size_t arm = rnd_below(&r, ARMS); /* no caller asked: by the means of now */
            const tvgp_obs obs = {.y = y, .flags = TVGP_OBS_HAS_TIME, .t = t};
            ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, X + 2 * arm));
            ref_tell(&ref, arm, t, y, noise);
        }
        assert_beliefs(policy, &ref, t + 0.2);
    }
    ref_close(&ref);
}

TEST(means_that_cannot_be_set) {
    const double one = 1, bad = NAN;
    tvgp_query q;
    tvgp_policy *policy = open_policy("pe-gp-ucb"), *other = open_policy("gp-ucb"), *fixed = open_policy("auto-gp-ucb");
    ck_assert_int_eq(tvgp_policy_set_added_prior_mean(NULL, 0, 1, &one), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_added_prior_mean(other, 0, 1, &one), "gp-ucb", "no priors");
    for (int started = 0; started < 2; started++) {
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_added_prior_mean(policy, 0, 1, &one), "i = 0", "0 were added");
        step(policy, started, 1);
    }
    policy = open_policy("pe-gp-ucb");
    add_prior(policy, 1);
    add_prior(fixed, 0);
    add_prior(fixed, 1);
    ASSERT_OK(tvgp_policy_set_added_prior_mean(fixed, 1, 1, &one));
    step(fixed, 0, 1);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_added_prior_mean(fixed, 1, 1, &one), "auto-gp-ucb", "first ask");
    for (int started = 0; started < 2; started++) {
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_added_prior_mean(policy, 1, 1, &one), "i = 1", "1 were added");
        ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_set_added_prior_mean(policy, 0, 2, means[1]), "n = 2");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_added_prior_mean(policy, 0, 1, NULL), "NULL");
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_added_prior_mean(policy, 0, 1, &bad), "nan");
        ASSERT_OK(tvgp_policy_ask_one(policy, started, &q, NULL));
        for (size_t fail = 1; fail <= 2; fail++) { /* the values, and those of what is pending */
            memory.fail_in = fail;
            ck_assert_int_eq(tvgp_policy_set_added_prior_mean(policy, 0, 1, &one), TVGP_ERR_NOMEM);
            memory.fail_in = 0;
        }
    }
    ASSERT_OK(tvgp_policy_set_added_prior_mean(policy, 0, 1, &one));
}

/* Between arms too, when no prior has a mean of its own. */
TEST_EACH(predicts_between_arms, FAMILY) {
    const double Z[4] = {0.21, 0.34, 0.77, 0.5};
    double mean[2], var[2], m[2], v[2], first[2] = {0}, second[2] = {0};
    tvgp_policy *policy = open_policy(family[_i]), *single[2];
    for (size_t i = 0; i < 2; i++) {
        ASSERT_OK(tvgp_policy_add_prior(policy, kernels[i], 0, NULL, epsilons[i]));
        single[i] = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", cases_kernel_at(i));
        ASSERT_OK(tvgp_policy_set_f64(single[i], "epsilon", epsilons[i]));
    }
    for (size_t k = 0; k < 20; k++) {
        tvgp_obs obs = {
            .y = sin((double)k), .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.3, .t = (double)k};
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, X + 2 * k));
        for (size_t i = 0; i < 2; i++)
            ASSERT_OK(tvgp_policy_tell(single[i], 1, &obs, X + 2 * k));
    }
    ASSERT_OK(tvgp_policy_predict(policy, 21, 2, Z, mean, var));
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(tvgp_policy_predict(single[i], 21, 2, Z, m, v));
        for (size_t k = 0; k < 2; k++) {
            first[k] += stat(policy, "prior.weight", i) * m[k];
            second[k] += stat(policy, "prior.weight", i) * (v[k] + m[k] * m[k]);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        ASSERT_NEAR(mean[k], first[k], 1e-12);
        ASSERT_NEAR(var[k], second[k] - first[k] * first[k], 1e-12);
    }
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[0], ARMS, means[0], 0));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_predict(policy, 21, 2, Z, mean, var), "arms", "2");
    ASSERT_OK(tvgp_policy_predict(policy, 21, 2, X, mean, var));
}

/* ---- choices ---------------------------------------------------------------------------------------------------- */

/* All priors the same, or none added: gp-ucb, or tv-gp-ucb with a rate. */
TEST_EACH(equal_priors_are_one, FAMILY) {
    const char *name = family[_i % FAMILY];
    const size_t copies[] = {0, 1, 5};
    for (size_t c = 0; c < 3; c++)
        for (int rate = 0; rate < 2; rate++) {
            tvgp_policy *plain = open_policy(rate ? "tv-gp-ucb" : "gp-ucb"), *policy = open_policy(name);
            if (rate && copies[c] == 0) {
                tvgp_policy_destroy(plain);
                tvgp_policy_destroy(policy);
                continue;
            }
            if (rate)
                ASSERT_OK(tvgp_policy_set_f64(plain, "epsilon", 0.1));
            ASSERT_OK(tvgp_policy_set_str(plain, "width.schedule", "prior-finite"));
            ASSERT_OK(tvgp_policy_set_prior_mean(plain, ARMS, means[1]));
            ASSERT_OK(tvgp_policy_set_prior_mean(policy, ARMS, means[1]));
            for (size_t i = 0; i < copies[c]; i++) /* with the policy's mean, or the same given again */
                ASSERT_OK(
                    tvgp_policy_add_prior(policy, kernels[0], i % 2 ? ARMS : 0, i % 2 ? means[1] : NULL, rate ? 0.1 : 0));
            for (size_t k = 0; k < 60; k++) {
                double t = 0.5 * (double)k;
                tvgp_query a, b;
                ASSERT_OK(tvgp_policy_ask_one(plain, t, &a, NULL));
                ASSERT_OK(tvgp_policy_ask_one(policy, t, &b, NULL));
                ck_assert_int_eq(a.arm, b.arm);
                ASSERT_NEAR(a.score, b.score, 1e-13);
                if (k % 7 < 3) /* some stay pending */
                    continue;
                double y = means[1][a.arm] + 0.1 * sin((double)k);
                ASSERT_OK(tvgp_policy_tell_value(plain, a.id, y));
                ASSERT_OK(tvgp_policy_tell_value(policy, b.id, y));
            }
        }
}

/* Far more priors than anyone has, all wrong but one: most die, the truth does not, nor does the last of all. */
TEST_EACH(a_hundred_priors, FAMILY) {
    enum { MANY = 100, TRUE = 77 };
    double mean[ARMS];
    tvgp_policy *policy = open_policy(family[_i]);
    int dies = _i == 0 || _i == 3;
    for (size_t i = 0; i < MANY; i++) {
        for (size_t a = 0; a < ARMS; a++)
            mean[a] = i == TRUE ? means[0][a] : 3 * sin((double)(i * a + i));
        ASSERT_OK(tvgp_policy_add_prior(policy, kernels[0], ARMS, mean, 0));
    }
    for (size_t k = 0; k < 300; k++) {
        tvgp_query q = harness_ask(policy, (double)k);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, means[0][q.arm]));
    }
    double alive = 0, chosen = 0, weight = 0;
    for (int i = 0; i < MANY; i++) {
        alive += stat(policy, "prior.alive", i);
        chosen += stat(policy, "prior.chosen", i);
        weight += stat(policy, "prior.weight", i);
        ck_assert(stat(policy, "prior.alive", i) == 1 || stat(policy, "prior.weight", i) == 0);
        if (!dies)
            continue;
        ck_assert_int_eq(stat(policy, "prior.alive", i) == 1, isinf(stat(policy, "prior.end_time", i)) != 0);
        ck_assert_int_eq(stat(policy, "prior.alive", i) == 1,
                         stat(policy, "prior.statistic", i) <= stat(policy, "prior.threshold", i));
    }
    ck_assert_double_eq(alive, stat(policy, "priors.alive", -1));
    ck_assert_double_eq(chosen, 300);
    ASSERT_NEAR(weight, 1, 1e-12);
    ck_assert(dies ? alive < MANY : alive == MANY);
    ck_assert(stat(policy, "prior.alive", TRUE) == 1);
    ck_assert(dies || stat(policy, "prior.weight", TRUE) > 0.99);
}

/* Both priors are absurd: one dies, the other is spared however wrong it is. */
TEST(the_last_never_dies) {
    double absurd[ARMS];
    tvgp_policy *policy = open_policy("pe-gp-ucb");
    for (size_t a = 0; a < ARMS; a++)
        absurd[a] = a % 2 ? 50 : -50;
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[1], ARMS, absurd, 0.3));
    absurd[3] = 60;
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[1], ARMS, absurd, 0.3));
    for (size_t k = 0; k < 40; k++)
        step(policy, (double)k, 0);
    ck_assert_double_eq(stat(policy, "priors.alive", -1), 1);
    ck_assert_double_eq(stat(policy, "prior.alive", 0) + stat(policy, "prior.alive", 1), 1);
    ck_assert_double_gt(stat(policy, "prior.waived_rejections", -1), 0);
}

/* An outcome to a question of a prior that died in the meantime teaches the others and is no prior's merit, nor is a skipped
 * one. */
TEST(answers_after_death) {
    double high[ARMS];
    tvgp_query q[6];
    tvgp_policy *policy = open_policy("pe-gp-ucb");
    for (size_t a = 0; a < ARMS; a++)
        high[a] = 40;
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[0], ARMS, high, 0));
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[0], 0, NULL, 0));
    for (size_t k = 0; k < 6; k++)
        ASSERT_OK(tvgp_policy_ask_one(policy, (double)k, &q[k], NULL));
    ck_assert_double_eq(stat(policy, "prior.chosen", 0), 6);
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q[0].id, .outcome = TVGP_SKIPPED}, NULL));
    ck_assert_double_eq(stat(policy, "prior.threshold", 0), 0);
    ASSERT_OK(tvgp_policy_tell_value(policy, q[1].id, 0));
    ck_assert_double_eq(stat(policy, "prior.alive", 0), 0);
    ck_assert_double_eq(stat(policy, "prior.end_time", 0), 1);
    ck_assert_double_eq(stat(policy, "prior.end_step", 0), 6);
    double lhs = stat(policy, "prior.statistic", 0), evidence = stat(policy, "prior.log_marginal_likelihood", 1);
    for (size_t k = 2; k < 6; k++)
        ASSERT_OK(tvgp_policy_tell_value(policy, q[k].id, 0.1));
    ck_assert_double_eq(stat(policy, "prior.statistic", 0), lhs);
    ck_assert_double_eq(stat(policy, "prior.statistic", 1), 0);
    ck_assert(stat(policy, "prior.log_marginal_likelihood", 1) != evidence);
    ck_assert_double_eq(stat(policy, "observations", -1), 5);
}

/* The time of the models never moves back: an outcome of an earlier time does not change it, one of a later time does. */
TEST(models_follow_the_newest_time) {
    const double times[] = {10, 3, 20}, want[] = {10, 10, 20};
    tvgp_policy *policy = open_policy("mle-gp-ucb");
    add_prior(policy, 1);
    (void)harness_ask(policy, 10);
    for (size_t k = 0; k < 3; k++) {
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = times[k]}, X));
        ck_assert_double_eq(((const tvgp__multi_prior_ucb *)policy->state)->models.now, want[k]);
    }
}

/* Marginal likelihood of -1e7, of -1e100 for one prior, of the worst there is for all: weights still sum to one. */
TEST_EACH(evidence_underflows, FAMILY) {
    const double values[] = {1e2, 1e70, -1e100};
    const double lengthscale = 0.3;
    tvgp_kernel *wide = MAKE_KERNEL(tvgp_kernel_se, ctx, 2, 1e100, 1, &lengthscale);
    for (size_t v = 0; v < 3; v++)
        for (int hope = 0; hope < 2; hope++) {
            tvgp_policy *policy = open_policy(family[_i]);
            ASSERT_OK(tvgp_policy_add_prior(policy, kernels[0], 0, NULL, 0));
            ASSERT_OK(tvgp_policy_add_prior(policy, hope ? wide : kernels[1], 0, NULL, 0));
            for (size_t k = 0; k < 12; k++)
                step(policy, (double)k, k % 2 ? values[v] : 0.5 * values[v]);
            ASSERT_NEAR(stat(policy, "prior.weight", 0) + stat(policy, "prior.weight", 1), 1, 1e-12);
        }
}

/* A prediction before the first ask is that of what was added so far, and adds nothing. */
TEST_EACH(predictions_before_priors, FAMILY) {
    double mean[2], var[2];
    tvgp_policy *policy = open_policy(family[_i]);
    ASSERT_OK(tvgp_policy_predict(policy, 0, 2, X, mean, var));
    ck_assert_double_eq(mean[0], 0);
    add_prior(policy, 1);
    ASSERT_OK(tvgp_policy_predict(policy, 0, 2, X, mean, var));
    ASSERT_NEAR(mean[0], means[1][0], 1e-15);
    add_prior(policy, 2);
    ASSERT_OK(tvgp_policy_predict(policy, 0, 2, X, mean, var));
    ASSERT_NEAR(mean[1], 0.5 * (means[1][1] + means[2][1]), 1e-15);
    ck_assert_double_eq(stat(policy, "priors.alive", -1), 2);
    step(policy, 0, 1);
    ck_assert_double_eq(stat(policy, "priors.alive", -1), 2);
}

/* ---- bad input -------------------------------------------------------------------------------------------------- */

TEST_EACH(refused, FAMILY) {
    double bad[ARMS] = {0};
    const double lengthscale = 1, small[4] = {1, 0, 0, 1};
    tvgp_policy *policy = open_policy(family[_i]), *other = open_policy("gp-ucb");
    tvgp_kernel *line = harness_se(1, 1, &lengthscale);
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, small);
    bad[ARMS - 1] = NAN;
    ck_assert_int_eq(tvgp_policy_add_prior(NULL, kernels[0], 0, NULL, 0), TVGP_ERR_ARG);
    for (int started = 0; started < 2; started++) {
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior(policy, NULL, 0, NULL, 0), "kernel");
        ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_add_prior(policy, line, 0, NULL, 0), "1", "2");
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_add_prior(policy, kernels[0], ARMS, bad, 0), "mean", "nan");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior(policy, kernels[0], 0, NULL, 1), "epsilon", "[0, 1)");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior(policy, kernels[0], 0, NULL, -0.5), "-0.5");
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_add_prior(policy, kernels[0], 0, NULL, NAN), "epsilon");
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_prior(other, kernels[0], 0, NULL, 0), "gp-ucb");
        ck_assert_double_eq(stat(policy, "priors.alive", -1), 1);
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_stat(policy, "prior.weight.1", bad), "prior.weight.0");
        step(policy, started, 1);
        step(other, started, 1);
    }
    tvgp_policy *third = MAKE_POLICY(tvgp_policy_create, ctx, family[_i], harness_indices(3), line);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior(third, table, 0, NULL, 0), "2");
    const char *const wrong[] = {"prior.weight.",   "prior.weight",    "prior.weight.x",
                                 "prior.weight.-0", "prior.weight.0x", "prior.weight.99999999999999999999999999"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        ck_assert_int_eq(tvgp_policy_stat(policy, wrong[k], bad), TVGP_ERR_NOTFOUND);
}

/* A first ask or tell that runs out of memory leaves the policy as it was: priors may be added, options set. */
TEST_EACH(failed_start, FAMILY) {
    for (size_t k = 1, done = 0; done < 2; k++) {
        const tvgp_obs obs = {.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 0};
        tvgp_query q;
        tvgp_policy *policy = open_policy(family[_i]);
        memory.fail_in = k;
        tvgp_status status = done ? tvgp_policy_tell(policy, 1, &obs, X) : tvgp_policy_ask_one(policy, 0, &q, NULL);
        memory.fail_in = 0;
        if (status == TVGP_OK) {
            ck_assert_uint_gt(k, 4);
            done++;
            k = 0;
        } else {
            ck_assert_int_eq(status, TVGP_ERR_NOMEM);
            ASSERT_OK(tvgp_policy_set_i64(policy, "seed", 1));
            add_prior(policy, 1);
            step(policy, 0, 1);
            ck_assert_double_eq(stat(policy, "priors.alive", -1), 1);
        }
    }
}

/* Data are kept for late priors up to the limit; then they are given up, and a late prior is refused. */
TEST_EACH(replay_limit, FAMILY) {
    size_t before, after;
    tvgp_policy *policy = open_policy(family[_i]);
    step(policy, 0, 0.1);
    ((tvgp__multi_prior_ucb *)policy->state)->models.limit = 20; /* instead of 65,536 */
    for (size_t k = 1; k < 20; k++)
        step(policy, (double)k, 0.1);
    ASSERT_OK(tvgp_policy_add_prior(policy, kernels[1], 0, NULL, 0.1));
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    step(policy, 20, 0.1);
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    ck_assert_uint_lt(after, before);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_add_prior(policy, kernels[1], 0, NULL, 0), "20 observations", "no prior");
    ck_assert_int_eq(tvgp_policy_stat(policy, "prior.alive.2", &(double){0}), TVGP_ERR_NOTFOUND);
    step(policy, 21, 0.1);
}

int main(void) {
    return HARNESS_RUN("priors", setup, teardown);
}
