/* SPDX-License-Identifier: MIT */
/* The end of a public function of a policy, and an ask with its time-outs (api/policy_call.h). */
#include "api/policy_call.h"

#include "base/memory.h"
#include "protocol/copies/timeout_value.h"

tvgp_status tvgp__policy_call_end(tvgp_policy *p, tvgp_status status) {
    const tvgp_status heard = p->domain->shared ? tvgp__domain_heard(p->domain) : TVGP_OK;
    const tvgp_status all = heard < 0 ? heard : status;
    const int kept = p->ctx->keeping;
    p->ctx->keeping = 0;
    if (kept && all < 0)
        tvgp__memory_trim(p->ctx);
    tvgp__policy_leave(p);
    return all;
}

tvgp_status tvgp__policy_call_ask(tvgp__policy_call_function *ask, tvgp_policy *p, double t, size_t n, tvgp_query *q,
                                  double *x, size_t *emitted) {
    tvgp__undo undo = {0};
    if (!tvgp__timeout_value_on(p))
        return ask(p, t, n, q, x, emitted);
    TVGP__TRY(tvgp__timeout_value_open(p, t, &undo));
    return tvgp__timeout_value_close(p, &undo, ask(p, t, n, q, x, emitted));
}
