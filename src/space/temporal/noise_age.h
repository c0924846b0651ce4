/* SPDX-License-Identifier: MIT */
/* Growing noise: the noise variance v of an observation grows with its age, so old observations lose weight (uncertainty
 * injection):
 *
 *   linear       v + rate age        the variance of a Wiener process since then   (Brunzema et al. 2022)
 *   power        v (1 + age^alpha)                                                 (Mauduit, Berthier, Simonetto 2025)
 *   exponential  v e^(rate age)      weights e^(-rate age) of weighted regression  (Deng et al. 2022)
 * An exact observation (v = 0) stays exact under the last two; a caller for whom it is to fade adds a minimum variance. Only
 * ages enter, so nothing overflows in a long run. */
#ifndef TVGP__SPACE_TEMPORAL_NOISE_AGE_H
#define TVGP__SPACE_TEMPORAL_NOISE_AGE_H

enum { TVGP__NOISE_AGE_NONE, TVGP__NOISE_AGE_LINEAR, TVGP__NOISE_AGE_POWER, TVGP__NOISE_AGE_EXPONENTIAL };

typedef struct tvgp__noise_age {
    int growth;
    int from_last; /* age 0 is the newest observation; otherwise the time of the prediction */
    double rate, alpha;
    double unit; /* unit of time in which ages are counted; 0: the user set rate and alpha per unit of t */
} tvgp__noise_age;

/* Sets the unit of time in which ages are counted (0: unknown, taken as 1). Has no effect if the user set rate and
 * alpha, which then refer to the unit of t. */
void tvgp__noise_age_set_unit(tvgp__noise_age *model, double unit);

/* Returns the noise variance, after the time `elapsed`, of an observation that had `noise` when it arrived. */
double tvgp__noise_age_noise(const tvgp__noise_age *model, double noise, double elapsed);

/* Derivatives of that variance, for the gradient of a fit, in a unit of 1: by the logarithm of the one parameter of the
 * growth (rate or alpha), and by the logarithm of v. */
double tvgp__noise_age_slope(const tvgp__noise_age *model, double noise, double age);
double tvgp__noise_age_slope_by_noise(const tvgp__noise_age *model, double noise, double age);

/* Returns the equivalent of a drift model's correlation: sqrt(v / grown v), where v is the prior variance; negative if
 * nothing ages. */
double tvgp__noise_age_correlation(const tvgp__noise_age *model, double variance, double age);

#endif
