/* SPDX-License-Identifier: MIT */
/** @file
 * The random number streams of the library, for simulations that give the same numbers in every language.
 *
 * The generator is Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011), keyed by seed and indexed by (purpose, step).
 * Uniform numbers are identical everywhere; normal ones up to the rounding of log, sin and cos in the C library.
 */
#ifndef TVGP_RANDOM_H
#define TVGP_RANDOM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Draws n uniform numbers in [0, 1) with 53 random bits.
 *
 * @param seed      Seed of the stream.
 * @param purpose   Name of the stream; values below 1000 are used by policies.
 * @param step      Index in the stream.
 * @param n         Number of draws.
 * @param[out] out  The draws (n).
 * @retval TVGP_ERR_ARG  out is NULL and n > 0.
 */
TVGP_API tvgp_status tvgp_random_uniform(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);

/** Draws n standard normal numbers.
 *
 * @param seed      Seed of the stream.
 * @param purpose   Name of the stream; values below 1000 are used by policies.
 * @param step      Index in the stream.
 * @param n         Number of draws.
 * @param[out] out  The draws (n).
 * @retval TVGP_ERR_ARG  out is NULL and n > 0.
 */
TVGP_API tvgp_status tvgp_random_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out);

#ifdef __cplusplus
}
#endif
#endif
