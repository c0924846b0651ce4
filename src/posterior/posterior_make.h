/* SPDX-License-Identifier: MIT */
/* The one maker of posteriors. A spec says what is needed of one; the first method that can do all of it is made. */
#ifndef TVGP__POSTERIOR_POSTERIOR_MAKE_H
#define TVGP__POSTERIOR_POSTERIOR_MAKE_H

#include "domain/domain_ops.h"
#include "posterior/arm_mixture.h"
#include "posterior/kalman_mixture.h"
#include "posterior/posterior.h"
#include "temporal/drift.h"
#include "temporal/noise_age.h"

typedef struct tvgp__posterior_spec {
    tvgp_ctx *ctx;
    const char *policy;        /* that needs it, for messages */
    const tvgp_domain *domain; /* which outlives the posterior */
    const tvgp_kernel *kernel;
    double noise;        /* the usual noise variance */
    tvgp__drift law;     /* of change; zero: static */
    tvgp__season season; /* no periods: none */
    tvgp__noise_age age; /* of noise; zero: none */
    double offset; /* prior variance of an unknown offset of all arms, in their mean prior variances; a bank knows its own */
    size_t window; /* newest observations in use; 0: all */
    size_t late;   /* under a law: how many observations back an answer may come late and be exact */
    size_t rows;   /* on a box: observations held at most; 0: no limit */
    const tvgp__kalman_mixture_spec
        *bank; /* several laws or kernels weighed by evidence, in place of law and kernel; or NULL */
    const tvgp__arm_mixture_spec *mixed; /* a fixed mixture of independent arms, instead of law and kernel; or NULL */
    tvgp__basis_rule rank;               /* on arms, of methods that keep to features: how far; zero: to round-off */
    int learned;                         /* its kernel is learned, and may be rough for a while */
    int compared; /* its log evidence is that of all it was told, each as foretold when it was, also when rows are forgotten */
    int replaced; /* its observations are replaced as a whole: posterior/refit.h */
    int sketched; /* on a dictionary of arms: posterior/nystrom.h */
} tvgp__posterior_spec;

/* UNSUPPORTED: no method does all of it on this domain, said by name; NOMEM, LIMIT, the kernel's status. */
tvgp_status tvgp__posterior_make(const tvgp__posterior_spec *spec, tvgp__posterior **out);

#endif
