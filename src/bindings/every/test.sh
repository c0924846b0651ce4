#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh BUILD [CC]: plays the game of calls.py in every language whose tool is installed. All must print the same, bit by bit, and
# all must have called every function of the library, which the table of docs/reference/functions.md says.
set -eu
build=$(cd "$1" && pwd) cc=${2:-cc}
here=$(cd "$(dirname "$0")" && pwd)
bindings=$here/.. root=$here/../../..
abi=$build/tvgp.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The library that counts stands before the real one.
mkdir "$work/lib"
python3 -B "$here/every.py" "$abi" counting >"$work/counting.c"
soname=$(python3 -c "import json, sys; print(json.load(open(sys.argv[1]))['soname'])" "$abi")
"$cc" -shared -fPIC -O1 -I "$root/include" "$work/counting.c" -Wl,-soname,"$soname" -o "$work/lib/$soname" -ldl
ln -s "$soname" "$work/lib/libtvgp.so"
cp -R "$abi" "$build/bindings" "$work/lib"
export TVGP_REAL="$build/libtvgp.so" TVGP_LIBRARY="$work/lib/libtvgp.so" TVGP_LIB_DIR="$work/lib" LD_LIBRARY_PATH="$work/lib"

played=
play() { # language, then the command
    language=$1
    shift
    TVGP_CALLED="$work/$language.called" "$@" >"$work/$language.out"
    [ "$(wc -l <"$work/$language.out")" -gt 200 ]
    if [ -n "$played" ]; then
        diff "$work/python.out" "$work/$language.out" || { echo "$language does not print what python prints" && exit 1; }
    fi
    played="$played $language"
}
say() {
    python3 -B "$here/every.py" "$abi" "$1" >"$2"
}

say python "$work/every.py"
PYTHONPATH="$bindings/python" play python python3 -B "$work/every.py"
if command -v "${CXX:-c++}" >/dev/null; then
    say cpp "$work/every.cpp"
    "${CXX:-c++}" -std=c++11 -Wall -Wextra -Wpedantic -Wno-unused-variable -Werror -I "$root/include" -I "$bindings/cpp" -I "$build/bindings/cpp" -I "$here" "$work/every.cpp" \
        -L "$work/lib" -ltvgp -o "$work/every"
    play cpp "$work/every"
fi
export NODE_PATH="${NODE_PATH:-}:$root/build/npm/node_modules:/usr/share/nodejs:/usr/lib/node_modules"
if command -v node >/dev/null && node -e "require('koffi')" 2>/dev/null; then
    say node "$work/every.js"
    TVGP_PACKAGE="$bindings/node" play node node "$work/every.js"
fi
if command -v luajit >/dev/null; then
    say lua "$work/every.lua"
    LUA_PATH="$bindings/lua/?.lua;$bindings/lua/?/init.lua;$build/bindings/lua/?.lua" play lua luajit "$work/every.lua"
fi
if command -v cargo >/dev/null; then
    mkdir -p "$work/crate/src"
    printf '[package]\nname = "every"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\ntvgp = { path = "%s" }\n' \
        "$(cd "$bindings/rust/tvgp" && pwd)" >"$work/crate/Cargo.toml"
    say rust "$work/crate/src/main.rs"
    (cd "$work/crate" && RUSTFLAGS=-Awarnings cargo build --offline --quiet --target-dir "$work/cargo")
    play rust "$work/cargo/debug/every"
fi
python3 -B "$here/every.py" "$abi" table "$work" "$root/docs/reference/functions.md" "${TABLE:-}"
echo "the same $(wc -l <"$work/python.out") lines in:$played"
