/* SPDX-License-Identifier: MIT */
/* The description in a snapshot of the policy it was taken from: only a policy with the same description can load it. */
#ifndef TVGP__PROTOCOL_COPIES_SNAPSHOT_TEMPLATE_H
#define TVGP__PROTOCOL_COPIES_SNAPSHOT_TEMPLATE_H

#include "base/visit.h"
#include "protocol/copies/snapshot.h"

typedef struct tvgp__snapshot_template {
    char name[TVGP__SNAPSHOT_NAME];
    uint64_t domain, kernel; /* hashes */
    size_t n, dim;
    int untold; /* no kernel was given */
} tvgp__snapshot_template;

/* Of a policy whose hashes are known (its `snapshots`). */
tvgp__snapshot_template tvgp__snapshot_template_of(const tvgp_policy *);
void tvgp__snapshot_template_visit(tvgp__snapshot_template *, tvgp__visit *);
uint64_t tvgp__snapshot_template_hash(tvgp__snapshot_template *);

/* STATE for the visitor, naming the part that differs. */
void tvgp__snapshot_template_compare(const tvgp__snapshot_template *own, const tvgp__snapshot_template *its, tvgp__visit *);

#endif
