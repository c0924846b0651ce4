/* SPDX-License-Identifier: MIT */
/* Replays recorded sensor readings: at each time one sensor may be read; which policy stays on the highest value?
 *
 * The first rows train: all values are standardised by their overall mean and standard deviation, and the empirical
 * covariance of the arms over them is the kernel. One policy learns from the rows themselves, as historical data. The rest is
 * played one row per unit of time; the reward is the standardised value, without added noise, and regret is counted against the
 * best arm that has a value in the row. */
#include "csv.h"
#include "empirical_kernel.h"
#include "replay.h"
#include "replay_arguments.h"
#include "sensor_field.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_RUNS = 20, HOURS = 24 };

typedef struct problem {
    readings data; /* standardised */
    size_t train;
    double mean, sd, shrinkage;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} problem;

static _Noreturn void die(int code, const char *message) {
    fprintf(stderr, REPLAY_NAME ": %s\n", message);
    exit(code);
}

/* What the library refuses at first comes from the input: the data or the options. */
static void check(tvgp_status status, const problem *p, const char *what) {
    if (status == TVGP_OK)
        return;
    const char *message = status < 0 ? tvgp_ctx_errmsg(p->ctx) : "";
    fprintf(stderr, REPLAY_NAME ": %s: %s\n", what, *message ? message : tvgp_status_name(status));
    exit(status == TVGP_ERR_NOMEM ? EXIT_FAILURE : REPLAY_BAD_INPUT);
}

static void load(const replay_arguments *args, problem *p) {
    char error[512];
    if (args->data && csv_read(args->data, &p->data, error, sizeof error))
        die(REPLAY_BAD_INPUT, error);
    if (!args->data && sensor_field((uint64_t)args->seed, &p->data))
        die(EXIT_FAILURE, "out of memory");
    p->train = args->train ? args->train : p->data.n_times * 3 / 4;
    if (p->data.n_arms < 2)
        die(REPLAY_BAD_INPUT, "there is one column of values: a table has a column for each arm");
    if (p->train < 2 || p->train >= p->data.n_times) {
        snprintf(error, sizeof error, "cannot train on %zu of %zu rows: at least 2, and 1 must be left to play", p->train,
                 p->data.n_times);
        die(REPLAY_BAD_INPUT, error);
    }
    readings_moments(&p->data, 0, p->train, &p->mean, &p->sd);
    if (!(p->sd > 0))
        die(REPLAY_BAD_INPUT, "the training rows hold no two different values");
    readings_standardise(&p->data, p->mean, p->sd);
}

/* Prints the log lines about outcomes that contradict a default noise. */
static void hear(void *user, const char *message) {
    (void)user;
    if (strstr(message, "set noise"))
        fprintf(stderr, "%s\n", message);
}

static void build(problem *p) {
    if (tvgp_ctx_create(NULL, &p->ctx) != TVGP_OK || tvgp_ctx_set_logger(p->ctx, hear, NULL, NULL) != TVGP_OK)
        die(EXIT_FAILURE, "out of memory");
    check(tvgp_domain_indices(p->ctx, p->data.n_arms, &p->domain), p, "domain");
    check(empirical_kernel(p->ctx, &p->data, p->train, &p->shrinkage, &p->kernel), p, "kernel");
}

static tvgp_policy *make_policy(const problem *p, replay_arguments *args, const char *name, int64_t seed) {
    tvgp_policy *policy = NULL;
    check(tvgp_policy_create(p->ctx, name, p->domain, p->kernel, &policy), p, name);
    check(settings_apply(&args->defaults, policy), p, name);
    check(settings_apply(&args->sets, policy), p, name);
    check(tvgp_policy_set_i64(policy, "seed", seed), p, name);
    return policy;
}

