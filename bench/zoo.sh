#!/bin/sh
# SPDX-License-Identifier: MIT
# Plays the drift zoo and writes docs/zoo: tables, two figures, a CSV of the cells (docs/zoo/README.md).
#
# usage: sh bench/zoo.sh [--quick] [--minutes N] [--runs N] [BUILD]     (BUILD: build/release, built where it is not)
#
# N minutes (default 120) of two cores decide how many runs a cell has, by what a run costs and not by the clock, so that the
# same N gives the same digits; --runs says it outright. Middle sizes and the diagram have three times as many. PROCESSES side by side (default: as many as there are cores). What is done
# stays in build/zoo: called again it goes on where it stopped. --quick: one run of the middle setting of each problem and a corner of
# the diagram, into build/zoo-quick, in about five minutes; nothing is written to docs.
set -eu
cd "$(dirname "$0")/.."
quick= minutes=120 runs=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --minutes) minutes=$2; shift ;;
    --runs) runs=$2; shift ;;
    *) break ;;
    esac
    shift
done
build=${1:-build/release}
processes=${PROCESSES:-$(nproc 2>/dev/null || echo 2)}
out=${OUT:-build/zoo${quick:+-quick}}
export OPENBLAS_NUM_THREADS=1
bench=$build/bench/bench_zoo
mkdir -p "$out/cells"

if [ ! -x "$bench" ]; then
    echo "Building .."
    {
        cmake --preset release -B "$build" -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=ON -DTVGP_BUILD_BENCH=ON
        cmake --build "$build" -j "$processes" --target bench_zoo
    } >"$out/build.log" 2>&1
fi

# A run of all problems and sizes but `long` costs some 6 minutes of two cores, one of the middle sizes and the diagram 3.
[ -n "$runs" ] || runs=$((minutes / 12))
[ "$runs" -ge 1 ] || runs=1
middle=$((3 * runs))
[ -z "$quick" ] || runs=1 middle=1

# One line for each job: file, then the arguments of bench_zoo.
drift="--policy tv-gp-ucb --policy r-gp-ucb --policy sw-gp-ucb --policy w-gp-ucb"
model="--policy auto-gp-ucb --policy gp-ucb --policy et-gp-ucb --policy ui-gp-ucb"
cells() { # run, sizes
    sed 1d "$out/problems.csv" | while IFS=, read -r family problem size rest; do
        case "$2" in *$size*) ;; *) continue ;; esac
        if [ "$family" = long ]; then # once, and the longer ones for those who have two hours
            [ -z "$quick" ] || echo "$problem-quick-$1 play --problem $problem --settings steps=2000 --seed $1"
            [ -z "$quick" ] && [ "$1" = 1 ] || continue
            [ "$size" = small ] || [ "$minutes" -ge 120 ] || continue
        fi
        echo "$problem-$size-$1 play --problem $problem --settings $size --seed $1"
    done
}
phase() { # run
    rates="0 .001 .003 .01 .03 .1 .3" shares="0 .25 .5 .75 1" noises=".02 .1 .5"
    [ -z "$quick" ] || { rates=".03" shares="0 1" noises=".02"; }
    for noise in $noises; do
        for share in $shares; do
            for rate in $rates; do
                set="--problem mixed --settings rate=$rate,share=$share,noise=$noise --seed $1"
                echo "phase-$rate-$share-$noise-$1-told play $set --told 0 $drift"
                echo "phase-$rate-$share-$noise-$1-model play $set --told 1 $model"
            done
        done
    done
}
count() { # as seq
    run=1
    while [ "$run" -le "$1" ]; do
        echo "$run"
        run=$((run + 1))
    done
}
jobs() {
    for run in $(count "$middle"); do
        cells "$run" middle
        [ "$run" -gt 20 ] || phase "$run"
    done
    [ -z "$quick" ] || return 0
    for run in $(count "$runs"); do
        cells "$run" "small hard"
    done
}

[ -s "$out/problems.csv" ] || { "$bench" list >"$out/problems.part" && mv "$out/problems.part" "$out/problems.csv"; }
jobs >"$out/jobs.txt"
echo "$minutes minutes of two cores, $runs runs a cell, $middle of middle sizes and of the diagram" >"$out/budget.txt"
echo "$(wc -l <"$out/jobs.txt") jobs, $runs runs a cell ($middle of middle sizes), $processes processes"
BENCH=$bench OUT=$out xargs -P "$processes" -L 1 sh -c '
    name=$1; shift
    [ ! -s "$OUT/cells/$name.csv" ] || exit 0
    "$BENCH" "$@" >"$OUT/cells/$name.part" 2>"$OUT/cells/$name.log" || { echo "$name: $(tail -n 1 "$OUT/cells/$name.log")" >&2; exit 1; }
    rm -f "$OUT/cells/$name.log"
    mv "$OUT/cells/$name.part" "$OUT/cells/$name.csv"' sh <"$out/jobs.txt"

if [ -n "$quick" ]; then
    python3 -B bench/zoo.py "$out" "$out"
else
    python3 -B bench/zoo.py "$out" docs/zoo
    echo "docs/zoo is written."
fi
