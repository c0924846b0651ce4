/* SPDX-License-Identifier: MIT */
/* Slates: several arms at once, by asks in which the earlier items are excluded and pending (GP-BUCB, Desautels, Krause,
 * Burdick 2014). The exclusion is the mask of the policy, or of its candidates, so no policy handles slates itself. If
 * one ask fails, the policy is restored from a snapshot taken before the first. */
#ifndef TVGP__PARTS_FEATURES_SLATE_H
#define TVGP__PARTS_FEATURES_SLATE_H

#include "protocol/policy_ops.h"

enum { TVGP__SLATE_MOST = 32 };

/* As tvgp_policy_ask_slate. */
tvgp_status tvgp__slate_ask(tvgp_policy *, double t, size_t k, tvgp_query *q, double *x, size_t *n);

#endif
