/* SPDX-License-Identifier: MIT */
#ifndef TVGP__SESSION_STORE_EXTEND_H
#define TVGP__SESSION_STORE_EXTEND_H

#include "session/store_host.h"

/* Adds actions: arguments arms, points and means. */
tvgp_status tvgp__store_extend_call(tvgp_store *);

#endif
