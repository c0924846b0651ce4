/* SPDX-License-Identifier: MIT */
/* W-SparQ's synthetic problem (Mauduit, Berthier, Simonetto, W-SparQ, sec. 4.1; zoo/truth.h, speed 0.3): waves on a grid of [-50, 50]
 * of kernel k = 0.5 exp(-d^2 / 18) and weight 5 / lambda, lambda the largest eigenvalue of the centres' Gram matrix. */
#include "exp.h"
#include "line.h"
#include "zoo/truth.h"
#include <lapacke.h>

static void weigh(line *l) {
    double centre[ZOO_WAVES], K[ZOO_WAVES * ZOO_WAVES], eigenvalue[ZOO_WAVES];
    for (size_t i = 0; i < ZOO_WAVES; i++)
        centre[i] = zoo_waves_centre(i);
    experiment_check(l->ctx, tvgp_kernel_gram(l->kernel, ZOO_WAVES, centre, ZOO_WAVES, centre, K), "Gram matrix");
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', ZOO_WAVES, K, ZOO_WAVES, eigenvalue) != 0)
        experiment_check(l->ctx, TVGP_ERR_NUMERIC, "eigenvalues");
    l->weight = 5 / eigenvalue[ZOO_WAVES - 1];
}

static double waves(const line *l, double x, double t) {
    return zoo_waves(x, t, 0.3, l->weight, (zoo_waves_kernel){l->variance, l->lengthscale});
}

void exp_wsparq(int argc, char **argv) {
    static const char *const players[] = {"sparq-gp-ucb side.round_exponent=1",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=2",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=1",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=0.5",
                                          "sparq-gp-ucb side.round_exponent=1 kdpp.steps=0",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=2 kdpp.steps=0",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=1 kdpp.steps=0",
                                          "sparq-gp-ucb side.round_exponent=1 kdpp.steps=10",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=2 kdpp.steps=10",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=1 kdpp.steps=10",
                                          "sparq-gp-ucb side.round_exponent=1 kdpp.steps=20",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=2 kdpp.steps=20",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=1 kdpp.steps=20",
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
              .prepare = weigh,
              .value = waves};
    line_compare(&e, &l, players, argc, argv);
}
