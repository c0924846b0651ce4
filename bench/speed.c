/* SPDX-License-Identifier: MIT */
/* The library's side of compare_speed.sh: one work, in seconds of the processor's time, and the bare BLAS and LAPACK calls of
 * the plain way to do it, in turn.
 *
 *   w1a  gp-ucb, 1000 arms, 500 steps            w2  tv-gp-ucb, epsilon 0.03, 2500 arms, 400 steps
 *   w1b  gp-ucb, 10,000 arms, 1000 steps         w3  sw-gp-ucb, window 100, 1000 arms, 2000 steps
 *   w7   log marginal likelihood of 500 points              w8  mean and variance at 10,000 points from 2000, six dimensions
 *
 * The calls: at step t a dgemv of the arms x (t - 1) columns (w3: of the window, and its rows rotated once); a Gram matrix
 * and dpotrf (w7), and the kernel and dtrsm of 500 points at a time (w8).
 *
 * usage: bench_speed WORK [DIR [repeats]]    prints "library calls" of each repetition; DIR gets arms.csv, noise.csv and
 * tvgp.csv (the arm of each step), or for w8 X.csv, Z.csv, y.csv and tvgp.csv (mean, variance) */
#include "problem.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DIM = 6, PANEL = 500 };

typedef struct work {
    const char *name, *policy, *set;
    size_t arms, steps, window;
} work;

static const work works[] = {
    {"w1a", "gp-ucb", NULL, 1000, 500, 0},   {"w1b", "gp-ucb", NULL, 10000, 1000, 0},
    {"w2", "tv-gp-ucb", NULL, 2500, 400, 0}, {"w3", "sw-gp-ucb", "window=100", 1000, 2000, 100},
    {"w7", NULL, NULL, 0, 500, 0},           {"w8", NULL, NULL, 10000, 2000, 0},
};

static double now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double *numbers(size_t n) {
    double *x = malloc((n ? n : 1) * sizeof *x);
    if (!x)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return x;
}

static void write_matrix(const char *dir, const char *name, size_t n, size_t columns, const double *X) {
    FILE *file = dir ? problem_file(dir, name) : NULL;
    for (size_t i = 0; file && i < n * columns; i++)
        fprintf(file, "%.17g%c", X[i], (i + 1) % columns ? ',' : '\n');
    if (file)
        fclose(file);
}

/* ---- policies --------------------------------------------------------------------------------------------------- */

static double run(problem *p, const work *w, double *choice) {
    settings sets = {0};
    if (w->set)
        settings_add(&sets, w->set);
    const double start = now();
    tvgp_policy *policy = problem_policy(p, w->policy, &sets);
    for (size_t t = 1; t <= w->steps; t++)
        choice[t - 1] = (double)problem_step(p, policy, t);
    tvgp_policy_destroy(policy);
    return now() - start;
}

static double products(const work *w, double *V, const double *x, double *y) {
    const int arms = (int)w->arms;
    const double start = now();
    for (int t = 2; t <= (int)w->steps; t++) {
        const int columns = w->window && t > (int)w->window ? (int)w->window : t - 1;
        cblas_dgemv(CblasColMajor, CblasNoTrans, arms, columns, 1, V, arms, x, 1, 0, y, 1);
        for (int k = 0; columns < t - 1 && k + 1 < columns; k++)
            cblas_drot(arms, V + (size_t)k * w->arms, 1, V + (size_t)(k + 1) * w->arms, 1, 0.6, 0.8);
    }
    return now() - start;
}

static void play(const work *w, const char *dir, long repeats) {
    problem p;
    problem_create(&p, w->arms, w->steps);
    double *V = numbers(w->arms * (w->window ? w->window : w->steps)), *x = numbers(w->steps), *y = numbers(w->arms);
    double *choice = numbers(w->steps), *arms = numbers(3 * w->arms);
    for (long r = 0; r < repeats; r++) {
        const double library = run(&p, w, choice);
        printf("%.6f %.6f\n", library, products(w, V, x, y));
    }
    for (size_t i = 0; i < w->arms; i++) {
        memcpy(arms + 3 * i, p.X + 2 * i, 2 * sizeof *arms);
        arms[3 * i + 2] = p.value[i];
    }
    write_matrix(dir, "arms.csv", w->arms, 3, arms);
    write_matrix(dir, "noise.csv", w->steps, 1, p.noise);
    write_matrix(dir, "tvgp.csv", w->steps, 1, choice);
    free(arms);
    free(choice);
    free(y);
    free(x);
    free(V);
    problem_destroy(&p);
}

