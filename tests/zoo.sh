#!/bin/sh
# SPDX-License-Identifier: MIT
# zoo.sh BUILD: bench/zoo.sh --quick plays a problem of every family, goes on where it was stopped, and gives the same digits again.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OUT="$out"

sh bench/zoo.sh --quick "$build"
families=$(sed 1d "$out/problems.csv" | cut -d, -f1 | sort -u | wc -l)
problems=$(sed 1d "$out/problems.csv" | cut -d, -f2 | sort -u | wc -l)
[ "$families" -eq 13 ] && [ "$problems" -ge 40 ] || { echo "$families families, $problems problems"; exit 1; }
for page in "## Where auto-gp-ucb loses" "## Default settings" "## Kernel, mean and noise supplied" \
    "## True hyperparameters supplied" "## The phase diagram of drift"; do
    grep -q "^$page" "$out/results.md" || { echo "no table '$page'"; exit 1; }
done

# Cells that are there are not played again; those that are missing are, with the same digits but for time and memory: of some
# families one (of every one where TVGP_TESTS=all), and a place of the diagram.
again="redrawn swing-expert still"
jobs="phase-.03-1-.02-1-known"
if [ "${TVGP_TESTS:-}" = all ]; then
    again="ou redrawn swing day days swing-expert coins switches lists lost still ozone grid-demand"
    jobs="long-steps=2000-1 $jobs"
fi
for problem in $again; do
    jobs="$jobs $problem-middle-1"
done
for job in $jobs; do
    mv "$out/cells/$job.csv" "$out/$job.before"
done
stamp=$(ls -l --time-style=full-iso "$out/cells/late-middle-1.csv")
sed 1d "$out/cells.csv" >"$out/first" # the stamp has processor seconds
sed 1d "$out/phase.csv" >"$out/first.phase"
sh bench/zoo.sh --quick "$build"
for job in $jobs; do
    cut -d, -f1-10 "$out/$job.before" >"$out/a"
    cut -d, -f1-10 "$out/cells/$job.csv" | cmp - "$out/a" || { echo "$job: other digits"; exit 1; }
done
[ "$stamp" = "$(ls -l --time-style=full-iso "$out/cells/late-middle-1.csv")" ] || { echo "a cell was played again"; exit 1; }
sed 1d "$out/cells.csv" | cmp - "$out/first"
sed 1d "$out/phase.csv" | cmp - "$out/first.phase"

# A larger budget goes on where a smaller one ends, and has every cell once before any twice.
for minutes in 1 5 60; do
    sh bench/zoo.sh --plan --minutes $minutes "$build" >"$out/plan.$minutes"
done
for minutes in 1 5; do
    head -n "$(wc -l <"$out/plan.$minutes")" "$out/plan.60" | cmp - "$out/plan.$minutes"
done
cells=$(sed 1d "$out/problems.csv" | grep -vc '^long')
cut -d' ' -f1 "$out/plan.60" | grep -v -e '^phase' -e '^long' -e 'misspecified$' >"$out/plan.cells"
[ "$(head -n "$cells" "$out/plan.cells" | grep -c -- '-1$')" -eq "$cells" ]
[ "$(wc -l <"$out/plan.cells")" -gt $((10 * cells)) ]
[ "$(cut -d' ' -f1 "$out/plan.60" | sort | uniq -d | wc -l)" -eq 0 ]
