/* SPDX-License-Identifier: MIT */
/* Snapshots of shared arms (protocol/copies/shard_snapshot.h). */
#include "protocol/copies/shard_snapshot.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/crc32c.h"

#include <string.h>

typedef struct tvgp__part {
    const uint8_t *bytes;
    size_t n;
    tvgp__sections sections;
    size_t rank, ranks, first, arms, total;
} tvgp__part;

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static void visit_part(tvgp__part *part, tvgp__visit *v) {
    tvgp__visit_size(v, &part->rank, 0, INT32_MAX);
    tvgp__visit_size(v, &part->ranks, 1, INT32_MAX);
    tvgp__visit_size(v, &part->first, 0, UINT32_MAX);
    tvgp__visit_size(v, &part->arms, 1, UINT32_MAX);
    tvgp__visit_size(v, &part->total, 1, UINT32_MAX);
}

void tvgp__shard_snapshot_write_part(tvgp_policy *p, tvgp__visit *v) {
    tvgp__shard *s = p->domain->shard;
    tvgp__part own = {
        .rank = (size_t)s->comm.rank, .ranks = (size_t)s->comm.size, .first = s->first, .arms = s->n, .total = s->total};
    size_t start = tvgp__section_begin(v), n;
    visit_part(&own, v);
    tvgp__shard_visit(s, v, NULL, NULL, &n);
    tvgp__section_end(v, start, TVGP__SHARD_SNAPSHOT_PART, TVGP__SECTION_REQUIRED);
}

