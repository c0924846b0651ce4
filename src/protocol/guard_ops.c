/* SPDX-License-Identifier: MIT */
/* Features of a policy (protocol/guard_ops.h). */
#include "protocol/guard_ops.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/registry.h"
#include "protocol/feature_options.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"

#include <string.h>

tvgp__guard *tvgp__guard_find(const tvgp_policy *p, const tvgp__guard_ops *ops) {
    tvgp__guard *g = p->guards;
    while (g && g->ops != ops)
        g = g->next;
    return g;
}

tvgp__guard *tvgp__guard_named(const tvgp_policy *p, const char *name) {
    tvgp__guard *g = p->guards;
    while (g && strcmp(g->ops->name, name) != 0)
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

tvgp__guard *tvgp__guard_exchange(tvgp_policy *p, const tvgp__guard_ops *ops, tvgp__guard *g) {
    tvgp__guard **at = &p->guards, *found = tvgp__guard_find(p, ops);
    while (*at && rank_of(p, (*at)->ops) < rank_of(p, ops))
        at = &(*at)->next;
    tvgp__guard *rest = found ? found->next : *at;
    if (g)
        g->next = rest;
    *at = g ? g : rest;
    return found;
}

tvgp_status tvgp__guard_make(tvgp_policy *p, const tvgp__guard_ops *ops, void *out) {
    tvgp__guard *g = tvgp__guard_find(p, ops);
    if (!g) {
        TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, ops->size, &g));
        g->ops = ops;
        (void)tvgp__guard_exchange(p, ops, g);
    }
    memcpy(out, &g, sizeof g);
    return TVGP_OK;
}

void tvgp__guard_drop(tvgp_policy *p, const tvgp__guard_ops *ops) {
    tvgp__guard *found = tvgp__guard_exchange(p, ops, NULL);
    if (found && ops->release)
        ops->release(found, p);
    else
        tvgp__memory_free(p->ctx, found);
}

static tvgp_status start_one(tvgp_policy *p, const tvgp__guard_ops *ops) {
    const int had = tvgp__guard_find(p, ops) != NULL;
    TVGP__TRY(ops->start(p));
    tvgp__guard *g = tvgp__guard_find(p, ops);
    if (g)
        g->by_start = !had;
    return TVGP_OK;
}

tvgp_status tvgp__guard_start(tvgp_policy *p) {
    for (tvgp__guard *g = p->guards; g; g = g->next)
        g->by_start = 0;
    for (size_t i = 0; i < tvgp__registry_count(p->ctx, TVGP__TYPE_GUARD); i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i);
        if (ops->start)
            TVGP__TRY(start_one(p, ops));
    }
    return TVGP_OK;
}

void tvgp__guard_stop(tvgp_policy *p) {
    for (size_t i = 0; i < tvgp__registry_count(p->ctx, TVGP__TYPE_GUARD); i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i);
        const tvgp__guard *g = tvgp__guard_find(p, ops);
        if (g && g->by_start)
            tvgp__guard_drop(p, ops);
    }
}

void tvgp__guard_drop_all(tvgp_policy *p) {
    while (p->guards)
        tvgp__guard_drop(p, p->guards->ops);
}

/* ---- what excludes what ------------------------------------------------------------------------------------------- */

static uint32_t bits_of(const tvgp_policy *p) {
    const tvgp__policy_ops *ops = p->ops;
    const int box = tvgp__domain_is_box(p->domain);
    uint32_t bits = box ? TVGP__GUARD_BOX : tvgp__product_measured(p->domain) ? TVGP__GUARD_CONTEXTS : 0;
    bits |= p->domain->shared ? TVGP__GUARD_SHARED : 0;
    bits |= !ops->at || (box && !ops->predict) ? TVGP__GUARD_NO_MODEL : 0;
    bits |= !ops->learns || !ops->learns->rebuild ? TVGP__GUARD_NO_REBUILD : 0;
    bits |= ops->side_queries ? TVGP__GUARD_SIDE_QUERIES : 0;
    bits |= ops->priors && ops->priors->weights ? TVGP__GUARD_WEIGHTS : 0;
    bits |= p->priors.n > (size_t)p->priors.own ? TVGP__GUARD_PRIORS : 0;
    bits |= tvgp__policy_outputs(p) ? TVGP__GUARD_OUTPUTS : 0;
    bits |= tvgp__policy_models(p) ? TVGP__GUARD_MODEL : 0;
    bits |= tvgp__policy_outcome(p) && tvgp__policy_outcome(p)->counts ? TVGP__GUARD_COUNTS : 0;
    bits |= p->mean.forecast ? TVGP__GUARD_PRIOR_LEARNED : 0;
    bits |= tvgp__feature_options_by_score(p) ? 0 : TVGP__GUARD_NO_SCORE;
    return bits;
}

