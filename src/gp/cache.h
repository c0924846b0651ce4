/* SPDX-License-Identifier: MIT */
/* Columns k(., arm) of the kernel over all arms, kept while room lasts: a dictionary that is drawn again at every step costs
 * kernel evaluations for its new members only. A column not used in the present round gives way to a new one. */
#ifndef TVGP__GP_CACHE_H
#define TVGP__GP_CACHE_H

#include "kernel/kernel_ops.h"

typedef struct tvgp__cache {
    tvgp_ctx *ctx;
    const tvgp_kernel *kernel; /* borrowed, as is X (n x dim) */
    const double *X;
    size_t n;
    double *K;     /* slots x n */
    size_t *owner; /* slots: arm + 1, 0 = empty */
    size_t *used;  /* slots: the last round it was used in */
    size_t *place; /* n: slot + 1 of an arm, 0 = not here */
    size_t slots, hand, round;
    size_t evaluated; /* columns computed since creation */
} tvgp__cache;

void tvgp__cache_free(tvgp__cache *c);

/* Room for that many columns; what is there stays. NOMEM; unchanged. */
tvgp_status tvgp__cache_reserve(tvgp__cache *c, size_t slots);

/* Starts a round in which the columns of these m <= slots arms will be asked for: none of them gives way until the next. */
void tvgp__cache_begin(tvgp__cache *c, size_t m, const size_t *arm);

/* n entries; `arm` is one of the round's. */
const double *tvgp__cache_column(tvgp__cache *c, size_t arm);

#endif
