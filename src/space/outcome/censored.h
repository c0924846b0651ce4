/* SPDX-License-Identifier: MIT */
/* Censored outcomes: of a measurement y = f + noise it is known that y >= bound. The value f has the prior N(m, v), the noise the
 * variance w. With s^2 = v + w, z = (m - bound) / s, lambda = phi(z) / Phi(z) and delta = lambda (z + lambda), the posterior of f has
 * mean m + v lambda / s and variance v - v^2 delta / s^2 (moments of a truncated normal). The normal observation
 *   m + s / (z + lambda) of noise variance s^2 / delta - v
 * leads to the same two moments (Minka, 2001, one site). */
#ifndef TVGP__SPACE_OUTCOME_CENSORED_H
#define TVGP__SPACE_OUTCOME_CENSORED_H

/* The observation that stands for y >= bound. A record that says next to nothing has next to no weight. v and w >= 0. */
void tvgp__censored_match(double bound, double m, double v, double w, double *y, double *noise);

#endif
