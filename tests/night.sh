#!/bin/sh
# SPDX-License-Identifier: MIT
# What takes too long for every change: the long tests under AddressSanitizer and UndefinedBehaviorSanitizer; and, where it is
# installed, valgrind on a part of the tests, which sees memory that was never written.
set -eu
cd "$(dirname "$0")/.."
sh .ci/deps.sh tests
export OPENBLAS_NUM_THREADS=1
jobs=$(nproc 2>/dev/null || echo 2)
. tests/build.sh

build asan asan
ctest --preset asan -j "$jobs" -L long

if command -v valgrind >/dev/null; then
    build release release
    for test in blas linalg gp dtc domain acquisition policy policy_options auto priors expert golden_policies golden_priors \
        badinput; do
        echo "build/release/tests/test_$test"
    done | xargs -n 1 -P "$jobs" \
        valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=1
fi
