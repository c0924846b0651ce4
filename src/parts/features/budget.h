/* SPDX-License-Identifier: MIT */
/* A budget on cumulative cost: bandits with knapsacks (Badanidiyuru, Kleinberg, Slivkins 2013), paced by a price as in Balseiro, Gur
 * 2019. Notation: B, the budget of a period (unit of cost); T, its length (unit of the caller's time); N, the expected number of asks
 * in it; left, the part of B that is not spent yet (unit of cost); rho = B / N, the allowance of one ask; eta = N^(-1/2), the step size;
 * s, the largest prior standard deviation of an arm (unit of the reward); price, in units of reward per unit of cost. The choice
 * maximises
 *   score(a) - price c(a)   over choices with c(a) <= left,
 * and the price follows what is spent:
 *   dt after the last ask   price = max(0, price - eta s B dt / (T rho^2))
 *   an ask of cost c        price += eta s c / rho^2, left -= c
 *   its actual cost c'      price = max(0, price + eta s (c' - c) / rho^2), left -= c' - c if the query is of this period
 * A new period, counted from the first ask, sets left = B and keeps the price. The allowance is by time, because an allowance per ask
 * leaves money unspent where N is wrong. Spending never exceeds the budgets of the periods by more than actual costs exceed expected
 * ones. The costs are of parts/features/costs.h. */
#ifndef TVGP__PARTS_FEATURES_BUDGET_H
#define TVGP__PARTS_FEATURES_BUDGET_H

#include "base/options.h"
#include "protocol/guard_ops.h"

extern const tvgp__guard_ops tvgp__budget_ops;

/* Sets the budget of a period, its length and the number of asks expected in it. ARG: a number <= 0; NONFINITE, LIMIT; UNSUPPORTED:
 * the policy does not choose by a score, or arms are shared; STATE: the policy is the model of a constraint, or cost has a weight. */
tvgp_status tvgp__budget_set(tvgp_policy *, double budget, double period, double asks);

/* Replaces the expected cost of a query by its actual cost, once. STATE: no budget; ARG: cost below 0; NONFINITE, LIMIT; TICKET: the
 * id was not asked or already has its actual cost. */
tvgp_status tvgp__budget_charge(tvgp_policy *, int64_t id, double cost);

#endif
