#!/bin/sh
# SPDX-License-Identifier: MIT
# GP-UCB with libtvgp and with scikit-learn's GaussianProcessRegressor (refitted at each step) on the same problem, in turn,
# in one run: 1000 arms, 500 steps. Prints both times, their ratio, whether the decisions agree, and the rates of the BLAS.
#
# usage: sh bench/compare_sklearn.sh [build directory]; without it, builds in build/release.
# Installs python3-sklearn when it is missing (Debian and Ubuntu, as root). From the environment: PYTHON (/usr/bin/python3),
# REPEATS (3), OPENBLAS_NUM_THREADS (1).
set -eu
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
build=${1:-}
[ -z "$build" ] || build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import sklearn' 2>/dev/null; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "$python has no scikit-learn (Debian: apt-get install python3-sklearn; elsewhere set PYTHON)" >&2
        exit 1
    fi
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -qq -y python3-sklearn >/dev/null
fi
if [ -z "$build" ]; then
    build=build/release
    sh .ci/deps.sh
    {
        cmake --preset release -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=ON
        cmake --build "$build" -j "$(nproc 2>/dev/null || echo 2)"
    } >&2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
