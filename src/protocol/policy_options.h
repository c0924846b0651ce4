/* SPDX-License-Identifier: MIT */
/* The options of a policy: set until it starts, read at any time. */
#ifndef TVGP__PROTOCOL_POLICY_OPTIONS_H
#define TVGP__PROTOCOL_POLICY_OPTIONS_H

#include "protocol/policy_ops.h"

/* The configuration a policy starts with. */
void tvgp__policy_options_defaults(const tvgp__policy_ops *, void *config);

/* NOTFOUND (names the policies that know the key, or the nearest key), OPTION, NONFINITE, STATE; nothing is changed. */
tvgp_status tvgp__policy_options_f64(tvgp_policy *, const char *key, double value);
tvgp_status tvgp__policy_options_i64(tvgp_policy *, const char *key, int64_t value);
tvgp_status tvgp__policy_options_str(tvgp_policy *, const char *key, const char *value);
/* key=value pairs between blanks; the same, and NOMEM. */
tvgp_status tvgp__policy_options_text(tvgp_policy *, const char *text);

/* NOTFOUND if other policies have the option and this one has not; an unknown key is left to base/options.h. */
tvgp_status tvgp__policy_options_here(const tvgp_policy *, const char *key);
int tvgp__policy_options_was_set(const tvgp_policy *, const char *key);
/* Whether one of n options whose keys begin so was. */
int tvgp__policy_options_any_set(const tvgp_policy *, const char *prefix, size_t n, const tvgp__option *options);

/* ARG when i is too large, NOMEM. */
tvgp_status tvgp__policy_options_describe(const tvgp_policy *, size_t i, tvgp_option_info *info);

/* ---- options of features ---- their members are in the configuration of every policy; a policy that allows a feature
 * (src/parts/features) lists its options. */

/* constraint.scope, constraint.fallback, budget.fallback */
enum { TVGP__SCOPE_STEP, TVGP__SCOPE_AVERAGE, TVGP__SCOPE_RUN };
enum { TVGP__UNSAFE_REFUSED, TVGP__UNSAFE_SAFEST };
enum { TVGP__UNPAID_AGAIN, TVGP__UNPAID_CHEAPEST };

enum {
    TVGP__POLICY_OPTIONS_CONSTRAINTS = 6,
    TVGP__POLICY_OPTIONS_SWITCHING = 2,
    TVGP__POLICY_OPTIONS_BUDGET = 1,
    TVGP__POLICY_OPTIONS_COSTS = 1
};
extern const tvgp__option tvgp__policy_options_constraints[TVGP__POLICY_OPTIONS_CONSTRAINTS];
extern const tvgp__option tvgp__policy_options_switching[TVGP__POLICY_OPTIONS_SWITCHING];
extern const tvgp__option tvgp__policy_options_budget[TVGP__POLICY_OPTIONS_BUDGET];
extern const tvgp__option tvgp__policy_options_costs[TVGP__POLICY_OPTIONS_COSTS];

/* List the options of constraints, for policies that can have them, and of switching, budgets and costs, for policies that choose by
 * a score. */
#ifdef TVGP__WITHOUT_FEATURES
#define TVGP__POLICY_OPTIONS_CONSTRAINED                                                                                    \
    { NULL, 0, 0 }
#define TVGP__POLICY_OPTIONS_SCORES                                                                                         \
    { NULL, 0, 0 }
#else
#define TVGP__POLICY_OPTIONS_CONSTRAINED                                                                                    \
    { tvgp__policy_options_constraints, TVGP__POLICY_OPTIONS_CONSTRAINTS, offsetof(tvgp__policy_config, constraints) }
#define TVGP__POLICY_OPTIONS_SCORES                                                                                         \
    {tvgp__policy_options_switching, TVGP__POLICY_OPTIONS_SWITCHING, 0},                                                    \
        {tvgp__policy_options_budget, TVGP__POLICY_OPTIONS_BUDGET, 0}, {                                                    \
        tvgp__policy_options_costs, TVGP__POLICY_OPTIONS_COSTS, 0                                                           \
    }
#endif

/* Whether the policy chooses by scores, which features may change: it lists TVGP__POLICY_OPTIONS_SCORES. */
int tvgp__policy_options_by_score(const tvgp_policy *);

#endif
