/* SPDX-License-Identifier: MIT */
/* Checks outcomes and times against the model: the statistic `surprise`, more noise for outliers, and a line to the
 * logger if the first outcomes are far off, if outcomes contradict the default noise, or if steps of time do not fit the
 * policy's rate.
 *   y         an outcome
 *   e         y - its predicted mean
 *   s^2       its predicted variance + noise
 *   c         outlier.sd
 *   surprise  the mean of e^2 / s^2 over the last outcomes: about 1 if mean, kernel and noise are right
 * If |e| > c s the noise is raised to |e| s / c - variance, so that the outcome moves the mean as far as one at the distance c s would:
 * Huber's (1964) psi of the innovation.
 *
 * The caller supplies the prediction of the posterior at the arrival, or, on a box and if each time costs a fit,
 * the prediction of the ask. There, unsolicited observations have no prediction and are not checked; on arms with outlier.sd a fit
 * is made for them. */
#ifndef TVGP__POLICY_UCB_OUTLIER_MONITOR_H
#define TVGP__POLICY_UCB_OUTLIER_MONITOR_H

#include "protocol/policy_ops.h"

/* Number of outcomes that `surprise` averages. */
enum { TVGP__OUTLIER_MONITOR_ANSWERS = 32 };

/* What a policy of the ucb family stores of its outcomes and times. Starts as zero, except `asked`. */
typedef struct tvgp__outlier_monitor {
    double ratio[TVGP__OUTLIER_MONITOR_ANSWERS]; /* e^2 / s^2 of the last outcomes, a ring */
    int64_t answers, outliers;
    double asked; /* time of the last ask; -infinity before */
    int warned;   /* the line about time was written */
} tvgp__outlier_monitor;

/* Returns e, cut off at c s of a prediction of this variance and noise; e itself where outlier.sd is 0. */
double tvgp__outlier_monitor_clip(const tvgp_policy *policy, double e, double var, double noise);

/* Says whether outlier.sd is set, so that the prediction of an outcome affects what is learned from it. */
int tvgp__outlier_monitor_limits(const tvgp_policy *policy);

/* Records an outcome, and returns the noise to use with it. y and its predicted mean are relative to the prior mean. */
double tvgp__outlier_monitor_answer(tvgp_policy *policy, double y, double mean, double var, double noise);

/* Takes note of an ask, and writes the line about time once. */
void tvgp__outlier_monitor_ask(tvgp_policy *policy, double t);

/* Returns the surprise; 0 before the first outcome. */
double tvgp__outlier_monitor_surprise(const tvgp__outlier_monitor *monitor);

/* Visits what is kept (base/visit.h). */
void tvgp__outlier_monitor_visit(tvgp__outlier_monitor *monitor, tvgp__visit *v);

#endif
