/* SPDX-License-Identifier: MIT */
/* Constraints in snapshots (base/visit.h). The section begins with the models. */
#ifndef TVGP__PARTS_FEATURES_CONSTRAINTS_VISIT_H
#define TVGP__PARTS_FEATURES_CONSTRAINTS_VISIT_H

#include "parts/features/constraints.h"

/* Models, constraints, declared actions, counts, and the open outputs of pending queries. A visitor that loads requires
 * the same number of outputs, and the pending queries already loaded. */
void tvgp__constraints_visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v);

#endif
