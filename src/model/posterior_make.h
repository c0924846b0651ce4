/* SPDX-License-Identifier: MIT */
/* Creates posteriors. A spec states the requirements, and the first method that meets all of them is used. */
#ifndef TVGP__MODEL_POSTERIOR_MAKE_H
#define TVGP__MODEL_POSTERIOR_MAKE_H

#include "model/arm_mixture.h"
#include "model/kalman_mixture.h"
#include "model/posterior/posterior.h"
#include "space/domain/domain_ops.h"
#include "space/temporal/drift.h"
#include "space/temporal/noise_age.h"

typedef struct tvgp__posterior_spec {
    tvgp_ctx *ctx;
    const char *policy;        /* that needs it, for messages */
    const tvgp_domain *domain; /* which outlives the posterior */
    const tvgp_kernel *kernel;
    double noise;        /* the usual noise variance */
    tvgp__drift drift;   /* zero: static */
    tvgp__season season; /* no periods: none */
    tvgp__noise_age age; /* of noise; zero: none */
    double offset; /* prior variance of an unknown offset of all arms, over their mean prior variance; not of a mixture */
    size_t window; /* newest observations in use; 0: all */
    size_t late;   /* with drift: how many observations back delayed feedback is exact */
    size_t rows;   /* on a box: observations held at most; 0: no limit */
    const tvgp__kalman_mixture_spec *several; /* a mixture of drift models or kernels, instead of one; or NULL */
    const tvgp__arm_mixture_spec *mixed;      /* a fixed mixture of independent arms, instead of a kernel; or NULL */
    tvgp__basis_rule rank;                    /* on arms, of methods that keep to features: how far; zero: to round-off */
    int learned;                              /* its kernel is learned, and may be rough at first */
    int compared; /* its log marginal likelihood counts each observation at its arrival, also after rows are dropped */
    int replaced; /* its observations are replaced as a whole: model/refit.h */
    int sketched; /* on a dictionary: model/nystrom.h */
} tvgp__posterior_spec;

/* UNSUPPORTED: no method does all of it on this domain, said by name; NOMEM, LIMIT, the kernel's status. */
tvgp_status tvgp__posterior_make(const tvgp__posterior_spec *spec, tvgp__posterior **out);

#endif
