/* SPDX-License-Identifier: MIT */
/* The standard normal distribution: its tail, and where a tail begins. */
#ifndef TVGP__BASE_NORMAL_H
#define TVGP__BASE_NORMAL_H

/* Gives the probability that a standard normal number is above z. */
double tvgp__normal_tail(double z);

/* Gives the z that a standard normal number is above with this probability, in (0, 1): Phi^-1(1 - tail), to 1e-12 of |z| or of 1. */
double tvgp__normal_above(double tail);

#endif
