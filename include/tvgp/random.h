/* SPDX-License-Identifier: MIT */
/* The library's random streams, for simulations that must be the same in every language: Philox 4x32-10 (Salmon, Moraes,
 * Dror, Shaw 2011), keyed by seed and indexed by (purpose, step). The same three numbers give the same draws everywhere:
 * uniform ones to the last bit, normal ones as the C library's log, sin and cos round them. */
#ifndef TVGP_RANDOM_H
#define TVGP_RANDOM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n draws of stream (seed, purpose, step): uniform on [0, 1) with 53 bits; standard normal. purpose >= 1000 is left to
 * applications, smaller values are the policies' own. Errors: ARG (out NULL and n > 0). */
TVGP_API tvgp_status tvgp_random_uniform(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);
TVGP_API tvgp_status tvgp_random_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);

#ifdef __cplusplus
}
#endif
#endif
