/* SPDX-License-Identifier: MIT */
/* Widening the set of what is safe. A policy that stays within it widens it by itself where the best safe action is at its edge,
 * but stops where the way to a better one leads through poor ones. So now and then an ask goes to the action z whose answer is the
 * likeliest to show that an action g outside is safe, of those g that may be safe and promise more than all that is safe:
 *
 *   C_k = cov_k(z, g),  d_k = min(C_k^2 / (v_k(z) + nu_k), v_k(g))       the variance that the mean of g is about to gain
 *   q_k = Phi((s_k (mu_k(g) - h_k) - b_k sqrt(v_k(g) - d_k + nu_k)) / sqrt(d_k)),  b_k = Phi^-1(1 - r / m) + theta_k
 *
 * is the probability that output k of g counts as safe once z has been told (nu_k under the root not of a limit on the mean), and z
 * maximises the product over k. */
#ifndef TVGP__GUARD_CONSTRAINTS_WIDEN_H
#define TVGP__GUARD_CONSTRAINTS_WIDEN_H

#include "guard/constraints.h"

/* From the safe arms and moments of the ask under way: whether it widens, and by which arm. NOMEM, the kernels' status; nothing
 * changed. */
tvgp_status tvgp__constraints_widen(tvgp_policy *p, size_t *arm, int *widens);

#endif
