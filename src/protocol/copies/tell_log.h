/* SPDX-License-Identifier: MIT */
/* Many records in one call of tell. Unsolicited ones are used in the order of their times. On a box a long log is used in pieces. The
 * state before is kept until the last piece was used, so that a failure changes nothing. Of records at more than rows.limit different
 * points only the newest are observed. */
#ifndef TVGP__PROTOCOL_COPIES_TELL_LOG_H
#define TVGP__PROTOCOL_COPIES_TELL_LOG_H

#include "protocol/policy_ops.h"

/* As tvgp_policy_tell. */
tvgp_status tvgp__tell_log(tvgp_policy *, const tvgp_obs *obs, const double *x, size_t n);

#endif
