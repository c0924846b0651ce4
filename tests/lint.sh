#!/bin/sh
# SPDX-License-Identifier: MIT
# What the text promises, checked without building: the floors, no circles between files, unique file names, the prefix
# of names that cross files, licence tags, the format of the C, prose at 100 columns. Says what is wrong and exits 1 if
# anything is.
set -eu
cd "$(dirname "$0")/.."
python3 -B tests/lint.py
if clang-format --version 2>/dev/null | grep -q "version 14"; then # others set some lines differently
    find src include tests bench examples -name '*.[ch]' -exec clang-format --dry-run -Werror {} + || exit 1
fi
