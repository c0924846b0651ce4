/* SPDX-License-Identifier: MIT */
/* Rules of the policies with side queries: the number of points in a round, the number of swaps of its k-DPP sampler,
 * and the own observations that are kept.
 *
 * Sources: (S) Mauduit, Berthier, Simonetto, "Time-varying Gaussian process bandit optimization with experts", section
 * 3; (W) the same authors, "No-regret Gaussian process optimization of time-varying functions". eta bounds the expected
 * Kullback-Leibler divergence between the posterior given side queries and that given current values of all past points
 * (S eq. 23). It holds with probability 1 - delta / 2 for eta' = delta eta / 4 (S eq. 24). */
#ifndef TVGP__CHOOSE_SIDE_QUERY_RULES_H
#define TVGP__CHOOSE_SIDE_QUERY_RULES_H

#include <stddef.h>
#include <stdint.h>

/* eta = 0: rounds grow with ln(t) alone. */
typedef struct tvgp__side_query_rules {
    double eta, delta;
} tvgp__side_query_rules;

/* Points of a round at action t, at least 1: ceil(scale ln(t)^power) for eta = 0, otherwise ceil(scale ln(t / eta')^power), the
 * order of S eq. 57. */
double tvgp__side_query_rules_points(double scale, double power, double t, tvgp__side_query_rules d);

/* Swaps after which the sampler's total-variation error is of the order of eps = noise eta' / (4 t variance) (S eq. 56 and
 * theorem 3.2; the constant 1 is not from the paper), for k of n points: n k (ln ln n + ln k + 2 ln(1 / eps)). eta = 0 counts
 * as 0.2, the largest that the proof admits. noise > 0. */
int64_t tvgp__side_query_rules_swaps(size_t n, size_t k, double t, double noise, double variance, tvgp__side_query_rules d);

/* Whether an own observation of this age is kept at action t: noise (1 + age^2) <= g(t) (S, section 3), with g(t) = noise ln t
 * for exponent = 0 and noise t^exponent otherwise. */
int tvgp__side_query_rules_keep(double exponent, double t, double age);

#endif
