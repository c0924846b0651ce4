/* SPDX-License-Identifier: MIT */
/* The largest description of a policy (tvgp_policy_create_described). */
#ifndef TVGP__PARTS_SERVE_DESCRIPTION_H
#define TVGP__PARTS_SERVE_DESCRIPTION_H

enum { TVGP__DESCRIPTION_MOST = (1 << 20) - 1 }; /* bytes */

#endif
