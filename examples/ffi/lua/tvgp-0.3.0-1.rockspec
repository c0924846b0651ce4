-- SPDX-License-Identifier: MIT
-- luarocks make, in this directory
rockspec_format = "3.0"
package = "tvgp"
version = "0.3.0-1"
source = { url = "file://." }
description = { summary = "Gaussian-process bandits for things that drift", license = "MIT" }
dependencies = { "lua >= 5.1" }
build = { type = "builtin", modules = { ["tvgp"] = "tvgp/init.lua", ["tvgp.cdef"] = "tvgp/cdef.lua",
    ["tvgp.functions"] = "tvgp/functions.lua", ["tvgp.signatures"] = "tvgp/signatures.lua" } }
