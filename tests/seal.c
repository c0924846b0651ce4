/* SPDX-License-Identifier: MIT */
#include "seal.h"

#include "base/numbers/crc32c.h"

#include <string.h>

static void put32(unsigned char *at, uint32_t x) {
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(x >> (8 * i));
}

static uint64_t get(const unsigned char *at, int bytes) {
    uint64_t x = 0;
    for (int i = bytes; i-- > 0;)
        x = x << 8 | at[i];
    return x;
}

/* Snapshots within the bytes of a section, each behind its length. */
static void seal_nested(unsigned char *b, size_t n) {
    for (size_t at = 8; at + 48 <= n; at++) {
        const uint64_t length = get(b + at - 8, 8);
        if (memcmp(b + at, "TVGPSAVE", 8) != 0 || length < 48 || length > n - at)
            continue;
        seal_snapshot(b + at, (size_t)length);
        at += (size_t)length;
    }
}

void seal_snapshot(unsigned char *b, size_t n) {
    put32(b + 44, tvgp__crc32c_add(0, b, 44));
    for (size_t at = 48; at + 24 <= n;) {
        uint64_t length = get(b + at + 8, 8);
        if (length > n - at - 24)
            return;
        seal_nested(b + at + 24, (size_t)length);
        uint32_t crc = tvgp__crc32c_add(0, b + at, 16);
        put32(b + at + 16, tvgp__crc32c_add(crc, b + at + 24, (size_t)length));
        at += 24 + (size_t)length;
        at += (8 - at % 8) % 8;
    }
}
