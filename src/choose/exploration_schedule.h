/* SPDX-License-Identifier: MIT */
/* The exploration coefficient: score = mean + coefficient sd. Schedules stated as beta under a square root return
 * sqrt(max(beta, 0)), at action t, for n arms of dimension d, with gamma = 1/2 (log det(Sigma + K) - log det Sigma) of
 * the data in use:
 *   constant      w
 *   log           beta = c1 ln(c2 t)                                       (Bogunovic, Scarlett, Cevher 2016)
 *   finite        beta = 2 ln(n t^2 pi^2 / (6 delta))                      (Srinivas et al. 2010, thm 1)
 *   continuous    beta = 2 ln(2 pi^2 t^2 / (3 delta)) + 2 d ln(t^2 d b r sqrt(ln(4 d a / delta)))
 *                                                                          (Srinivas et al. 2010, thm 2)
 *   markov        beta = 2 ln(4 pi^2 t^2 / (3 delta)) + 2 d ln(t^2 d b r sqrt(ln(4 d a pi^2 t^2 / (3 delta))))
 *                                                                          (Brunzema et al., thm 1)
 *   igp           B + R sqrt(2 (gamma + 1 + ln(1 / delta)))                (Chowdhury, Gopalan 2017, thm 3)
 *   logdet        B + sqrt(2 ln(2 / delta) + 2 gamma)                      (Mauduit, Berthier, Simonetto 2025, eq. 26)
 *   prior-finite  beta = 2 ln(T n pi^2 t^2 / (3 delta)), T the horizon     (Ziomek, Adachi, Osborne, thm 4.1 A)
 *                 on a box 2 ln(2 pi^2 t^2 / (3 delta)) + 2 d ln(T t^2 d b r sqrt(ln(4 d a / delta)))         (4.1 B)
 *   rate          beta = 0.8 + 0.5 ln(1 / (epsilon + 1 / (n + 1 + 100))), n observations so far, epsilon the rate of change;
 *                 the mean of the coefficients if the rate is uncertain    (this library)
 * On a box, which has no n, `finite` uses the cover of `continuous`: ln n = d ln(t^2 d b r sqrt(ln(4 d a / delta))). With n arms
 * in a measured context, both use the box of contexts and add 2 ln n. */
#ifndef TVGP__CHOOSE_EXPLORATION_SCHEDULE_H
#define TVGP__CHOOSE_EXPLORATION_SCHEDULE_H

#include "base/options.h"

enum {
    TVGP__EXPLORATION_SCHEDULE_CONSTANT,
    TVGP__EXPLORATION_SCHEDULE_LOG,
    TVGP__EXPLORATION_SCHEDULE_FINITE,
    TVGP__EXPLORATION_SCHEDULE_CONTINUOUS,
    TVGP__EXPLORATION_SCHEDULE_MARKOV,
    TVGP__EXPLORATION_SCHEDULE_IGP,
    TVGP__EXPLORATION_SCHEDULE_LOGDET,
    TVGP__EXPLORATION_SCHEDULE_PRIOR_FINITE,
    TVGP__EXPLORATION_SCHEDULE_RATE,
    TVGP__EXPLORATION_SCHEDULE_SCHEDULES /* how many */
};

/* In the same order, for a policy that adds one of its own. */
#define TVGP__EXPLORATION_SCHEDULE_SCHEDULE_NAMES                                                                           \
    "constant", "log", "finite", "continuous", "markov", "igp", "logdet", "prior-finite", "rate"

typedef struct tvgp__exploration_schedule_config {
    int32_t schedule;
    double value, c1, c2, delta, a, b, bound, subgauss;
    int64_t horizon;
} tvgp__exploration_schedule_config;

enum { TVGP__EXPLORATION_SCHEDULE_OPTIONS = 10 };
extern const tvgp__option tvgp__exploration_schedule_options[TVGP__EXPLORATION_SCHEDULE_OPTIONS];

/* What the schedules depend on besides their options. */
typedef struct tvgp__exploration_schedule_inputs {
    double t;        /* number of the action about to be asked, from 1 */
    double n, dim;   /* n 0: a box */
    double measured; /* coordinates of measured contexts, in addition to n arms */
    double side;     /* r of the schedules continuous and markov: the longest side of a box, 1 on arms */
    double noise;    /* subgauss 0 means sqrt(noise) */
    double log_det_ratio;
    double observations;
    size_t n_rates; /* rate: the rates of change held possible and their weights, which add up to 1; none: no change */
    const double *rate, *rate_weight;
} tvgp__exploration_schedule_inputs;

double tvgp__exploration_schedule_at(const tvgp__exploration_schedule_config *config,
                                     const tvgp__exploration_schedule_inputs *in);

#endif
