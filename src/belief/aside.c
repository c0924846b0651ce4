/* SPDX-License-Identifier: MIT */
#include "belief/aside.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <math.h>

enum { WORK = 1 << 21 }; /* multiplications of an instalment */

void tvgp__aside_free(tvgp_ctx *ctx, tvgp__aside *a) {
    if (!a)
        return;
    tvgp__weights_free(&a->weights);
    if (a->late.limit)
        tvgp__late_free(&a->late);
    tvgp__memory_free(ctx, a->U);
    tvgp__memory_free(ctx, a);
}

tvgp_status tvgp__aside_prepare(tvgp__aside *a) {
    if (a->stage == 0)
        TVGP__TRY(tvgp__weights_screen(&a->weights));
    if (a->stage == 1 && a->limit)
        TVGP__TRY(tvgp__late_new(a->weights.basis.ctx, a->weights.basis.r, &a->law, a->limit, &a->late));
    a->stage += a->stage < TVGP__ASIDE_READY;
    return TVGP_OK;
}

static tvgp_status build(tvgp__aside *a, tvgp__basis_search *rank) {
    tvgp_ctx *ctx = rank->basis.ctx;
    TVGP__TRY(tvgp__weights_new(rank, &a->weights));
    size_t r = a->weights.basis.r;
    a->share = WORK / (r * r) + 1;
    TVGP__TRY(tvgp__memory_alloc(ctx, a->share, r * sizeof *a->U, &a->U));
    while (a->stage < TVGP__ASIDE_READY && !tvgp__weights_large(&a->weights))
        TVGP__TRY(tvgp__aside_prepare(a));
    return TVGP_OK;
}

tvgp_status tvgp__aside_new(tvgp__basis_search *rank, const tvgp__law *law, size_t late_limit, tvgp__aside **out) {
    tvgp_ctx *ctx = rank->basis.ctx;
    tvgp__aside *a = NULL;
    tvgp_status status = tvgp__memory_alloc(ctx, 1, sizeof *a, &a);
    if (a)
        *a = (tvgp__aside){.weights = {.basis = {.ctx = ctx}}, .law = *law, .limit = late_limit};
    status = tvgp__shard_agree(rank->basis.shard, status); /* before the ranks build together */
    if (status == TVGP_OK)
        status = tvgp__shard_agree(rank->basis.shard, build(a, rank));
    if (status < 0)
        tvgp__aside_free(ctx, a);
    else
        *out = a;
    return status;
}

static void absorb(tvgp__aside *a, const tvgp__columns *c, size_t end) {
    while (a->done < end) {
        const size_t next = end - a->done < a->share ? end : a->done + a->share;
        tvgp__weights_absorb(&a->weights, c, a->done, next, a->U);
        a->done = next;
    }
}

int tvgp__aside_fill(tvgp__aside *a, const tvgp__columns *c, int all, const double *arm_mean, double now) {
    tvgp__weights *w = &a->weights;
    tvgp__late *late = &a->late;
    if (a->stage < TVGP__ASIDE_READY)
        return 0;
    const size_t older = c->count > late->limit ? c->count - late->limit : 0;
    if (!all && older > a->done + a->share) {
        absorb(a, c, a->done + a->share);
        return 0;
    }
    absorb(a, c, older);
    if (late->limit && older)
        tvgp__late_start(late, w, tvgp__columns_decay(c, older - 1), tvgp__columns_at(c, older - 1)->seen.t);
    absorb(a, c, c->count);
    tvgp__basis_weights(&w->basis, arm_mean, w->mean);
    for (size_t k = older; late->limit && k < c->count; k++)
        tvgp__late_keep(late, &tvgp__columns_at(c, k)->seen);
    if (late->limit)
        tvgp__late_mark(late, w, now);
    return 1;
}

void tvgp__aside_move(tvgp__aside *a, double m, size_t dropped) {
    tvgp__weights_decay(&a->weights, m * m);
    tvgp__blas_scale(a->weights.basis.r, m, a->weights.mean);
    a->done -= dropped < a->done ? dropped : a->done;
}

void tvgp__aside_clear(tvgp__aside *a) {
    tvgp__weights_clear(&a->weights);
    a->done = 0;
}

void tvgp__aside_visit(tvgp__aside *a, const tvgp__columns *c, tvgp__visit *v) {
    tvgp__visit_size(v, &a->done, 0, c->count);
    tvgp__weights_visit(&a->weights, v);
}
