/* SPDX-License-Identifier: MIT */
/* What the parts of the library add to a new context. src/parts/parts.c, which lists them, has the function. */
#ifndef TVGP__API_PARTS_H
#define TVGP__API_PARTS_H

#include "base/context.h"

/* Registers the features that a policy may have, in the order in which they are called. */
void tvgp__parts_register(tvgp_ctx *ctx);

#endif
