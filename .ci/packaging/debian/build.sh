#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh [OUT]: the source package from the files of this commit, and from it the binary packages, in OUT (build/debian). Needs
# dpkg-dev and what debian/control names. DEB_BUILD_OPTIONS=nocheck leaves the tests out.
set -eu
cd "$(dirname "$0")/../../.."
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' .ci/packaging/debian/changelog)
out=${1:-build/debian}
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
git archive --prefix="tvgp-$version/" HEAD | tar -C "$out" -x
tar -C "$out" --sort=name --mtime=@0 -czf "$out/tvgp_$version.orig.tar.gz" "tvgp-$version"
cp -R .ci/packaging/debian "$out/tvgp-$version/debian"
cd "$out/tvgp-$version"
dpkg-buildpackage --no-sign --build=full
ls "$out"
