#!/bin/sh
# SPDX-License-Identifier: MIT
# The library, the bare BLAS calls of the plain way and scikit-learn on the same works (bench_speed, sklearn_speed.py), in
# turn, in one run. Prints CSV for docs/benchmarks/performance.md: processor seconds, minima and medians. scikit-learn does w1b and w3 at
# four steps only, from which the time of the run is computed, and each work once.
#
# usage: sh bench/compare_speed.sh [build directory]; without it, builds in build/release.
# Installs python3-sklearn when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# REPEATS (5), WORKS (w1a w1b w2 w3 w7 w8), OPENBLAS_NUM_THREADS (1).
package=sklearn
. "$(dirname "$0")/compare_setup.sh"

# minimum and median of column $2 of file $1
least_and_median() { sort -g -k"$2","$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { printf "%.4g,%.4g", v[1], v[int(NR / 2) + 1] }'; }

echo "work,libtvgp,libtvgp_median,calls,calls_median,sklearn,compared"
for name in ${WORKS:-w1a w1b w2 w3 w7 w8}; do
    case $name in
    w1b) steps="100 400 700 1000" ;;
    w3) steps="1 100 1000 2000" ;;
    *) steps= ;;
    esac
    "$build/bench/bench_speed" "$name" "$work" "${REPEATS:-5}" >"$work/$name"
    peer= compared=
    if [ "$name" != w7 ]; then
        # shellcheck disable=SC2086
        set -- $("$python" bench/sklearn_speed.py "$name" "$work" $steps)
        peer=$1
        compared="$3 of $2 equal"
        [ "$name" != w8 ] || compared="apart by at most $3"
    fi
    echo "$name,$(least_and_median "$work/$name" 1),$(least_and_median "$work/$name" 2),$peer,$compared"
done
