/* SPDX-License-Identifier: MIT */
/* The state of a policy before calls of which a later one may fail: a clone, whose state is exchanged (protocol/copies/undo.h). */
#include "protocol/copies/undo.h"

#include "base/error.h"
#include "protocol/copies/snapshot.h"

tvgp_status tvgp__undo_save(tvgp_policy *p, tvgp__undo *undo) {
    size_t n;
    TVGP__TRY(tvgp__snapshot_save(p, 0, NULL, 0, &n)); /* whether it can be saved */
    return tvgp__snapshot_clone(p, &undo->before);
}

void tvgp__undo_restore(tvgp_policy *p, tvgp__undo *undo) {
    tvgp_policy *before = undo->before;
    tvgp__outputs *own = before->outputs;
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        tvgp__snapshot_exchange(p->outputs->model[k], before->outputs->model[k]);
    tvgp__snapshot_exchange(p, before);
    before->outputs = own;
}

void tvgp__undo_forget(tvgp__undo *undo) {
    if (undo->before)
        tvgp__policy_free(undo->before);
    *undo = (tvgp__undo){0};
}
