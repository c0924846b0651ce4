/* SPDX-License-Identifier: MIT */
/* GP-UCB on the problem of problem.h, for comparison with other programs: writes DIR/arms.csv (x,y,value), DIR/noise.csv
 * and DIR/tvgp.csv (the arm of each step) and prints the seconds of the run.
 *
 * usage: bench_trace DIR [arms [steps]], default 1000 500 */
#include "problem.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const long arms = argc > 2 ? atol(argv[2]) : 1000, steps = argc > 3 ? atol(argv[3]) : 500;
    if (argc < 2 || arms < 1 || arms > 1000000 || steps < 1 || steps > 1000000) {
        fprintf(stderr, "usage: bench_trace DIR [arms [steps]]\n");
        return 2;
    }
    problem p;
    problem_create(&p, (size_t)arms, (size_t)steps);
    size_t *choice = malloc(p.steps * sizeof *choice);
    if (!choice)
        return EXIT_FAILURE;
    FILE *file = problem_file(argv[1], "arms.csv");
    for (size_t i = 0; i < p.arms; i++)
        fprintf(file, "%.17g,%.17g,%.17g\n", p.X[2 * i], p.X[2 * i + 1], p.value[i]);
    fclose(file);
    file = problem_file(argv[1], "noise.csv");
    for (size_t t = 0; t < p.steps; t++)
        fprintf(file, "%.17g\n", p.noise[t]);
    fclose(file);

    printf("%.6f\n", problem_run(&p, "gp-ucb", choice));
    file = problem_file(argv[1], "tvgp.csv");
    for (size_t t = 0; t < p.steps; t++)
        fprintf(file, "%zu\n", choice[t]);
    fclose(file);
    free(choice);
    problem_destroy(&p);
    return EXIT_SUCCESS;
}
