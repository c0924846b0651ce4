/* SPDX-License-Identifier: MIT */
/* How the noise variance of an observation grows with its age (uncertainty injection):
 *   linear       v + rate age        the variance of a Wiener process since then   (Brunzema et al. 2022)
 *   power        v (1 + age^alpha)                                                 (Mauduit, Berthier, Simonetto 2025)
 *   exponential  v e^(rate age)      weights e^(-rate age) of weighted regression  (Deng et al. 2022)
 * An exact observation (v = 0) would stay exact under the last two: who wants it to fade gives it a floor. Only the age
 * counts: nothing overflows in a long run. */
#ifndef TVGP__LAW_AGE_H
#define TVGP__LAW_AGE_H

enum { TVGP__AGE_NONE, TVGP__AGE_LINEAR, TVGP__AGE_POWER, TVGP__AGE_EXPONENTIAL };

typedef struct tvgp__age {
    int growth;
    double rate, alpha;
    int from_last; /* age 0 is the newest observation; otherwise the time of the prediction */
} tvgp__age;

double tvgp__age_noise(const tvgp__age *law, double noise, double age);

/* Its derivative by the logarithm of the one parameter of the growth, rate or alpha, and by that of v. */
double tvgp__age_slope(const tvgp__age *law, double noise, double age);
double tvgp__age_slope_by_noise(const tvgp__age *law, double noise, double age);

/* The same in terms of a correlation: sqrt(v / grown v) for v the prior variance; below 0 when nothing ages. */
double tvgp__age_correlation(const tvgp__age *law, double variance, double age);

#endif
