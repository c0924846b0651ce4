#!/bin/sh
# SPDX-License-Identifier: MIT
# fleet_sqlite.sh <program>: killed again and again, the fleet ends with the decisions of a run that was left alone.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
whole=$("$1" "$work/whole.db" 300 30000 | head -n 1)
tries=0
while [ $tries -lt 12 ]; do
    timeout -s KILL "0.$((tries % 4 + 1))" "$1" "$work/killed.db" 300 30000 >/dev/null 2>&1 || true
    tries=$((tries + 1))
done
killed=$("$1" "$work/killed.db" 300 30000 | head -n 1)
echo "left alone: $whole"
echo "killed:     $killed"
[ "$whole" = "$killed" ]
