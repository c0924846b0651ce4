/* SPDX-License-Identifier: MIT */
/* Work space of a call: blocks of a context that are taken and returned in any order, and stay for the next call. Frames
 * therefore stay small (docs/reference/guarantees.md), and a call allocates only the first time. */
#ifndef TVGP__BASE_SCRATCH_H
#define TVGP__BASE_SCRATCH_H

#include "base/context.h"

/* n doubles, whatever is in them. NOMEM, LIMIT; *out unchanged then. */
tvgp_status tvgp__scratch_take(tvgp_ctx *ctx, size_t n, double **out);

/* The same, all 0. */
tvgp_status tvgp__scratch_zeros(tvgp_ctx *ctx, size_t n, double **out);

/* NULL: nothing. */
void tvgp__scratch_give(tvgp_ctx *ctx, double *block);

#endif
