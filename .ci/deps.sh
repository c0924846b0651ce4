#!/bin/sh
# SPDX-License-Identifier: MIT
# Sees to what a build needs: sh .ci/deps.sh [tests | site | night]. Root on Debian and Ubuntu: installs what is missing, and
# unpacks below build/ the parts of tests that no package installs. Elsewhere: names what is missing and fails.
set -eu
cd "$(dirname "$0")/.."

missing=
need() { # package, then a command that succeeds where the package is there
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

need cmake cmake --version
need make make --version
need gcc "${CC:-cc}" --version
need libc6-dev sh -c 'echo "#include <math.h>" | "${CC:-cc}" -E -'
need pkg-config pkg-config --version
need libopenblas-dev pkg-config --exists openblas
need liblapacke-dev pkg-config --exists lapacke
if [ "${1:-}" = tests ]; then
    need libsqlite3-dev pkg-config --exists sqlite3
    need ninja-build ninja --version
    need check pkg-config --exists check
    need g++ c++ --version
    need gfortran gfortran --version # its runtime, for programs that are linked statically
    need libopenmpi-dev sh -c "command -v mpirun && command -v mpicc"
    need python3 python3 -c "import ctypes"
fi
if [ "${1:-}" = site ]; then # the documentation site
    need doxygen doxygen --version
    need python3-sphinx sphinx-build --version
    need python3-myst-parser /usr/bin/python3 -c "import myst_parser"
    need furo /usr/bin/python3 -c "import furo"
    need python3-breathe /usr/bin/python3 -c "import breathe"
    need libjs-katex test -e /usr/share/javascript/katex/katex.min.js
    need linkchecker linkchecker --version
fi
# What is tested where it is there (languages, servers that policies live in, another libc, fuzz targets): nothing fails for want of it.
wanted=
if [ "${1:-}" = tests ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
    command -v luajit >/dev/null || wanted="$wanted luajit"
    command -v lua5.1 >/dev/null || wanted="$wanted lua5.1 liblua5.1-0-dev"
    command -v cargo >/dev/null || wanted="$wanted cargo"
    command -v clang >/dev/null || wanted="$wanted clang libclang-rt-dev"
    command -v ld.lld >/dev/null || wanted="$wanted lld"
    command -v musl-gcc >/dev/null || wanted="$wanted musl-tools"
    command -v npm >/dev/null || wanted="$wanted npm"
    command -v gnuplot >/dev/null || wanted="$wanted gnuplot-nox"
    /usr/bin/python3 -c "import psycopg" 2>/dev/null || wanted="$wanted python3-psycopg"
    [ -d "$(pg_config --includedir-server 2>/dev/null)" ] || wanted="$wanted postgresql postgresql-server-dev-all"
    command -v redis-server >/dev/null || wanted="$wanted redis-server"
    command -v git >/dev/null || wanted="$wanted git" # the files that the prose test reads
    ldconfig -p 2>/dev/null | grep -q libpcre.so.3 || wanted="$wanted libpcre3" # of nginx, unpacked below
    /usr/bin/python3 -c "import numpy" 2>/dev/null || wanted="$wanted python3-numpy"
    command -v minisat >/dev/null || wanted="$wanted minisat" # a program that an example tunes
    command -v localedef >/dev/null || wanted="$wanted locales"
    # sanitizers and libFuzzer of clang, which have its version in their package's name
    fuzzer=$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a 2>/dev/null || true)
    version=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    [ -z "$version" ] || [ -e "$fuzzer" ] || wanted="$wanted libclang-rt-$version-dev"
fi
# What only tests/night.sh runs.
if [ "${1:-}" = night ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
    command -v valgrind >/dev/null || wanted="$wanted valgrind"
    command -v arm-none-eabi-gcc >/dev/null || wanted="$wanted gcc-arm-none-eabi libnewlib-arm-none-eabi"
    command -v qemu-system-arm >/dev/null || wanted="$wanted qemu-system-arm"
    command -v abidw >/dev/null || wanted="$wanted abigail-tools"
    command -v emcmake >/dev/null || wanted="$wanted emscripten"
    # what tests/release.sh packs and checks with
    command -v dh >/dev/null || wanted="$wanted debhelper"
    command -v lintian >/dev/null || wanted="$wanted lintian"
    command -v debootstrap >/dev/null || wanted="$wanted debootstrap"
    command -v mypy >/dev/null || wanted="$wanted mypy"
    command -v twine >/dev/null || wanted="$wanted twine"
    command -v luarocks >/dev/null || wanted="$wanted luarocks"
    docker info >/dev/null 2>&1 || command -v buildah >/dev/null || wanted="$wanted buildah"
    command -v doxygen >/dev/null || wanted="$wanted doxygen"
    python3 -c "import venv, ensurepip" 2>/dev/null || wanted="$wanted python3-venv"
    python3 -c "import sklearn" 2>/dev/null || /usr/bin/python3 -c "import sklearn" 2>/dev/null || wanted="$wanted python3-sklearn"
    /usr/bin/python3 -c "import optuna" 2>/dev/null || wanted="$wanted python3-optuna"
    python3 -c "import yaml" 2>/dev/null || wanted="$wanted python3-yaml"
    command -v chromium >/dev/null || wanted="$wanted chromium"
    command -v lua5.3 >/dev/null || wanted="$wanted lua5.3 liblua5.3-dev"
fi
install="apt-get install --no-install-recommends$missing"
if [ -z "$missing" ]; then
    :
elif ! command -v apt-get >/dev/null; then
    echo "Missing, by the names of the Debian packages:$missing" >&2
    exit 1
elif [ "$(id -u)" -ne 0 ]; then
    echo "Missing:$missing. Run as root: $install" >&2
    exit 1
fi
if [ -n "$missing$wanted" ]; then
    echo "Installing:$missing$wanted"
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update || [ -z "$missing" ]
    [ -z "$missing" ] || $install -qq -y >/dev/null
    for package in $wanted; do
        apt-get install --no-install-recommends -qq -y "$package" >/dev/null 2>&1 || echo "Not installed, and not tested: $package"
    done
fi
[ "${1:-}" = tests ] || exit 0

# The Node binding over the shared library, and the compiler of its types.
if command -v npm >/dev/null && { [ ! -d build/npm/node_modules/koffi ] || [ ! -d build/npm/node_modules/@grafana/schema ]; }; then
    npm install --silent --prefix build/npm koffi typescript@5 @types/node@20 @openfeature/server-sdk@1 @openfeature/core@1 redis@4 \
        @grafana/schema@11 @prometheus-io/lezer-promql @lezer/lr ||
        echo "Not installed, and not tested: koffi, typescript, @openfeature/server-sdk, redis, @grafana/schema"
fi
# nginx with its Lua module, in a folder of its own: the packages conflict with luajit.
if command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ ! -d build/nginx/root ]; then
    mkdir -p build/nginx/packages
    if (cd build/nginx/packages && apt-get download nginx libnginx-mod-http-lua libnginx-mod-http-ndk libluajit2-5.1-2 \
        lua-resty-core lua-resty-lrucache >/dev/null 2>&1); then
        for package in build/nginx/packages/*.deb; do
            dpkg -x "$package" build/nginx/root
        done
    else
        echo "Not unpacked, and not tested: nginx with its Lua module"
    fi
fi
