/* SPDX-License-Identifier: MIT */
/* What a snapshot says of the policy it was taken from: it can be loaded where the same is said. */
#ifndef TVGP__FRAME_TEMPLATE_H
#define TVGP__FRAME_TEMPLATE_H

#include "base/visit.h"
#include "frame/snapshot.h"

typedef struct tvgp__template {
    char name[TVGP__SNAPSHOT_NAME];
    uint64_t domain, kernel; /* hashes */
    size_t n, dim;
    int untold; /* no kernel was given */
} tvgp__template;

/* Of a policy whose hashes are known (its `snapshots`). */
tvgp__template tvgp__template_of(const tvgp_policy *);
void tvgp__template_visit(tvgp__template *, tvgp__visit *);
uint64_t tvgp__template_hash(tvgp__template *);

/* STATE for the visitor, naming the part that differs. */
void tvgp__template_compare(const tvgp__template *own, const tvgp__template *its, tvgp__visit *);

#endif
