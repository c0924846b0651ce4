/* SPDX-License-Identifier: MIT */
/* Which arms may be asked now: the available ones (the set X_t of the papers), in the present context; on a box which
 * candidates, as found by the last ask or best (protocol/actions/available.h). */
#include "protocol/actions/available.h"
#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "space/domain/product.h"

#include <string.h>

void tvgp__available_init(tvgp__available *a, const tvgp_domain *domain) {
    *a = (tvgp__available){
        .count = tvgp__domain_entries(domain), .any = 1, .contexts = tvgp__product_contexts(domain), .context = -1};
}

void tvgp__available_free(tvgp_ctx *ctx, tvgp__available *a) {
    tvgp__memory_free(ctx, a->allowed);
    tvgp__memory_free(ctx, a->in_context);
}

static size_t count(const uint8_t *mask, size_t n) {
    size_t set = 0;
    for (size_t i = 0; i < n; i++)
        set += mask[i] != 0;
    return set;
}

/* Arms of one context stand `contexts` apart. */
static void refresh(tvgp__available *a, size_t n) {
    a->any = 1;
    if (a->context < 0) {
        a->mask = a->allowed;
        a->count = a->allowed ? count(a->allowed, n) : n;
        return;
    }
    memset(a->in_context, 0, n);
    a->mask = a->in_context;
    a->count = 0;
    for (size_t i = (size_t)a->context; i < n; i += a->contexts) {
        a->in_context[i] = !a->allowed || a->allowed[i];
        a->count += a->in_context[i];
    }
    a->any = a->count > 0;
}

/* Checks a mask; *room is memory for it (not NULL: there is some). */
static tvgp_status check(const tvgp_domain *domain, const uint8_t *mask, size_t n, uint8_t **room) {
    tvgp_ctx *ctx = domain->ctx;
    const size_t arms = tvgp__domain_entries(domain);
    if (!arms)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED,
                               "a box has no arms; use tvgp_policy_set_bounds or tvgp_policy_set_feasible");
    if (!mask)
        return TVGP_OK;
    if (n != arms)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "mask has n = %zu entries, the domain has %zu arms", n, arms);
    if (!domain->shared && !count(mask, n))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "mask leaves 0 of %zu arms available, must be >= 1", n);
    return *room ? TVGP_OK : tvgp__memory_alloc(ctx, n, sizeof *mask, room);
}

/* Some rank's mask leaves an arm. */
static tvgp_status check_any(const tvgp_domain *domain, const uint8_t *mask) {
    double left = !mask || count(mask, domain->n);
    tvgp__domain_max(domain, &left, 1);
    TVGP__TRY(tvgp__domain_heard(domain));
    if (!(left > 0))
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "the masks leave 0 of %zu arms available, must be >= 1",
                               domain->total);
    return TVGP_OK;
}

tvgp_status tvgp__available_set(tvgp__available *a, const tvgp_domain *domain, const uint8_t *mask, size_t n) {
    uint8_t *room = a->allowed;
    tvgp_status status = tvgp__domain_agree(domain, check(domain, mask, n, &room));
    if (status == TVGP_OK && domain->shared)
        status = check_any(domain, mask);
    if (room != a->allowed && status < 0)
        tvgp__memory_free(domain->ctx, room);
    TVGP__TRY(status);
    if (mask)
        memcpy(room, mask, n);
    else
        tvgp__memory_free(domain->ctx, room);
    a->allowed = mask ? room : NULL;
    refresh(a, tvgp__domain_entries(domain));
    return TVGP_OK;
}

tvgp_status tvgp__available_set_context(tvgp__available *a, const tvgp_domain *domain, int64_t context) {
    if (!a->contexts)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED, "%s",
                               tvgp__product_measured(domain)
                                   ? "the contexts of the domain are measured: use tvgp_policy_set_context_point"
                                   : "the domain has no contexts; tvgp_domain_product makes one that has");
    if (context < -1 || context >= (int64_t)a->contexts)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "context = %" PRId64 " is outside 0..%zu (or -1: none)", context,
                               a->contexts - 1);
    if (context >= 0 && !a->in_context)
        TVGP__TRY(tvgp__memory_alloc(domain->ctx, domain->n, sizeof *a->in_context, &a->in_context));
    a->context = context;
    refresh(a, domain->n);
    return TVGP_OK;
}

void tvgp__available_among(tvgp__available *a, size_t n, uint8_t *mask) {
    for (size_t i = 0; i < a->n_taken; i++)
        mask[a->taken[i]] = 0;
    a->mask = mask;
    a->count = n ? count(mask, n) : 0;
}

tvgp_status tvgp__available_extend(const tvgp__available *a, const tvgp_domain *domain, const tvgp_domain *larger,
                                   tvgp__available *out) {
    tvgp__available fresh;
    tvgp__available_init(&fresh, larger);
    tvgp_status status = a->allowed ? tvgp__memory_alloc(domain->ctx, larger->n, 1, &fresh.allowed) : TVGP_OK;
    if (status == TVGP_OK && a->in_context)
        status = tvgp__memory_alloc(domain->ctx, larger->n, 1, &fresh.in_context);
    if (status < 0) {
        tvgp__available_free(domain->ctx, &fresh);
        return status;
    }
    if (a->allowed) {
        memset(fresh.allowed, 1, larger->n);
        memcpy(fresh.allowed, a->allowed, domain->n);
    }
    fresh.context = a->context;
    refresh(&fresh, larger->n);
    *out = fresh;
    return TVGP_OK;
}

tvgp_status tvgp__available_check(const tvgp__available *a, tvgp_ctx *ctx) {
    if (!a->any)
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "no arm of context %" PRId64 " is available", a->context);
    return TVGP_OK;
}

void tvgp__available_visit(tvgp__available *a, const tvgp_domain *domain, tvgp__visit *v) {
    const size_t n = tvgp__domain_entries(domain);
    int masked = a->allowed != NULL;
    tvgp__visit_flag(v, &masked);
    tvgp__visit_int(v, &a->context, -1, (int64_t)a->contexts - 1);
    if (tvgp__visit_loads(v) && !masked) {
        tvgp__memory_free(v->ctx, a->allowed);
        a->allowed = NULL;
    }
    if (masked)
        tvgp__visit_room(v, n, sizeof *a->allowed, &a->allowed);
    if (masked && tvgp__visit_fine(v))
        tvgp__visit_arm_bytes(v, n, a->allowed);
    if (a->context >= 0)
        tvgp__visit_room(v, n, sizeof *a->in_context, &a->in_context);
    if (tvgp__visit_loads(v))
        refresh(a, n);
    if (tvgp__visit_loads(v) && masked && !v->shared && !count(a->allowed, n))
        tvgp__visit_refuse(v, "no arm is available");
}
