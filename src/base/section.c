/* SPDX-License-Identifier: MIT */
/* The frame of a snapshot (base/section.h). */
#include "base/section.h"

#include "base/error.h"
#include "base/numbers/crc32c.h"

#include <string.h>

static const char magic[8] = {'T', 'V', 'G', 'P', 'S', 'A', 'V', 'E'};
enum {
    VERSION_AT = 8,
    SIZE_AT = 12,
    LENGTH_AT = 16,
    TEMPLATE_AT = 24,
    COUNT_AT = 32,
    FLAGS_AT = 36,
    ZERO_AT = 40,
    CRC_AT = 44
};
enum { HEAD_FLAGS_AT = 4, HEAD_LENGTH_AT = 8, HEAD_CRC_AT = 16, ALIGN = 8 };

static void put32(uint8_t *at, uint32_t x) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(x >> (8 * i));
}

static void put64(uint8_t *at, uint64_t x) {
    put32(at, (uint32_t)x);
    put32(at + 4, (uint32_t)(x >> 32));
}

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get64(const uint8_t *at) {
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

void tvgp__section_open(tvgp__visit *v) {
    v->at = TVGP__SECTION_HEADER;
    v->version = TVGP__SECTION_VERSION;
}

size_t tvgp__section_begin(tvgp__visit *v) {
    size_t start = v->at;
    tvgp__visit_skip(v, TVGP__SECTION_HEAD);
    return start;
}

static uint32_t checksum(const uint8_t *head, size_t length) {
    uint32_t crc = tvgp__crc32c_add(0, head, HEAD_CRC_AT);
    return tvgp__crc32c_add(crc, head + TVGP__SECTION_HEAD, length);
}

void tvgp__section_end(tvgp__visit *v, size_t start, uint32_t tag, uint32_t flags) {
    static const uint8_t zeros[ALIGN] = {0};
    size_t length = v->at - start - TVGP__SECTION_HEAD, padding = (ALIGN - length % ALIGN) % ALIGN;
    if (!tvgp__visit_skip(v, padding) || v->purpose != TVGP__VISIT_SAVE || v->at > v->end)
        return;
    uint8_t *head = v->out + start;
    memset(head, 0, TVGP__SECTION_HEAD);
    put32(head, tag);
    put32(head + HEAD_FLAGS_AT, flags);
    put64(head + HEAD_LENGTH_AT, length);
    put32(head + HEAD_CRC_AT, checksum(head, length));
    memcpy(v->out + v->at - padding, zeros, padding);
}

void tvgp__section_close(tvgp__visit *v, uint64_t signature_hash, uint32_t sections, uint32_t flags) {
    uint8_t *h = v->out;
    if (v->purpose != TVGP__VISIT_SAVE || v->status < 0 || v->at > v->end)
        return;
    memset(h, 0, TVGP__SECTION_HEADER);
    memcpy(h, magic, sizeof magic);
    put32(h + VERSION_AT, TVGP__SECTION_VERSION);
    put32(h + SIZE_AT, TVGP__SECTION_HEADER);
    put64(h + LENGTH_AT, v->at);
    put64(h + TEMPLATE_AT, signature_hash);
    put32(h + COUNT_AT, sections);
    put32(h + FLAGS_AT, flags);
    put32(h + CRC_AT, tvgp__crc32c_add(0, h, CRC_AT));
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static tvgp_status check_header(tvgp_ctx *ctx, const uint8_t *b, size_t n) {
    if (n < TVGP__SECTION_HEADER || memcmp(b, magic, sizeof magic) != 0)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "header, byte 0: %zu bytes that are no snapshot", n);
    if (get32(b + CRC_AT) != tvgp__crc32c_add(0, b, CRC_AT))
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "header, byte %d: the checksum is wrong", (int)CRC_AT);
    if (get32(b + VERSION_AT) > TVGP__SECTION_VERSION)
        return tvgp__error_set(ctx, TVGP_ERR_VERSION, "the snapshot has format %u, this library reads up to %d",
                               (unsigned)get32(b + VERSION_AT), (int)TVGP__SECTION_VERSION);
    if (get64(b + LENGTH_AT) != n)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "header, byte %d: %llu bytes are announced, there are %zu",
                               (int)LENGTH_AT, (unsigned long long)get64(b + LENGTH_AT), n);
    if (!get32(b + VERSION_AT) || get32(b + SIZE_AT) != TVGP__SECTION_HEADER || get32(b + COUNT_AT) > TVGP__SECTION_MOST)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "header, byte %d: version, size or sections are wrong",
                               (int)VERSION_AT);
    if ((get32(b + FLAGS_AT) & ~(uint32_t)TVGP__SECTION_WHOLE) || get32(b + ZERO_AT))
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "header, byte %d: flags %u and %u, which no version has", (int)FLAGS_AT,
                               (unsigned)get32(b + FLAGS_AT), (unsigned)get32(b + ZERO_AT));
    return TVGP_OK;
}

