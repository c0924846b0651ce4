/* SPDX-License-Identifier: MIT */
/* The logarithm of a product of positive numbers within 1e-210 .. 1e210, with one logarithm for many factors: log det L L' of n pivots
 * costs n multiplications and some n / 100 logarithms. Its error is within n units of the last place of the product. */
#ifndef TVGP__LINALG_LOG_PRODUCT_H
#define TVGP__LINALG_LOG_PRODUCT_H

#include <math.h>

typedef struct tvgp__log_product {
    double product, sum; /* begin with product = 1, sum = 0 */
} tvgp__log_product;

static inline void tvgp__log_product_times(tvgp__log_product *l, double factor) {
    l->product *= factor;
    if (!(l->product > 0x1p-300 && l->product < 0x1p300)) {
        l->sum += log(l->product);
        l->product = 1;
    }
}

static inline double tvgp__log_product_value(const tvgp__log_product *l) {
    return l->sum + log(l->product);
}

#endif
