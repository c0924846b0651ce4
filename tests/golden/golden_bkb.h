/* SPDX-License-Identifier: MIT */
/* Made by make.py from bkb.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_BKB_H
#define GOLDEN_BKB_H

#include "golden.h"
/* lam=.02, xi=.1414, F=2, eps=.5, delta=.1, x1=arm 7; at the step creating S_{t+1} (t=1..T-1) pull i (0-based, i=0..t) is kept iff uniforms[t][i] < min(1,qbar*sig2_t(x_i)); sig2 has the 1/lambda factor; S empty -> {last pull}; steps[].S are pull indices of the NEW set; f static */
enum { GOLDEN_BKB_ARMS = 25, GOLDEN_DTC_PULLS = 6, GOLDEN_DTC_MEMBERS = 3 };
static double golden_bkb_k[25 * 25];
static double golden_bkb_f[25];
static double golden_bkb_uniform[31][30];
/* before y was given: mean and var / lambda of the arm, the exploration coefficient, of sqrt(var / lambda);
 * after it: distinct arms in the dictionary */
struct golden_bkb_step {
    int arm, distinct;
    double y, mean, var, width, gap;
};
static struct golden_bkb_step golden_bkb_qbar_2[29];
static struct golden_bkb_step golden_bkb_qbar_6[29];
static const double golden_dtc_lambda = 0.02, golden_dtc_dimension = 4.878490367950839;
static const int golden_dtc_s[3] = {
    3,
    8,
    12,
};
static const int golden_dtc_x[6] = {
    3,
    8,
    12,
    4,
    3,
    19,
};
static const double golden_dtc_y[6] = {
    0.1,
    0.4,
    -0.2,
    0.9,
    0.2,
    0.0,
};
static double golden_dtc_mean[25];
/* divided by lambda, as is the next */
static double golden_dtc_var[25];
static double golden_dtc_exact_var[25];

static void golden_read_bkb(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_bkb_k, "d625"),
        GOLDEN_ARRAY(golden_bkb_f, "d25"),
        GOLDEN_ARRAY(golden_bkb_uniform, "d30"),
        GOLDEN_ARRAY(golden_bkb_qbar_2, "i1i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_bkb_qbar_6, "i1i1d1d1d1d1d1"),
        GOLDEN_ARRAY(golden_dtc_mean, "d25"),
        GOLDEN_ARRAY(golden_dtc_var, "d25"),
        GOLDEN_ARRAY(golden_dtc_exact_var, "d25"),
    };
    golden_read("bkb", sizeof arrays / sizeof *arrays, arrays);
}

#endif
