/* SPDX-License-Identifier: MIT */
/* Slates: several arms at once, by asks in which the earlier items are excluded and pending (GP-BUCB, Desautels, Krause,
 * Burdick 2014) (parts/features/slate.h). */
#include "parts/features/slate.h"

#include "base/error.h"
#include "base/memory.h"
#include "protocol/copies/undo.h"

#include <string.h>

typedef struct slate {
    size_t arms;            /* choices; 0: a whole box */
    uint8_t *mask, *before; /* on arms: what may still be asked; what might be before the slate */
    int was_masked;
    size_t taken[TVGP__SLATE_MOST]; /* on a box: items */
    tvgp__undo before_slate;
} slate;

/* ---- what is excluded --------------------------------------------------------------------------------------------- */

static int on_box(const tvgp_policy *p) {
    return tvgp__domain_is_box(p->domain);
}

/* The mask of the policy becomes this one; NULL: none. There is memory for it if there is a mask already. */
static tvgp_status set_mask(tvgp_policy *p, const uint8_t *mask, size_t n) {
    return tvgp__available_set(&p->available, p->domain, mask, n);
}

/* Excludes an item; 0: nothing is left. */
static tvgp_status exclude(tvgp_policy *p, slate *s, size_t arm, int *left) {
    if (on_box(p)) {
        s->taken[p->available.n_taken++] = arm;
        p->available.taken = s->taken;
        *left = p->available.n_taken < s->arms;
        return TVGP_OK;
    }
    s->mask[arm] = 0;
    *left = memchr(s->mask, 1, s->arms) != NULL;
    if (!*left)
        return TVGP_OK;
    TVGP__TRY(set_mask(p, s->mask, s->arms));
    *left = p->available.any;
    return TVGP_OK;
}

static void include_all(tvgp_policy *p, const slate *s) {
    if (on_box(p))
        p->available.n_taken = 0, p->available.taken = NULL;
    else if (s->mask)
        (void)set_mask(p, s->was_masked ? s->before : NULL, s->arms); /* its memory is there */
}

/* ---- all or none -------------------------------------------------------------------------------------------------- */

static void close_slate(tvgp_policy *p, slate *s) {
    tvgp__memory_free(p->ctx, s->mask);
    tvgp__undo_forget(&s->before_slate);
}

static tvgp_status open_slate(tvgp_policy *p, slate *s) {
    const uint8_t *allowed = p->available.allowed;
    TVGP__TRY(tvgp__undo_save(p, &s->before_slate));
    if (on_box(p))
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, s->arms, 2, &s->mask));
    s->before = s->mask + s->arms;
    s->was_masked = allowed != NULL;
    for (size_t i = 0; i < s->arms; i++) {
        s->mask[i] = !allowed || allowed[i];
        s->before[i] = allowed ? allowed[i] : 1;
    }
    return TVGP_OK;
}

/* ---- the slate ---------------------------------------------------------------------------------------------------- */

static tvgp_status check(const tvgp_policy *p, size_t k) {
    const tvgp__policy_config *c = p->config;
    const char *why = NULL;
    if (k < 1 || k > TVGP__SLATE_MOST)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "k = %zu is outside 1..%d", k, (int)TVGP__SLATE_MOST);
    if (k == 1)
        return TVGP_OK;
    if (p->domain->shared)
        why = "shared arms";
    else if (!tvgp__policy_choices(p))
        why = "a box without candidates (tvgp_policy_set_candidates)";
    else if (c->moving.jump > 0 || c->moving.way > 0)
        why = "costs of moving (switch.cost)";
    else if (p->ops->side_queries)
        why = "side queries";
    if (why)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "a slate of k = %zu items is not possible with %s", k, why);
    if (k > (size_t)c->pending_limit)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "k = %zu exceeds option 'pending.limit' = %zu", k,
                               (size_t)c->pending_limit);
    return TVGP_OK;
}

/* Whether an item behind the first was not found because nothing more may be asked. */
static int is_end(tvgp_status status, size_t done) {
    return status > 0 || (done && status == TVGP_ERR_NOTFOUND);
}

static tvgp_status ask_items(tvgp_policy *p, slate *s, double t, size_t k, tvgp_query *q, double *x, size_t *n) {
    const size_t dim = p->domain->dim;
    int left = 1;
    for (size_t one; *n < k && left; *n += one) {
        const tvgp_status status = tvgp__policy_ask(p, t, 1, &q[*n], x ? x + *n * dim : NULL, &one);
        if (is_end(status, *n)) {
            tvgp__error_forget(p->ctx, status);
            return *n ? TVGP_OK : status;
        }
        TVGP__TRY(status);
        TVGP__TRY(exclude(p, s, (size_t)q[*n].arm, &left));
    }
    return TVGP_OK;
}

tvgp_status tvgp__slate_ask(tvgp_policy *p, double t, size_t k, tvgp_query *q, double *x, size_t *n) {
    slate s = {.arms = tvgp__policy_choices(p)};
    TVGP__TRY(check(p, k));
    if (k == 1)
        return tvgp__policy_ask(p, t, 1, q, x, n);
    tvgp_status status = open_slate(p, &s);
    if (status == TVGP_OK)
        status = ask_items(p, &s, t, k, q, x, n);
    if (s.before_slate.before && (s.mask || on_box(p)))
        include_all(p, &s);
    if (status < 0 && s.before_slate.before) /* an ask that failed changed nothing, but those before it did */
        tvgp__undo_restore(p, &s.before_slate);
    close_slate(p, &s);
    return status;
}
