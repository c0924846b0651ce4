/* SPDX-License-Identifier: MIT */
/* The frame of a snapshot: a header and tagged sections, each with its checksum (docs/reference/snapshot-format.md).
 *
 *   header   "TVGPSAVE", u32 version, u32 bytes of the header, u64 bytes in all, u64 hash of the template, u32 sections,
 *            u32 flags, u32 0, u32 CRC-32C of the bytes before
 *   section  u32 tag, u32 flags, u64 bytes that follow, u32 CRC-32C of these sixteen bytes and of those that follow, u32 0;
 *            then the bytes, and zeros up to a multiple of eight */
#ifndef TVGP__BASE_SECTION_H
#define TVGP__BASE_SECTION_H

#include "base/visit.h"

enum { TVGP__SECTION_VERSION = 1, TVGP__SECTION_HEADER = 48, TVGP__SECTION_HEAD = 24, TVGP__SECTION_MOST = 16 };
enum { TVGP__SECTION_REQUIRED = 1 }; /* a reader that does not know it must not read the snapshot */

enum { TVGP__SECTION_WHOLE = 1 }; /* flag of the header: domain and kernel are in it */

/* Four letters. */
#define TVGP__SECTION_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* ---- writing: visitors that count or save ------------------------------------------------------------------------------ */

/* Room for the header; a section, whose head is kept at *start; its end; the header. */
void tvgp__section_open(tvgp__visit *v);
size_t tvgp__section_begin(tvgp__visit *v);
void tvgp__section_end(tvgp__visit *v, size_t start, uint32_t tag, uint32_t flags);
void tvgp__section_close(tvgp__visit *v, uint64_t signature_hash, uint32_t sections, uint32_t flags);

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

typedef struct tvgp__section {
    uint32_t tag, flags;
    size_t from, to; /* its bytes */
    char name[5];
} tvgp__section;

typedef struct tvgp__sections {
    uint64_t signature_hash;
    uint32_t version, flags;
    size_t n;
    tvgp__section list[TVGP__SECTION_MOST];
} tvgp__sections;

/* How many of the n bytes are the first snapshot among them. FORMAT. */
tvgp_status tvgp__section_length(tvgp_ctx *ctx, const uint8_t *bytes, size_t n, size_t *out);

/* Looks at all checksums and lengths; `known` (n_known tags): those that may be there. FORMAT, VERSION. */
tvgp_status tvgp__section_index(tvgp_ctx *ctx, const void *bytes, size_t n, const uint32_t *known, size_t n_known,
                                tvgp__sections *out);

/* NULL: not found. */
const tvgp__section *tvgp__section_find(const tvgp__sections *s, uint32_t tag);

/* The visitor reads this section; at the end all of it must have been read. */
void tvgp__section_enter(tvgp__visit *v, const tvgp__section *section);
void tvgp__section_leave(tvgp__visit *v);

#endif
