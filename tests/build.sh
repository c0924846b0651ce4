# SPDX-License-Identifier: MIT
# Read by run.sh and night.sh, from the project's directory: one build with everything, warnings as errors.
build() { # directory below build/, preset, further options of cmake
    tree=build/$1 preset=$2
    shift 2
    cmake --preset "$preset" -B "$tree" -DTVGP_WERROR=ON -DTVGP_BUILD_TESTS=ON -DTVGP_BUILD_EXAMPLES=ON \
        -DTVGP_BUILD_BENCH=ON "$@"
    cmake --build "$tree" -j "$jobs"
}
