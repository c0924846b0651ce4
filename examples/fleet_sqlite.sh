#!/bin/sh
# SPDX-License-Identifier: MIT
# fleet_sqlite.sh <program>: killed again and again, the fleet ends with the decisions of a run that was left alone; a row that
# is too large, or no state, ends it with a message.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
whole=$("$1" "$work/whole.db" 300 12000 | head -n 1)
tries=0
while [ $tries -lt 12 ]; do
    timeout -s KILL "0.$((tries % 4 + 1))" "$1" "$work/killed.db" 300 12000 >/dev/null 2>&1 || true
    tries=$((tries + 1))
done
killed=$("$1" "$work/killed.db" 300 12000 | head -n 1)
echo "left alone: $whole"
echo "killed:     $killed"
[ "$whole" = "$killed" ]

# refused BYTES TEXT: with rows of so many bytes, which may come from anywhere, the program ends with the text.
refused() {
    cp "$work/whole.db" "$work/wrong.db"
    python3 -B -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("UPDATE bandit SET state = zeroblob(?)", [int(sys.argv[2])])' "$work/wrong.db" "$1"
    status=0
    "$program" "$work/wrong.db" 300 60000 >"$work/said" 2>&1 || status=$?
    [ $status -eq 1 ] && grep -q "$2" "$work/said" || { echo "a row of $1 bytes: status $status" && cat "$work/said" && exit 1; }
}
refused 65537 "has 65537 bytes, more than 65536"
refused 20000000 "has 20000000 bytes, more than 65536"
refused 65536 "tvgp_policy_load"
refused 0 "tvgp_policy_load"
echo "rows that are no states are refused"
