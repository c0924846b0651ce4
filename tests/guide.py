# SPDX-License-Identifier: MIT
"""The programs and the printed output of the pages.

guide.py extract PAGE LANGUAGE       prints the first program of a page in c or python
guide.py check CC BUILD [PAGE ..]    runs every fenced block of code, and compares every block of output with what its command prints
guide.py write CC BUILD [PAGE ..]    replaces the blocks of output

Without PAGE: README.md, examples/README.md and all pages below docs. Programs run in a copy of examples/data, in the order of their page. C with
a main is compiled and run, other C has to compile where the names below are known; Python that does not import tvgp continues the
program before it; sh is run with the built programs in PATH. A comment in the line before a block says what else holds for it:

    <!-- run: COMMAND -->    the block is what the command prints; `./program` and `program.py` are the last program of the page
    <!-- tested by: FILE --> FILE, a test that names the page, runs the block
    <!-- by night: .. -->    as before, but only if TVGP_TESTS is `all`; without `run:` and `tested by:` the block is code"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NIGHT = os.environ.get("TVGP_TESTS") == "all"
KNOWN = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>
enum { DIM = 2, ARMS = 10 };
int have_expert(void);
double now(void), reward(int64_t arm), measure(const double *x);
void log_line(const char *text), keep(const char *text), raise_alarm(const char *text);
void part(tvgp_ctx *ctx, tvgp_domain *domain, tvgp_kernel *kernel, tvgp_policy *policy, tvgp_query q, double t, double y, double *x,
          double *lower, double *upper, uint8_t *mask, double *mean, double *var, int64_t arm, double value);
void part(tvgp_ctx *ctx, tvgp_domain *domain, tvgp_kernel *kernel, tvgp_policy *policy, tvgp_query q, double t, double y, double *x,
          double *lower, double *upper, uint8_t *mask, double *mean, double *var, int64_t arm, double value) {
"""
NAMES = "ctx domain kernel policy q t y x lower upper mask mean var arm value"
EXAMPLES_OF_SYNTAX = ("nginx", "json", "ini", "yaml", "diff")  # always with `tested by:`


class Block:
    def __init__(self, language, first, text, note):
        self.language, self.first, self.text = language, first, text
        said = re.fullmatch(r"<!--\s*(by night:?)?\s*(?:(run|tested by):\s*(.*?))?\s*-->", note)
        self.night, self.kind, self.what = (bool(said.group(1)), said.group(2), said.group(3)) if said else (False, None, None)

    @property
    def last(self):
        return self.first + self.text.count("\n")

    def is_program(self):
        return "int main(" in self.text if self.language in ("c", "cpp") else "import tvgp" in self.text


def blocks(page):
    """Every fenced block: language, number of its first line of text from 1, text, and the comment before it."""
    found, fence, note, before = [], None, "", ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if fence is None:
                fence, text, note = (line[3:].strip(), number + 1), [], before
            else:
                found.append(Block(*fence, "".join(one + "\n" for one in text), note))
                fence = None
        elif fence is not None:
            text.append(line)
        elif line.strip():
            before = line.strip()
        if fence is None and line.startswith("```"):
            before = ""
    return found


