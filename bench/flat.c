/* SPDX-License-Identifier: MIT */
/* Is a long run flat? Bytes held and time of one ask + tell in the third and in the last tenth of it, and their ratio: for
 * slow forgetting, and for a thousand asks a second in seconds since 1970. The median is the lowest of those of 100 blocks
 * in the tenth: what other programs do to the clock is left out.
 *
 * usage: bench_flat [ARMS [STEPS]]   default: 10 arms, 300,000 steps */
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"

#include <stdlib.h>

enum { BLOCKS = 100 };

static const struct {
    const char *policy, *epsilon;
    double start, dt;
} runs[] = {{"gp-ucb", NULL, 0, 1},
            {"tv-gp-ucb", "epsilon=0.03", 0, 1},
            {"tv-gp-ucb", "epsilon=0.001", 0, 1},
            {"tv-gp-ucb", "epsilon=0.0001", 0, 1},
            {"tv-gp-ucb", "epsilon=0.03", 1.7e9, 1e-3}};

typedef struct tenth {
    double us;
    size_t bytes;
} tenth;

/* The steps after `from`. */
static tenth play(const problem *p, tvgp_policy *policy, size_t run, size_t from, size_t steps, double *seconds) {
    tenth result = {.us = 1e300};
    const size_t block = steps / BLOCKS;
    for (size_t i = 0; i < BLOCKS; i++) {
        for (size_t k = 0; k < block; k++) {
            const size_t t = from + i * block + k + 1;
            const double start = stopwatch_seconds();
            problem_step_at(p, policy, t, runs[run].start + runs[run].dt * (double)t);
            seconds[k] = stopwatch_seconds() - start;
        }
        samples_sort(seconds, block);
        if (1e6 * seconds[block / 2] < result.us)
            result.us = 1e6 * seconds[block / 2];
    }
    problem_check(p, tvgp_ctx_memory(p->ctx, &result.bytes), "memory");
    return result;
}

static void measure(problem *p, size_t run, size_t steps, double *seconds) {
    settings sets = {0};
    if (runs[run].epsilon && settings_add(&sets, runs[run].epsilon))
        exit(EXIT_FAILURE);
    tvgp_policy *policy = problem_policy(p, runs[run].policy, &sets);
    tenth parts[10];
    for (size_t i = 0; i < 10; i++)
        parts[i] = play(p, policy, run, i * (steps / 10), steps / 10, seconds);
    printf("%s,%s,%g,%.3f,%.3f,%.3f,%zu,%zu,%.3f\n", runs[run].policy, runs[run].epsilon ? runs[run].epsilon : "-",
           runs[run].dt, parts[2].us, parts[9].us, parts[9].us / parts[2].us, parts[2].bytes, parts[9].bytes,
           (double)parts[9].bytes / (double)parts[2].bytes);
    fflush(stdout);
    tvgp_policy_destroy(policy);
}

int main(int argc, char **argv) {
    const size_t arms = argc > 1 ? (size_t)atoi(argv[1]) : 10, steps = argc > 2 ? (size_t)atoi(argv[2]) : 300000;
    if (arms < 1 || steps < 10 * BLOCKS) {
        fprintf(stderr, "usage: bench_flat [ARMS [STEPS]], with at least %d steps\n", 10 * BLOCKS);
        return EXIT_FAILURE;
    }
    double *seconds = malloc((steps / 10 / BLOCKS + 1) * sizeof *seconds);
    if (!seconds)
        return EXIT_FAILURE;
    problem p;
    problem_create(&p, arms, steps);
    printf("policy,law,dt,us_third,us_last,ratio,bytes_third,bytes_last,ratio\n");
    for (size_t run = 0; run < sizeof runs / sizeof *runs; run++)
        measure(&p, run, steps, seconds);
    problem_destroy(&p);
    free(seconds);
    return EXIT_SUCCESS;
}
