# SPDX-License-Identifier: MIT
"""Prints a CSV file of results as a table of a page, without its stamp. A test compares the page.

csv_table.py FILE.csv                               the file as it is
csv_table.py FILE.csv ROW COLUMN VALUE [ERROR]      a row for each value of ROW, a column for each value of COLUMN (names of columns)"""
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import stamp  # noqa: E402
from markdown_table import crossed, show  # noqa: E402


def main(path, row=None, column=None, value=None, error=None):
    if row:
        crossed(row, stamp.rows(path), lambda r: r[row], lambda r: r[column], lambda r: r[value] + (f" +- {r[error]}" if error else ""))
    else:
        with open(path, newline="", encoding="utf-8") as file:  # columns may have the same name
            show(*csv.reader(line for line in file if not line.startswith("#")))


main(*sys.argv[1:])
