/* SPDX-License-Identifier: MIT */
/* Cost of delayed and missing outcomes: usage: late_answers [--csv]. A peak wanders over 101 arms, 600 steps, 10 runs. Outcomes
 * arrive at once, up to 10 steps later, or one in five never arrives. A missing outcome is reported as skipped, left to
 * pending.timeout, or left open, which keeps its arm from being asked. Prints regret per step, and queries open at the end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { ARMS = 101, STEPS = 600, RUNS = 10, LATEST = 10, NOISE = 1000, LUCK = 1001 };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "late_answers: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

typedef struct setup {
    const char *name, *options;
    int latest; /* outcomes arrive 0 .. latest steps late */
    double lost;
    int said; /* missing outcomes are reported as skipped at the time of their arrival */
} setup;

static const setup setups[] = {{"at once", "", 0, 0, 0},
                               {"0 to 10 steps late", "", LATEST, 0, 0},
                               {"late, one in five lost, said so", "", LATEST, 0.2, 1},
                               {"late, one in five lost, pending.timeout=15", " pending.timeout=15", LATEST, 0.2, 0},
                               {"late, one in five lost, left open", "", LATEST, 0.2, 0}};
enum { SETUPS = sizeof setups / sizeof *setups };

static double truth(double x, int t) {
    const double away = (x - 0.5 - 0.4 * sin(0.02 * t)) / 0.2;
    return exp(-0.5 * away * away);
}

static tvgp_policy *create(const char *more) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    char options[128];
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain));
    check(tvgp_kernel_se(ctx, 1, 1.0, 1, &lengthscale, &kernel));
    check(tvgp_policy_create(ctx, "auto-gp-ucb", domain, kernel, &policy));
    snprintf(options, sizeof options, "noise=0.01%s", more);
    check(tvgp_policy_set(policy, options));
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return policy;
}

/* Delayed outcomes, by the step of their arrival. */
typedef struct mail {
    tvgp_obs obs[STEPS + LATEST + 1];
    int due[STEPS + LATEST + 1];
    size_t n;
} mail;

static void deliver(tvgp_policy *policy, mail *box, int t) {
    size_t kept = 0;
    for (size_t i = 0; i < box->n; i++)
        if (box->due[i] <= t) {
            check(tvgp_policy_tell(policy, 1, &box->obs[i], NULL));
        } else {
            box->obs[kept] = box->obs[i];
            box->due[kept++] = box->due[i];
        }
    box->n = kept;
}

static double run(const setup *s, uint64_t seed, double *open) {
    tvgp_policy *policy = create(s->options);
    mail box = {.n = 0};
    double noise[STEPS], luck[2 * STEPS], regret = 0;
    check(tvgp_random_normal(seed, NOISE, 0, STEPS, noise));
    check(tvgp_random_uniform(seed, LUCK, 0, 2 * STEPS, luck));
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double x;
        check(tvgp_policy_ask_one(policy, t, &q, &x));
        regret += 1 - truth(x, t);
        const int lost = luck[2 * t] < s->lost;
        if (!lost || s->said) {
            box.due[box.n] = t + (int)(luck[2 * t + 1] * (s->latest + 1));
            box.obs[box.n++] =
                lost ? tvgp_obs_outcome(q.id, TVGP_SKIPPED) : tvgp_obs_value(q.id, truth(x, t) + 0.1 * noise[t]);
        }
        deliver(policy, &box, t);
    }
    check(tvgp_policy_stat(policy, "pending", open));
    tvgp_policy_destroy(policy);
    return regret / STEPS;
}

int main(int argc, char **argv) {
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    check(tvgp_ctx_create(NULL, &ctx));
    printf(csv ? "answers,regret,regret_se,open\n" : "%-46s%16s%12s\n", "answers", "regret per step", "open");
    for (size_t i = 0; i < SETUPS; i++) {
        double sum = 0, squares = 0, open = 0;
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            const double regret = run(&setups[i], seed, &open);
            sum += regret / RUNS;
            squares += regret * regret / RUNS;
        }
        const double error = sqrt(fmax(squares - sum * sum, 0) / (RUNS - 1));
        printf(csv ? "\"%s\",%.4f,%.4f,%.0f\n" : "%-46s%8.3f +- %.3f%11.0f\n", setups[i].name, sum, error, open);
    }
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
