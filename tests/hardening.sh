#!/bin/sh
# SPDX-License-Identifier: MIT
# hardening.sh LIBRARY: the flags of the release preset reached the shared library.
set -eu
library=$1
readelf -dW "$library" | grep -q BIND_NOW
readelf -lW "$library" | grep -q GNU_RELRO
nm -D "$library" | grep -q __stack_chk_fail
nm -D "$library" | grep -q __memcpy_chk
objdump -d "$library" | grep -q endbr64
