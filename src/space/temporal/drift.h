/* SPDX-License-Identifier: MIT */
/* Drift models: how a function on the arms changes between two times, in Markov form. With f_t the vector of arm values,
 *   f_(t+dt) = m f_t + noise of covariance q K,   prior covariance kappa(t) K.
 * Static: m = 1, q = 0. Forgetting (Bogunovic, Scarlett, Cevher 2016): m = (1 - epsilon)^(dt/2), q = 1 - m^2, kappa = 1.
 * Wiener (Brunzema et al. 2022, k(x,x') (1 + rate min(t,t'))): m = 1, q = rate dt, kappa = 1 + rate t. It is
 * constant before time 0 and after kappa has reached 1e100. A negative dt inverts the step.
 *
 * State-space form of the stationary models (Hartikainen, Sarkka 2010): s = (f) or (f, u), prior covariance I x K,
 *   s_(t+dt) = (M x I) s_t + noise of covariance Q x K,   Q = I - M M'.
 * Forgetting: M = m. Matern 3/2 in time, correlation (1 + rate dt) e^(-rate dt), u the derivative over the rate:
 *   M = e^-x [[1 + x, x], [-x, 1 - x]],   x = rate dt. */
#ifndef TVGP__SPACE_TEMPORAL_DRIFT_H
#define TVGP__SPACE_TEMPORAL_DRIFT_H

#include "space/kernel/kernel_ops.h"

/* A new kind comes last. It needs a row of drift.c and of model/posterior_make.c (the compiler refuses it without) and a case of each switch
 * of drift.c (a warning). It has one or two states. drift_of of policy/tv_gp_ucb.c reads its options. */
typedef enum tvgp__drift_kind {
    TVGP__DRIFT_STATIC,
    TVGP__DRIFT_FORGETTING,
    TVGP__DRIFT_WIENER,
    TVGP__DRIFT_MATERN32,
} tvgp__drift_kind;
enum { TVGP__DRIFT_KINDS = TVGP__DRIFT_MATERN32 + 1 };

typedef struct tvgp__drift {
    tvgp__drift_kind kind;
    double rate; /* forgetting: epsilon; Wiener: variance per unit of time; Matern: 1 / time scale */
    double unit; /* other than Wiener: unit of time of the rate; 0: the user set the rate per unit of t, and it stays so */
} tvgp__drift;

typedef struct tvgp__drift_step {
    double m, q;
} tvgp__drift_step;

int tvgp__drift_equal(const tvgp__drift *a, const tvgp__drift *b);

/* Gives the step between two times, for a filter; not of Matern, which has two states. */
tvgp__drift_step tvgp__drift_between(const tvgp__drift *drift, double from, double to);
/* Gives kappa(t), the factor of the prior covariance at a time. */
double tvgp__drift_kappa(const tvgp__drift *drift, double t);
/* Returns the covariance of f_s(x) and f_t(x) divided by k(x, x), for posteriors that hold rows; any drift model. */
double tvgp__drift_covariance(const tvgp__drift *drift, double s, double t);

/* Returns the correlation of f at the times `from` and `to` > from, or a negative number if the drift model is static.
 * For a Wiener process, whose variance grows, it is the correlation of a process with variance k(x, x) at `from`. */
double tvgp__drift_correlation(const tvgp__drift *drift, double from, double to);

typedef struct tvgp__drift_transition {
    double M[2][2], Q[2][2];
} tvgp__drift_transition;

/* Whether the variance of f grows with time. */
int tvgp__drift_grows(const tvgp__drift *drift);
/* Whether old observations lose their influence, so that a box may drop them. */
int tvgp__drift_fades(const tvgp__drift *drift);

/* The number of states of a filter for each weight (1 or 2), and their transition over a
 * time elapsed >= 0. */
size_t tvgp__drift_states(const tvgp__drift *drift);
/* The time elapsed, as a transition counts it: for a Wiener process the time by which it moves. From -infinity, when no filter has
 * a time yet: 0, or for a Wiener process what it has moved since time 0. */
double tvgp__drift_elapsed(const tvgp__drift *drift, double from, double to);
tvgp__drift_transition tvgp__drift_transition_over(const tvgp__drift *drift, double elapsed);

/* Sets the unit of time of the rate (0: unknown, taken as 1). Has no effect if the user set the rate, which then refers
 * to the unit of t. */
void tvgp__drift_set_unit(tvgp__drift *drift, double unit);

/* Returns a number by which drift models are compared: the epsilon of the forgetting model with the same half-life
 * (0.825 times the rate of Matern 3/2, at most 1). */
double tvgp__drift_epsilon(const tvgp__drift *drift);

/* The kernel in time of a drift model, for the optimisation of its rate: at this rate (NaN: one from which to begin); NULL for the static
 * model. NOMEM. One parameter depends on the rate: it is the rate, or for Matern 3/2 the length scale sqrt(3) / rate. */
tvgp_status tvgp__drift_kernel(tvgp_ctx *ctx, tvgp__drift_kind kind, double rate, tvgp_kernel **out);

/* The rate of such a kernel; NaN without one (NULL). */
double tvgp__drift_rate(const tvgp_kernel *time);

/* Of a parameter of this kind (TVGP_PARAM_..): the rate where its logarithm is u; that logarithm where the rate is 1 / step; 1 if it grows
 * with the rate, otherwise -1. */
double tvgp__drift_rate_at(int32_t kind, double u);
double tvgp__drift_origin(int32_t kind, double step);
double tvgp__drift_sign(int32_t kind);

#endif
