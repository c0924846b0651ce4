/* SPDX-License-Identifier: MIT */
/* A budget on cumulative cost: bandits with knapsacks (Badanidiyuru, Kleinberg, Slivkins 2013), paced by a price as in Balseiro, Gur
 * 2019. B is the budget of a period T in which N asks are expected, rho = B / N the allowance of one ask, s the largest prior standard
 * deviation of the posterior in use, eta = N^(-1/2). The choice maximises
 *   score(a) - price c(a)   over choices with c(a) <= left,
 * and the price follows what is spent:
 *   dt after the last ask   price = max(0, price - eta s B dt / (T rho^2))
 *   an ask of cost c        price += eta s c / rho^2, left -= c
 *   its actual cost c'      price = max(0, price + eta s (c' - c) / rho^2), left -= c' - c
 * A new period, counted from the first ask, sets left = B and keeps the price. The allowance is by time, because an allowance per ask
 * leaves money unspent where N is wrong. Spending never exceeds the budgets of the periods by more than actual costs exceed expected
 * ones. */
#ifndef TVGP__GUARD_BUDGET_H
#define TVGP__GUARD_BUDGET_H

#include "base/options.h"
#include "protocol/guard.h"

enum { TVGP__BUDGET_OPTIONS = 1 };
extern const tvgp__option tvgp__budget_options[TVGP__BUDGET_OPTIONS];

extern const tvgp__guard_ops tvgp__budget_ops;

/* As tvgp_policy_set_budget, _set_costs and _charge. */
tvgp_status tvgp__budget_set(tvgp_policy *, double budget, double period, double asks);
tvgp_status tvgp__budget_set_costs(tvgp_policy *, size_t n, const double *cost);
tvgp_status tvgp__budget_charge(tvgp_policy *, int64_t id, double cost);

#endif
