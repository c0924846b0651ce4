/* SPDX-License-Identifier: MIT */
/* The tables of the options of features: key, type, bounds, default and help (protocol/feature_options.h). */
#include "protocol/feature_options.h"

#include "base/valid_range.h"
#include "protocol/policy_ops.h"

#include <stddef.h>

static const char *const scopes[] = {"step", "average", "run", NULL};
static const char *const reactions[] = {"error", "safest", NULL};

const tvgp__option tvgp__feature_options_constraints[TVGP__FEATURE_OPTIONS_CONSTRAINTS] = {
    {"constraint.confidence", TVGP_F64, TVGP_OPTION_OPEN_LOWER | TVGP_OPTION_OPEN_UPPER,
     offsetof(tvgp__guard_constraints, confidence), 0.99, 0, 1, NULL,
     TVGP__TEXT("Probability with which an action must satisfy all constraints together. 0.5: judged by posterior means.")},
    {"constraint.scope", TVGP_STR, 0, offsetof(tvgp__guard_constraints, scope), TVGP__SCOPE_STEP, 0, 0, scopes,
     TVGP__TEXT(
         "Scope of constraint.confidence: step: each ask; average: the asks so far on average, so that unused risk is spent "
         "later; run: all asks of a run together.")},
    {"constraint.margin_step", TVGP_F64, 0, offsetof(tvgp__guard_constraints, margin_step), 1, 0, 1000, NULL,
     TVGP__TEXT(
         "Safety margin added after each observed violation, in posterior standard deviations; it decays over time. 0: no "
         "adaptation.")},
    {"constraint.exploration_share", TVGP_F64, 0, offsetof(tvgp__guard_constraints, exploration_share), 0.05, 0, 1, NULL,
     TVGP__TEXT("Largest share of the asks that explore whether more arms are safe, where that promises a higher reward "
                "(arms only). 0: none.")},
    {"constraint.initial_margin", TVGP_F64, 0, offsetof(tvgp__guard_constraints, initial_margin), 0, 0, 5, NULL,
     TVGP__TEXT(
         "Safety margin at the start, in posterior standard deviations. 2 suits a learned model whose first violations are "
         "expensive.")},
    {"constraint.fallback", TVGP_STR, 0, offsetof(tvgp__guard_constraints, fallback), TVGP__UNSAFE_REFUSED, 0, 0, reactions,
     TVGP__TEXT("Reaction if no action is safe: error: the ask fails; safest: the action of least risk is asked (on a box: "
                "of those tried).")},
};

const tvgp__option tvgp__feature_options_switching[TVGP__FEATURE_OPTIONS_SWITCHING] = {
    {"switch.cost", TVGP_F64, 0, offsetof(tvgp__policy_config, moving.jump), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Cost of an action that differs from the last one, in units of the reward; subtracted from its score.")},
    {"switch.distance_cost", TVGP_F64, 0, offsetof(tvgp__policy_config, moving.way), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Cost of the distance from the last action, in units of the reward per unit of the coordinates.")},
};

static const char *const unpaid[] = {"again", "cheapest", NULL};

const tvgp__option tvgp__feature_options_budget[TVGP__FEATURE_OPTIONS_BUDGET] = {
    {"budget.fallback", TVGP_STR, 0, offsetof(tvgp__policy_config, budget_fallback), TVGP__UNPAID_AGAIN, 0, 0, unpaid,
     TVGP__TEXT(
         "Reaction if the budget affords no action: again: the ask returns AGAIN; cheapest: the cheapest action is asked.")},
};

const tvgp__option tvgp__feature_options_costs[TVGP__FEATURE_OPTIONS_COSTS] = {
    {"cost.weight", TVGP_F64, 0, offsetof(tvgp__policy_config, cost_weight), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Reward that a unit of cost is worth: ask maximises score - weight x cost, with the costs of "
                "tvgp_policy_set_costs. tvgp_policy_set_cost_weight changes it at any time.")},
};

int tvgp__feature_options_by_score(const tvgp_policy *p) {
    size_t i = 0;
    while (i < p->ops->n_groups && p->ops->groups[i].options != tvgp__feature_options_switching)
        i++;
    return i < p->ops->n_groups;
}
