/* SPDX-License-Identifier: MIT */
/* The Nystrom posterior (posterior/nystrom.h) on boxes: the same formulas without arms. An index is the number of a
 * play, and the posterior is a function of the point (gp/predictive.h). With u observations and a dictionary of rank r:
 *
 *   prepare   the rows b(x_i) = L_S^-1 k_S(x_i) of all plays: u r kernel values, u r^2 flops
 *   fit       W = I + sum b b' / noise and its inverse: u r^2 + r^3 flops
 *   condition one observation with the dictionary as it is: W gains b b' / noise, 2 r^2 flops
 *   variance  of an observation: r^2 flops
 *
 * Points within round-off of the span of others are left out of a dictionary. Every row is evaluated by itself, so the
 * rows after loading a snapshot have the same bits as before. */
#ifndef TVGP__POSTERIOR_NYSTROM_BOX_H
#define TVGP__POSTERIOR_NYSTROM_BOX_H

#include "posterior/dictionary.h"

/* n points X with the kernel's scale (tvgp_domain.scale). NOMEM, the kernel's status. */
tvgp_status tvgp__nystrom_box_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X,
                                  tvgp__posterior **out);

#endif
