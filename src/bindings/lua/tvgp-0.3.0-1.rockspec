-- SPDX-License-Identifier: MIT
-- luarocks make, in this directory. What was made with the library comes from its share/tvgp, or from TVGP_SHARE.
rockspec_format = "3.0"
package = "tvgp"
version = "0.3.0-1"
source = { url = "file://." }
description = { summary = "Gaussian-process bandits for things that drift", license = "MIT" }
dependencies = { "lua >= 5.1" }
build = { type = "command",
    build_command = [[mkdir -p made && cp "${TVGP_SHARE:-$(pkg-config --variable=prefix tvgp)/share/tvgp}"/lua/tvgp/cdef.lua \
        "${TVGP_SHARE:-$(pkg-config --variable=prefix tvgp)/share/tvgp}"/lua/tvgp/signatures.lua made]],
    install = { lua = { ["tvgp"] = "tvgp/init.lua", ["tvgp.functions"] = "tvgp/functions.lua",
        ["tvgp.cdef"] = "made/cdef.lua", ["tvgp.signatures"] = "made/signatures.lua" } } }
