/* SPDX-License-Identifier: MIT */
/* Shares of traffic from the probabilities that arms are best (Scott 2010), and the arm of one user (parts/serve/shares.h). */
#include "parts/serve/shares.h"

#include "base/numbers/random_stream.h"

#include <math.h>

enum { PURPOSE = 1000 }; /* of the uniforms by which users are assigned */

/* The largest of n weights >= 0; a status if one is no weight or none is positive. */
static tvgp_status largest(size_t n, const double *weight, double *most) {
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(weight[i]))
            return TVGP_ERR_NONFINITE;
        if (weight[i] < 0)
            return TVGP_ERR_ARG;
        *most = fmax(*most, weight[i]);
    }
    return *most > 0 ? TVGP_OK : TVGP_ERR_ARG;
}

tvgp_status tvgp__shares_of(size_t n, const double *p, double power, double floor, double *share) {
    double most, sum = 0;
    const tvgp_status status = largest(n, p, &most);
    if (status < 0)
        return status;
    if (!(power >= 0.1 && power <= 100) || !(floor >= 0 && floor <= 1))
        return TVGP_ERR_ARG;
    for (size_t i = 0; i < n; i++) {
        share[i] = pow(p[i] / most, power);
        sum += share[i];
    }
    for (size_t i = 0; i < n; i++)
        share[i] = (1 - floor) * share[i] / sum + floor / (double)n;
    return TVGP_OK;
}

tvgp_status tvgp__shares_assign(size_t n, const double *share, uint64_t seed, uint64_t key, int64_t *arm) {
    tvgp__random_stream stream = tvgp__random_stream_open(seed, PURPOSE, key);
    double most, least = INFINITY;
    int64_t found = -1;
    const tvgp_status status = largest(n, share, &most);
    if (status < 0)
        return status;
    for (size_t i = 0; i < n; i++) {
        const double u = tvgp__random_stream_uniform(&stream), value = -log1p(-u) / (share[i] / most);
        if (share[i] > 0 && (found < 0 || value < least)) {
            least = value;
            found = (int64_t)i;
        }
    }
    *arm = found;
    return TVGP_OK;
}
