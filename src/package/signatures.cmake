# SPDX-License-Identifier: MIT
# tvgp.json, the list of signatures that bindings read, made from the headers beside the library; left out where Python is not.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
    message(STATUS "tvgp: tvgp.json, the list of signatures for bindings, is left out: Python was not found")
    return()
endif()
set(script ${PROJECT_SOURCE_DIR}/src/package/signatures.py)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/tvgp/*.h)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/tvgp.json DEPENDS ${script} ${PROJECT_SOURCE_DIR}/src/package/roles.py ${headers} VERBATIM
    COMMAND ${Python3_EXECUTABLE} -B ${script} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/tvgp.json)
add_custom_target(tvgp_json ALL DEPENDS ${PROJECT_BINARY_DIR}/tvgp.json)
