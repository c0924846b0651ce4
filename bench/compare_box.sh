#!/bin/sh
# SPDX-License-Identifier: MIT
# GP-UCB on a box: libtvgp, told its kernel and told nothing, beside numpy and scipy's L-BFGS-B from 20 of 512 random points, with
# the same first points, kernel and width, in turn, in one run; then how often searches miss, beside NLopt's where bench_box was
# built with it. Prints simple regret, its standard error and CPU seconds of a run; dimension, misses and milliseconds.
#
# usage: sh bench/compare_box.sh [build directory]; without it, builds in build/release.
# Installs python3-scipy when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# OPENBLAS_NUM_THREADS (1), RUNS (3), PROBLEMS (60).
package=scipy
. "$(dirname "$0")/compare_setup.sh"

echo "function,who,steps,regret,standard_error,seconds"
for function in branin:60 hartmann6:100; do
    name=${function%:*} steps=${function#*:}
    "$build/bench/bench_box" play "$name" "$steps" gp-ucb "${RUNS:-3}"
    "$build/bench/bench_box" play "$name" "$steps" gp-ucb "${RUNS:-3}" learn
    "$build/bench/bench_box" starts "$name" "${RUNS:-3}" | "$python" bench/scipy_box.py "$name" "$steps"
done
echo "dimension,who,missed_1e-6,missed_1e-2,milliseconds"
for dimension in 1 2 3 4 6 10; do
    "$build/bench/bench_box" search "$dimension" "${PROBLEMS:-60}"
done
