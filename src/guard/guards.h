/* SPDX-License-Identifier: MIT */
/* The features of policies, in the order in which they are called. */
#ifndef TVGP__GUARD_GUARDS_H
#define TVGP__GUARD_GUARDS_H

#include "base/context.h"

/* Registers all of them in a new context. */
void tvgp__guards_register(tvgp_ctx *ctx);

#endif
