/* SPDX-License-Identifier: MIT */
/* exp over an array: the transcendental of every stationary kernel. */
#ifndef TVGP__KERNEL_VEXP_H
#define TVGP__KERNEL_VEXP_H

#include <stddef.h>

/* x[i] = scale * exp(x[i]) for x[i] <= 709, within 2 units in the last place; arguments below -708 count as -708. */
void tvgp__vexp(size_t n, double scale, double *x);

#endif
