# SPDX-License-Identifier: MIT
"""The part of tests/lint.sh that reads files. Prints one line for each thing that is wrong."""
import pathlib
import re
import sys

import prose
import stamps

# A file includes its own folder and folders of lower rows; two folders of one row do not see each other. Parts come last: the core
# includes no part, and a part no other part; src/parts/parts.c lists them.
PARTS = [f"parts/{name}" for name in ("features", "fleet", "foreign", "history", "serve", "shared")]
FLOORS = [["base/numbers"], ["base"], ["linalg", "space/outcome"], ["space/domain", "space/kernel"], ["space/temporal", "model/feature"], ["model/gp", "model/kalman"],
          ["model/posterior"], ["model"], ["learn"], ["choose"], ["protocol/actions"], ["protocol"], ["protocol/copies"], ["policy/ucb"], ["policy/priors"], ["policy"], ["api"], PARTS, ["parts/serve/store"], ["parts"]]
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}
# Includes that run upwards, with their number, which must not grow.
UPWARDS = {("api", "parts/features"): 1, ("policy/ucb", "parts/history"): 1}
LONGEST = 700  # lines of a file: one idea
LONGEST_FUNCTION = 45
wrong = []


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def folder(path):
    """Of a file below src, as an include names it."""
    return path.parent.relative_to("src").as_posix()


def part(name):
    """The part that a folder belongs to; None: the core, or the list of parts."""
    return name.split("/")[1] if name.startswith("parts/") else None


def check_floors(paths):
    upwards = {}
    for path in paths:
        own = folder(path)
        if own not in LEVEL:
            wrong.append(f"{path}: '{own}' is no folder of tests/lint.py")
            continue
        for number, line in enumerate(lines(path), 1):
            include = re.match(r'#include "([^"]+)/[^"/]+"', line)
            if not include or include[1] in ("tvgp", own):
                continue
            if LEVEL.get(include[1], len(FLOORS)) >= LEVEL[own] or (part(own) and part(include[1]) not in (None, part(own))):
                upwards.setdefault((own, include[1]), []).append(f"{path}:{number}: {own} includes {line.split()[1]}, which is not below it")
    for pair, found in upwards.items():
        if len(found) > UPWARDS.get(pair, 0):
            wrong.extend(found)
    for (own, other), most in UPWARDS.items():
        if len(upwards.get((own, other), [])) < most:
            wrong.append(f"tests/lint.py: {own} includes {other} {len(upwards.get((own, other), []))} times, UPWARDS says {most}")


def check_prefix(path):
    """tvgp__<file>_..: `file` may drop a plural s or a closing _ops, so that tvgp__kernel_new lives in kernel_ops.h."""
    stem = path.stem
    stems = {stem, stem.removesuffix("_ops"), stem.removesuffix("s"), stem + "s"}
    for number, line in enumerate(lines(path), 1):
        declared = re.match(r"[a-z][\w *]*?\b(tvgp__\w+)\(", line)
        if declared and not any(declared.group(1).startswith(f"tvgp__{s}") for s in stems):
            wrong.append(f"{path}:{number}: {declared.group(1)} is not named after its file")


def check_private(path):
    """Members of a posterior in `own` belong to src/model, and to the posterior that learns. Others call tvgp__posterior_bounds, _exact and _column."""
    for number, line in enumerate(lines(path), 1):
        if folder(path) not in ("model", "model/posterior", "learn") and re.search(r"(->|\.)own\.", line):
            wrong.append(f"{path}:{number}: `own` of a posterior is private to src/model and src/learn")


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


def code(path):
    return re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)


def defined(text, prefix):
    """Names that a file defines for others: functions with a body, and data with a value."""
    name = rf"^(?!static|typedef|extern|else)[A-Za-z_][\w *]*?\b({prefix}\w+)"
    return re.findall(name + r"\([^;{]*\{", text, re.M) + re.findall(name + r"(?:\[\w*\])*\s*=", text, re.M)


def way_back(start, uses):
    """From a file to itself by the names that files use, the shortest way: [(file, name), ..]; [] if there is none."""
    came, queue = {}, [start]
    while queue and start not in came:
        at = queue.pop(0)
        for target, name in uses[at].items():
            if target not in came:
                came[target] = (at, name)
                queue.append(target)
    way, at = [], start
    while at in came and (not way or at != start):
        way.insert(0, (at, came[at][1]))
        at = came[at][0]
    return way


