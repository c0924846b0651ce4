#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh LANGUAGE BUILD [CC]: the tests of one binding, and its tutorial, which must print what the C program of
# docs/start/tutorial.md prints. Exits with 77 and a line where the language's tool is not installed.
set -eu
language=$1 build=$(cd "$2" && pwd) cc=${3:-cc}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
log=$root/examples/data/prices.csv
values=$here/every/values.txt # what callers pass, and what must happen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TVGP_LIBRARY="$build/libtvgp.so" TVGP_LIB_DIR="$build" LD_LIBRARY_PATH="$build"

skip() {
    echo "skipped: $1"
    exit 77
}
need() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

python3 -B "$root/tests/guide.py" extract "$root/docs/start/tutorial.md" c >"$work/tutorial.c"
"$cc" -I "$root/include" "$work/tutorial.c" -L "$build" -ltvgp -lm -o "$work/reference"
"$work/reference" "$log" >"$work/wanted"
[ "$(wc -w <"$work/wanted")" -ge 120 ]
same() {
    diff "$work/wanted" - && echo "the tutorial prints the same decisions"
}

case $language in
python)
    cd "$here/python"
    PYTHONPATH=. python3 -B tests/test_tvgp.py
    PYTHONPATH=. python3 -B tests/test_callers.py
    PYTHONPATH=. python3 -B tests/test_dashboard.py
    PYTHONPATH=. python3 -B ../every/values.py "$values"
    # The wheel carries the library: install it without any index, and run from elsewhere.
    python3 -B -c 'import sys, build_wheel; print(build_wheel.build_wheel(sys.argv[1]))' "$work" >"$work/name"
    python3 -m zipfile -e "$work/$(cat "$work/name")" "$work/site"
    cmp tvgp/dashboard.html "$work/site/tvgp/dashboard.html"
    python3 -B "$root/tests/guide.py" extract "$root/docs/start/tutorial.md" python >"$work/tutorial.py"
    cd "$work" && env -u TVGP_LIBRARY PYTHONPATH="$work/site" python3 -B tutorial.py "$log" | same
    if [ -f "$build/bench/libtvgp_zoo.so" ]; then # an empty environment: the wheel alone, and a policy from another library
        cat >"$work/mine.c" <<END
#define main unused_main
#include "$root/examples/own_policy.c"
tvgp_status tvgp_register(tvgp_ctx *context);
tvgp_status tvgp_register(tvgp_ctx *context) {
    return tvgp_ctx_register_policy(context, &sw_ucb, NULL, NULL);
}
END
        "$cc" -shared -fPIC -I "$root/include" "$work/mine.c" -L "$build" -ltvgp -lm -o "$work/libmine.so"
        zoo() {
            env -i PATH="$PATH" OPENBLAS_NUM_THREADS=1 PYTHONPATH="$work/site" python3 -B -m tvgp.zoo "$@"
        }
        zoo >"$work/usage" || [ $? -eq 2 ]
        grep -q '^  redrawn ' "$work/usage"
        zoo --policy ./libmine.so:sw-ucb redrawn ozone >"$work/rows"
        [ "$(awk '{ print $3 }' "$work/rows" | sort -u | tr '\n' ' ')" = "auto-gp-ucb random sw-ucb tv-gp-ucb " ]
        [ "$(grep -c ' runs  [01]\.[0-9]' "$work/rows")" = 8 ]
        rm "$work/site/tvgp/data/ozone_nyc_2015.csv" # the wheel's own data were read
        if zoo --policy random ozone 2>/dev/null; then exit 1; fi
    fi
    python3 -m pip --version >/dev/null 2>&1 || exit 0
    python3 -m pip -q install --no-index --no-deps --target "$work/pip" "$work/$(cat "$work/name")" 2>/dev/null
    env -u TVGP_LIBRARY PYTHONPATH="$work/pip" python3 -B tutorial.py "$log" | same
    ;;
cpp)
    need "${CXX:-c++}"
    for program in test:11 test:20 tutorial:11; do # std::span is there from 20 on
        "${CXX:-c++}" -std=c++"${program#*:}" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$root/include" \
            -I "$here/cpp" -I "$build/bindings/cpp" "$here/cpp/${program%:*}.cpp" -L "$build" -ltvgp -o "$work/${program%:*}"
        [ "${program%:*}" = tutorial ] || "$work/test"
    done
    "$work/tutorial" "$log" | same
    "${CXX:-c++}" -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$root/include" -I "$here/cpp" -I "$build/bindings/cpp" \
        "$here/every/values.cpp" -L "$build" -ltvgp -o "$work/values"
    "$work/values" "$values"
    ;;
lua)
    need luajit
    cd "$here/lua"
    export LUA_PATH="./?.lua;./?/init.lua;$build/bindings/lua/?.lua"
    luajit test.lua
    luajit ../every/values.lua "$values"
    luajit tutorial.lua "$log" | same
    ;;
node)
    need node
    export NODE_PATH="${NODE_PATH:-}:$root/build/npm/node_modules:/usr/share/nodejs:/usr/lib/node_modules"
    node -e "require('koffi')" 2>/dev/null || skip "koffi is not installed (npm install --prefix build/npm koffi)"
    node "$here/node/test.js"
    if node -e "require('@openfeature/server-sdk')" 2>/dev/null; then
        node "$here/node/openfeature_test.js"
        node "$here/node/openfeature_redis_test.js" "$build/integration/redis/tvgp.so" || [ $? -eq 77 ]
    else
        echo "skipped: openfeature_test.js, @openfeature/server-sdk is not installed (npm install --prefix build/npm @openfeature/server-sdk)"
    fi
    TVGP_PACKAGE="$here/node" node "$here/every/values.js" "$values"
    node "$here/node/tutorial.js" "$log" | same
    command -v npm >/dev/null || exit 0
    echo "a package without WebAssembly is not packed" # bindings_wasm packs one with it
    cp -R "$here/node" "$work/source"
    if (cd "$work/source" && rm -f tvgp.* && npm pack --foreground-scripts --offline) >"$work/packed" 2>&1; then exit 1; fi
    grep -q 'without tvgp.wasm, tvgp.mjs' "$work/packed"
    ;;
rust)
    need cargo
    cd "$here/rust"
    TVGP_VALUES="$values" cargo test --offline --quiet --target-dir "$build/cargo"
    cargo run --offline --quiet --target-dir "$build/cargo" --example tutorial -- "$log" | same
    ;;
esac
