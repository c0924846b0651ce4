# SPDX-License-Identifier: MIT
# The documentation site (docs/build.sh): the target `site`, in the documentation package when it was made. Doxygen reads the headers,
# Sphinx the pages; without them, or without MyST, Breathe, Furo or KaTeX, the target is missing.
find_program(DOXYGEN doxygen)
find_program(SPHINX sphinx-build)
find_path(KATEX katex.min.js PATHS /usr/share/javascript/katex NO_DEFAULT_PATH)
mark_as_advanced(DOXYGEN SPHINX KATEX)
if(DOXYGEN AND SPHINX AND KATEX AND NOT TVGP_SITE)
    set(probe ${PROJECT_BINARY_DIR}/site/probe)
    file(WRITE ${probe}/conf.py "extensions = ['myst_parser', 'breathe']\nhtml_theme = 'furo'\nbreathe_projects = {'x': ''}\n")
    file(WRITE ${probe}/index.md "# probe\n")
    execute_process(COMMAND ${SPHINX} -Q -b html ${probe} ${probe}/out RESULT_VARIABLE failed)
    if(NOT failed)
        set(TVGP_SITE ON CACHE INTERNAL "Sphinx has its extensions")
    endif()
endif()
if(DOXYGEN) # fails if a comment of a header is incomplete
    configure_file(${PROJECT_SOURCE_DIR}/src/package/Doxyfile.in ${PROJECT_BINARY_DIR}/site/Doxyfile @ONLY)
    add_custom_target(reference COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/site/Doxyfile VERBATIM)
endif()
if(TVGP_SITE AND tvgp_shared AND NOT CMAKE_C_FLAGS MATCHES sanitize)
    add_custom_target(site
        COMMAND ${CMAKE_COMMAND} -E env TVGP_XML=${PROJECT_BINARY_DIR}/site/xml TVGP_VERSION=${PROJECT_VERSION} TVGP_KATEX=${KATEX}
            TVGP_LIBRARY=$<TARGET_FILE:tvgp> PYTHONPATH=${PROJECT_SOURCE_DIR}/src/bindings/python PYTHONDONTWRITEBYTECODE=1
            ${SPHINX} -W --keep-going -n -q -d ${PROJECT_BINARY_DIR}/site/doctrees ${PROJECT_SOURCE_DIR}/docs ${PROJECT_BINARY_DIR}/site/html
        VERBATIM)
    add_dependencies(site tvgp tvgp_json reference)
else()
    message(STATUS "tvgp: the documentation site is left out (on Debian and Ubuntu: sh .ci/deps.sh site)")
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/site/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/src/package/tvgp.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
# The bill of materials: the target `sbom` writes sbom.spdx.json.
if(Python3_FOUND)
    add_custom_target(sbom VERBATIM
        COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/src/package/sbom.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/sbom.spdx.json)
endif()
