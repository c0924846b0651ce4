/* SPDX-License-Identifier: MIT */
/* bkb next to the exact posterior: regret and time on many arms that do not change. Arms: uniform points of the unit cube
 * with a function drawn from the kernel (features.h), or the rows of a table of numbers with a header: its last column is
 * the reward, the others, standardised, are the arms. */
#include "exp.h"
#include "experiment.h"
#include "features.h"
#include "recorded.h"
#include "samples.h"
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = EXPERIMENT_OWN, NOISE = FEATURES_PURPOSE + 3 };
enum { VALUES = 7 }; /* per algorithm: see report */

typedef struct scene {
    double arms, dim, lengthscale, noise, steps;
    const char *data;
    double *X, *f; /* f NULL: drawn for each run */
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} scene;

/* Of this process (one thread of BLAS), whatever else the machine does. */
static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double *normal(uint64_t seed, uint32_t purpose, size_t n) {
    double *x = experiment_allocate(n, sizeof *x);
    experiment_check(NULL, tvgp_random_normal(seed, purpose, 0, n, x), "random numbers");
    return x;
}

static double *draw_function(const scene *s, uint64_t seed) {
    double *f = experiment_allocate((size_t)s->arms, sizeof *f);
    experiment_check(NULL, features_draw(seed, s->lengthscale, (size_t)s->arms, (size_t)s->dim, s->X, f), "function");
    return f;
}

static void standardise(double *x, size_t n, size_t stride) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i * stride] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i * stride] - mean) * (x[i * stride] - mean) / (double)n;
    for (size_t i = 0; i < n; i++)
        x[i * stride] = square > 0 ? (x[i * stride] - mean) / sqrt(square) : 0;
}

/* Processor seconds of all asks and tells; regret[0] in the whole run, regret[1] in its second half. */
static double play(const scene *s, tvgp_policy *policy, const double *f, const double *noise, double *regret) {
    const size_t n = (size_t)s->arms, steps = (size_t)s->steps;
    double seconds = 0, top = -INFINITY;
    for (size_t i = 0; i < n; i++)
        top = fmax(top, f[i]);
    for (size_t t = 1; t <= steps; t++) {
        tvgp_query q;
        const double start = processor_seconds();
        experiment_check(s->ctx, tvgp_policy_ask_one(policy, (double)t, &q, NULL), "ask");
        experiment_check(s->ctx, tvgp_policy_tell_value(policy, q.id, f[q.arm] + sqrt(s->noise) * noise[t - 1]), "tell");
        seconds += processor_seconds() - start;
        regret[0] += top - f[q.arm];
        regret[1] += t > steps / 2 ? top - f[q.arm] : 0;
    }
    return seconds;
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const scene *s = user;
    double *f = s->f ? s->f : draw_function(s, e->seed + r), *noise = normal(e->seed + r, NOISE, (size_t)s->steps);
    for (size_t i = 0; i < e->n_players; i++) {
        double *v = values + VALUES * i, regret[2] = {0};
        tvgp_policy *policy = experiment_policy(e, i, s->ctx, s->domain, s->kernel, r);
        size_t before, after;
        experiment_check(s->ctx, tvgp_ctx_memory(s->ctx, &before), "memory");
        v[2] = play(s, policy, f, noise, regret);
        experiment_check(s->ctx, tvgp_ctx_memory(s->ctx, &after), "memory");
        v[0] = regret[0];
        v[1] = regret[1];
        v[3] = experiment_stat(policy, "dictionary.size");
        v[4] = experiment_stat(policy, "distinct");
        v[5] = experiment_stat(policy, "effective_dimension");
        v[6] = 1e-6 * (double)(after - before);
        tvgp_policy_destroy(policy);
    }
    free(noise);
    if (!s->f)
        free(f);
}

