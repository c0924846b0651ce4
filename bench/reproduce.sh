#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every experiment of the papers that can be run again and the experiments of the library, and writes the pages of their results.
#
# usage: sh bench/reproduce.sh [--quick] [BUILD]   (BUILD: build/release, built where it is not)
#
# Several processes side by side (PROCESSES, default: as many as there are cores), a line of progress for each step, three hours of
# one core. Finished jobs stay in build/reproduce, and the next call continues with the others. The same seeds give the same
# digits. Each result is copied to docs/benchmarks/data with a stamp (bench/stamp.py). --quick: few runs of each, into build/reproduce-quick, to see
# that all works; nothing is written to docs. Data that is not free to come with the library is taken from TVGP_DATA_DIR (default
# ../shared/data); without it those lines are left out.
set -eu
cd "$(dirname "$0")/.."
quick=
[ "${1:-}" = --quick ] && quick=yes && shift
build=${1:-build/release}
processes=${PROCESSES:-$(nproc 2>/dev/null || echo 2)}
export OPENBLAS_NUM_THREADS=1 TVGP_DATA_DIR="${TVGP_DATA_DIR:-../shared/data}"
out=build/reproduce${quick:+-quick}
mkdir -p "$out"

if [ ! -x "$build/bench/bench_experiments" ]; then
    echo "Building .."
    {
        cmake --preset release -B "$build" -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=ON -DTVGP_BUILD_BENCH=ON
        cmake --build "$build" -j "$processes"
    } >"$out/build.log" 2>&1
fi

step=0
steps=$(($(grep -c '^\(runs\|play\|replay\) ' "$0") + 5))
start=$(date +%s)
job() { # name, command that prints CSV
    name=$1
    shift
    step=$((step + 1))
    if [ -s "$out/$name.csv" ]; then
        echo "[$step of $steps] $name: there already"
        return
    fi
    echo "[$step of $steps] $name .. ($((($(date +%s) - start) / 60)) min)"
    before=$(date +%s)
    if python3 -B bench/stamp.py "$@" >"$out/$name.part" 2>"$out/$name.log"; then
        mv "$out/$name.part" "$out/$name.csv"
        [ -n "$quick" ] || cp "$out/$name.csv" "$into/$name.csv"
        echo "$name,$(($(date +%s) - before))" >>"$out/seconds.txt"
    else
        echo "    left out: $(tail -n 1 "$out/$name.log")"
    fi
}
runs() { # name, runs, arguments of bench_experiments
    name=$1 n=$2
    shift 2
    [ -z "$quick" ] || n=3
    job "$name" "$build/bench/bench_experiments" "$@" --runs "$n" --processes "$processes"
}
play() { # name, arguments of bench_experiments: one run is all there is
    name=$1
    shift
    job "$name" "$build/bench/bench_experiments" "$@"
}
replay() { # name, file, rows to train on
    name=$1 file=$2
    [ -f "$file" ] || file=$TVGP_DATA_DIR/$file
    job "$name" "$build/examples/sensor_replay" --data "$file" --train "$3" --csv
}

# The papers: docs/benchmarks/paper-results.md
into=docs/benchmarks/data/papers
mkdir -p "$into"

# E1: within the policies' own model
runs within-0.01 100 within-model --epsilon 0.01 --policy tv-gp-ucb --policy "et-gp-ucb trigger.delta=0.005" --policy "et-gp-ucb trigger.delta=0.01" --policy "et-gp-ucb trigger.delta=0.05" --policy "et-gp-ucb trigger.delta=0.1" --policy "et-gp-ucb trigger.delta=0.5" --policy r-gp-ucb --policy gp-ucb --policy random
runs within-0.03 100 within-model --epsilon 0.03 --policy tv-gp-ucb --policy "et-gp-ucb trigger.delta=0.005" --policy "et-gp-ucb trigger.delta=0.01" --policy "et-gp-ucb trigger.delta=0.05" --policy "et-gp-ucb trigger.delta=0.1" --policy "et-gp-ucb trigger.delta=0.5" --policy r-gp-ucb --policy gp-ucb --policy random
runs within-0.05 100 within-model --epsilon 0.05 --policy tv-gp-ucb --policy "et-gp-ucb trigger.delta=0.005" --policy "et-gp-ucb trigger.delta=0.01" --policy "et-gp-ucb trigger.delta=0.05" --policy "et-gp-ucb trigger.delta=0.1" --policy "et-gp-ucb trigger.delta=0.5" --policy r-gp-ucb --policy gp-ucb --policy random
runs misspecified 100 misspecified
runs first-reset-0.03 30000 first-reset --epsilon 0.03
runs first-reset-0.1 30000 first-reset --epsilon 0.1

