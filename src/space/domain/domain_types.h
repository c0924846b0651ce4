/* SPDX-License-Identifier: MIT */
/* The library's own domain types. A new type is a file in this directory and a line in domain_types.c. */
#ifndef TVGP__SPACE_DOMAIN_DOMAIN_TYPES_H
#define TVGP__SPACE_DOMAIN_DOMAIN_TYPES_H

#include "tvgp/types.h"

/* Enters them into the registry of a new context. */
void tvgp__domain_types_register(tvgp_ctx *ctx);

#endif
