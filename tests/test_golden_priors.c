/* SPDX-License-Identifier: MIT */
/* Whole runs of the policies with several priors against golden trajectories: who chooses what, evidences, weights, both
 * sides of every elimination test and who is alive. */
#include "golden/golden_priors.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 30, ARMS = 25, PRIORS = 4, TALL = 12 };

struct run {
    const char *policy, *rule, *of; /* of: the series that golden_prior_step.of holds */
    double epsilon;
    const struct golden_prior_step *steps;
};

static const struct run runs[] = {
    {"pe-gp-ucb", NULL, "prior.alive", 0, golden_PE_eps0},
    {"pe-gp-ucb", NULL, "prior.alive", 0.02, golden_PE_eps002},
    {"mle-gp-ucb", NULL, "prior.log_marginal_likelihood", 0, golden_MLE_eps0},
    {"mle-gp-ucb", NULL, "prior.log_marginal_likelihood", 0.02, golden_MLE_eps002},
    {"fb-gp-ucb", NULL, "prior.weight", 0, golden_FullyBayes_eps0},
    {"fb-gp-ucb", NULL, "prior.weight", 0.02, golden_FullyBayes_eps002},
    {"rb-gp-ucb", "printed", "prior.alive", 0, golden_RegretBalancing_eps0},
    {"rb-gp-ucb", "printed", "prior.alive", 0.02, golden_RegretBalancing_eps002},
};

static tvgp_policy *create(const struct run *run) {
    const double lengthscale = 0.8;
    tvgp_domain *domain = harness_arms(ARMS, 2, golden_priors_x[0]);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, 2, 0.04, 1, &lengthscale);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, run->policy, domain, kernel);
    for (size_t i = 0; i < PRIORS; i++)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel, ARMS, golden_priors_mean[i], run->epsilon));
    ASSERT_OK(tvgp_policy_set(policy, "noise=1e-4 width.delta=0.1"));
    ASSERT_OK(tvgp_policy_set_i64(policy, "horizon", STEPS));
    if (run->rule != NULL)
        ASSERT_OK(tvgp_policy_set_str(policy, "rb.rule", run->rule));
    return policy;
}

static int is_fb(const struct run *run) {
    return strcmp(run->policy, "fb-gp-ucb") == 0;
}

static void assert_choice(const struct run *run, const tvgp_policy *policy, const tvgp_query *q,
                          const struct golden_prior_step *g) {
    ck_assert_int_eq(q->arm, g->arm);
    ck_assert_double_eq(harness_stat(policy, "prior.last"), g->prior);
    ASSERT_NEAR(q->score, g->score, 1e-9);
    for (size_t i = 0; i < PRIORS; i++)
        ASSERT_NEAR(harness_stat_of(policy, run->of, (int)i), g->of[i], 1e-9);
    if (is_fb(run)) /* of a mixture */
        return;
    ASSERT_NEAR(golden_priors_mean[g->prior][g->arm] + harness_stat(policy, "mean"), g->mean, 1e-9);
    ASSERT_NEAR(harness_stat(policy, "sd"), g->sd, 1e-9);
    if (g->width > 0)
        ASSERT_NEAR(harness_stat(policy, "width"), g->width, 1e-12);
}

TEST_EACH(trajectory, sizeof runs / sizeof *runs) {
    const struct run *run = &runs[_i];
    tvgp_policy *policy = create(run);
    uint8_t odd[ARMS], even[ARMS];
    memset(odd, 1, sizeof odd);
    memset(even, 1, sizeof even);
    even[TALL] = 0;
    for (size_t step = 0; step < STEPS; step++) {
        const struct golden_prior_step *g = &run->steps[step];
        ASSERT_OK(tvgp_policy_set_available(policy, ARMS, step % 2 == 0 ? odd : even));
        tvgp_query q = harness_ask(policy, (double)(step + 1));
        assert_choice(run, policy, &q, g);
        ck_assert_double_eq(golden_priors_f[q.arm], g->y);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, g->y));
        if (g->rhs > 0) {
            ASSERT_NEAR(harness_stat_of(policy, "prior.statistic", (int)g->prior), g->lhs, 1e-9);
            ASSERT_NEAR(harness_stat_of(policy, "prior.threshold", (int)g->prior), g->rhs, 1e-9);
            ck_assert_double_eq(harness_stat_of(policy, "prior.end_step", (int)g->prior),
                                g->lhs > g->rhs ? (double)step + 1 : 0);
        }
    }
}

int main(void) {
    golden_read_priors();
    return HARNESS_RUN("golden priors", harness_setup, harness_teardown);
}
