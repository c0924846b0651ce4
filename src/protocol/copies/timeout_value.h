/* SPDX-License-Identifier: MIT */
/* The outcome of queries that an ask closes because of their age (option pending.timeout_value). They are reported before the ask; if it
 * fails, the policy goes back to the state before them. */
#ifndef TVGP__PROTOCOL_COPIES_TIMEOUT_VALUE_H
#define TVGP__PROTOCOL_COPIES_TIMEOUT_VALUE_H

#include "protocol/copies/undo.h"

/* Reports them, on a copy that is asked and thrown away. */
tvgp_status tvgp__timeout_value_report(tvgp_policy *, double t);
/* Reports them before an ask. */
tvgp_status tvgp__timeout_value_open(tvgp_policy *, double t, tvgp__undo *);
/* Of an ask with this status, which is returned. */
tvgp_status tvgp__timeout_value_close(tvgp_policy *, tvgp__undo *, tvgp_status);

static inline int tvgp__timeout_value_on(const tvgp_policy *p) {
    const tvgp__policy_config *c = p->config;
    return c->timeout_value[0] && c->pending_timeout > 0 && p->tickets.pending;
}

#endif
