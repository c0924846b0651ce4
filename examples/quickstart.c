/* SPDX-License-Identifier: MIT */
/* Follows the peak of a drifting function while the policy learns it, and draws both: usage: quickstart [--csv].
 *
 * Kernel, noise and rate are supplied. With --csv four policies play, and every step of them is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { ARMS = 101, STEPS = 300, COLUMNS = 61, PLAYERS = 4 };

/* The unknown: a bump that wanders over [0, 1]. The library sees noisy values of it, one per step. */
static double peak(double t) {
    return 0.5 + 0.4 * sin(0.02 * t);
}

static double truth(double x, double t) {
    const double away = (x - peak(t)) / 0.2;
    return exp(-0.5 * away * away);
}

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "quickstart: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static tvgp_policy *create(const char *name, int told, const char *options) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain));
    check(tvgp_kernel_se(ctx, 1, 1.0, 1, &lengthscale, &kernel));
    check(tvgp_policy_create(ctx, name, domain, told ? kernel : NULL, &policy));
    check(tvgp_policy_set(policy, options));
    tvgp_kernel_destroy(kernel); /* the policy keeps what it needs */
    tvgp_domain_destroy(domain);
    return policy;
}

/* One step; returns the value of the point that was asked. */
static double step(tvgp_policy *policy, int t, double noise) {
    tvgp_query query;
    double x;
    check(tvgp_policy_ask_one(policy, t, &query, &x));
    check(tvgp_policy_tell_value(policy, query.id, truth(x, t) + 0.1 * noise));
    return truth(x, t);
}

static double believed(tvgp_policy *policy, int t) {
    int64_t arm;
    double x;
    check(tvgp_policy_best(policy, t, &arm, &x));
    return x;
}

/* One line of the picture: o where the peak is, x where it is predicted, * where both are. */
static void draw(int t, double x) {
    char line[COLUMNS + 1];
    const int at = (int)lround(x * (COLUMNS - 1)), true_at = (int)lround(peak(t) * (COLUMNS - 1));
    memset(line, ' ', COLUMNS);
    line[COLUMNS] = '\0';
    line[true_at] = 'o';
    line[at] = line[at] == 'o' ? '*' : 'x';
    printf("%4d |%s|\n", t, line);
}

static void picture(const double *noise) {
    tvgp_policy *policy = create("tv-gp-ucb", 1, "noise=0.01 epsilon=0.01");
    double regret = 0, random_regret = 0, mean, variance;
    printf("   t |0   o: the peak   x: where it is believed   *: both%9s|\n", "1");
    for (int t = 1; t <= STEPS; t++) {
        regret += 1 - step(policy, t, noise[t - 1]); /* the best value is 1 at every t */
        for (int i = 0; i < ARMS; i++)
            random_regret += (1 - truth(i / (ARMS - 1.0), t)) / ARMS;
        if (t % 12 == 0)
            draw(t, believed(policy, t));
    }
    const double best = believed(policy, STEPS);
    check(tvgp_policy_predict(policy, STEPS, 1, &best, &mean, &variance));
    printf("at t = %d the peak is at %.2f; believed at %.2f, value %.2f +- %.2f (true %.2f)\n", STEPS, peak(STEPS), best,
           mean, sqrt(variance), truth(best, STEPS));
    printf("regret per step: %.3f, playing at random %.3f\n", regret / STEPS, random_regret / STEPS);
    tvgp_policy_destroy(policy);
}

static void table(const double *noise) {
    tvgp_policy *policies[PLAYERS] = {create("auto-gp-ucb", 0, ""), create("tv-gp-ucb", 1, "noise=0.01 epsilon=0.01"),
                                      create("gp-ucb", 1, "noise=0.01"), create("random", 1, "")};
    double regret[PLAYERS] = {0};
    printf("t,peak,believed,auto,tv,gp,random\n");
    for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < PLAYERS; i++)
            regret[i] += 1 - step(policies[i], t, noise[t - 1]);
        printf("%d,%.4f,%.2f,%.3f,%.3f,%.3f,%.3f\n", t, peak(t), believed(policies[0], t), regret[0], regret[1], regret[2],
               regret[3]);
    }
    for (int i = 0; i < PLAYERS; i++)
        tvgp_policy_destroy(policies[i]);
}

int main(int argc, char **argv) {
    double noise[STEPS];
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_random_normal(1, 1000, 0, STEPS, noise));
    if (argc > 1 && strcmp(argv[1], "--csv") == 0)
        table(noise);
    else
        picture(noise);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
