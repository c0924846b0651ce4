/* SPDX-License-Identifier: MIT */
/* Expansion of the safe set. A policy that stays within the set expands it by itself if the best safe action is at its
 * edge, but stops if the path to a better one leads through poor ones. So from time to time an ask uses the action z
 * whose outcome is most likely to show that an action g outside is safe, among those g that may be safe and promise more
 * than all safe ones:
 *
 *   C_k = cov_k(z, g),  d_k = min(C_k^2 / (v_k(z) + nu_k), v_k(g))       the reduction of g's variance by z
 *   q_k = Phi((s_k (mu_k(g) - h_k) - b_k sqrt(v_k(g) - d_k + nu_k)) / sqrt(d_k)),  b_k = Phi^-1(1 - r / m) + theta_k
 *
 * is the probability that output k of g counts as safe after the outcome of z (without nu_k under the root for a
 * constraint on the mean), and z maximises the product over k. */
#ifndef TVGP__PARTS_FEATURES_CONSTRAINTS_WIDEN_H
#define TVGP__PARTS_FEATURES_CONSTRAINTS_WIDEN_H

#include "parts/features/constraints.h"

/* From the safe arms and moments of the ask under way: whether it widens, and by which arm. NOMEM, the kernels' status; nothing
 * changed. */
tvgp_status tvgp__constraints_widen(tvgp_policy *p, size_t *arm, int *widens);

#endif
