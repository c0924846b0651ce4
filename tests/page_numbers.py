# SPDX-License-Identifier: MIT
"""Numbers of pages against committed CSV files: page_numbers.py [write].

A table after a comment `<!-- table: SCRIPT ARGUMENTS -->` equals the output of the Python script, and a page with a comment
`<!-- page: SCRIPT -->` as a whole; `write` updates them. In docs/benchmarks/experiments.md, each cell "value +- error" of an entry is in a row of the CSV files that the entry links, rounded
to the digits of the page."""
import contextlib
import csv
import io
import os
import pathlib
import re
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPERIMENTS = ROOT / "docs/benchmarks/experiments.md"
TABLE = re.compile(r"(<!-- table: (\S+\.py) ?(.*?) -->\n\n?)((?:\|.*\n)+)")
PAGE = re.compile(r"^<!-- page: (\S+\.py) -->$", re.M)
DERIVED = {"Recorded data", "Fleets"}  # tables of geometric means over sets; of a program whose output is not committed
CELL = re.compile(r"(?<=\| )([-+]?[\d.]+) \+- ([\d.]+)(?= \|)")


def output(script, arguments):
    """What a Python script prints, run in this process, which is faster than one of its own."""
    before, sys.argv = sys.argv, [script, *arguments]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            runpy.run_path(str(ROOT / script), run_name="__main__")
    finally:
        sys.argv = before
    return said.getvalue()


def printed(text, wrong, name):
    """The text with the tables that their scripts print."""
    if whole := PAGE.search(text):
        said = output(whole[1], [])
        if said != text:
            wrong.append(f"{name}: differs from what {whole[1]} prints")
        return said

    def table(found):
        said = output(found[2], found[3].split())
        if said != found[4]:
            wrong.append(f"{name}: the table differs from `{found[2]} {found[3]}`:\n{said}")
        return found[1] + said
    return TABLE.sub(table, text)


def numbers(row):
    """Absolute values of the numbers in a row of a CSV, of cells such as 1.5+-.2 both."""
    return [abs(float(part)) for cell in row for part in re.findall(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w])", cell.replace("+-", " "))]


def shown(number, text):
    """Whether a number is printed as text."""
    digits = len(text.partition(".")[2])
    return abs(number - abs(float(text))) <= 0.5000001 * 10.0**-digits


def missing(entry):
    """The cells of an entry that are in none of its CSV files."""
    files = [EXPERIMENTS.parent / name for name in re.findall(r"\]\((data/[\w.-]+\.csv)\)", entry)]
    rows = [numbers(row) for file in files for row in csv.reader(file.read_text(encoding="utf-8").splitlines()) if not row[0].startswith("#")]
    cells = [found for line in entry.splitlines() if line.startswith("|") for found in CELL.finditer(line)]
    return len(cells), [c[0] for c in cells if not any(any(shown(n, c[1]) for n in r) and any(shown(n, c[2]) for n in r) for r in rows)]


def main():
    os.chdir(ROOT)
    wrong, tables, cells = [], 0, 0
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        now = printed(text, wrong, path.relative_to(ROOT))
        tables += len(TABLE.findall(text))
        if now != text and "write" in sys.argv:
            path.write_text(now, encoding="utf-8")
    for entry in re.split(r"^## ", EXPERIMENTS.read_text(encoding="utf-8"), flags=re.M)[1:]:
        if entry.splitlines()[0] in DERIVED:
            continue
        count, lost = missing(entry)
        cells += count
        wrong += [f"{EXPERIMENTS.name}, {entry.splitlines()[0]}: {cell} is in none of its CSV files" for cell in lost]
    print(f"{tables} tables, {cells} cells")
    if wrong and "write" not in sys.argv:
        sys.exit("\n".join(wrong))


main()
