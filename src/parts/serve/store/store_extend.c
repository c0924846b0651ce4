/* SPDX-License-Identifier: MIT */
/* The call of a store that adds actions. */
#include "parts/serve/store/store_extend.h"

#include "base/error.h"
#include "base/memory.h"
#include "parts/serve/store/store_copy.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"

#include <string.h>

/* An extension under way. */
typedef struct extension {
    char *names; /* n of them, each ended by a NUL, of `size` bytes */
    double *point, *mean;
    size_t n, size, n_point, n_mean;
} extension;

static tvgp_status take_names(tvgp_store *s, extension *e) {
    const tvgp__store_metadata *f = &s->copy->facts;
    TVGP__TRY(tvgp__store_arguments_texts(&s->arguments, "arms", &e->names, &e->size, &e->n));
    const char *name = e->names;
    for (size_t i = 0; i < e->n; i++, name += strlen(name) + 1) {
        if (!*name || name[strcspn(name, ", \t\r\n\v\f")])
            return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "arms has '%.60s', must be a name without blanks and commas", name);
        if (tvgp__store_metadata_find(f, name) < f->n_names)
            return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "arms has '%.60s', which is an action already", name);
        const char *other = e->names;
        for (size_t k = 0; k < i; k++, other += strlen(other) + 1)
            if (strcmp(other, name) == 0)
                return tvgp__error_set(s->ctx, TVGP_ERR_ARG, "arms has '%.60s' twice", name);
    }
    return TVGP_OK;
}

/* The points of the argument; where actions have none, the next indices. */
static tvgp_status take_points(tvgp_store *s, extension *e) {
    const tvgp_domain *domain = s->copy->policy->domain;
    const size_t dim = tvgp__product_action_dim(domain), contexts = tvgp__product_contexts(domain);
    const size_t actions = tvgp__domain_entries(domain) / (contexts ? contexts : 1);
    const char *key = e->names ? "points" : "arms";
    size_t rows = 0;
    TVGP__TRY(tvgp__store_arguments_list(&s->arguments, key, &e->point, &e->n_point, &rows));
    if (!e->point && e->names && tvgp__product_named(domain, 0)) {
        TVGP__TRY(tvgp__memory_alloc(s->ctx, e->n, sizeof *e->point, &e->point));
        for (e->n_point = 0; e->n_point < e->n; e->n_point++)
            e->point[e->n_point] = (double)(actions + e->n_point);
    }
    if (!e->point)
        return tvgp__store_arguments_need(&s->arguments, "points");
    if (!e->names)
        e->n = e->n_point / (dim ? dim : 1);
    if (!dim || !e->n || e->n_point != e->n * dim)
        return tvgp__error_set(s->ctx, TVGP_ERR_DIM, "%s has %zu coordinates, expected %zu for each new action", key,
                               e->n_point, dim);
    return TVGP_OK;
}

static tvgp_status take(tvgp_store *s, extension *e) {
    size_t rows = 0;
    TVGP__TRY(tvgp__store_arguments_need(&s->arguments, "arms"));
    if (s->copy->facts.names)
        TVGP__TRY(take_names(s, e));
    TVGP__TRY(take_points(s, e));
    return tvgp__store_arguments_list(&s->arguments, "means", &e->mean, &e->n_mean, &rows);
}

/* Replays the event that it is, and appends it. */
static tvgp_status apply(tvgp_store *s, const extension *x) {
    const size_t bytes = x->size ? x->size - 1 : 0, n = x->n_point + x->n_mean + bytes;
    tvgp__store_copy *c = s->copy;
    tvgp_event e = {.n = c->n + 1,
                    .kind = TVGP_EVENT_EXTEND,
                    .arm = (int64_t)x->n,
                    .flags = x->mean ? TVGP_EVENT_MEANS : 0,
                    .outputs = (int32_t)bytes,
                    .size = (int64_t)n};
    double *all;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, n, sizeof *all, &all));
    memcpy(all, x->point, x->n_point * sizeof *all);
    if (x->mean)
        memcpy(all + x->n_point, x->mean, x->n_mean * sizeof *all);
    for (size_t i = 0; i < bytes; i++)
        all[n - bytes + i] = x->names[i] ? (unsigned char)x->names[i] : ',';
    tvgp_status status = tvgp_policy_apply(c->policy, 1, &e, n, all);
    status = status < 0 ? tvgp__store_common_failed_inside(s, c, status) : tvgp__store_copy_append(s, e, all);
    tvgp__memory_free(s->ctx, all);
    return status;
}

tvgp_status tvgp__store_extend_call(tvgp_store *s) {
    extension e = {0};
    s->reply.taken = 1;
    tvgp_status status = take(s, &e);
    if (status == TVGP_OK)
        status = apply(s, &e);
    tvgp__memory_free(s->ctx, e.names);
    tvgp__memory_free(s->ctx, e.point);
    tvgp__memory_free(s->ctx, e.mean);
    return status;
}
