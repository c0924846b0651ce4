#!/bin/sh
# SPDX-License-Identifier: MIT
# bare.sh ROOT: the packages in a Debian that has nothing of ours (made by `debootstrap --variant=minbase --include=gcc,g++,make,cmake,
# pkg-config,python3,python3-venv,luajit,cargo,nodejs,npm bookworm ROOT`; run as root; the network is needed for what the .deb and
# the Node package depend on).
# Builds .deb, wheel and Node package here, installs them there, builds C and C++ programs, and lets every language there is play
# the tutorial. Not a part of ctest: it needs an operating system of its own.
set -eu
[ $# -eq 1 ] && [ -x "$1/usr/bin/gcc" ] || {
    sed -n '3,7s/^# //p' "$0"
    exit 2
}
root=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
source=$PWD
build=build/bare
off="-DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=OFF"

echo "packages"
rm -rf "$build"
# shellcheck disable=SC2086 # options are words
cmake --preset release -B "$build/blas" $off >/dev/null
cmake --build "$build/blas" -j 2 >/dev/null
cmake --build "$build/blas" --target site >/dev/null 2>&1 || echo "no Doxygen or Sphinx: the site is left out"
(cd "$build/blas" && cpack >/dev/null)
# shellcheck disable=SC2086
cmake --preset release -B "$build/plain" -DTVGP_BLAS=none $off >/dev/null
cmake --build "$build/plain" -j 2 >/dev/null
there=$root/srv/tvgp
rm -rf "$there"
mkdir -p "$there/src" "$there/tests"
cp "$build"/blas/*.deb examples/tune_gzip.sh examples/data/prices.csv "$there"
cp -R tests/install "$there/tests/install"
plain=$build/plain/libtvgp.so.1.0.0
strip "$plain"
[ "$(stat -c %s "$plain")" -lt 1500000 ]
(cd src/bindings/python && TVGP_LIBRARY="$source/$plain" python3 -B -c 'import sys, build_wheel; build_wheel.build_wheel(sys.argv[1])' "$there")
if command -v npm >/dev/null; then
    cp -R src/bindings/node "$build/node"
    (cd "$build/node" && TVGP_LIBRARY="$source/$plain" npm pack --silent --pack-destination "$there" >/dev/null)
fi
cp -R src/bindings "$there/src/bindings"
python3 -B tests/guide.py extract docs/start/tutorial.md c >"$there/tutorial.c"
python3 -B tests/guide.py extract docs/start/tutorial.md python >"$there/tutorial.py"

cat >"$there/inside.sh" <<'INSIDE'
set -eu
cd /srv/tvgp
export DEBIAN_FRONTEND=noninteractive OPENBLAS_NUM_THREADS=1
apt-get -qq update
apt-get -qq install -y --no-install-recommends ./libtvgp1_*.deb ./libtvgp-dev_*.deb ./libtvgp-doc_*.deb ./tvgp_*.deb >/dev/null 2>&1
dpkg -s libtvgp1 libtvgp-dev libtvgp-doc tvgp | grep -c '^Status: install ok installed' | grep -qx 4
echo "the program: gzip, tuned by a shell script of ten lines"
for i in $(seq 40); do head -c $((9000 * i)) /bin/bash >"chunk.$i"; done
sh tune_gzip.sh gzip.tvgp chunk.* | tail -n 1
tvgp show gzip.tvgp --json | grep -q '"values":40'
echo "C by pkg-config"
cc tutorial.c $(pkg-config --cflags --libs tvgp) -lm -o tutorial
./tutorial prices.csv >wanted
tail -n 1 wanted
echo "C and C++ by CMake"
cmake -S tests/install -B consumer -DTVGP_WANTED=1.0 >/dev/null
cmake --build consumer --target shared cxx owners >/dev/null
consumer/shared 1.0.0
consumer/cxx 1.0.0
consumer/owners
cmake -S src/bindings/cpp -B cpp >/dev/null
cmake --build cpp >/dev/null
cpp/test
cpp/tutorial prices.csv | diff wanted -
echo "Python: the wheel, without the library of the system and without a compiler"
python3 -m venv venv
venv/bin/pip -q install --no-index ./tvgp-*.whl
(PATH=/nonexistent TVGP_LIBRARY= venv/bin/python tutorial.py prices.csv) | diff wanted -
if command -v luajit >/dev/null; then
    echo "Lua"
    (cd src/bindings/lua && LUA_PATH="/usr/share/tvgp/lua/?.lua;/usr/share/tvgp/lua/?/init.lua" luajit tutorial.lua ../../../prices.csv) | diff wanted -
fi
if command -v cargo >/dev/null; then
    echo "Rust"
    (cd src/bindings/rust && cargo run --offline --quiet --example tutorial -- ../../../prices.csv) | diff wanted -
fi
if command -v npm >/dev/null && ls tvgp-*.tgz >/dev/null 2>&1; then
    echo "Node"
    mkdir -p node && cd node && npm install --silent ../tvgp-*.tgz >/dev/null
    node node_modules/tvgp/tutorial.js ../prices.csv | diff ../wanted -
fi
echo "all print the same decisions"
INSIDE
mount -t proc proc "$root/proc" 2>/dev/null || true # rustc wants it
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
certificates=${NODE_EXTRA_CA_CERTS:-}
[ -z "$certificates" ] || cp "$certificates" "$there/certificates.crt"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${certificates:+NODE_EXTRA_CA_CERTS=/srv/tvgp/certificates.crt} \
    chroot "$root" /bin/sh /srv/tvgp/inside.sh
