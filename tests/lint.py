# SPDX-License-Identifier: MIT
"""The part of tests/lint.sh that reads files. Prints one line for each thing that is wrong."""
import pathlib
import re
import sys

# A file includes its own floor and lower ones; two names in one entry do not see each other.
FLOORS = [["base"], ["linalg"], ["domain", "kernel"], ["law", "feature"], ["filter", "gp"], ["fit"], ["belief", "search"],
          ["frame"], ["play"], ["policy"], ["api"]]
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}
LONGEST = 700  # lines of a file: one idea
LONGEST_FUNCTION = 45
wrong = []


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def check_floors(path):
    floor = path.parts[1]
    if floor not in LEVEL:
        wrong.append(f"{path}: '{floor}' is no floor")
        return
    for number, line in enumerate(lines(path), 1):
        include = re.match(r'#include "([^"]+)"', line)
        if not include:
            continue
        target = include.group(1).split("/")[0]
        if target == "tvgp" or include.group(1) == "tvgp.h":
            continue
        above = target not in LEVEL or LEVEL[target] > LEVEL[floor]
        beside = target != floor and LEVEL.get(target) == LEVEL[floor] and floor != "search"
        if above or beside:
            wrong.append(f"{path}:{number}: {floor} includes {include.group(1)}, which is not below it")


def check_prefix(path):
    """tvgp__<file>_..: `file` may drop a plural s or a closing _ops, so that tvgp__kernel_new lives in kernel_ops.h."""
    stem = path.stem
    stems = {stem, stem.removesuffix("_ops"), stem.removesuffix("s"), stem + "s"}
    for number, line in enumerate(lines(path), 1):
        declared = re.match(r"[a-z][\w *]*?\b(tvgp__\w+)\(", line)
        if declared and not any(declared.group(1).startswith(f"tvgp__{s}") for s in stems):
            wrong.append(f"{path}:{number}: {declared.group(1)} is not named after its file")


def check_functions(path):
    """A function begins where a line of column 1 opens a brace, and ends at the brace in column 1."""
    start = None
    for number, line in enumerate(lines(path), 1):
        if re.match(r"[A-Za-z_].*\(.*", line) and not line.startswith(("typedef", "#")):
            start = number
        if line == "}" and start:
            if number - start >= LONGEST_FUNCTION:
                wrong.append(f"{path}:{start}: a function of {number - start + 1} lines, at most {LONGEST_FUNCTION}")
            start = None


# libtvgp_mpi is a library of its own, above the public headers.
sources = sorted(p for p in pathlib.Path("src").rglob("*.[ch]") if p.parts[1] != "mpi")
for path in sources:
    check_floors(path)
    if path.suffix == ".h":
        check_prefix(path)
    else:
        check_functions(path)
    if len(lines(path)) > LONGEST:
        wrong.append(f"{path}: {len(lines(path))} lines, at most {LONGEST}")

public = {p.name for p in pathlib.Path("include").rglob("*.h")}
seen = {}
for path in sources:
    if path.name in seen:
        wrong.append(f"{path}: the name is also that of {seen[path.name]}")
    if path.name in public:
        wrong.append(f"{path}: the name is also that of a public header")
    seen[path.name] = path

for folder in ("src", "include", "tests", "bench", "examples", "docs"):
    for path in pathlib.Path(folder).rglob("*"):
        if path.suffix in (".c", ".h", ".sh", ".py") and not any("SPDX-License-Identifier: MIT" in l for l in lines(path)[:3]):
            wrong.append(f"{path}: no SPDX-License-Identifier in the first lines")

for path in [pathlib.Path("README.md"), *pathlib.Path("docs").rglob("*.md")]:
    code = False
    for number, line in enumerate(lines(path), 1):
        code ^= line.startswith("```")
        if len(line) > 100 and not code and not line.startswith(("|", "    ", "<", "#", "![")) and " " in line[:100]:
            wrong.append(f"{path}:{number}: {len(line)} columns of prose, at most 100")

print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
