/* SPDX-License-Identifier: MIT */
/* The window or restart interval for a known total change of the function (policy/ucb/variation_budget.h). */
#include "policy/ucb/variation_budget.h"

#include <math.h>

#define MEMBER(name) offsetof(tvgp__variation_budget, name)

const tvgp__option tvgp__variation_budget_options[TVGP__VARIATION_BUDGET_OPTIONS] = {
    {"information_gain", TVGP_F64, 0, MEMBER(gain), 1, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Information gain after horizon observations, for the rule of the policy.")},
    {"variation_budget", TVGP_F64, 0, MEMBER(budget), 1, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Variation budget for the rule of the policy: sum of |f_(t+1) - f_t| over the run.")},
};

int64_t tvgp__variation_budget_steps(const tvgp__variation_budget *rule, int64_t horizon) {
    double T = (double)horizon;
    return horizon ? (int64_t)fmin(T, fmax(1, ceil(pow(rule->gain, 0.25) * sqrt(T / rule->budget)))) : 50;
}

double tvgp__variation_budget_decay(const tvgp__variation_budget *rule, int64_t horizon) {
    return horizon ? fmax(0, 1 - pow(rule->gain, -0.25) * sqrt(rule->budget / (double)horizon)) : 0.97;
}