/* ---- one posterior ---------------------------------------------------------------------------------------------- */

typedef struct data {
    size_t n, m;
    double *X, *Z, *y, *K, *V, *out;
} data;

static double library(const problem *p, const data *d) {
    tvgp_gp *gp;
    double evidence;
    const double start = now();
    problem_check(p, tvgp_gp_create(p->ctx, p->kernel, NULL, 0.01, &gp), "gp");
    problem_check(p, tvgp_gp_add(gp, d->n, d->X, NULL, d->y, NULL), "add");
    problem_check(p, tvgp_gp_log_marginal_likelihood(gp, &evidence), "evidence");
    if (d->m)
        problem_check(p, tvgp_gp_predict(gp, d->m, d->Z, 0, d->out, d->out + d->m), "predict");
    const double seconds = now() - start;
    tvgp_gp_destroy(gp);
    return seconds;
}

static double calls(const problem *p, const data *d) {
    const int n = (int)d->n;
    const double start = now();
    for (size_t i = 0; i < d->n; i++) { /* the half that is needed */
        problem_check(p, tvgp_kernel_gram(p->kernel, 1, d->X + i * DIM, d->n - i, d->X + i * DIM, d->K + i * (d->n + 1)),
                      "gram");
        d->K[i * (d->n + 1)] += 0.01;
    }
    (void)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, d->K, n);
    for (size_t first = 0; first < d->m; first += PANEL) {
        problem_check(p, tvgp_kernel_gram(p->kernel, PANEL, d->Z + first * DIM, d->n, d->X, d->V), "gram");
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, PANEL, 1, d->K, n, d->V, n);
    }
    return now() - start;
}

static void predict(const work *w, const char *dir, long repeats) {
    const double lengthscale = 0.8;
    problem p;
    problem_create(&p, 1, 1);
    tvgp_kernel_destroy(p.kernel);
    problem_check(&p, tvgp_kernel_se(p.ctx, DIM, 1, 1, &lengthscale, &p.kernel), "kernel");
    data d = {.n = w->steps, .m = w->arms, .X = numbers(w->steps * DIM), .Z = numbers(w->arms * DIM)};
    d.y = numbers(d.n);
    d.K = numbers(d.n * d.n);
    d.V = numbers(d.n * PANEL);
    d.out = numbers(2 * d.m);
    problem_check(&p, tvgp_random_uniform(1, 1002, 0, d.n * DIM, d.X), "points");
    if (d.m)
        problem_check(&p, tvgp_random_uniform(1, 1003, 0, d.m * DIM, d.Z), "points");
    for (size_t i = 0; i < d.n; i++)
        d.y[i] = sin(6 * d.X[i * DIM]) * cos(5 * d.X[i * DIM + 1]);
    for (long r = 0; r < repeats; r++) {
        const double seconds = library(&p, &d);
        printf("%.6f %.6f\n", seconds, calls(&p, &d));
    }
    write_matrix(dir, "X.csv", d.n, DIM, d.X);
    write_matrix(dir, "y.csv", d.n, 1, d.y);
    write_matrix(dir, "Z.csv", d.m, DIM, d.Z);
    write_matrix(dir, "tvgp.csv", 2 * d.m, 1, d.out);
    free(d.X);
    free(d.Z);
    free(d.y);
    free(d.K);
    free(d.V);
    free(d.out);
    problem_destroy(&p);
}

int main(int argc, char **argv) {
    const long repeats = argc > 3 ? atol(argv[3]) : 1;
    for (size_t i = 0; argc > 1 && repeats > 0 && i < sizeof works / sizeof *works; i++)
        if (strcmp(argv[1], works[i].name) == 0) {
            (works[i].policy ? play : predict)(&works[i], argc > 2 && *argv[2] ? argv[2] : NULL, repeats);
            return EXIT_SUCCESS;
        }
    fprintf(stderr, "usage: bench_speed w1a|w1b|w2|w3|w7|w8 [DIR [repeats]]\n");
    return 2;
}
