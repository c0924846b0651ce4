# SPDX-License-Identifier: MIT
"""Prints a CSV file of results as a table of a page, without its stamp: csv_table.py FILE.csv. A test compares the page."""
import csv
import sys

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    head, *rows = csv.reader(line for line in file if not line.startswith("#"))
for row in (head, ["---"] * len(head), *rows):
    print("|" + "".join(f" {cell} |" for cell in row))
