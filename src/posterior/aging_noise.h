/* SPDX-License-Identifier: MIT */
/* Forgets by age: a posterior on arms of observations whose noise grows with their age. The whole diagonal changes with
 * time, so mean and variance are fitted afresh (posterior/refit.h), once for each time at which they are needed. An
 * observation whose noise is beyond 2^53 prior variances says nothing any more and is dropped. Where there are
 * many distinct arms variances are bounds until somebody looks; not where arms are shared. */
#ifndef TVGP__POSTERIOR_AGING_NOISE_H
#define TVGP__POSTERIOR_AGING_NOISE_H

#include "posterior/posterior.h"
#include "temporal/noise_age.h"

/* Makes one on n arms X. `arms`: of observations of more distinct arms those of the arms observed last stay, and of those the
 * newest 4096, so that a fit has a bounded cost; 0: all stay while they say something. NOMEM, the kernel's status. */
tvgp_status tvgp__aging_noise_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__noise_age *law, size_t arms,
                                  size_t n, const double *X, tvgp__posterior **out);

#endif
