/* SPDX-License-Identifier: MIT */
/* The features of policies, in the order in which they are called (guard/guards.h). */
#include "guard/guards.h"

#include "base/registry.h"
#include "guard/budget.h"
#include "guard/conservative.h"
#include "guard/constraints.h"
#include "guard/costs.h"
#include "guard/counts.h"
#include "guard/floor.h"
#include "guard/history_prior.h"
#include "guard/payoffs.h"
#include "guard/switching_cost.h"

static const void *const types[] = {
    &tvgp__history_prior_ops, &tvgp__counts_ops,       &tvgp__constraints_ops,    &tvgp__costs_ops,   &tvgp__budget_ops,
    &tvgp__floor_ops,         &tvgp__conservative_ops, &tvgp__switching_cost_ops, &tvgp__payoffs_ops, NULL};

void tvgp__guards_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_GUARD, types);
}
