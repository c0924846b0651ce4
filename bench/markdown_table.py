# SPDX-License-Identifier: MIT
"""Prints tables of pages in Markdown, for the scripts docs/*_table.py."""


def show(head, *rows):
    for row in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(map(str, row)) + " |")


def crossed(corner, rows, left, above, cell):
    """A line for each value of left(row), a column for each value of above(row), with cell(row). None leaves a row out."""
    cells = {(left(r), above(r)): cell(r) for r in rows if left(r) is not None and above(r) is not None}
    lines, heads = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    show([corner, *heads], *[[line, *(cells.get((line, head), "") for head in heads)] for line in lines])
