#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh LIBRARY: the month prints what expected.txt says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export TVGP_LIBRARY="$1" PYTHONPATH="$here/../../src/bindings/python" OPENBLAS_NUM_THREADS=1
sh "$here/run.sh" | diff "$here/expected.txt" - && echo "the month is as expected"
