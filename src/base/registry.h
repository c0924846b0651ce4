/* SPDX-License-Identifier: MIT */
/* Kernels, domains and policies by name: the library's own and registered ones are in one table of the context. An entry
 * is an ops table, whose first member is its name. A table starts as the static list of its directory, which costs a new
 * context nothing, and becomes a longer one when a type is registered. */
#ifndef TVGP__BASE_REGISTRY_H
#define TVGP__BASE_REGISTRY_H

#include "base/context.h"
#include "base/nearest_name.h"

/* What a context starts with, ended by NULL: the list must stay. */
void tvgp__registry_start(tvgp_ctx *ctx, int kind, const void *const *list);

/* One more, for good; *list is the new list, the caller's to free when the context is gone. NOMEM. */
tvgp_status tvgp__registry_add(tvgp_ctx *ctx, int kind, const void *ops, const void ***list);

/* How many there are; the i-th, in order of registration. */
size_t tvgp__registry_count(const tvgp_ctx *ctx, int kind);
const void *tvgp__registry_at(const tvgp_ctx *ctx, int kind, size_t i);

/* NULL: not found; unless `nearest` is NULL, all names were offered to it. */
const void *tvgp__registry_find(const tvgp_ctx *ctx, int kind, const char *name, tvgp__nearest_name *nearest);

#endif
