#!/bin/sh
# SPDX-License-Identifier: MIT
# What takes too long for every change: all combinations in the tests that loop over policies and kernels, all tests (with the
# loops of run.sh) with gcc's sanitizers and OpenBLAS, 100,000 steps on boxes in a fixed arena, valgrind and MemorySanitizer, the
# fuzz targets for a minute each, a second libc, the binary interface, and the languages that need a browser or packages from npm.
# Installs what it needs (.ci/deps.sh night). Goes on after a failure, and ends with a table of all parts on this commit.
# --part N/M runs the N-th of M pieces of the list; build/night/COMMIT keeps what each part gave, so that M pieces are one night.
set -eu
cd "$(dirname "$0")/.."
piece=1 pieces=1
case ${1:-} in
"") ;;
--part) piece=${2%/*} pieces=${2#*/} ;;
*) echo "usage: sh tests/night.sh [--part N/M]" >&2 && exit 2 ;;
esac
[ "$piece" -ge 1 ] && [ "$piece" -le "$pieces" ]
sh .ci/deps.sh tests
sh .ci/deps.sh site
sh .ci/deps.sh night
export OPENBLAS_NUM_THREADS=1
export TVGP_TESTS=all
jobs=$(nproc 2>/dev/null || echo 2)
. tests/build.sh
commit=$(git rev-parse --short=8 HEAD)$([ -z "$(git status --porcelain --untracked-files=no)" ] || echo -changed)
results=build/night/$commit
mkdir -p build/night
touch "$results"
parts=$(grep -c '^part ' "$0")
position=0
built=

# name, directories below build/ that it needs, command: runs it if it belongs to this piece. A code of 77 says that it was skipped.
part() {
    name=$1 needs=$2 code=0 position=$((position + 1)) began=$(date +%s)
    shift 2
    [ $((position * pieces)) -gt $((parts * (piece - 1))) ] && [ $((position * pieces)) -le $((parts * piece)) ] || return 0
    echo "== $name"
    for tree in $needs; do
        case " $built " in *" $tree "*) continue ;; esac
        build "$tree" "$tree" || code=1
        built="$built $tree"
    done
    [ $code -ne 0 ] || "$@" || code=$?
    case $code in
    0) said=passes ;;
    77) said=skipped ;;
    *) said=FAILS ;;
    esac
    sed -i "/^$name /d" "$results"
    echo "$name $said $(($(date +%s) - began)) s" >>"$results"
}

# Each fuzz target for a minute, from games and a seed of the day. SEED repeats an earlier run, SECONDS_EACH makes it longer
# (docs/project/contributing.md).
fuzz() {
    seed=${SEED:-$(date +%Y%m%d)}
    echo "fuzz: SEED=$seed"
    cmake --preset fuzz || return 77 # clang has no libFuzzer
    cmake --build --preset fuzz -j "$jobs" || return 1
    for target in policy snapshot restore event dump tool; do
        mkdir -p "build/fuzz/corpus_$target"
        for game in 1 2 3 4 5 6 7 8 9 10 11 12; do
            python3 -c "import random, sys; sys.stdout.buffer.write(random.Random($seed * 100 + $game).randbytes(1000))" \
                >"build/fuzz/corpus_$target/random_$game"
        done
        "build/fuzz/tests/fuzz_$target" -seed="$seed" -max_len=1200 -max_total_time="${SECONDS_EACH:-60}" -artifact_prefix=build/fuzz/ -verbosity=0 \
            "build/fuzz/corpus_$target" || return 1
    done
}

plain_and_musl() {
    build plain release -DTVGP_BLAS=none || return 1
    ctest --test-dir build/plain --output-on-failure -R '^test_(small|zoo)$' || return 1
    command -v musl-gcc >/dev/null || return 77
    sh tests/musl.sh build/plain
}

# Every combination under sanitizers takes hours, and the zoo 20 minutes.
sanitized() {
    TVGP_TESTS='' run_tests asan -E '^zoo_quick$'
}

# tvgp(1) under sanitizers. Its memory goes when it ends. The Python package uses the library of the release.
sanitized_tool() {
    ASAN_OPTIONS=detect_leaks=0 TVGP_LIBRARY=$PWD/build/release/libtvgp.so PYTHONPATH=src/bindings/python \
        python3 -B tests/test_tool.py build/asan/tvgp
}

