/* SPDX-License-Identifier: MIT */
#include "fit/log.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

#include <string.h>

void tvgp__log_free(tvgp__log *log) {
    tvgp__memory_free(log->ctx, log->list);
    tvgp__memory_free(log->ctx, log->X);
    *log = (tvgp__log){.ctx = log->ctx, .dim = log->dim};
}

tvgp_status tvgp__log_reserve(tvgp__log *log, size_t more) {
    const size_t n = log->n + more;
    TVGP__TRY(tvgp__memory_reserve(log->ctx, n, sizeof *log->list, &log->list, &log->slots));
    return tvgp__memory_reserve(log->ctx, log->dim ? n : 0, log->dim * sizeof *log->X, &log->X, &log->point_slots);
}

void tvgp__log_add(tvgp__log *log, const tvgp__record *record) {
    log->list[log->n++] = *record;
}

void tvgp__log_keep(tvgp__log *log, int (*wanted)(const void *user, const tvgp__record *), const void *user) {
    size_t kept = 0;
    for (size_t i = 0; i < log->n; i++)
        if (wanted(user, &log->list[i])) {
            if (log->dim)
                memmove(log->X + kept * log->dim, log->X + i * log->dim, log->dim * sizeof *log->X);
            log->list[kept++] = log->list[i];
        }
    log->n = kept;
}

void tvgp__log_drop(tvgp__log *log, size_t n) {
    log->n -= n;
    if (log->n) /* otherwise there need not be an array */
        memmove(log->list, log->list + n, log->n * sizeof *log->list);
    if (log->n && log->dim)
        memmove(log->X, log->X + n * log->dim, log->n * log->dim * sizeof *log->X);
}

static void visit_record(tvgp__log *log, size_t i, size_t n, tvgp__visit *v) {
    tvgp__record *r = &log->list[i];
    int64_t kind = r->kind;
    if (tvgp__visit_loads(v))
        r->arm = SIZE_MAX;
    if (n)
        tvgp__visit_indices(v, 1, &r->arm, n);
    if (log->dim)
        tvgp__visit_reals(v, log->dim, log->X + i * log->dim, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &r->t, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &r->y, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &r->mean, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_maybe(v, 1, &r->noise, 0, TVGP__VISIT_MOST);
    tvgp__visit_tally(v, &r->step);
    tvgp__visit_tally(v, &r->known);
    tvgp__visit_int(v, &kind, TVGP_ACTION, TVGP_INIT);
    r->kind = (int32_t)kind;
}

void tvgp__log_visit(tvgp__log *log, size_t n, tvgp__visit *v) {
    size_t count = log->n;
    tvgp__visit_count(v, &count, INT32_MAX, 60);
    if (tvgp__visit_loads(v)) {
        log->n = 0;
        if (tvgp__visit_try(v, tvgp__log_reserve(log, count)))
            log->n = count;
    }
    for (size_t i = 0; tvgp__visit_fine(v) && i < log->n; i++)
        visit_record(log, i, n, v);
}

tvgp_status tvgp__log_hold(const tvgp__log *log, tvgp__kernel_rows *rows) {
    for (size_t i = 0; i < log->n; i++)
        TVGP__TRY(tvgp__kernel_rows_hold(rows, TVGP__KERNEL_ROWS_OBSERVED, 1, &log->list[i].arm));
    return TVGP_OK;
}
