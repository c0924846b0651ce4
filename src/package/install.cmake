# SPDX-License-Identifier: MIT
# The installed package. The static library has an export of its own: it needs LAPACKE where it is used, the shared one does not.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tvgp)
install(TARGETS tvgp tvgp_cpp tvgp_plain EXPORT tvgpTargets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)
install(TARGETS tvgp_static EXPORT tvgpStaticTargets ARCHIVE COMPONENT development)
install(EXPORT tvgpTargets NAMESPACE tvgp:: DESTINATION ${package_dir} COMPONENT development)
install(EXPORT tvgpStaticTargets NAMESPACE tvgp:: DESTINATION ${package_dir} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/src/bindings/cpp/tvgp.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT documentation PATTERN "__pycache__" EXCLUDE)

if(TARGET tvgp_json)
    install(FILES ${PROJECT_BINARY_DIR}/tvgp.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tvgp COMPONENT development)
    install(FILES ${PROJECT_BINARY_DIR}/bindings/cpp/tvgp_functions.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/bindings/lua ${PROJECT_BINARY_DIR}/bindings/rust DESTINATION ${CMAKE_INSTALL_DATADIR}/tvgp
        COMPONENT development)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/bindings/lua/tvgp DESTINATION ${CMAKE_INSTALL_DATADIR}/tvgp/lua COMPONENT development)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/src/package/tvgpConfig.cmake.in tvgpConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tvgpConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tvgpConfig.cmake ${PROJECT_BINARY_DIR}/tvgpConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/src/package/FindLAPACKE.cmake DESTINATION ${package_dir} COMPONENT development)

# Paths in tvgp.pc are relative to the file itself, so `cmake --install --prefix` may choose another place.
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_include ${pkgconfig_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
# A static library needs what LAPACKE needs. The libraries are listed, not required: pkg-config refuses a package whose requirements
# are not installed, also the private ones of a shared library.
list(JOIN LAPACKE_LIBRARIES " " pc_private)
if(TVGP_BLAS STREQUAL "openblas" AND PC_LAPACKE_FOUND AND PC_OPENBLAS_FOUND)
    set(pc_private ${PC_LAPACKE_STATIC_LDFLAGS} ${PC_OPENBLAS_STATIC_LDFLAGS})
    list(JOIN pc_private " " pc_private)
endif()
configure_file(${PROJECT_SOURCE_DIR}/src/package/tvgp.pc.in tvgp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tvgp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET tvgp_mpi)
    install(TARGETS tvgp_mpi EXPORT tvgpMpiTargets LIBRARY COMPONENT mpi)
    install(EXPORT tvgpMpiTargets NAMESPACE tvgp:: DESTINATION ${package_dir} COMPONENT mpi)
    install(FILES ${PROJECT_SOURCE_DIR}/src/mpi/include/tvgp/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tvgp COMPONENT mpi)
    configure_file(${PROJECT_SOURCE_DIR}/src/package/tvgp-mpi.pc.in tvgp-mpi.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/tvgp-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT mpi)
endif()

include(src/package/reference.cmake)
include(src/package/pack.cmake)
