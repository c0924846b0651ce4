# SPDX-License-Identifier: MIT
# Read by run.sh and night.sh, from the project's directory: one build with everything, warnings as errors, and its tests.
if command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja # starts fewer processes than make
fi
build() { # directory below build/, preset, further options of cmake
    tree=build/$1 preset=$2
    shift 2
    cmake --preset "$preset" -B "$tree" -DTVGP_WERROR=ON -DTVGP_BUILD_TESTS=ON "$@"
    cmake --build "$tree" -j "$jobs"
}

run_tests() { # preset, in the directory of its name; further options of ctest. Keeps what tests/skipped.py and summary read.
    preset=$1
    shift
    {
        failed=0
        ctest --preset "$preset" -j "$jobs" --output-junit tests.xml "$@" || failed=1
        echo $failed >"build/$preset/tests.failed"
    } | tee "build/$preset/tests.log"
    return "$(cat "build/$preset/tests.failed")"
}

summary() { # preset: what ctest said in the end
    echo
    echo "$1:"
    sed -n '/tests passed/,$p' "build/$1/tests.log"
}
