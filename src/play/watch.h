/* SPDX-License-Identifier: MIT */
/* What a policy with a model notices about the answers and the times it is given. For an answer of innovation e = y - its
 * prediction, s^2 = predictive variance + noise:
 *   surprise  mean of e^2 / s^2 over the last answers: about 1 when mean, kernel and noise are right
 *   outliers  beyond c = outlier.sd standard deviations the noise is raised to |e| s / c - variance, so that the answer moves
 *             the mean as far as one at the distance c s would: Huber's (1964) psi of the innovation
 * The prediction is the posterior's as it is when the answer comes. On a box, and where the posterior is fitted afresh for each
 * time, it is that of the ask; there what nobody asked for is not predicted, but on arms with outlier.sd, when it costs a fit. The
 * logger gets a line when the first answers are nothing like what was expected, and one when the steps of time do not fit the rate at which the
 * policy forgets. */
#ifndef TVGP__PLAY_WATCH_H
#define TVGP__PLAY_WATCH_H

#include "frame/policy_ops.h"

enum { TVGP__WATCH_ANSWERS = 32 };

/* Member of the state of the ucb family; zeroed but for `asked`. */
typedef struct tvgp__watch {
    double ratio[TVGP__WATCH_ANSWERS]; /* e^2 / s^2 of the last answers, a ring */
    int64_t answers, outliers;
    double asked; /* time of the last ask; -infinity before */
    int told;     /* the line about time was written */
} tvgp__watch;

/* Of a policy of the ucb family. */

/* e less what is beyond outlier.sd standard deviations of a prediction; e when the option is 0. */
double tvgp__watch_clip(const tvgp_policy *policy, double e, double var, double noise);

/* Whether outlier.sd is set: the prediction of an answer decides what is learned from it. */
int tvgp__watch_limits(const tvgp_policy *policy);

/* Takes note of an answer y predicted with this mean and variance (both relative to the prior mean) and of this noise.
 * Returns the noise to take it with. */
double tvgp__watch_answer(tvgp_policy *policy, double y, double mean, double var, double noise);

/* Takes note of an ask at time t. */
void tvgp__watch_ask(tvgp_policy *policy, double t);

void tvgp__watch_visit(tvgp__watch *watch, tvgp__visit *v);
double tvgp__watch_surprise(const tvgp__watch *watch); /* 0 before the first answer */

#endif
