/* SPDX-License-Identifier: MIT */
/* exp(x) = 2^k exp(r), k = round(x / ln 2), |r| <= ln(2) / 2, where the Taylor polynomial of degree 13 has an error
 * below 5e-18. The loop has no branches and no calls, so compilers vectorise it. Estrin's order shortens the chain of
 * operations, which limits short rows. */
#include "linalg/vexp.h"

#include "base/numbers/simd_clones.h"

#include <stdint.h>
#include <string.h>

TVGP__SIMD_CLONES
static void exponential(size_t n, double scale, double *x) {
    const double round_to_int = 0x1.8p52, inv_ln2 = 0x1.71547652b82fep+0;
    const double ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b3ap-40;
    for (size_t i = 0; i < n; i++) {
        double v = x[i] < -708.0 ? -708.0 : x[i];
        double shifted = v * inv_ln2 + round_to_int;
        double k = shifted - round_to_int;
        double r = (v - k * ln2_high) - k * ln2_low;
        double r2 = r * r, r4 = r2 * r2;
        double a = (1.0 / 2 + r * (1.0 / 6)) + (1.0 / 24 + r * (1.0 / 120)) * r2;
        double b = (1.0 / 720 + r * (1.0 / 5040)) + (1.0 / 40320 + r * (1.0 / 362880)) * r2;
        double c = (1.0 / 3628800 + r * (1.0 / 39916800)) + (1.0 / 479001600 + r * (1.0 / 6227020800.0)) * r2;
        double p = 1 + (r + r2 * (a + (b + c * r4) * r4));
        uint64_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        bits = (bits << 52) + ((uint64_t)1023 << 52); /* the low bits of `shifted` are k */
        double power;
        memcpy(&power, &bits, sizeof power);
        x[i] = scale * (p * power);
    }
}

void tvgp__vexp(size_t n, double scale, double *x) {
    exponential(n, scale, x);
}
