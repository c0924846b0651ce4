#!/bin/sh
# SPDX-License-Identifier: MIT
# locales.sh DIRECTORY TEST..: runs the tests of DIRECTORY in de_DE, whose decimal point is a comma, and in ps_AF, whose decimal point has
# two bytes. locales.sh -- COMMAND ..: runs a command in them. The locales are made here. 77: localedef or its sources are not installed.
set -eu
directory=$1
shift
LOCPATH=$(mktemp -d)
export LOCPATH
trap 'rm -rf "$LOCPATH"' EXIT
chmod 755 "$LOCPATH" # also for servers of other users
for locale in de_DE ps_AF; do
    localedef -c -i "$locale" -f UTF-8 "$LOCPATH/$locale" >/dev/null 2>&1 || [ -d "$LOCPATH/$locale" ] || {
        echo "skipped: localedef cannot make $locale"
        exit 77
    }
    if [ "$directory" = -- ]; then
        echo "== $locale"
        [ "$(LC_ALL=$locale locale decimal_point)" != . ]
        LC_ALL=$locale "$@"
        continue
    fi
    for test in "$@"; do
        TVGP_TEST_LOCALE=$locale "$directory/$test"
    done
done
