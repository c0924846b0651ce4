/* SPDX-License-Identifier: MIT */
/* Notices when answers or times are not what the model expects: a statistic says how surprising answers are, outliers get
 * more noise, and the logger gets a line when the first answers are far off, when a noise nobody chose is contradicted, and
 * when the steps of time do not fit the rate at which the policy forgets.
 *   y         an answer
 *   e         y - its predicted mean
 *   s^2       its predicted variance + noise
 *   c         outlier.sd
 *   surprise  the mean of e^2 / s^2 over the last answers: about 1 when mean, kernel and noise are right
 * Where |e| > c s the noise is raised to |e| s / c - variance, so that the answer moves the mean as far as one at the distance
 * c s would: Huber's (1964) psi of the innovation.
 *
 * Who takes an answer says how it was predicted: by the posterior as it is when the answer comes; on a box, and where each
 * time costs a fit, by that of the ask. An answer that nobody asked for has no prediction there and is not looked at; on arms
 * with outlier.sd it is worth a fit. */
#ifndef TVGP__FAMILY_OUTLIER_MONITOR_H
#define TVGP__FAMILY_OUTLIER_MONITOR_H

#include "protocol/policy_ops.h"

/* How many answers surprise is the mean of. */
enum { TVGP__OUTLIER_MONITOR_ANSWERS = 32 };

/* A policy of the ucb family keeps this of its answers and times. It starts zeroed but for `asked`. */
typedef struct tvgp__outlier_monitor {
    double ratio[TVGP__OUTLIER_MONITOR_ANSWERS]; /* e^2 / s^2 of the last answers, a ring */
    int64_t answers, outliers;
    double asked; /* time of the last ask; -infinity before */
    int told;     /* the line about time was written */
} tvgp__outlier_monitor;

/* Returns e, cut off at c s of a prediction of this variance and noise; e itself where outlier.sd is 0. */
double tvgp__outlier_monitor_clip(const tvgp_policy *policy, double e, double var, double noise);

/* Whether outlier.sd is set, so that the prediction of an answer decides what is learned from it. */
int tvgp__outlier_monitor_limits(const tvgp_policy *policy);

/* Takes note of an answer, and returns the noise to take it with. y and its predicted mean are relative to the prior mean. */
double tvgp__outlier_monitor_answer(tvgp_policy *policy, double y, double mean, double var, double noise);

/* Takes note of an ask, and writes the line about time once. */
void tvgp__outlier_monitor_ask(tvgp_policy *policy, double t);

/* Returns the surprise; 0 before the first answer. */
double tvgp__outlier_monitor_surprise(const tvgp__outlier_monitor *watch);

/* Visits what is kept (base/visit.h). */
void tvgp__outlier_monitor_visit(tvgp__outlier_monitor *watch, tvgp__visit *v);

#endif