/* Rows that miss a number are left out. */
static void load(scene *s) {
    readings r;
    recorded_read(s->data, 0, &r);
    const size_t columns = r.n_arms, dim = columns - 1;
    size_t n = 0;
    s->X = experiment_allocate(r.n_times * dim, sizeof *s->X);
    s->f = experiment_allocate(r.n_times, sizeof *s->f);
    for (size_t i = 0; i < r.n_times; i++) {
        const double *row = r.value + i * columns;
        size_t known = 0;
        while (known < columns && !isnan(row[known]))
            known++;
        if (known < columns)
            continue;
        memcpy(s->X + n * dim, row, dim * sizeof *row);
        s->f[n++] = row[dim];
    }
    readings_free(&r);
    for (size_t d = 0; d < dim; d++)
        standardise(s->X + d, n, dim);
    standardise(s->f, n, 1);
    s->arms = (double)n;
    s->dim = (double)dim;
}

static void draw_arms(scene *s, uint64_t seed) {
    const size_t n = (size_t)(s->arms * s->dim);
    s->X = experiment_allocate(n, sizeof *s->X);
    experiment_check(NULL, tvgp_random_uniform(seed, POINTS, 0, n, s->X), "random numbers");
}

static void report(const experiment *e, const double *values) {
    printf(
        "policy,runs,regret,regret_error,second_half,second_half_error,seconds,dictionary.size,distinct,effective_dimension,"
        "megabytes\n");
    for (size_t i = 0; i < e->n_players; i++) {
        printf("%s,%zu", e->players[i].label, e->runs);
        for (size_t j = 0; j < VALUES; j++) {
            const experiment_mean m = experiment_mean_of(values, e->runs, VALUES * e->n_players, VALUES * i + j);
            printf(",%.4g", m.mean);
            if (j < 2)
                printf(",%.2g", m.error);
        }
        printf("\n");
    }
}

static void prepare(experiment *e, scene *s, const char *const *players, int argc, char **argv) {
    const experiment_number own[] = {
        {"--arms", "number of arms (without data)", &s->arms},
        {"--dim", "their dimension (without data)", &s->dim},
        {"--lengthscale", "of the SE kernel", &s->lengthscale},
        {"--noise", "noise variance", &s->noise},
        {"--steps", "actions of a run", &s->steps},
    };
    static char known[2][SETTINGS_SIZE]; /* kept by the settings */
    experiment_read(e, argc, argv, players, own, sizeof own / sizeof *own);
    if (s->data)
        load(s);
    else
        draw_arms(s, e->seed);
    snprintf(known[0], sizeof known[0], "noise=%.17g", s->noise);
    snprintf(known[1], sizeof known[1], "horizon=%.0f", s->steps);
    settings_add(&e->defaults, known[0]);
    settings_add(&e->defaults, known[1]);
    settings_add(&e->defaults, "dictionary.exact=off"); /* bkb: the dictionary is what is looked at */
    experiment_check(NULL, tvgp_ctx_create(NULL, &s->ctx), "context");
    experiment_check(s->ctx, tvgp_domain_arms(s->ctx, (size_t)s->arms, (size_t)s->dim, s->X, &s->domain), "arms");
    experiment_check(s->ctx, tvgp_kernel_se(s->ctx, (size_t)s->dim, 1, 1, &s->lengthscale, &s->kernel), "kernel");
    experiment_refuse_unused(e, s->ctx, s->domain, s->kernel);
}

static void finish(scene *s) {
    free(s->X);
    free(s->f);
    tvgp_kernel_destroy(s->kernel);
    tvgp_domain_destroy(s->domain);
    tvgp_ctx_destroy(s->ctx);
}

static void compare(experiment *e, scene *s, int argc, char **argv) {
    static const char *const players[] = {"gp-ucb", "bkb qbar=2", "bkb qbar=5", "bkb qbar=20", "bkb qbar=5 update.growth=2",
                                          "random", NULL};
    prepare(e, s, players, argc, argv);
    double *values = experiment_runs(e, run, s, VALUES * e->n_players);
    report(e, values);
    free(values);
    finish(s);
}

void exp_bkb(int argc, char **argv) {
    experiment e = {.name = "bkb", .runs = 10, .processes = 1, .seed = 1};
    scene s = {.arms = 1000, .dim = 5, .lengthscale = 0.5, .noise = 0.01, .steps = 500};
    compare(&e, &s, argc, argv);
}

