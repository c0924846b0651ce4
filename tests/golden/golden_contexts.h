/* SPDX-License-Identifier: MIT */
/* Made by make.py from contexts5.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_CONTEXTS_H
#define GOLDEN_CONTEXTS_H

#include "golden.h"
struct golden_context_ask {
    int arm, context, filter[3];
    double outcome[7], coefficient, factor, noise, score, mean[7], sd[7], weight[3];
};
struct golden_context_game {
    const char *name;
    int arms, contexts, asks;
    const struct golden_context_ask *ask;
};
struct golden_context_filter {
    double rate, noise, prior;
};
static struct golden_context_ask golden_context_steps[36];
static struct golden_context_ask golden_context_many[40];
static struct golden_context_filter golden_context_filters[135];
static const struct golden_context_game golden_contexts[] = {
    {"steps", 4, 3, 36, golden_context_steps},
    {"many", 7, 4, 40, golden_context_many},
};

static void golden_read_contexts(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_context_steps, "i1i1i3d7d1d1d1d1d7d7d3"),
        GOLDEN_ARRAY(golden_context_many, "i1i1i3d7d1d1d1d1d7d7d3"),
        GOLDEN_ARRAY(golden_context_filters, "d1d1d1"),
    };
    golden_read("contexts", sizeof arrays / sizeof *arrays, arrays);
}

#endif
