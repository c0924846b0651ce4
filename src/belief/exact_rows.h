/* SPDX-License-Identifier: MIT */
/* Between exact.c, exact_prune.c and exact_visit.c. */
#ifndef TVGP__BELIEF_EXACT_ROWS_H
#define TVGP__BELIEF_EXACT_ROWS_H

#include "belief/exact.h"
#include "linalg/chol.h"

typedef struct tvgp__exact {
    tvgp__belief base;
    tvgp__law law;
    tvgp__age age;
    int aging, fitted;
    double at, newest; /* time the fit is for; of the newest observation */
    size_t limit, dropped;
    int compared;
    double foretold; /* log evidence of all that was told */
    tvgp__chol factor;
    size_t slots;                  /* room for rows, as many as the factor has */
    double *W;                     /* slots x slots, column-major: lower triangle; aging: above the diagonal K */
    double *X;                     /* slots x dim */
    double *t, *y, *noise, *prior; /* slots each: as told; k(x, x) */
    double *sigma, *z;             /* noise in use; W y */
    double *c, *own;               /* of the last form */
    double *work, *turn;           /* workspace; turn, twice as long: rotations */
    size_t *origin;                /* column of `cross` of each row */
    double *cross;                 /* points prepared x (rows then and points) */
    double *variance;              /* of the points prepared */
    size_t cross_slots, variance_slots, columns, first; /* rows at the time of prepare */
} tvgp__exact;

tvgp_status tvgp__exact_rows_reserve(tvgp__exact *p, size_t more); /* room for more. NOMEM, LIMIT */
void tvgp__exact_rows_visit(tvgp__belief *p, tvgp__visit *v);      /* the op */
void tvgp__exact_rows_forget(tvgp__exact *p, size_t i);            /* row i goes */
void tvgp__exact_rows_stock(tvgp__exact *p);                       /* evidence and counts of the rows there are */

#endif