/* A policy without a kernel that learns level, season and covariance from the training rows. */
static tvgp_policy *teach(const problem *p, replay_arguments *args) {
    tvgp_policy *policy = NULL;
    char period[32];
    double *t = malloc(p->train * sizeof *t);
    if (!t)
        die(EXIT_FAILURE, "out of memory");
    for (size_t i = 0; i < p->train; i++)
        t[i] = (double)i - (double)(p->train - 1); /* the first row that is played is at time 1 */
    snprintf(period, sizeof period, "history.periods=%zu", args->period);
    check(tvgp_policy_create(p->ctx, "auto-gp-ucb", p->domain, NULL, &policy), p, "auto-gp-ucb");
    if (args->period)
        check(tvgp_policy_set(policy, period), p, "--period");
    check(settings_apply(&args->sets, policy), p, "auto-gp-ucb");
    check(tvgp_policy_set_i64(policy, "seed", args->seed), p, "auto-gp-ucb");
    check(tvgp_policy_learn_history_table(policy, p->train, t, p->data.value), p, "the log");
    free(t);
    return policy;
}

static double stat(const problem *p, const tvgp_policy *policy, const char *key) {
    double value = 0;
    check(tvgp_policy_stat(policy, key, &value), p, key);
    return value;
}

/* The model of the historical data, in rows. */
static void print_learned(const problem *p, const tvgp_policy *policy) {
    const double period = stat(p, policy, "history.period"), level = stat(p, policy, "history.level_decay");
    printf("    learned: ");
    if (period > 0)
        printf("every %g rows; ", period);
    if (period > 0 && isfinite(stat(p, policy, "history.season_decay")))
        printf("the newest %g rows count most for it; ", period * stat(p, policy, "history.season_decay"));
    if (isfinite(level))
        printf("the newest %.3g rows count most for levels; ", level);
    printf("%.2f of the error of constant levels%s\n", stat(p, policy, "history.error"),
           stat(p, policy, "history.model_misspecified") > 0 ? "; played as misspecified" : "");
}

/* Before the run: the possible gain on these rows, and whether they can be followed. */
static void print_stake(const problem *p) {
    enum { FEW = 5 };
    replay_result arm, training;
    const size_t rows = p->data.n_times - p->train;
    const double lasting = readings_lasting(&p->data, p->train);
    (void)replay_best_constant(&p->data, p->train, &arm);
    replay_best_of_phase(&p->data, p->train, 1, 1, &training);
    printf("regret: loss against the best column of each row, in standard deviations of the training rows\n"
           "possible gain: regret %.0f at random, %.0f with the best arm of the training rows, %.0f with the best constant "
           "arm\n",
           replay_at_random(&p->data, p->train), training.regret, arm.regret);
    if (isfinite(lasting))
        printf("differences between columns last %.*f row%s\n", lasting < 10, lasting, lasting == 1 ? "" : "s");
    if (lasting < 1)
        printf("warning: more than half of a difference is gone at the next row: one reading a row can hardly follow it\n");
    if (rows < FEW * p->data.n_arms)
        printf("warning: %zu rows for %zu columns are few to learn more than the training rows contain\n", rows,
               p->data.n_arms);
}

static void print_head(const problem *p, const replay_arguments *args) {
    if (args->csv) {
        printf("policy,regret,regret_se,regret_per_step,regret_per_step_units,best_share,step_us\n");
        return;
    }
    printf("%s: %zu arms, %zu rows to train, %zu to play; mean %.4g, standard deviation %.4g\n",
           args->data ? args->data : "a simulated room", p->data.n_arms, p->train, p->data.n_times - p->train, p->mean,
           p->sd);
    if (p->shrinkage > 0)
        printf("blanks made the covariance indefinite: its off-diagonal entries are shrunk by %.2g %%\n",
               100 * p->shrinkage);
    print_stake(p);
    printf("\n%-34s %17s %9s %14s %9s %9s\n", "", "regret", "per step", "in data units", "best arm", "us/step");
}

static void print_row(const problem *p, const replay_arguments *args, const char *name, const replay_result *r, double se) {
    const double steps = fmax((double)r->steps, 1), each = r->regret / steps, share = (double)r->best_chosen / steps;
    if (args->csv) {
        printf("%s,%.10g,%.4g,%.10g,%.10g,%.6g,%.4g\n", name, r->regret, se, each, each * p->sd, share,
               1e6 * r->step_seconds);
        return;
    }
    char spread[16] = "", us[16] = "-";
    if (se > 0)
        snprintf(spread, sizeof spread, "+- %.1f", se);
    if (r->step_seconds > 0)
        snprintf(us, sizeof us, "%.1f", 1e6 * r->step_seconds);
    printf("%-34s %9.1f %-7s %9.3f %14.3f %7.1f %% %9s\n", name, r->regret, spread, each, each * p->sd, 100 * share, us);
}

