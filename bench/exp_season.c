/* SPDX-License-Identifier: MIT */
/* Days that resemble each other: what the hour is worth. Temperatures of 46 sensors (ten-minute rows; train on the first 3, 4,
 * 5, 6 days, play the next 2), speeds of 25 road sensors (five-minute rows; train on 4 to 8 days and play the next 3, on 10
 * and play the next 4), and made-up swings with drift: 30 sensors, each with a swing over the day of its own (amplitude to 1,
 * any phase) and an autoregressive rest (ten-minute rows, correlation 0.98 between them, sd 0.5; four times train on 4 days
 * and play the next 2). Values are standardised by the training days and observed without noise; policies have their defaults.
 * What a policy is given, all of it from the training days:
 *
 *   plain    the covariance of the sensors
 *   mean     next to it the means by hour (tvgp_domain_seasonal_mean), as a prior mean that moves with the clock
 *   rest     those means, and the covariance of what they leave
 *   law      rest, and that what is left repeats every day (season.period; policies that have it)
 *   context  the same as rest on sensors x hours: the covariance of what is left times a kernel that repeats over the hours
 *
 * Next to random play and the best constant arm: the table `best arm of the hour in the training days`, which learns nothing. */
#include "empirical_kernel.h"
#include "exp.h"
#include "experiment.h"
#include "recorded.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOURS = 24, SPLITS = 6 };

typedef struct set {
    const char *name, *file;
    size_t rows_a_day, n_splits, train_days[SPLITS], test_days[SPLITS];
} set;

static const set sets[] = {
    {"laboratory", "intel_temp_8day_46.csv", 144, 4, {3, 4, 5, 6}, {2, 2, 2, 2}},
    {"traffic", "traffic_pemsd7_25.csv", 288, 6, {4, 5, 6, 7, 8, 10}, {3, 3, 3, 3, 3, 4}},
    {"made-up", NULL, 144, 4, {4, 4, 4, 4}, {2, 2, 2, 2}}, /* four rooms */
};

/* One split: standardised values, and what its training days say. */
typedef struct split {
    readings data, rest; /* rest: less the means by hour */
    size_t rows_a_day, train, test;
    double mean[HOURS * 64]; /* by hour and sensor */
    tvgp_ctx *ctx;
    tvgp_domain *sensors, *joint;
    tvgp_kernel *plain, *residual, *periodic;
} split;

static size_t hour_of(const split *s, size_t row) {
    return row % s->rows_a_day * HOURS / s->rows_a_day;
}

static const double *row_of(const split *s, size_t row) {
    return s->data.value + row * s->data.n_arms;
}

static void make_up(uint64_t seed, readings *data) {
    enum { ARMS = 30, DAY = 144, ROWS = 6 * DAY };
    const double pi = 3.14159265358979323846, keep = 0.98, spread = 0.5;
    double fixed[2], z[ROWS];
    *data = (readings){.n_times = ROWS, .n_arms = ARMS, .value = experiment_allocate((size_t)ROWS * ARMS, sizeof(double))};
    for (size_t a = 0; a < ARMS; a++) {
        double rest = 0;
        experiment_check(NULL, tvgp_random_uniform(seed, EXPERIMENT_OWN, a, 2, fixed), "random numbers");
        experiment_check(NULL, tvgp_random_normal(seed, EXPERIMENT_OWN + 1, a, ROWS, z), "random numbers");
        for (size_t i = 0; i < ROWS; i++) {
            rest = i ? keep * rest + sqrt(1 - keep * keep) * spread * z[i] : spread * z[i];
            data->value[i * ARMS + a] = fixed[0] * sin(2 * pi * ((double)i / DAY - fixed[1])) + rest;
        }
    }
}

static void learn_means(split *s) {
    const size_t n = s->train * s->data.n_arms;
    int64_t *arm = experiment_allocate(n, sizeof *arm);
    double *t = experiment_allocate(n, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        arm[i] = (int64_t)(i % s->data.n_arms);
        t[i] = (double)(i / s->data.n_arms);
    }
    experiment_check(s->ctx,
                     tvgp_domain_seasonal_mean(s->sensors, n, arm, t, s->data.value, (double)s->rows_a_day, HOURS, s->mean),
                     "means by hour");
    free(t);
    free(arm);
}

