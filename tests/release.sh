#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh [--only PATTERN | --part N/M] | --record | --address URL | --tag
# What a release consists of. Without an argument: clones the tree, builds every artifact in the clone, installs each into an empty
# environment of its own, plays the quick start of its README there, and prints one table. A row whose tools are missing is skipped and
# names them. --only: rows whose names match the pattern (of grep -E). --part: the N-th of M pieces of the rows, in order, as later
# rows use what earlier ones built; the table has all pieces on this commit.
# --record writes the files that record release 1.0: the binary interface, the names of options, and snapshots. Once.
# --address writes the address of the project into the tree, where EXAMPLE stands for it. --tag, after a pass: completes
# build/release-files, which is what is published, by the recipes with the archive's checksums and the checksums of all files.
# Packages of Debian are installed into a bare root, which debootstrap makes in build/bare-root (as root, with a network).
set -eu
cd "$(dirname "$0")/.."
top=$PWD
version=$(sed -n 's/^project(tvgp VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=$top/build/release-check
files=$top/build/release-files
bare=${TVGP_BARE_ROOT:-$top/build/bare-root}
clone=$work/clone/tvgp
export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8
unset CCACHE_BASEDIR # ccache would write relative paths into debug information, and packages differ with and without it
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
jobs=$(nproc 2>/dev/null || echo 2)
only=. piece=1 pieces=1

record() { # the three records of docs/project/compatibility.md, and the list of symbols for Debian
    python3 -B .ci/packaging/symbols.py >.ci/packaging/debian/libtvgp1.symbols
    sh tests/abi/abi.sh --write
    cmake --preset release >/dev/null
    cmake --build build/release -j "$jobs" --target library tvgp_json test_snapshot_released >/dev/null
    TVGP_LIBRARY=$top/build/release/libtvgp.so PYTHONPATH=src/bindings/python python3 -B tests/abi/keys.py --write
    build/release/tests/test_snapshot_released --write
    ls tests/abi tests/snapshots
}

address() { # URL: of the project, in every file that names it
    git grep -lF https://EXAMPLE/tvgp -- :!docs :!tests | xargs sed -i "s#https://EXAMPLE/tvgp#$1#g"
    git diff --stat
}

publish() { # recipes with the archive's checksums, and the checksums of all files
    [ -e "$files/tvgp-$version.tar.gz" ] || { echo "run sh tests/release.sh first" >&2 && exit 1; }
    rm -rf "$files/recipes"
    cp -R .ci/packaging "$files/recipes"
    sum=$(sha256sum <"$files/tvgp-$version.tar.gz" | cut -d ' ' -f 1)
    long=$(sha512sum <"$files/tvgp-$version.tar.gz" | cut -d ' ' -f 1)
    find "$files/recipes" -type f -exec sed -i "s#0\{64\}#$sum#; s#SHA512 0#SHA512 $long#" {} +
    if grep -rnE 'https://EXAMPLE|0{64}|SHA512 0' "$files/recipes"; then exit 1; fi
    (cd "$files" && rm -f SHA256SUMS && find . -type f ! -name SHA256SUMS | sort | xargs sha256sum >SHA256SUMS)
    echo "$files: $(wc -l <"$files/SHA256SUMS") files; sign SHA256SUMS"
}

# ---- rows

row() { # name, tools, function: runs it in a shell of its own and notes how it went
    name=$1 tools=$2 function=$3 position=$((position + 1))
    echo "$name" | grep -qE -e "$only" || return 0
    [ $((position * pieces)) -gt $((rows * (piece - 1))) ] && [ $((position * pieces)) -le $((rows * piece)) ] || return 0
    for tool in $tools; do
        command -v "$tool" >/dev/null || { note "$name" "skipped: $tool is not installed" && return 0; }
    done
    began=$(date +%s)
    set +e # as a condition the function would go on after a failure
    (set -eu; cd "$clone"; "$function") >"$work/logs/$function" 2>&1
    code=$?
    set -e
    if [ $code -eq 0 ]; then
        said=$(tail -n 1 "$work/logs/$function")
        note "$name" "passes, $(($(date +%s) - began)) s: $said"
    elif [ "$(tail -n 1 "$work/logs/$function" | cut -c 1-8)" = skipped: ]; then
        note "$name" "$(tail -n 1 "$work/logs/$function")"
    else
        tail -n 25 "$work/logs/$function" >&2
        note "$name" "FAILS, see build/release-check/logs/$function"
    fi
}

note() {
    sed -i "/^$1|/d" "$work/table"
    printf '%s|%s\n' "$1" "$2" >>"$work/table"
    printf '%-34s %s\n' "$1" "$2"
}

skip() {
    echo "skipped: $1"
    exit 1
}

block() { # language, page: its first fenced block
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { if (inside) exit } inside' "$2"
}

peak() { # the output of a quick start: five predictions that are close to the truth at the end
    [ "$(wc -l <"$1")" -eq 5 ]
    tail -n 1 "$1" | awk '{ gsub(",", ""); d = $6 - $9; exit !(d < 0.15 && d > -0.15) }'
}

alone() { # command: without the variables of this environment
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$work/home" ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"} "$@"
}

