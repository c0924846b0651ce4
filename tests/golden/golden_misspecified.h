/* SPDX-License-Identifier: MIT */
/* Made by make.py from auto2.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_MISSPECIFIED_H
#define GOLDEN_MISSPECIFIED_H

#include "golden.h"
#include <math.h>

struct golden_misspecified_step {
    int arm, resets, slot_arm, confirmed;
    double t, y, width, mean[7], var[7];
    int available[7];
    double log_weight[34], a[34], b[34], constant[33], constant_var[33], jumped[33];
};
struct golden_misspecified_run {
    int arms, steps;
    double noise, K[7 * 7], mean[7];
    const struct golden_misspecified_step *step;
};
static struct golden_misspecified_step golden_misspecified_0[24];
static struct golden_misspecified_step golden_misspecified_1[40];
static const struct golden_misspecified_run golden_misspecified[] = {
    {7, 24, 0.02, {1.1, 0.9467992668047, 0.6768800631392, 0.3820411818682, 0.1370875439309, 0.05272432034809,
     0.006656836930516, 0.9467992668047, 1.18976, 0.9742956610796, 0.6829459966303, 0.3178269678287, 0.1474872886429,
     0.02558707578234, 0.6768800631392, 0.9742956610796, 1.28304, 1.067468253366, 0.6841220416942, 0.4000071097627,
     0.1026103506161, 0.3820411818682, 0.6829459966303, 1.067468253366, 1.37984, 1.085183058666, 0.7880146114965,
     0.2916748890587, 0.1370875439309, 0.3178269678287, 0.6841220416942, 1.085183058666, 1.48016, 1.267254403262,
     0.7283131509866, 0.05272432034809, 0.1474872886429, 0.4000071097627, 0.7880146114965, 1.267254403262, 1.584,
     1.137171509775, 0.006656836930516, 0.02558707578234, 0.1026103506161, 0.2916748890587, 0.7283131509866,
     1.137171509775, 1.69136}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, golden_misspecified_0},
    {5, 40, 0.01, {1.0, 0.7261490370737, 0.1978986990836, 0.01110899653824, 6.252150377482e-05, 0.7261490370737, 1.0,
     0.6065306597126, 0.08892161745939, 0.001533810679324, 0.1978986990836, 0.6065306597126, 1.0, 0.48675225596,
     0.0340474547346, 0.01110899653824, 0.08892161745939, 0.48675225596, 1.0, 0.3753110988514, 6.252150377482e-05,
     0.001533810679324, 0.0340474547346, 0.3753110988514, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
     0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {0.1, 0.2, 0.0, -0.1, -0.2, 0.0, 0.0},
     golden_misspecified_1},
};

static void golden_read_misspecified(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_misspecified_0, "i1i1i1i1d1d1d1d7d7i7d34d34d34d33d33d33"),
        GOLDEN_ARRAY(golden_misspecified_1, "i1i1i1i1d1d1d1d7d7i7d34d34d34d33d33d33"),
    };
    golden_read("misspecified", sizeof arrays / sizeof *arrays, arrays);
}

#endif
