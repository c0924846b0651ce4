/* SPDX-License-Identifier: MIT */
/* Growing windows (Mauduit, Berthier, Simonetto, W-SparQ, eq. 32): t_1 = 1, t_(j+1) = t_j + floor(t_j^ratio) + 1,
 * ratio = alpha~ / alpha. The floor is exact when the ratio is a fraction p / q: pow alone is wrong where t^(p/q) is an
 * integer, e.g. 64^(1/3). */
#ifndef TVGP__PLAY_WINDOWS_H
#define TVGP__PLAY_WINDOWS_H

#include <stdint.h>

/* The ratio as the simplest p / q within 1e-14 of it with p, q <= 1000; q = 0 when there is none (pow is used then). */
typedef struct tvgp__windows {
    double ratio;
    uint32_t p, q;
} tvgp__windows;

tvgp__windows tvgp__windows_make(double alpha, double alpha_tilde);

/* The start after one at t, 1 <= t <= 2^53; at most 2^53, which nobody reaches. */
int64_t tvgp__windows_next(const tvgp__windows *w, int64_t t);

#endif
