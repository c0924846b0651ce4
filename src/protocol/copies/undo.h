/* SPDX-License-Identifier: MIT */
/* The state of a policy before calls that belong together, of which a later one may fail. */
#ifndef TVGP__PROTOCOL_COPIES_UNDO_H
#define TVGP__PROTOCOL_COPIES_UNDO_H

#include "protocol/policy_ops.h"

typedef struct tvgp__undo {
    tvgp_policy *before; /* a clone; NULL: none */
} tvgp__undo;

/* As tvgp_policy_clone. Forget releases the memory. */
tvgp_status tvgp__undo_save(tvgp_policy *, tvgp__undo *);
/* The state at the save, for which no memory is needed. The undo holds the later one until it is forgotten. */
void tvgp__undo_restore(tvgp_policy *, tvgp__undo *);
void tvgp__undo_forget(tvgp__undo *);

#endif
