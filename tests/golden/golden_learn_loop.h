/* SPDX-License-Identifier: MIT */
/* Made by make.py from learn_loop.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_LEARN_LOOP_H
#define GOLDEN_LEARN_LOOP_H

#include "golden.h"
/* before y was given; parameters from step 3 on (0: not given) */
struct golden_learn_step {
    int arm;
    double gap, y, lengthscale, noise_ratio, mean, scale, objective;
};
static double golden_loop_arms[31];
static struct golden_learn_step golden_loop[14];
enum { GOLDEN_LOOP = 14 };

static void golden_read_learn_loop(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_loop_arms, "d31"),
        GOLDEN_ARRAY(golden_loop, "i1d1d1d1d1d1d1d1"),
    };
    golden_read("learn_loop", sizeof arrays / sizeof *arrays, arrays);
}

#endif
