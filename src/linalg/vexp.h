/* SPDX-License-Identifier: MIT */
/* exp of every entry of an array, as stationary kernels need it. */
#ifndef TVGP__SPACE_KERNEL_VEXP_H
#define TVGP__SPACE_KERNEL_VEXP_H

#include <stddef.h>

/* x[i] = scale * exp(x[i]) for x[i] <= 709, within 2 units in the last place; arguments below -708 count as -708. */
void tvgp__vexp(size_t n, double scale, double *x);

#endif
