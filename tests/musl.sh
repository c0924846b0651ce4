#!/bin/sh
# SPDX-License-Identifier: MIT
# musl.sh BUILD: with musl instead of glibc all policies play the same (tests/decisions.c): with a kernel to the last bit, which BUILD without
# BLAS has too with the variants of exp, log and pow that do not use FMA; without one the last bits of log1p and others, in which the C
# libraries differ, may decide (docs/reference/guarantees.md), and it is said how many games are the same. Loaded as a shared library, and
# linked statically. Needs musl-gcc.
set -eu
cd "$(dirname "$0")/.."
glibc=$1 musl=build/musl
cmake --preset release -B "$musl" -DCMAKE_C_COMPILER=musl-gcc -DTVGP_BLAS=none -DTVGP_WERROR=ON -DTVGP_MPI=OFF -DTVGP_BUILD_TESTS=OFF \
    -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=OFF >/dev/null
cmake --build "$musl" -j "$(nproc 2>/dev/null || echo 2)" --target library tvgp_static >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -I include tests/decisions.c -o "$work/glibc" -L "$glibc" -ltvgp -Wl,-rpath,"$PWD/$glibc" -lm
musl-gcc -O2 -I include tests/decisions.c -o "$work/shared" -L "$musl" -ltvgp -Wl,-rpath,"$PWD/$musl" -lm
musl-gcc -static -O2 -I include tests/decisions.c "$musl/libtvgp.a" -lm -o "$work/static"
GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2 "$work/glibc" >"$work/wanted"
games=$(wc -l <"$work/wanted")
[ "$games" -ge 70 ]
"$work/static" >"$work/found"
"$work/shared" | diff "$work/found" -
grep 'se=' "$work/found" >"$work/kernel"
grep 'se=' "$work/wanted" | diff - "$work/kernel"
echo "musl: the same in $(grep -cxFf "$work/wanted" "$work/found") of $games games, with a kernel in all"
