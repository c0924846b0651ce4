#!/bin/sh
# SPDX-License-Identifier: MIT
# zoo.sh BUILD: bench/zoo.sh --quick plays every problem, goes on where it was stopped, and gives the same digits again.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OUT="$out"

sh bench/zoo.sh --quick "$build"
families=$(sed 1d "$out/problems.csv" | cut -d, -f1 | sort -u | wc -l)
problems=$(sed 1d "$out/problems.csv" | cut -d, -f2 | sort -u | wc -l)
[ "$families" -eq 12 ] && [ "$problems" -ge 40 ] || { echo "$families families, $problems problems"; exit 1; }
for page in "## Where auto-gp-ucb loses" "## Told nothing" "## Told the model" "## Told all" "## The phase diagram"; do
    grep -q "^$page" "$out/results.md" || { echo "no table '$page'"; exit 1; }
done

# Cells that are there are not played again; those that are missing are, with the same digits but for time and memory.
digits() {
    cut -d, -f1-10 "$@"
}
for cell in ou-middle-1 days-middle-1 coins-middle-1 still-middle-1; do
    mv "$out/cells/$cell.csv" "$out/$cell.before"
done
stamp=$(ls -l --time-style=full-iso "$out/cells/lost-middle-1.csv")
digits "$out/cells.csv" | cut -d, -f1-9 >"$out/first"
sh bench/zoo.sh --quick "$build"
for cell in ou-middle-1 days-middle-1 coins-middle-1 still-middle-1; do
    digits "$out/$cell.before" >"$out/a"
    digits "$out/cells/$cell.csv" | cmp - "$out/a" || { echo "$cell: other digits"; exit 1; }
done
[ "$stamp" = "$(ls -l --time-style=full-iso "$out/cells/lost-middle-1.csv")" ] || { echo "a cell was played again"; exit 1; }
digits "$out/cells.csv" | cut -d, -f1-9 | cmp - "$out/first"
