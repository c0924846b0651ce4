#!/bin/sh
# SPDX-License-Identifier: MIT
# OSS-Fuzz: builds the fuzz targets of tests/fuzz into $OUT with the flags and the engine of the service, without BLAS, which is not
# instrumented. The seeds of fuzz_restore are the snapshots of releases. Locally: CC=clang CFLAGS=-fsanitize=address,fuzzer-no-link
# LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/fuzz WORK=/tmp/fuzz-build sh .ci/oss-fuzz/build.sh
set -eu
source=${SRC:+$SRC/tvgp}
source=${source:-$(cd "$(dirname "$0")/../.." && pwd)}
targets="policy snapshot restore event dump tool"
mkdir -p "$OUT" "$WORK"
cmake -S "$source" -B "$WORK" -DCMAKE_BUILD_TYPE=None -DTVGP_BLAS=none -DTVGP_MPI=OFF -DBUILD_SHARED_LIBS=OFF -DTVGP_BUILD_TOOL=OFF \
    -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=OFF -DTVGP_BUILD_TESTS=ON -DTVGP_BUILD_FUZZ=ON -DTVGP_INSTALL=OFF \
    "-DTVGP_FUZZING_ENGINE=$LIB_FUZZING_ENGINE" >/dev/null
cmake --build "$WORK" -j "$(nproc)" --target $(printf 'fuzz_%s ' $targets)
for target in $targets; do
    cp "$WORK/tests/fuzz_$target" "$OUT/"
done
seeds=$(find "$source/tests/snapshots" -name '*.tvgp')
[ -z "$seeds" ] || printf '%s\n' "$seeds" | (cd "$source" && python3 -m zipfile -c "$OUT/fuzz_restore_seed_corpus.zip" $(cat))
