# SPDX-License-Identifier: MIT
{ lib, stdenv, fetchurl, cmake, pkg-config, python3, openblas, lapack-reference }:

stdenv.mkDerivation rec {
  pname = "tvgp";
  version = "1.0.0";

  src = fetchurl {
    url = "https://EXAMPLE/tvgp/archive/v${version}.tar.gz";
    sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
  };

  nativeBuildInputs = [ cmake pkg-config python3 ];
  buildInputs = [ openblas lapack-reference ];
  cmakeFlags = [
    "-DTVGP_BUILD_TESTS=OFF"
    "-DTVGP_BUILD_EXAMPLES=OFF"
    "-DTVGP_BUILD_BENCH=OFF"
    "-DTVGP_MPI=OFF"
  ];

  meta = {
    description = "Time-varying Gaussian-process bandits";
    homepage = "https://EXAMPLE/tvgp";
    license = lib.licenses.mit;
    platforms = lib.platforms.unix;
  };
}
