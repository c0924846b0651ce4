/* SPDX-License-Identifier: MIT */
/* Counter-based random streams (base/numbers/random_stream.h). */
#include "base/numbers/random_stream.h"
#include "base/numbers/constants.h"

#include <math.h>

void tvgp__random_stream_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

tvgp__random_stream tvgp__random_stream_open(uint64_t seed, uint32_t purpose, uint64_t step) {
    tvgp__random_stream s = {
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, purpose, (uint32_t)step, (uint32_t)(step >> 32)},
        .used = 4,
    };
    return s;
}

static uint64_t next64(tvgp__random_stream *s) {
    if (s->used > 2) {
        tvgp__random_stream_philox(s->key, s->counter, s->block);
        s->counter[0]++;
        s->used = 0;
    }
    uint64_t word = s->block[s->used] | (uint64_t)s->block[s->used + 1] << 32;
    s->used += 2;
    return word;
}

double tvgp__random_stream_uniform(tvgp__random_stream *s) {
    return (double)(next64(s) >> 11) * 0x1p-53;
}

uint64_t tvgp__random_stream_below(tvgp__random_stream *s, uint64_t n) {
    uint64_t excess = (0 - n) % n; /* 2^64 mod n: the part of the range that would favour small values */
    uint64_t word;
    do
        word = next64(s);
    while (word > UINT64_MAX - excess);
    return word % n;
}

double tvgp__random_stream_normal(tvgp__random_stream *s) {
    if (s->has_normal) {
        s->has_normal = 0;
        return s->normal;
    }
    double u = 1.0 - tvgp__random_stream_uniform(s), v = tvgp__random_stream_uniform(s); /* u in (0, 1] */
    double r = sqrt(-2.0 * log(u)), angle = TVGP__TWO_PI * v;                            /* Box and Muller 1958 */
    s->normal = r * sin(angle);
    s->has_normal = 1;
    return r * cos(angle);
}

double tvgp__random_stream_uniform_at(const tvgp__random_stream *opened, uint64_t k) {
    tvgp__random_stream s = *opened;
    s.counter[0] = (uint32_t)(k / 2);
    if (k % 2)
        (void)next64(&s);
    return tvgp__random_stream_uniform(&s);
}
