/* SPDX-License-Identifier: MIT */
#ifndef TVGP__PARTS_SERVE_STORE_EXTEND_H
#define TVGP__PARTS_SERVE_STORE_EXTEND_H

#include "parts/serve/store/store_common.h"

/* Adds actions: arguments arms, points and means. */
tvgp_status tvgp__store_extend_call(tvgp_store *);

#endif
