#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh CC INCLUDE LIBRARY: programs and libraries of different versions do not come together, and the message names the version.
# A program built against these headers neither links nor starts with a library of another symbol version, and a program linked with
# such a library does not start with LIBRARY. The other library is a stand-in with its name, its symbol version and two functions.
set -eu
cc=$1 include=$2 new=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/old" "$work/new" "$work/mixed"
ln -s "$new" "$work/new/libtvgp.so.1"

cat >"$work/library.c" <<'C'
int tvgp_ctx_create(const void *allocator, void **out);
void tvgp_ctx_destroy(void *ctx);
int tvgp_ctx_create(const void *allocator, void **out) { return *out = (void *)allocator, 0; }
void tvgp_ctx_destroy(void *ctx) { (void)ctx; }
C
echo 'TVGP_0.3 { global: tvgp_*; local: *; };' >"$work/map"
"$cc" -shared -fPIC -o "$work/old/libtvgp.so.0.3" -Wl,-soname,libtvgp.so.0.3 -Wl,--version-script="$work/map" "$work/library.c"

cat >"$work/program.c" <<'C'
#include <tvgp.h>
int main(void) {
    tvgp_ctx *ctx = NULL;
    const tvgp_status status = tvgp_ctx_create(NULL, &ctx);
    tvgp_ctx_destroy(ctx);
    return status;
}
C
cat >"$work/earlier.c" <<'C'
int tvgp_ctx_create(const void *allocator, void **out);
int main(void) {
    void *ctx;
    return tvgp_ctx_create(0, &ctx);
}
C

refused() { # what it is, text of the message, command: fails, and says so
    what=$1 text=$2
    shift 2
    if "$@" >"$work/said" 2>&1; then
        echo "$what: was not refused"
        exit 1
    fi
    grep -F "$text" "$work/said" || {
        echo "$what: '$text' is not in the message:"
        cat "$work/said"
        exit 1
    }
}
start() { LD_LIBRARY_PATH="$1:${LD_LIBRARY_PATH:-}" "$work/$2"; }

refused "link a new program with 0.3" tvgp_abi_1_0 "$cc" -I "$include" -o "$work/none" "$work/program.c" "$work/old/libtvgp.so.0.3"
"$cc" -I "$include" -o "$work/program" "$work/program.c" "$work/new/libtvgp.so.1"
start "$work/new" program
ln -s "$work/old/libtvgp.so.0.3" "$work/mixed/libtvgp.so.1"
refused "start a new program with 0.3" TVGP_1.0 start "$work/mixed" program

"$cc" -o "$work/earlier" "$work/earlier.c" "$work/old/libtvgp.so.0.3"
start "$work/old" earlier
refused "start a program of 0.3 without its library" libtvgp.so.0.3 start "$work/new" earlier
ln -s "$new" "$work/mixed/libtvgp.so.0.3"
refused "start a program of 0.3 with the new library" TVGP_0.3 start "$work/mixed" earlier
