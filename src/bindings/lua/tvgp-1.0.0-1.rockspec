-- SPDX-License-Identifier: MIT
-- The C module of src/integration/lua for Lua 5.1 to 5.4 and LuaJIT, with the library inside: luarocks make
-- src/bindings/lua/tvgp-1.0.0-1.rockspec, at the top of the tree. The package of this directory, over the ffi of LuaJIT, is installed
-- with the library, in share/tvgp/lua.
rockspec_format = "3.0"
package = "tvgp"
version = "1.0.0-1"
source = { url = "https://EXAMPLE/tvgp/archive/v1.0.0.tar.gz", dir = "tvgp-1.0.0" }
description = {
    summary = "Time-varying Gaussian-process bandits",
    detailed = "A policy repeatedly chooses among options whose reward drifts over time, and learns from the outcome of each choice.",
    homepage = "https://EXAMPLE/tvgp",
    license = "MIT",
}
dependencies = { "lua >= 5.1, < 5.5" }
build = {
    type = "command",
    build_command = [[cmake -S . -B build/rock -DCMAKE_BUILD_TYPE=Release -DTVGP_BLAS=none -DTVGP_MPI=OFF -DTVGP_INSTALL=OFF \
        -DTVGP_BUILD_TESTS=OFF -DTVGP_BUILD_EXAMPLES=OFF -DTVGP_BUILD_BENCH=OFF -DTVGP_BUILD_TOOL=OFF -DTVGP_LUA_INCLUDE="$(LUA_INCDIR)" &&
        cmake --build build/rock --target tvgp_lua --parallel 4 && cp build/rock/integration/lua/tvgp.so build/rock/tvgp.so]],
    install = { lib = { tvgp = "build/rock/tvgp.so" } },
}
