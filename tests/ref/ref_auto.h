/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb in plain loops over the arms: every filter with its whole covariance over arms and states, nothing shared. */
#ifndef REF_AUTO_H
#define REF_AUTO_H

#include <stddef.h>

enum { REF_AUTO_ARMS = 30, REF_AUTO_FILTERS = 70, REF_AUTO_K = 2 * REF_AUTO_ARMS, REF_AUTO_STATES = REF_AUTO_K + 1 };

struct ref_auto_filter {
    int states; /* 1: forgetting, 2: Matern 3/2 */
    double rate;
    const double *K, *mu;                                           /* arms x arms, arms */
    double m[REF_AUTO_STATES], P[REF_AUTO_STATES][REF_AUTO_STATES]; /* f, u, and at REF_AUTO_K the constant */
    double level, constant;                                         /* factor of the noise; prior variance of the constant */
    double L, a, b, stayed;
};

struct ref_auto {
    size_t n, J;
    double noise, alpha, hazard, jump;
    int scale;
    int learned;                                         /* whether the rate of abrupt changes is learned from `hazard` on */
    double passed;                                       /* time since the first observation */
    struct ref_auto_filter filter[REF_AUTO_FILTERS + 1]; /* the slot is filter J */
    double spawn[REF_AUTO_FILTERS];
    int slot_on, confirmed;
    size_t slot_arm, observations, resets, recycled;
    double mean[REF_AUTO_ARMS], var[REF_AUTO_ARMS], weight[REF_AUTO_FILTERS + 1], width;
};

/* Adds a filter in its prior state; all weights stay equal. */
void ref_auto_add(struct ref_auto *r, int states, double rate, const double *K, const double *mu, double level,
                  double constant);

/* Time passes; then mean, var, weight and width are those of the ask. */
void ref_auto_ask(struct ref_auto *r, double elapsed);

/* A value; `since` is the time since the newest one before it. */
void ref_auto_tell(struct ref_auto *r, size_t arm, double y, double since);

#endif
