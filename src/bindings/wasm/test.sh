#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh BUILD: the npm package without native parts. Builds tvgp.wasm, packs it, and plays from the unpacked package what the other
# bindings play: its tests, the tutorial, the game of every function, and 1000 decisions of every policy; the same in a headless browser,
# and the live page, looked at from afar. Exits with 77 and a line where emscripten or node is not installed; without chromium the
# browser is left out, with a line.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
log=$root/examples/data/prices.csv
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
[ "${TVGP_TESTS:-}" = all ] || { echo "skipped: runs by night (TVGP_TESTS=all), as it builds the library twice" && exit 77; }
for tool in emcmake node npm; do
    command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed" && exit 77; }
done

cd "$root"
emcmake cmake --preset wasm >"$work/log" 2>&1 && cmake --build --preset wasm -j "$(nproc)" >>"$work/log" 2>&1 || { tail -20 "$work/log" && exit 1; }
wasm=$root/build/wasm
cp -R src/bindings/node "$work/source" && cp LICENSE "$work/source"
(cd "$work/source" && TVGP_WASM="$wasm/tvgp.wasm" npm pack --silent --offline >/dev/null && mkdir "$work/unpacked" &&
    tar -xzf tvgp-*.tgz -C "$work/unpacked")
package=$work/unpacked/package
echo "packed: $(cat "$work/source"/tvgp-*.tgz | wc -c) bytes; tvgp.wasm $(wc -c <"$package/tvgp.wasm"), gzipped $(gzip -9c "$package/tvgp.wasm" | wc -c)"
unset TVGP_LIBRARY || true

cp src/bindings/node/test.js "$package"
node "$package/test.js"
python3 -B tests/guide.py extract docs/start/tutorial.md python >"$work/tutorial.py"
native() {
    TVGP_LIBRARY="$build/libtvgp.so" PYTHONPATH="$root/src/bindings/python" python3 -B "$@" 2>/dev/null
}
native "$work/tutorial.py" "$log" >"$work/wanted"
node "$package/tutorial.js" "$log" | diff "$work/wanted" -
echo "the tutorial prints the same decisions"

# Every function: the same but for the last bits, as the mathematical functions of another C library give them.
every=src/bindings/every
python3 -B $every/every.py "$wasm/tvgp.json" python >"$work/every.py"
python3 -B $every/every.py "$wasm/tvgp.json" node >"$work/every.js"
# tvgp_prediction has pointers, so its size differs.
native "$work/every.py" | grep -v '^value.*struct_size ' >"$work/every.wanted"
TVGP_PACKAGE="$package" node "$work/every.js" | grep -v '^value.*struct_size ' >"$work/every.out"
python3 -B "$here/close.py" "$work/every.wanted" "$work/every.out"

# 1000 decisions of every policy: those of the library in BUILD, and, with the state that they lead to, to the last bit those of a library
# without BLAS whose exp, log, pow, sin and cos are the C ones that WebAssembly has too (glibc has them beside its own for processors
# with FMA; elsewhere than on x86-64 there is no choice).
TVGP_PACKAGE="$package" node "$here/decisions.js" 1000 >"$work/decisions"
native "$here/decisions.py" ties "$work/decisions"
if [ "$(uname -m)" = x86_64 ]; then
    cmake --preset release -B build/plain -DTVGP_WERROR=ON -DTVGP_BLAS=none >"$work/log" && cmake --build build/plain -j "$(nproc)" --target library tvgp_json >>"$work/log" ||
        { tail -20 "$work/log" && exit 1; }
    (build=$root/build/plain && export GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2 && native "$here/decisions.py" bits "$work/decisions")
fi

mkdir "$work/snapshots"
native "$here/relay.py" "$work/snapshots" >"$work/relay.wanted"
TVGP_PACKAGE="$package" node "$here/relay.js" "$work/snapshots" | diff "$work/relay.wanted" -
echo "snapshots of the shared library go on alike"

browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || { echo "without a browser: chromium is not installed" && exit 0; }
sh docs/live/make.sh "$wasm" "$work/site"
cp "$here/decisions.js" "$here/decisions.html" "$work/site"
python3 -B "$here/serve.py" "$work/site" >"$work/port" &
server=$!
while [ ! -s "$work/port" ]; do sleep 0.1; done
address=http://127.0.0.1:$(cat "$work/port")
visit() { # page, then options
    page=$1
    shift
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=1000000 \
        --window-size=800,1100 "$@" "$address/$page" 2>/dev/null
}
visit "decisions.html?steps=1000" --dump-dom >"$work/dom"
python3 -B "$here/close.py" "$work/decisions" "$work/dom"
visit "index.html?steps=300" --dump-dom >"$work/live"
visit "index.html?steps=300" --screenshot="$work/live.png" >/dev/null
python3 -B "$here/look.py" "$work/live" "$work/live.png"
