/* SPDX-License-Identifier: MIT */
/* The library's own kernel types. A new type is a file in this directory and a line in kernel_types.c. */
#ifndef TVGP__SPACE_KERNEL_KERNEL_TYPES_H
#define TVGP__SPACE_KERNEL_KERNEL_TYPES_H

#include "tvgp/types.h"

/* Enters them into the registry of a new context. */
void tvgp__kernel_types_register(tvgp_ctx *ctx);

#endif