def arguments(text, at):
    """The arguments of the call whose opening bracket is at `at`."""
    depth, found = 0, [""]
    for c in text[at:]:
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return found
        if c == "," and depth == 1:
            found.append("")
        elif depth > 1 or c != "(":
            found[-1] += c
    return found


def check_absent(paths):
    """A function of a part that the core calls, and a public one, has a substitute for builds without the part."""
    absent = pathlib.Path("src/parts/absent.c")
    text, core = code(absent), "\n".join(code(path) for path in paths if path.parts[1] != "parts")
    for path in paths:
        if path.suffix == ".c" and absent.parent in path.parents and path.parent != absent.parent:
            for name in re.findall(r"^(?!static)[A-Za-z_][\w *]*?\b(tvgp_\w+)\([^;{]*\{", code(path), re.M):
                if (not name.startswith("tvgp__") or re.search(rf"\b{name}\(", core)) and not re.search(rf"\b{name}\b", text):
                    wrong.append(f"{absent}: no substitute for {name} of {path.parent.name}")


def check_words(path):
    for number, line in enumerate(lines(path), 1):
        for word in re.findall(rf"(?<![A-Za-z])(?:{prose.INVENTED})(?![A-Za-z])", line, re.I):
            wrong.append(f"{path}:{number}: {word}: there is a word of the field (docs/guide/glossary.md)")


