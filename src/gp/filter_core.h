/* SPDX-License-Identifier: MIT */
/* The settled part R of a filter's posterior covariance (gp/filter.h), which filters share until they change it. */
#ifndef TVGP__GP_FILTER_CORE_H
#define TVGP__GP_FILTER_CORE_H

#include <stddef.h>

typedef struct tvgp__filter_core {
    size_t users, states;
    double *R; /* r x r blocks, column-major: ff (lower triangle); with two states uu (lower triangle) and uf (full) */
    double *z; /* r each: ff phi, uf phi, uf' phi, uu phi when `multiplied` */
    int multiplied;
} tvgp__filter_core;

void tvgp__filter_core_clear(tvgp__filter_core *core, size_t r, size_t states); /* R = 0 */

/* to = (N x I) from (N x I)' with `states` states; both may be the same. */
void tvgp__filter_core_transform(const tvgp__filter_core *from, size_t r, const double N[2][2], size_t states,
                                 tvgp__filter_core *to);

/* R += U U'; column k has its f-part at U + 2 k r and its u-part behind it. */
void tvgp__filter_core_add(tvgp__filter_core *core, size_t r, size_t count, const double *U);

/* The products of the blocks with phi, once for all users. */
void tvgp__filter_core_multiply(tvgp__filter_core *core, size_t r, const double *phi);

/* Adds share (q x I)' R (q x I) to the lower triangle of S (r x r). */
void tvgp__filter_core_gather(const tvgp__filter_core *core, size_t r, double share, const double q[2], double *S);

#endif
