/* SPDX-License-Identifier: MIT */
/* The gamma function. */
#ifndef TVGP__BASE_GAMMA_H
#define TVGP__BASE_GAMMA_H

/* log Gamma(x), x > 0. Unlike lgamma it writes nothing that threads share. */
double tvgp__gamma_log(double x);

#endif
