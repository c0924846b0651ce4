/* SPDX-License-Identifier: MIT */
/* One description, two implementations: the library's kernel made from a reference kernel, a list with one of every kind,
 * and a small world (arms, kernel, policy, reference) to run policies in. */
#ifndef CASES_H
#define CASES_H

#include "harness.h"
#include "ref/ref_gp.h"

tvgp_status cases_kernel(tvgp_ctx *c, const struct ref_kernel *k, tvgp_kernel **out);

/* One kernel of every kind over the arms below (REF_TABLE over their indices). */
enum { CASES_KERNELS = 10, CASES_ARMS = 24, CASES_WINDOW = 9 };
/* Behind them two from outside the library (outside.h): a squared exponential, and the diffusion kernel of a ring over its vertices,
 * a domain from outside. */
enum { CASES_ALL = CASES_KERNELS + 2 };
const struct ref_kernel *cases_kernel_at(size_t i);
const char *cases_kernel_name(size_t i);

/* Whether a loop over rows (policies, or variants of them) and n kernels combines these two: always when harness_all, otherwise each
 * row with three kernels, and each kernel with three rows of a dozen or more. */
int cases_combined(size_t row, size_t kernel, size_t n);

/* The domain that fits the kernel: CASES_ARMS points of the unit square, or their indices; X gets the coordinates. */
tvgp_status cases_domain(tvgp_ctx *c, const struct ref_kernel *k, double *X, tvgp_domain **out);

/* The unit square as a box, or CASES_ARMS random points in it; lives until the test has ended. */
tvgp_domain *cases_square(int box);

/* A policy with its domain and kernel already given up: the policy keeps what it uses. */
tvgp_status cases_policy(tvgp_ctx *c, const char *name, const struct ref_kernel *k, tvgp_policy **out);

/* ---- what every policy must do, by the options it has ---- */

void cases_set(tvgp_policy *p, const char *option, double value); /* where there is one */
int cases_has_model(const tvgp_policy *p);
int cases_is_random(const tvgp_policy *p); /* chance plays */

/* Whether its posterior is a dense one over data that a test knows; as such a one, forgetting where there is a drift model
 * of time, with a window where there is one, otherwise of at most `most` observations. */
int cases_has_reference(const tvgp_policy *p);
void cases_reference(const tvgp_policy *p, const struct ref_kernel *k, size_t most, struct ref_gp *out);
void cases_observe(struct ref_gp *ref, const double *x, double t, double y, double noise);

/* The context and what was made in it are destroyed in any order, the policy in use as long as it is there. */
typedef tvgp_status (*cases_maker)(tvgp_ctx *c, tvgp_domain **d, tvgp_kernel **k, tvgp_policy **p);
void cases_destroy_in_any_order(cases_maker make);

#endif
