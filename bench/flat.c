/* SPDX-License-Identifier: MIT */
/* Is a long run flat, and right? Bytes held and time of one ask + tell in the third and in the last tenth of it, and their ratio: for
 * slow forgetting, and for a thousand asks a second in seconds since 1970. The median is the lowest of those of 100 blocks
 * in the tenth: what other programs do to the clock is left out.
 *
 * Before that tv-gp-ucb plays a third as many steps next to a plain filter in long double, P <- m^2 P + (1 - m^2) K and P -= p p'
 * / s: how many choices the filter has that are clear (the next best arm is 1e-9 lower), how many of these are equal, and
 * how far the last means and variances are apart.
 *
 * usage: bench_flat [ARMS [STEPS]]   default: 10 arms, 300,000 steps */
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"

#include <math.h>
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

/* ---- a plain filter --------------------------------------------------------------------------------------------- */

typedef long double real;

typedef struct filter {
    size_t n;
    real *K, *P, *mean, *p;
} filter;

static const double EPSILON = 0.03, NOISE = 0.01, WIDTH = 2, LENGTH = 0.2; /* as problem.h has them */

static filter filter_of(const problem *p) {
    const size_t n = p->arms;
    filter f = {.n = n, .K = calloc(n * (2 * n + 2), sizeof(real))};
    if (!f.K)
        exit(EXIT_FAILURE);
    f.P = f.K + n * n;
    f.mean = f.P + n * n;
    f.p = f.mean + n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const real x = (real)p->X[2 * i] - p->X[2 * j], y = (real)p->X[2 * i + 1] - p->X[2 * j + 1];
            f.K[i * n + j] = f.P[i * n + j] = expl(-(x * x + y * y) / (2 * (real)LENGTH * LENGTH));
        }
    return f;
}

/* To the next time; the arm of the highest bound, and by how much. */
static size_t filter_choose(filter *f, real *ahead) {
    const real m2 = 1 - (real)EPSILON;
    real most = -INFINITY, second = -INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < f->n * f->n; i++)
        f->P[i] = m2 * f->P[i] + (1 - m2) * f->K[i];
    for (size_t i = 0; i < f->n; i++) {
        f->mean[i] *= sqrtl(m2);
        const real score = f->mean[i] + (real)WIDTH * sqrtl(f->P[i * (f->n + 1)]);
        second = fmaxl(second, fminl(score, most));
        best = score > most ? i : best;
        most = fmaxl(most, score);
    }
    *ahead = most - second;
    return best;
}

static void filter_observe(filter *f, size_t arm, double y) {
    const real s = f->P[arm * (f->n + 1)] + (real)NOISE, e = y - f->mean[arm];
    for (size_t i = 0; i < f->n; i++)
        f->p[i] = f->P[arm * f->n + i];
    for (size_t i = 0; i < f->n; i++) {
        f->mean[i] += f->p[i] * e / s;
        for (size_t j = 0; j < f->n; j++)
            f->P[i * f->n + j] -= f->p[i] * f->p[j] / s;
    }
}

static void compare(problem *p, size_t steps) {
    filter f = filter_of(p);
    tvgp_policy *policy = problem_policy(p, "tv-gp-ucb", NULL);
    size_t clear = 0, equal = 0;
    for (size_t t = 1; t <= steps; t++) {
        real ahead;
        const size_t best = filter_choose(&f, &ahead), arm = problem_step(p, policy, t);
        clear += ahead > 1e-9L;
        equal += ahead > 1e-9L && arm == best;
        filter_observe(&f, arm, p->value[arm] + p->noise[t - 1]);
    }
    double *mean = malloc(2 * f.n * sizeof *mean), *var = mean + f.n, apart[2] = {0};
    if (!mean)
        exit(EXIT_FAILURE);
    problem_check(p, tvgp_policy_predict(policy, (double)steps, f.n, p->X, mean, var), "predict");
    for (size_t i = 0; i < f.n; i++) {
        apart[0] = fmax(apart[0], (double)fabsl(f.mean[i] - mean[i]));
        apart[1] = fmax(apart[1], (double)fabsl(f.P[i * (f.n + 1)] - var[i]));
    }
    printf("steps,clear,equal,mean_apart,var_apart\n%zu,%zu,%zu,%.2g,%.2g\n", steps, clear, equal, apart[0], apart[1]);
    free(mean);
    free(f.K);
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
    compare(&p, steps / 3);
    printf("policy,law,dt,us_third,us_last,ratio,bytes_third,bytes_last,ratio\n");
    for (size_t run = 0; run < sizeof runs / sizeof *runs; run++)
        measure(&p, run, steps, seconds);
    problem_destroy(&p);
    free(seconds);
    return EXIT_SUCCESS;
}