/* Sensors x hours: the residual covariance over the sensors times a day over the hours. */
static void build_joint(split *s) {
    const double lengthscale = 1, period = HOURS;
    tvgp_domain *hours;
    tvgp_kernel *day, *part[2];
    experiment_check(s->ctx, tvgp_domain_indices(s->ctx, HOURS, &hours), "hours");
    experiment_check(s->ctx, tvgp_domain_product(s->ctx, s->sensors, hours, &s->joint), "sensors x hours");
    experiment_check(s->ctx, tvgp_kernel_periodic(s->ctx, 1, 1, 1, &lengthscale, 1, &period, &day), "day");
    experiment_check(s->ctx, tvgp_kernel_slice(s->ctx, 2, 0, s->residual, &part[0]), "slice");
    experiment_check(s->ctx, tvgp_kernel_slice(s->ctx, 2, 1, day, &part[1]), "slice");
    experiment_check(s->ctx, tvgp_kernel_product(s->ctx, part[0], part[1], &s->periodic), "product");
    tvgp_kernel_destroy(part[0]);
    tvgp_kernel_destroy(part[1]);
    tvgp_kernel_destroy(day);
    tvgp_domain_destroy(hours);
}

static void open_split(const set *of, size_t i, split *s) {
    double mean, sd, shrinkage;
    memset(s, 0, sizeof *s);
    s->rows_a_day = of->rows_a_day;
    s->train = of->train_days[i] * of->rows_a_day;
    s->test = of->test_days[i] * of->rows_a_day;
    for (int copy = 0; copy < 2; copy++)
        if (of->file)
            recorded_read(of->file, 0, copy ? &s->rest : &s->data);
        else
            make_up(i + 1, copy ? &s->rest : &s->data);
    readings_moments(&s->data, 0, s->train, &mean, &sd);
    readings_standardise(&s->data, mean, sd);
    experiment_check(NULL, tvgp_ctx_create(NULL, &s->ctx), "context");
    experiment_check(s->ctx, tvgp_domain_indices(s->ctx, s->data.n_arms, &s->sensors), "sensors");
    learn_means(s);
    for (size_t k = 0; k < s->data.n_times * s->data.n_arms; k++)
        s->rest.value[k] = s->data.value[k] - s->mean[hour_of(s, k / s->data.n_arms) * s->data.n_arms + k % s->data.n_arms];
    experiment_check(s->ctx, empirical_kernel(s->ctx, &s->data, s->train, &shrinkage, &s->plain), "covariance");
    experiment_check(s->ctx, empirical_kernel(s->ctx, &s->rest, s->train, &shrinkage, &s->residual), "covariance");
    build_joint(s);
}

static void close_split(split *s) {
    tvgp_kernel *kernels[] = {s->plain, s->residual, s->periodic};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        tvgp_kernel_destroy(kernels[i]);
    tvgp_domain_destroy(s->joint);
    tvgp_domain_destroy(s->sensors);
    tvgp_ctx_destroy(s->ctx);
    readings_free(&s->data);
    readings_free(&s->rest);
}

/* ---- who plays -------------------------------------------------------------------------------------------------- */

static double regret_of(const split *s, size_t row, size_t arm) {
    const double *f = row_of(s, row);
    double best = -INFINITY;
    for (size_t a = 0; a < s->data.n_arms; a++)
        best = fmax(best, f[a]);
    return best - f[arm];
}

static double play_table(const split *s) {
    double regret = 0;
    for (size_t i = 0; i < s->test; i++) {
        const double *mean = s->mean + hour_of(s, s->train + i) * s->data.n_arms;
        size_t best = 0;
        for (size_t a = 1; a < s->data.n_arms; a++)
            if (mean[a] > mean[best])
                best = a;
        regret += regret_of(s, s->train + i, best);
    }
    return regret;
}

static double play_constant(const split *s) {
    double least = INFINITY;
    for (size_t a = 0; a < s->data.n_arms; a++) {
        double regret = 0;
        for (size_t i = 0; i < s->test; i++)
            regret += regret_of(s, s->train + i, a);
        least = fmin(least, regret);
    }
    return least;
}

enum { PLAIN, MEAN, REST, LAW, CONTEXT, FORMS };
static const char *const forms[FORMS] = {"plain", "mean", "rest", "law", "context"};

