/* SPDX-License-Identifier: MIT */
/* The state of a policy before calls that belong together, of which a later one may fail (protocol/copies/undo.h). */
#include "protocol/copies/undo.h"
#include "base/error.h"
#include "base/memory.h"
#include "protocol/copies/snapshot.h"

#include <string.h>

tvgp_status tvgp__undo_save(tvgp_policy *p, tvgp__undo *undo) {
    TVGP__TRY(tvgp__snapshot_save(p, 0, NULL, 0, &undo->n));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, undo->n, 1, &undo->bytes));
    return tvgp__snapshot_save(p, 0, undo->bytes, undo->n, &undo->n);
}

void tvgp__undo_restore(tvgp_policy *p, const tvgp__undo *undo) {
    char message[sizeof p->ctx->errmsg];
    memcpy(message, p->ctx->errmsg, sizeof message);
    (void)tvgp__snapshot_load(p, undo->bytes, undo->n);
    memcpy(p->ctx->errmsg, message, sizeof message);
}

void tvgp__undo_forget(tvgp_policy *p, tvgp__undo *undo) {
    tvgp__memory_free(p->ctx, undo->bytes);
    *undo = (tvgp__undo){0};
}
