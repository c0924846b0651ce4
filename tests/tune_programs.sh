#!/bin/sh
# SPDX-License-Identifier: MIT
# tune_programs.sh PYTHON: examples/tune_programs.py measures a few jobs of minisat and of zstd, replays them, and reads its tables again
# with the same result. Skipped without both programs.
set -eu
cd "$(dirname "$0")/.."
command -v minisat >/dev/null && ldconfig -p | grep -q libzstd.so.1 || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/files"
"$1" -c 'import random, sys; open(sys.argv[1], "wb").write(bytes(random.Random(1).choices(b"abcd", k=1 << 20)))' "$work/files/text"
for pass in measured read; do
    "$1" -B examples/tune_programs.py --seed 1 --jobs 4 --files "$work/files" --out "$work/tables" >"$work/$pass"
done
cmp "$work/measured" "$work/read"
# a head, four streams of minisat and three of zstd, eleven fields each, ratios to the default that are not absurd
awk -F, 'NF != 11 { exit 1 } NR > 1 && !($4 == 4 && $5 <= 1 && $7 > 0.2 && $7 < 5 && $9 >= $7 && $9 < 6 && $10 > 0.2 && $10 < 5) { exit 1 }
    END { exit NR != 8 }' "$work/read" || { cat "$work/read"; exit 1; }
