#!/bin/sh
# SPDX-License-Identifier: MIT
# The library, the bare BLAS calls of the plain way and scikit-learn on the same works (bench_speed, sklearn_speed.py), in
# turn, in one run; and k-DPP swaps beside plain forms of the chain. Prints the table of docs/benchmarks/performance.md: processor
# seconds, minima with medians in brackets, and ratios of the minima. scikit-learn does w1b and w3 at four steps only, from
# which the time of the run is reckoned, and each work once.
#
# usage: sh bench/compare_speed.sh [build directory]; without it, builds in build/release.
# Installs python3-sklearn when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# REPEATS (5), WORKS (w1a w1b w2 w3 w7 w8), OPENBLAS_NUM_THREADS (1).
package=sklearn
. "$(dirname "$0")/compare_setup.sh"

# minimum (median) of column $2 of file $1, and the minimum alone
least() { sort -g -k"$2","$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[1] }'; }
summary() { sort -g -k"$2","$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { printf "%.4g (%.4g)", v[1], v[int(NR / 2) + 1] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g", a / b }'; }

core=$(OPENBLAS_VERBOSE=2 "$build/bench/bench_speed" w7 2>&1 | sed -n 's/^Core: //p')
echo "OPENBLAS_NUM_THREADS=$OPENBLAS_NUM_THREADS, core type ${core:-unknown}, scikit-learn $("$python" -c 'import sklearn; print(sklearn.__version__)')"
echo
echo "| work | libtvgp s | calls s | to the calls | scikit-learn s | libtvgp is faster by | choices compared |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for name in ${WORKS:-w1a w1b w2 w3 w7 w8}; do
    case $name in
    w1b) steps="100 400 700 1000" ;;
    w3) steps="1 100 1000 2000" ;;
    *) steps= ;;
    esac
    "$build/bench/bench_speed" "$name" "$work" "${REPEATS:-5}" >"$work/$name"
    library=$(least "$work/$name" 1)
    peer="-" faster="-" compared="-"
    if [ "$name" != w7 ]; then
        # shellcheck disable=SC2086
        set -- $("$python" bench/sklearn_speed.py "$name" "$work" $steps)
        peer=$1 faster=$(ratio "$1" "$library")
        compared="$3 of $2 equal"
        [ "$name" != w8 ] || compared="$2, apart by at most $3"
    fi
    echo "| $name | $(summary "$work/$name" 1) | $(summary "$work/$name" 2) | $(ratio "$library" "$(least "$work/$name" 2)") | $peer | $faster | $compared |"
done
echo
"$build/bench/bench_kdpp" 2000 50 10000 "${REPEATS:-5}"
