/* SPDX-License-Identifier: MIT */
/* The usual multistart next to which the search over a box is put: 512 random points of [0, 1]^dim in one block, NLopt's
 * L-BFGS from the best 20, on the policy's own posterior at time t. Where it is installed (HAVE_NLOPT). */
#ifndef MULTISTART_H
#define MULTISTART_H

#include <tvgp.h>

enum { MULTISTART_DIM = 64 };

/* The maximum of mean + width sd; x: where. */
double multistart(const tvgp_ctx *ctx, tvgp_policy *policy, size_t dim, double width, double t, uint64_t seed, double *x);

#endif
