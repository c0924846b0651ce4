#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh [--write]: the binary interface agrees with tests/abi/tvgp-1.0.abi except for additions, and the check would notice others:
# an added function is reported as compatible, a changed member of tvgp_obs and a changed parameter type as incompatible. --write writes the dump (docs/project/compatibility.md says
# when that is allowed). Needs abidw and abidiff (Debian: abigail-tools); says so and passes where they are not installed.
set -eu
cd "$(dirname "$0")/../.."
dump=tests/abi/tvgp-1.0.abi
if ! command -v abidw >/dev/null; then
    echo "abi.sh: abigail-tools are not installed, nothing is compared"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

library() { # source tree: builds its shared library with debug information and prints where it is
    build=$work/build-$(basename "$1")
    {
        cmake -G "Unix Makefiles" -S "$1" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DTVGP_BLAS=none -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF \
            -DTVGP_BUILD_BENCH=OFF
        cmake --build "$build" -j "$(nproc 2>/dev/null || echo 2)" --target library
    } >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
    echo "$build/libtvgp.so"
}

write() { # source tree, library, file: what is public of it
    abidw --exported-interfaces-only --headers-dir "$1/include" --drop-private-types --no-corpus-path --no-comp-dir-path \
        --no-show-locs "$2" | sed "s#path='[^']*/src/#path='src/#" >"$3"
}

same() { # source tree, library
    write "$1" "$2" "$work/abi"
    abidiff --no-added-syms "$dump" "$work/abi" >"$work/report"
}

mkdir "$work/now" && cp -r CMakeLists.txt LICENSE README.md docs examples include src tests bench "$work/now"
now=$(library "$work/now")
if [ "${1:-}" = --write ]; then
    write "$work/now" "$now" "$work/abi"
    mv "$work/abi" "$dump"
    exit 0
fi
same "$work/now" "$now" || {
    cat "$work/report"
    exit 1
}

other() { # name, sed script, files: a copy of the tree with one change
    name=$1 script=$2
    shift 2
    cp -r "$work/now" "$work/$name"
    for file in "$@"; do
        sed -i "$script" "$work/$name/$file"
        if cmp -s "$work/now/$file" "$work/$name/$file"; then
            echo "abi.sh: the change '$name' changes nothing in $file"
            exit 1
        fi
    done
    changed=$(library "$work/$name")
}

refused() {
    other "$@"
    if same "$work/$1" "$changed"; then
        echo "abi.sh: the change '$1' was not noticed"
        exit 1
    fi
}

other function 's/^TVGP_API tvgp_status tvgp_policy_best(/TVGP_API int tvgp_added(void);\n&/
    s/^tvgp_status tvgp_policy_best(/int tvgp_added(void) { return 0; }\n&/; s/^ *tvgp_version;/&\n    tvgp_added;/' \
    include/tvgp/predict.h src/api/api_policy.c src/package/tvgp.map
same "$work/function" "$changed" || { cat "$work/report" && exit 1; }
code=0
abidiff "$dump" "$work/abi" >"$work/report" || code=$?
if [ "$code" -ne 4 ] || ! grep -q "'function int tvgp_added()'" "$work/report"; then # 4: changed, but not incompatible (8)
    cat "$work/report"
    echo "abi.sh: an added function gives code $code of abidiff, not 4"
    exit 1
fi
refused member 's/^    int32_t outcome; /    int64_t outcome; /' include/tvgp/types.h
refused parameter 's/tvgp_policy_best(tvgp_policy \*policy, double t/tvgp_policy_best(tvgp_policy *policy, float t/' \
    include/tvgp/predict.h src/api/api_policy.c
echo "as recorded; an addition is compatible, changes are noticed"
