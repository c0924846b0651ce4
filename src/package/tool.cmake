# SPDX-License-Identifier: MIT
# tvgp(1), the command line over a state file. It needs a system with POSIX file locks.
option(TVGP_BUILD_TOOL "Build the program tvgp" ${PROJECT_IS_TOP_LEVEL})
if(NOT TVGP_BUILD_TOOL OR NOT UNIX)
    return()
endif()
file(GLOB tool_sources CONFIGURE_DEPENDS src/tool/*.c)
add_executable(tvgp_tool ${tool_sources})
target_link_libraries(tvgp_tool PRIVATE tvgp_build tvgp::tvgp m)
set_target_properties(tvgp_tool PROPERTIES OUTPUT_NAME tvgp INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(TVGP_INSTALL)
    install(TARGETS tvgp_tool RUNTIME COMPONENT tool)
    install(FILES ${PROJECT_SOURCE_DIR}/src/package/tvgp.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
endif()
