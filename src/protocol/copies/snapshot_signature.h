/* SPDX-License-Identifier: MIT */
/* Name, hashes and sizes in a snapshot: only a policy with the same name, hashes and sizes can load it. */
#ifndef TVGP__PROTOCOL_COPIES_SNAPSHOT_SIGNATURE_H
#define TVGP__PROTOCOL_COPIES_SNAPSHOT_SIGNATURE_H

#include "base/visit.h"
#include "protocol/copies/snapshot.h"

typedef struct tvgp__snapshot_signature {
    char name[TVGP__SNAPSHOT_NAME];
    uint64_t domain, kernel; /* hashes */
    size_t n, dim;
    int no_kernel; /* none was given */
} tvgp__snapshot_signature;

/* Of a policy whose hashes are known (its `snapshots`). */
tvgp__snapshot_signature tvgp__snapshot_signature_of(const tvgp_policy *);
void tvgp__snapshot_signature_visit(tvgp__snapshot_signature *, tvgp__visit *);
uint64_t tvgp__snapshot_signature_hash(tvgp__snapshot_signature *);

/* STATE for the visitor, naming the part that differs. */
void tvgp__snapshot_signature_compare(const tvgp__snapshot_signature *own, const tvgp__snapshot_signature *its,
                                      tvgp__visit *);

#endif
