# SPDX-License-Identifier: MIT
"""Prints a CSV file of results as a table of a page, without its stamp. A test compares the page.

csv_table.py FILE.csv                               the file as it is
csv_table.py FILE.csv ROW COLUMN VALUE [ERROR]      a row for each value of ROW, a column for each value of COLUMN (names of columns)"""
import csv
import sys


def crossed(rows, row, column, value, error=None):
    heads = list(dict.fromkeys(r[column] for r in rows))
    cells = {(r[row], r[column]): r[value] + (f" +- {r[error]}" if error else "") for r in rows}
    yield [row, *heads]
    for name in dict.fromkeys(r[row] for r in rows):
        yield [name, *[cells.get((name, head), "") for head in heads]]


def main(path, *columns):
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    head, *rows = crossed(list(csv.DictReader(lines)), *columns) if columns else csv.reader(lines)
    for row in (head, ["---"] * len(head), *rows):
        print("|" + "".join(f" {cell} |" for cell in row))


main(*sys.argv[1:])
