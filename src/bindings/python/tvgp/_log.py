# SPDX-License-Identifier: MIT
"""Logs as they come: tables of pandas, arrays, lists of rows, records (t, arm, y)."""
from __future__ import annotations

import datetime
import math
import os
from typing import Any, NamedTuple

from . import _native as native

DAY, WEEK, YEAR = 86400, 7 * 86400, 365.25 * 86400


def is_date(t: Any) -> bool:
    """Whether it is a time of day, not a number."""
    return isinstance(t, datetime.date) or getattr(getattr(t, "dtype", None), "kind", "") == "M"


class Table(NamedTuple):
    """Rows x arms, NaN in blanks."""

    times: list[Any] | None
    rows: Any


class Records(NamedTuple):
    """One entry for each record."""

    t: list[Any]
    arm: list[int]
    y: list[float]


def read(log: Any, t: Any = None) -> Table | Records:
    """A DataFrame (times in the index, arms in the columns), rows of an array or of lists, or tuples (t, arm, y)."""
    if isinstance(log, (str, bytes, os.PathLike)):
        raise TypeError(f"the log is {log!r}; it must be a DataFrame, rows x arms, or tuples (t, arm, y), not a path: read the file first, "
                        "such as with pandas.read_csv(path, index_col=0)")
    if hasattr(log, "columns") and hasattr(log, "index"):
        return Table(list(log.index) if t is None else list(t), log.to_numpy())
    times = None if t is None else list(t)
    if not hasattr(log, "shape"):
        log = list(log)
        if log and all(isinstance(record, tuple) for record in log):
            return _records(log)
    return Table(times, log)


def _records(log: list[Any]) -> Records:
    for i, record in enumerate(log):
        if len(record) != 3:
            raise ValueError(f"record {i} of the log has {len(record)} parts, must be (t, arm, y)")
    t, arm, y = zip(*log)
    return Records(list(t), [native.whole("arm", a, 0, 2**31 - 1) for a in arm], [float(v) for v in y])


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def values(rows: Any, arms: int) -> native.Doubles:
    """The numbers of a table, checked to be rows of this many arms."""
    if hasattr(rows, "shape"):
        if len(rows.shape) != 2 or rows.shape[1] != arms:
            raise ValueError(f"the log has shape {tuple(rows.shape)}, must be rows x {arms}, one column for each arm")
        return native.doubles(rows)
    flat: list[float] = []
    for i, row in enumerate(rows):
        cells = [_number(value) for value in native.listed(row)]
        if len(cells) != arms:
            raise ValueError(f"row {i} of the log has {len(cells)} values for {arms} arms")
        flat += cells
    return native.doubles(flat)
