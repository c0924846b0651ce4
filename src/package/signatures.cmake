# SPDX-License-Identifier: MIT
# tvgp.json, the list of signatures that bindings read, made from the headers beside the library, and below bindings what C++, Lua and Rust
# take from it; left out where Python is not.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
    message(STATUS "tvgp: tvgp.json, the list of signatures for bindings, is left out: Python was not found")
    return()
endif()
set(script ${PROJECT_SOURCE_DIR}/src/package/signatures.py)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/tvgp/*.h
    ${PROJECT_SOURCE_DIR}/include/tvgp/experimental/*.h)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/tvgp.json DEPENDS ${script} ${PROJECT_SOURCE_DIR}/src/package/roles.py ${headers} VERBATIM
    COMMAND ${Python3_EXECUTABLE} -B ${script} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/tvgp.json)
set(generate ${PROJECT_SOURCE_DIR}/src/bindings/generate)
set(made ${PROJECT_BINARY_DIR}/bindings)
set(made_files ${made}/cpp/tvgp_functions.hpp ${made}/lua/tvgp/cdef.lua ${made}/lua/tvgp/signatures.lua ${made}/node/functions.d.ts
    ${made}/rust/sys.rs ${made}/rust/c.rs)
file(GLOB generators CONFIGURE_DEPENDS ${generate}/*.py)
add_custom_command(OUTPUT ${made_files} DEPENDS ${PROJECT_BINARY_DIR}/tvgp.json ${generators} VERBATIM
    COMMAND ${Python3_EXECUTABLE} -B ${generate}/generate.py ${PROJECT_BINARY_DIR}/tvgp.json ${made})
add_custom_target(tvgp_json ALL DEPENDS ${PROJECT_BINARY_DIR}/tvgp.json ${made_files})
target_include_directories(tvgp_cpp INTERFACE $<BUILD_INTERFACE:${made}/cpp>)
add_dependencies(tvgp_cpp tvgp_json)
