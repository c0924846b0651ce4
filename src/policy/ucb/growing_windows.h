/* SPDX-License-Identifier: MIT */
/* The steps at which the growing windows of w-sparq-gp-ucb start (Mauduit, Berthier, Simonetto, W-SparQ, eq. 32):
 *   t_1 = 1, t_(j+1) = t_j + floor(t_j^r) + 1, r = alpha~ / alpha
 * If r is a fraction p / q, integer arithmetic makes the result exact: pow is wrong if t^r is an integer, such as 64^(1/3).
 */
#ifndef TVGP__POLICY_UCB_GROWING_WINDOWS_H
#define TVGP__POLICY_UCB_GROWING_WINDOWS_H

#include <stdint.h>

/* The ratio r of a sequence of windows. */
typedef struct tvgp__growing_windows {
    double ratio;
    uint32_t p, q; /* the simplest p / q within 1e-14 of it with p, q <= 250; q 0: there is none, and pow decides */
} tvgp__growing_windows;

/* Finds the ratio of alpha > 0 and alpha_tilde >= 0. */
tvgp__growing_windows tvgp__growing_windows_make(double alpha, double alpha_tilde);

/* Returns the start of the window after one that starts at t, 1 <= t <= 2^53. It is at most 2^53, which no run reaches.
 */
int64_t tvgp__growing_windows_next(const tvgp__growing_windows *w, int64_t t);

#endif
