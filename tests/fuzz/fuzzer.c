/* SPDX-License-Identifier: MIT */
/* A game of fuzz/play.h for libFuzzer (https://llvm.org/docs/LibFuzzer.html). */
#include "fuzz/play.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    play("fuzzer", bytes, n);
    return 0;
}
