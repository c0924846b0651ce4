#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the examples (installing what is missing, see .ci/deps.sh) and lets policies follow the highest of many sensors, one
# reading a step: 46 thermometers of a laboratory where that file is at hand ($TVGP_DATA_DIR or ../shared/data), otherwise the
# ozone stations of New York City, which come with the examples.
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
echo "Building the library and the examples (a minute or less; the log is build/examples.log) .."
build >build/examples.log 2>&1 || {
    cat build/examples.log >&2
    exit 1
}

replay=build/release/examples/sensor_replay
for data in "${TVGP_DATA_DIR:-}"/intel_temp_8day_46.csv ../shared/data/intel_temp_8day_46.csv; do
    if [ -f "$data" ]; then
        echo "Which of 46 thermometers is the hottest? One reading every ten minutes, six days to learn from, two to play:"
        exec "$replay" --data "$data" --train 864 --period 144
    fi
done
echo "Which of 28 stations has the most ozone? One reading a day, the first half of 2015 to learn from, the second to play:"
exec "$replay" --data examples/data/ozone_nyc_2015.csv --train 182
