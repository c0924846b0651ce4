#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [FIGURE.svg]: plays the month, and draws it where gnuplot is installed. TVGP_LIBRARY and PYTHONPATH name library and package.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$here/router.py" "$work/month.csv"
if [ $# -gt 0 ] && command -v gnuplot >/dev/null; then
    gnuplot -e "data='$work/month.csv'; out='$1'" "$here/figure.gp"
fi