again() { # a second build must not depend on place, time zone, locale or umask
    place="$work/second-place-with-another-name"
    rm -rf "$place"
    git clone -q "$clone" "$place"
    cd "$place"
    umask 002
    export TZ=Asia/Kolkata LC_ALL=C LANG=C CCACHE_DISABLE=1
}

same_files() { # two directories: the files of the first are in the second, byte by byte
    (cd "$1" && find . -type f | sort | xargs sha256sum) >"$work/sums"
    (cd "$2" && sha256sum --quiet -c "$work/sums")
    wc -l <"$work/sums"
}

source_archive() {
    git archive --format=tar.gz --prefix="tvgp-$version/" -o "$files/tvgp-$version.tar.gz" HEAD
    (again && git archive --format=tar.gz --prefix="tvgp-$version/" -o "$work/second.tar.gz" HEAD)
    cmp "$files/tvgp-$version.tar.gz" "$work/second.tar.gz"
    tar -tzf "$files/tvgp-$version.tar.gz" "tvgp-$version/README.md"
    echo "$(wc -c <"$files/tvgp-$version.tar.gz") bytes, the same twice"
}

cmake_package() {
    off="-DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=OFF"
    # shellcheck disable=SC2086 # options are words
    cmake --preset release $off
    cmake --build build/release -j "$jobs"
    sh tests/install/install.sh cmake "$PWD/build/release" "$version" cc
    echo "find_package, pkg-config, shared, static, C++"
}

debian_source() { # where, OUT: the packages of the tree in the working directory
    rm -rf "$1"
    mkdir -p "$1"
    git archive --format=tar.gz --prefix="tvgp-$version/" -o "$1/tvgp_$version.orig.tar.gz" HEAD
    tar -C "$1" -xzf "$1/tvgp_$version.orig.tar.gz"
    cp -R .ci/packaging/debian "$1/tvgp-$version/debian"
    (cd "$1/tvgp-$version" && DEB_BUILD_OPTIONS="nocheck parallel=$jobs" dpkg-buildpackage --no-sign --build=full)
    rm -rf "$1/tvgp-$version"
}