# E2, E3: an expert to ask
runs sparq 40 sparq
runs wsparq 30 wsparq --policy "sparq-gp-ucb side.round_exponent=1 kdpp.steps=20" --policy "w-sparq-gp-ucb side.round_exponent=1 alpha=2 kdpp.steps=20" --policy "w-sparq-gp-ucb side.round_exponent=1 alpha=1 kdpp.steps=20" --policy "w-sparq-gp-ucb side.round_exponent=1 alpha=0.5 kdpp.steps=20" --policy gp-ucb --policy "sw-gp-ucb window=55" --policy "tv-gp-ucb epsilon=0.01" --policy "tv-gp-ucb epsilon=0.03" --policy "r-gp-ucb reset.every=55" --policy "r-gp-ucb reset.every=22" --policy "w-gp-ucb decay=0.984" --policy random
runs ozone-expert 20 ozone-expert
runs anomalies-expert 20 anomalies-expert

# E4: an unknown prior
runs hills-100 200 hills --steps 100
runs hills-250 200 hills --steps 250
runs hills-short 200 hills --steps 100 --lengthscale 0.1

# E5: sensors
play sensors-others sensors --policy "sw-gp-ucb window=15 width.schedule=log" --policy "w-gp-ucb decay=0.97 width.schedule=log" --policy ui-gp-ucb --policy et-gp-ucb --policy tv-gp-ucb --policy r-gp-ucb --policy gp-ucb
play sensors-c2-4 sensors --set width.c2=4 --policy "sw-gp-ucb window=15 width.schedule=log" --policy "w-gp-ucb decay=0.97 width.schedule=log" --policy ui-gp-ucb --policy et-gp-ucb --policy tv-gp-ucb --policy r-gp-ucb --policy gp-ucb
runs sensors-prior 30 sensors-prior --added 0.01 --set width.schedule=log

# E6: many arms
play starvation starvation
runs bkb-bounds 20 bkb-bounds
runs bkb 10 bkb --arms 1000 --steps 500 --set width.schedule=log

# Deng's problems
runs abrupt 100 abrupt
runs slow 100 slow

# The library: docs/benchmarks/experiments.md
into=docs/benchmarks/data
replay recorded-grid examples/data/grid_demand.csv 504
replay recorded-sensors intel_temp_8day_46.csv 864
replay recorded-ozone examples/data/ozone_nyc_2015.csv 182
replay recorded-countries berkeley_europe_anom.csv 300
replay recorded-stocks stocks_us48.csv 400
replay recorded-traffic traffic_pemsd7_25.csv 2016
runs history 9 history
runs switching-slow 20 moves --epsilon .003
runs switching-fast 20 moves
runs fleet 20 fleet
runs constraints 8 limits
for scene in 1 2 3 13; do # eps 0.001, 0.01, 0.03, shocks
    runs robust-$scene 24 auto --scene $scene --side 12 --policy auto-gp-ucb --policy "auto-gp-ucb model.assume_misspecified=1"
done
runs robust-offset 24 auto --scene 2 --offset 5 --side 12 --policy auto-gp-ucb --policy "auto-gp-ucb model.assume_misspecified=1"
runs robust-unit 24 auto --scene 2 --unit 5 --side 12 --policy auto-gp-ucb --policy "auto-gp-ucb model.assume_misspecified=1"
runs defaults-tables 9 defaults --only 0
runs defaults-stocks 9 defaults --only 1
runs defaults-problems 9 defaults --only 3
runs defaults-cells 9 defaults --only 4
runs defaults-long 4 defaults --only 7
play season season
runs server 12 server
runs candidates 20 candidates
runs learn 20 learn
runs auto 20 auto
runs real 20 real
runs box 10 box
runs noisy 10 noisy
export PYTHONPATH=src/bindings/python TVGP_LIBRARY="$build/libtvgp.so"
[ -n "$quick" ] || job tune-programs python3 -B examples/tune_programs.py

if [ -n "$quick" ]; then
    python3 -B bench/results.py "$out"
    exit
fi
python3 -B bench/papers_more.py "$build"
python3 -B tests/page_numbers.py write
if command -v gnuplot >/dev/null; then
    sh docs/figures/make.sh "$build" docs/figures
fi
