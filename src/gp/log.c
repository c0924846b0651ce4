/* SPDX-License-Identifier: MIT */
#include "gp/log.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void tvgp__log_free(tvgp__log *log) {
    tvgp__memory_free(log->ctx, log->list);
    *log = (tvgp__log){.ctx = log->ctx};
}

tvgp_status tvgp__log_reserve(tvgp__log *log, size_t more) {
    return tvgp__memory_reserve(log->ctx, log->n + more, sizeof *log->list, &log->list, &log->slots);
}

void tvgp__log_add(tvgp__log *log, const tvgp__record *record) {
    log->list[log->n++] = *record;
}

void tvgp__log_keep(tvgp__log *log, int (*wanted)(const void *user, const tvgp__record *), const void *user) {
    size_t kept = 0;
    for (size_t i = 0; i < log->n; i++)
        if (wanted(user, &log->list[i]))
            log->list[kept++] = log->list[i];
    log->n = kept;
}

void tvgp__log_drop(tvgp__log *log, size_t n) {
    log->n -= n;
    if (log->n) /* otherwise there need not be an array */
        memmove(log->list, log->list + n, log->n * sizeof *log->list);
}

tvgp_status tvgp__log_hold(const tvgp__log *log, tvgp__rows *rows) {
    for (size_t i = 0; i < log->n; i++)
        TVGP__TRY(tvgp__rows_hold(rows, TVGP__ROWS_OBSERVED, 1, &log->list[i].arm));
    return TVGP_OK;
}
