/* SPDX-License-Identifier: MIT */
#ifndef TVGP__MODEL_AGING_NOISE_H
#define TVGP__MODEL_AGING_NOISE_H

#include "model/posterior/posterior_ops.h"
#include "space/temporal/noise_age.h"

/* Makes one on n arms X. `arms`: of observations of more distinct arms those of the arms observed last stay, and of those the
 * newest 4096, so that a fit has a bounded cost; 0: all stay while they say something. NOMEM, the kernel's status. */
tvgp_status tvgp__aging_noise_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__noise_age *age, size_t arms,
                                  size_t n, const double *X, tvgp__posterior **out);

#endif
