/* SPDX-License-Identifier: MIT */
/* The parts that the library is built with: the features of policies, in the order in which they are called (api/parts.h). */
#include "api/parts.h"

#include "base/registry.h"
#include "parts/absent.h"
#include "parts/features/budget.h"
#include "parts/features/conservative.h"
#include "parts/features/constraints.h"
#include "parts/features/costs.h"
#include "parts/features/counts.h"
#include "parts/features/exploration_floor.h"
#include "parts/features/payoffs.h"
#include "parts/features/switching_cost.h"
#include "parts/history/history_prior.h"

static const void *const types[] = {
#ifndef TVGP__WITHOUT_HISTORY
    &tvgp__history_prior_ops,
#endif
#ifdef TVGP__WITHOUT_FEATURES
    &tvgp__absent_ops,
#else
    &tvgp__counts_ops,
    &tvgp__constraints_ops,
    &tvgp__costs_ops,
    &tvgp__budget_ops,
    &tvgp__exploration_floor_ops,
    &tvgp__conservative_ops,
    &tvgp__switching_cost_ops,
    &tvgp__payoffs_ops,
#endif
    NULL};

void tvgp__parts_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_GUARD, types);
}
