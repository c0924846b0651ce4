/* SPDX-License-Identifier: MIT */
/* Kernels in snapshots: the name of the type, the dimension and the type's own data. */
#ifndef TVGP__SPACE_KERNEL_KERNEL_VISIT_H
#define TVGP__SPACE_KERNEL_KERNEL_VISIT_H

#include "space/kernel/kernel_ops.h"

/* Visits *kernel; a visitor that loads creates it (NULL before). A kernel without a description is UNSUPPORTED when it
 * is counted or saved, and is hashed by its type alone. A kernel of a type that is not registered is UNSUPPORTED when it
 * is loaded. */
void tvgp__kernel_visit(tvgp__visit *v, tvgp_kernel **kernel);

/* Whether it can be saved, with all its parts. */
int tvgp__kernel_visit_possible(const tvgp_kernel *kernel);

/* What tells kernels apart. Fails as a kernel from outside does, and NOMEM. */
tvgp_status tvgp__kernel_visit_hash(const tvgp_kernel *kernel, uint64_t *out);

/* A list of n positive numbers, 1 or dim; `list` holds them, or they are loaded into *loaded, to be freed. */
void tvgp__kernel_visit_list(tvgp__visit *v, size_t dim, size_t *n, const double *list, double **loaded);

#endif
