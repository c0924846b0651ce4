#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [SECONDS] [SEED]: four workers price a product through one policy in PostgreSQL, and are killed and started again at random.
# Starts a server of its own in a temporary folder, and stops it again. Builds the module where no build has it. On Debian, run by
# root, it installs PostgreSQL and the packages of the build where they are missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/../server.sh"
module=${TVGP_MODULE:-$(find_module postgres)}
if [ -z "$module" ] || ! command -v pg_config >/dev/null || [ ! -x "$(pg_config --bindir)/initdb" ] || ! command -v python3 >/dev/null; then
    need cmake gcc libc6-dev make postgresql postgresql-server-dev-all python3
fi
[ -n "$module" ] || { build_module postgres && module=$(find_module postgres); }
bin=$(pg_config --bindir)
work=$(mktemp -d)
as() { if [ "$(id -u)" -eq 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
stop() { as "$bin/pg_ctl" -D "$work/data" -m fast -w stop >/dev/null 2>&1 || true; rm -rf "$work"; }
trap stop EXIT
trap 'exit 1' INT TERM
mkdir "$work/data"
chmod 755 "$work"
cp "$module" "$work/tvgp.so"
[ "$(id -u)" -ne 0 ] || chown -R postgres "$work"
echo "starting a server in $work"
as "$bin/initdb" -D "$work/data" -U postgres -A trust -N >/dev/null
as "$bin/pg_ctl" -D "$work/data" -l "$work/data/log" -o "-c listen_addresses='' -c synchronous_commit=off -k $work" -w start >/dev/null
# The extension's script, with the path of the module that was built: nothing is written into the system.
{ echo "CREATE SCHEMA tvgp; SET search_path = tvgp;"; grep -v -e config_dump -e '^\\' "$root/src/integration/postgres/tvgp--1.0.sql"; } |
    sed "s|MODULE_PATHNAME|$work/tvgp.so|" | "$bin/psql" -h "$work" -U postgres -Xq -v ON_ERROR_STOP=1 postgres
PGHOST=$work PGUSER=postgres PSQL=$bin/psql python3 -B "$here/service.py" "${1:-30}" "${2:-1}"
