/* SPDX-License-Identifier: MIT */
/* The reduction of the prior covariance in weight space, where it has constant size. With f = Phi w and w ~ N(0, I), the posterior
 * covariance is P = Phi (I - R) Phi'. A column of P is Phi c with c = phi - R phi; an observation adds c c' / s to R. */
#ifndef TVGP__GP_WEIGHT_SPACE_H
#define TVGP__GP_WEIGHT_SPACE_H

#include "feature/basis.h"
#include "gp/predictive.h"

typedef struct tvgp__weight_space {
    tvgp__basis basis;
    double *R;       /* lower triangle, packed by columns */
    double *phi, *c; /* r each: features of the last arm looked at, the weights of its column */
} tvgp__weight_space;

static inline size_t tvgp__weight_space_triangle(size_t r) {
    return r * (r + 1) / 2;
}

void tvgp__weight_space_free(tvgp__weight_space *w);
/* Makes room for `slots` features, of which *held have room now (updated); contents stay. */
tvgp_status tvgp__weight_space_reserve(tvgp__weight_space *w, size_t slots, size_t *held);
/* Looks at an arm and makes its column, p = P[:, arm]. */
void tvgp__weight_space_column(tvgp__weight_space *w, size_t arm, double *p);
/* Observes the arm last looked at, with s its variance and noise. */
void tvgp__weight_space_observe(tvgp__weight_space *w, double s);
/* Makes the posterior a function of the point; arm_mean: posterior mean of all arms. The form owns its arrays. NOMEM. */
tvgp_status tvgp__weight_space_form(const tvgp__weight_space *w, const tvgp_kernel *kernel, const double *X,
                                    const double *arm_mean, tvgp__predictive *out);

#endif
