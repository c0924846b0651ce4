#!/bin/sh
# SPDX-License-Identifier: MIT
# zoo_cell.sh BENCH_ZOO: one run of one cell by all players on all boards, twice: the same digits but for time and memory.
set -eu
bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for time in first second; do
    "$bench" play --problem hills --settings small --seed 2 >"$work/$time.all"
    cut -d, -f1-10 "$work/$time.all" >"$work/$time"
done
cmp "$work/first" "$work/second"
for board in all model nothing; do
    players=$(grep -c ",$board," "$work/first")
    [ "$players" -ge 12 ] || { echo "$players players told $board"; exit 1; }
done
awk -F, 'NR > 1 && !($7 >= 0 && $7 < 3) { print; bad = 1 } END { exit bad }' "$work/first"
