/* SPDX-License-Identifier: MIT */
/* Observations as they were reported, in order of arrival, for a reader that computes from them again (tvgp__posterior_replay)
 * (model/posterior/observations.h). */
#include "model/posterior/observations.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <string.h>

void tvgp__observations_free(tvgp__observations *kept) {
    tvgp__memory_free(kept->ctx, kept->list);
    tvgp__memory_free(kept->ctx, kept->X);
    *kept = (tvgp__observations){.ctx = kept->ctx, .dim = kept->dim};
}

tvgp_status tvgp__observations_reserve(tvgp__observations *kept, size_t more) {
    const size_t n = kept->n + more;
    TVGP__TRY(tvgp__memory_reserve(kept->ctx, n, sizeof *kept->list, &kept->list, &kept->slots));
    return tvgp__memory_reserve(kept->ctx, kept->dim ? n : 0, kept->dim * sizeof *kept->X, &kept->X, &kept->point_slots);
}

void tvgp__observations_insert(tvgp__observations *kept, size_t k, const tvgp__observation *o, const double *x) {
    const size_t dim = kept->dim, after = kept->n++ - k;
    memmove(kept->list + k + 1, kept->list + k, after * sizeof *kept->list);
    kept->list[k] = *o;
    if (!dim)
        return;
    memmove(kept->X + (k + 1) * dim, kept->X + k * dim, after * dim * sizeof *kept->X);
    memcpy(kept->X + k * dim, x, dim * sizeof *x);
}

void tvgp__observations_add(tvgp__observations *kept, const tvgp__observation *o, const double *x) {
    tvgp__observations_insert(kept, kept->n, o, x);
}

void tvgp__observations_keep(tvgp__observations *kept, int (*wanted)(const void *user, const tvgp__observation *),
                             const void *user) {
    size_t n = 0;
    for (size_t i = 0; i < kept->n; i++)
        if (wanted(user, &kept->list[i])) {
            if (kept->dim)
                memmove(kept->X + n * kept->dim, kept->X + i * kept->dim, kept->dim * sizeof *kept->X);
            kept->list[n++] = kept->list[i];
        }
    kept->n = n;
}

void tvgp__observations_drop(tvgp__observations *kept, size_t n) {
    kept->n -= n;
    if (kept->n) /* otherwise there need not be an array */
        memmove(kept->list, kept->list + n, kept->n * sizeof *kept->list);
    if (kept->n && kept->dim)
        memmove(kept->X, kept->X + n * kept->dim, kept->n * kept->dim * sizeof *kept->X);
}

static void visit_record(tvgp__observations *kept, size_t i, size_t n, tvgp__visit *v) {
    tvgp__observation *r = &kept->list[i];
    int64_t kind = r->kind;
    if (tvgp__visit_loads(v))
        r->arm = SIZE_MAX;
    if (n)
        tvgp__visit_indices(v, 1, &r->arm, n);
    if (kept->dim)
        tvgp__visit_reals(v, kept->dim, kept->X + i * kept->dim, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &r->t, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &r->y, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &r->mean, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_maybe(v, 1, &r->noise, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &r->exposure, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_tally(v, &r->step);
    tvgp__visit_tally(v, &r->known);
    tvgp__visit_int(v, &kind, TVGP_ACTION, TVGP_INIT);
    r->kind = (int32_t)kind;
    tvgp__visit_flag(v, &r->assumed);
}

void tvgp__observations_visit(tvgp__observations *kept, size_t n, tvgp__visit *v) {
    size_t count = kept->n;
    tvgp__visit_count(v, &count, INT32_MAX, 60);
    if (tvgp__visit_loads(v)) {
        kept->n = 0;
        if (tvgp__visit_try(v, tvgp__observations_reserve(kept, count)))
            kept->n = count;
    }
    for (size_t i = 0; tvgp__visit_fine(v) && i < kept->n; i++)
        visit_record(kept, i, n, v);
}

tvgp_status tvgp__observations_hold(const tvgp__observations *kept, tvgp__kernel_rows *rows) {
    for (size_t i = 0; i < kept->n; i++)
        TVGP__TRY(tvgp__kernel_rows_hold(rows, TVGP__KERNEL_ROWS_OBSERVED, 1, &kept->list[i].arm));
    return TVGP_OK;
}
