/* SPDX-License-Identifier: MIT */
/* Mutations for the fuzz target restore: those of libFuzzer, after which the checksums are renewed and the length in the header is
 * the number of bytes, so that not every mutation ends at the first check. */
#include "seal.h"

#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t most, unsigned seed) {
    enum { HEADER = 48, LENGTH = 16 };
    const size_t now = LLVMFuzzerMutate(bytes, n, most);
    if (now < HEADER || seed % 8 == 0) /* one in eight stays as it is */
        return now;
    for (size_t i = 0; i < sizeof(uint64_t); i++)
        bytes[LENGTH + i] = (uint8_t)((uint64_t)now >> (8 * i));
    seal_snapshot(bytes, now);
    return now;
}
