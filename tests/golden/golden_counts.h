/* SPDX-License-Identifier: MIT */
/* Made by make.py from counts5.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_COUNTS_H
#define GOLDEN_COUNTS_H

#include "golden.h"
struct golden_count_ask {
    int arm, tied, filter[3];
    double t, exposure, count[6], coefficient, score[6], mean[6], sd[6], weight[3];
};
struct golden_count_game {
    const char *name, *type;
    int arms, asks;
    const struct golden_count_ask *ask;
};
static struct golden_count_ask golden_count_single[60];
static struct golden_count_ask golden_count_visitors[40];
static struct golden_count_ask golden_count_events[40];
static const struct golden_count_game golden_counts[] = {
    {"single", "binomial", 4, 60, golden_count_single},
    {"visitors", "binomial", 6, 40, golden_count_visitors},
    {"events", "poisson", 5, 40, golden_count_events},
};

static void golden_read_counts(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_count_single, "i1i1i3d1d1d6d1d6d6d6d3"),
        GOLDEN_ARRAY(golden_count_visitors, "i1i1i3d1d1d6d1d6d6d6d3"),
        GOLDEN_ARRAY(golden_count_events, "i1i1i3d1d1d6d1d6d6d6d3"),
    };
    golden_read("counts", sizeof arrays / sizeof *arrays, arrays);
}

#endif
