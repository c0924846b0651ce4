/* SPDX-License-Identifier: MIT */
/* The outcome of queries that an ask closes because of their age (option pending.timeout_value) (protocol/copies/timeout_value.h). */
#include "protocol/copies/timeout_value.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"

#include <math.h>

/* Queries that end with the value: not side queries, and none of which a part is known. */
static int ends(const tvgp__ticket *ticket) {
    return tvgp__tickets_pends(ticket) && ticket->kind != TVGP_SIDE && !ticket->parts;
}

/* The records, and how many they are; obs NULL: only the number. */
static size_t find(const tvgp_policy *p, double oldest, double value, tvgp_obs *obs) {
    const tvgp__tickets *t = &p->tickets;
    size_t n = 0;
    for (size_t i = t->first; i < t->first + t->count && t->list[i].t < oldest; i++)
        if (ends(&t->list[i])) {
            if (obs)
                obs[n] = tvgp_obs_value(t->list[i].id, value);
            n++;
        }
    return n;
}

static double oldest_of(const tvgp_policy *p, double t) {
    const tvgp__policy_config *c = p->config;
    return (c->time_clamp ? fmax(t, p->clock) : t) - c->pending_timeout;
}

tvgp_status tvgp__timeout_value_report(tvgp_policy *p, double t) {
    const double oldest = oldest_of(p, t);
    const size_t n = find(p, oldest, 0, NULL);
    tvgp_obs *obs = NULL;
    double value = 0;
    if (!n)
        return TVGP_OK;
    (void)tvgp__number_text_read(((const tvgp__policy_config *)p->config)->timeout_value, &value); /* checked at the start */
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *obs, &obs));
    find(p, oldest, value, obs);
    const tvgp_status status = tvgp__policy_tell(p, obs, NULL, n);
    for (size_t i = 0; status == TVGP_OK && i < n; i++) { /* of the others an output is open, and the ask closes them */
        const tvgp__ticket *ticket = tvgp__tickets_peek(&p->tickets, obs[i].id);
        p->counts.timed_out += !ticket || !tvgp__tickets_open_still(ticket);
    }
    tvgp__memory_free(p->ctx, obs);
    return status;
}

tvgp_status tvgp__timeout_value_open(tvgp_policy *p, double t, tvgp__undo *undo) {
    if (!find(p, oldest_of(p, t), 0, NULL))
        return TVGP_OK;
    tvgp_status status = tvgp__undo_save(p, undo);
    if (status == TVGP_ERR_UNSUPPORTED) /* a registered policy without save, or shared arms: nothing to go back to */
        status = TVGP_OK;
    if (status == TVGP_OK)
        status = tvgp__timeout_value_report(p, t);
    if (status < 0)
        tvgp__undo_forget(undo);
    return status;
}

tvgp_status tvgp__timeout_value_close(tvgp_policy *p, tvgp__undo *undo, tvgp_status status) {
    if (status < 0 && undo->before)
        tvgp__undo_restore(p, undo);
    tvgp__undo_forget(undo);
    return status;
}
