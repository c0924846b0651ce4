# SPDX-License-Identifier: MIT
"""signatures.py CC INCLUDE MAP TVGP_JSON: the list of signatures names what the version script exports, and a C compiler that has
seen the headers accepts every function declared once more as the list has it, every constant, size and offset. tests/test_abi.c
pins every constant of the list."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

cc, include, version_script, listed = sys.argv[1:]
abi = json.loads(pathlib.Path(listed).read_text(encoding="utf-8"))
exported = set(re.findall(r"^\s+(tvgp_\w+);", pathlib.Path(version_script).read_text(encoding="utf-8"), re.M))
exported.discard("tvgp_abi_1_0")  # a constant, to which programs refer
exported -= {name for name in exported if name.startswith("tvgp_store_")}  # tvgp/store.h stands apart, for modules in C
if exported != set(abi["functions"]):
    sys.exit(f"in tvgp.map or tvgp.json alone: {sorted(exported ^ set(abi['functions']))}")

pins = (pathlib.Path(__file__).parent / "test_abi.c").read_text(encoding="utf-8")
pinned = {name: int(value) for name, value in re.findall(r"\{(TVGP_\w+), (-?\d+)[,}]", pins)}
if pinned != abi["constants"]:
    sys.exit(f"in tvgp.json or tests/test_abi.c alone: {sorted(set(pinned.items()) ^ set(abi['constants'].items()))}")

lines = ["#include <stddef.h>", "#include <tvgp.h>"]
for name, function in abi["functions"].items():
    arguments = ", ".join(f"{a['type']} {a['name']}" for a in function["args"]) or "void"
    lines.append(f"{function['returns']} {name}({arguments});")
for name, value in abi["constants"].items():
    lines.append(f'_Static_assert({name} == {value}, "{name}");')
for name, record in abi["structs"].items():
    lines.append(f'_Static_assert(sizeof({name}) == {record["size"]}, "{name}");')
    for field in record["fields"]:
        member = f"{name}, {field['name']}"
        lines.append(f'_Static_assert(offsetof({member}) == {field["offset"]}, "{member}");')
lines.append(f'static const char *const version = "{abi["version"]}", *const soname = "{abi["soname"]}";')
lines.append("int main(void) { return version == soname; }")


def accepted(text):
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work) / "again.c"
        source.write_text(text, encoding="utf-8")
        return subprocess.run([cc, "-std=c11", "-I", include, "-fsyntax-only", str(source)], check=False, capture_output=True, text=True)


good = accepted("\n".join(lines) + "\n")
if good.returncode:
    sys.exit(good.stderr)
for wrong in (("double t, size_t cap", "float t, size_t cap"), ("sizeof(tvgp_obs) == 96", "sizeof(tvgp_obs) == 88")):
    if wrong[0] not in "\n".join(lines) or accepted("\n".join(lines).replace(*wrong)).returncode == 0:
        sys.exit(f"the compiler did not notice {wrong[1]}")
