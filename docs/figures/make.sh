#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh BUILD [OUT]: the figures from the committed numbers, into this folder or OUT; with `make.sh BUILD numbers` the numbers
# are made anew first.
set -eu
build=$(cd "$1" && pwd) out=${2:-.}
cd "$(dirname "$0")"
if [ "$out" = numbers ]; then
    out=.
    export TVGP_LIBRARY="$build/libtvgp.so" PYTHONPATH=../../src/bindings/python OPENBLAS_NUM_THREADS=1
    "$build/examples/quickstart" --csv >quickstart.csv
    "$build/examples/controller" --csv >controller.csv
    "$build/examples/safe_controller" --csv >safe_controller.csv
    python3 -B tutorial_data.py ../../examples/data/prices.csv >tutorial.csv
    for name in surprise lengthscale; do
        python3 -B "${name}_data.py" >"$name.csv"
    done
fi
TVGP_LIBRARY="$build/libtvgp.so" PYTHONPATH=../../src/bindings/python OPENBLAS_NUM_THREADS=1 python3 -B seeing.py ../../examples/data "$out"
# The title, which browsers show, is what the page says of the figure.
for script in *.gp; do
    [ "$script" != style.gp ] || continue
    name=${script%.gp}
    said=$(cat ../../README.md ../*.md ../*/*.md | tr '\n' ' ' | grep -o "!\[[^]]*\]([^)]*figures/$name\.svg)" | sed 's|^!.\(.*\)\](.*|\1|' | head -n 1)
    gnuplot "$script" | sed "s|<title>Gnuplot</title>|<title>$said</title>|" >"$out/$name.svg"
done
