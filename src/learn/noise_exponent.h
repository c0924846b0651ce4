/* SPDX-License-Identifier: MIT */
/* The exponent alpha of noise that grows as v (1 + age^alpha) (space/temporal/noise_age.h), estimated from pairs of values at one point.
 *
 * Two values at one point whose times are `age` apart differ by N(0, v (2 + age^alpha)) if the older one has aged that way. With
 * differences d_i and the noise variance v in use
 *   sum ln(2 + age_i^alpha) + sum d_i^2 / (2 + age_i^alpha) / v + ln(alpha)^2          (prior of ln alpha: N(0, 1))
 * is minimised over a grid of exponents from 1/3 to 3. Sums over the grid are the whole state, so nothing is computed again. Of each point
 * two values are remembered, the newest one and an older one, which is exchanged after 16 pairs: short and long ages tell alpha from
 * a scale. A new value is paired with both. */
#ifndef TVGP__LEARN_NOISE_EXPONENT_H
#define TVGP__LEARN_NOISE_EXPONENT_H

#include "model/posterior/observations.h"

#define TVGP__NOISE_EXPONENT_LEAST (1. / 3)
#define TVGP__NOISE_EXPONENT_MOST  3.
enum { TVGP__NOISE_EXPONENT_GRID = 65, TVGP__NOISE_EXPONENT_VALUES = 1024 };

typedef struct tvgp__noise_exponent {
    double estimate;           /* in use */
    tvgp__observations values; /* remembered: of each point one or two, the older one first; `step` counts its pairs */
    double pairs;
    double log_sum[TVGP__NOISE_EXPONENT_GRID], square_sum[TVGP__NOISE_EXPONENT_GRID];
} tvgp__noise_exponent;

/* dim: of the points of a box; 0 on arms. */
void tvgp__noise_exponent_start(tvgp__noise_exponent *e, tvgp_ctx *ctx, size_t dim);
void tvgp__noise_exponent_free(tvgp__noise_exponent *e);

/* Makes room for all values that are remembered. NOMEM. */
tvgp_status tvgp__noise_exponent_reserve(tvgp__noise_exponent *e);

/* Takes a value y relative to the prior mean. x: its point, not read on arms. `unit`: of time, in which ages are counted.
 * O(values dim + grid). */
void tvgp__noise_exponent_take(tvgp__noise_exponent *e, size_t arm, const double *x, double t, double y, double unit);

/* Sets the estimate where values have this noise variance; 1 before the first pair. */
void tvgp__noise_exponent_update(tvgp__noise_exponent *e, double noise);

/* Saves or loads. Arms are below n; n = 0: there are no arms. */
void tvgp__noise_exponent_visit(tvgp__noise_exponent *e, size_t n, tvgp__visit *v);

#endif
