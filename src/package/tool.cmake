# SPDX-License-Identifier: MIT
# tvgp(1), the command line over a state file. It needs a system with POSIX file locks.
option(TVGP_BUILD_TOOL "Build the program tvgp" ${PROJECT_IS_TOP_LEVEL})
if(NOT TVGP_BUILD_TOOL OR NOT UNIX)
    return()
endif()
file(GLOB tool_sources CONFIGURE_DEPENDS src/tool/*.c)
add_executable(tvgp_tool ${tool_sources})
# `tvgp replay` is sensor_replay of the examples, whose main it calls.
include(examples/replay.cmake)
add_library(tvgp_replay OBJECT ${replay_sources})
target_compile_definitions(tvgp_replay PRIVATE main=tool_replay "REPLAY_NAME=\"tvgp replay\"")
target_link_libraries(tvgp_replay PRIVATE tvgp_build tvgp::tvgp)
target_sources(tvgp_tool PRIVATE $<TARGET_OBJECTS:tvgp_replay>)
target_include_directories(tvgp_tool PRIVATE include examples) # examples: csv.h
# With plain loops: loading OpenBLAS and LAPACKE would take longer than a call of the program.
target_link_libraries(tvgp_tool PRIVATE tvgp_build tvgp_plain m)
set_target_properties(tvgp_tool PROPERTIES OUTPUT_NAME tvgp)
if(TVGP_INSTALL)
    install(TARGETS tvgp_tool RUNTIME COMPONENT tool)
    install(FILES ${PROJECT_SOURCE_DIR}/src/package/tvgp.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
endif()
