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
# What the page says of surprise: told nothing, or the truth, its median is about one.
for column in 2 3; do
    tail -n +2 "$root/docs/figures/surprise.csv" | cut -d, -f$column | sort -g | awk '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]
        if (m < 0.7 || m > 1.5) { print "median surprise " m; exit 1 } }'
done
if grep -l '<title>Gnuplot' "$root"/docs/figures/*.svg; then
    echo "the title is not what the page says"
    exit 1
fi
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
