/* SPDX-License-Identifier: MIT */
/* Memory of the list of a policy's constraints. */
#ifndef TVGP__PARTS_FEATURES_CONSTRAINTS_LIST_H
#define TVGP__PARTS_FEATURES_CONSTRAINTS_LIST_H

#include "parts/features/constraints.h"

/* The list of the policy, an empty one if it had none. NOMEM. */
tvgp_status tvgp__constraints_list_make(tvgp_policy *, tvgp__constraints **out);
void tvgp__constraints_list_free(tvgp_policy *, tvgp__constraints *);

/* Room for what is computed of n actions, for all constraints; none of the new actions is declared safe. NOMEM. */
tvgp_status tvgp__constraints_list_room(tvgp_ctx *, tvgp__constraints *, size_t n);

/* The margins are as the options say: when the policy starts. */
void tvgp__constraints_list_start(const tvgp_policy *, tvgp__constraints *);

#endif
