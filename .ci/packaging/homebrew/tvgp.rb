# SPDX-License-Identifier: MIT
class Tvgp < Formula
  desc "Time-varying Gaussian-process bandits"
  homepage "https://EXAMPLE/tvgp"
  url "https://EXAMPLE/tvgp/archive/v1.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkg-config" => :build
  depends_on "openblas"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DTVGP_BUILD_TESTS=OFF", "-DTVGP_BUILD_EXAMPLES=OFF", "-DTVGP_BUILD_BENCH=OFF",
           "-DTVGP_MPI=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"tvgp", "create", "state", "grid=0:1:11"
    assert_match(/\A1 /, shell_output("#{bin}/tvgp ask state"))
  end
end