debian_packages() {
    debian_source "$work/debian"
    rm -rf "$files/debian"
    mkdir -p "$files/debian"
    cp "$work"/debian/*.deb "$work"/debian/*.dsc "$work"/debian/*.tar.* "$work"/debian/*.changes "$work"/debian/*.buildinfo "$files/debian"
    echo "$(find "$files/debian" -name '*.deb' | wc -l) packages"
}

debian_lint() {
    lintian --fail-on error,warning --allow-root -I --pedantic "$work"/debian/*.changes >"$work/lintian" || { cat "$work/lintian" && exit 1; }
    grep -E '^[IP]:' "$work/lintian" || true
    echo "no error, no warning, $(grep -cE '^[IP]:' "$work/lintian") of lower kinds"
}

debian_again() {
    (again && debian_source "$work/debian-again")
    rm -rf "$work/debian-once"
    mkdir -p "$work/debian-once"
    find "$work/debian" -maxdepth 1 \( -name '*.deb' -o -name '*.dsc' -o -name '*.tar.*' \) -exec cp {} "$work/debian-once" \;
    count=$(same_files "$work/debian-once" "$work/debian-again")
    echo "$count files, the same twice"
}

bare_root() { # name: a fresh copy of the bare root, in a place of its own, for `inside`
    [ "$(id -u)" -eq 0 ] || skip "installing packages needs root"
    if [ ! -x "$bare/usr/bin/gcc" ]; then
        debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config,ca-certificates bookworm "$bare" || skip "debootstrap found no mirror"
    fi
    rm -rf "${work:?}/$1-root"
    cp -a "$bare" "$work/$1-root"
    cp /etc/resolv.conf "$work/$1-root/etc/" 2>/dev/null || true
}

inside() { # name, script: runs it in the copy
    alone DEBIAN_FRONTEND=noninteractive chroot "$work/$1-root" /bin/sh -euxc "$2"
}

debian_install() {
    bare_root debian
    root=$work/debian-root
    mkdir -p "$root/srv"
    cp "$files"/debian/*.deb "$root/srv"
    rm -f "$root"/srv/*dbgsym*
    block c README.md >"$root/srv/app.c"
    sed -n 's/^ *\(cc app\.c .*\)$/\1/p' README.md | head -n 1 >"$root/srv/line"
    inside debian 'apt-get -qq update; apt-get -qq install -y --no-install-recommends /srv/*.deb; cd /srv
        . ./line; ./app >out; tvgp create state grid=0:1:11; tvgp ask state; tvgp tell state 1 0.5; tvgp best state'
    peak "$root/srv/out"
    rm -rf "$root"
    echo "the README's program, by its own line; tvgp(1)"
}

source_install() { # by the lines of the README, as root; without tests, since their library is not there
    bare_root source
    root=$work/source-root
    tar -C "$root/srv" -xzf "$files/tvgp-$version.tar.gz"
    sed -n '/^## Installation/,/^It needs/s/^    //p' README.md >"$root/srv/lines"
    [ "$(wc -l <"$root/srv/lines")" -eq 3 ]
    block c README.md >"$root/srv/tvgp-$version/app.c"
    inside source "apt-get -qq update; apt-get -qq install -y --no-install-recommends cmake make libopenblas-dev liblapacke-dev
        cd /srv/tvgp-$version; CMAKE_BUILD_PARALLEL_LEVEL=$jobs; export CMAKE_BUILD_PARALLEL_LEVEL; . ../lines; env -i ./app >../out"
    peak "$root/srv/out"
    rm -rf "$root"
    echo "the three lines of the README's installation, its program"
}

wheel() {
    rm -rf "$files/python"
    mkdir -p "$files/python"
    (cd src/bindings/python && env -u TVGP_LIBRARY python3 -B -c 'import sys, build_wheel; build_wheel.build_wheel(sys.argv[1]); build_wheel.build_sdist(sys.argv[1])' "$files/python")
    python3 -B .ci/packaging/wheel.py "$files"/python/*.whl
}

python_start() { # environment, an option: pip install tvgp, from the folder of what is uploaded
    python3 -m venv "$work/$1"
    alone "$work/$1/bin/pip" -q install --no-index --find-links "$files/python" --no-build-isolation "$2" tvgp
    alone "$work/$1/bin/pip" check
    block python src/bindings/python/README.md >"$work/start.py"
    (cd "$work" && alone "$work/$1/bin/python" -B start.py) >"$work/out"
    peak "$work/out"
}

wheel_install() {
    python_start wheel-env --only-binary=tvgp
    echo "pip install, pip check, the README's program"
}

wheel_bare() { # the two programs of the page, in two processes
    bare_root wheel
    root=$work/wheel-root
    cp "$files"/python/*.whl "$root/srv"
    awk '/^```python$/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print >file n ".py" }' file="$root/srv/" docs/guide/sharing-from-python.md
    inside wheel 'apt-get -qq update; apt-get -qq install -y --no-install-recommends python3-venv; cd /srv
        rm -f /usr/bin/*gcc* /usr/bin/cc; python3 -m venv env; env/bin/pip -q install --no-index *.whl; env/bin/python 1.py >out; env/bin/python 2.py >>out'
    printf "11\n['9', '11', '13', '15']\n" | diff - "$root/srv/out"
    rm -rf "$root"
    echo "the programs of the page Sharing a policy from Python, without a compiler"
}

wheel_again() {
    rm -rf "$work/python-again"
    mkdir -p "$work/python-again"
    (again && cd src/bindings/python && env -u TVGP_LIBRARY python3 -B -c 'import sys, build_wheel; build_wheel.build_wheel(sys.argv[1]); build_wheel.build_sdist(sys.argv[1])' "$work/python-again")
    count=$(same_files "$files/python" "$work/python-again")
    echo "$count files, the same twice"
}

metadata() {
    twine check --strict "$files"/python/*
}

sdist_install() {
    python_start sdist-env --no-binary=tvgp
    echo "compiled by pip without a network, the README's program"
}

npm_package() {
    emcmake cmake --preset wasm
    cmake --build --preset wasm -j "$jobs"
    mkdir -p "$files/npm"
    (cd src/bindings/node && TVGP_WASM=$clone/build/wasm/tvgp.wasm npm pack --silent --offline --pack-destination "$files/npm")
    rm -rf "$work/npm"
    mkdir -p "$work/npm"
    cd "$work/npm"
    npm install --silent --offline --no-audit --no-fund "$files"/npm/*.tgz
    block js "$clone/src/bindings/node/README.md" >start.js
    alone node start.js >out
    peak out
    echo "import tvgp, { Policy } from 'tvgp'; if (!Policy || !tvgp.grid) process.exit(1);" >start.mjs
    alone node start.mjs
    python3 -B "$clone/tests/guide.py" extract "$clone/docs/start/tutorial.md" python >/dev/null
    alone node node_modules/tvgp/tutorial.js "$clone/examples/data/prices.csv"
    echo "$(wc -c "$files"/npm/*.tgz | tail -n 1 | awk '{ print $1 }') bytes; require, import, the README's program"
}

npm_again() {
    again
    emcmake cmake --preset wasm
    cmake --build --preset wasm -j "$jobs"
    rm -rf "$work/npm-again"
    mkdir -p "$work/npm-again"
    (cd src/bindings/node && TVGP_WASM=$place/build/wasm/tvgp.wasm npm pack --silent --offline --pack-destination "$work/npm-again")
    echo "$(same_files "$files/npm" "$work/npm-again") file, the same twice"
}

npm_lint() {
    [ -x "$top/build/npm/node_modules/.bin/publint" ] || skip "publint is not in build/npm (npm install --prefix build/npm publint)"
    "$top/build/npm/node_modules/.bin/publint" "$work/npm/node_modules/tvgp" --strict
    echo "publint: nothing"
}

npm_types() {
    [ -x "$top/build/npm/node_modules/.bin/tsc" ] || skip "typescript is not in build/npm (npm install --prefix build/npm typescript @types/node)"
    sh src/bindings/node/types.sh "$work/npm/node_modules/tvgp" "$top/build/npm" "$clone/build/wasm/tvgp.json"
}

crates() {
    cargo package --help | grep -q -e --workspace && [ "$(cargo --version | sed 's/^cargo 1\.\([0-9]*\).*/\1/')" -ge 90 ] ||
        skip "cargo is older than 1.90, which packs crates that need each other"
    [ -e build/release/bindings/rust/sys.rs ] || { cmake --preset release && cmake --build build/release --target tvgp_json; }
    rm -rf "$work/crates" "$work/crate"
    sh src/bindings/rust/stage.sh build/release "$work/crates"
    (cd "$work/crates" && cargo package --workspace --offline --allow-dirty --features bundled)
    mkdir -p "$files/crates" "$work/crate/registry" "$work/crate/start/.cargo"
    cp "$work"/crates/target/package/*.crate "$files/crates"
    for name in tvgp-sys tvgp; do # a registry in a folder
        tar -C "$work/crate/registry" -xzf "$files/crates/$name-$version.crate"
        echo '{"files":{},"package":null}' >"$work/crate/registry/$name-$version/.cargo-checksum.json"
    done
    printf '[source.crates-io]\nreplace-with = "packed"\n[source.packed]\ndirectory = "%s"\n' "$work/crate/registry" >"$work/crate/start/.cargo/config.toml"
    (cd "$work/crate/start" && cargo init --quiet --vcs none && cargo add --quiet --offline tvgp --features bundled)
    block rust src/bindings/rust/tvgp/README.md >"$work/crate/start/src/main.rs"
    (cd "$work/crate/start" && env -u TVGP_LIB_DIR cargo run --offline --quiet) >"$work/out"
    peak "$work/out"
    (cd "$work/crates" && cargo doc --offline --no-deps --features bundled)
    echo "packed, verified, cargo add, the README's program with the library inside"
}

rocks() {
    luarocks lint "src/bindings/lua/tvgp-$version-1.rockspec"
    rm -rf "$work/rocks" "$work/rock-server"
    mkdir -p "$work/rock-server"
    luarocks make --tree "$work/rocks" --pack-binary-rock "src/bindings/lua/tvgp-$version-1.rockspec"
    mv tvgp-*.rock "$work/rock-server"
    luarocks-admin make-manifest "$work/rock-server"
    luarocks install --only-server="$work/rock-server" --tree "$work/rocks" tvgp
    lua=$(luarocks config lua_interpreter)
    eval "$(luarocks path --tree "$work/rocks")"
    cat >"$work/start.lua" <<'END'
local p = require("tvgp").create("auto-gp-ucb grid=0:1:101")
for t = 1, 300 do
    local peak = 0.5 + 0.4 * math.sin(0.02 * t)
    local id, arm, x = p:ask(t)
    p:tell(id, math.exp(-20 * (x[1] - peak) ^ 2), t)
    if t % 60 == 0 then
        local _, best = p:best(t)
        print(("t = %3d  predicted peak %.2f, true peak %.2f"):format(t, best[1], peak))
    end
end
END
    (cd "$work" && "$lua" start.lua) >"$work/out"
    peak "$work/out"
    echo "luarocks lint, luarocks install, the quick start by $lua"
}

containers() { # buildah, with everything below the work directory
    buildah --root "$work/containers" --runroot "$work/containers-run" "$@"
}

base_image() { # where no registry is in reach: the bare root
    containers pull -q debian:bookworm-slim && return
    bare_root image
    made=$(containers from scratch)
    containers add -q "$made" "$work/image-root" /
    containers commit -q --rm "$made" debian:bookworm-slim
    rm -rf "$work/image-root"
}

docker_image() { # by docker where its service runs, else by buildah
    recipe=.ci/packaging/docker/Dockerfile
    mkdir -p "$work/data"
    chmod 777 "$work/data"
    if docker info >/dev/null 2>&1; then
        git archive HEAD | docker build -t "tvgp:$version" -f $recipe -
        image() { docker run --rm -v "$work/data:/data" --entrypoint "" "tvgp:$version" "$@"; }
    else
        command -v buildah >/dev/null || skip "no service of docker runs, and buildah is not installed"
        export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
        base_image
        rm -rf "$work/image-source"
        mkdir -p "$work/image-source"
        git archive HEAD | tar -x -C "$work/image-source"
        containers bud --layers --pull-never --network host -t "tvgp:$version" -f $recipe "$work/image-source"
        made=$(containers from --pull-never "tvgp:$version")
        image() { containers run -v "$work/data:/data" "$made" -- "$@"; }
    fi
    rm -f "$work"/data/state*
    image tvgp create state grid=0:1:11
    image tvgp ask state | grep -q '^1 '
    image tvgp tell state 1 0.5
    image python3 -c 'import tvgp; p = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 1, 11)); assert p.ask(1).id == 1'
    image python3 -c 'import sqlite3; c = sqlite3.connect(":memory:"); c.enable_load_extension(True); c.load_extension("/usr/lib/sqlite3/tvgp0")'
    image ls /usr/lib/redis/tvgp.so /usr/lib/postgresql/15/lib/tvgp.so /usr/share/postgresql/15/extension/tvgp.control
    echo "tvgp(1), import tvgp, the module for SQLite; other modules are there"
}

recipes() {
    python3 -B .ci/packaging/check.py
}

bill() {
    cmake --build build/release --target sbom
    cp build/release/sbom.spdx.json "$files"
    echo "$(grep -c '"fileName"' "$files/sbom.spdx.json") files with a licence"
}

citation() {
    python3 -c 'import sys, yaml; c = yaml.safe_load(open("CITATION.cff")); sys.exit(c["version"] != sys.argv[1])' "$version"
    echo "parses, version $version"
}

symbols() {
    sh tests/symbols.sh nm readelf build/release/libtvgp.so build/release/libtvgp.a >/dev/null
    python3 -B .ci/packaging/symbols.py | diff .ci/packaging/debian/libtvgp1.symbols -
    echo "$(grep -c '^ *tvgp_' src/package/tvgp.map) functions"
}

abi() {
    sh tests/abi/abi.sh
    [ -e tests/abi/tvgp-1.0.keys ] || { echo "skipped: tvgp-1.0.keys is not recorded (sh tests/release.sh --record)" && exit 1; }
    TVGP_LIBRARY=$clone/build/release/libtvgp.so PYTHONPATH=src/bindings/python python3 -B tests/abi/keys.py
    echo "as recorded; changes are noticed"
}

snapshots() {
    [ -n "$(find tests/snapshots -name "$version-*.tvgp")" ] || { echo "skipped: no snapshot of $version is recorded (sh tests/release.sh --record)" && exit 1; }
    cmake --preset release -DTVGP_BUILD_TESTS=ON
    cmake --build build/release -j "$jobs" --target test_snapshot_released
    build/release/tests/test_snapshot_released
    echo "$(find tests/snapshots -name '*.tvgp' | wc -l) snapshots load"
}

reference() {
    cmake --build build/release --target reference
    [ -s build/release/site/xml/index.xml ]
    echo "doxygen without a warning"
}

fuzzers() {
    [ -e "$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a)" ] || skip "libFuzzer of clang (libclang-rt-dev) is not installed"
    export CC=clang CFLAGS="-O1 -fsanitize=address,fuzzer-no-link" LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT="$work/fuzz" WORK="$work/fuzz-build"
    env -u SRC sh .ci/oss-fuzz/build.sh
    mkdir -p "$work/corpus"
    find tests/snapshots -name '*.tvgp' -exec cp {} "$work/corpus" \;
    "$work/fuzz/fuzz_restore" -seed=1 -max_len=20000 -max_total_time=20 -print_final_stats=1 -artifact_prefix="$work/" "$work/corpus"
    sed -n 's/^stat::average_exec_per_sec: *//p' "$work/logs/fuzzers" | tail -n 1 >"$work/rate"
    for target in dump tool; do
        "$work/fuzz/fuzz_$target" -seed=1 -max_len=1200 -max_total_time=20 -artifact_prefix="$work/"
    done
    echo "six targets; fuzz_restore $(cat "$work/rate") runs/s"
}

