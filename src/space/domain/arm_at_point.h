/* SPDX-License-Identifier: MIT */
/* Points of arms as callers report them: rounded to single precision, or computed in another order. */
#ifndef TVGP__SPACE_DOMAIN_ARM_AT_POINT_H
#define TVGP__SPACE_DOMAIN_ARM_AT_POINT_H

#include "space/domain/domain_ops.h"

/* Index of the arm at x; without one, of the arm that differs from x by rounding. -1: there is none, or another rank holds it.
 *
 * Rounding: each coordinate differs by at most 1e-6 times the largest absolute value that the arms have there, and no other arm is
 * within four times the distance. O(n dim) where no arm is exactly at x. */
int64_t tvgp__arm_at_point_locate(tvgp_domain *domain, const double *x);
/* Sets the error NOTFOUND, which names the point and the nearest arm; `what` names the argument. */
tvgp_status tvgp__arm_at_point_refuse(tvgp_ctx *ctx, const tvgp_domain *domain, const char *what, const double *x);

#endif
