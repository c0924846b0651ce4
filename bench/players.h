/* SPDX-License-Identifier: MIT */
/* Two rules of others for arms that are names, beside which the library is measured. Both forget at a rate they are told.
 *
 * Sliding-window UCB (Garivier and Moulines 2011, section 3.2): an arm without an answer in the window, lowest first; else the
 * highest mean + width sqrt(ln(min(t, window)) / n) of the answers in the window. The width is sqrt(2 v) for noise of variance v.
 *
 * Discounted Thompson sampling: answers count gamma^age. 0 and 1: a draw of Beta(1 + S, 1 + F) for each arm (Raj and Kalyani 2017,
 * algorithm dTS); other answers: of N(m, 1/P), P = 1/p0 + n/v, m = (m0/p0 + s/v) / P (Qi, Wang and Zhu 2023, with a prior). */
#ifndef PLAYERS_H
#define PLAYERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct window_ucb {
    size_t arms, window, steps; /* steps: answers told */
    double width, *n, *sum;     /* of the answers in the window, for each arm */
    size_t *arm;                /* ring of the last answers: their arms */
    double *y;
} window_ucb;

void window_ucb_create(window_ucb *p, size_t arms, size_t window, double width);
size_t window_ucb_choose(const window_ucb *p);
void window_ucb_tell(window_ucb *p, size_t arm, double y);
void window_ucb_destroy(window_ucb *p);

typedef struct discounted_thompson {
    size_t arms;
    double gamma;
    double prior_mean, prior, noise; /* m0, p0, v; noise 0: answers are 0 or 1 */
    double *n, *sum;                 /* discounted */
    uint64_t random;                 /* state of a stream of its own */
} discounted_thompson;

void discounted_thompson_create(discounted_thompson *p, size_t arms, double gamma, uint64_t seed);
size_t discounted_thompson_choose(discounted_thompson *p);
void discounted_thompson_tell(discounted_thompson *p, size_t arm, double y);
void discounted_thompson_destroy(discounted_thompson *p);

#endif
