/* SPDX-License-Identifier: MIT */
/* The general loop: it handles actions and side queries in the same way, and so drives every policy. An expert can evaluate a
 * field at points played before. The field drifts, so each value tells how much has changed since. The expert is right, noisy, late by
 * a step, or absent. Each printed row is a policy and an expert, with the numbers of side queries asked and evaluated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { ARMS = 101, STEPS = 300, CAP = ARMS + 1 };
enum { RIGHT, NOISY, LATE, ABSENT, EXPERTS };
static const char *const experts[EXPERTS] = {"right", "noisy", "late", "absent"};

typedef struct loop {
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    int expert;
    tvgp_obs late[CAP]; /* values that arrive a step later */
    size_t n_late;
} loop;

static void check(const loop *l, tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "expert_loop: %s\n", tvgp_ctx_errmsg(l->ctx));
    exit(EXIT_FAILURE);
}

/* The unknown field: a peak that swings over [0, 1] on a gentle slope. Its largest value is about 1. */
static double field(int64_t arm, double t) {
    const double x = (double)arm / (ARMS - 1), away = (x - 0.5 - 0.35 * sin(0.04 * t)) / 0.1;
    return exp(-0.5 * away * away) + 0.1 * x;
}

static double best(double t) {
    double value = 0;
    for (int64_t arm = 0; arm < ARMS; arm++)
        value = fmax(value, field(arm, t));
    return value;
}

static double noise(const tvgp_query *q) {
    double z;
    tvgp_random_normal(1, 1000, (uint64_t)q->id, 1, &z);
    return z;
}

/* The expert's value of a side query; 0 if it does not arrive now. */
static int ask_expert(loop *l, const tvgp_query *q, tvgp_obs *answer) {
    answer->y = field(q->arm, q->t);
    if (l->expert == NOISY) {
        answer->y += 0.2 * noise(q);
        answer->flags = TVGP_OBS_HAS_NOISE;
        answer->noise_var = 0.04; /* the expert says how sure it is */
    }
    if (l->expert == ABSENT)
        answer->outcome = TVGP_SKIPPED;
    if (l->expert != LATE)
        return 1;
    l->late[l->n_late++] = *answer;
    return 0;
}

/* Asks until the action of time t, and reports all outcomes. Returns its arm; -1 while the policy waits for values.
 */
static int64_t step(loop *l, double t) {
    for (;;) {
        tvgp_query q[CAP];
        tvgp_obs told[CAP];
        size_t n, n_told = 0;
        const tvgp_status status = tvgp_policy_ask(l->policy, t, CAP, q, NULL, &n);
        if (status == TVGP_AGAIN)
            return -1;
        check(l, status);
        int64_t action = -1;
        for (size_t i = 0; i < n; i++) {
            tvgp_obs *o = &told[n_told];
            *o = (tvgp_obs){.id = q[i].id};
            if (q[i].kind == TVGP_ACTION) {
                action = q[i].arm;
                o->y = field(action, t) + 0.1 * noise(&q[i]);
                n_told++;
            } else {
                n_told += (size_t)ask_expert(l, &q[i], o);
            }
        }
        check(l, tvgp_policy_tell(l->policy, n_told, told, NULL));
        if (action >= 0)
            return action;
    }
}

static double stat(const loop *l, const char *key) {
    double value = 0;
    return tvgp_policy_stat(l->policy, key, &value) == TVGP_OK ? value : 0; /* 0: the policy has no such statistic */
}

static void play(tvgp_ctx *ctx, const char *name, int expert) {
    const double lower = 0, upper = 1, lengthscale = 0.1;
    const size_t points = ARMS;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    loop l = {.ctx = ctx, .expert = expert};
    check(&l, tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain));
    check(&l, tvgp_kernel_se(ctx, 1, 0.5, 1, &lengthscale, &kernel));
    check(&l, tvgp_policy_create(ctx, name, domain, kernel, &l.policy));
    if (strcmp(name, "random") != 0)
        check(&l, tvgp_policy_set_f64(l.policy, "noise", 0.01));
    if (strstr(name, "sparq"))
        check(&l, tvgp_policy_set_f64(l.policy, "side.noise", 1e-4));

    double regret = 0, actions = 0;
    for (int t = 1; t <= STEPS; t++) {
        check(&l, tvgp_policy_tell(l.policy, l.n_late, l.late, NULL)); /* of the step before */
        l.n_late = 0;
        int64_t arm = step(&l, t);
        if (arm < 0)
            arm = step(&l, t + 0.5); /* waited long enough: at a later time the policy continues without the rest */
        regret += best(t) - field(arm, t);
        actions++;
    }
    printf("%-15s %-8s %12.0f %12.0f %18.3f\n", name, experts[expert], stat(&l, "side.asked"), stat(&l, "side.values"),
           regret / actions);
    tvgp_policy_destroy(l.policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}

int main(void) {
    tvgp_ctx *ctx = NULL;
    if (tvgp_ctx_create(NULL, &ctx) != TVGP_OK)
        return EXIT_FAILURE;
    printf("%-15s %-8s %12s %12s %18s\n", "policy", "expert", "side queries", "answered", "regret per action");
    for (int expert = 0; expert < EXPERTS; expert++)
        play(ctx, "sparq-gp-ucb", expert);
    for (int expert = 0; expert < EXPERTS; expert++)
        play(ctx, "w-sparq-gp-ucb", expert);
    play(ctx, "tv-gp-ucb", ABSENT);
    play(ctx, "gp-ucb", ABSENT);
    play(ctx, "random", ABSENT);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
