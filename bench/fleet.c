/* SPDX-License-Identifier: MIT */
/* Many small policies: tv-gp-ucb on one domain of 50 arms on a line (SE kernel, l = 0.1), one policy for each of 10,000 users,
 * who come in random order.
 * CSV: bytes a policy holds beyond what they share, and steps (ask and tell) a second of the processor's time, the best
 * of three parts of the run; once with delay.exact_observations=0, once with its default. Then what the first ask takes of the first of 200
 * auto-gp-ucb there and of the others (median), and bytes of each of these. It begins with the bytes of each
 * of 20 auto-gp-ucb on as many arms at random in the unit square, after 200 steps of each: with a learned kernel, and with a given one.
 *
 * usage: bench_fleet [policies [arms [steps of each policy]]]    defaults 10000 50 300 */
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct fleet {
    size_t n, arms, steps;
    tvgp_policy **policy;
    int64_t *clock; /* steps of each */
    double *value;  /* of the arms */
} fleet;

static uint64_t state = 1;

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t draw(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t bytes_of(const problem *p) {
    size_t bytes;
    problem_check(p, tvgp_ctx_memory(p->ctx, &bytes), "memory");
    return bytes;
}

static void step(const problem *p, fleet *f, size_t user) {
    tvgp_query query;
    problem_check(p, tvgp_policy_ask_one(f->policy[user], (double)++f->clock[user], &query, NULL), "ask");
    const double noise = 0.1 * ((double)(draw() >> 11) * 0x1p-52 - 1);
    problem_check(p, tvgp_policy_tell_value(f->policy[user], query.id, f->value[query.arm] + noise), "tell");
}

static void play(problem *p, fleet *f, const char *limit) {
    settings sets = {0};
    const size_t before = bytes_of(p), part = f->n * f->steps / 3;
    double seconds = 0;
    if (limit)
        settings_add(&sets, limit);
    for (size_t i = 0; i < f->n; i++) {
        f->clock[i] = 0;
        f->policy[i] = problem_policy(p, "tv-gp-ucb", &sets);
    }
    for (size_t i = 0; i < f->n; i++) /* all beyond the change of form */
        for (size_t t = 0; t < f->steps; t++)
            step(p, f, i);
    for (int repeat = 0; repeat < 3; repeat++) {
        const clock_t start = clock();
        for (size_t k = 0; k < part; k++)
            step(p, f, draw() % f->n);
        const double taken = (double)(clock() - start) / CLOCKS_PER_SEC;
        seconds = repeat && seconds < taken ? seconds : taken;
    }
    const size_t held = bytes_of(p) - before;
    for (size_t i = 1; i < f->n; i++)
        tvgp_policy_destroy(f->policy[i]);
    const size_t one = bytes_of(p) - before;
    printf("%s,%zu,%zu,%.0f,%zu,%.0f\n", limit ? limit : "default", f->n, f->arms,
           f->n > 1 ? (double)(held - one) / (double)(f->n - 1) : (double)one, one, (double)part / seconds);
    fflush(stdout);
    tvgp_policy_destroy(f->policy[0]);
}

static void first_asks(problem *p) {
    enum { ALL = 200 };
    settings none = {0};
    tvgp_policy *policy[ALL];
    tvgp_query query;
    double us[ALL];
    size_t first = 0;
    for (size_t i = 0; i < ALL; i++) {
        policy[i] = problem_policy(p, "auto-gp-ucb", &none);
        const double start = stopwatch_seconds();
        problem_check(p, tvgp_policy_ask_one(policy[i], 1, &query, NULL), "ask");
        us[i] = 1e6 * (stopwatch_seconds() - start);
        first = i ? first : bytes_of(p);
    }
    const double each = (double)(bytes_of(p) - first) / (ALL - 1);
    samples_sort(us + 1, ALL - 1);
    printf("\nfirst_us,others_us,bytes_each\n%.0f,%.0f,%.0f\n", us[0], us[ALL / 2], each);
    for (size_t i = 0; i < ALL; i++)
        tvgp_policy_destroy(policy[i]);
}

/* The problem's first coordinates, as arms on a line. */
static void line(problem *p) {
    const double lengthscale = 0.1;
    double *x = malloc(p->arms * sizeof *x);
    if (!x)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < p->arms; i++) {
        x[i] = p->X[2 * i];
        p->value[i] = sin(6 * x[i]) + 0.5 * sin(17 * x[i]);
    }
    tvgp_kernel_destroy(p->kernel);
    tvgp_domain_destroy(p->domain);
    problem_check(p, tvgp_domain_arms(p->ctx, p->arms, 1, x, &p->domain), "domain");
    problem_check(p, tvgp_kernel_se(p->ctx, 1, 1, 1, &lengthscale, &p->kernel), "kernel");
    free(x);
}

/* Bytes of a policy after use, and of one alone: the arms are those of the problem, at random in the unit square. */
static void in_use(problem *p, const tvgp_kernel *kernel) {
    enum { ALL = 20, STEPS = 200 };
    tvgp_policy *policy[ALL];
    tvgp_query query;
    size_t alone = 0;
    const size_t before = bytes_of(p);
    for (size_t i = 0; i < ALL; i++) {
        problem_check(p, tvgp_policy_create(p->ctx, "auto-gp-ucb", p->domain, kernel, &policy[i]), "auto-gp-ucb");
        for (int t = 1; t <= STEPS; t++) {
            problem_check(p, tvgp_policy_ask_one(policy[i], t, &query, NULL), "ask");
            const double noise = 0.1 * ((double)(draw() >> 11) * 0x1p-52 - 1);
            const double *x = &p->X[2 * query.arm];
            const double y = sin(6 * x[0] + 0.5 * (double)i + 0.01 * t) * cos(5 * x[1] - 0.02 * t) + noise;
            problem_check(p, tvgp_policy_tell_value(policy[i], query.id, y), "tell");
        }
        alone = i ? alone : bytes_of(p) - before;
    }
    printf("%s,%d,%d,%.0f,%zu\n", kernel ? "given" : "learned", (int)ALL, (int)STEPS, (double)(bytes_of(p) - before) / ALL,
           alone);
    for (size_t i = 0; i < ALL; i++)
        tvgp_policy_destroy(policy[i]);
}

int main(int argc, char **argv) {
    size_t given[3] = {10000, 50, 300};
    for (int i = 1; i < argc && i <= 3; i++)
        given[i - 1] = (size_t)strtoull(argv[i], NULL, 10);
    problem p;
    fleet f = {.n = given[0], .arms = given[1], .steps = given[2]};
    if (!f.n || !f.arms || f.steps < 3) {
        fprintf(stderr, "usage: bench_fleet [policies [arms [steps of each policy]]]\n");
        return 2;
    }
    problem_create(&p, f.arms, 1);
    puts("kernel,policies_in_use,steps,bytes_each,bytes_of_one_alone");
    in_use(&p, NULL);
    in_use(&p, p.kernel);
    line(&p);
    f.policy = calloc(f.n, sizeof(tvgp_policy *));
    f.clock = calloc(f.n, sizeof *f.clock);
    f.value = p.value;
    if (!f.policy || !f.clock)
        return EXIT_FAILURE;
    printf("delay.exact_observations,policies,arms,bytes_each,bytes_of_one_alone,steps_per_second\n");
    play(&p, &f, "delay.exact_observations=0");
    play(&p, &f, NULL);
    first_asks(&p);
    free(f.clock);
    free(f.policy);
    problem_destroy(&p);
    return EXIT_SUCCESS;
}
