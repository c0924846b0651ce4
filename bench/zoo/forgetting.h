/* SPDX-License-Identifier: MIT */
/* Two third-party rules for categorical arms, with which the library is compared. The caller sets the rate at which both forget.
 *
 * Sliding-window UCB (Garivier and Moulines 2011, section 3.2): an arm without an outcome in the window, lowest first; else the
 * highest mean + c sqrt(ln(min(t, window)) / n) of the outcomes in the window, with c = sqrt(2 v) for noise of variance v.
 *
 * Discounted Thompson sampling: outcomes count gamma^age. 0 and 1: a draw of Beta(1 + S, 1 + F) for each arm (Raj and Kalyani 2017,
 * algorithm dTS); other outcomes: of N(m, 1/P), P = 1/p0 + n/v, m = (m0/p0 + s/v) / P (Qi, Wang and Zhu 2023, with a prior). */
#ifndef ZOO_FORGETTING_H
#define ZOO_FORGETTING_H

#include "chance.h"
#include <stddef.h>
#include <stdint.h>

typedef struct window_ucb {
    size_t arms, window, steps; /* steps: outcomes reported */
    double width, *n, *sum;     /* of the outcomes in the window, for each arm */
    size_t *arm;                /* ring of the last outcomes: their arms */
    double *y, index;           /* outcomes; score of the last choice */
} window_ucb;

void window_ucb_create(window_ucb *p, size_t arms, size_t window, double width);
size_t window_ucb_choose(window_ucb *p, const uint8_t *mask); /* NULL: all; 0: not to be played */
void window_ucb_tell(window_ucb *p, size_t arm, double y);
void window_ucb_destroy(window_ucb *p);

typedef struct discounted_thompson {
    size_t arms;
    double gamma;
    double prior_mean, prior, noise; /* m0, p0, v; noise 0: outcomes are 0 or 1 */
    double *n, *sum;                 /* discounted */
} discounted_thompson;

void discounted_thompson_create(discounted_thompson *p, size_t arms, double gamma);
size_t discounted_thompson_choose(const discounted_thompson *p, const uint8_t *mask, zoo_chance *chance);
void discounted_thompson_tell(discounted_thompson *p, size_t arm, double y);
void discounted_thompson_destroy(discounted_thompson *p);

#endif
