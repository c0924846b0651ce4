/* SPDX-License-Identifier: MIT */
/* The beginning and the end of a public function of a policy, for the core and for parts. */
#ifndef TVGP__API_POLICY_CALL_H
#define TVGP__API_POLICY_CALL_H

#include "api/enter.h"
#include "protocol/policy_ops.h"

/* Entry of a call on a policy, which the ranks make together where its arms are shared. */
#define TVGP__POLICY_CALL(p)                                                                                                \
    TVGP__ENTER_POLICY(p);                                                                                                  \
    if ((p)->domain->shared)                                                                                                \
    TVGP__TRY(tvgp__domain_heard((p)->domain))

/* The end of a call that runs callbacks, after tvgp__policy_enter; returns its status. Its results are not used if a collective call
 * failed. A policy destroyed from inside, and perhaps its context, are gone afterwards. */
tvgp_status tvgp__policy_call_end(tvgp_policy *, tvgp_status);

typedef tvgp_status tvgp__policy_call_function(tvgp_policy *, double t, size_t n, tvgp_query *, double *x, size_t *emitted);

/* Calls `ask` after the outcomes of queries that time out with a value. */
tvgp_status tvgp__policy_call_ask(tvgp__policy_call_function *ask, tvgp_policy *, double t, size_t n, tvgp_query *,
                                  double *x, size_t *emitted);

#endif
