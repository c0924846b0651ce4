/* SPDX-License-Identifier: MIT */
/* More arms for a policy of the family. */
#include "base/error.h"
#include "base/memory.h"
#include "policy/ucb/ucb.h"

#include <math.h>

/* Workspace is made again when it is needed. */
void tvgp__ucb_rescore(tvgp_policy *p, double *score) {
    tvgp__ucb *u = p->state;
    double **workspace[] = {&u->score, &u->columns, &u->shrunk};
    for (size_t i = 0; i < sizeof workspace / sizeof *workspace; i++) {
        tvgp__memory_free(p->ctx, *workspace[i]);
        *workspace[i] = NULL;
    }
    u->column_slots = 0;
    u->score = score;
}

/* Recomputes what a policy reads from its posterior (adopted). */
tvgp_status tvgp__ucb_extend(tvgp_policy *p, const tvgp_domain *larger) {
    tvgp__ucb *u = p->state;
    tvgp__posterior *fresh = NULL, *old = u->posterior;
    double *score = NULL;
    if (u->learner)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' learns its kernel: it keeps the arms it has",
                               p->ops->name);
    TVGP__TRY(tvgp__memory_alloc(p->ctx, larger->n, sizeof *score, &score));
    tvgp_status status =
        u->enlarge ? u->enlarge(p, larger, &fresh) : tvgp__posterior_extend(old, larger->n, larger->X, &fresh);
    if (status < 0) {
        tvgp__memory_free(p->ctx, score);
        return status;
    }
    tvgp__ucb_rescore(p, score);
    u->posterior = fresh;
    if (u->adopted)
        u->adopted(p, fresh, NAN);
    tvgp__posterior_free(old);
    return TVGP_OK;
}
