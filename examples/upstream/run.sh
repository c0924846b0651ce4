#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [SECONDS]: nginx chooses among three upstreams whose latency drifts, once by least_conn and once by a policy for each worker.
# http://127.0.0.1:18080/policy shows what the policy expects while it runs. Starts nginx in a temporary folder, and stops it again.
# Builds the C module for Lua 5.1 where no build has it. On Debian, run by root, it installs the packages that this takes; those of nginx
# with Lua are unpacked into that folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/../server.sh"
module=${TVGP_LUA_MODULE:-$(find_module lua5.1)}
if [ -z "$module" ] || ! command -v python3 >/dev/null; then
    need cmake gcc libc6-dev make liblua5.1-0-dev python3
fi
[ -n "$module" ] || { build_module lua5.1 && module=$(find_module lua5.1); }
work=$(mktemp -d)
server=
stop() { [ -z "$server" ] || { kill "$server" && wait "$server" || true; } 2>/dev/null; rm -rf "$work"; }
trap stop EXIT
trap 'exit 1' INT TERM
chmod 777 "$work"
prefix=${TVGP_NGINX_ROOT:-}
if [ ! -e "$prefix/usr/lib/nginx/modules/ngx_http_lua_module.so" ]; then
    command -v apt-get >/dev/null || { echo "needs nginx with its Lua module"; exit 77; }
    (cd "$work" && apt-get download nginx libnginx-mod-http-lua libnginx-mod-http-ndk libluajit2-5.1-2 libpcre3 lua-resty-core lua-resty-lrucache >/dev/null 2>&1)
    for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
    prefix=$work/root
fi
cp "$module" "$root/src/integration/nginx/tvgp_upstream.lua" "$work" # where the user of the workers may read them
python3 -B "$here/configure.py" "$prefix" "$work"
libraries=$(find "$prefix/lib" "$prefix/usr/lib" -name 'libluajit*.so.2' -o -name 'libpcre.so.3' 2>/dev/null | xargs -n 1 dirname | tr '\n' ':')
LD_LIBRARY_PATH=$libraries "$prefix/usr/sbin/nginx" -p "$work" -c "$work/nginx.conf" &
server=$!
python3 -B "$here/load.py" "${1:-20}"
