#!/bin/sh
# SPDX-License-Identifier: MIT
# GP-UCB on a box: libtvgp, with the true kernel and with default settings, next to numpy and scipy's L-BFGS-B from 20 of 512 random points, with
# the same first points, kernel and width, in turn, in one run, and NLopt's multistart where the benchmarks were built with it; then
# how often searches miss. Prints CPU milliseconds of a step, simple regret and its standard error; dimension, misses and milliseconds.
#
# usage: sh bench/compare_box.sh [build directory]; without it, builds in build/release.
# Installs python3-scipy when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# OPENBLAS_NUM_THREADS (1), RUNS (3), PROBLEMS (60).
package=scipy
. "$(dirname "$0")/compare_setup.sh"

echo "scene,who,parameters,runs,ms,least,least_error"
for scene in branin:0:60 hartmann6:2:100; do
    name=${scene%%:*} steps=${scene##*:} number=${scene#*:}
    for nlopt in 0 1; do # the second fails where it was built without
        "$build/bench/bench_experiments" box --policy gp-ucb --runs "${RUNS:-3}" --scene "${number%:*}" --nlopt "$nlopt" |
            tail -n +2 | cut -d, -f1-7
    done
    "$build/bench/bench_box" given "$name" "${RUNS:-3}" | "$python" bench/scipy_box.py "$name" "$steps"
done
echo "dimension,who,missed_1e-6,missed_1e-2,milliseconds"
for dimension in 1 2 3 4 6 10; do
    "$build/bench/bench_box" search "$dimension" "${PROBLEMS:-60}"
done
