#!/bin/sh
# SPDX-License-Identifier: MIT
# test_examples.sh BUILD: plays the examples that start servers, and finds no process of theirs afterwards. 77: nothing is installed.
set -eu
build=$1 seconds=4 played=0
root=$(cd "$(dirname "$0")/../.." && pwd)
[ "${TVGP_TESTS:-}" != all ] || seconds=30
export TVGP_MODULE="$build/integration/postgres/tvgp.so" TVGP_LUA_MODULE="$build/integration/lua5.1/tvgp.so"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
export TMPDIR="$work" # where the examples have their folders, so that their processes are known by it
play() {
    sh "$root/examples/$1/run.sh" "$seconds" 1 || { echo "$1 failed"; exit 1; }
    played=$((played + 1))
    sleep 1
    for process in /proc/[0-9]*; do
        if { cat "$process/cmdline" 2>/dev/null || true; } | tr '\0' ' ' | grep -q "^[^ ]*\(nginx\|postgres\|psql\).*$work"; then
            echo "$1 left a process: $(tr '\0' ' ' <"$process/cmdline")"
            exit 1
        fi
    done
}
if [ -e "$TVGP_MODULE" ] && command -v pg_config >/dev/null && [ -x "$(pg_config --bindir)/initdb" ]; then
    play price_service
fi
if [ -e "$TVGP_LUA_MODULE" ] && [ -e "${TVGP_NGINX_ROOT:-}/usr/lib/nginx/modules/ngx_http_lua_module.so" ]; then
    play upstream
fi
[ "$played" -gt 0 ] || { echo "skipped: neither PostgreSQL nor nginx with Lua (TVGP_NGINX_ROOT)"; exit 77; }
