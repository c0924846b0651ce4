#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh NM READELF SHARED STATIC: the functions that the headers declare, the version script lists, the shared library
# exports and the static library makes visible are the same; the static library defines no global name outside tvgp_*.
set -eu
nm=$1 readelf=$2 shared=$3 static=$4
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat "$root"/include/tvgp/*.h "$root"/include/tvgp/experimental/*.h | grep -v '^#' | tr '\n' ' ' | grep -o 'TVGP_API [^;(]*(' |
    sed 's/(//; s/.*[ *]//' >"$work/functions"
sed -n 's/^extern TVGP_API .* \(tvgp_[a-z0-9_]*\);$/\1/p' "$root"/include/tvgp/*.h | sort - "$work/functions" >"$work/declared"
sed -n 's/^ *\(tvgp_[a-z0-9_]*\);$/\1/p' "$root/src/package/tvgp.map" | sort >"$work/listed"
"$nm" -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"

[ -s "$work/declared" ]
echo "declared (-) against tvgp.map (+)"
diff -u "$work/declared" "$work/listed"
echo "declared (-) against exported (+)"
diff -u "$work/declared" "$work/exported"

echo "symbol versions: TVGP_EXPERIMENTAL for tvgp/experimental and tvgp/store.h, TVGP_1.0 for everything else"
cat "$root"/include/tvgp/experimental/*.h "$root/include/tvgp/store.h" | grep -v '^#' | tr '\n' ' ' | grep -o 'TVGP_API [^;(]*(' |
    sed 's/(//; s/.*[ *]//; s/$/@@TVGP_EXPERIMENTAL/' >"$work/versions"
sed 's/@.*//' "$work/versions" | sort | comm -13 - "$work/declared" | sed 's/$/@@TVGP_1.0/' >>"$work/versions"
sort -o "$work/versions" "$work/versions"
"$nm" -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' | sort | diff -u - "$work/versions"

echo "visible names of the static library beside the declared ones"
"$readelf" -sW "$static" | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }' | sort >"$work/visible"
diff -u "$work/declared" "$work/visible"

echo "global names of the static library outside tvgp_*"
"$nm" -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^tvgp_/ { print $3; found = 1 } END { exit found }'
