/* SPDX-License-Identifier: MIT */
/* Processor time of a whole run with 1 to 26 priors (SE kernels of lengthscale 0.1 to 0.5), as CSV: the least of several
 * repetitions, and its ratio to the sum over the priors of a run of tv-gp-ucb with that kernel alone: a step should cost no
 * more.
 *
 * usage: bench_priors [ARMS [STEPS [EPSILON]]]; defaults 52, 2000, 0.03. One thread of BLAS: OPENBLAS_NUM_THREADS=1. */
#include "problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5, MOST = 26 };

typedef struct bank {
    problem p;
    double epsilon;
    char known[SETTINGS_SIZE]; /* borrowed by the settings */
    tvgp_kernel *kernel[MOST];
} bank;

/* A run with this many of the kernels as priors; with 0 priors the policy's own kernel. */
static double run(bank *b, const char *name, size_t priors, double *alive) {
    tvgp_policy *policy = problem_policy(&b->p, name, NULL);
    for (size_t i = 0; i < priors; i++)
        problem_check(&b->p, tvgp_policy_add_prior(policy, b->kernel[i], 0, NULL, b->epsilon), "prior");
    const clock_t start = clock();
    for (size_t t = 1; t <= b->p.steps; t++)
        problem_step(&b->p, policy, t);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (priors)
        problem_check(&b->p, tvgp_policy_stat(policy, "priors.alive", alive), "priors alive");
    tvgp_policy_destroy(policy);
    return seconds;
}

static double best_run(bank *b, const char *name, size_t priors, double *alive) {
    double best = HUGE_VAL;
    for (int i = 0; i < REPEATS; i++)
        best = fmin(best, run(b, name, priors, alive));
    return best;
}

static void prepare(bank *b, size_t arms, size_t steps) {
    problem_create(&b->p, arms, steps);
    snprintf(b->known, sizeof b->known, "epsilon=%.17g", b->epsilon);
    settings_add(&b->p.defaults, b->known);
    for (size_t i = 0; i < MOST; i++) {
        const double lengthscale = 0.1 + 0.4 * (double)(i * 7 % MOST) / MOST; /* rough and smooth ones mixed */
        problem_check(&b->p, tvgp_kernel_se(b->p.ctx, 2, 1, 1, &lengthscale, &b->kernel[i]), "kernel");
    }
}

/* sum[k]: of the first k kernels, one after another. */
static void measure_singles(bank *b, double *sum) {
    tvgp_kernel *own = b->p.kernel;
    sum[0] = 0;
    for (size_t i = 0; i < MOST; i++) {
        b->p.kernel = b->kernel[i];
        sum[i + 1] = sum[i] + best_run(b, "tv-gp-ucb", 0, NULL);
    }
    b->p.kernel = own;
}

int main(int argc, char **argv) {
    static const char *const policies[] = {"pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};
    static const size_t counts[] = {1, 4, 13, MOST};
    const size_t arms = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 52;
    const size_t steps = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 2000;
    bank b = {.epsilon = argc > 3 ? strtod(argv[3], NULL) : 0.03};
    double sum[MOST + 1], alive;
    prepare(&b, arms, steps);
    measure_singles(&b, sum);
    printf("policy,arms,steps,epsilon,priors,alive,seconds,us_per_step,ratio\n");
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            const double seconds = best_run(&b, policies[i], counts[k], &alive);
            printf("%s,%zu,%zu,%g,%zu,%g,%.4f,%.2f,%.2f\n", policies[i], arms, steps, b.epsilon, counts[k], alive, seconds,
                   1e6 * seconds / (double)steps, seconds / sum[counts[k]]);
        }
    for (size_t i = 0; i < MOST; i++)
        tvgp_kernel_destroy(b.kernel[i]);
    problem_destroy(&b.p);
    return EXIT_SUCCESS;
}
