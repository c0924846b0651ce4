/* SPDX-License-Identifier: MIT */
#include "posterior/basis_change.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <math.h>

enum { WORK = 1 << 21 }; /* multiplications of an instalment */

void tvgp__basis_change_free(tvgp_ctx *ctx, tvgp__basis_change *a) {
    if (!a)
        return;
    tvgp__weight_space_free(&a->weights);
    if (a->late.limit)
        tvgp__delayed_free(&a->late);
    tvgp__memory_free(ctx, a->U);
    tvgp__memory_free(ctx, a);
}

tvgp_status tvgp__basis_change_prepare(tvgp__basis_change *a) {
    if (a->stage == 0)
        TVGP__TRY(tvgp__weight_space_screen(&a->weights));
    if (a->stage == 1 && a->limit)
        TVGP__TRY(tvgp__delayed_new(a->weights.basis.ctx, a->weights.basis.r, &a->law, a->limit, &a->late));
    a->stage += a->stage < TVGP__BASIS_CHANGE_READY;
    return TVGP_OK;
}

static tvgp_status build(tvgp__basis_change *a, tvgp__basis_search *rank) {
    tvgp_ctx *ctx = rank->basis.ctx;
    TVGP__TRY(tvgp__weight_space_new(rank, &a->weights));
    size_t r = a->weights.basis.r;
    a->share = WORK / (r * r) + 1;
    TVGP__TRY(tvgp__memory_alloc(ctx, a->share, r * sizeof *a->U, &a->U));
    while (a->stage < TVGP__BASIS_CHANGE_READY && !tvgp__weight_space_large(&a->weights))
        TVGP__TRY(tvgp__basis_change_prepare(a));
    return TVGP_OK;
}

tvgp_status tvgp__basis_change_new(tvgp__basis_search *rank, const tvgp__drift *law, size_t late_limit,
                                   tvgp__basis_change **out) {
    tvgp_ctx *ctx = rank->basis.ctx;
    tvgp__basis_change *a = NULL;
    tvgp_status status = tvgp__memory_alloc(ctx, 1, sizeof *a, &a);
    if (a)
        *a = (tvgp__basis_change){.weights = {.basis = {.ctx = ctx}}, .law = *law, .limit = late_limit};
    status = tvgp__shard_agree(rank->basis.shard, status); /* before the ranks build together */
    if (status == TVGP_OK)
        status = tvgp__shard_agree(rank->basis.shard, build(a, rank));
    if (status < 0)
        tvgp__basis_change_free(ctx, a);
    else
        *out = a;
    return status;
}

static void absorb(tvgp__basis_change *a, const tvgp__columns *c, size_t end) {
    while (a->done < end) {
        const size_t next = end - a->done < a->share ? end : a->done + a->share;
        tvgp__weight_space_absorb(&a->weights, c, a->done, next, a->U);
        a->done = next;
    }
}

int tvgp__basis_change_fill(tvgp__basis_change *a, const tvgp__columns *c, int all, const double *arm_mean, double now) {
    tvgp__weight_space *w = &a->weights;
    tvgp__delayed *late = &a->late;
    if (a->stage < TVGP__BASIS_CHANGE_READY)
        return 0;
    const size_t older = c->count > late->limit ? c->count - late->limit : 0;
    if (!all && older > a->done + a->share) {
        absorb(a, c, a->done + a->share);
        return 0;
    }
    absorb(a, c, older);
    if (late->limit && older)
        tvgp__delayed_start(late, w, tvgp__columns_decay(c, older - 1), tvgp__columns_at(c, older - 1)->seen.t);
    absorb(a, c, c->count);
    tvgp__basis_weights(&w->basis, arm_mean, w->mean);
    for (size_t k = older; late->limit && k < c->count; k++)
        tvgp__delayed_keep(late, &tvgp__columns_at(c, k)->seen);
    if (late->limit)
        tvgp__delayed_mark(late, w, now);
    return 1;
}

void tvgp__basis_change_move(tvgp__basis_change *a, double m, size_t dropped) {
    tvgp__weight_space_decay(&a->weights, m * m);
    tvgp__blas_scale(a->weights.basis.r, m, a->weights.mean);
    a->done -= dropped < a->done ? dropped : a->done;
}

void tvgp__basis_change_clear(tvgp__basis_change *a) {
    tvgp__weight_space_clear(&a->weights);
    a->done = 0;
}

void tvgp__basis_change_visit(tvgp__basis_change *a, const tvgp__columns *c, tvgp__visit *v) {
    tvgp__visit_size(v, &a->done, 0, c->count);
    tvgp__weight_space_visit(&a->weights, v);
}
