/* SPDX-License-Identifier: MIT */
/* The choice among what is safe (protocol/guard_ops.h: open, judge, close, asked). Before a choice the models learn from the values that they
 * received since the last ask, and the set may be widened. If the ask fails, the models are as they were before. */
#ifndef TVGP__PARTS_FEATURES_CONSTRAINTS_SAFE_H
#define TVGP__PARTS_FEATURES_CONSTRAINTS_SAFE_H

#include "parts/features/constraints.h"

/* NOTFOUND: nothing is safe; NOMEM, the kernels' and functions' status. */
tvgp_status tvgp__constraints_safe_open(tvgp__guard *, tvgp_policy *, double t, int asks);
tvgp_status tvgp__constraints_safe_judge(tvgp__guard *, tvgp_policy *, tvgp_status, size_t n, tvgp__chosen *, int *again);
void tvgp__constraints_safe_close(tvgp__guard *, tvgp_policy *, tvgp_status);
void tvgp__constraints_safe_asked(tvgp__guard *, tvgp_policy *, tvgp__ticket *);

#endif
