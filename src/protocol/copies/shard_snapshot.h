/* SPDX-License-Identifier: MIT */
/* Snapshots of shared arms. Each rank's part is a snapshot whose vectors over arms are its own share; the rest is the
 * same in every part. Section PART names the rank's arms and the points that all ranks know. Section MANI, in the part
 * of rank 0, is the manifest: number of actions, arms and ranks, and the length and checksum of every part. A part is
 * valid only with the manifest of the same moment. */
#ifndef TVGP__PROTOCOL_COPIES_SHARD_SNAPSHOT_H
#define TVGP__PROTOCOL_COPIES_SHARD_SNAPSHOT_H

#include "base/section.h"
#include "protocol/policy_ops.h"

#define TVGP__SHARD_SNAPSHOT_PART TVGP__SECTION_TAG('P', 'A', 'R', 'T')
#define TVGP__SHARD_SNAPSHOT_MANI TVGP__SECTION_TAG('M', 'A', 'N', 'I')

typedef struct tvgp__shard_snapshot {
    tvgp_ctx *ctx;
    size_t n;
    struct tvgp__part *list;  /* in order of their arms */
    tvgp__visit_part *cursor; /* for visitors */
    size_t n_met;
    size_t *met; /* and their points */
    double *points;
} tvgp__shard_snapshot;

/* Sections of the policy's own part; ranks, lengths and checksums: NULL before they are known. */
void tvgp__shard_snapshot_write_part(tvgp_policy *p, tvgp__visit *v);
void tvgp__shard_snapshot_write_manifest(tvgp_policy *p, const double *length, const double *crc, tvgp__visit *v);

/* The parts among n bytes, one after the other, that have arms of this rank, and the first of all; at least these must be there,
 * and rank 0's, which has the manifest. FORMAT, VERSION, STATE, NOMEM; not collective. `first`: of what they share. Free gives
 * the memory back, also after a failure. */
tvgp_status tvgp__shard_snapshot_index(const tvgp_policy *p, const uint8_t *bytes, size_t n, const uint32_t *known,
                                       size_t n_known, tvgp__shard_snapshot *out);
void tvgp__shard_snapshot_free(tvgp__shard_snapshot *parts);
const tvgp__sections *tvgp__shard_snapshot_first(const tvgp__shard_snapshot *parts, const uint8_t **bytes);

/* A visitor of the first part goes on to a section, in all parts. */
void tvgp__shard_snapshot_enter(tvgp__shard_snapshot *parts, tvgp__visit *v, uint32_t tag);

#endif