void tvgp__shard_snapshot_write_manifest(tvgp_policy *p, const double *length, const double *crc, tvgp__visit *v) {
    const tvgp__shard *s = p->domain->shard;
    size_t start = tvgp__section_begin(v), ranks = (size_t)s->comm.size, total = s->total;
    tvgp__visit_size(v, &ranks, 1, INT32_MAX);
    tvgp__visit_size(v, &total, 1, UINT32_MAX);
    tvgp__visit_tally(v, &p->counts.asked);
    for (size_t r = 0; r < ranks; r++) {
        uint64_t pair[2] = {length ? (uint64_t)length[r] : 0, crc ? (uint64_t)crc[r] : 0};
        tvgp__visit_u64(v, &pair[0]);
        tvgp__visit_u64(v, &pair[1]);
    }
    tvgp__section_end(v, start, TVGP__SHARD_SNAPSHOT_MANI, TVGP__SECTION_REQUIRED);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

void tvgp__shard_snapshot_free(tvgp__shard_snapshot *parts) {
    tvgp__memory_free(parts->ctx, parts->list);
    tvgp__memory_free(parts->ctx, parts->cursor);
    tvgp__memory_free(parts->ctx, parts->met);
    tvgp__memory_free(parts->ctx, parts->points);
}

const tvgp__sections *tvgp__shard_snapshot_first(const tvgp__shard_snapshot *parts, const uint8_t **bytes) {
    *bytes = parts->list->bytes;
    return &parts->list->sections;
}

static tvgp__visit reader(const tvgp_policy *p, const tvgp__part *part, uint32_t tag) {
    tvgp__visit v = {.ctx = p->ctx, .purpose = TVGP__VISIT_LOAD, .version = part->sections.version, .in = part->bytes};
    const tvgp__section *found = tvgp__section_find(&part->sections, tag);
    if (found)
        tvgp__section_enter(&v, found);
    else
        tvgp__visit_try(&v, tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the snapshot is none of shared arms"));
    return v;
}

static tvgp_status read_part(const tvgp_policy *p, const uint8_t *bytes, size_t n, const uint32_t *known, size_t n_known,
                             tvgp__part *out) {
    *out = (tvgp__part){.bytes = bytes, .n = n};
    TVGP__TRY(tvgp__section_index(p->ctx, bytes, n, known, n_known, &out->sections));
    tvgp__visit v = reader(p, out, TVGP__SHARD_SNAPSHOT_PART);
    visit_part(out, &v);
    if (tvgp__visit_fine(&v) && (out->rank >= out->ranks || out->first > out->total || out->arms > out->total - out->first))
        tvgp__visit_refuse(&v, "a part has more arms than there are");
    if (tvgp__visit_fine(&v) && out->total != p->domain->total)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the snapshot is of %zu arms, the domain has %zu", out->total,
                               p->domain->total);
    return v.status;
}

/* Behind those before it in order of its arms. */
static tvgp_status add(tvgp__shard_snapshot *parts, const tvgp__part *part, size_t *slots) {
    TVGP__TRY(tvgp__memory_reserve(parts->ctx, parts->n + 1, sizeof *parts->list, &parts->list, slots));
    size_t at = parts->n++;
    for (; at > 0 && parts->list[at - 1].rank > part->rank; at--)
        parts->list[at] = parts->list[at - 1];
    parts->list[at] = *part;
    return TVGP_OK;
}

static tvgp_status read_all(const tvgp_policy *p, const uint8_t *bytes, size_t n, const uint32_t *known, size_t n_known,
                            tvgp__shard_snapshot *parts) {
    size_t slots = 0, length;
    for (size_t at = 0; at < n || !parts->n; at += length) {
        tvgp__part part;
        TVGP__TRY(tvgp__section_length(p->ctx, bytes + at, n - at, &length));
        TVGP__TRY(read_part(p, bytes + at, length, known, n_known, &part));
        TVGP__TRY(add(parts, &part, &slots));
    }
    return TVGP_OK;
}

/* All are of the manifest's moment. */
static tvgp_status check_manifest(const tvgp_policy *p, const tvgp__shard_snapshot *parts) {
    const tvgp__part *list = parts->list;
    size_t ranks = 0, total = 0;
    int64_t asked = 0;
    if (list->rank != 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the part of rank 0 is missing, which has the manifest");
    tvgp__visit v = reader(p, list, TVGP__SHARD_SNAPSHOT_MANI);
    tvgp__visit_size(&v, &ranks, 1, INT32_MAX);
    tvgp__visit_size(&v, &total, 1, UINT32_MAX);
    tvgp__visit_tally(&v, &asked);
    const size_t last = list[parts->n - 1].rank; /* they are in order of their ranks */
    if (tvgp__visit_fine(&v) && last >= ranks)
        tvgp__visit_try(&v, tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                                            "the part of rank %zu is not of the snapshot of rank 0, which has %zu ranks",
                                            last, ranks));
    for (size_t r = 0, k = 0; tvgp__visit_fine(&v) && r < ranks; r++) {
        uint64_t pair[2];
        tvgp__visit_u64(&v, &pair[0]);
        tvgp__visit_u64(&v, &pair[1]);
        for (; tvgp__visit_fine(&v) && k < parts->n && list[k].rank == r; k++)
            if (list[k].ranks != ranks || list[k].total != total || (k && list[k].rank == list[k - 1].rank) ||
                (r && (pair[0] != list[k].n || pair[1] != tvgp__crc32c_add(0, list[k].bytes, list[k].n))))
                tvgp__visit_try(
                    &v, tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the part of rank %zu is not of the snapshot of rank 0", r));
    }
    return v.status;
}

/* Only parts with arms of this rank are read on, and rank 0's, to have all that is shared from one. */
static tvgp_status select(const tvgp_policy *p, tvgp__shard_snapshot *parts) {
    const tvgp__shard *s = p->domain->shard;
    size_t kept = 0, next = s->first, end = s->first + s->n;
    for (size_t k = 0; k < parts->n; k++) {
        const tvgp__part part = parts->list[k];
        const int wanted = part.first < end && part.first + part.arms > s->first;
        if (wanted && part.first <= next)
            next = part.first + part.arms;
        if (wanted || !k)
            parts->list[kept++] = part;
    }
    parts->n = kept;
    if (next < end)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the part with arm %zu is missing", next);
    return tvgp__memory_alloc(p->ctx, kept, sizeof *parts->cursor, &parts->cursor);
}

tvgp_status tvgp__shard_snapshot_index(const tvgp_policy *p, const uint8_t *bytes, size_t n, const uint32_t *known,
                                       size_t n_known, tvgp__shard_snapshot *out) {
    *out = (tvgp__shard_snapshot){.ctx = p->ctx};
    TVGP__TRY(read_all(p, bytes, n, known, n_known, out));
    TVGP__TRY(check_manifest(p, out));
    TVGP__TRY(select(p, out));
    for (size_t k = 0; k < out->n; k++)
        out->cursor[k] = (tvgp__visit_part){.in = out->list[k].bytes, .first = out->list[k].first, .n = out->list[k].arms};
    tvgp__visit v = reader(p, out->list, TVGP__SHARD_SNAPSHOT_PART);
    tvgp__part again;
    visit_part(&again, &v);
    tvgp__shard_visit(p->domain->shard, &v, &out->met, &out->points, &out->n_met);
    return v.status;
}

void tvgp__shard_snapshot_enter(tvgp__shard_snapshot *parts, tvgp__visit *v, uint32_t tag) {
    for (size_t k = 0; k < parts->n; k++) {
        const tvgp__section *found = tvgp__section_find(&parts->list[k].sections, tag);
        if (!found) {
            tvgp__visit_refuse(v, "a part lacks this section");
            return;
        }
        parts->cursor[k].at = found->from;
        parts->cursor[k].end = found->to;
    }
}
