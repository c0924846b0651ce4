/* SPDX-License-Identifier: MIT */
/* Most probable hyper-parameters of Matern 5/2 on [0, 1]^d, with forgetting or without: marginal likelihood and prior as
 * documented, a dense Cholesky factor, differences for derivatives, Newton steps. Nothing of the library. */
#ifndef REF_FIT_H
#define REF_FIT_H

#include <stddef.h>

enum { REF_FIT_DIM = 6 };

struct ref_fit {
    size_t n, d;
    const double *x, *t, *y; /* n x d, n, n */
    double step;             /* median positive time step; 0: nothing changes */
};

struct ref_optimum {
    double lengthscale[REF_FIT_DIM], ratio, rate; /* ratio: noise / scale */
    double objective, evidence, mean, scale;
};

/* The best of where two starts lead, the prior's mode and that with much noise, and a third unless it is NULL. */
struct ref_optimum ref_fit_optimum(const struct ref_fit *fit, const struct ref_optimum *third);

#endif
