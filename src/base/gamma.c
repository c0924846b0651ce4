/* SPDX-License-Identifier: MIT */
/* lgamma leaves the sign of Gamma(x) in a global variable, signgam. lgamma_r has a place for it; it is no C11, but stands in every C
 * library that has the rest of what is needed here (glibc, musl, newlib, bionic, those of the BSDs and of macOS), in the first
 * three for whoever asks for more than C11. */
#define _DEFAULT_SOURCE
#include "base/gamma.h"

#include <math.h>

double tvgp__gamma_log(double x) {
    int sign;
    return lgamma_r(x, &sign);
}