/* Before the ask of a row: the hour's mean, or the hour as the context. */
static void tell_hour(const split *s, int form, tvgp_policy *policy, size_t row) {
    const size_t hour = hour_of(s, row), arms = s->data.n_arms;
    if (form == MEAN || form == REST || form == LAW)
        experiment_check(s->ctx, tvgp_policy_set_prior_mean(policy, arms, s->mean + hour * arms), "prior mean");
    else if (form == CONTEXT)
        experiment_check(s->ctx, tvgp_policy_set_context(policy, (int64_t)hour), "context");
}

static double play_policy(const split *s, experiment *e, size_t player, int form) {
    const size_t arms = s->data.n_arms;
    const tvgp_domain *domain = form == CONTEXT ? s->joint : s->sensors;
    const tvgp_kernel *kernel = form == CONTEXT ? s->periodic : form == REST || form == LAW ? s->residual : s->plain;
    tvgp_policy *policy = experiment_policy(e, player, s->ctx, domain, kernel, 0);
    char period[16];
    snprintf(period, sizeof period, "%zu", s->rows_a_day);
    if (form == LAW && tvgp_policy_set_str(policy, "season.period", period) != TVGP_OK) {
        tvgp_policy_destroy(policy);
        return NAN;
    }
    double regret = 0, joint[HOURS * 64];
    for (size_t k = 0; k < HOURS * arms; k++)
        joint[k] = s->mean[k % HOURS * arms + k / HOURS];
    if (form == CONTEXT)
        experiment_check(s->ctx, tvgp_policy_set_prior_mean(policy, HOURS * arms, joint), "prior mean");
    for (size_t i = 0; i < s->test; i++) {
        tvgp_query q;
        tell_hour(s, form, policy, s->train + i);
        experiment_check(s->ctx, tvgp_policy_ask_one(policy, (double)(i + 1), &q, NULL), "ask");
        const size_t arm = form == CONTEXT ? (size_t)q.arm / HOURS : (size_t)q.arm;
        experiment_check(s->ctx, tvgp_policy_tell_value(policy, q.id, row_of(s, s->train + i)[arm]), "tell");
        regret += regret_of(s, s->train + i, arm);
    }
    tvgp_policy_destroy(policy);
    return regret;
}

static void print_row(const set *of, const char *policy, const char *form, const double *regret) {
    printf("%s,%s,%s,%.1f", of->name, policy, form, experiment_sum(of->n_splits, regret));
    for (size_t i = 0; i < SPLITS; i++)
        i < of->n_splits ? printf(",%.1f", regret[i]) : printf(",");
    printf("\n");
    fflush(stdout);
}

static void play_set(experiment *e, const set *of) {
    double regret[SPLITS];
    split *s = experiment_allocate(of->n_splits, sizeof *s);
    for (size_t i = 0; i < of->n_splits; i++)
        open_split(of, i, &s[i]);
    for (size_t i = 0; i < of->n_splits; i++)
        regret[i] = play_table(&s[i]);
    print_row(of, "table of the hour", "", regret);
    for (size_t i = 0; i < of->n_splits; i++)
        regret[i] = play_constant(&s[i]);
    print_row(of, "best constant arm", "", regret);
    for (size_t player = 0; player < e->n_players; player++)
        for (int form = 0; form < FORMS; form++) {
            for (size_t i = 0; i < of->n_splits; i++)
                regret[i] = play_policy(&s[i], e, player, form);
            if (isnan(regret[0]))
                continue;
            print_row(of, e->players[player].label, forms[form], regret);
        }
    for (size_t i = 0; i < of->n_splits; i++)
        close_split(&s[i]);
    free(s);
}

void exp_season(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb model.assume_misspecified=1",
                                          "auto-gp-ucb scale.learn=1",
                                          "auto-gp-ucb",
                                          "tv-gp-ucb",
                                          "tv-gp-ucb epsilon=0.003",
                                          "random",
                                          NULL};
    experiment e = {.name = "season", .runs = 1, .processes = 1, .seed = 1};
    experiment_read(&e, argc, argv, players, NULL, 0);
    printf("set,policy,given,regret,split1,split2,split3,split4,split5,split6\n");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        play_set(&e, &sets[i]);
}
