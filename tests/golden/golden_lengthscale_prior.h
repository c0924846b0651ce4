/* SPDX-License-Identifier: MIT */
/* Made by make.py from lengthscale_prior.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_LENGTHSCALE_PRIOR_H
#define GOLDEN_LENGTHSCALE_PRIOR_H

#include "golden.h"
/* Gamma priors of lengthscales; gradients by the logarithms of lengthscales, then of the noise ratio. */
struct golden_lengthscale_prior {
    int d;
    double shape, rate, lengthscale[2], ratio, objective, by[3];
};
static double golden_prior_x[12][2];
static double golden_prior_y[12];
static struct golden_lengthscale_prior golden_lengthscale_priors[12];

static void golden_read_lengthscale_prior(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_prior_x, "d2"),
        GOLDEN_ARRAY(golden_prior_y, "d12"),
        GOLDEN_ARRAY(golden_lengthscale_priors, "i1d1d1d2d1d1d3"),
    };
    golden_read("lengthscale_prior", sizeof arrays / sizeof *arrays, arrays);
}

#endif
