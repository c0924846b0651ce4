/* SPDX-License-Identifier: MIT */
/* The public random numbers, by seed, purpose and step (tvgp/random.h). */
#include "base/numbers/random_stream.h"
#include "tvgp.h"

static tvgp_status draw(double (*next)(tvgp__random_stream *), uint64_t seed, uint32_t purpose, uint64_t step, size_t n,
                        double *out) {
    if (!out && n)
        return TVGP_ERR_ARG;
    tvgp__random_stream stream = tvgp__random_stream_open(seed, purpose, step);
    for (size_t i = 0; i < n; i++)
        out[i] = next(&stream);
    return TVGP_OK;
}

tvgp_status tvgp_random_uniform(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out) {
    return draw(tvgp__random_stream_uniform, seed, purpose, step, n, out);
}

tvgp_status tvgp_random_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *out) {
    return draw(tvgp__random_stream_normal, seed, purpose, step, n, out);
}
