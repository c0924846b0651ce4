#!/bin/sh
# SPDX-License-Identifier: MIT
# musl.sh BUILD: with musl instead of glibc the library plays the same decisions: four policies on arms and one in a box, step by
# step as the build without BLAS in BUILD prints them; loaded as a shared library, and linked statically. Needs musl-gcc.
set -eu
cd "$(dirname "$0")/.."
glibc=$1 musl=build/musl
cmake --preset release -B "$musl" -DCMAKE_C_COMPILER=musl-gcc -DTVGP_BLAS=none -DTVGP_WERROR=ON -DTVGP_MPI=OFF -DTVGP_BUILD_TESTS=OFF \
    -DTVGP_BUILD_EXAMPLES=ON -DTVGP_BUILD_BENCH=OFF >/dev/null
cmake --build "$musl" -j "$(nproc 2>/dev/null || echo 2)" --target library tvgp_static quickstart controller >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in quickstart controller; do
    "$glibc/examples/$program" --csv >"$work/wanted"
    [ "$(wc -l <"$work/wanted")" -gt 300 ]
    musl-gcc -static -O2 -I include "examples/$program.c" "$musl/libtvgp.a" -lm -o "$work/$program"
    "$musl/examples/$program" --csv | diff "$work/wanted" -
    "$work/$program" --csv | diff "$work/wanted" -
done
echo "musl: the same decisions as with glibc"
