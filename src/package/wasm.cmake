# SPDX-License-Identifier: MIT
# tvgp.wasm, all exported functions in one module without imports but the notice that its memory grew: emcmake cmake --preset wasm,
# cmake --build build/wasm. The npm package in src/bindings/node carries it. The stack has 64 kB, twice what a call uses
# (docs/reference/guarantees.md), and lies first: what went beyond its end would be a trap, not data.
file(STRINGS ${PROJECT_SOURCE_DIR}/src/package/tvgp.map lines REGEX "^ *tvgp_")
set(exports "\"_malloc\", \"_free\"")
foreach(line IN LISTS lines)
    string(REGEX MATCH "tvgp_[a-z0-9_]+" name "${line}")
    string(APPEND exports ", \"_${name}\"")
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/exports.json "[${exports}]\n")

add_executable(tvgp_wasm $<TARGET_OBJECTS:tvgp_objects>)
set_target_properties(tvgp_wasm PROPERTIES OUTPUT_NAME tvgp SUFFIX .wasm LINKER_LANGUAGE C
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/package/tvgp.map)
target_link_options(tvgp_wasm PRIVATE -O2 -msimd128 --no-entry -sEXPORTED_FUNCTIONS=@${PROJECT_BINARY_DIR}/exports.json
    -sALLOW_MEMORY_GROWTH -sALLOW_TABLE_GROWTH -sTOTAL_STACK=64KB -Wl,--stack-first -sINITIAL_MEMORY=4MB)
