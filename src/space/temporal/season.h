/* SPDX-License-Identifier: MIT */
/* A periodic function as states of a filter. The correlation in time is the mean over the periods T of exp(-2 sin^2(pi
 * dt / T) / l^2). Its Fourier series (Solin and Sarkka 2014, "Explicit link between periodic covariance functions and
 * state space models", eq. 27)
 *   exp(-2 sin^2(theta / 2) / l^2) = sum_j q_j cos(j theta),   q_0 = I_0(a) / e^a,  q_j = 2 I_j(a) / e^a,  a = 1 / l^2
 * is truncated where the remainder is below 1e-13. Each harmonic has two states. Rotated back by their phase they are constant, so
 * with features phi of the arms (model/feature/basis.h)
 *   f_t(x) = (h(t) x phi(x))'w,   h = (sqrt q_0, sqrt q_j cos(2 pi j t / T), sqrt q_j sin(2 pi j t / T), ..),  h'h = 1.
 */
#ifndef TVGP__SPACE_TEMPORAL_SEASON_H
#define TVGP__SPACE_TEMPORAL_SEASON_H

#include <stddef.h>

enum { TVGP__SEASON_PERIODS = 4, TVGP__SEASON_MOST = 48 /* harmonics of a period */ };

typedef struct tvgp__season {
    double lengthscale; /* >= 0.3 */
    size_t n_periods;   /* 0: none */
    double period[TVGP__SEASON_PERIODS];
} tvgp__season;

/* Writes q_0, q_1, .. of this lengthscale, TVGP__SEASON_MOST + 1 of them with zeros at the end, and returns how many
 * harmonics there are. */
size_t tvgp__season_weights(double lengthscale, double *q);

/* Gives the length of h, which is 0 without a period. */
size_t tvgp__season_states(const tvgp__season *season);

/* Writes h(t). */
void tvgp__season_features(const tvgp__season *season, double t, double *h);

#endif
