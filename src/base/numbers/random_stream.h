/* SPDX-License-Identifier: MIT */
/* Counter-based random streams: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1,
 * 2, 3"). (seed, purpose, step) identifies a stream, which has no other state, so draws never depend on other draws. */
#ifndef TVGP__BASE_RANDOM_STREAM_H
#define TVGP__BASE_RANDOM_STREAM_H

#include <stdint.h>

/* Purposes of the library's own streams; applications use 1000 and above. */
enum {
    TVGP__RANDOM_STREAM_ARM = 1,
    TVGP__RANDOM_STREAM_DPP = 2,
    TVGP__RANDOM_STREAM_DICTIONARY = 3,
    TVGP__RANDOM_STREAM_SEARCH = 4,
    TVGP__RANDOM_STREAM_THOMPSON = 5,
    TVGP__RANDOM_STREAM_REACH = 6,
    TVGP__RANDOM_STREAM_BEST = 7,
    TVGP__RANDOM_STREAM_FLOOR = 8,
    TVGP__RANDOM_STREAM_GP = 9
};

typedef struct tvgp__random_stream {
    uint32_t key[2];
    uint32_t counter[4]; /* block number, purpose, step low, step high */
    uint32_t block[4];
    int used; /* words of block handed out */
    int has_normal;
    double normal; /* second Box-Muller draw */
} tvgp__random_stream;

/* One block of the cipher: the known-answer vectors of the paper apply. */
void tvgp__random_stream_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

tvgp__random_stream tvgp__random_stream_open(uint64_t seed, uint32_t purpose, uint64_t step);
double tvgp__random_stream_uniform(tvgp__random_stream *stream);             /* [0, 1), 53 bits */
uint64_t tvgp__random_stream_below(tvgp__random_stream *stream, uint64_t n); /* 0 .. n-1, unbiased, n >= 1 */
double tvgp__random_stream_normal(tvgp__random_stream *stream);

/* The k-th uniform (from 0) that a stream just opened gives, without those before it; k < 2^32. */
double tvgp__random_stream_uniform_at(const tvgp__random_stream *opened, uint64_t k);

#endif
