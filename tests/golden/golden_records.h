/* SPDX-License-Identifier: MIT */
/* Made by make.py from records.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_RECORDS_H
#define GOLDEN_RECORDS_H

#include "golden.h"
#include <stdint.h>

/* 60 outcomes at 5 arms, put together as 24 means. Matern 5/2 of lengthscale 0.4 (by the place) or
 * categorical of correlation 0.4 (by the arm), forgetting of rate kappa; s integrated out or 1 (flat). Gradients by the
 * logarithms of lengthscale or correlation, kappa and g. */
enum { GOLDEN_RECORDS = 24, GOLDEN_RECORDS_RAW = 60, GOLDEN_RECORDS_CASES = 16 };
static const double golden_records_within = 37.142909833333334, golden_records_a0 = 1.0, golden_records_b0 = 1.237926918361582, golden_records_kappa = 0.02;
static double golden_records_x[24];
static double golden_records_t[24];
static double golden_records_arm[24];
static double golden_records_y[24];
static double golden_records_count[24];
static const int64_t golden_records_segment[2][24] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
};
static double golden_records_raw_arm[60];
static double golden_records_raw_t[60];
static double golden_records_raw_y[60];
struct golden_record {
    int categorical, flat, segments;
    double g, log_marginal_likelihood, mean, scale, by[3];
};
static struct golden_record golden_records[16];

static void golden_read_records(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_records_x, "d24"),
        GOLDEN_ARRAY(golden_records_t, "d24"),
        GOLDEN_ARRAY(golden_records_arm, "d24"),
        GOLDEN_ARRAY(golden_records_y, "d24"),
        GOLDEN_ARRAY(golden_records_count, "d24"),
        GOLDEN_ARRAY(golden_records_raw_arm, "d60"),
        GOLDEN_ARRAY(golden_records_raw_t, "d60"),
        GOLDEN_ARRAY(golden_records_raw_y, "d60"),
        GOLDEN_ARRAY(golden_records, "i1i1i1d1d1d1d1d3"),
    };
    golden_read("records", sizeof arrays / sizeof *arrays, arrays);
}

#endif
