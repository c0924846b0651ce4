/* SPDX-License-Identifier: MIT */
/* Shares of traffic from the probabilities that arms are best (Scott 2010), and the arm of one user by weighted rendezvous hashing
 * (Thaler, Ravishankar 1998; weights: Schindelhauer, Schomaker 2005): the arm with the smallest -ln(1 - U_a) / s_a. Each of these is
 * exponential with rate s_a, so arm a wins with probability s_a / sum s, and a change of one share moves only users from or to it. */
#ifndef TVGP__CHOOSE_SHARES_H
#define TVGP__CHOOSE_SHARES_H

#include "tvgp/serve.h"

/* As tvgp_shares and tvgp_assign, whose arguments are not NULL. */
tvgp_status tvgp__shares_of(size_t n, const double *p, double power, double floor, double *share);
tvgp_status tvgp__shares_assign(size_t n, const double *share, uint64_t seed, uint64_t key, int64_t *arm);

#endif
