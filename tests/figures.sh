#!/bin/sh
# SPDX-License-Identifier: MIT
# figures.sh ROOT BUILD: every figure of the pages exists, every committed CSV equals the output of its program, and drawing
# the figures again gives the same lines, points and texts.
set -eu
root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=

for figure in $(cat "$root"/README.md "$root"/docs/*.md "$root"/docs/*/*.md | grep -o 'figures/[a-z_]*\.svg' | sort -u); do
    [ -s "$root/docs/$figure" ] || { echo "$figure is missing" && exit 1; }
done
for name in quickstart tutorial; do
    sh "$root/docs/figures/make.sh" "$build" "$work" "$name"
    diff "$work/$name.csv" "$root/docs/figures/$name.csv" || wrong="$wrong $name.csv"
done
if grep -l '<title>Gnuplot' "$root"/docs/figures/*.svg; then
    echo "the title differs from the page"
    exit 1
fi
if command -v gnuplot >/dev/null; then
    sh "$root/docs/figures/make.sh" "$build" "$work"
    for drawn in "$work"/*.svg; do
        name=$(basename "$drawn")
        # The head differs between versions of gnuplot.
        for file in "$drawn" "$root/docs/figures/$name"; do
            grep -E '<(path|text|tspan|circle|rect|line|polyline|polygon|use)|^[[:space:]]+L?[0-9.]+,[0-9.]+' "$file" >"$work/$(basename "$(dirname "$file")").lines"
        done
        [ "$(wc -l <"$work/figures.lines")" -gt 5 ]
        cmp "$work/$(basename "$work").lines" "$work/figures.lines" || wrong="$wrong $name"
    done
else
    [ -n "$wrong" ] || { echo "skipped: gnuplot is not installed" && exit 77; }
fi
[ -z "$wrong" ] || { echo "differs from the output of its program:$wrong" && exit 1; }
