/* SPDX-License-Identifier: MIT */
/** @file
 * Money in a policy's choices: budgets, costs of actions, their weight, and what a unit of reward pays (docs/guide/budgets.md,
 * docs/guide/prices-and-revenue.md).
 */
#ifndef TVGP_COST_H
#define TVGP_COST_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits the sum of costs in each period, or removes the limit, at any time (Badanidiyuru, Kleinberg, Slivkins 2013; Balseiro,
 * Gur 2019; docs/guide/budgets.md).
 *
 * An ask maximises score - price x cost among the actions that are affordable. The price follows what is spent, so that the
 * money lasts. If no action is affordable, ask returns TVGP_AGAIN, or asks the cheapest (option budget.fallback). A period
 * begins at the first ask; what is left does not pass to the next. A new budget begins a new period and keeps costs and price.
 * tvgp_query.score excludes the price. An ask costs O(arms) more. Statistics: budget.left, .spent, .price and .refused.
 *
 * An ask returns TVGP_ERR_STATE until tvgp_policy_set_costs was called, and TVGP_ERR_UNSUPPORTED on a box without candidates.
 *
 * @param policy  The policy.
 * @param budget  Cost that may be spent in a period, > 0. INFINITY: no budget.
 * @param period  Length of a period, in units of t, > 0.
 * @param asks    Number of asks expected in a period, > 0.
 * @retval TVGP_ERR_ARG          budget, period or asks <= 0.
 * @retval TVGP_ERR_NONFINITE    A number is NaN, or period or asks is infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy does not choose by a score, or arms are shared.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint, or its cost weight is above 0.
 */
TVGP_API tvgp_status tvgp_policy_set_budget(tvgp_policy *policy, double budget, double period, double asks);

/** Sets the expected costs of actions, for a budget or a cost weight, at any time. Without either they have no effect. Candidates of
 * another number need new costs. O(n).
 *
 * @param policy  The policy.
 * @param n       1, or the number of arms or candidates.
 * @param cost    Costs >= 0 (n), copied.
 * @retval TVGP_ERR_DIM          n is neither 1 nor the number of arms or candidates.
 * @retval TVGP_ERR_ARG          A cost is below 0.
 * @retval TVGP_ERR_NONFINITE    A cost is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A cost is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy does not choose by a score, or arms are shared.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint.
 */
TVGP_API tvgp_status tvgp_policy_set_costs(tvgp_policy *policy, size_t n, const double *cost);

/** Sets the weight of cost against reward, at any time (docs/guide/budgets.md). It replaces the option cost.weight.
 *
 * An ask maximises score - weight x cost, so the policy follows the efficient frontier of cost and reward: no other rule has a larger
 * mean reward at the mean cost of the best one. tvgp_query.score excludes the cost. An ask costs O(arms) more. Statistic: cost.weight.
 *
 * With a weight above 0 an ask returns TVGP_ERR_STATE until tvgp_policy_set_costs was called, and TVGP_ERR_UNSUPPORTED on a box
 * without candidates.
 *
 * @param policy  The policy.
 * @param weight  Reward that a unit of cost is worth, >= 0. 0: costs have no effect.
 * @retval TVGP_ERR_ARG          weight is below 0.
 * @retval TVGP_ERR_NONFINITE    weight is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        weight is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy does not choose by a score, or arms are shared.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint, or weight is above 0 and the policy has a budget.
 */
TVGP_API tvgp_status tvgp_policy_set_cost_weight(tvgp_policy *policy, double weight);

/** Reports the actual cost of a query, once, before or after its outcome; without it the expected cost counts. An outcome
 * TVGP_CANCELLED charges 0. The cost counts in the period in which the query was asked. O(uncharged queries).
 *
 * @param policy  The policy, which has a budget.
 * @param id      Id of the query.
 * @param cost    Its cost, >= 0.
 * @retval TVGP_ERR_TICKET     The query was not asked under this budget, was charged, or is older than the last pending.limit
 *                             uncharged queries.
 * @retval TVGP_ERR_ARG        cost is below 0.
 * @retval TVGP_ERR_NONFINITE  cost is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      cost is out of range.
 * @retval TVGP_ERR_STATE      There is no budget.
 */
TVGP_API tvgp_status tvgp_policy_charge(tvgp_policy *policy, int64_t id, double cost);

/** Sets what a unit of the reward of each action pays, such as the price of a sale, at any time (docs/guide/prices-and-revenue.md).
 *
 * Outcomes, predictions and the posterior stay rates. Choices, tvgp_query.score, tvgp_policy_best, tvgp_policy_best_probability and
 * the score of tvgp_policy_evaluate use payoff x rate. The score of an action is its payoff times the upper bound of its rate.
 * Costs of switching and prices of a budget have the unit of payoff x rate. Actions that are added later have payoff 1. O(n).
 *
 * @param policy           The policy, with outcome.type = poisson or binomial.
 * @param n                Number of actions: arms, or the actions of a product. 0: payoff 1 for all.
 * @param payoffs_or_null  Payoffs > 0 (n), copied.
 * @retval TVGP_ERR_UNSUPPORTED  The outcomes are no counts, the policy does not choose by a score, the domain is a box, or arms are
 *                               shared.
 * @retval TVGP_ERR_DIM          n is not the number of actions.
 * @retval TVGP_ERR_ARG          A payoff is <= 0.
 * @retval TVGP_ERR_NONFINITE    A payoff is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A payoff is out of range.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint.
 */
TVGP_API tvgp_status tvgp_policy_set_payoffs(tvgp_policy *policy, size_t n, const double *payoffs_or_null);

#ifdef __cplusplus
}
#endif
#endif
