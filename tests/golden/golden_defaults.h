/* SPDX-License-Identifier: MIT */
/* Made by make.py from defaults4.json and share5.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_DEFAULTS_H
#define GOLDEN_DEFAULTS_H

#include "golden.h"
/* closed: arms that are not available; delay in steps, -1: no outcome comes */
struct golden_default_step {
    int arm, observations, closed, delay, filter[3];
    double t, outcome[8], score, mean[8], sd[8], coefficient, factor, level, noise, scale, unit, weight[3];
};
struct golden_default_run {
    const char *name;
    int arms, steps, constant_share;
    const struct golden_default_step *step;
};
static struct golden_default_step golden_default_steps[40];
static struct golden_default_step golden_default_irregular[40];
static struct golden_default_step golden_default_units[40];
static struct golden_default_step golden_default_yes_no_of_share5[50];
static struct golden_default_step golden_default_late_of_share5[40];
static const struct golden_default_run golden_defaults[] = {
    {"steps", 6, 40, 1, golden_default_steps},
    {"irregular", 5, 40, 1, golden_default_irregular},
    {"units", 8, 40, 1, golden_default_units},
    {"yes/no of share5", 5, 50, 0, golden_default_yes_no_of_share5},
    {"late of share5", 4, 40, 0, golden_default_late_of_share5},
};

static void golden_read_defaults(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_default_steps, "i1i1i1i1i3d1d8d1d8d8d1d1d1d1d1d1d3"),
        GOLDEN_ARRAY(golden_default_irregular, "i1i1i1i1i3d1d8d1d8d8d1d1d1d1d1d1d3"),
        GOLDEN_ARRAY(golden_default_units, "i1i1i1i1i3d1d8d1d8d8d1d1d1d1d1d1d3"),
        GOLDEN_ARRAY(golden_default_yes_no_of_share5, "i1i1i1i1i3d1d8d1d8d8d1d1d1d1d1d1d3"),
        GOLDEN_ARRAY(golden_default_late_of_share5, "i1i1i1i1i3d1d8d1d8d8d1d1d1d1d1d1d3"),
    };
    golden_read("defaults", sizeof arrays / sizeof *arrays, arrays);
}

#endif
