#!/bin/sh
# SPDX-License-Identifier: MIT
# stage.sh BUILD OUT: the two crates as they are published, in OUT: with the declarations that BUILD made from the headers, the C
# sources for the feature `bundled`, and the licence. `cargo package --workspace` in OUT packs both.
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
cp -R Cargo.toml Cargo.lock tvgp tvgp-sys "$out"
mkdir -p "$out/tvgp-sys/made" "$out/tvgp-sys/bundled/src"
cp "$build/bindings/rust/sys.rs" "$build/bindings/rust/c.rs" "$out/tvgp-sys/made"
cp -R "$root/CMakeLists.txt" "$root/LICENSE" "$root/README.md" "$root/include" "$out/tvgp-sys/bundled"
for folder in "$root"/src/*; do
    case ${folder##*/} in
    bindings | integration | tool | mpi) ;; # other programs and languages
    *) cp -R "$folder" "$out/tvgp-sys/bundled/src" ;;
    esac
done
cp "$root/LICENSE" "$out/tvgp"
cp "$root/LICENSE" "$out/tvgp-sys"
