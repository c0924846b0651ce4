/* SPDX-License-Identifier: MIT */
/* Parameters of kernels, as hyperparameter optimisation sees them. Each is positive and has a coordinate u = log value.
 * For the epsilon of forgetting, u = log kappa with kappa = -log(1 - epsilon) / 2, because its correlation is e^(-kappa
 * dt). A value of 0 (no bias, no change) has no coordinate: it is not listed and stays 0. */
#ifndef TVGP__SPACE_KERNEL_PARAMETER_H
#define TVGP__SPACE_KERNEL_PARAMETER_H

#include "space/kernel/kernel_ops.h"

enum { TVGP__PARAMETER_NAME = 64 };

struct tvgp__param {
    char name[TVGP__PARAMETER_NAME];
    double value, lower, upper; /* what a clone takes */
    int32_t kind;               /* TVGP_PARAM_.. of tvgp/kernel.h */
    uint32_t flags;
};

size_t tvgp__parameter_count(const tvgp_kernel *kernel);
size_t tvgp__parameter_list(const tvgp_kernel *kernel, tvgp__param *list);

/* Value to coordinate and back. */
double tvgp__parameter_coordinate(const tvgp__param *param, double value);
double tvgp__parameter_value(const tvgp__param *param, double u);

/* NONFINITE, or ARG outside the bounds; the clone shares nothing that `write` changes. */
tvgp_status tvgp__parameter_check(const tvgp_kernel *kernel, const double *values);
tvgp_status tvgp__parameter_clone(const tvgp_kernel *kernel, const double *values_or_null, tvgp_kernel **out);

/* Writes new values into a clone that no other object uses. Cannot fail for kernels with `assign`. */
tvgp_status tvgp__parameter_write(tvgp_kernel **kernel, const double *values);

/* The op contract; a kernel without it is differenced, at steps of 1e-4 of u (two clones a parameter). UNSUPPORTED without
 * parameters that can be cloned; nothing happens when there are none. */
tvgp_status tvgp__parameter_contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                     const double *W, size_t ldw, double *gradient);

/* The record for the user: its name lives as long as the kernel. NOMEM. */
tvgp_status tvgp__parameter_info(const tvgp_kernel *kernel, size_t i, tvgp_param_info *info);

/* For the `params` of kernels: writes one entry (list NULL: none) and counts it; `name.0` .. `name.(count - 1)`. */
void tvgp__parameter_put(tvgp__param *list, size_t *n, const char *name, int32_t kind, double value);
void tvgp__parameter_put_each(tvgp__param *list, size_t *n, const char *name, int32_t kind, size_t count,
                              const double *values);

/* For their `assign`, and for who makes them: keeps `count` values (1 or dim) and the dim reciprocals; returns what stands after the values. */
const double *tvgp__parameter_take_each(const double *values, size_t count, size_t dim, double *kept, double *reciprocals);

#endif
