#!/bin/sh
# SPDX-License-Identifier: MIT
# What must hold before a change goes in, from a bare machine on: installs what is missing (.ci/deps.sh), builds with warnings
# as errors, runs all tests; the quick ones without BLAS and with clang; musl as a second libc and the fuzz targets, where they
# are installed; then the quick and full ones under AddressSanitizer and UndefinedBehaviorSanitizer. What takes longer is done
# by tests/night.sh.
set -eu
cd "$(dirname "$0")/.."
sh .ci/deps.sh tests
export OPENBLAS_NUM_THREADS=1
jobs=$(nproc 2>/dev/null || echo 2)
. tests/build.sh

sh tests/lint.sh

# Each fuzz target for a minute, from the same games at every run, beside the first tests. Who looks for more takes other seeds
# (docs/contributing.md).
fuzz() {
    for target in policy snapshot; do
        mkdir -p "build/fuzz/corpus_$target"
        for game in 1 2 3 4 5 6 7 8 9 10 11 12; do
            python3 -c "import random, sys; sys.stdout.buffer.write(random.Random($game).randbytes(1000))" \
                >"build/fuzz/corpus_$target/random_$game"
        done
        "build/fuzz/tests/fuzz_$target" -seed=1 -max_len=1200 -max_total_time=60 -artifact_prefix=build/fuzz/ -verbosity=0 \
            "build/fuzz/corpus_$target" >"build/fuzz/log_$target" 2>&1 || { cat "build/fuzz/log_$target" && return 1; }
    done
}

fuzzing=
if command -v clang >/dev/null && echo 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return b && n > (unsigned long)-2; }' |
    clang -fsanitize=address,undefined,fuzzer -x c - -o /dev/null 2>/dev/null; then
    cmake --preset fuzz
    cmake --build --preset fuzz -j "$jobs"
    fuzz &
    fuzzing=$!
    trap wait EXIT # a failure leaves nothing running
fi

build release release
ctest --preset release -j "$jobs"
[ -z "$fuzzing" ] || wait "$fuzzing"

build plain release -DTVGP_BLAS=none
ctest --test-dir build/plain -j "$jobs" --output-on-failure -L quick
ctest --test-dir build/plain --output-on-failure -R '^test_(small|zoo)$' # whose stack is promised without BLAS; one run of each family

if command -v musl-gcc >/dev/null; then
    sh tests/musl.sh build/plain
fi

if command -v clang >/dev/null; then
    build clang debug -DCMAKE_C_COMPILER=clang
    ctest --test-dir build/clang -j "$jobs" --output-on-failure -L quick -LE package
fi

sh tests/abi/abi.sh

build asan asan
TVGP_RELAY=build/release/tests/test_snapshot_relay build/asan/tests/test_snapshot_relay # from one build to the other and back
ctest --preset asan -j "$jobs" -L 'quick|full'
