#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the documentation site and prints the path of its home page. Installs what is missing (.ci/deps.sh site).
set -eu
cd "$(dirname "$0")/.."
sh .ci/deps.sh site
cmake --preset release >/dev/null
cmake --build --preset release --target site -j "$(nproc 2>/dev/null || echo 2)"
echo "$PWD/build/release/site/html/index.html"
