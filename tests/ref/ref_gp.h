/* SPDX-License-Identifier: MIT */
/* Dense Gaussian-process regression: K + Sigma = L L', plain loops, nothing of the library. Zero prior mean. */
#ifndef REF_GP_H
#define REF_GP_H

#include "ref/ref_kernel.h"

struct ref_gp {
    const struct ref_kernel *space;
    double epsilon, rate; /* time kernel: forgetting(epsilon) * wiener(rate, origin 0); 0, 0: static */
    double lambda;        /* and times a Matern-3/2 kernel over time of this rate; 0: none */
    size_t n, capacity;
    double *x, *t, *noise, *y; /* the observations */
    double *L, *z, *v, *w;     /* rows of the factor one after another; z = L^-1 y; room for two rows */
};

void ref_gp_init(struct ref_gp *gp, const struct ref_kernel *space, double epsilon, size_t capacity);
void ref_gp_free(struct ref_gp *gp);
void ref_gp_add(struct ref_gp *gp, const double *x, double t, double y, double noise);
void ref_gp_drop(struct ref_gp *gp, size_t n_oldest);
/* mean or var may be NULL */
void ref_gp_predict(struct ref_gp *gp, size_t n, const double *x, double t, double *mean, double *var);
double ref_gp_covariance(struct ref_gp *gp, const double *x1, const double *x2, double t); /* posterior, at time t */
size_t ref_gp_points(const struct ref_gp *gp);                                             /* different places observed */
double ref_gp_log_evidence(const struct ref_gp *gp);
double ref_gp_information_gain(const struct ref_gp *gp);

#endif
