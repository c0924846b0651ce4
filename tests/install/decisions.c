/* SPDX-License-Identifier: MIT */
/* A run told by records zeroed except id and y, and the same run with everything spelt out: prints the arms chosen when they
 * are the same. decisions.cpp and decisions.py are the same program. */
#include <stdio.h>
#include <string.h>
#include <tvgp.h>

enum { ARMS = 12, STEPS = 60 };

static int failed;

static void check(const tvgp_ctx *ctx, tvgp_status status) {
    if (status != TVGP_OK && !failed++)
        fprintf(stderr, "%s\n", tvgp_ctx_errmsg(ctx));
}

static double reward(int64_t arm, int step) {
    return (double)((7 * arm + 3 * step) % 11) / 11;
}

static void tell(const tvgp_ctx *ctx, tvgp_policy *policy, const tvgp_query *q, int step, int spelt) {
    const double x = step % ARMS;
    tvgp_obs answer, found;
    memset(&answer, 0, sizeof answer);
    memset(&found, 0, sizeof found);
    answer.id = q->id;
    answer.y = reward(q->arm, step);
    found.y = reward(step % ARMS, step); /* no caller asked */
    if (step % 5 == 4)
        answer.outcome = TVGP_SKIPPED;
    if (spelt) {
        answer.flags = found.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME;
        answer.noise_var = found.noise_var = 0.02;
        answer.t = q->t;
        found.t = step + 1; /* the newest time: that of the last ask */
    }
    check(ctx, tvgp_policy_tell(policy, 1, &answer, NULL));
    if (step % 7 == 6)
        check(ctx, tvgp_policy_tell(policy, 1, &found, &x));
}

/* Each outcome comes when the next query is out already. */
static void play(int spelt, int64_t *arm) {
    const double lengthscale = 2;
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *policy = NULL;
    tvgp_query q[STEPS + 1];
    check(NULL, tvgp_ctx_create(NULL, &ctx));
    check(ctx, tvgp_domain_indices(ctx, ARMS, &domain));
    check(ctx, tvgp_kernel_se(ctx, 1, 1.0, 1, &lengthscale, &kernel));
    check(ctx, tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    check(ctx, tvgp_policy_set(policy, "noise=0.02 half_life=20"));
    check(ctx, tvgp_policy_ask_one(policy, 0, &q[0], NULL));
    for (int step = 0; step < STEPS && !failed; step++) {
        check(ctx, tvgp_policy_ask_one(policy, step + 1, &q[step + 1], NULL));
        tell(ctx, policy, &q[step], step, spelt);
        arm[step] = q[step].arm;
    }
    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
}

int main(void) {
    int64_t zeroed[STEPS], spelt[STEPS];
    play(0, zeroed);
    play(1, spelt);
    if (failed || memcmp(zeroed, spelt, sizeof zeroed) != 0)
        return 1;
    for (int step = 0; step < STEPS; step++)
        printf("%d%c", (int)zeroed[step], step + 1 < STEPS ? ' ' : '\n');
    return 0;
}
