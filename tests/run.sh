#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that must hold, from a bare machine on: installs what is missing (.ci/deps.sh), builds with warnings as errors,
# runs all tests; where they are installed, musl as a second libc, valgrind on a part of them and clang as a second compiler
# and for the fuzz targets; then AddressSanitizer and UndefinedBehaviorSanitizer.
set -eu
cd "$(dirname "$0")/.."
sh .ci/deps.sh tests
export OPENBLAS_NUM_THREADS=1
jobs=$(nproc 2>/dev/null || echo 2)

sh tests/lint.sh

build() { # directory below build/, preset, further options of cmake
    tree=build/$1 preset=$2
    shift 2
    cmake --preset "$preset" -B "$tree" -DTVGP_WERROR=ON -DTVGP_BUILD_TESTS=ON -DTVGP_BUILD_EXAMPLES=ON \
        -DTVGP_BUILD_BENCH=ON "$@"
    cmake --build "$tree" -j "$jobs"
}

build release release
ctest --preset release -j "$jobs"

build plain release -DTVGP_BLAS=none
ctest --test-dir build/plain -j "$jobs" --output-on-failure

if command -v musl-gcc >/dev/null; then
    sh tests/musl.sh build/plain
fi

if command -v clang >/dev/null; then
    build clang debug -DCMAKE_C_COMPILER=clang
fi

sh tests/abi/abi.sh

if command -v valgrind >/dev/null; then
    for test in blas linalg gp dtc domain acquisition policy policy_options auto priors expert golden_policies golden_priors \
        badinput; do
        echo "build/release/tests/test_$test"
    done | xargs -n 1 -P "$jobs" \
        valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=1
fi

# Each fuzz target for a minute, from games of random bytes.
if command -v clang >/dev/null && echo 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return b && n > (unsigned long)-2; }' |
    clang -fsanitize=address,undefined,fuzzer -x c - -o /dev/null 2>/dev/null; then
    cmake --preset fuzz
    cmake --build --preset fuzz -j "$jobs"
    for target in policy snapshot; do
        mkdir -p "build/fuzz/corpus_$target"
        for game in 1 2 3 4 5 6 7 8 9 10 11 12; do
            head -c 1000 /dev/urandom >"build/fuzz/corpus_$target/random_$game"
        done
        "build/fuzz/tests/fuzz_$target" -max_len=1200 -max_total_time=60 -artifact_prefix=build/fuzz/ -verbosity=0 \
            "build/fuzz/corpus_$target"
    done
fi

build asan asan
TVGP_RELAY=build/release/tests/test_snapshot_relay build/asan/tests/test_snapshot_relay # from one build to the other and back
ctest --preset asan -j "$jobs"
