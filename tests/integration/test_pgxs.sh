#!/bin/sh
# SPDX-License-Identifier: MIT
# test_pgxs.sh BUILD PG_CONFIG: builds the PostgreSQL extension by PGXS from an installed library, without a warning. Its files and
# functions are the ones of the CMake build. Then runs the guide's commands with it; by night the whole test of PostgreSQL.
set -eu
build=$1 config=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
[ -e "$("$config" --pgxs)" ] || { echo "skipped: no PGXS (Debian: postgresql-server-dev-all)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cmake --install "$build" --prefix "$work/installed" >"$work/install.out"
cp -R "$root/src/integration/postgres" "$work/source"
make -C "$work/source" PG_CONFIG="$config" PLAIN="$work/installed" COPT=-Werror >"$work/make.out" 2>&1 || { cat "$work/make.out"; exit 1; }
make -C "$work/source" PG_CONFIG="$config" PLAIN="$work/installed" DESTDIR="$work/target" install >/dev/null
files=$(cd "$work/target" && find . -type f -exec basename {} \; | LC_ALL=C sort | tr '\n' ' ')
[ "$files" = "tvgp--1.0.sql tvgp.control tvgp.so " ] || { echo "installed: $files"; exit 1; }
module=$work/target$("$config" --pkglibdir)/tvgp.so
functions() { nm -D --defined-only "$1" | awk '{print $3}' | grep -v '^_' | LC_ALL=C sort; }
functions "$module" >"$work/pgxs.txt"
functions "$build/integration/postgres/tvgp.so" >"$work/cmake.txt"
diff "$work/cmake.txt" "$work/pgxs.txt"
if [ "${TVGP_TESTS:-}" = all ]; then set --; else set -- guide; fi
python3 -B "$root/tests/integration/test_postgres.py" "$module" "$config" "$@"
