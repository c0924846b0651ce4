# SPDX-License-Identifier: MIT
"""Writes the public interface as JSON, for bindings: python3 signatures.py include tvgp.json.

{"name", "version", "soname", "constants": {name: value}, "opaque": [name],
 "callbacks": {name: {"returns", "args"}}, "structs": {name: {"size", "fields": [{"name", "type", "count", "offset"}]}},
 "functions": {name: {"header", "returns", "args": [{"name", "type", "role", ..}], "doc"}},
 "store": {"constants", .., "functions"} of tvgp/store.h, without roles: bindings have no functions of these names}
Types are written as in C; a member that is a function has its signature as "callback"; roles are those of roles.py. Sizes and offsets are those of a machine of 64 bits; a test compares them with the compiler's."""
import json
import pathlib
import posixpath
import re
import sys

import roles

SIZES = {"int32_t": 4, "uint32_t": 4, "uint8_t": 1}  # everything else that a record holds has 8 bytes


def words(text):
    return " ".join(text.split())


def typed(text):
    """'const double *x' -> type and name."""
    match = re.fullmatch(r"(.*?)\s*(\w+)", words(text), re.S)
    return {"name": match.group(2), "type": match.group(1).replace("* const *", "*const *").strip()}


def arguments(text):
    return [] if words(text) in ("", "void") else [typed(part) for part in strip(text).split(",")]


def comment(raw):
    return words(re.sub(r"^\s*\* ?", "", raw, flags=re.M))


def strip(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def constants(text):
    found = {}
    for body in re.findall(r"^enum \{(.*?)\};", strip(text), re.S | re.M):
        for name, value in re.findall(r"(\w+)\s*=\s*(-?\d+)", body):
            found[name] = int(value)
    return found


def fields(body, structs):
    """Members with their offsets, which are multiples of their sizes; of a member that is one of `structs`, of 8."""
    members, offset = [], 0
    for declaration in [words(part) for part in strip(body).split(";") if part.strip()]:
        pointer = re.fullmatch(r"(.*)\(\*(\w+)\)\((.*)\)", declaration)
        if pointer:
            offset = -(-offset // 8) * 8
            members.append({"name": pointer.group(2), "type": "void *", "count": 1, "offset": offset,
                            "callback": {"returns": pointer.group(1).strip(), "args": arguments(pointer.group(3))}})
            offset += 8
            continue
        first, *others = [part.strip() for part in declaration.split(",")]
        first = typed(first) if "[" not in first else {**typed(first.split("[")[0]), "count": int(re.search(r"\[(\d+)", first).group(1))}
        for member in [first] + [{"name": name, "type": first["type"]} for name in others]:
            count = member.get("count", 1)
            size = structs[member["type"]]["size"] if member["type"] in structs else SIZES.get(member["type"], 8)
            offset = -(-offset // min(size, 8)) * min(size, 8)
            members.append({"name": member["name"], "type": member["type"], "count": count, "offset": offset})
            offset += size * count
    return {"size": -(-offset // 8) * 8, "fields": members}


def read(path, header, found, structs):
    text = path.read_text(encoding="utf-8")
    found["constants"].update(constants(text))
    bare = strip(text)
    found["opaque"] += re.findall(r"^typedef struct (\w+) \1;", bare, re.M)
    for name, body in re.findall(r"^typedef struct (\w+) \{(.*?)^\} \1;", bare, re.S | re.M):
        found["structs"][name] = fields(body, structs | found["structs"])
    for returns, name, args in re.findall(r"^typedef (\w+) \(\*(\w+)\)\((.*?)\);", bare, re.S | re.M):
        found["callbacks"][name] = {"returns": returns, "args": arguments(args)}
    doc = ""
    for match in re.finditer(r"^/\*(.*?)\*/|^TVGP_API (.*?)\((.*?)\);", text, re.S | re.M):
        if match.group(2) is None:
            doc = comment(match.group(1))
        else:
            head = typed(match.group(2))
            found["functions"][head["name"]] = {"header": header, "returns": head["type"], "args": arguments(match.group(3)), "doc": doc}


def reached(include, header):
    """The headers of the library that a header includes, then the header itself, so that a struct comes after those it points to: interfaces to other
    libraries (tvgp/mpi.h) stand apart."""
    names = re.findall(r'^#include "([\w/.]+\.h)"', (include / header).read_text(encoding="utf-8"), re.M)
    found = {}
    for name in sorted(names):
        found |= dict.fromkeys(reached(include, posixpath.normpath(posixpath.join(posixpath.dirname(header), name))))
    return [*found, header]


def empty():
    return {"constants": {}, "opaque": [], "callbacks": {}, "structs": {}, "functions": {}}


def main():
    include = pathlib.Path(sys.argv[1])
    found = {"name": "tvgp", "version": "", "soname": "", **empty(), "store": empty()}
    for header in reached(include, "tvgp.h")[:-1]:
        read(include / header, header, found, {})
    read(include / "tvgp/store.h", "tvgp/store.h", found["store"], found["structs"])
    for name in found["functions"]:
        roles.give(name, found)
    version = dict(re.findall(r"#define TVGP_VERSION_(\w+) (\d+)", (include / "tvgp" / "types.h").read_text(encoding="utf-8")))
    found["version"] = ".".join(version[part] for part in ("MAJOR", "MINOR", "PATCH"))
    found["soname"] = "libtvgp.so.1"
    pathlib.Path(sys.argv[2]).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


main()
