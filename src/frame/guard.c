/* SPDX-License-Identifier: MIT */
#include "frame/guard.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/registry.h"
#include "frame/policy_ops.h"

#include <string.h>

tvgp__guard *tvgp__guard_find(const tvgp_policy *p, const tvgp__guard_ops *ops) {
    tvgp__guard *g = p->guards;
    while (g && g->ops != ops)
        g = g->next;
    return g;
}

/* The number of a type in the registry. */
static size_t rank_of(const tvgp_policy *p, const tvgp__guard_ops *ops) {
    size_t i = 0;
    while (tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i) != ops)
        i++;
    return i;
}

void tvgp__guard_add(tvgp_policy *p, tvgp__guard *g) {
    tvgp__guard **at = &p->guards;
    while (*at && rank_of(p, (*at)->ops) < rank_of(p, g->ops))
        at = &(*at)->next;
    g->next = *at;
    *at = g;
}

void tvgp__guard_drop(tvgp_policy *p, const tvgp__guard_ops *ops) {
    tvgp__guard **at = &p->guards, *found = tvgp__guard_find(p, ops);
    if (!found)
        return;
    while (*at != found)
        at = &(*at)->next;
    *at = found->next;
    found->ops->release(found, p);
}

tvgp_status tvgp__guard_start(tvgp_policy *p) {
    for (size_t i = 0; i < tvgp__registry_count(p->ctx, TVGP__TYPE_GUARD); i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i);
        if (ops->start)
            TVGP__TRY(ops->start(p));
    }
    return TVGP_OK;
}

void tvgp__guard_drop_all(tvgp_policy *p) {
    while (p->guards)
        tvgp__guard_drop(p, p->guards->ops);
}

/* ---- an ask ------------------------------------------------------------------------------------------------------- */

/* Closes those before `end`. */
static void close_until(tvgp_policy *p, const tvgp__guard *end) {
    p->terms.offset = NULL;
    p->terms.leaving = NULL;
    for (tvgp__guard *g = p->guards; g != end; g = g->next)
        if (g->ops->close)
            g->ops->close(g, p);
}

tvgp_status tvgp__guard_open(tvgp_policy *p, double t) {
    for (tvgp__guard *g = p->guards; g; g = g->next) {
        const tvgp_status status = g->ops->open ? g->ops->open(g, p, t) : TVGP_OK;
        if (status < 0) {
            close_until(p, g);
            return status;
        }
    }
    return TVGP_OK;
}

void tvgp__guard_close(tvgp_policy *p) {
    close_until(p, NULL);
}

/* ---- terms of a choice -------------------------------------------------------------------------------------------- */

tvgp_status tvgp__guard_offset(tvgp_policy *p, double **offset) {
    tvgp__guard_terms *terms = &p->terms;
    const size_t n = tvgp__policy_choices(p);
    if (!terms->offset) {
        TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *terms->offset, &terms->offsets, &terms->offset_slots));
        if (n)
            memset(terms->offsets, 0, n * sizeof *terms->offset);
        terms->offset = terms->offsets;
    }
    *offset = terms->offset;
    return TVGP_OK;
}

void tvgp__guard_shift(const tvgp_policy *p, double *score) {
    const size_t n = tvgp__policy_choices(p);
    for (size_t i = 0; p->terms.offset && i < n; i++)
        score[i] += p->terms.offset[i];
}

double tvgp__guard_cost(const tvgp__guard_leaving *l, size_t dim, const double *x) {
    const double far = tvgp__position_distance(dim, x, l->from);
    return far > 0 ? l->costs.jump + l->costs.way * far : 0;
}

void tvgp__guard_way(const tvgp__guard_leaving *l, size_t dim, size_t m, const double *Z, double *value, double *gradient) {
    const double way = l->costs.way;
    for (size_t i = 0; way > 0 && i < m; i++) {
        const double *z = Z + i * dim, far = tvgp__position_distance(dim, z, l->from);
        value[i] -= way * far;
        for (size_t d = 0; gradient && far > 0 && d < dim; d++)
            gradient[i * dim + d] -= way * (z[d] - l->from[d]) / far;
    }
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static uint32_t tag_of(const tvgp__guard_ops *ops) {
    return TVGP__SECTION_TAG(ops->name[0], ops->name[1], ops->name[2], ops->name[3]);
}

size_t tvgp__guard_tags(const tvgp_ctx *ctx, uint32_t tags[TVGP__GUARD_MOST]) {
    const size_t n = tvgp__registry_count(ctx, TVGP__TYPE_GUARD);
    for (size_t i = 0; i < n; i++)
        tags[i] = tag_of(tvgp__registry_at(ctx, TVGP__TYPE_GUARD, i));
    return n;
}

uint32_t tvgp__guard_write(tvgp_policy *p, tvgp__visit *v) {
    uint32_t sections = 0;
    for (tvgp__guard *g = p->guards; g; g = g->next) {
        if (!g->ops->visit)
            continue;
        const size_t start = tvgp__section_begin(v);
        g->ops->visit(p, v);
        tvgp__section_end(v, start, tag_of(g->ops), TVGP__SECTION_REQUIRED);
        sections++;
    }
    return sections;
}

static void read_one(tvgp_policy *p, const tvgp__guard_ops *ops, const tvgp__sections *s, tvgp__visit *v) {
    const tvgp__section *section = tvgp__section_find(s, tag_of(ops));
    if (!ops->visit || !tvgp__visit_fine(v))
        return;
    if (!section) {
        tvgp__guard_drop(p, ops);
        return;
    }
    tvgp__section_enter(v, section);
    ops->visit(p, v);
    tvgp__section_leave(v);
}

void tvgp__guard_read(tvgp_policy *p, const tvgp__sections *s, tvgp__visit *v) {
    for (size_t i = 0; i < tvgp__registry_count(p->ctx, TVGP__TYPE_GUARD); i++)
        read_one(p, tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i), s, v);
}
