/* SPDX-License-Identifier: MIT */
/* SparQ's synthetic problem (Mauduit, Berthier, Simonetto 2025, sec. 4.1; zoo/truth.h, speed 0.1): a peak that swings around 0 on a
 * grid of [-50, 50]. The kernel's lengthscale, variance and the bound on the norm are not published; the defaults reproduce the shape
 * of the published curves. */
#include "exp.h"
#include "line.h"
#include "zoo/truth.h"

static double swinging_peak(const line *l, double x, double t) {
    (void)l;
    return zoo_swing(x, t, 0.1);
}

void exp_sparq(int argc, char **argv) {
    static const char *const players[] = {"sparq-gp-ucb side.round_exponent=1",
                                          "sparq-gp-ucb side.round_exponent=1 side.action_outcomes=excluded",
                                          "w-sparq-gp-ucb side.round_exponent=1",
                                          "gp-ucb",
                                          "tv-gp-ucb epsilon=0.01 width.schedule=log",
                                          "r-gp-ucb reset.every=64",
                                          "r-gp-ucb reset.every=4",
                                          "sw-gp-ucb window=64",
                                          "w-gp-ucb decay=0.984",
                                          "ui-gp-ucb",
                                          "et-gp-ucb",
                                          "random",
                                          NULL};
    experiment e = {.name = "sparq", .runs = 40, .processes = 2, .seed = 1};
    line l = {.steps = 500,
              .points = 501,
              .noise = 0.01,
              .expert_noise = 0.01,
              .lengthscale = 7.4,
              .variance = 1.5,
              .bound = 5.05,
              .value = swinging_peak};
    line_compare(&e, &l, players, argc, argv);
}