static const struct {
    uint32_t bit;
    tvgp_status status;
    const char *text;
} reasons[] = {
    {TVGP__GUARD_BOX, TVGP_ERR_UNSUPPORTED, "the domain is a box"},
    {TVGP__GUARD_CONTEXTS, TVGP_ERR_UNSUPPORTED, "the domain has measured contexts"},
    {TVGP__GUARD_SHARED, TVGP_ERR_UNSUPPORTED, "the arms are shared"},
    {TVGP__GUARD_NO_MODEL, TVGP_ERR_UNSUPPORTED, "it has no model"},
    {TVGP__GUARD_NO_REBUILD, TVGP_ERR_UNSUPPORTED, "it learns no log"},
    {TVGP__GUARD_SIDE_QUERIES, TVGP_ERR_UNSUPPORTED, "it asks side queries"},
    {TVGP__GUARD_WEIGHTS, TVGP_ERR_UNSUPPORTED, "it has several priors"},
    {TVGP__GUARD_PRIORS, TVGP_ERR_UNSUPPORTED, "priors were added"},
    {TVGP__GUARD_OUTPUTS, TVGP_ERR_UNSUPPORTED, "it has constraints"},
    {TVGP__GUARD_MODEL, TVGP_ERR_STATE, "it is the model of a constraint"},
    {TVGP__GUARD_PRIOR_LEARNED, TVGP_ERR_UNSUPPORTED, "its prior is learned from historical data"},
    {TVGP__GUARD_COUNTS, TVGP_ERR_UNSUPPORTED, "its outcomes are counts (outcome.type)"},
    {TVGP__GUARD_NO_SCORE, TVGP_ERR_UNSUPPORTED, "it does not choose by a score"},
};

tvgp_status tvgp__guard_refuse(const tvgp_policy *p, const tvgp__guard_ops *ops) {
    const uint32_t bits = bits_of(p) & ops->refuses;
    for (size_t i = 0; bits && i < sizeof reasons / sizeof *reasons; i++)
        if (bits & reasons[i].bit)
            return tvgp__error_set(p->ctx, reasons[i].status, "policy '%s' takes no %s: %s", p->ops->name, ops->doc,
                                   reasons[i].text);
    return TVGP_OK;
}

/* ---- an ask ------------------------------------------------------------------------------------------------------- */

/* Closes those before `end`. */
static void close_until(tvgp_policy *p, const tvgp__guard *end, tvgp_status status) {
    p->available.mask = p->terms.before.mask;
    p->available.count = p->terms.before.count;
    p->terms = (tvgp__choice_terms){0};
    for (tvgp__guard *g = p->guards; g != end; g = g->next)
        if (g->ops->close)
            g->ops->close(g, p, status);
}

tvgp_status tvgp__guard_open(tvgp_policy *p, double t, int asks) {
    p->terms.before.mask = p->available.mask;
    p->terms.before.count = p->available.count;
    for (tvgp__guard *g = p->guards; g; g = g->next) {
        const tvgp_status status = g->ops->open ? g->ops->open(g, p, t, asks) : TVGP_OK;
        if (status != TVGP_OK) {
            close_until(p, g, status);
            return status;
        }
    }
    return TVGP_OK;
}

tvgp_status tvgp__guard_judge(tvgp_policy *p, tvgp_status status, size_t n, tvgp__chosen *chosen, int *again) {
    *again = 0;
    for (tvgp__guard *g = p->guards; g && !*again; g = g->next)
        if (g->ops->judge)
            status = g->ops->judge(g, p, status, status < 0 ? 0 : n, chosen, again);
    return status;
}

void tvgp__guard_close(tvgp_policy *p, tvgp_status status) {
    close_until(p, NULL, status);
}

void tvgp__guard_narrow(tvgp_policy *p, const uint8_t *mask, size_t count) {
    p->available.mask = mask;
    p->available.count = count;
}

/* ---- terms of a choice -------------------------------------------------------------------------------------------- */

