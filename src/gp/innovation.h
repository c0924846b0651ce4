/* SPDX-License-Identifier: MIT */
/* Inserts a delayed observation into a filter exactly, without restarting it. For each observation the filter keeps its
 * innovation e and the variance s of e, given everything before.
 *
 * A delayed observation of arm x at time t with noise v has, at its own time, column c = P[:, x] and innovation e0. Let
 * h = c / sqrt(c[x] + v) and eta = e0 / sqrt(c[x] + v): P loses h h', and the mean gains eta h. Both pass through the
 * later observations, each with column p = sqrt(s) g and innovation e at arm x_k; between times h is multiplied by the
 * drift model's m. With a = h[x_k],
 *   s' = s - a^2,   e' = e - a eta,   g' = (p - a h) / sqrt(s'),
 *   h' = (h - (a / s) p) sqrt(s / s'),   eta' = (eta s - a e) / sqrt(s s'),
 * so that g' g'' + h' h'' after the step equals g g' + h h' before it: the sum does not depend on the order. Finally P -= h h'
 * and mean += eta h; the log marginal likelihood is that of (s', e'). */
#ifndef TVGP__GP_INNOVATION_H
#define TVGP__GP_INNOVATION_H

#include "base/context.h"

typedef struct tvgp__innovation {
    size_t arm;
    double t, s, e; /* s infinite: the arm was known exactly already, nothing was learned */
} tvgp__innovation;

/* A late observation on its way to the present. */
typedef struct tvgp__insertion {
    tvgp_ctx *ctx;
    double largest; /* prior variance: the scale of jitter */
    size_t n;       /* length of h: arms, or features */
    double *h, eta;
    double log_marginal_likelihood, log_det_ratio; /* what the shares of the later observations have changed by */
    size_t jitter;                                 /* later observations that teach nothing any more */
} tvgp__insertion;

/* Carries a delayed observation past a later one: *seen and its column g (n) become what they would have been if the
 * delayed observation had arrived in time. a is the entry of in->h at the arm of *seen. */
void tvgp__innovation_pass(tvgp__insertion *in, double a, tvgp__innovation *seen, double *g);

#endif
