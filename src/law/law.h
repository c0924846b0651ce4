/* SPDX-License-Identifier: MIT */
/* Laws of change: how a function on the arms moves between two times, in Markov form. With f_t the vector of arm values,
 *   f_(t+dt) = m f_t + noise of covariance q K,   prior covariance kappa(t) K.
 * Static: m = 1, q = 0. Forgetting (Bogunovic, Scarlett, Cevher 2016): m = (1 - epsilon)^(dt/2), q = 1 - m^2, kappa = 1.
 * Wiener (Brunzema et al. 2022, k(x,x') (1 + rate min(t,t'))): m = 1, q = rate dt, kappa = 1 + rate (t - origin);
 * it stands still before the origin, and after kappa has reached 1e100.
 * A negative dt inverts the step.
 *
 * State-space form of the stationary laws (Hartikainen, Sarkka 2010): s = (f) or (f, u), prior covariance I x K,
 *   s_(t+dt) = (M x I) s_t + noise of covariance Q x K,   Q = I - M M'.
 * Forgetting: M = m. Matern 3/2 in time, correlation (1 + rate dt) e^(-rate dt), u the derivative over the rate:
 *   M = e^-x [[1 + x, x], [-x, 1 - x]],   x = rate dt. */
#ifndef TVGP__LAW_LAW_H
#define TVGP__LAW_LAW_H

#include <stddef.h>

enum { TVGP__LAW_STATIC, TVGP__LAW_FORGETTING, TVGP__LAW_WIENER, TVGP__LAW_MATERN32 };

typedef struct tvgp__law {
    int kind;
    double rate; /* forgetting: epsilon; Wiener: variance per unit of time; Matern: 1 / time scale */
    union {
        double origin; /* Wiener */
        double unit;   /* others: of time that the rate is for; 0: it was told, for 1 of the user's time, and stays */
    };
} tvgp__law;

typedef struct tvgp__law_step {
    double m, q;
} tvgp__law_step;

int tvgp__law_equal(const tvgp__law *a, const tvgp__law *b);

/* Gives the step between two times, for a filter; not of Matern, which has two states. */
tvgp__law_step tvgp__law_between(const tvgp__law *law, double from, double to);
/* Gives kappa(t), the factor of the prior covariance at a time. */
double tvgp__law_kappa(const tvgp__law *law, double t);
/* Gives the covariance of f_s(x) and f_t(x) over k(x, x), for posteriors that hold rows; any law. */
double tvgp__law_covariance(const tvgp__law *law, double s, double t);

/* Says what an observation at `from` is worth at `to` > from: the correlation of f at the two times, below 0 when the law
 * lets nothing change. Of a Wiener process, whose variance grows, it is the one of a process with variance k(x, x) at
 * `from`. */
double tvgp__law_correlation(const tvgp__law *law, double from, double to);

typedef struct tvgp__law_transition {
    double M[2][2], Q[2][2];
} tvgp__law_transition;

/* For stationary laws: how many states a filter needs for each weight (1 or 2), and how these move in a time elapsed >=
 * 0. */
size_t tvgp__law_states(const tvgp__law *law);
tvgp__law_transition tvgp__law_transition_over(const tvgp__law *law, double elapsed);

/* Sets the unit of time that the rate is for (0: not known, taken as 1), unless the rate was told by the user, for the
 * user's unit. */
void tvgp__law_pace(tvgp__law *law, double unit);

/* Gives a number to compare laws by: the epsilon of the forgetting law whose correlation has the same half-life (0.825 times
 * the rate of Matern 3/2, at most 1). */
double tvgp__law_epsilon(const tvgp__law *law);

#endif
