# SPDX-License-Identifier: MIT
"""generate.py TVGP_JSON OUT: what bindings take from the list of signatures and cannot read at run time. Writes into OUT

    cpp/tvgp_functions.hpp                         every function for tvgp.hpp, in namespace tvgp::c
    lua/tvgp/cdef.lua, lua/tvgp/signatures.lua     declarations; roles of arguments for lua/tvgp/functions.lua
    node/functions.d.ts                            types of every function, for index.d.ts
    rust/sys.rs, rust/c.rs                         declarations, the crate tvgp-sys; every function, in tvgp::c

CMake has OUT in its build tree and installs it. Python and Node read the list itself. The roles are those of src/package/roles.py."""
import json
import pathlib
import sys

import cpp
import lua
import rust
import typescript


def main(abi, out):
    abi = json.loads(pathlib.Path(abi).read_text(encoding="utf-8"))
    made = {"cpp/tvgp_functions.hpp": cpp.functions(abi), "lua/tvgp/cdef.lua": lua.cdef(abi), "lua/tvgp/signatures.lua": lua.signatures(abi),
            "node/functions.d.ts": typescript.functions(abi), "rust/sys.rs": rust.sys(abi), "rust/c.rs": rust.functions(abi)}
    for name, text in made.items():
        file = pathlib.Path(out) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


main(*sys.argv[1:])
