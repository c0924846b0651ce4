# SPDX-License-Identifier: MIT
# LAPACKE::LAPACKE: the C interfaces of LAPACK and BLAS (lapacke.h, cblas.h) from OpenBLAS, with or without a separate
# liblapacke. pkg-config says where to look first. Also used by the installed package, for the static library.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_OPENBLAS QUIET openblas)
    pkg_check_modules(PC_LAPACKE QUIET lapacke)
endif()

find_library(OPENBLAS_LIBRARY NAMES openblas HINTS ${PC_OPENBLAS_LIBRARY_DIRS})
find_library(LAPACKE_LIBRARY NAMES lapacke openblas HINTS ${PC_LAPACKE_LIBRARY_DIRS} ${PC_OPENBLAS_LIBRARY_DIRS})
find_path(CBLAS_INCLUDE_DIR cblas.h HINTS ${PC_OPENBLAS_INCLUDE_DIRS} PATH_SUFFIXES openblas)
find_path(LAPACKE_INCLUDE_DIR lapacke.h HINTS ${PC_LAPACKE_INCLUDE_DIRS} ${PC_OPENBLAS_INCLUDE_DIRS}
    PATH_SUFFIXES openblas lapacke)
mark_as_advanced(OPENBLAS_LIBRARY LAPACKE_LIBRARY CBLAS_INCLUDE_DIR LAPACKE_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE
    REQUIRED_VARS LAPACKE_LIBRARY OPENBLAS_LIBRARY LAPACKE_INCLUDE_DIR CBLAS_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "On Debian and Ubuntu: libopenblas-dev and liblapacke-dev.")

if(LAPACKE_FOUND)
    set(LAPACKE_LIBRARIES ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY})
    list(REMOVE_DUPLICATES LAPACKE_LIBRARIES)
    if(NOT TARGET LAPACKE::LAPACKE)
        add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
        target_include_directories(LAPACKE::LAPACKE INTERFACE ${CBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
        target_link_libraries(LAPACKE::LAPACKE INTERFACE ${LAPACKE_LIBRARIES})
    endif()
endif()