tvgp_status tvgp__guard_offset(tvgp_policy *p, double **offset) {
    const size_t n = tvgp__policy_choices(p);
    tvgp__policy_work *w = &p->work;
    *offset = w->offsets;
    if (p->terms.offsets.offset)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *w->offsets, &w->offsets, &w->offset_slots));
    if (n)
        memset(w->offsets, 0, n * sizeof *w->offsets);
    *offset = w->offsets;
    p->terms.offsets =
        (tvgp__rule_offsets){.offset = w->offsets,
                             .outcome = tvgp__policy_outcome(p),
                             .minimises = ((const tvgp__policy_config *)p->config)->sense == TVGP__POLICY_MIN};
    return TVGP_OK;
}

void tvgp__guard_replace(struct tvgp__chosen *choice, size_t arm, const double *x, double prior, double mean, double sd) {
    choice->index = arm;
    choice->x = x;
    choice->mean = mean;
    choice->sd = sd;
    choice->score = tvgp__rule_score(prior + mean, sd, choice->width);
}

double tvgp__guard_cost(const tvgp__guard_leaving *l, size_t dim, const double *x) {
    const double far = tvgp__last_action_distance(dim, x, l->from);
    return far > 0 ? l->costs.jump + l->costs.way * far : 0;
}

void tvgp__guard_way(const tvgp_policy *p, const tvgp__guard_leaving *l, size_t m, const double *Z, double *value,
                     double *gradient) {
    const double way = l->costs.way;
    const size_t dim = p->domain->dim;
    for (size_t i = 0; way > 0 && i < m; i++) {
        const double *z = Z + i * dim, far = tvgp__last_action_distance(dim, z, l->from);
        const double slope = tvgp__policy_reward_slope(p, value[i]);
        value[i] = tvgp__policy_reward(p, value[i]) - way * far;
        for (size_t d = 0; gradient && d < dim; d++)
            gradient[i * dim + d] = slope * gradient[i * dim + d] - (far > 0 ? way * (z[d] - l->from[d]) / far : 0);
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

uint32_t tvgp__guard_write(tvgp_policy *p, int early, tvgp__visit *v) {
    uint32_t sections = 0;
    for (tvgp__guard *g = p->guards; g; g = g->next) {
        if (!g->ops->visit || g->ops->early != early)
            continue;
        const size_t start = tvgp__section_begin(v);
        g->ops->visit(g, p, v);
        tvgp__section_end(v, start, tag_of(g->ops), TVGP__SECTION_REQUIRED);
        sections++;
    }
    return sections;
}

void tvgp__guard_compare_outputs(const tvgp_policy *p, size_t its, tvgp__visit *v) {
    const size_t own = tvgp__policy_outputs(p);
    if (tvgp__visit_loads(v) && own != its)
        tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_STATE,
                                           "the snapshot is of a policy with %zu constraints, this one has %zu", its, own));
}

static void read_one(tvgp_policy *p, const tvgp__guard_ops *ops, const tvgp__sections *s, tvgp__visit *v) {
    const tvgp__section *section = tvgp__section_find(s, tag_of(ops));
    tvgp__guard *g = NULL;
    if (!section && ops->of_outputs)
        tvgp__guard_compare_outputs(p, 0, v);
    if (tvgp__visit_fine(v) && (!section || ops->early))
        tvgp__guard_drop(p, ops);
    if (!section || !tvgp__visit_try(v, tvgp__guard_make(p, ops, &g)))
        return;
    tvgp__section_enter(v, section);
    ops->visit(g, p, v);
    tvgp__section_leave(v);
}

void tvgp__guard_read(tvgp_policy *p, int early, const tvgp__sections *s, tvgp__visit *v) {
    for (size_t i = 0; i < tvgp__registry_count(p->ctx, TVGP__TYPE_GUARD) && tvgp__visit_fine(v); i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i);
        if (ops->visit && ops->early == early)
            read_one(p, ops, s, v);
    }
}

const tvgp__section *tvgp__guard_outputs(const tvgp_ctx *ctx, const tvgp__sections *s) {
    const tvgp__section *section = NULL;
    for (size_t i = 0; i < tvgp__registry_count(ctx, TVGP__TYPE_GUARD) && !section; i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(ctx, TVGP__TYPE_GUARD, i);
        section = ops->of_outputs ? tvgp__section_find(s, tag_of(ops)) : NULL;
    }
    return section;
}

int tvgp__guard_is_early(const tvgp_policy *p, const tvgp__sections *s) {
    int early = 0;
    for (size_t i = 0; i < tvgp__registry_count(p->ctx, TVGP__TYPE_GUARD); i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(p->ctx, TVGP__TYPE_GUARD, i);
        early |= ops->early && (tvgp__guard_find(p, ops) || tvgp__section_find(s, tag_of(ops)));
    }
    return early;
}
