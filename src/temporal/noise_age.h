/* SPDX-License-Identifier: MIT */
/* How an old observation loses weight: its noise variance v grows with its age (uncertainty injection):
 *
 *   linear       v + rate age        the variance of a Wiener process since then   (Brunzema et al. 2022)
 *   power        v (1 + age^alpha)                                                 (Mauduit, Berthier, Simonetto 2025)
 *   exponential  v e^(rate age)      weights e^(-rate age) of weighted regression  (Deng et al. 2022)
 * An exact observation (v = 0) would stay exact under the last two: who wants it to fade gives it a floor. Only the age
 * counts: nothing overflows in a long run. */
#ifndef TVGP__TEMPORAL_NOISE_AGE_H
#define TVGP__TEMPORAL_NOISE_AGE_H

enum { TVGP__NOISE_AGE_NONE, TVGP__NOISE_AGE_LINEAR, TVGP__NOISE_AGE_POWER, TVGP__NOISE_AGE_EXPONENTIAL };

typedef struct tvgp__noise_age {
    int growth;
    int from_last; /* age 0 is the newest observation; otherwise the time of the prediction */
    double rate, alpha;
    double unit; /* of time, in which ages are counted; 0: 1 of the user's time, for which rate and alpha were told */
} tvgp__noise_age;

/* Sets the unit of time in which ages are counted (0: not known, taken as 1), unless rate and alpha were told by the user,
 * for the user's unit. */
void tvgp__noise_age_pace(tvgp__noise_age *law, double unit);

/* Gives the noise variance of an observation that had `noise` when it was told. */
double tvgp__noise_age_noise(const tvgp__noise_age *law, double noise, double elapsed);

/* Derivatives of that variance, for the gradient of a fit, in a unit of 1: by the logarithm of the one parameter of the
 * growth (rate or alpha), and by the logarithm of v. */
double tvgp__noise_age_slope(const tvgp__noise_age *law, double noise, double age);
double tvgp__noise_age_slope_by_noise(const tvgp__noise_age *law, double noise, double age);

/* Compares aging with a law of change: the correlation sqrt(v / grown v), for v the prior variance; below 0 when nothing
 * ages. */
double tvgp__noise_age_correlation(const tvgp__noise_age *law, double variance, double age);

#endif
