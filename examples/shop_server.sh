#!/bin/sh
# SPDX-License-Identifier: MIT
# shop_server.sh SHOP_SERVER: a conversation with the server, and what it has to answer.
set -eu
talk() {
    printf '%s\n' "$@"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

talk 'ask 121' 'ask 122' 'tell 2 190' 'tell 2 190' 'lost 1' 'stat skipped' 'saw 130 12 180' 'ask 129' 'stat surprize' 'stat pending' \
    'ask 140' 'ask 171' 'tell 3 1' 'stat pending.timed_out' 'hello' | "$1" 'seed=1' >"$work/said"
sed 's/^\([0-9]* \)[0-9]*\.[0-9]$/\1PRICE/' "$work/said" | cut -c1-40 >"$work/plain"
talk '1 PRICE' '2 PRICE' ok 'error tvgp_policy_tell: id = 2 already h' ok 1 ok 'error tvgp_policy_ask: t = 129 is before' \
    "error tvgp_policy_stat: unknown statisti" 0 '3 PRICE' '4 PRICE' 'error tvgp_policy_tell: id = 3 already h' 1 \
    'error no request: hello' | diff - "$work/plain"

# One answer for a line, whatever its length: the rest of an overlong one is no request.
overlong_line() {
    rest='tell 1 100'
    for length in 255 256 510 100000; do
        printf "%$((length - ${#rest}))s%s\n" '' "$rest"
    done
    printf 'ask 2\0ask 3\n\0\nstat asked\nask 2'
}
talk 'ask 1' >"$work/requests"
overlong_line >>"$work/requests"
"$1" 'seed=1' <"$work/requests" | sed 's/^\([0-9]* \)[0-9]*\.[0-9]$/\1PRICE/' | tr -s ' ' >"$work/plain"
too_long='error a request has at most 255 characters, not'
talk '1 PRICE' 'error no request: ' "$too_long 256" "$too_long 510" "$too_long 100000" 'error a request holds a NUL' \
    'error a request holds a NUL' 1 '2 PRICE' | diff - "$work/plain"

if "$1" 'seed=none' >"$work/said"; then
    echo "a wrong option was accepted"
    exit 1
fi
grep -q "seed" "$work/said"

# A file: a server that starts again says what is open, answers to it count, and it goes on as one that never stopped.
talk 'ask 121' 'ask 122' 'ask 123' 'tell 2 190' | "$1" 'seed=1' "$work/state" >"$work/said"
talk 'tell 1 180' 'lost 3' 'stat pending' 'ask 124' | "$1" 'seed=none' "$work/state" >"$work/again"
sed -n 's/^\([13]\) \(.*\)/open \1 \2 12\1/p' "$work/said" >"$work/open"
talk ok ok 0 >>"$work/open"
talk 'ask 121' 'ask 122' 'ask 123' 'tell 2 190' 'tell 1 180' 'lost 3' 'ask 124' | "$1" 'seed=1' | tail -1 >>"$work/open"
diff "$work/open" "$work/again"
echo 'no state' >"$work/state"
if "$1" '' "$work/state" >"$work/said"; then
    echo "a file that is no state was accepted"
    exit 1
fi
grep -q "error tvgp_policy_restore" "$work/said"
