/* SPDX-License-Identifier: MIT */
/* Parts from outside the library (tvgp/extend.h), as a user would write them, and told to fail when a test wants that. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include "harness.h"

/* A squared exponential over two coordinates with the parameters variance and lengthscale. */
struct outside_se {
    double lengthscale, variance;
    long calls, fail_at; /* of block; 0: never */
    int32_t fails_with;
    tvgp_kernel *self; /* not NULL: calls itself */
    int nan;
};
extern const tvgp_kernel_type outside_se; /* with differences, `user` an int that counts */
int32_t outside_se_contract(void *data, size_t n, const double *X, size_t m, const double *Z, const double *W, size_t ldw,
                            double *gradient);
extern int outside_released;           /* data given back */
extern int32_t outside_params_fail;    /* what params returns */
extern tvgp_param_info outside_params; /* name not NULL: the second parameter is this */
void outside_destroy(void *user);      /* counts in *user */

/* The vertices of a ring, 0 .. n - 1, and the diffusion kernel K = exp(-beta L) on it, L the Laplacian of the graph: its eigenvectors are
 * cosines and sines, and K_ij = 1/n sum_k exp(-2 beta (1 - cos(2 pi k / n))) cos(2 pi k (i - j) / n). Data is an
 * outside_ring from malloc, of each its own; its parameter is beta. */
struct outside_ring {
    size_t n;
    double beta;
};
extern const tvgp_domain_type outside_vertices; /* `user` not NULL */
extern const tvgp_kernel_type outside_diffusion;
struct outside_ring *outside_ring_new(size_t n, double beta);
double outside_ring_kernel(size_t n, double beta, size_t i, size_t j);
extern int outside_rings; /* alive */

/* The upper confidence bound of a Gaussian process over a sliding window of observations, put together from tvgp_gp. */
extern const tvgp_policy_type outside_ucb; /* `user` an int that counts in destroy; not NULL */
extern int outside_states;                 /* alive */

/* The function `op` returns status, or with `self` calls that policy, and -1015 when it is set to REENTRANT. */
struct outside_fault {
    const char *op;
    int32_t status;
    tvgp_policy *self;
    double mean, var; /* not 0: what predict gives, and ask as score and propensity */
    int64_t arm;      /* not 0: of ask */
    long after;       /* of kernel and domain: calls that succeed before */
};
extern struct outside_fault outside_fault;
enum { OUTSIDE_NOMEM = -1002 }; /* it found no memory */

#endif