# One build takes over the snapshots of the other, and back.
relay() {
    TVGP_RELAY=build/release/tests/test_snapshot_relay build/asan/tests/test_snapshot_relay
}

# The random games and what is close to them. The games of boxes alone: those on arms take hours.
under_valgrind() {
    command -v valgrind >/dev/null || return 77
    check="valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=1"
    for test in blas linalg gp nystrom domain acquisition policy policy_options auto priors side_queries golden_policies golden_priors \
        badinput resume fuzz fuzz_snapshot score; do
        echo "build/release/tests/test_$test"
    done | xargs -n 1 -P "$jobs" $check || return 1
    TVGP_TESTS='' CK_RUN_CASE=boxes $check build/release/tests/test_snapshot
}

# Memory that was never written, of the library and of the tests' own: without BLAS, which is not instrumented.
under_memory_sanitizer() {
    command -v clang >/dev/null || return 77
    cmake --preset msan && cmake --build --preset msan -j "$jobs" || return 1
    ls build/msan/tests/test_* | TVGP_TESTS='' xargs -n 1 -P "$jobs" sh -c '"$0" || { echo "$0 failed"; exit 1; }'
}

counts() {
    cmake --preset count && cmake --build --preset count -j "$jobs" || return 1
    python3 -B bench/count.py build/count
}

# Sets `python` to an interpreter that has a module.
python_with() {
    for python in python3 /usr/bin/python3; do
        ! "$python" -c "import $1" 2>/dev/null || return 0
    done
    return 77
}

# Numbers of the papers' experiments by the reference in NumPy: a job of each kind is computed again.
reference() {
    python_with numpy || return
    data=${TVGP_DATA_DIR:-../shared/data}/intel_temp_8day_46.csv
    "$python" -B tests/ref/constants.py --check bench/independent.csv hills-short $([ ! -f "$data" ] || echo sensors)
}

# Gaussian-process regression compared with scikit-learn.
scikit_learn() {
    python_with sklearn || return
    TVGP_LIBRARY=$PWD/build/release/libtvgp.so PYTHONPATH=src/bindings/python \
        "$python" -B -m unittest discover -s src/bindings/python/tests -p test_gp.py
}

publint() { # what the index of npm asks of a package
    command -v npm >/dev/null || return 77
    npm install --silent --prefix build/npm publint || return 77
}

# Two cells of the suite and two experiments, drawn by the date, give the stored digits.
replay() {
    python3 -B bench/replay.py build/release
}

# What a store costs, with its baseline.
stores() {
    [ -e build/release/integration/postgres/tvgp.so ] || return 77
    python3 -B bench/stores.py build/release
}

# The built site: no markup as text, keys at 390 pixels, searches.
site_as_read() {
    [ -e build/release/site/html/index.html ] || return 77
    python3 -B tests/site.py build/release
}

# Links of the pages to other sites. A site may be down, so this only warns.
external_links() {
    command -v linkchecker >/dev/null || return 77
    linkchecker --check-extern --no-robots --no-status build/release/site/html/index.html || echo "warning: see the broken links above"
}

export TVGP_NGINX_ROOT="$PWD/build/nginx/root"
part publint "" publint
part tests release run_tests release
part site_as_read release site_as_read
part external_links release external_links
part counts "" counts
part stores release stores
part replay release replay
part reference "" reference
part scikit_learn release scikit_learn
part box_memory release build/release/tests/test_box_memory 100000
part sanitized asan sanitized
part sanitized_tool "release asan" sanitized_tool
part relay "release asan" relay
part plain_and_musl "" plain_and_musl
part abi release sh tests/abi/abi.sh
part release "" sh tests/release.sh
part fuzz "" fuzz
part memory_sanitizer "" under_memory_sanitizer
part valgrind release under_valgrind

echo
for tree in $built; do
    [ ! -e "build/$tree/tests.log" ] || { python3 -B tests/skipped.py "$tree" && summary "$tree"; }
done
echo
echo "Commit $commit, $(wc -l <"$results") of $parts parts:"
cat "$results"
sed -n 's/^part \([a-z_]*\) .*/\1/p' "$0" | while read -r name; do
    grep -q "^$name " "$results" || echo "$name is left to another piece"
done
! grep -q ' FAILS ' "$results"
