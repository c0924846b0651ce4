#!/bin/sh
# SPDX-License-Identifier: MIT
# Plays the drift zoo and writes docs/benchmarks/suite: tables, figures, a CSV of the cells (docs/benchmarks/suite.md).
#
# usage: sh bench/zoo.sh [--quick | --minutes N | --runs N] [--plan] [BUILD]    (BUILD: build/release, built where it is not)
#
# N minutes of processor (default 240: two hours of two cores) decide how many runs a cell has, by what a run costs and not by the
# clock: a larger N goes on where a smaller one ended, and the same N gives the same digits. --runs: N runs of every cell
# (one of long) and 5 N of the diagram, at most 20. PROCESSES side by side (default: as many as there are cores). Finished jobs
# stay in build/zoo, and the next call continues with the others.
# --quick: one run of the middle setting of one problem of each family (of every problem where TVGP_TESTS=all) and a corner of the
# diagram, into build/zoo-quick, in about a minute; nothing is written to docs. --plan: prints the jobs and plays none.
set -eu
cd "$(dirname "$0")/.."
quick= minutes=240 runs= plan=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --plan) plan=yes ;;
    --minutes) minutes=$2; shift ;;
    --runs) runs=$2 minutes=1000000; shift ;;
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

# ---- jobs: a line for each, the name of its file, then the arguments of bench_zoo ----

cells() { # sizes, run
    sed 1d "$list" | while IFS=, read -r family problem size rest; do
        case "$1" in *$size*) ;; *) continue ;; esac
        [ "$family" != long ] || continue
        echo "$problem-$size-$2 play --problem $problem --settings $size --seed $2"
    done
}
misspecified() { # sizes, run: model.assume_misspecified with default settings
    cells "$1" "$2" | sed 's/^\([^ ]*\) \(.*\)/\1-misspecified \2 --known 2 --policy "auto-gp-ucb model.assume_misspecified=1"/'
}
long() { # settings: once
    echo "long-$1-1 play --problem long --settings $1 --seed 1"
    echo "long-$1-1-misspecified play --problem long --settings $1 --seed 1 --known 2 --policy \"auto-gp-ucb model.assume_misspecified=1\""
}
drift="--policy tv-gp-ucb --policy r-gp-ucb --policy sw-gp-ucb --policy w-gp-ucb"
model="--policy auto-gp-ucb --policy gp-ucb --policy et-gp-ucb --policy ui-gp-ucb"
place() { # rate, share, noise, run
    set="--problem mixed --settings rate=$1,share=$2,noise=$3 --seed $4"
    echo "phase-$1-$2-$3-$4-known play $set --known 0 $drift"
    echo "phase-$1-$2-$3-$4-model play $set --known 1 $model"
}
diagram() { # first run, last
    for run in $(count "$1" "$2"); do
        for noise in .02 .1 .5; do
            place 0 0 $noise "$run" # nothing changes: there is nothing to share
            for share in 0 .25 .5 .75 1; do
                for rate in .001 .003 .01 .03 .1 .3; do
                    place $rate $share $noise "$run"
                done
            done
        done
    done
}
count() { # as seq
    i=$1
    while [ "$i" -le "$2" ]; do
        echo "$i"
        i=$((i + 1))
    done
}

# Blocks of jobs in the order in which they are played: seconds of processor, and what. So many as fit are a budget's.
blocks() {
    echo "70 cells middle 1"
    echo "140 cells small,hard 1"
    echo "40 misspecified small,middle,hard 1"
    echo "6 long small"
    echo "30 diagram 1 5"
    for run in 2 3 4; do
        echo "210 cells small,middle,hard $run"
        echo "40 misspecified small,middle,hard $run"
        echo "30 diagram $((5 * run - 4)) $((5 * run))"
    done
    echo "20 long middle"
    echo "60 long hard"
    for run in $(count 5 "${runs:-100}"); do
        echo "210 cells small,middle,hard $run"
        echo "40 misspecified small,middle,hard $run"
    done
}
jobs() {
    left=$((60 * minutes))
    blocks | while read -r cost what first last; do
        left=$((left - cost))
        [ "$left" -ge 0 ] || break
        case $what in
        cells | misspecified) [ -z "$runs" ] || [ "$last" -le "$runs" ] || continue ;;
        diagram) [ -z "$runs" ] || [ "$last" -le $((5 * runs)) ] || continue ;;
        esac
        "$what" "$first" ${last:+"$last"}
    done
}
quick_jobs() {
    cells middle 1
    misspecified middle 1
    long steps=2000
    place .03 0 .02 1
    place .03 1 .02 1
}

if [ ! -s "$out/problems.csv" ]; then
    "$bench" list >"$out/problems.part"
    mv "$out/problems.part" "$out/problems.csv"
fi
list=$out/problems.csv
if [ -n "$quick" ] && [ "${TVGP_TESTS:-}" != all ]; then
    list=$out/families.csv
    awk -F, 'NR == 1 || ($3 == "middle" && !seen[$1]++)' "$out/problems.csv" >"$list"
fi
if [ -n "$quick" ]; then quick_jobs; else jobs; fi >"$out/jobs.part"
if [ -n "$plan" ]; then
    cat "$out/jobs.part"
    exit 0
fi
mv "$out/jobs.part" "$out/jobs.txt"
if [ -n "$runs" ]; then echo "$runs runs of every cell"; else echo "$minutes minutes of processor"; fi >"$out/budget.txt"
now=$(grep '^decisions' tests/golden/decisions)
[ -s "$out/decisions.txt" ] || echo "$now" >"$out/decisions.txt"
[ "$now" = "$(cat "$out/decisions.txt")" ] || { echo "$out has runs of other decisions: remove it" >&2; exit 1; }
echo "$(wc -l <"$out/jobs.txt") jobs, $processes processes"
BENCH=$bench OUT=$out xargs -P "$processes" -L 1 sh -c '
    name=$1; shift
    [ ! -s "$OUT/cells/$name.csv" ] || exit 0
    "$BENCH" "$@" >"$OUT/cells/$name.part" 2>"$OUT/cells/$name.log" || { echo "$name: $(tail -n 1 "$OUT/cells/$name.log")" >&2; exit 1; }
    rm -f "$OUT/cells/$name.log"
    times >"$OUT/cells/$name.times" # not in a pipe, whose shell has no children
    echo "$name $(tail -n 1 "$OUT/cells/$name.times")" >>"$OUT/seconds.txt"
    rm "$OUT/cells/$name.times"
    mv "$OUT/cells/$name.part" "$OUT/cells/$name.csv"' sh <"$out/jobs.txt"

if [ -n "$quick" ]; then
    python3 -B bench/zoo.py "$out" "$out"
else
    python3 -B bench/zoo.py "$out" docs/benchmarks/suite
    echo "docs/benchmarks/suite is written."
fi
