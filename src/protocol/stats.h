/* SPDX-License-Identifier: MIT */
/* Statistics by name. */
#ifndef TVGP__PROTOCOL_STATS_H
#define TVGP__PROTOCOL_STATS_H

#include "protocol/policy_ops.h"

/* Statistics: the framework's first, then the policy's, then its series, each by its first key, if it has one: whatever is listed
 * can be read. */
size_t tvgp__stats_count(const tvgp_policy *);
tvgp_status tvgp__stats_describe(const tvgp_policy *, size_t i, tvgp_stat_info *out); /* ARG: i is too large */
int tvgp__stats_common(const tvgp_ctx *, const char *key); /* whether it is one of the framework's */
tvgp_status tvgp__stats_get(const tvgp_policy *, const char *key, double *value);

#endif
