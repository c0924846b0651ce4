/* SPDX-License-Identifier: MIT */
/* CRC-32C, the checksum of Castagnoli's polynomial (Castagnoli, Brauer, Herrmann 1993; RFC 3720, appendix B.4) (base/numbers/crc32c.h). */
#include "base/numbers/crc32c.h"

#include <string.h>

/* Remainders of the 16 values of four bits, polynomial 0x82f63b78 (bits reversed). */
static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                   0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                   0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t tvgp__crc32c_plain(uint32_t crc, const void *bytes, size_t n) {
    const uint8_t *b = bytes;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= b[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

/* Eight bytes at a time by the instruction of SSE 4.2. */
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *b, size_t n) {
    uint64_t wide = (uint32_t)~crc, word;
    for (; n >= sizeof word; b += sizeof word, n -= sizeof word) {
        memcpy(&word, b, sizeof word);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    uint32_t rest = (uint32_t)wide;
    for (; n; b++, n--)
        rest = __builtin_ia32_crc32qi(rest, *b);
    return ~rest;
}

uint32_t tvgp__crc32c_add(uint32_t crc, const void *bytes, size_t n) {
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, bytes, n) : tvgp__crc32c_plain(crc, bytes, n);
}

#else

uint32_t tvgp__crc32c_add(uint32_t crc, const void *bytes, size_t n) {
    return tvgp__crc32c_plain(crc, bytes, n);
}

#endif
