/* SPDX-License-Identifier: MIT */
/* The options of policies whose function may repeat (space/temporal/season.h). */
#ifndef TVGP__POLICY_UCB_SEASON_OPTION_H
#define TVGP__POLICY_UCB_SEASON_OPTION_H

#include "protocol/policy_ops.h"
#include "space/temporal/season.h"

typedef struct tvgp__season_config {
    double lengthscale;
    char periods[TVGP__OPTION_TEXT_SIZE];
} tvgp__season_config;
enum { TVGP__SEASON_OPTIONS = 2 };
extern const tvgp__option tvgp__season_options[TVGP__SEASON_OPTIONS];

/* Whether the text can be read; no periods where it is "0". */
int tvgp__season_option_parse(const tvgp__season_config *config, tvgp__season *out);

/* Reads the season of a policy, as parse does, and sets the error that the user sees: OPTION where the text cannot be read,
 * UNSUPPORTED where there is a period and the policy `fits` its kernel. */
tvgp_status tvgp__season_option_read(const tvgp_policy *policy, const tvgp__season_config *config, int fits,
                                     tvgp__season *out);

#endif
