/* SPDX-License-Identifier: MIT */
/* Counter-based random streams: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2,
 * 3"). A stream is named by (seed, purpose, step); it has no state outside this struct, so draws never depend on what else
 * was drawn. */
#ifndef TVGP__BASE_STREAM_H
#define TVGP__BASE_STREAM_H

#include <stdint.h>

/* Purposes of the library's own streams; applications use 1000 and above. */
enum {
    TVGP__STREAM_ARM = 1,
    TVGP__STREAM_DPP = 2,
    TVGP__STREAM_DICTIONARY = 3,
    TVGP__STREAM_SEARCH = 4,
    TVGP__STREAM_THOMPSON = 5,
    TVGP__STREAM_REACH = 6,
    TVGP__STREAM_BEST = 7
};

typedef struct tvgp__stream {
    uint32_t key[2];
    uint32_t counter[4]; /* block number, purpose, step low, step high */
    uint32_t block[4];
    int used; /* words of block handed out */
    int has_normal;
    double normal; /* second Box-Muller draw */
} tvgp__stream;

/* One block of the cipher: the known-answer vectors of the paper apply. */
void tvgp__stream_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

tvgp__stream tvgp__stream_open(uint64_t seed, uint32_t purpose, uint64_t step);
double tvgp__stream_uniform(tvgp__stream *stream);             /* [0, 1), 53 bits */
uint64_t tvgp__stream_below(tvgp__stream *stream, uint64_t n); /* 0 .. n-1, unbiased, n >= 1 */
double tvgp__stream_normal(tvgp__stream *stream);

/* The k-th uniform (from 0) that a stream just opened gives, without those before it; k < 2^32. */
double tvgp__stream_uniform_at(const tvgp__stream *opened, uint64_t k);

#endif
