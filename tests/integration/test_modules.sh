#!/bin/sh
# SPDX-License-Identifier: MIT
# test_modules.sh BUILD: the commands by which sqlite.md, postgresql.md, redis.md and nginx.md build a module. With TVGP_TESTS=all a
# copy of the sources is configured, built and installed below a temporary folder; otherwise the names in them have to be right.
# The module for Redis has to be executable.
set -eu
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for page in sqlite postgresql redis nginx; do
    sed -n '/^```sh$/,/^```$/p' "$root/docs/guide/$page.md" | grep '^cmake ' >"$work/$page"
    grep -q -- '--preset modules$' "$work/$page"
    name=$(sed -n 's/.*--target tvgp_//p' "$work/$page")
    [ -n "$name" ] && grep -q "tvgp_add_integration($(echo "$name" | sed 's/[0-9.]*$//')[ \$]" "$root/src/package/integration.cmake" ||
        { echo "$page.md: no target tvgp_$name"; exit 1; }
done
grep -q '"name": "modules"' "$root/CMakePresets.json"
export DESTDIR="$work/system"
cmake --install "$build" --component redis >/dev/null
find "$DESTDIR" -path '*redis/tvgp.so' -perm -111 | grep -q . || { echo "the installed module for Redis is not executable"; exit 1; }
[ "${TVGP_TESTS:-}" = all ] || exit 0
(cd "$root" && tar -c CMakeLists.txt CMakePresets.json LICENSE docs examples include src) | tar -C "$work" -x
cd "$work"
for page in sqlite postgresql redis nginx; do
    name=$(sed -n 's/.*--target tvgp_//p' "$page")
    file=tvgp.so
    [ "$name" != sqlite ] || file=tvgp0.so
    [ -e "$build/integration/$name/$file" ] || { echo "skipped, no headers: $page.md"; continue; }
    sh -eu "$page" >out 2>&1 || { cat out; echo "the commands of $page.md failed"; exit 1; }
    [ -e "build/modules/integration/$name/$file" ]
done
find system -name 'tvgp*'
