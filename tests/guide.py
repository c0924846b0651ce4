# SPDX-License-Identifier: MIT
"""The programs of the guide. `guide.py extract PAGE LANGUAGE` prints the first program of a page in c or python.

`guide.py run CC BUILD ROOT`: every block ```c and ```python of README.md, docs/guide/*.md and docs/reference/bindings.md works. C with a main, and Python
that imports tvgp, are run in a copy of examples/data, into which they may write; a part of a C program has to compile where the
names below are known, a part of a Python program continues the program before it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KNOWN = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>
enum { DIM = 2, ARMS = 10 };
double now(void), reward(int64_t arm), measure(const double *x);
void log_line(const char *text), keep(const char *text), raise_alarm(const char *text);
void part(tvgp_ctx *ctx, tvgp_domain *domain, tvgp_kernel *kernel, tvgp_policy *policy, tvgp_query q, double t, double y, double *x,
          double *lower, double *upper, uint8_t *mask, double *mean, double *var, int64_t arm, double value);
void part(tvgp_ctx *ctx, tvgp_domain *domain, tvgp_kernel *kernel, tvgp_policy *policy, tvgp_query q, double t, double y, double *x,
          double *lower, double *upper, uint8_t *mask, double *mean, double *var, int64_t arm, double value) {
"""
NAMES = "ctx domain kernel policy q t y x lower upper mask mean var arm value"


def blocks(page):
    """(language, line, text) of every fenced block."""
    found, language, start, text = [], None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, start, text = line[3:].strip(), number, []
            else:
                found.append((language, start, "\n".join(text) + "\n"))
                language = None
        elif language is not None:
            text.append(line)
    return found


def is_program(language, text):
    return "int main(" in text if language == "c" else "import tvgp" in text


def done(where, command, **more):
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300, **more)
    if ran.returncode:
        sys.exit(f"{where}: {' '.join(map(str, command))}\n{ran.stdout[-2000:]}{ran.stderr[-4000:]}")
    return ran.stdout


def run(cc, build, root):
    with tempfile.TemporaryDirectory() as work:
        data = pathlib.Path(work, "data")
        shutil.copytree(root / "examples/data", data)
        run_in(data, cc, build, root)


def run_in(data, cc, build, root):
    environment = {**os.environ, "TVGP_LIBRARY": str(build / "libtvgp.so"), "LD_LIBRARY_PATH": str(build), "OPENBLAS_NUM_THREADS": "1",
                   "PYTHONPATH": str(root / "examples/ffi/python"), "PYTHONDONTWRITEBYTECODE": "1"}
    flags = [cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", root / "include"]
    count = 0
    for page in [root / "README.md", *sorted((root / "docs/start").glob("*.md")), *sorted((root / "docs/guide").glob("*.md")),
                 root / "docs/reference/bindings.md"]:
        before = ""
        for language, line, text in blocks(page):
            where = f"{page.relative_to(root)}:{line}"
            with tempfile.TemporaryDirectory() as work:
                source, program = pathlib.Path(work, "source." + language[:2].strip()), pathlib.Path(work, "program")
                if language == "c" and is_program(language, text):
                    source.write_text(text, encoding="utf-8")
                    done(where, [*flags, "-x", "c", source, "-L", build, "-ltvgp", "-lm", "-o", program])
                    done(where, [program], cwd=data, env=environment)
                elif language == "c":
                    unused = "".join(f"(void){name};" for name in NAMES.split())
                    source.write_text(f"{KNOWN}{unused}\n{text}}}\n", encoding="utf-8")
                    done(where, [*flags, "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-x", "c", "-fsyntax-only", source])
                elif language == "python":
                    before = text if is_program(language, text) else before + text
                    source.write_text(before, encoding="utf-8")
                    done(where, [sys.executable, "-B", source], cwd=data, env=environment)
                elif language not in ("", "text", "sh", "cmake", "js", "lua", "rust", "cpp", "sql", "nginx"):
                    sys.exit(f"{where}: nobody runs '{language}'")
                else:
                    continue
                count += 1
    print(count, "programs and parts of programs")


if sys.argv[1] == "extract":
    print(next(text for language, _, text in blocks(pathlib.Path(sys.argv[2])) if language == sys.argv[3] and is_program(language, text)),
          end="")
else:
    run(sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), pathlib.Path(sys.argv[4]).resolve())
