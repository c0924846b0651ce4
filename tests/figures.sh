#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh ROOT BUILD: every figure of the pages is there, every script draws its committed numbers, and drawing them again
# gives the same lines.
set -eu
root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for figure in $(cat "$root"/README.md "$root"/docs/*.md "$root"/docs/*/*.md | grep -o 'figures/[a-z_]*\.svg' | sort -u); do
    [ -s "$root/docs/$figure" ] || { echo "$figure is not there" && exit 1; }
done
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is not installed" && exit 77; }
sh "$root/docs/figures/make.sh" "$build" "$work"
for drawn in "$work"/*.svg; do
    name=$(basename "$drawn")
    # Other versions of gnuplot set the head differently; the curves are their paths. Pictures of our own are all parts.
    part='<path'
    case $name in seeing_*) part='^<' ;; esac
    [ "$(grep -c "$part" "$drawn")" -gt 5 ]
    grep -c "$part" "$drawn" >"$work/now"
    grep -c "$part" "$root/docs/figures/$name" | diff "$work/now" - || { echo "$name is not what its script draws" && exit 1; }
done
