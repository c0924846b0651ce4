/* SPDX-License-Identifier: MIT */
/* The recursive posterior in snapshots. Features are made again from the kernel; a handle that loads now columns, now weights
 * puts the weights away meanwhile. */
#include "belief/recursive.h"

#include "base/error.h"
#include "base/memory.h"

static tvgp_status into_columns(tvgp__recursive *p) {
    tvgp__belief *b = &p->base;
    if (!p->idle)
        TVGP__TRY(tvgp__memory_alloc(b->ctx, 1, sizeof *p->idle, &p->idle));
    if (!p->rank) {
        TVGP__TRY(tvgp__memory_alloc(b->ctx, 1, sizeof *p->rank, &p->rank));
        *p->rank = tvgp__basis_search_of(b->ctx, 1, (const tvgp_kernel *const *)&b->kernel, b->n, b->X, p->tolerance);
        p->rank->basis.shard = b->shard;
    }
    p->idle->stage = TVGP__ASIDE_READY;
    p->idle->weights = p->weights;
    p->idle->late = p->late;
    p->weights = (tvgp__weights){0};
    p->late = (tvgp__late){0};
    if (!b->rows.ctx)
        tvgp__rows_init(&b->rows, b->ctx, b->kernel, b->n, b->X);
    tvgp__rows_share(&b->rows, b->shard);
    p->in_weights = 0;
    return TVGP_OK;
}

static tvgp_status into_weights(tvgp__recursive *p) {
    if (!p->idle) {
        if (p->rank->given_up)
            tvgp__basis_search_end(p->rank);
        p->rank->may_give_up = 0;
        TVGP__TRY(tvgp__basis_search_on(p->rank, tvgp__shard_total(p->base.shard, p->base.n)));
        TVGP__TRY(tvgp__recursive_set_aside(p, &p->idle));
    }
    while (p->idle->stage < TVGP__ASIDE_READY)
        TVGP__TRY(tvgp__aside_prepare(p->idle));
    p->weights = p->idle->weights;
    p->late = p->idle->late;
    tvgp__memory_free(p->base.ctx, p->idle->U);
    tvgp__memory_free(p->base.ctx, p->idle);
    p->idle = NULL;
    tvgp__rows_free(&p->base.rows);
    p->in_weights = 1;
    return TVGP_OK;
}

static void visit_found(tvgp__recursive *p, tvgp__visit *v) {
    int begun = p->found != NULL;
    size_t stage = begun ? p->found->stage : 0;
    tvgp__visit_flag(v, &begun);
    tvgp__visit_size(v, &stage, 0, TVGP__ASIDE_READY);
    if (tvgp__visit_loads(v) && begun && !p->rank->complete)
        tvgp__visit_refuse(v, "weights without their rank");
    if (tvgp__visit_loads(v) && begun)
        tvgp__visit_try(v, tvgp__recursive_set_aside(p, &p->found));
    while (tvgp__visit_loads(v) && begun && p->found->stage < stage)
        tvgp__visit_try(v, tvgp__aside_prepare(p->found));
    if (begun && tvgp__visit_fine(v))
        tvgp__aside_visit(p->found, &p->columns, v);
}

/* What a change has begun with; the search goes through the kernel again. */
static void begin_again(tvgp__recursive *p) {
    if (!p->found)
        return;
    tvgp__aside_free(p->base.ctx, p->found);
    tvgp__basis_search_end(p->rank);
    p->found = NULL;
}

void tvgp__recursive_visit(tvgp__belief *base, tvgp__visit *v) {
    tvgp__recursive *p = (tvgp__recursive *)base;
    int in_weights = p->in_weights;
    tvgp__visit_flag(v, &in_weights);
    if (tvgp__visit_loads(v))
        begin_again(p);
    if (tvgp__visit_loads(v) && in_weights != p->in_weights)
        tvgp__visit_try(v, in_weights ? into_weights(p) : into_columns(p));
    if (!tvgp__visit_fine(v))
        return;
    p->looked = 0;
    tvgp__visit_size(v, &p->exact, 0, INT32_MAX);
    if (!in_weights) {
        tvgp__columns_visit(&p->columns, v);
        tvgp__basis_search_visit(p->rank, v);
        visit_found(p, v);
        return;
    }
    if (tvgp__visit_loads(v)) {
        tvgp__columns_trim(&p->columns, 0);
    }
    tvgp__weights_visit(&p->weights, v);
    if (tvgp__recursive_keeps_late(p))
        tvgp__late_visit(&p->late, tvgp__shard_total(base->shard, base->n), v);
}