def check_names(path):
    """An index, an arm or a point is called so, not `place`; a verb for memory is lay_out."""
    for name in sorted(set(re.findall(r"\b(?:\w+_)?places?(?:_\w+)?\b", re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', code(path))))):
        wrong.append(f"{path}: {name}: call it index, arm or point")


def check_head(path):
    if not lines(path)[1].startswith("/* "):
        wrong.append(f"{path}:2: the file must begin with what it computes")


def check_sizes(path):
    """Sizes of blocks are multiplied by tvgp__memory_product, which finds an overflow. A literal or constant may be a factor of one variable."""
    text = code(path)
    for call in re.finditer(r"tvgp__memory_(?:alloc|grow|stretch|double|reserve|room)\(", text):
        for size in arguments(text, call.end() - 1)[1:3]:
            plain = re.sub(r"sizeof\s*(?:\([^()]*\)|\**(?:\(\*\w+\))?[\w>.\[\]-]+)", "8", size)
            plain = re.sub(r"\b[A-Z][A-Z_0-9]*\b", "8", plain)
            several = re.search(r"(?<![\w.>])(?!\d+\s*\*)[\w.>-]*[\w)\]]\s*\*\s*(?!\d)[\w(]", plain)
            if several or re.search(r"memory_product\([^()]*\)\s*\*", plain):
                wrong.append(f"{path}:{text[:call.start()].count(chr(10)) + 1}: {size.strip()} may overflow: tvgp__memory_product")


def check_numbers(path):
    """A number in a text has a point in every locale: messages are written by base/number_text, and digits that printf writes are passed
    to its tvgp__number_text_delocalise."""
    text = code(path)
    for call in re.finditer(r"\bv?s(?:n)?printf\(", text):
        if re.search(r'"[^"]*%[-+ #0-9.*l]*[aefgAEFG]', "".join(arguments(text, call.end() - 1))) and "number_text_delocalise" not in text:
            wrong.append(f"{path}:{text[:call.start()].count(chr(10)) + 1}: writes a number with the locale's point: base/number_text")
        if re.search(r'"[^"]*%[-+ #0-9.*]*[ztj]', "".join(arguments(text, call.end() - 1))):
            wrong.append(f"{path}:{text[:call.start()].count(chr(10)) + 1}: %z and %t are missing in newlib: tvgp__number_text_print")


def check_portable(path):
    """A cross-compiler may lack PRId64, and any function of the C library may be a macro, whose arguments a comma in braces would split."""
    text = code(path)
    if "#include <inttypes.h>" in text and path.name != "integer_format.h":
        wrong.append(f"{path}: includes <inttypes.h>: base/integer_format.h")
    for call in re.finditer(r"\b(?:mem(?:cpy|move|set|cmp)|str[a-z]+|v?snprintf|is(?:nan|inf|finite)|f(?:abs|min|max)|sqrt|pow|exp|log)\(", text):
        depth = 0
        for c in text[call.end():]:
            depth += (c in "([") - (c in ")]")
            if depth < 0 or c == "{":
                break
        if depth == 0 and c == "{" and "," in text[call.end():].partition("{")[2].partition("}")[0]:
            wrong.append(f"{path}:{text[:call.start()].count(chr(10)) + 1}: a compound literal with commas in a call of the C library")


def check_circles(paths, prefix):
    """A file uses no name of a file that uses its own, directly or through others. Names begin with `prefix`."""
    text = {path: code(path) for path in paths}
    private = {path: set(re.findall(r"^static [\w *]*?\b(\w+)[(\[ ]", text[path], re.M)) for path in paths}
    owner = {name: path for path in paths for name in defined(text[path], prefix) if name != "main"}
    uses = {path: {owner[name]: name for name in re.findall(rf"\b{prefix}\w+", text[path])
                   if owner.get(name, path) != path and name not in private[path]} for path in paths}
    for path in paths:
        way = way_back(path, uses)
        if way:
            wrong.append(f"{path}: uses itself: " + ", ".join(f"{name} of {of.name}" for of, name in way))


def check_features(path):
    """Protocol calls features through their tables (protocol/guard_ops.h) and name none."""
    for named in re.findall(r"\b(?:tvgp__)?(?:constraints|conservative|history_prior|switching_cost|limits|incumbent|recall)_\w+", code(path), re.I):
        wrong.append(f"{path}: protocol names a feature: {named}")


def body(path, first, last):
    """The text of a struct of a header between its first and its last line."""
    return re.search(f"^{first}$(.*?)^{last}$", code(path), re.M | re.S).group(1)


def limits():
    """The table of docs/project/architecture.md that bounds what grows: {measure: limit}."""
    rows = re.findall(r"^\| ([^|]+?) \| (\d+) \| \d+ \|$", pathlib.Path("docs/project/architecture.md").read_text(encoding="utf-8"), re.M)
    return {measure: int(limit) for measure, limit in rows}


CONTRACTS = ("policy_ops.h", "guard_ops.h", "posterior_ops.h", "kernel_ops.h", "domain_ops.h")


def check_limits(paths):
    header = pathlib.Path("src/protocol/policy_ops.h")
    members = [m for m in body(header, r"struct tvgp_policy \{", r"\};").split(";") if m.strip()]
    files = {}
    for path in paths:
        files[folder(path)] = files.get(folder(path), 0) + 1
    now = {
        "functions in `tvgp__policy_ops`":
            len(re.findall(r"\(\*\w+\)\s*\(", body(header, r"typedef struct tvgp__policy_ops \{", r"\} tvgp__policy_ops;"))),
        "members of `tvgp_policy`": sum(m.count(",") + 1 for m in members),
        "files in `src/protocol`": files.pop("protocol"),
        "files in any other directory of `src`": max(files.values()),
        "function pointers in headers of contracts": sum(
            len(re.findall(r"\(\*[a-z_]+\)\(", next(p for p in paths if p.name == name).read_text(encoding="utf-8"))) for name in CONTRACTS),
        "lines of the core": sum(len(lines(path)) for path in paths if path.parts[1] != "parts"),
        "lines of `src/parts`": sum(len(lines(path)) for path in paths if path.parts[1] == "parts"),
        "files that name a shard": sum("shard" in path.read_text(encoding="utf-8") for path in paths),
        "tests of the kind of a domain outside `space/domain`": sum(
            len(re.findall(r"\btvgp__domain_(?:is_box|has_arms)\(", code(path))) for path in paths if folder(path) != "space/domain"),
        "lines of `src/model`": sum(len(lines(path)) for path in paths if path.parts[1] == "model"),
        "lines of C tests": sum(len(lines(path)) for path in pathlib.Path("tests").glob("*.c")),
        "lines of golden headers": sum(len(lines(path)) for path in pathlib.Path("tests/golden").glob("*.h")),
        "uses of `p->within`": sum(len(re.findall(r"\b(?:p|policy|model)->within\b", code(path))) for path in paths),
    }
    limit = limits()
    for measure, count in now.items():
        if measure not in limit:
            wrong.append(f"docs/project/architecture.md: no limit for: {measure}")
        elif count > limit[measure]:
            wrong.append(f"{measure}: {count}, at most {limit[measure]} (docs/project/architecture.md)")


def check_reading():
    """What a change of one thing makes one read: the files of a row of docs/project/architecture.md, and their lines in all."""
    page = pathlib.Path("docs/project/architecture.md")
    rows = re.findall(r"^\| ([^|]+) \| ((?:`[\w/.]+`(?:, )?)+) \| (\d+) \| (\d+) \| \d+ \|$", page.read_text(encoding="utf-8"), re.M)
    if not rows:
        wrong.append(f"{page}: no sets of files to read")
    for change, files, number, most in rows:
        paths = [pathlib.Path("src", name) for name in re.findall(r"`([^`]+)`", files)]
        wrong.extend(f"{page}: {change}: {path} does not exist" for path in paths if not path.is_file())
        total = sum(len(lines(path)) for path in paths if path.is_file())
        if len(paths) != int(number) or total > int(most):
            wrong.append(f"{page}: {change}: {len(paths)} files with {total} lines, the row has {number} with at most {most}")


def check_named_files(path):
    """A file that a comment names exists: below src, include or the root, or in the folder of the file that names it; a name without a
    folder anywhere."""
    comments = re.findall(r"/\*.*?\*/", path.read_text(encoding="utf-8"), re.S)
    for name in re.findall(r"(?<![\w/.<-])((?:[\w-]+/)+[\w-]+\.(?:c|h|md|py|sh|cmake))\b", "\n".join(comments)):
        if not any((root / name).is_file() for root in (*map(pathlib.Path, ("src", "src/mpi/include", "include", "tests", ".")), path.parent)):
            wrong.append(f"{path}: a comment names {name}, which does not exist")
    for name in re.findall(r"(?<![\w/.<*-])([\w-]+\.c|\w+_\w+\.h)\b", "\n".join(comments)):
        if name not in file_names:
            wrong.append(f"{path}: a comment names {name}, which does not exist")


# libtvgp_mpi is a library of its own, tvgp(1) a program, integrations modules of other programs: all above the public headers.
ALONE = ("mpi", "tool", "integration")
sources = sorted(p for p in pathlib.Path("src").rglob("*.[ch]") if p.parts[1] not in ALONE)
file_names = {p.name for folder in ("src", "include", "tests", "bench", "examples") for p in pathlib.Path(folder).rglob("*.[ch]")}
for path in pathlib.Path("src/tool").glob("*.[ch]"):
    check_names(path)
    if path.suffix == ".c":
        check_functions(path)
check_floors(sources)
for path in sources:
    check_private(path)
    check_portable(path)
    check_words(path)
    check_names(path)
    if path.suffix == ".c" and "bindings" not in path.parts:
        check_head(path)
    if path.parts[1] == "protocol":
        check_features(path)
    if path.suffix == ".h":
        check_prefix(path)
    else:
        check_functions(path)
        check_sizes(path)
        if path.parts[1] != "tool":  # a program, which stays in the C locale
            check_numbers(path)
    if len(lines(path)) > LONGEST:
        wrong.append(f"{path}: {len(lines(path))} lines, at most {LONGEST}")

check_circles([p for p in sources if p.suffix == ".c" and p.name != "absent.c"], "tvgp__")  # stands for others, which are left out then
check_circles(sorted(pathlib.Path("src/tool").glob("*.c")), "tool_")
check_circles(sorted(pathlib.Path("bench").glob("*.c")), "")
check_limits(sources)
check_absent(sources)
check_reading()
for top in ("src", "include", "tests", "bench", "examples"):
    for path in pathlib.Path(top).rglob("*.[ch]"):
        if not {"node_modules", "target", "build"} & set(path.parts):
            check_named_files(path)

declared = pathlib.Path("tests/CMakeLists.txt").read_text(encoding="utf-8")
for names in re.findall(r"for test in ([\w\s\\]+);", pathlib.Path("tests/night.sh").read_text(encoding="utf-8")):
    for name in sorted(set(names.replace("\\", " ").split())):
        if not re.search(rf"\b(?:test_)?{name}\b", declared):
            wrong.append(f"tests/night.sh: there is no test_{name}")

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

# CMakeLists.txt has the version: every other place that states it, with what stands around it.
VERSIONS = {
    "include/tvgp/types.h": [r"#define TVGP_VERSION_MAJOR (\d+)", r"#define TVGP_VERSION_MINOR (\d+)", r"#define TVGP_VERSION_PATCH (\d+)"],
    "CITATION.cff": [r"^version: (\S+)$"],
    "docs/project/citing.md": [r"version = \{([\d.]+)\}"],
    ".ci/packaging/docker/Dockerfile": [r"-t tvgp:([\d.]+) ", r"tvgp:([\d.]+) create"],
    "docs/changelog.md": [r"^## ([\d.]+)"],
    "src/package/tvgp.1": [r'"libtvgp (\d+\.\d+)"'],
    "src/package/tvgp.3": [r'"libtvgp (\d+\.\d+)"'],
    "docs/project/security.md": [r"^\| (\d+\.\d+) \| yes \|"],
    "docs/start/install.md": [r"find_package\(tvgp (\d+\.\d+)"],
    "src/bindings/cpp/CMakeLists.txt": [r"find_package\(tvgp (\d+\.\d+)"],
    "src/bindings/node/package.json": [r'"version": "([\d.]+)"'],
    "src/bindings/rust/Cargo.lock": [r'^name = "tvgp"\nversion = "([\d.]+)"', r'^name = "tvgp-sys"\nversion = "([\d.]+)"'],
    "src/bindings/rust/tvgp-sys/Cargo.toml": [r'^version = "([\d.]+)"'],
    "src/bindings/rust/tvgp/Cargo.toml": [r'^version = "([\d.]+)"', r'tvgp-sys = { version = "([\d.]+)"'],
    ".ci/packaging/debian/changelog": [r"^tvgp \(([\d.]+)-\d+(?:\+\w+)?\)"],
    ".ci/packaging/conda/meta.yaml": [r'set version = "([\d.]+)"'],
    ".ci/packaging/vcpkg/tvgp/vcpkg.json": [r'"version": "([\d.]+)"'],
    ".ci/packaging/homebrew/tvgp.rb": [r"/v([\d.]+)\.tar\.gz"],
    ".ci/packaging/arch/PKGBUILD": [r"^pkgver=(\S+)"],
    ".ci/packaging/nix/default.nix": [r'version = "([\d.]+)"'],
    ".ci/packaging/conan/conanfile.py": [r'version = "([\d.]+)"'],
}


def check_versions():
    version = re.search(r"project\(tvgp VERSION ([\d.]+)", pathlib.Path("CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    rock = {f"src/bindings/lua/tvgp-{version}-1.rockspec": [r'^version = "([\d.]+)-1"', r"/v([\d.]+)\.tar\.gz", r'dir = "tvgp-([\d.]+)"']}
    for name, patterns in {**VERSIONS, **rock}.items():
        path = pathlib.Path(name)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        found = [found.group(1) if found else "nothing" for found in (re.search(pattern, text, re.M) for pattern in patterns)]
        stated = [".".join(found)] if name.endswith("types.h") else found
        for one in stated:
            if one not in (version, version.rpartition(".")[0]):
                wrong.append(f"{name}: states version {one}, CMakeLists.txt {version}")


check_versions()


def prototypes(path):
    """Exported functions of a header: (name, its arguments as (type, name), what is written about each)."""
    for comment, name, args in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*TVGP_API [^;(]*?(tvgp_\w+)\(([^;]*)\);", path.read_text(encoding="utf-8"), re.S):
        listed = [re.fullmatch(r"\s*(.*?)(\w+)\s*", arg, re.S).groups() for arg in args.split(",") if arg.strip() != "void"]
        said = dict(re.findall(r"@param(?:\[out\])? +(\w+)  ((?:(?!\n \* @).)*)", comment, re.S))
        yield name, listed, said


def check_lengths(path):
    """A length comes before its array, so that a binding without types cannot pass one for the other unseen. Lengths are the
    arguments that the description of the array gives: (n), n x dim."""
    for name, args, said in prototypes(path):
        names = [arg for _, arg in args]
        for place, (kind, arg) in enumerate(args):
            if "*" not in kind:
                continue
            factors = re.findall(r"\((\w+)[,)]|\b(\w+) x (\w+)", said.get(arg, ""))
            late = {factor for found in factors for factor in found if factor in names[place + 1:]} & {b for a, b in args if "*" not in a}
            if "void" in kind and arg in ("bytes", "buffer_or_null") and "size_t" not in args[place - 1][0]:
                late.add("its size")
            for factor in sorted(late):
                wrong.append(f"{path}: {name}: {arg} comes before {factor}")


for path in sorted([*pathlib.Path("include").rglob("*.h"), *pathlib.Path("src/mpi/include").rglob("*.h")]):
    check_lengths(path)


def check_rooms(path):
    """Room for numbers of points and arms is taken from the policy: an array of an integration or binding has no bound of another layer."""
    for number, line in enumerate(lines(path), 1):
        bound = re.search(r"\b(?:float|double|u?int\d*_t|size_t|Datum|tvgp_\w+) (?:[^;=(]*[ ,*])?\w+\[(\d{2,}|\w*(?:DIM|ARMS|OUTPUTS)\w*|TVGP_\w+)\]", line)
        if bound or re.search(r"\b\w+\[(?:64|\w*DIM_MOST)\][^)]*[;=,]", line):
            wrong.append(f"{path}:{number}: an array with a bound of another layer: take room from the policy's dimension")


ASKED = r"(?:luaL_(?:check|opt)(?:number|integer)|lua_to(?:number|integer)|sqlite3_value_(?:int|int64|double)|PG_GETARG_(?:U?INT\d+|FLOAT\d)|DatumGetInt\d+|strtoll?|atoi)"
POLLS = r"CHECK_FOR_INTERRUPTS|interrupted\("


def check_counts(path):
    """A loop of an integration up to a number that the caller passed has a bound of its own, a constant, or polls for interrupts."""
    for function in re.findall(r"^\w[^;{}]*\([^;{}]*\) \{\n.*?^\}", code(path), re.M | re.S):
        passed = re.findall(rf"\b(\w+) = (?:\([\w ]+\))?{ASKED}\(", function) + re.findall(r"StringToLongLong\([^;]*?&(\w+)\)", function)
        for name in passed:
            loop = re.search(rf"\b(?:for \([^;]*;[^;]*|while \([^{{;]*)[<>]=? (?:\([\w ]+\))?{name}\b", function)
            bounded = re.search(rf"\b{name} (?:<=?|>=?) [A-Z][A-Z_]+\b", function)
            if loop and not bounded and not re.search(POLLS, function):
                wrong.append(f"{path}: {function.split('(')[0]}: a loop up to {name}, which the caller passes, has no bound and no poll")


for path in sorted([*pathlib.Path("src/integration").rglob("*.c"), *pathlib.Path("src/bindings").rglob("*.[ch]*")]):
    if "node_modules" not in path.parts and "target" not in path.parts and path.suffix in (".c", ".h", ".hpp", ".cpp"):
        check_rooms(path)
        check_counts(path)


def check_bindings():
    """Every exported function is in the game that all bindings play (src/bindings/every), and in its table."""
    exported = re.findall(r"^    tvgp_(\w+);", pathlib.Path("src/package/tvgp.map").read_text(encoding="utf-8"), re.M)
    calls = pathlib.Path("src/bindings/every/calls.py").read_text(encoding="utf-8")
    page = pathlib.Path("docs/reference/functions.md").read_text(encoding="utf-8")
    for name in exported:
        if name.startswith(("store_", "abi_")):  # modules of C programs call stores
            continue
        if f'("{name}",' not in calls:
            wrong.append(f"src/bindings/every/calls.py: no call of tvgp_{name}")
        if f"| `{name}` |" not in page:
            wrong.append(f"docs/reference/functions.md: no row of tvgp_{name}")


def check_options():
    """Every option occurs where a reader meets it: on a page that no program writes, in an example, a benchmark or a test of a paper."""
    page = pathlib.Path("docs/reference/options.md").read_text(encoding="utf-8").partition("## Statistics")[0]
    pages = [p for p in [pathlib.Path("README.md"), *pathlib.Path("docs").rglob("*.md")] if not p.match("*/reference/*.md") and
             not p.match("*/suite/*.md") and not p.match("*/experiments/*.md") and p.name not in ("paper-results.md", "changelog.md") and
             p != pathlib.Path("docs/policies/index.md")]
    sources = [p for folder in ("examples", "bench") for p in pathlib.Path(folder).rglob("*") if p.suffix in (".c", ".py", ".sh", ".md")]
    tests = [*pathlib.Path("tests").glob("test_golden_*.c"), *pathlib.Path("tests/ref").glob("*.py")]
    text = "\n".join(p.read_text(encoding="utf-8") for p in [*pages, pathlib.Path("docs/reference/protocol.md"), *sources, *tests])
    for key in sorted(set(re.findall(r"^\| `([a-z_.]+)` \|", page, re.M))):
        if not re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.])" if "." in key else rf"[`\" ]{re.escape(key)}[`\"=]", text):
            wrong.append(f"docs/reference/options.md: {key} occurs on no other page, in no example, benchmark or test of a paper")


check_bindings()
check_options()


def check_formulas():
    """The tables of formulas on the pages of policies name statistics and options of the policy."""
    statistics = dict(re.findall(r"^statistic ([\w.]+): (.*)$", pathlib.Path("tests/abi/tvgp-1.0.keys").read_text(encoding="utf-8"), re.M))
    options = pathlib.Path("docs/reference/options.md").read_text(encoding="utf-8")
    for page in sorted(pathlib.Path("docs/policies").glob("*.md")):
        table = re.search(r"^\| formula \|(?:.*\n)+?(?=\n)", page.read_text(encoding="utf-8"), re.M)
        if not table and f"| [{page.stem}](" in pathlib.Path("docs/policies/index.md").read_text(encoding="utf-8") and page.stem not in (
                "auto-gp-ucb", "random", "constant-arm"):
            wrong.append(f"{page}: no table of formulas with their papers")
        for row in table[0].splitlines()[2:] if table else ():
            option, statistic = row.strip("|").split("|")[2:]
            wrong.extend(f"{page}: the policy has no statistic {key}" for key in re.findall(r"`([\w.]+)`", statistic)
                         if page.stem not in statistics.get(key.replace(".i", ".0"), "").split())
            wrong.extend(f"{page}: no option {key}" for key in re.findall(r"`([\w.]+)`", option) if f"| `{key}` |" not in options)


check_formulas()


HISTORY = re.compile(r"\b(?:revision|commit) `?[0-9a-f]{7,40}\b|\bversion 0\.\d|\b(?:earlier|previous|older|former) (?:versions?|revisions?|releases?) of "
                     r"(?:the|this) library|\b(?:goal|target)s? of (?:the|this) (?:project|round|issue)", re.I)


def check_history():
    """Pages, comments and benchmarks describe this library: no revision, no version before the first release, no target of the project."""
    for path in prose.git_files("*.md", "*.c", "*.h", "*.py", "*.sh", "*.js"):
        if path.name in ("changelog.md", "lint.py"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if found := HISTORY.search(line):
                wrong.append(f"{path.relative_to(prose.ROOT)}:{number}: history belongs to the changelog and to git: {found[0]}")


check_history()


def check_promises():
    """Every promise of the page names tests that exist."""
    page = pathlib.Path("docs/project/compatibility.md")
    promises = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", page.read_text(encoding="utf-8"), re.M)
    if not promises:
        wrong.append(f"{page}: no promise")
    for number, tests in promises:
        named = re.findall(r"`([^`]+)`", tests)
        for name in named or ["nothing"]:
            if not pathlib.Path(name).is_file():
                wrong.append(f"{page}: promise {number} is kept by {name}, which is not there")


check_promises()


def check_data():
    """Every CSV file of results is linked from a page, or named by a script."""
    readers = [p for folder in ("docs", "bench", "tests") for p in pathlib.Path(folder).rglob("*") if p.suffix in (".md", ".py", ".sh", ".gp", ".c")]
    named = set(re.findall(r"[\w.-]+\.csv", "\n".join(p.read_text(encoding="utf-8") for p in readers)))
    for path in sorted(pathlib.Path("docs/benchmarks").rglob("*.csv")):
        if path.name not in named:
            wrong.append(f"{path}: no page links it, and no script names it")


check_data()
note = stamps.check(limits(), wrong)


def anchors(page):
    """What # may name: the headings, as pages show them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).strip().lower() for head in heads]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in plain}


def check_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(f"{page}: the link {link} leads nowhere")


for path in [pathlib.Path("README.md"), *pathlib.Path("docs").rglob("*.md"), *pathlib.Path("examples").rglob("*.md")]:
    if "node_modules" not in path.parts and "target" not in path.parts:
        check_links(path)
for path in [pathlib.Path("README.md"), *pathlib.Path("docs").rglob("*.md")]:
    code = False
    for number, line in enumerate(lines(path), 1):
        code ^= line.startswith("```")
        line = re.sub(r"\]\([^)\s]*\)", "]", line)  # where a link leads to is not prose
        if len(line) > 100 and not code and not line.startswith(("|", "    ", "<", "#", "![")) and " " in line[:100]:
            wrong.append(f"{path}:{number}: {len(line)} columns of prose, at most 100")

print("\n".join([*wrong, *filter(None, [note])]), end="\n" if wrong or note else "")
sys.exit(bool(wrong))
