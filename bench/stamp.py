# SPDX-License-Identifier: MIT
"""Stamps of files of results: stamp.py COMMAND ARGUMENT ..

Runs the command and prints its output below a stamp, as the first line of a CSV file in docs/benchmarks:
    # tvgp VERSION+COMMIT decisions N, command, S processor seconds
N is the number in tests/golden/decisions, so that tests/stamps.py finds what was played before decisions changed. For other programs:
`line` makes a stamp, `rows` reads a file with or without one."""
import csv
import os
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "tests/golden/decisions"
STAMP = re.compile(r"# tvgp (\S+)\+(\S+) decisions (\d+), (.+), (\d+) processor seconds$")


def decisions():
    """The number of what the library decides now."""
    return int(re.search(r"^decisions (\d+)$", DECISIONS.read_text(encoding="utf-8"), re.M).group(1))


def line(command, seconds):
    """The stamp, with the end of its line."""
    version = re.search(r"project\(tvgp VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    try:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:  # no git
        commit = ""
    return f"# tvgp {version}+{commit or 'none'} decisions {decisions()}, {command}, {seconds:.0f} processor seconds\n"


def of(path):
    """The number of decisions in a file's stamp; None without a stamp."""
    with open(path, encoding="utf-8") as file:
        found = STAMP.match(file.readline().rstrip("\n"))
    return int(found.group(3)) if found else None


def rows(path):
    """The rows of a CSV file as dictionaries. The stamp is skipped."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(text for text in file if not text.startswith("#")))


def main():
    words = sys.argv[1:]
    while "python" in words[0] or words[0].startswith("-"):  # the script is the command
        words = words[1:]
    ran = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, env={"OPENBLAS_NUM_THREADS": "1", **os.environ})
    if ran.returncode:
        sys.exit(ran.returncode)
    data = os.environ.get("TVGP_DATA_DIR") or "no folder"
    quoted = [f'"{word}"' if " " in word else word.replace(data, "$TVGP_DATA_DIR") for word in words[1:]]
    sys.stdout.write(line(" ".join([pathlib.Path(words[0]).name, *quoted]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime) + ran.stdout)


if __name__ == "__main__":
    main()
