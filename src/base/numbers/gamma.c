/* SPDX-License-Identifier: MIT */
/* lgamma writes the sign of Gamma(x) to a global variable, signgam. lgamma_r has an argument for it. It is not in C11,
 * but in every C library that has the rest of what is needed here (glibc, musl, newlib, bionic, the C libraries of the BSDs and of
 * macOS); the first three declare it for programs that request more than C11. */
#define _DEFAULT_SOURCE
#include "base/numbers/gamma.h"

#include <math.h>

double tvgp__gamma_log(double x) {
    int sign;
    return lgamma_r(x, &sign);
}
