/* SPDX-License-Identifier: MIT */
/* The state of a policy before calls that belong together, of which a later one may fail. */
#ifndef TVGP__PROTOCOL_COPIES_UNDO_H
#define TVGP__PROTOCOL_COPIES_UNDO_H

#include "protocol/policy_ops.h"

typedef struct tvgp__undo {
    uint8_t *bytes; /* a snapshot; NULL: none */
    size_t n;
} tvgp__undo;

/* As tvgp_policy_save. Forget releases the memory. */
tvgp_status tvgp__undo_save(tvgp_policy *, tvgp__undo *);
/* The state at the save. The message of the failure stays. */
void tvgp__undo_restore(tvgp_policy *, const tvgp__undo *);
void tvgp__undo_forget(tvgp_policy *, tvgp__undo *);

#endif
