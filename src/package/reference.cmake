# SPDX-License-Identifier: MIT
# Pages of the headers, by Doxygen where that is installed: the target `reference`, and in the documentation package when it was made.
find_program(DOXYGEN doxygen)
mark_as_advanced(DOXYGEN)
if(DOXYGEN)
    configure_file(${PROJECT_SOURCE_DIR}/src/package/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
    add_custom_target(reference COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/reference DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/src/package/tvgp.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
