# SPDX-License-Identifier: MIT
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get


class TvgpConan(ConanFile):
    name = "tvgp"
    version = "1.0.0"
    description = "Time-varying Gaussian-process bandits"
    license = "MIT"
    url = homepage = "https://EXAMPLE/tvgp"
    topics = ("bandits", "gaussian-process", "optimization")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}

    def layout(self):
        cmake_layout(self, src_folder="source")

    def source(self):
        get(self, f"https://EXAMPLE/tvgp/archive/v{self.version}.tar.gz", strip_root=True,
            sha256="0000000000000000000000000000000000000000000000000000000000000000")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TVGP_BLAS"] = "none"
        for part in ("TVGP_BUILD_TESTS", "TVGP_BUILD_EXAMPLES", "TVGP_BUILD_BENCH", "TVGP_BUILD_TOOL", "TVGP_MPI"):
            toolchain.cache_variables[part] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tvgp")
        self.cpp_info.set_property("cmake_target_name", "tvgp::tvgp")
        self.cpp_info.libs = ["tvgp"]
        self.cpp_info.system_libs = ["m"]
