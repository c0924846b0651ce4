# SPDX-License-Identifier: MIT
# Read by the comparisons with Python, after they have set `package` (sklearn, numpy): goes to the top of the project, installs
# the package when it is missing (Debian and Ubuntu, as root), builds the benchmarks unless a build directory was given, and
# leaves $python, $build and an empty directory $work.
set -eu
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
build=${1:-}
[ -z "$build" ] || build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}

if ! "$python" -c "import $package" 2>/dev/null; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "$python has no $package (Debian: apt-get install python3-$package; elsewhere set PYTHON)" >&2
        exit 1
    fi
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -qq -y "python3-$package" >/dev/null
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
