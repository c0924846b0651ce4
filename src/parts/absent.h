/* SPDX-License-Identifier: MIT */
/* What stands for parts that the library is built without. */
#ifndef TVGP__PARTS_ABSENT_H
#define TVGP__PARTS_ABSENT_H

#include "protocol/guard_ops.h"

/* UNSUPPORTED, as the error of this public function; ctx NULL: ARG. */
tvgp_status tvgp__absent_error(tvgp_ctx *ctx, const char *function);

/* Without features: refuses options of every policy that need one. */
extern const tvgp__guard_ops tvgp__absent_ops;

#endif
