/* SPDX-License-Identifier: MIT */
/* Forgets by age: a posterior on arms of observations whose noise grows with their age. The whole diagonal changes with
 * time, so mean and variance are fitted afresh (belief/refit.h), once for each time at which they are needed. An
 * observation whose noise is beyond 2^53 prior variances says nothing any more and is dropped. From TVGP__REFIT_EAGER
 * distinct arms on variances are bounds until somebody looks; not where arms are shared. */
#ifndef TVGP__BELIEF_AGED_H
#define TVGP__BELIEF_AGED_H

#include "belief/belief.h"
#include "law/age.h"

tvgp_status tvgp__aged_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__age *law, size_t n, const double *X,
                           tvgp__belief **out);

#endif
