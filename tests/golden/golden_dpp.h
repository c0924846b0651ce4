/* SPDX-License-Identifier: MIT */
/* Made by make.py from dpp.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_DPP_H
#define GOLDEN_DPP_H

#include "golden.h"
/* exact: lexicographic 3-subsets of 6. greedy: order of selection, ties -> smallest index. mcmc: state kept sorted; u0 -> floor(u0*M)-th element of sorted Z leaves, u1 -> floor(u1*(N-M))-th of the sorted complement enters, accept iff u2 < p (p includes the 1/2) */
static double golden_dpp_k6[6 * 6];
static double golden_dpp_k12[12 * 12];
static int golden_dpp_subsets[20][3];
static double golden_dpp_probs[20];
static const int golden_dpp_greedy6_3[3] = {
    0,
    5,
    2,
};
static const int golden_dpp_greedy6_5[5] = {
    0,
    5,
    2,
    4,
    3,
};
static const int golden_dpp_start[4] = {
    0,
    7,
    5,
    4,
};
enum { GOLDEN_DPP_DRAWS = 40, GOLDEN_DPP_M = 4 };
static double golden_dpp_draws[40][3];
/* the set after each draw */
static int golden_dpp_path[40][4];

static void golden_read_dpp(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_dpp_k6, "d36"),
        GOLDEN_ARRAY(golden_dpp_k12, "d144"),
        GOLDEN_ARRAY(golden_dpp_subsets, "i3"),
        GOLDEN_ARRAY(golden_dpp_probs, "d20"),
        GOLDEN_ARRAY(golden_dpp_draws, "d3"),
        GOLDEN_ARRAY(golden_dpp_path, "i4"),
    };
    golden_read("dpp", sizeof arrays / sizeof *arrays, arrays);
}

#endif
