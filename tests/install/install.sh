#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh CMAKE BUILD VERSION CC: installs a build to a temporary place and uses it from there as a stranger would, in C and
# C++, through find_package and pkg-config, shared and static; each header compiles by itself in C99 and C++11.
# shellcheck disable=SC2046 # the flags of pkg-config are words
set -eu
cmake=$1 build=$2 version=$3 cc=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libtvgp.a)")

configure() { # version to ask for, build directory
    "$cmake" -S "$here" -B "$2" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DTVGP_WANTED="$1"
}

echo "find_package"
if ! { configure 1.0 "$work/consumer" && "$cmake" --build "$work/consumer"; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
for program in shared static plain cxx; do
    "$work/consumer/$program" "$version"
done
[ "$(ldd "$work/consumer/plain" | grep -c -e blas -e lapack -e tvgp)" -eq 0 ]
"$work/consumer/owners"

echo "find_package refuses other major versions and newer minor ones"
for other in 0.3 1.1 2.0; do
    if configure $other "$work/refused$other" >"$work/log" 2>&1; then
        echo "version $other was accepted"
        exit 1
    fi
    grep -q "requested version \"$other\"" "$work/log"
done

echo "the soname is that of the interface"
[ -e "$libdir/libtvgp.so.1" ]

echo "C, C++ and Python: records zeroed but for id and y, and the same spelt out"
"$work/consumer/decisions_c" >"$work/decisions"
[ "$(wc -w <"$work/decisions")" -eq 60 ]
[ "$(tr ' ' '\n' <"$work/decisions" | sort -u | wc -l)" -gt 3 ]
"$work/consumer/decisions_cxx" | diff "$work/decisions" -
TVGP_LIBRARY="$libdir/libtvgp.so.1" PYTHONPATH="$here/../../src/bindings/python" \
    python3 -B "$here/decisions.py" | diff "$work/decisions" -

echo "what comes with it: signatures, man page, guide, bindings"
for file in share/tvgp/tvgp.json share/man/man3/tvgp.3 share/man/man1/tvgp.1 share/doc/tvgp/docs/start/tutorial.md \
    share/doc/tvgp/examples/quickstart.c include/tvgp_functions.hpp share/tvgp/rust/sys.rs share/tvgp/lua/tvgp/cdef.lua; do
    [ -s "$prefix/$file" ]
done

echo "the program, without being told where the library is"
"$prefix/bin/tvgp" --version | grep -qx "tvgp $version"
"$prefix/bin/tvgp" create "$work/state" names=a,b
"$prefix/bin/tvgp" ask "$work/state" | grep -qx "1 [ab]"

echo "headers"
cd "$prefix/include"
for header in tvgp.h tvgp/*.h tvgp/experimental/*.h; do
    # Interfaces to other libraries compile where those are.
    if [ "$header" = tvgp/mpi.h ] && ! echo '#include <mpi.h>' | "$cc" -fsyntax-only -x c - 2>/dev/null; then
        continue
    fi
    "$cc" -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$header"
    "${CXX:-c++}" -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ "$header"
done

echo "pkg-config"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
[ "$(pkg-config --modversion tvgp)" = "$version" ]
"$cc" "$here/consumer.c" $(pkg-config --cflags --libs tvgp) -o "$work/pc_shared"
"${CXX:-c++}" -std=c++11 "$here/../../src/bindings/cpp/tutorial.cpp" $(pkg-config --cflags --libs tvgp) -o "$work/pc_owners"
"${CXX:-c++}" "$here/consumer.cpp" $(pkg-config --cflags --libs tvgp) -o "$work/pc_cxx"
LD_LIBRARY_PATH=$libdir "$work/pc_shared" "$version"
LD_LIBRARY_PATH=$libdir "$work/pc_cxx" "$version"

echo "the program of the README, built as it and docs/start/install.md say"
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$here/../../README.md" >"$work/app.c"
[ -s "$work/app.c" ]
for page in README.md docs/start/install.md; do
    line=$(sed -n 's/^ *\(cc app\.c .*\)$/\1/p' "$here/../../$page" | head -n 1)
    (cd "$work" && rm -f app && eval "$line" && LD_LIBRARY_PATH=$libdir ./app) >"$work/log"
    [ "$(wc -l <"$work/log")" -eq 5 ]
done

rm "$libdir"/libtvgp.so*
"$cc" "$here/consumer.c" $(pkg-config --static --cflags --libs tvgp) -o "$work/pc_static"
"$work/pc_static" "$version"
if [ -n "$("$cc" -print-file-name=libgfortran.a | grep /)" ]; then
    echo "fully static"
    "$cc" -static "$here/consumer.c" $(pkg-config --static --cflags --libs tvgp) -o "$work/pc_fully_static"
    "$work/pc_fully_static" "$version"
fi

echo "as a part of another project: optimised, not installed"
mkdir "$work/part"
printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(part C CXX)' 'include(FetchContent)' \
    "FetchContent_Declare(tvgp SOURCE_DIR $here/../..)" 'FetchContent_MakeAvailable(tvgp)' \
    "add_executable(part $here/consumer.c)" 'target_link_libraries(part tvgp::tvgp)' \
    "add_executable(owners $here/../../src/bindings/cpp/test.cpp)" 'target_link_libraries(owners tvgp::cpp)' >"$work/part/CMakeLists.txt"
"$cmake" -S "$work/part" -B "$work/part/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log"
[ -e "$work/part/build/_deps/tvgp-build/cmake_install.cmake" ]
grep -q -e '-O[23] .*src/base/memory.c' "$work/part/build/compile_commands.json"
"$cmake" --build "$work/part/build" --target tvgp_json >"$work/log" # which owners depends on
python3 - "$work/part/build/compile_commands.json" <<'END' # tvgp.hpp is in reach
import json, subprocess, sys
one = next(c for c in json.load(open(sys.argv[1])) if c["file"].endswith("cpp/test.cpp"))
subprocess.run(one["command"] + " -std=c++11 -fsyntax-only", shell=True, cwd=one["directory"], check=True)
END
if grep -qE "libtvgp[^/]*\.(so|a)" "$work/part/build/_deps/tvgp-build/cmake_install.cmake"; then
    echo "the part installs itself"
    exit 1
fi
