# SPDX-License-Identifier: MIT
# Plain C loops in place of OpenBLAS: no dependency at all.
vcpkg_download_distfile(archive
    URLS "https://EXAMPLE/tvgp/archive/v${VERSION}.tar.gz"
    FILENAME "tvgp-${VERSION}.tar.gz"
    SHA512 0)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
    -DTVGP_BLAS=none -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=OFF -DTVGP_BUILD_TOOL=OFF -DTVGP_MPI=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tvgp)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
