/* SPDX-License-Identifier: MIT */
/* How far a whole run is from the matrix-vector products that the recursive posterior cannot do without: at step t one
 * product of the arms x (t - 1) matrix of columns with a vector (docs/project/architecture.md). Both in turn, several times, CSV of
 * minimum and median; the ratio is to the products alone.
 *
 * usage: bench_recursion_floor [arms [steps [repeats]]], default 1000 500 11 */
#include "problem.h"
#include "samples.h"
#include "stopwatch.h"
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_REPEATS = 101 };

static double products(int arms, int steps, const double *V, const double *x, double *y) {
    const double start = stopwatch_seconds();
    for (int t = 2; t <= steps; t++)
        cblas_dgemv(CblasColMajor, CblasNoTrans, arms, t - 1, 1, V, arms, x, 1, 0, y, 1);
    return stopwatch_seconds() - start;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"dgemv alone", "gp-ucb", "tv-gp-ucb"};
    static double seconds[3][MAX_REPEATS];
    const long arms = argc > 1 ? atol(argv[1]) : 1000, steps = argc > 2 ? atol(argv[2]) : 500;
    const long repeats = argc > 3 ? atol(argv[3]) : 11;
    if (arms < 1 || arms > 1000000 || steps < 2 || steps > 1000000 || repeats < 1 || repeats > MAX_REPEATS) {
        fprintf(stderr, "usage: bench_recursion_floor [arms [steps [repeats]]]\n");
        return 2;
    }
    problem p;
    problem_create(&p, (size_t)arms, (size_t)steps);
    const size_t size = p.arms * p.steps;
    double *V = malloc(size * sizeof *V), *x = malloc(p.steps * sizeof *x), *y = malloc(p.arms * sizeof *y);
    if (!V || !x || !y)
        return EXIT_FAILURE;
    for (size_t i = 0; i < size; i++)
        V[i] = 1;
    for (size_t i = 0; i < p.steps; i++)
        x[i] = 1;

    for (long r = 0; r < repeats; r++) {
        seconds[0][r] = products((int)arms, (int)steps, V, x, y);
        for (int i = 1; i < 3; i++)
            seconds[i][r] = problem_run(&p, names[i], NULL);
    }
    printf("run,arms,steps,ms_min,ms_median,ratio_min,ratio_median\n");
    for (int i = 0; i < 3; i++) {
        samples_sort(seconds[i], (size_t)repeats);
        const double least = seconds[i][0], median = seconds[i][repeats / 2];
        printf("%s,%ld,%ld,%.2f,%.2f,%.2f,%.2f\n", names[i], arms, steps, 1e3 * least, 1e3 * median, least / seconds[0][0],
               median / seconds[0][repeats / 2]);
    }
    free(y);
    free(x);
    free(V);
    problem_destroy(&p);
    return EXIT_SUCCESS;
}
