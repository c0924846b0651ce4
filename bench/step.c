/* SPDX-License-Identifier: MIT */
/* Time of one ask + tell against the step t, the number of arms and the policy, and the bytes held, as CSV: one line per
 * block of steps, with mean, median, the 99th and 99.9th of a hundred and the maximum over the block. Next to them the last two
 * of a control that does nothing for 20 microseconds after each step: what is longer there is not the library's.
 *
 * usage: bench_step [--policy NAME]... [--arms N]... [--steps T] [--block N] [--clock wall|processor] [--kernel none]
 *                   [--set KEY=VALUE]...
 * Defaults: every policy of the library, 100 and 1000 arms, 500 steps in blocks of 100. Is tv-gp-ucb flat in the long run?
 *   bench_step --policy tv-gp-ucb --arms 1000 --steps 20000 --block 1000
 * Latencies:
 *   bench_step --policy gp-ucb --policy tv-gp-ucb --policy sw-gp-ucb --policy auto-gp-ucb --arms 1000 --steps 20000 --block 20000
 * The longest step of one that learns its kernel as it goes:
 *   bench_step --policy auto-gp-ucb --arms 225 --steps 600 --block 600 --clock processor --kernel none */
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 32 };

typedef struct arguments {
    const char *policies[MAX_LIST];
    size_t n_policies;
    size_t arms[MAX_LIST];
    size_t n_arms;
    size_t steps, block;
    double (*now)(void);
    int defaults; /* policies are created without a kernel */
    settings sets;
} arguments;

static size_t parse_count(const char *option, const char *text) {
    char *end;
    const unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || value < 1 || value > INT32_MAX) {
        fprintf(stderr, "bench_step: %s: \"%s\" is not a positive count\n", option, text);
        exit(2);
    }
    return (size_t)value;
}

static void parse_arguments(int argc, char **argv, arguments *args) {
    *args = (arguments){.steps = 500, .block = 100, .now = stopwatch_seconds};
    for (int i = 1; i < argc; i += 2) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(option, "--steps") == 0) {
            args->steps = parse_count(option, value);
        } else if (strcmp(option, "--block") == 0) {
            args->block = parse_count(option, value);
        } else if (strcmp(option, "--clock") == 0 && (strcmp(value, "wall") == 0 || strcmp(value, "processor") == 0)) {
            args->now = *value == 'w' ? stopwatch_seconds : stopwatch_processor;
        } else if (strcmp(option, "--kernel") == 0 && strcmp(value, "none") == 0) {
            args->defaults = 1;
        } else if (strcmp(option, "--arms") == 0 && args->n_arms < MAX_LIST) {
            args->arms[args->n_arms++] = parse_count(option, value);
        } else if (strcmp(option, "--policy") == 0 && args->n_policies < MAX_LIST) {
            args->policies[args->n_policies++] = value;
        } else if (strcmp(option, "--set") != 0 || settings_add(&args->sets, value)) {
            fprintf(stderr, "bench_step: cannot take %s %s\n", option, value);
            exit(2);
        }
    }
    if (args->n_arms)
        return;
    args->arms[args->n_arms++] = 100;
    args->arms[args->n_arms++] = 1000;
}

static void all_policies(const problem *p, arguments *args) {
    size_t n;
    problem_check(p, tvgp_policy_count(p->ctx, &n), "policies");
    for (size_t i = 0; i < n && i < MAX_LIST; i++) {
        const char *doc;
        problem_check(p, tvgp_policy_name_at(p->ctx, i, &args->policies[i], &doc), "policies");
        args->n_policies++;
    }
}

static void check_settings(problem *p, arguments *args) {
    tvgp_policy *policy = NULL;
    for (size_t i = 0; i < args->n_policies; i++) {
        tvgp_policy_destroy(policy);
        policy = problem_policy(p, args->policies[i], &args->sets);
    }
    problem_check(p, settings_refuse_unused(&args->sets, policy), "--set");
    tvgp_policy_destroy(policy);
}

/* Reads the clock until so much has passed; how much had. */
static double idle(double (*now)(void), double seconds) {
    const double start = now();
    double passed = 0;
    while (passed < seconds)
        passed = now() - start;
    return passed;
}

/* Of n sorted times, in microseconds: the one below which the share is. */
static double quantile(size_t n, const double *seconds, double share) {
    const size_t at = (size_t)(share * (double)n);
    return 1e6 * seconds[at < n ? at : n - 1];
}

static double mean(size_t n, const double *seconds) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += seconds[i];
    return 1e6 * sum / (double)n;
}

static void measure(problem *p, arguments *args, const char *name, double *seconds) {
    double *control = seconds + args->block;
    tvgp_policy *policy = problem_policy(p, name, &args->sets);
    size_t taken = 0;
    for (size_t t = 1; t <= p->steps; t++) {
        const double start = args->now();
        problem_step(p, policy, t);
        seconds[taken] = args->now() - start;
        control[taken++] = idle(args->now, 2e-5);
        if (taken < args->block && t < p->steps)
            continue;
        size_t bytes;
        problem_check(p, tvgp_ctx_memory(p->ctx, &bytes), "memory");
        samples_sort(seconds, taken);
        samples_sort(control, taken);
        printf("%s,%zu,%zu,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%zu\n", name, p->arms, t, mean(taken, seconds),
               quantile(taken, seconds, 0.5), quantile(taken, seconds, 0.99), quantile(taken, seconds, 0.999),
               quantile(taken, seconds, 1), quantile(taken, control, 0.999), quantile(taken, control, 1), bytes);
        fflush(stdout);
        taken = 0;
    }
    tvgp_policy_destroy(policy);
}

int main(int argc, char **argv) {
    arguments args;
    parse_arguments(argc, argv, &args);
    double *seconds = malloc(2 * args.block * sizeof *seconds);
    if (!seconds)
        return EXIT_FAILURE;
    printf("policy,arms,t,us_mean,us_median,us_p99,us_p999,us_max,idle_p999,idle_max,bytes\n");
    for (size_t i = 0; i < args.n_arms; i++) {
        problem p;
        problem_create(&p, args.arms[i], args.steps);
        if (args.defaults) {
            tvgp_kernel_destroy(p.kernel);
            p.kernel = NULL;
        }
        if (!args.n_policies)
            all_policies(&p, &args);
        check_settings(&p, &args);
        for (size_t j = 0; j < args.n_policies; j++)
            measure(&p, &args, args.policies[j], seconds);
        problem_destroy(&p);
    }
    free(seconds);
    return EXIT_SUCCESS;
}
