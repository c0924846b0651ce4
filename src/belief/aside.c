/* SPDX-License-Identifier: MIT */
#include "belief/aside.h"

#include "base/error.h"
#include "base/memory.h"

void tvgp__aside_free(tvgp_ctx *ctx, tvgp__aside *a) {
    if (!a)
        return;
    tvgp__weights_free(&a->weights);
    if (a->late.limit)
        tvgp__late_free(&a->late);
    tvgp__memory_free(ctx, a->U);
    tvgp__memory_free(ctx, a);
}

static tvgp_status build(tvgp__aside *a, const tvgp__basis_search *rank, size_t columns, const tvgp__law *law,
                         size_t late_limit) {
    tvgp_ctx *ctx = rank->basis.ctx;
    TVGP__TRY(tvgp__weights_new(rank, &a->weights));
    size_t r = a->weights.basis.r;
    TVGP__TRY(tvgp__memory_alloc(ctx, columns + r, r * sizeof *a->U, &a->U));
    return late_limit ? tvgp__late_new(ctx, r, law, late_limit, &a->late) : TVGP_OK;
}

tvgp_status tvgp__aside_new(const tvgp__basis_search *rank, size_t columns, const tvgp__law *law, size_t late_limit,
                            tvgp__aside **out) {
    tvgp_ctx *ctx = rank->basis.ctx;
    tvgp__aside *a = NULL;
    tvgp_status status = tvgp__memory_alloc(ctx, 1, sizeof *a, &a);
    if (a)
        a->weights.basis.ctx = ctx;
    status = tvgp__shard_agree(rank->basis.shard, status); /* before the ranks build together */
    if (status == TVGP_OK)
        status = tvgp__shard_agree(rank->basis.shard, build(a, rank, columns, law, late_limit));
    if (status < 0)
        tvgp__aside_free(ctx, a);
    else
        *out = a;
    return status;
}

void tvgp__aside_fill(tvgp__aside *a, const tvgp__columns *c, const double *arm_mean, double now) {
    tvgp__weights *w = &a->weights;
    tvgp__late *late = &a->late;
    size_t older = late->limit && c->count > late->limit ? c->count - late->limit : 0;
    double unit = older ? tvgp__columns_decay(c, older - 1) : 1;
    if (older) {
        tvgp__weights_absorb(w, c, 0, older, unit, a->U, late->older.mean);
        tvgp__late_start(late, w, tvgp__columns_at(c, older - 1)->seen.t);
    }
    tvgp__weights_absorb(w, c, older, c->count, unit, a->U, NULL);
    tvgp__weights_decay(w, unit);
    tvgp__basis_weights(&w->basis, arm_mean, w->mean);
    for (size_t k = older; late->limit && k < c->count; k++)
        tvgp__late_keep(late, &tvgp__columns_at(c, k)->seen);
    if (late->limit)
        tvgp__late_mark(late, w, now);
}
