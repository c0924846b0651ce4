/* SPDX-License-Identifier: MIT */
/* The features of policies, in the order in which they are called. */
#ifndef TVGP__PARTS_FEATURES_GUARDS_H
#define TVGP__PARTS_FEATURES_GUARDS_H

#include "base/context.h"

/* Registers all of them in a new context. */
void tvgp__guards_register(tvgp_ctx *ctx);

#endif
