/* SPDX-License-Identifier: MIT */
/* A field that is constant, drifts, changes abruptly, is constant and drifts faster, unknown to the policy. Prints the inferred
 * half-life (the time in which the correlation with the present falls to 1/2) and the true one on a logarithmic scale. With the
 * argument --csv it prints every step as CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { ARMS = 101, CENTRES = 61, STEPS = 1500, EVERY = 25, PLOT = 60 };
enum { WEIGHTS = 1000, NOISE = 1001 }; /* purposes of the random streams */

static const double LENGTHSCALE = 0.1, NOISE_VARIANCE = 0.02, LONGEST = 3000;

/* The truth: the rate of the change from step t - 1 to step t; 1 is a new field. */
static double rate(int t) {
    if (t == 751)
        return 1;
    return t > 300 && t <= 600 ? 0.03 : t > 1050 && t <= 1350 ? 0.1 : 0;
}

static double half_life(double epsilon) {
    return 2 * log(2) / -log1p(-epsilon);
}

/* A process convolution (Higdon 2002): weights on a lattice smoothed by a Gaussian have an SE covariance. */
static double field(const double *weight, double x) {
    double sum = 0, squares = 0;
    for (int c = 0; c < CENTRES; c++) {
        const double away = (x + 0.25 - 1.5 * c / (CENTRES - 1)) / LENGTHSCALE, smooth = exp(-away * away);
        sum += smooth * weight[c];
        squares += smooth * smooth;
    }
    return sum / sqrt(squares);
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "unknown_rate: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static double stat(const tvgp_policy *policy, const tvgp_ctx *ctx, const char *key) {
    double value;
    check(tvgp_policy_stat(policy, key, &value), ctx);
    return value;
}

static int column(double half) {
    const double place = (PLOT - 1) * log(fmin(half, LONGEST)) / log(LONGEST);
    return place > 0 ? (int)lround(place) : 0;
}

/* | is the truth, o what is inferred, * both. */
static void plot(int t, double truth, double inferred) {
    char line[PLOT + 1];
    memset(line, ' ', PLOT);
    line[PLOT] = 0;
    line[column(truth)] = '|';
    line[column(inferred)] = column(truth) == column(inferred) ? '*' : 'o';
    printf("%5d %8.0f %8.0f  %s\n", t, truth, inferred, line);
}

int main(int argc, char **argv) {
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const double lower = 0, upper = 1;
    const size_t points = ARMS;
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *policy = NULL;
    check(tvgp_ctx_create(NULL, &ctx), ctx);
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain), ctx);
    check(tvgp_kernel_se(ctx, 1, 1.0, 1, &LENGTHSCALE, &kernel), ctx);
    check(tvgp_policy_create(ctx, "auto-gp-ucb", domain, kernel, &policy), ctx);
    check(tvgp_policy_set_f64(policy, "noise", NOISE_VARIANCE), ctx);

    double weight[CENTRES], fresh[CENTRES], noise[STEPS], regret = 0, resets = 0;
    check(tvgp_random_normal(1, WEIGHTS, 0, CENTRES, weight), ctx);
    check(tvgp_random_normal(1, NOISE, 0, STEPS, noise), ctx);
    printf(csv ? "t,true_half_life,inferred_half_life,resets,regret\n"
               : "    t     true inferred  half-life from 1 to 3000 steps, | true, o inferred, * both\n");
    for (int t = 1; t <= STEPS; t++) {
        tvgp_query query;
        double x, best = -INFINITY;
        check(tvgp_random_normal(1, WEIGHTS, (uint64_t)t, CENTRES, fresh), ctx);
        for (int c = 0; c < CENTRES; c++)
            weight[c] = sqrt(1 - rate(t)) * weight[c] + sqrt(rate(t)) * fresh[c];
        check(tvgp_policy_ask_one(policy, t, &query, &x), ctx);
        const double value = field(weight, x);
        for (int i = 0; i < ARMS; i++)
            best = fmax(best, field(weight, i / (ARMS - 1.0)));
        check(tvgp_policy_tell_value(policy, query.id, value + sqrt(NOISE_VARIANCE) * noise[t - 1]), ctx);
        regret += best - value;

        const double truth = half_life(rate(t) < 1 ? rate(t) : 0), inferred = stat(policy, ctx, "half_life");
        if (csv)
            printf("%d,%g,%.4g,%g,%.4f\n", t, truth, inferred, stat(policy, ctx, "resets"), regret);
        else if (t % EVERY == 0)
            plot(t, truth, inferred);
        if (!csv && stat(policy, ctx, "resets") > resets)
            printf("%5d  everything is new since t = %g\n", t, stat(policy, ctx, "changepoint.last_reset"));
        resets = stat(policy, ctx, "resets");
    }
    if (!csv)
        printf("regret per step: %.3f\n", regret / STEPS);

    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
