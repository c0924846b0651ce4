# SPDX-License-Identifier: MIT
"""declarations.py TVGP_JSON: what the Lua and Rust bindings declare by hand is what the headers say."""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
abi = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
RUST = {"i32": "int32_t", "i64": "int64_t", "u32": "uint32_t", "u64": "uint64_t", "u8": "uint8_t", "usize": "size_t", "f64": "double",
        "c_char": "char", "c_void": "void"}
wrong = []


def from_rust(text):
    """*const *mut T -> the same in C."""
    text = text.strip()
    for prefix, c in (("*const ", "const {} *"), ("*mut ", "{} *")):
        if text.startswith(prefix):
            inner = from_rust(text[len(prefix):])
            return f"{inner}*" if inner.endswith("*") else c.format(inner)
    return RUST.get(text, text)


def arguments(text, split):
    return [split(part.strip()) for part in text.split(",") if part.strip() not in ("", "void")]


def c_argument(text):
    match = re.fullmatch(r"(.*?)(\w+)", text)
    return match.group(2), match.group(1).strip()


def rust_argument(text):
    name, kind = text.split(":", 1)
    return name.strip().replace("r#", "", 1), from_rust(kind)  # r#type: a keyword as a name


def compare(where, name, returns, args):
    function = abi["functions"].get(name)
    if not function:
        wrong.append(f"{where}: {name} is not in the headers")
        return
    plain = lambda kind: {"tvgp_status": "int32_t", "const tvgp_allocator *": "const void *"}.get(kind, kind).replace(" ", "")
    said = [(n, plain(k)) for n, k in args] + [plain(returns)]
    true = [(a["name"], plain(a["type"])) for a in function["args"]] + [plain(function["returns"])]
    if said != true:
        wrong.append(f"{where}: {name} is {true}, not {said}")


def check_fields(where, name, fields):
    true = [(f["name"], f["type"], f["count"]) for f in abi["structs"][name]["fields"]]
    if fields != true:
        wrong.append(f"{where}: {name} is {true}, not {fields}")


lua = (HERE / "lua/tvgp/cdef.lua").read_text(encoding="utf-8")
rust = (HERE / "rust/tvgp-sys/src/lib.rs").read_text(encoding="utf-8")
seen = 0
for returns, name, args in re.findall(r"^([\w ]+[ *]+)(tvgp_\w+)\((.*)\);", lua, re.M):
    compare("cdef.lua", name, returns.strip(), arguments(args, c_argument))
    seen += 1
for name, args, returns in re.findall(r"pub fn (\w+)\((.*)\)(?: -> (.*))?;", rust):
    compare("tvgp-sys", name, from_rust(returns) if returns else "void", arguments(args, rust_argument))
    seen += 1
for body, name in re.findall(r"typedef struct \{(.*)\} (\w+);", lua):
    fields = []
    for part in body.split(";")[:-1]:
        kind, names = part.split(None, 1)
        for field in names.split(","):
            match = re.match(r"\s*(\w+)(?:\[(\d+)\])?", field)
            fields.append((match.group(1), kind, int(match.group(2) or 1)))
    check_fields("cdef.lua", name, fields)
for name, body in re.findall(r"pub struct (\w+) \{(.*?)\n\}", rust, re.S):
    fields = re.findall(r"pub (\w+): \[?(\w+)(?:; (\d+)\])?", body)
    if fields:
        check_fields("tvgp-sys", name, [(n, RUST[kind], int(count or 1)) for n, kind, count in fields])
for name, value in re.findall(r"pub const (\w+): \w+ = (-?\d+);", rust):
    if abi["constants"].get(name) != int(value):
        wrong.append(f"tvgp-sys: {name} is {abi['constants'].get(name)}, not {value}")

if seen < 40:
    wrong.append(f"only {seen} declarations were found")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