void exp_bkb_abalone(int argc, char **argv) {
    experiment e = {.name = "bkb-abalone", .runs = 5, .processes = 1, .seed = 1};
    scene s = {.data = "abalone.csv", .lengthscale = 3, .noise = 0.1, .steps = 500};
    compare(&e, &s, argc, argv);
}

void exp_bkb_housing(int argc, char **argv) {
    experiment e = {.name = "bkb-housing", .runs = 5, .processes = 1, .seed = 1};
    scene s = {.data = "california_housing.csv", .lengthscale = 3, .noise = 0.1, .steps = 500};
    compare(&e, &s, argc, argv);
}

/* ---- time of a step against what it would cost from scratch
 * ---------------------------------------------------------------
 */

/* Two solves with a triangle of order r and one right-hand side for each arm, by BLAS: the faster of its two sides. */
static double two_solves(size_t r, size_t arms) {
    double *L = experiment_allocate(r * r, sizeof *L), *B = experiment_allocate(r * arms, sizeof *B), best = INFINITY;
    for (size_t i = 0; i < r; i++)
        L[i * r + i] = 1;
    for (int attempt = 0; attempt < 6; attempt++) {
        const int left = attempt % 2;
        const double start = processor_seconds();
        for (int solve = 0; solve < 2; solve++)
            cblas_dtrsm(CblasColMajor, left ? CblasLeft : CblasRight, CblasLower, left ? CblasNoTrans : CblasTrans,
                        CblasNonUnit, (int)(left ? r : arms), (int)(left ? arms : r), 1, L, (int)r, B,
                        (int)(left ? r : arms));
        best = fmin(best, processor_seconds() - start);
    }
    free(L);
    free(B);
    return best;
}

void exp_bkb_step(int argc, char **argv) {
    enum { BLOCK = 50 };
    static const char *const players[] = {"bkb qbar=2", NULL};
    experiment e = {.name = "bkb-step", .runs = 1, .processes = 1, .seed = 1};
    scene s = {.arms = 10000, .dim = 5, .lengthscale = 0.5, .noise = 0.01, .steps = 1000};
    prepare(&e, &s, players, argc, argv);
    double *f = draw_function(&s, e.seed), *noise = normal(e.seed, NOISE, (size_t)s.steps), seconds[BLOCK], total = 0;
    tvgp_policy *policy = experiment_policy(&e, 0, s.ctx, s.domain, s.kernel, 0);
    printf("t,rank,distinct,dictionaries,ms_min,ms_median,ms_two_solves,ratio,megabytes,seconds_so_far\n");
    for (size_t t = 1; t <= (size_t)s.steps; t++) {
        tvgp_query q;
        const double start = processor_seconds();
        experiment_check(s.ctx, tvgp_policy_ask_one(policy, (double)t, &q, NULL), "ask");
        experiment_check(s.ctx, tvgp_policy_tell_value(policy, q.id, f[q.arm] + sqrt(s.noise) * noise[t - 1]), "tell");
        seconds[t % BLOCK] = processor_seconds() - start;
        total += seconds[t % BLOCK];
        if (t % BLOCK)
            continue;
        const double rank = experiment_stat(policy, "rank"), solves = two_solves((size_t)rank, (size_t)s.arms);
        size_t bytes;
        samples_sort(seconds, BLOCK);
        experiment_check(s.ctx, tvgp_ctx_memory(s.ctx, &bytes), "memory");
        printf("%zu,%g,%g,%g,%.3f,%.3f,%.3f,%.2f,%.1f,%.2f\n", t, rank, experiment_stat(policy, "distinct"),
               experiment_stat(policy, "dictionary.draws"), 1e3 * seconds[0], 1e3 * seconds[BLOCK / 2], 1e3 * solves,
               seconds[BLOCK / 2] / solves, 1e-6 * (double)bytes, total);
        fflush(stdout);
    }
    tvgp_policy_destroy(policy);
    free(noise);
    free(f);
    finish(&s);
}
