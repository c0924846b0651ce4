/* SPDX-License-Identifier: MIT */
/* The tail is Q(z) = erfc(z / sqrt 2) / 2. Its inverse begins with the rational approximation of Abramowitz and Stegun (1964), 26.2.23,
 * which is off by 4.5e-4, and is made exact by Newton's method on log Q, which is concave. */
#include "base/numbers/normal.h"

#include "base/numbers/constants.h"

#include <math.h>

double tvgp__normal_tail(double z) {
    return 0.5 * erfc(z * 0.70710678118654752440);
}

static double density(double z) {
    return exp(-0.5 * z * z) / sqrt(TVGP__TWO_PI);
}

/* Of a tail of at most 1/2. */
static double above(double tail) {
    const double s = sqrt(-2 * log(tail));
    double z = s - (2.515517 + s * (0.802853 + s * 0.010328)) / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
    for (int i = 0; i < 4; i++) {
        const double q = tvgp__normal_tail(z);
        z += log(q / tail) * q / density(z);
    }
    return z;
}

double tvgp__normal_above(double tail) {
    return tail <= 0.5 ? above(tail) : -above(1 - tail);
}
