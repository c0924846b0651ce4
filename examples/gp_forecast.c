/* SPDX-License-Identifier: MIT */
/* Gaussian-process regression without a policy: a load that repeats every day and drifts, forecast a day ahead.
 *
 * The point is the hour of the day, under a periodic kernel; a kernel over time lets the daily curve change. Hyperparameters are
 * fitted once, on four weeks. Then each hour is observed, the oldest observation leaves, and the same hour of the next day is
 * forecast. The forecast is compared with the value of the day before. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { DAY = 24, HELD = 28 * DAY, HOURS = HELD + 60 * DAY };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status >= 0)
        return;
    fprintf(stderr, "gp_forecast: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* Two peaks a day whose heights change over weeks, and noise of standard deviation 2. */
static void load_of(double *y) {
    check(tvgp_random_normal(1, 1000, 0, HOURS, y));
    for (int t = 0; t < HOURS; t++) {
        const double angle = 2 * 3.14159265358979 * t / DAY, week = t / (7.0 * DAY);
        y[t] = 100 + 12 * sin(angle - 2) + (6 + 3 * sin(week)) * cos(2 * angle) + 5 * sin(week / 2) + 2 * y[t];
    }
}

static tvgp_gp *create(void) {
    const double lengthscale = 1, period = DAY;
    tvgp_kernel *hour, *time;
    tvgp_gp *gp;
    check(tvgp_kernel_periodic(ctx, 1, 100, 1, &lengthscale, 1, &period, &hour));
    check(tvgp_kernel_forgetting(ctx, 0.01, &time)); /* 1 % an hour, before the fit */
    check(tvgp_gp_create(ctx, hour, time, 4, &gp));
    check(tvgp_gp_set_prior_mean(gp, 100, NULL));
    tvgp_kernel_destroy(hour); /* the posterior keeps what it uses */
    tvgp_kernel_destroy(time);
    return gp;
}

static void observe(tvgp_gp *gp, int t, double y) {
    const double hour = t % DAY, at = t;
    check(tvgp_gp_add(gp, 1, &hour, &at, &y, NULL));
}

int main(void) {
    double *y = malloc(HOURS * sizeof *y), objective, noise, level, before = 0, errors = 0, naive = 0, slope = 0;
    int within = 0, forecasts = 0;
    check(y ? tvgp_ctx_create(NULL, &ctx) : TVGP_ERR_NOMEM);
    load_of(y);
    tvgp_gp *gp = create();
    for (int t = 0; t < HELD; t++)
        observe(gp, t, y[t]);
    check(tvgp_gp_log_marginal_likelihood(gp, &before));
    check(tvgp_gp_fit(gp, NULL, NULL, 20, &objective)); /* TVGP_AGAIN: the best found so far is in use */
    check(tvgp_gp_log_marginal_likelihood(gp, &objective));
    check(tvgp_gp_noise(gp, &noise, &level));
    printf("fit: log marginal likelihood %.0f -> %.0f, noise sd %.1f\n", before, objective, sqrt(noise));
    for (int t = HELD; t + DAY < HOURS; t++) {
        const double hour = t % DAY;
        double mean, var;
        observe(gp, t, y[t]);
        check(tvgp_gp_drop(gp, 1));
        check(tvgp_gp_predict_gradient(gp, 1, &hour, t + DAY, &mean, &var, &slope, NULL));
        errors += (y[t + DAY] - mean) * (y[t + DAY] - mean);
        naive += (y[t + DAY] - y[t]) * (y[t + DAY] - y[t]);
        within += fabs(y[t + DAY] - mean) < 1.96 * sqrt(var + noise);
        forecasts++;
    }
    printf("a day ahead: error %.2f, value of the day before %.2f, noise alone 2.00; %.0f %% within the interval of 95 %%\n",
           sqrt(errors / forecasts), sqrt(naive / forecasts), 100.0 * within / forecasts);
    printf("the forecast rises by %.2f an hour at the end\n", slope);
    tvgp_gp_destroy(gp);
    tvgp_ctx_destroy(ctx);
    free(y);
    return EXIT_SUCCESS;
}
