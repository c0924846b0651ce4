/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb that doubts what it was told: golden runs with every number of every filter, and what must hold whatever is
 * told. */
#include "belief/bank.h"
#include "cases.h"
#include "golden/golden_doubt.h"
#include "policy/ucb.h"

#include <math.h>
#include <string.h>

static const tvgp__bank *bank_of(const tvgp_policy *policy) {
    return (const tvgp__bank *)((const tvgp__ucb *)policy->state)->posterior;
}

static tvgp_policy *on_table(size_t n, const double *K, double noise, const char *options) {
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    ASSERT_OK(tvgp_domain_indices(ctx, n, &domain));
    ASSERT_OK(tvgp_kernel_table(ctx, n, K, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, "auto-gp-ucb", domain, kernel, &policy));
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", noise));
    ASSERT_OK(tvgp_policy_set(policy, options));
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return policy;
}

/* ---- golden runs ------------------------------------------------------------------------------------------------- */

static void assert_ask(tvgp_policy *policy, const struct golden_doubt_run *g, const struct golden_doubt_step *s,
                       const tvgp_query *q) {
    double X[7], mean[7], var[7];
    ck_assert_int_eq(q->arm, s->arm);
    ASSERT_NEAR(harness_stat(policy, "width"), s->width, 1e-9);
    for (int i = 0; i < g->arms; i++)
        X[i] = i;
    ASSERT_OK(tvgp_policy_predict(policy, s->t, (size_t)g->arms, X, mean, var));
    for (int i = 0; i < g->arms; i++) {
        ASSERT_NEAR(mean[i], s->mean[i], 1e-9);
        ASSERT_NEAR(var[i], s->var[i], 1e-9);
    }
}

static void assert_told(const tvgp_policy *policy, const struct golden_doubt_step *s) {
    const tvgp__bank *b = bank_of(policy);
    ck_assert_int_eq((int)b->resets, s->resets);
    ck_assert_int_eq(b->slot_on, isfinite(s->log_weight[33]));
    for (size_t j = 0; j < b->J + (size_t)b->slot_on; j++) {
        ASSERT_NEAR(b->member[j].log_weight, s->log_weight[j], 1e-8);
        ASSERT_NEAR(b->member[j].a, s->a[j], 1e-8);
        ASSERT_NEAR(b->member[j].b, s->b[j], 1e-8);
    }
    if (b->slot_on) {
        ck_assert_int_eq((int)b->slot_arm, s->slot_arm);
        ck_assert_int_eq(b->confirmed, s->confirmed);
    }
    for (size_t j = 0; j < b->J; j++) {
        ASSERT_NEAR(b->set.filter[j].k, s->constant[j], 1e-8);
        ASSERT_NEAR(b->set.filter[j].kk, s->constant_var[j], 1e-8);
        ASSERT_NEAR(1 - b->member[j].stayed, s->jumped[j], 1e-8);
    }
}

START_TEST(golden_run) {
    const struct golden_doubt_run *g = &golden_doubt[_i];
    size_t n = (size_t)g->arms;
    tvgp_policy *policy = on_table(n, g->K, g->noise, "doubt=1");
    ASSERT_OK(tvgp_policy_set_mean(policy, g->mean, n));
    for (int i = 0; i < g->steps; i++) {
        const struct golden_doubt_step *s = &g->step[i];
        uint8_t mask[7];
        for (size_t arm = 0; arm < n; arm++)
            mask[arm] = (uint8_t)s->available[arm];
        ASSERT_OK(tvgp_policy_set_available(policy, mask, n));
        tvgp_query q = harness_ask(policy, s->t);
        assert_ask(policy, g, s, &q);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, s->y));
        assert_told(policy, s);
    }
    tvgp_policy_destroy(policy);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("doubt");
    TCase *tc = harness_case(suite, "golden runs");
    tcase_add_loop_test(tc, golden_run, 0, (int)(sizeof golden_doubt / sizeof *golden_doubt));
    return harness_run(suite);
}
