#!/bin/sh
# SPDX-License-Identifier: MIT
# Hyper-parameters by maximum likelihood with libtvgp and with scikit-learn: same data, start and bounds, in turn, in one run.
# Prints CPU times, their ratio, by how much libtvgp's log evidence is higher, and the time of value and gradient over dpotrf and
# dpotri.
#
# usage: sh bench/compare_fit.sh [build directory]; without it, builds in build/release.
# Installs python3-sklearn when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# OPENBLAS_NUM_THREADS (1).
package=sklearn
. "$(dirname "$0")/compare_setup.sh"

"$build/bench/bench_fit" "$work" >"$work/tvgp.csv"
echo "n,d,libtvgp_seconds,sklearn_seconds,ratio,evidence_above_sklearn,gradient_over_lapack"
tail -n +2 "$work/tvgp.csv" | while IFS=, read -r n d seconds evidence gradient; do
    "$python" bench/sklearn_fit.py "$work" "$n" "$d" |
        awk -v n="$n" -v d="$d" -v s="$seconds" -v e="$evidence" -v g="$gradient" \
            '{ printf "%d,%d,%.5f,%.5f,%.1f,%.6f,%.2f\n", n, d, s, $1, $1 / s, e - $2, g }'
done
