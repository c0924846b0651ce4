#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the examples (installing what is missing, see .ci/deps.sh) and follows the hottest of 46 sensors for two days, on the
# recorded temperatures when they are there ($TVGP_DATA_DIR or ../shared/data), otherwise on a generated field.
set -eu
[ -z "${TVGP_DATA_DIR:-}" ] || TVGP_DATA_DIR=$(cd "$TVGP_DATA_DIR" && pwd)
cd "$(dirname "$0")/.."
# Problems of this size are slower with more threads, and much slower when the other cores are busy (docs/performance.md).
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
sh .ci/deps.sh

build() {
    cmake --preset release -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=ON -DTVGP_BUILD_BENCH=OFF
    cmake --build build/release -j "$(nproc 2>/dev/null || echo 2)"
}
mkdir -p build
build >build/examples.log 2>&1 || {
    cat build/examples.log >&2
    exit 1
}

replay=build/release/examples/sensor_replay
for data in "${TVGP_DATA_DIR:-}"/intel_temp_8day_46.csv ../shared/data/intel_temp_8day_46.csv; do
    if [ -f "$data" ]; then
        exec "$replay" --data "$data" --train 864
    fi
done
exec "$replay"
