/* SPDX-License-Identifier: MIT */
/* Rules out arms that cannot be the best without computing their full columns: bounds on columns of the posterior
 * covariance from a part of the features in single precision. A column is Phi c. The first few features, in pivoted
 * order, leave at most 3e-6 of the largest prior variance. By Cauchy and Schwarz, with everything left out marked _,
 *   |P[i, x] - sum_j F[i, j] c[j]| <= |Phi_[i]| |c_| + 6 2^-24 |Phi[i]| |c|.
 * A term has at most six roundings: those of F and c, of the product, and three of the sum of eight that is then added in
 * double precision. */
#ifndef TVGP__FEATURE_ARM_BOUNDS_H
#define TVGP__FEATURE_ARM_BOUNDS_H

#include "feature/basis.h"

typedef struct tvgp__arm_bounds {
    size_t n, kept; /* arms; features kept, a multiple of eight; 0: there is no screen */
    float *F;       /* panels of arms, of each the features one after the other; in units of `unit` */
    float *c;       /* kept: the weights of a column */
    double unit;    /* the largest prior deviation */
    double left;    /* the largest |Phi_[i]| */
} tvgp__arm_bounds;

/* NOMEM. */
tvgp_status tvgp__arm_bounds_new(const tvgp__basis *basis, tvgp__arm_bounds *out);
void tvgp__arm_bounds_free(tvgp_ctx *ctx, tvgp__arm_bounds *s);

/* Writes p (n) = Phi c to within what is returned. */
double tvgp__arm_bounds_column(const tvgp__arm_bounds *s, size_t r, const double *c, double *p);

#endif
