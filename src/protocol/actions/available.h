/* SPDX-License-Identifier: MIT */
/* Which arms may be asked now: the available ones (the set X_t of the papers), in the present context; on a box which
 * candidates, as found by the last ask or best. */
#ifndef TVGP__PROTOCOL_ACTIONS_AVAILABLE_H
#define TVGP__PROTOCOL_ACTIONS_AVAILABLE_H

#include "space/domain/domain_ops.h"

typedef struct tvgp__available {
    const uint8_t *mask; /* what holds, one entry per arm; NULL: all */
    size_t count;        /* arms it leaves here */
    int any;             /* it leaves some, here or at other ranks */
    uint8_t *allowed;    /* the user's, NULL: all */
    uint8_t *in_context; /* allowed and in the context; NULL until there is one */
    size_t contexts;     /* of a domain of actions and contexts, otherwise 0 */
    int64_t context;     /* -1: none */
    size_t n_taken;      /* candidates that may not be asked: items of a slate under way */
    const size_t *taken; /* n_taken; borrowed */
} tvgp__available;

void tvgp__available_init(tvgp__available *a, const tvgp_domain *domain);
void tvgp__available_free(tvgp_ctx *ctx, tvgp__available *a);

/* DIM, ARG (no arm left), NOMEM; nothing changed. */
tvgp_status tvgp__available_set(tvgp__available *a, const tvgp_domain *domain, const uint8_t *mask, size_t n);

/* UNSUPPORTED (the domain has no contexts), ARG, NOMEM; nothing changed. -1: no context. */
tvgp_status tvgp__available_set_context(tvgp__available *a, const tvgp_domain *domain, int64_t context);

/* On a box: those of n candidates in the mask may be asked, except for those that are taken, which it loses; n 0: the whole box. The mask
 * is borrowed. */
void tvgp__available_among(tvgp__available *a, size_t n, uint8_t *mask);

/* Mask and context (base/visit.h). */
void tvgp__available_visit(tvgp__available *a, const tvgp_domain *domain, tvgp__visit *v);

/* Those of a larger domain: the arms that came are available. NOMEM. */
tvgp_status tvgp__available_extend(const tvgp__available *a, const tvgp_domain *domain, const tvgp_domain *larger,
                                   tvgp__available *out);

/* STATE when the context leaves no arm. */
tvgp_status tvgp__available_check(const tvgp__available *a, tvgp_ctx *ctx);

#endif
