/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb on categorical arms with default settings: a fixed mixture (model/arm_mixture.h) instead of optimised
 * hyperparameters, and an exploration coefficient calibrated by outcomes (choose/calibration.h). */
#ifndef TVGP__POLICY_AUTO_CATEGORICAL_H
#define TVGP__POLICY_AUTO_CATEGORICAL_H

#include "model/arm_mixture.h"
#include "protocol/policy_ops.h"

#define TVGP__AUTO_CATEGORICAL_LEVEL 10.0 /* prior variance of the common level, in those of an arm */

/* Says whether the policy uses it: categorical arms, perhaps in numbered contexts, one prior, no kernel, no historical data, and no option set by name that
 * describes the model whose hyperparameters are optimised. */
int tvgp__auto_categorical_applies(const tvgp_policy *policy);

/* Says whether the mixture is one of counts: they have filters of their own, unless all arms may change abruptly. */
int tvgp__auto_categorical_counts(const tvgp_policy *policy, double hazard);

/* Counts the filters; `hazard`: probability per outcome that all arms are drawn again. */
size_t tvgp__auto_categorical_filters(const tvgp_policy *policy, double hazard);

/* Gives the model of filter i. */
tvgp__arm_model tvgp__auto_categorical_model(const tvgp_policy *policy, double hazard, size_t i);

/* Makes the kernel of independent arms. NOMEM. */
tvgp_status tvgp__auto_categorical_kernel(const tvgp_policy *policy, tvgp_kernel **out);

/* Makes the state of the ucb family with this posterior; hazard as above. OPTION, LIMIT, NOMEM. */
tvgp_status tvgp__auto_categorical_start(tvgp_policy *policy, double switching, double hazard, int64_t limit);

/* Gives the posterior of a started policy if it is a fixed mixture, otherwise NULL. */
const tvgp__arm_mixture *tvgp__auto_categorical_mixed(const tvgp_policy *policy);

#endif
