/* SPDX-License-Identifier: MIT */
/* What is best depends on the hour of the day, and drifts: usage: season [--csv]. 41 arms, one ask an hour for sixty days; the
 * peak swings with the hour, by another amount each week. Four ways of telling a policy, and regret per step of the second half:
 *
 *   nothing           the hour is drift, too fast to follow
 *   mean of the hour  tvgp_policy_set_prior_mean with what the past says of this hour (tvgp_domain_seasonal_mean)
 *   context           a domain of pairs (arm, hour), a kernel over both, tvgp_policy_set_context
 *   random            for comparison */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

#define WIDTH " width.schedule=constant width.value=1"
enum { ARMS = 41, DAY = 24, STEPS = 60 * DAY };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "season: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static double truth(double x, int t) {
    const double swing = 0.3 + 0.1 * sin(0.3 * t / (7.0 * DAY)), peak = 0.5 + swing * sin(6.283185307179586 * t / DAY);
    const double away = (x - peak) / 0.15;
    return exp(-0.5 * away * away);
}

static tvgp_domain *places(void) {
    const double lower = 0, upper = 1;
    const size_t points = ARMS;
    tvgp_domain *domain;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain));
    return domain;
}

static tvgp_policy *create(const char *name, tvgp_domain *domain, tvgp_kernel *kernel, const char *options) {
    tvgp_policy *policy;
    check(tvgp_policy_create(ctx, name, domain, kernel, &policy));
    check(tvgp_policy_set(policy, options));
    tvgp_kernel_destroy(kernel);
    return policy;
}

static tvgp_kernel *alike(double lengthscale) {
    tvgp_kernel *kernel;
    check(tvgp_kernel_se(ctx, 1, 1, 1, &lengthscale, &kernel));
    return kernel;
}

/* Arms times hours: correlated where the arms are near and the hours are near on the clock. */
static tvgp_policy *by_context(tvgp_domain *arms) {
    const double lower = 0, upper = DAY - 1, scale = 0.7, period = DAY;
    const size_t points = DAY;
    tvgp_domain *hours, *both;
    tvgp_kernel *arm = alike(0.15), *hour, *over_arm, *over_hour, *kernel;
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &hours));
    check(tvgp_domain_product(ctx, arms, hours, &both));
    check(tvgp_kernel_periodic(ctx, 1, 1, 1, &scale, 1, &period, &hour));
    check(tvgp_kernel_slice(ctx, 2, 0, arm, &over_arm));
    check(tvgp_kernel_slice(ctx, 2, 1, hour, &over_hour));
    check(tvgp_kernel_product(ctx, over_arm, over_hour, &kernel));
    tvgp_kernel *const parts[] = {arm, hour, over_arm, over_hour};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        tvgp_kernel_destroy(parts[i]);
    tvgp_domain_destroy(hours);
    tvgp_policy *policy = create("tv-gp-ucb", both, kernel, "noise=0.01 half_life=2000" WIDTH);
    tvgp_domain_destroy(both);
    return policy;
}

/* What was seen so far, and from it the mean of each arm at each hour. */
typedef struct past {
    int64_t arm[STEPS];
    double t[STEPS], y[STEPS], mean[DAY * ARMS];
    size_t n;
} past;

static void set_mean_of_hour(tvgp_policy *policy, const tvgp_domain *arms, past *p, int t) {
    if (t < DAY)
        return;
    if (t % DAY == 0) {
        const size_t from = p->n > 14 * DAY ? p->n - 14 * DAY : 0; /* the last two weeks */
        check(tvgp_domain_seasonal_mean(arms, p->n - from, p->arm + from, p->t + from, p->y + from, DAY, DAY, p->mean));
    }
    check(tvgp_policy_set_prior_mean(policy, ARMS, p->mean + (t % DAY) * ARMS));
}

enum { NOTHING, MEAN, CONTEXT, RANDOM, WAYS };
static const char *const names[WAYS] = {"nothing", "mean of the hour", "context", "random"};

static double play(int way, const double *noise, double *regret) {
    static past p;
    tvgp_domain *arms = places();
    tvgp_policy *policy = way == CONTEXT ? by_context(arms)
                          : way == RANDOM
                              ? create("random", arms, alike(1), "")
                              : create("tv-gp-ucb", arms, alike(0.15),
                                       way == MEAN ? "noise=0.01 half_life=100" WIDTH : "noise=0.01 half_life=2" WIDTH);
    double sum = 0;
    p.n = 0;
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double x[2];
        if (way == CONTEXT)
            check(tvgp_policy_set_context(policy, t % DAY));
        if (way == MEAN)
            set_mean_of_hour(policy, arms, &p, t);
        check(tvgp_policy_ask_one(policy, t, &q, x));
        const double value = truth(x[0], t), y = value + 0.1 * noise[t];
        check(tvgp_policy_tell_value(policy, q.id, y));
        p.arm[p.n] = way == CONTEXT ? q.arm / DAY : q.arm;
        p.t[p.n] = t;
        p.y[p.n++] = y;
        sum += t >= STEPS / 2 ? (1 - value) / (STEPS / 2.0) : 0;
        regret[t] = 1 - value;
    }
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(arms);
    return sum;
}

int main(int argc, char **argv) {
    static double noise[STEPS], regret[WAYS][STEPS];
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    double total[WAYS];
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_random_normal(1, 1000, 0, STEPS, noise));
    for (int way = 0; way < WAYS; way++) {
        total[way] = play(way, noise, regret[way]);
        if (!csv)
            printf("%-18s %.3f\n", names[way], total[way]);
    }
    if (csv)
        printf("t,nothing,mean,context,random\n");
    for (int t = 0; csv && t < STEPS; t++)
        printf("%d,%.4f,%.4f,%.4f,%.4f\n", t, regret[NOTHING][t], regret[MEAN][t], regret[CONTEXT][t], regret[RANDOM][t]);
    tvgp_ctx_destroy(ctx);
    return total[CONTEXT] < total[NOTHING] ? EXIT_SUCCESS : EXIT_FAILURE;
}
