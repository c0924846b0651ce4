# SPDX-License-Identifier: MIT
# Read by the examples that start a server of their own.

# need PACKAGE..: installs packages on Debian, run by root.
need() {
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "needs, by the names of the Debian packages: $*"
        exit 77
    fi
    echo "installing $*"
    apt-get -qq update
    # Services of these packages are not started: the example has a server of its own.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

# find_module FOLDER: where the module integration/FOLDER/tvgp.so of a build is.
find_module() {
    find "$root/build" -path "*integration/$1/tvgp.so" 2>/dev/null | head -n 1
}

# build_module FOLDER: builds it in build/modules.
build_module() {
    echo "building the module"
    (cd "$root" && cmake --preset modules && cmake --build build/modules -j2 --target "tvgp_$1") >/dev/null
}
