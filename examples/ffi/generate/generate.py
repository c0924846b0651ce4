# SPDX-License-Identifier: MIT
"""generate.py TVGP_JSON [--check]: what bindings take from the list of signatures and cannot read at run time. Writes

    lua/tvgp/cdef.lua, lua/tvgp/signatures.lua    declarations; roles of arguments for lua/tvgp/functions.lua
    cpp/tvgp_functions.hpp                         every function for tvgp.hpp, in namespace tvgp::c
    rust/tvgp-sys/src/lib.rs, rust/tvgp/src/c.rs   declarations; every function, in tvgp::c

--check writes nothing, and fails where a file is not what would be written. Python and Node read the list itself. The roles are those
of src/package/roles.py."""
import json
import pathlib
import sys

import cpp
import lua
import rust

HERE = pathlib.Path(__file__).resolve().parent.parent


def main():
    abi = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    made = {"lua/tvgp/cdef.lua": lua.cdef(abi), "lua/tvgp/signatures.lua": lua.signatures(abi), "cpp/tvgp_functions.hpp": cpp.functions(abi),
            "rust/tvgp-sys/src/lib.rs": rust.sys(abi), "rust/tvgp/src/c.rs": rust.functions(abi)}
    old = [name for name, text in made.items() if not (HERE / name).is_file() or (HERE / name).read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        sys.exit(f"not what the headers say: {', '.join(old)}; run examples/ffi/generate/generate.py tvgp.json" if old else 0)
    for name in old:
        (HERE / name).write_text(made[name], encoding="utf-8")


main()
