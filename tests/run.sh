#!/bin/sh
# SPDX-License-Identifier: MIT
# What must hold before a change goes in, from a bare machine on: installs what is missing (.ci/deps.sh), checks the text of the tree
# (tests/lint.sh), and tests two builds with warnings as errors. The first is the release: gcc and OpenBLAS, all tests. The second is
# `check`: clang, AddressSanitizer and UndefinedBehaviorSanitizer, plain C loops instead of BLAS; quick tests, and the longer ones that
# use memory in a way of their own. Ends with a list of what was skipped and with the summaries of ctest. What takes longer is in
# tests/night.sh.
set -eu
cd "$(dirname "$0")/.."
sh .ci/deps.sh tests
export OPENBLAS_NUM_THREADS=1
export TVGP_NGINX_ROOT="$PWD/build/nginx/root"
jobs=$(nproc 2>/dev/null || echo 2)
. tests/build.sh

sh tests/lint.sh
build release release -DTVGP_LTO=OFF # night.sh and release.sh build with it
built=release
if command -v clang >/dev/null; then
    build check check
    built="release check"
fi

status=0
run_tests release -LE night || status=1
[ "$built" = release ] || run_tests check || status=1
echo
echo "Skipped:"
[ "$built" != release ] || echo "  check: all of it: clang is not installed"
for tree in $built; do
    python3 -B tests/skipped.py "$tree"
done
for tree in $built; do
    summary "$tree"
done
exit $status