/* Mean and standard error over RANDOM_RUNS seeds. */
static void print_random(const problem *p, replay_arguments *args) {
    replay_result mean = {0};
    double squares = 0;
    for (int run = 0; run < RANDOM_RUNS; run++) {
        replay_result r;
        tvgp_policy *policy = make_policy(p, args, "random", args->seed + run);
        check(replay_policy(policy, "random", &p->data, p->train, &r), p, "random");
        tvgp_policy_destroy(policy);
        mean.steps = r.steps;
        mean.best_chosen += r.best_chosen;
        mean.regret += r.regret / RANDOM_RUNS;
        mean.step_seconds += r.step_seconds / RANDOM_RUNS;
        squares += r.regret * r.regret;
    }
    mean.best_chosen /= RANDOM_RUNS;
    const double variance = (squares - RANDOM_RUNS * mean.regret * mean.regret) / (RANDOM_RUNS - 1);
    print_row(p, args, "random", &mean, sqrt(fmax(variance, 0) / RANDOM_RUNS));
}

static void print_best_constant(const problem *p, const replay_arguments *args) {
    replay_result result;
    char name[64];
    const size_t arm = replay_best_constant(&p->data, p->train, &result);
    snprintf(name, sizeof name, "best constant arm (%.16s)", p->data.names[arm]);
    print_row(p, args, name, &result, 0);
}

/* period: supplied, or found in the historical data; 0: none. */
static void print_best_of_training(const problem *p, const replay_arguments *args, size_t period) {
    replay_result result;
    if (period > 1) {
        replay_best_of_phase(&p->data, p->train, period, period < HOURS ? period : HOURS, &result);
        print_row(p, args, "best arm of the hour in training", &result, 0);
    }
    replay_best_of_phase(&p->data, p->train, 1, 1, &result);
    print_row(p, args, "best arm in training", &result, 0);
}

/* Plays the policy with historical data, and returns its period. */
static size_t play_taught(const problem *p, replay_arguments *args) {
    replay_result result;
    tvgp_policy *policy = teach(p, args);
    check(replay_policy(policy, "auto-gp-ucb", &p->data, p->train, &result), p, "auto-gp-ucb");
    print_row(p, args, args->csv ? "auto-gp-ucb with history" : "auto-gp-ucb, with history", &result, 0);
    const size_t period = args->period ? args->period : (size_t)stat(p, policy, "history.period");
    if (!args->csv) {
        print_learned(p, policy);
        printf("with the covariance only:\n");
    }
    tvgp_policy_destroy(policy);
    return period;
}

int main(int argc, char **argv) {
    replay_arguments args;
    problem p = {0};
    replay_arguments_parse(argc, argv, &args);
    load(&args, &p);
    build(&p);

    tvgp_policy *policies[REPLAY_MAX_POLICIES];
    for (size_t i = 0; i < args.n_policies; i++)
        policies[i] = make_policy(&p, &args, args.policies[i], args.seed);
    check(settings_refuse_unused(&args.sets, policies[0]), &p, "--set");

    print_head(&p, &args);
    const size_t period = args.chosen ? args.period : play_taught(&p, &args);
    for (size_t i = 0; i < args.n_policies; i++) {
        replay_result result;
        check(replay_policy(policies[i], args.policies[i], &p.data, p.train, &result), &p, args.policies[i]);
        print_row(&p, &args, args.policies[i], &result, 0);
        tvgp_policy_destroy(policies[i]);
    }
    print_best_of_training(&p, &args, period);
    print_best_constant(&p, &args);
    print_random(&p, &args);

    tvgp_kernel_destroy(p.kernel);
    tvgp_domain_destroy(p.domain);
    tvgp_ctx_destroy(p.ctx);
    readings_free(&p.data);
    return EXIT_SUCCESS;
}