class Page:
    """Runs the blocks of a page in a directory of its own."""

    def __init__(self, page, cc, build, work):
        self.name, self.build, self.work = page.relative_to(ROOT), build, work / "data"
        shutil.copytree(ROOT / "examples/data", self.work)
        python = ROOT / "src/bindings/python"
        path = [build, build / "examples", build / "bench", os.environ["PATH"]]
        self.environment = {**os.environ, "TVGP_LIBRARY": str(build / "libtvgp.so"), "LD_LIBRARY_PATH": str(build), "OPENBLAS_NUM_THREADS": "1",
                            "PYTHONPATH": str(python), "PYTHONDONTWRITEBYTECODE": "1", "PATH": ":".join(map(str, path)), "ROOT": str(ROOT)}
        self.flags = [cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include"]

    def fail(self, block, text):
        sys.exit(f"{self.name}:{block.first}: {text}")

    def call(self, block, command, **more):
        ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600, cwd=self.work, env=self.environment, **more)
        if ran.returncode:
            shown = command if isinstance(command, str) else " ".join(map(str, command))
            self.fail(block, f"{shown}\n{ran.stdout[-2000:]}{ran.stderr[-4000:]}")
        return ran.stdout

    def compile(self, block):
        source = self.work / "program.c"
        source.write_text(block.text, encoding="utf-8")
        self.call(block, [*self.flags, source, "-L", self.build, "-ltvgp", "-lm", "-o", self.work / "program"])

    def fragment(self, block):
        unused = "".join(f"(void){name};" for name in NAMES.split())
        source = self.work / "fragment.c"
        source.write_text(f"{KNOWN}{unused}\n{{\n{block.text}}}}}\n", encoding="utf-8")
        self.call(block, [*self.flags, "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-fsyntax-only", source])

    def tested_elsewhere(self, block):
        test = ROOT / block.what
        if not test.is_file() or self.name.name not in test.read_text(encoding="utf-8"):
            self.fail(block, f"{block.what} does not name this page")


def play(page, found):
    """Runs the blocks of a page in their order; returns the number of blocks of code, and [(block of output, text)]."""
    count, now, waiting = 0, [], None  # waiting: the program that was not run yet

    def run_program():
        nonlocal waiting
        if waiting:
            page.call(waiting, ["./program"] if waiting.language == "c" else [sys.executable, "-B", "program.py"])
        waiting = None

    python = ""
    for block in found:
        count += block.kind != "run"
        if block.night and not NIGHT:
            continue
        if block.kind == "tested by":
            page.tested_elsewhere(block)
        elif block.kind == "run":
            now.append((block, page.call(block, block.what, shell=True)))
            if re.search(r"\./program|program\.py", block.what):
                waiting = None
        elif block.language == "c" and block.is_program():
            run_program()
            page.compile(block)
            waiting = block
        elif block.language == "c":
            page.fragment(block)
        elif block.language == "python":
            if block.is_program():
                run_program()
                python = ""
            python += block.text
            (page.work / "program.py").write_text(python, encoding="utf-8")
            waiting = block
        elif block.language == "sh":
            page.call(block, ["sh", "-eu", "-c", block.text])
        elif not block.language.startswith("{"):  # a directive of the site
            page.fail(block, f"a block of '{block.language}' needs a comment: `run: COMMAND` or `tested by: FILE` (tests/guide.py)")
    run_program()
    return count, now


def shown(text):
    """Output as a page shows it: without trailing blanks."""
    return "".join(line.rstrip() + "\n" for line in text.rstrip("\n").splitlines())


def replace(path, now):
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for block, text in reversed(now):
        lines[block.first - 1:block.last - 1] = [shown(text)]
    path.write_text("".join(lines), encoding="utf-8")


def main():
    what, cc, build, *names = sys.argv[1:]
    pages = [pathlib.Path(name).resolve() for name in names]
    pages = pages or [ROOT / "README.md", ROOT / "examples/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    code, output, stale = 0, 0, []
    for path in pages:
        found = blocks(path)
        with tempfile.TemporaryDirectory() as work:
            page = Page(path, cc, pathlib.Path(build).resolve(), pathlib.Path(work))
            count, now = play(page, found)
        code += count
        output += len(now)
        different = [(block, text) for block, text in now if shown(text) != block.text]
        if what == "write" and different:
            replace(path, different)
        stale += [f"{page.name}:{block.first}: differs from `{block.what}`:\n{shown(text)}" for block, text in different]
    print(code, "blocks of code,", output, "of output")
    if what == "check" and stale:
        sys.exit("\n".join(stale))


if sys.argv[1] == "extract":
    print(next(b.text for b in blocks(pathlib.Path(sys.argv[2])) if b.language == sys.argv[3] and b.is_program()), end="")
else:
    main()
