/* SPDX-License-Identifier: MIT */
/* W-SparQ's synthetic problem (Mauduit, Berthier, Simonetto, W-SparQ, sec. 4.1): kernel k = 0.5 exp(-d^2 / 18) on a grid of
 * [-50, 50], f_t = sum_i a_i(t) k(x, c_i), a = (5 / lambda) u / |u|, u_i = sin(0.3 t + i), lambda the largest eigenvalue of
 * the centres' Gram matrix. The centres are not published: 20 equally spaced ones. */
#include "exp.h"
#include "line.h"
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { CENTRES = 20 };

static void place_centres(line *l) {
    double K[CENTRES * CENTRES], eigenvalue[CENTRES];
    l->n_centres = CENTRES;
    for (size_t i = 0; i < CENTRES; i++)
        l->centres[i] = -50 + 100.0 * (double)i / (CENTRES - 1);
    experiment_check(l->ctx, tvgp_kernel_gram(l->kernel, CENTRES, l->centres, CENTRES, l->centres, K), "Gram matrix");
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', CENTRES, K, CENTRES, eigenvalue) != 0)
        experiment_check(l->ctx, TVGP_ERR_NUMERIC, "eigenvalues");
    l->weight = 5 / eigenvalue[CENTRES - 1];
}

static double waves(const line *l, double x, double t) {
    double sum = 0, square = 0;
    for (size_t i = 0; i < l->n_centres; i++) {
        const double u = sin(0.3 * t + (double)(i + 1)), away = x - l->centres[i];
        sum += u * l->variance * exp(-0.5 * away * away / (l->lengthscale * l->lengthscale));
        square += u * u;
    }
    return l->weight * sum / sqrt(square);
}

void exp_wsparq(int argc, char **argv) {
    static const char *const players[] = {"sparq-gp-ucb queries.power=1",
                                          "w-sparq-gp-ucb queries.power=1 alpha=2",
                                          "w-sparq-gp-ucb queries.power=1 alpha=1",
                                          "w-sparq-gp-ucb queries.power=1 alpha=0.5",
                                          "sparq-gp-ucb queries.power=1 kdpp.steps=0",
                                          "w-sparq-gp-ucb queries.power=1 alpha=2 kdpp.steps=0",
                                          "w-sparq-gp-ucb queries.power=1 alpha=1 kdpp.steps=0",
                                          "sparq-gp-ucb queries.power=1 kdpp.steps=10",
                                          "w-sparq-gp-ucb queries.power=1 alpha=2 kdpp.steps=10",
                                          "w-sparq-gp-ucb queries.power=1 alpha=1 kdpp.steps=10",
                                          "sparq-gp-ucb queries.power=1 kdpp.steps=20",
                                          "w-sparq-gp-ucb queries.power=1 alpha=2 kdpp.steps=20",
                                          "w-sparq-gp-ucb queries.power=1 alpha=1 kdpp.steps=20",
                                          "gp-ucb",
                                          "sw-gp-ucb window=55",
                                          "tv-gp-ucb epsilon=0.01",
                                          "tv-gp-ucb epsilon=0.03",
                                          "r-gp-ucb reset.every=55",
                                          "r-gp-ucb reset.every=22",
                                          "w-gp-ucb decay=0.984",
                                          "ui-gp-ucb",
                                          "et-gp-ucb",
                                          "random",
                                          NULL};
    experiment e = {.name = "wsparq", .runs = 30, .processes = 2, .seed = 1};
    line l = {.steps = 500,
              .points = 101,
              .noise = 0.01,
              .expert_noise = 0.01,
              .lengthscale = 3,
              .variance = 0.5,
              .bound = 5,
              .prepare = place_centres,
              .value = waves};
    line_compare(&e, &l, players, argc, argv);
}