tvgp_status tvgp__section_length(tvgp_ctx *ctx, const uint8_t *b, size_t n, size_t *out) {
    uint64_t length = n < TVGP__SECTION_HEADER ? 0 : get64(b + LENGTH_AT);
    *out = length >= TVGP__SECTION_HEADER && length <= n ? (size_t)length : n;
    return check_header(ctx, b, *out);
}

/* The section at *at, which moves behind it. */
static tvgp_status take(tvgp_ctx *ctx, const uint8_t *b, size_t n, size_t *at, tvgp__section *s) {
    const uint8_t *head = b + *at;
    if (n - *at < TVGP__SECTION_HEAD)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section at byte %zu: its head is cut off", *at);
    size_t from = *at + TVGP__SECTION_HEAD;
    uint64_t length = get64(head + HEAD_LENGTH_AT);
    *s = (tvgp__section){.tag = get32(head), .flags = get32(head + HEAD_FLAGS_AT), .from = from};
    for (int i = 0; i < 4; i++)
        s->name[i] = head[i] >= ' ' && head[i] < 127 ? (char)head[i] : '?';
    if (length > n - from)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section %s, byte %zu: %llu bytes are announced, there are %zu",
                               s->name, *at + HEAD_LENGTH_AT, (unsigned long long)length, n - from);
    if (get32(head + HEAD_CRC_AT) != checksum(head, (size_t)length))
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section %s, byte %zu: the checksum is wrong", s->name,
                               *at + HEAD_CRC_AT);
    if (s->flags & ~(uint32_t)TVGP__SECTION_REQUIRED)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section %s, byte %zu: flags %u, which no version has", s->name,
                               *at + HEAD_FLAGS_AT, (unsigned)s->flags);
    s->to = from + (size_t)length;
    *at = s->to;
    int zeros = get32(head + HEAD_CRC_AT + 4) == 0;
    for (; *at % ALIGN && *at < n; ++*at)
        zeros &= b[*at] == 0;
    if (!zeros || *at % ALIGN)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section %s, byte %zu: what fills it up is not zero", s->name, s->to);
    return TVGP_OK;
}

static int is_known(uint32_t tag, const uint32_t *known, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (known[i] == tag)
            return 1;
    return 0;
}

tvgp_status tvgp__section_index(tvgp_ctx *ctx, const void *bytes, size_t n, const uint32_t *known, size_t n_known,
                                tvgp__sections *out) {
    const uint8_t *b = bytes;
    size_t at = TVGP__SECTION_HEADER;
    TVGP__TRY(check_header(ctx, b, n));
    *out = (tvgp__sections){
        .signature_hash = get64(b + TEMPLATE_AT), .version = get32(b + VERSION_AT), .flags = get32(b + FLAGS_AT)};
    for (uint32_t i = 0; i < get32(b + COUNT_AT); i++) {
        tvgp__section s = {0};
        TVGP__TRY(take(ctx, b, n, &at, &s));
        int wanted = is_known(s.tag, known, n_known);
        if (!wanted && (s.flags & TVGP__SECTION_REQUIRED))
            return tvgp__error_set(ctx, TVGP_ERR_VERSION, "section %s, byte %zu: this library does not know it", s.name,
                                   s.from - TVGP__SECTION_HEAD);
        if (wanted && tvgp__section_find(out, s.tag))
            return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "section %s, byte %zu: there are two", s.name,
                                   s.from - TVGP__SECTION_HEAD);
        if (wanted)
            out->list[out->n++] = s;
    }
    if (at != n)
        return tvgp__error_set(ctx, TVGP_ERR_FORMAT, "byte %zu: the sections end here, the snapshot at %zu", at, n);
    return TVGP_OK;
}

const tvgp__section *tvgp__section_find(const tvgp__sections *s, uint32_t tag) {
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].tag == tag)
            return &s->list[i];
    return NULL;
}

void tvgp__section_enter(tvgp__visit *v, const tvgp__section *section) {
    v->at = section->from;
    v->end = section->to;
    v->section = section->name;
    v->depth = 0;
}

void tvgp__section_leave(tvgp__visit *v) {
    int left = v->at != v->end;
    for (size_t k = 1; k < v->n_parts; k++)
        left |= v->parts[k].at != v->parts[k].end;
    if (v->status >= 0 && left)
        tvgp__visit_refuse(v, "bytes are left over");
}
