/* SPDX-License-Identifier: MIT */
/* CRC-32C, the checksum of Castagnoli's polynomial (Castagnoli, Brauer, Herrmann 1993; RFC 3720, appendix B.4). */
#ifndef TVGP__BASE_CRC32C_H
#define TVGP__BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of the bytes so far and n more; 0 before the first. */
uint32_t tvgp__crc32c_add(uint32_t crc, const void *bytes, size_t n);

/* The same without the instruction that some machines have for it. */
uint32_t tvgp__crc32c_plain(uint32_t crc, const void *bytes, size_t n);

#endif
