#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the examples (installing what is missing, see .ci/deps.sh) and lets policies follow the highest of many columns of a
# table, one reading a step: the demand of 54 power grids, then the ozone stations of New York City, both with the examples.
set -eu
cd "$(dirname "$0")/.."
# Problems of this size are slower with more threads, and much slower when the other cores are busy (docs/performance.md).
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
sh .ci/deps.sh

build() {
    cmake --preset release -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=ON -DTVGP_BUILD_BENCH=OFF
    cmake --build build/release -j "$(nproc 2>/dev/null || echo 2)"
}
mkdir -p build
echo "Building the library and the examples (a minute or less; the log is build/examples.log) .."
build >build/examples.log 2>&1 || {
    cat build/examples.log >&2
    exit 1
}

replay=build/release/examples/sensor_replay
echo "Which of 54 power grids is nearest to its own limit? One meter read an hour, 21 days to learn from, 7 to play:"
"$replay" --data examples/data/grid_demand.csv --train 504
echo
echo "Which of 28 stations has the most ozone? One reading a day, half a year to learn from; it says itself that this will not pay:"
"$replay" --data examples/data/ozone_nyc_2015.csv --train 182
echo
echo "Now your own: $replay --data FILE.csv (times x options, a header of names; docs/guide/replay-your-own-csv.md)"
