#!/bin/sh
# SPDX-License-Identifier: MIT
# GP-UCB with libtvgp and with scikit-learn's GaussianProcessRegressor (refitted at each step) on the same problem, in turn,
# in one run: 1000 arms, 500 steps. Prints both times, their ratio, whether the decisions agree, and the rates of the BLAS.
#
# usage: sh bench/compare_sklearn.sh [build directory]; without it, builds in build/release.
# Installs python3-sklearn when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# REPEATS (3), OPENBLAS_NUM_THREADS (1).
package=sklearn
. "$(dirname "$0")/compare_setup.sh"

repeat=0
while [ "$repeat" -lt "${REPEATS:-3}" ]; do
    "$build/bench/bench_trace" "$work" >>"$work/tvgp.seconds"
    "$python" bench/sklearn_gp.py "$work" >>"$work/sklearn.seconds"
    repeat=$((repeat + 1))
done

# minimum and median of a file of numbers
summary() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[1], v[int(NR / 2) + 1] }'; }

echo "GP-UCB, 1000 arms, 500 steps, OPENBLAS_NUM_THREADS=$OPENBLAS_NUM_THREADS, scikit-learn $("$python" -c 'import sklearn; print(sklearn.__version__)')"
echo "$(summary "$work/tvgp.seconds") $(summary "$work/sklearn.seconds")" | awk '{
    printf "libtvgp       %.4f s (median %.4f)\n", $1, $2
    printf "scikit-learn  %.4f s (median %.4f)\n", $3, $4
    printf "ratio         %.0f (medians %.0f)\n", $3 / $1, $4 / $2 }'
paste -d' ' "$work/tvgp.csv" "$work/sklearn.csv" | awk '
    $1 != $2 && !first { first = NR }
    END { if (first) print "decisions     differ from step " first " of " NR; else print "decisions     agree in all " NR " steps" }'
"$build/bench/bench_limits"