case ${1:-} in
--record) record && exit ;;
--address) address "$2" && exit ;;
--tag) publish && exit ;;
--only) only=$2 ;;
--part) piece=${2%/*} pieces=${2#*/} ;;
"") ;;
*) sed -n '3p' "$0" >&2 && exit 2 ;;
esac

[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "note: changes that are not committed are left out"
commit=$(git rev-parse HEAD)
[ "$only" != . ] || [ "$piece" -gt 1 ] || rm -rf "$work"
mkdir -p "$work/logs" "$work/home" "$files"
[ "$(cat "$work/commit" 2>/dev/null)" = "$commit" ] && [ "$piece" -gt 1 ] || rm -f "$work/table"
echo "$commit" >"$work/commit"
touch "$work/table"
rows=$(grep -c '^row "' "$0")
position=0
[ -e "$clone" ] || git clone -q "$top" "$clone"
git -C "$clone" fetch -q "$top" HEAD
git -C "$clone" reset -q --hard FETCH_HEAD
row "source archive" git source_archive
row "CMake package, pkg-config" "cmake pkg-config" cmake_package
row "symbols" "nm readelf" symbols
row "binary interface, names" "abidw python3" abi
row "recorded snapshots" cmake snapshots
row "C reference" doxygen reference
row "Debian packages" "dh dpkg-buildpackage" debian_packages
row "Debian: lintian" lintian debian_lint
row "Debian: second build" "dh dpkg-buildpackage" debian_again
row "Debian: installed" debootstrap debian_install
row "source archive: installed" debootstrap source_install
row "Python wheel and sdist" "python3 cmake" wheel
row "Python: metadata" twine metadata
row "Python: wheel installed" python3 wheel_install
row "Python: wheel without a compiler" debootstrap wheel_bare
row "Python: sdist installed" "python3 cmake" sdist_install
row "Python: second build" "python3 cmake" wheel_again
row "npm package" "emcmake node npm" npm_package
row "npm: second build" "emcmake node npm" npm_again
row "npm: publint" npm npm_lint
row "npm: types" npm npm_types
row "Rust crates" cargo crates
row "LuaRocks" luarocks rocks
row "Docker image" git docker_image
row "recipes" python3 recipes
row "bill of materials" python3 bill
row "CITATION.cff" python3 citation
row "fuzz targets (OSS-Fuzz)" clang fuzzers
echo
echo "$(wc -l <"$work/table") of $rows rows on $commit:"
column -t -s '|' <"$work/table" 2>/dev/null || cat "$work/table"
echo "$(grep -c '|passes' "$work/table") pass, $(grep -c '|skipped' "$work/table") skipped, $(grep -c '|FAILS' "$work/table" || true) fail"
! grep -q '|FAILS' "$work/table"
