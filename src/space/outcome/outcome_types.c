/* SPDX-License-Identifier: MIT */
/* The list of the types of outcomes, in the order of the choices of option outcome.type (space/outcome/outcome_types.h). */
#include "space/outcome/outcome_types.h"

#include "space/outcome/count.h"

const char *const tvgp__outcome_types_names[] = {"normal", "lognormal", "ratio", "poisson", "binomial", NULL};

static const tvgp__outcome_ops *const types[] = {NULL, &tvgp__outcome_lognormal, &tvgp__outcome_ratio, &tvgp__count_poisson,
                                                 &tvgp__count_binomial};

const tvgp__outcome_ops *tvgp__outcome_types_of(int32_t type) {
    return types[type];
}
