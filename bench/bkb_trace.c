/* SPDX-License-Identifier: MIT */
/* bkb on many arms, for comparison with other programs: 5-dimensional uniform arms, a function drawn from the SE kernel with
 * l = 1, noise variance 0.09, qbar 2, delta 1/2, its own width. Writes DIR/arms, value, noise and draws (the uniform numbers
 * behind the dictionaries: one after the first outcome, two after the second, ..), all binary doubles, and DIR/tvgp.csv (the
 * arm of each step, dictionary drawn at every step). Prints for the dictionary drawn at every step and for three values of
 * update.growth: name, processor seconds, regret, arms in the last dictionary.
 *
 * usage: bench_bkb_trace DIR [arms [steps]], default 10000 2000 */
#include "features.h"
#include "problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DIM = 5, SEED = 1, DICTIONARY = 3, POINTS = 1100, NOISE = FEATURES_PURPOSE + 3 }; /* purposes of random streams */

static const double LENGTHSCALE = 1, NOISE_VARIANCE = 0.09;

static void write_numbers(const char *dir, const char *name, size_t n, const double *x) {
    FILE *file = problem_file(dir, name);
    const int failed = fwrite(x, sizeof *x, n, file) < n;
    if (fclose(file) || failed)
        exit(EXIT_FAILURE);
}

static void create(problem *p, size_t arms, size_t steps) {
    static const char *const sets[] = {"noise=0.09", "qbar=2", "width.delta=0.5", "seed=1", "dictionary.exact=off"};
    *p = (problem){.arms = arms, .steps = steps};
    p->X = malloc(DIM * arms * sizeof *p->X);
    p->value = malloc(arms * sizeof *p->value);
    p->noise = malloc(steps * sizeof *p->noise);
    problem_check(p, p->X && p->value && p->noise ? TVGP_OK : TVGP_ERR_NOMEM, "problem");
    problem_check(p, tvgp_random_uniform(SEED, POINTS, 0, DIM * arms, p->X), "arms");
    problem_check(p, tvgp_random_normal(SEED, NOISE, 0, steps, p->noise), "noise");
    problem_check(p, features_draw(SEED, LENGTHSCALE, arms, DIM, p->X, p->value), "function");
    for (size_t t = 0; t < steps; t++)
        p->noise[t] *= sqrt(NOISE_VARIANCE);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        settings_add(&p->defaults, sets[i]);
    problem_check(p, tvgp_ctx_create(NULL, &p->ctx), "context");
    problem_check(p, tvgp_domain_arms(p->ctx, arms, DIM, p->X, &p->domain), "domain");
    problem_check(p, tvgp_kernel_se(p->ctx, DIM, 1, 1, &LENGTHSCALE, &p->kernel), "kernel");
}

static void write_draws(const problem *p, const char *dir) {
    double *u = malloc(p->steps * (p->steps + 1) / 2 * sizeof *u);
    problem_check(p, u ? TVGP_OK : TVGP_ERR_NOMEM, "draws");
    size_t at = 0;
    for (size_t s = 0; s < p->steps; at += ++s)
        problem_check(p, tvgp_random_uniform(SEED, DICTIONARY, s, s + 1, u + at), "draws");
    write_numbers(dir, "draws", at, u);
    free(u);
}

static void play(problem *p, const char *growth, FILE *choices) {
    settings sets = {0};
    double top = -INFINITY, regret = 0, dictionary;
    settings_add(&sets, growth);
    for (size_t i = 0; i < p->arms; i++)
        top = fmax(top, p->value[i]);
    const clock_t start = clock();
    tvgp_policy *policy = problem_policy(p, "bkb", &sets);
    for (size_t t = 1; t <= p->steps; t++) {
        const size_t arm = problem_step(p, policy, t);
        regret += top - p->value[arm];
        if (choices)
            fprintf(choices, "%zu\n", arm);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    problem_check(p, tvgp_policy_stat(policy, "dictionary.size", &dictionary), "dictionary");
    printf("%s %.3f %.0f %.0f\n", growth, seconds, regret, dictionary);
    tvgp_policy_destroy(policy);
}

int main(int argc, char **argv) {
    static const char *const lazy[] = {"update.growth=2", "update.growth=4", "update.growth=16"};
    const long arms = argc > 2 ? atol(argv[2]) : 10000, steps = argc > 3 ? atol(argv[3]) : 2000;
    if (argc < 2 || arms < 1 || arms > 1000000 || steps < 1 || steps > 10000) {
        fprintf(stderr, "usage: bench_bkb_trace DIR [arms [steps]]\n");
        return 2;
    }
    problem p;
    create(&p, (size_t)arms, (size_t)steps);
    write_numbers(argv[1], "arms", DIM * p.arms, p.X);
    write_numbers(argv[1], "value", p.arms, p.value);
    write_numbers(argv[1], "noise", p.steps, p.noise);
    write_draws(&p, argv[1]);
    FILE *choices = problem_file(argv[1], "tvgp.csv");
    play(&p, "update.growth=1", choices);
    fclose(choices);
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; i++)
        play(&p, lazy[i], NULL);
    problem_destroy(&p);
    return EXIT_SUCCESS;
}
