/* SPDX-License-Identifier: MIT */
/* Posterior on arms of a function that repeats while it changes: k(x, x') (1 - epsilon)^(|dt| / 2) times the mean over the
 * periods T of exp(-2 sin^2(pi dt / T) / l^2), whose Fourier series (Solin and Sarkka 2014, "Explicit link between periodic
 * covariance functions and state space models", eq. 27)
 *   exp(-2 sin^2(theta / 2) / l^2) = sum_j q_j cos(j theta),   q_0 = I_0(a) / e^a,  q_j = 2 I_j(a) / e^a,  a = 1 / l^2
 * is cut where what is left is below 1e-13. Each harmonic is two states; turned back by their phase they stand still, so that
 *   f_t(x) = (phi(x) x h(t))'w,   h = (sqrt q_0, sqrt q_j cos(2 pi j t / T), sqrt q_j sin(2 pi j t / T), ..),
 * with phi the features of the arms (gp/basis.h) and w ~ N(0, I), which forgets: w <- m w + noise of variance 1 - m^2. Its
 * covariance is I - R; an observation adds to R as in gp/weights.h. With S states and rank r: 4 (S r)^2 flops an observation,
 * 2 A r^2 a step of time, (S r)^2 numbers.
 *
 * An answer of the past counts as a blurred one of the present under forgetting, exactly without. */
#ifndef TVGP__BELIEF_HARMONIC_H
#define TVGP__BELIEF_HARMONIC_H

#include "belief/belief.h"
#include "gp/law.h"

enum { TVGP__HARMONIC_PERIODS = 4, TVGP__HARMONIC_MOST = 48 /* harmonics of a period */ };

typedef struct tvgp__harmonic_season {
    double lengthscale; /* >= 0.3 */
    size_t n_periods;
    double period[TVGP__HARMONIC_PERIODS];
} tvgp__harmonic_season;

/* q_0, q_1, .. of this lengthscale, TVGP__HARMONIC_MOST + 1 of them with zeros at the end; how many harmonics there are. */
size_t tvgp__harmonic_weights(double lengthscale, double *q);

/* noise: the usual noise variance, which sets the tolerance of the rank. */
tvgp_status tvgp__harmonic_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__harmonic_season *season, double epsilon,
                               double noise, size_t n, const double *X, tvgp__belief **out);

#endif
