/* SPDX-License-Identifier: MIT */
/* Made by make.py from learn.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_LEARN_H
#define GOLDEN_LEARN_H

#include "golden.h"
#include <stdint.h>

/* kernels: se, matern12, matern32, matern52, rational_quadratic, periodic, linear, se + linear, matern32 * periodic; drift
 * models: none, forgetting, matern32, wiener (rate: kappa for forgetting). Values: variance, lengthscales, then alpha,
 * periods or bias, of a before of b; the rate; the noise. Gradients by their logarithms, in the same order. plain: the mean
 * is known; collapsed: C + noise I, scale on top. */
enum { GOLDEN_LEARN_N = 12, GOLDEN_LEARN_CASES = 36 };
static const double golden_learn_mean = 3.9, golden_learn_a0 = 1.0, golden_learn_b0 = 0.8;
static double golden_learn_x[12][2];
static double golden_learn_t[12];
static double golden_learn_y[12];
struct golden_learn {
    int kernel, law, n;
    double value[10];
    double plain, plain_by[10], collapsed, collapsed_by[10], mean, scale;
};
static struct golden_learn golden_learns[36];
/* two segments, noise of its own for each observation, the mean integrated out, no noise parameter */
static int64_t golden_learn_segment[12];
static double golden_learn_noise[12];
struct golden_segmented {
    int kernel, law, n;
    double value[10];
    double plain, plain_by[10];
};
static const struct golden_segmented golden_segmenteds[2] = {
    {0, 1, 4, {1.7, 0.35, 0.8, 0.04}, -17.205293737070015, {2.035104897824533, -2.2642853934279117, 0.6659485881425089,
     -0.754073270766778}},
    {3, 1, 4, {1.7, 0.35, 0.8, 0.04}, -17.590853266613443, {1.655446043632613, -1.1868915754602987, 1.0493936024697377,
     -0.6517244091406336}},
};
/* the most probable parameters on [0, 1]^d; rate 0: nothing changes */
struct golden_optimum {
    int n, d;
    double b0, median_dt, lengthscale[6], noise_ratio, rate, objective, evidence, mean, scale;
    const double *x, *t, *y;
};
static double golden_optimum_x_0[25];
static double golden_optimum_t_0[25];
static double golden_optimum_y_0[25];
static double golden_optimum_x_1[360];
static double golden_optimum_t_1[60];
static double golden_optimum_y_1[60];
static double golden_optimum_x_2[240];
static double golden_optimum_t_2[120];
static double golden_optimum_y_2[120];
static const struct golden_optimum golden_optima[3] = {
    {25, 1, 502.53030695666666, 1.035, {0.4077090719481822}, 0.017634590896910066, 0.0, -75.96213074070926,
     -75.79119879786134, 121.43271871053899, 659.3601487619967, golden_optimum_x_0, golden_optimum_t_0,
     golden_optimum_y_0},
    {60, 6, 821.3182975759888, 1.0470000000000006, {0.9919826346005024, 0.8346342561040204, 0.7000968476653833,
     0.5944211786389956, 0.4532881661438746, 0.45684489469848866}, 0.007476713023911754, 0.0, -263.92242194123014,
     -263.08676133688954, 117.00301129486981, 1117.1399528375146, golden_optimum_x_1, golden_optimum_t_1,
     golden_optimum_y_1},
    {120, 2, 501.2417106719888, 0.9990000000000023, {0.2823743341141539, 0.56563880072714}, 0.006455449877042359,
     0.014114128468944206, -483.4061343406176, -483.02033501698185, 152.79636761798045, 989.8705946024448,
     golden_optimum_x_2, golden_optimum_t_2, golden_optimum_y_2},
};

static void golden_read_learn(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_learn_x, "d2"),
        GOLDEN_ARRAY(golden_learn_t, "d12"),
        GOLDEN_ARRAY(golden_learn_y, "d12"),
        GOLDEN_ARRAY(golden_learns, "i1i1i1d10d1d10d1d10d1d1"),
        GOLDEN_ARRAY(golden_learn_segment, "l12"),
        GOLDEN_ARRAY(golden_learn_noise, "d12"),
        GOLDEN_ARRAY(golden_optimum_x_0, "d25"),
        GOLDEN_ARRAY(golden_optimum_t_0, "d25"),
        GOLDEN_ARRAY(golden_optimum_y_0, "d25"),
        GOLDEN_ARRAY(golden_optimum_x_1, "d360"),
        GOLDEN_ARRAY(golden_optimum_t_1, "d60"),
        GOLDEN_ARRAY(golden_optimum_y_1, "d60"),
        GOLDEN_ARRAY(golden_optimum_x_2, "d240"),
        GOLDEN_ARRAY(golden_optimum_t_2, "d120"),
        GOLDEN_ARRAY(golden_optimum_y_2, "d120"),
    };
    golden_read("learn", sizeof arrays / sizeof *arrays, arrays);
}

#endif
