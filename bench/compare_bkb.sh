#!/bin/sh
# SPDX-License-Identifier: MIT
# bkb by libtvgp and by the published algorithm in plain numpy (plain_bkb.py) on the same arms, function, noise and draws, in
# turn, in one run: 10,000 arms, 2000 steps. Prints processor seconds (the least of the repetitions), how often they go into
# those of numpy, regret, the size of the last dictionary, whether numpy decides as the library does when both draw at every
# step, and the rates of the BLAS.
#
# usage: sh bench/compare_bkb.sh [build directory]; without it, builds in build/release.
# Installs python3-numpy when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# REPEATS (1), ARMS (10000), STEPS (2000), OPENBLAS_NUM_THREADS (1), and what else OpenBLAS reads, for both sides.
package=numpy
. "$(dirname "$0")/compare_setup.sh"

repeat=0
while [ "$repeat" -lt "${REPEATS:-1}" ]; do
    "$build/bench/bench_bkb_trace" "$work" "${ARMS:-10000}" "${STEPS:-2000}" >>"$work/lines"
    "$python" bench/plain_bkb.py "$work" >>"$work/lines"
    repeat=$((repeat + 1))
done

echo "bkb, ${ARMS:-10000} arms, ${STEPS:-2000} steps, qbar 2, OPENBLAS_NUM_THREADS=$OPENBLAS_NUM_THREADS OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-}, numpy $("$python" -c 'import numpy; print(numpy.__version__)')"
sort -g -k2,2 "$work/lines" | awk '
    !($1 in seconds) { seconds[$1] = $2; regret[$1] = $3; size[$1] = $4; name[++n] = $1 }
    END {
        print "                 seconds  ratio  regret  dictionary"
        for (i = 1; i <= n; i++)
            printf "%-16s %7.2f %6.1f %7d %11d\n", name[i], seconds[name[i]], seconds["numpy"] / seconds[name[i]], regret[name[i]], size[name[i]] }'
paste -d' ' "$work/tvgp.csv" "$work/plain.csv" | awk '
    $1 != $2 && !first { first = NR }
    END { if (first) print "decisions differ from step " first " of " NR; else print "decisions agree in all " NR " steps" }'
"$build/bench/bench_limits"
