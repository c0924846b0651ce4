#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh [--write]: the binary interface is that of tests/abi/tvgp-1.0.abi, additions apart, and the check would notice: a
# changed member of tvgp_obs and a changed parameter type are both refused. --write writes the dump (docs/project/compatibility.md says
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
        cmake -S "$1" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DTVGP_BLAS=none -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF \
            -DTVGP_BUILD_BENCH=OFF
        cmake --build "$build" -j "$(nproc 2>/dev/null || echo 2)" --target tvgp
    } >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
    echo "$build/libtvgp.so"
}

write() { # source tree, library, file: what is public of it
    abidw --exported-interfaces-only --headers-dir "$1/include" --drop-private-types --no-corpus-path --no-comp-dir-path \
        --no-show-locs "$2" >"$3"
}

same() { # source tree, library
    write "$1" "$2" "$work/abi"
    abidiff --no-added-syms "$dump" "$work/abi" >"$work/report"
}

mkdir "$work/now" && cp -r CMakeLists.txt LICENSE README.md docs examples include src tests bench "$work/now"
now=$(library "$work/now")
if [ "${1:-}" = --write ]; then
    write "$work/now" "$now" "$dump"
    exit 0
fi
same "$work/now" "$now" || {
    cat "$work/report"
    exit 1
}

changed() { # name, sed script, files: the same tree with one change is refused
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
    other=$(library "$work/$name")
    if same "$work/$name" "$other"; then
        echo "abi.sh: the change '$name' was not noticed"
        exit 1
    fi
}
changed member 's/^    int32_t outcome; /    int64_t outcome; /' include/tvgp/types.h
changed parameter 's/tvgp_policy_best(tvgp_policy \*policy, double t/tvgp_policy_best(tvgp_policy *policy, float t/' \
    include/tvgp/policy.h src/api/api_policy.c
