#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh BUILD OUT: the live page with what it loads, ready for a file server (python3 -m http.server -d OUT). BUILD is that of the
# preset wasm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cp "$here/index.html" "$1/tvgp.wasm" "$2"
node "$here/../../src/bindings/node/bundle.js" "$1/tvgp.json" >"$2/tvgp.mjs"
