/* SPDX-License-Identifier: MIT */
/* Memory for a known total change: with T actions, information gain gamma and variation budget B = sum_t |f_(t+1) -
 * f_t|,
 *   window or restart after  ceil(gamma^(1/4) sqrt(T / B)) observations, clipped to 1 .. T   (Zhou, Shroff 2021)
 *   decay of weights         1 - gamma^(-1/4) sqrt(B / T), not below 0                      (Deng et al. 2022)
 * Without a horizon there is no rule, and the memory is about 50 observations, or 1 / (1 - decay) for exponential weights.
 */
#ifndef TVGP__POLICY_UCB_VARIATION_BUDGET_H
#define TVGP__POLICY_UCB_VARIATION_BUDGET_H

#include "base/options.h"

typedef struct tvgp__variation_budget {
    double gain, budget;
} tvgp__variation_budget;

enum { TVGP__VARIATION_BUDGET_OPTIONS = 2 };
extern const tvgp__option tvgp__variation_budget_options[TVGP__VARIATION_BUDGET_OPTIONS];

/* horizon is T; 0: unknown, then 50 and 0.97. */
int64_t tvgp__variation_budget_steps(const tvgp__variation_budget *rule, int64_t horizon);
double tvgp__variation_budget_decay(const tvgp__variation_budget *rule, int64_t horizon);

#endif
