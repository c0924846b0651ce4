/* SPDX-License-Identifier: MIT */
#include "fuzz/draw.h"

#include <math.h>

size_t below(struct draw *d, size_t n) {
    if (!d->left)
        return 0;
    d->left--;
    return *d->byte++ % n;
}

int once_in(struct draw *d, size_t n) {
    return below(d, n) == n - 1;
}

double number(struct draw *d) {
    static const double odd[] = {-0.0, 1e-12, 1e6, -1e6, 1e12, -1e9, 2.5, NAN, INFINITY, -INFINITY, 1e-6, 40};
    if (d->wild && once_in(d, 4))
        return odd[below(d, sizeof odd / sizeof *odd)];
    return ((double)below(d, 129) - 64) / 16;
}

double size_of(struct draw *d) {
    double x = fabs(number(d));
    return x == 0 && !d->wild ? 0.125 : x;
}
