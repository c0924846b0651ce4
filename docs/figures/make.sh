#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh BUILD [OUT [NAME ..]]: draws the figures from the committed CSV files into OUT (this directory). With names, writes only
# NAME.csv of each into OUT, by its program.
set -eu
build=$(cd "$1" && pwd)
out=$(cd "${2:-$(dirname "$0")}" && pwd)
[ $# -lt 2 ] || shift
shift
cd "$(dirname "$0")"
export TVGP_LIBRARY="$build/libtvgp.so" PYTHONPATH=../../src/bindings/python OPENBLAS_NUM_THREADS=1
for name; do
    case $name in
    quickstart) "$build/examples/quickstart" --csv ;;
    tutorial) python3 -B tutorial_data.py ../../examples/data/prices.csv ;;
    esac >"$out/$name.csv"
done
[ $# -eq 0 ] || exit 0
python3 -B seeing.py ../../examples/data "$out"
# The title, which browsers show, is the alternative text of the page.
for script in *.gp; do
    [ "$script" != style.gp ] || continue
    name=${script%.gp}
    said=$(cat ../../README.md ../*.md ../*/*.md | tr '\n' ' ' | grep -o "!\[[^]]*\]([^)]*figures/$name\.svg)" | sed 's|^!.\(.*\)\](.*|\1|' | head -n 1)
    gnuplot "$script" | sed "s|<title>Gnuplot</title>|<title>$said</title>|" >"$out/$name.svg"
done
