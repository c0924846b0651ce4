/* SPDX-License-Identifier: MIT */
/* The list of the types of outcomes, in the order of the choices of option outcome.type. */
#ifndef TVGP__SPACE_OUTCOME_OUTCOME_TYPES_H
#define TVGP__SPACE_OUTCOME_OUTCOME_TYPES_H

#include "space/outcome/outcome.h"

extern const char *const tvgp__outcome_types_names[];

/* The table of a type; NULL: normal, type 0. */
const tvgp__outcome_ops *tvgp__outcome_types_of(int32_t type);

#endif
