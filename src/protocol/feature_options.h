/* SPDX-License-Identifier: MIT */
/* Options of features: their members are in the configuration of every policy; a policy that allows a feature (src/parts/features)
 * lists its options. */
#ifndef TVGP__PROTOCOL_FEATURE_OPTIONS_H
#define TVGP__PROTOCOL_FEATURE_OPTIONS_H

#include "base/options.h"
#include "tvgp/types.h"

/* Cost of leaving the last action: jump + way |x - last|. */
typedef struct tvgp__guard_costs {
    double jump, way;
} tvgp__guard_costs;

/* Of constraints (parts/features/constraints.h). */
typedef struct tvgp__guard_constraints {
    double confidence, margin_step, exploration_share, initial_margin;
    int32_t scope, fallback;
} tvgp__guard_constraints;

/* Of the exploration floor (parts/features/exploration_floor.h). */
typedef struct tvgp__guard_draws {
    double floor, holdout;
} tvgp__guard_draws;

/* constraint.scope, constraint.fallback, budget.fallback */
enum { TVGP__SCOPE_STEP, TVGP__SCOPE_AVERAGE, TVGP__SCOPE_RUN };
enum { TVGP__UNSAFE_REFUSED, TVGP__UNSAFE_SAFEST };
enum { TVGP__UNPAID_AGAIN, TVGP__UNPAID_CHEAPEST };

enum {
    TVGP__FEATURE_OPTIONS_CONSTRAINTS = 6,
    TVGP__FEATURE_OPTIONS_SWITCHING = 2,
    TVGP__FEATURE_OPTIONS_BUDGET = 1,
    TVGP__FEATURE_OPTIONS_COSTS = 1
};
extern const tvgp__option tvgp__feature_options_constraints[TVGP__FEATURE_OPTIONS_CONSTRAINTS];
extern const tvgp__option tvgp__feature_options_switching[TVGP__FEATURE_OPTIONS_SWITCHING];
extern const tvgp__option tvgp__feature_options_budget[TVGP__FEATURE_OPTIONS_BUDGET];
extern const tvgp__option tvgp__feature_options_costs[TVGP__FEATURE_OPTIONS_COSTS];

/* List the options of constraints, for policies that can have them, and of switching, budgets and costs, for policies that choose by
 * a score. */
#ifdef TVGP__WITHOUT_FEATURES
#define TVGP__FEATURE_OPTIONS_CONSTRAINED                                                                                   \
    { NULL, 0, 0 }
#define TVGP__FEATURE_OPTIONS_SCORES                                                                                        \
    { NULL, 0, 0 }
#else
#define TVGP__FEATURE_OPTIONS_CONSTRAINED                                                                                   \
    { tvgp__feature_options_constraints, TVGP__FEATURE_OPTIONS_CONSTRAINTS, offsetof(tvgp__policy_config, constraints) }
#define TVGP__FEATURE_OPTIONS_SCORES                                                                                        \
    {tvgp__feature_options_switching, TVGP__FEATURE_OPTIONS_SWITCHING, 0},                                                  \
        {tvgp__feature_options_budget, TVGP__FEATURE_OPTIONS_BUDGET, 0}, {                                                  \
        tvgp__feature_options_costs, TVGP__FEATURE_OPTIONS_COSTS, 0                                                         \
    }
#endif

/* Whether the policy chooses by scores, which features may change: it lists TVGP__FEATURE_OPTIONS_SCORES. */
int tvgp__feature_options_by_score(const tvgp_policy *);

#endif
