#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the examples (installing what is missing, see .ci/deps.sh) and lets a policy follow the highest of many columns of a
# table, one reading a step: the demand of 54 power grids, then the ozone stations of New York City, both with the examples.
set -eu
cd "$(dirname "$0")/.."
# Problems of this size are slower with more threads, and much slower when the other cores are busy (docs/benchmarks/performance.md).
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
mkdir -p build
log=build/examples.log

# Runs one step of the set-up and prints a line about it. On a terminal it also prints the progress of a build, every two seconds.
step() {
    echo "$1 .."
    shift
    "$@" >>"$log" 2>&1 &
    while [ -t 1 ] && kill -0 "$!" 2>/dev/null; do
        printf '\r  %s ' "$(grep -o '^\[[ 0-9]*%\]' "$log" | tail -n 1)"
        sleep 2
    done
    [ ! -t 1 ] || printf '\r          \r'
    wait "$!" || {
        cat "$log" >&2
        exit 1
    }
}

# Plays a table and prints five rows of the result: the mean loss of a step, in this unit.
play() {
    unit=$1 && shift
    "$replay" "$@" --csv >build/examples.csv
    echo "Mean loss of a step against the best choice of that moment, in $unit. Smaller is better, 0 is perfect foresight:"
    awk -F, '
        BEGIN {
            name["auto-gp-ucb with history"] = "auto-gp-ucb, with the earlier readings as history"
            name["best arm of the hour in training"] = "the best choice of each hour in the earlier readings"
            name["best arm in training"] = "the best single choice of the earlier readings"
            name["random"] = "a random choice at each step"
        }
        $1 ~ /^best constant arm/ { name[$1] = "the best single choice in hindsight" }
        $1 in name { printf "  %-56s %8.2f\n", name[$1], $5 }' build/examples.csv
}

: >"$log"
step "1/5 Installing what is missing (the log is $log)" sh .ci/deps.sh
step "2/5 Configuring" cmake --preset release -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=ON -DTVGP_BUILD_BENCH=OFF
step "3/5 Building the library and the examples, about a minute" cmake --build build/release -j "$(nproc 2>/dev/null || echo 2)"

replay=build/release/examples/sensor_replay
echo "4/5 Replaying the demand of 54 power grids"
echo "Which of 54 power grids is nearest to its own limit? One meter read an hour, 21 days to learn from, 7 to play."
play "percent of a grid's usual peak" --data examples/data/grid_demand.csv --train 504
echo
echo "5/5 Replaying 28 ozone stations"
echo "Which of 28 stations has the most ozone? One reading a day, half a year to learn from: too little, as it says itself."
play "parts per billion" --data examples/data/ozone_nyc_2015.csv --train 182
echo
echo "All algorithms and columns: $replay --data examples/data/grid_demand.csv --train 504"
echo "Now your own: $replay --data FILE.csv (times x options, a header of names; docs/guide/replaying-data.md)"
echo "With servers of their own, not started here: sh examples/price_service/run.sh, sh examples/upstream/run.sh"
