#!/bin/sh
# SPDX-License-Identifier: MIT
# tune_gzip.sh STATE FILE..: which level of gzip, where a second costs as much as 5 MB? Each file is compressed once, and teaches.
state=$1 && shift
[ -e "$state" ] || tvgp create "$state" arms=1,2,3,4,5,6,7,8,9 sense=min
for file in "$@"; do
    query=$(tvgp ask "$state") || exit 1
    begin=$(date +%s%N)
    size=$(gzip -c -"${query#* }" "$file" | wc -c)
    cost=$(echo "$begin $(date +%s%N) $size $(wc -c <"$file")" | awk '{ print log((($2 - $1) / 1e9 * 5e6 + $3) / $4) }')
    tvgp tell "$state" "${query% *}" "$cost" >/dev/null
done
tvgp best "$state"
