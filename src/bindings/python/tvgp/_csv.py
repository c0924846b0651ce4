# SPDX-License-Identifier: MIT
"""CSV files (RFC 4180) by the rules of the program tvgp: a header of distinct names, cells in quotes, thousands, empty lines. Whatever is
wrong is refused with line and column."""
from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

_GROUPS = re.compile(r"[+-]?\d{1,3}(,\d{3})+([.eE].*)?")


class Table(NamedTuple):
    """Cells as text, and the line of the file where each row begins."""

    path: str
    names: list[str]
    rows: list[list[str]]
    lines: list[int]

    def refuse(self, row: int, column: int, what: str) -> ValueError:
        return ValueError(f"{self.path}: line {self.lines[row]}, column {column + 1} ({self.names[column]}): \"{self.rows[row][column]}\" {what}")

    def number(self, row: int, column: int) -> float:
        """A cell as a number; an empty one is NaN."""
        cell = self.rows[row][column]
        if not cell:
            return math.nan
        try:
            value = float(cell.replace(",", "") if _GROUPS.fullmatch(cell) else cell)
        except ValueError:
            value = math.inf
        if not math.isfinite(value) or "_" in cell:
            raise self.refuse(row, column, "is not a finite number")
        return value


def read(path: Any) -> Table:
    """Reads the file at this path."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        text = file.read()
    records = _records(str(path), text)
    if not records:
        raise ValueError(f"{path}: empty; expected a header line of names")
    line, names = records[0]
    first = text.lstrip("\r\n").split("\n", 1)[0]
    if len(names) == 1 and (";" in first or "\t" in first):
        raise ValueError(f"{path}: line {line}: no comma in the header; is {chr(39) + ';' + chr(39) if ';' in first else 'a tab'} the separator?")
    for column, name in enumerate(names):
        if name and name in names[:column]:
            raise ValueError(f"{path}: line {line}, column {column + 1}: \"{name}\" is the name of column {names.index(name) + 1} too")
    for line, cells in records[1:]:
        if len(cells) > len(names):
            raise ValueError(f"{path}: line {line}, column {len(names) + 1}: \"{cells[len(names)]}\" is one cell too many, the header has {len(names)}")
        if len(cells) < len(names):
            raise ValueError(f"{path}: line {line}, column {len(cells)}: the row ends after \"{cells[-1]}\", the header has {len(names)} columns")
    if len(records) == 1:
        raise ValueError(f"{path}: line {line}: no rows after the header")
    return Table(str(path), names, [cells for _, cells in records[1:]], [line for line, _ in records[1:]])


def _records(path: str, text: str) -> list[tuple[int, list[str]]]:
    """Records that are not empty, each with the line where it begins."""
    found, at, line = [], 0, 1
    while at < len(text):
        start, begin = line, at
        cells: list[str] = []
        while True:
            cell, at = _cell(f"{path}: line {start}, column {len(cells) + 1}", text, at)
            cells.append(cell)
            if at >= len(text) or text[at] == "\n":
                break
            at += 1  # the comma
        at += 1
        line += text.count("\n", begin, at)
        if text[begin:at].strip("\r\n"):
            found.append((start, cells))
    return found


def _cell(place: str, text: str, at: int) -> tuple[str, int]:
    """A cell, and where it ends: at a comma, a line end, or the end of the file."""
    blank = re.compile(r"[^\S\n]*")
    begin = blank.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing, too
    if text[begin:begin + 1] != '"':
        end = re.compile(r"[^,\n]*").match(text, at).end()  # type: ignore[union-attr]
        return text[at:end].strip(), end
    closed = re.compile(r'"((?:[^"]|"")*)"').match(text, begin)
    if not closed:
        raise ValueError(f"{place}: a quote is not closed")
    end = blank.match(text, closed.end()).end()  # type: ignore[union-attr]
    if text[end:end + 1] not in ("", ",", "\n"):
        raise ValueError(f"{place}: \"{text[end:end + 40].splitlines()[0]}\" follows a closing quote")
    return closed.group(1).replace('""', '"'), end
