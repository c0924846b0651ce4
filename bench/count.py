# SPDX-License-Identifier: MIT
"""Counts the functions of src/ that one ask and one tell of gp-ucb on arms and one ask of tv-gp-ucb on a box enter (bench/count.c),
and compares them with the limits in docs/project/architecture.md.

usage: python3 bench/count.py BUILD    a build of bench_count in which nothing is inlined: -O1 -g -fno-inline
--list prints the functions as well. Exit code 1: a limit is exceeded. 77: valgrind is not installed."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def entered(program, toggle):
    """Files and names of the functions of the library that run below the function `toggle` of the program."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", f"--toggle-collect={toggle}",
                        "--compress-strings=no", "--compress-pos=no", program], check=True, capture_output=True)
        text = pathlib.Path(out.name).read_text(encoding="utf-8")
    found, file = set(), ""
    for kind, value in re.findall(r"^(fl|fn)=(.*)$", text, re.M):
        if kind == "fl": # from src/ on, since a compiler cache may answer with the object of another checkout
            file = re.sub(r"^.*/(?=src/)", "", value)
        elif file.startswith("src/"):
            found.add((file, re.sub(r"'\d+$", "", value)))
    return found


def main(arguments):
    if not shutil.which("valgrind"):
        print("count: skipped, valgrind is not installed")
        return 77
    program = pathlib.Path(arguments[-1]) / "bench" / "bench_count"
    page = (ROOT / "docs" / "project" / "architecture.md").read_text(encoding="utf-8")
    status = 0
    for toggle, row in (("last_ask", "a plain ask of gp-ucb"), ("last_tell", "a plain tell of gp-ucb"), ("last_box", "an ask of tv-gp-ucb on a box")):
        functions = entered(program, toggle)
        limit = int(re.search(rf"^\| functions entered by {row}.*\| (\d+) \| \d+ \|$", page, re.M).group(1))
        print(f"{row}: {len(functions)} functions in {len({file for file, _ in functions})} files, at most {limit}")
        if "--list" in arguments:
            print("\n".join(f"  {file} {name}" for file, name in sorted(functions)))
        status |= len(functions) > limit
    return status


sys.exit(main(sys.argv[1:]))
