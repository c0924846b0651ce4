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


def read(log: Any, t: Any = None, arms: int = 0) -> Table | Records:
    """A DataFrame (times in the index, arms in the columns), rows of an array or of lists, or tuples (t, arm, y)."""
    if isinstance(log, (str, bytes, os.PathLike)):
        raise TypeError(f"data = {log!r} must be a DataFrame, rows x arms, or tuples (t, arm, y), not a path: read the file first, "
                        "such as with pandas.read_csv(path, index_col=0)")
    if hasattr(log, "columns") and hasattr(log, "index"):
        return Table(list(log.index) if t is None else list(t), log.to_numpy())
    times = None if t is None else list(t)
    if not hasattr(log, "shape"):
        log = list(native.listed(log))
        if times is None and log and _are_records(log, arms):
            return records_of(log, "data")
    return Table(times, log)


def _are_records(log: list[Any], arms: int) -> bool:
    """Whether the rows are tuples (t, arm, y). Of three arms a row may be both."""
    tuples = all(isinstance(row, tuple) for row in log)
    if arms == 3 and all(isinstance(row, (tuple, list)) and len(row) == 3 for row in log) and (tuples or all(_is_arm(row[1]) for row in log)):
        raise TypeError(f"data[0] = {log[0]!r} may be a record (t, arm, y) or the values of 3 arms: use records= for records, and for a table t= "
                        "or an array")
    return tuples


def _is_arm(value: Any) -> bool:
    return isinstance(value, (int, float)) and float(value).is_integer()


def records_of(log: Any, what: str = "records") -> Records:
    """Entries (t, arm, y) of a list, of an array n x 3, or of a table with columns t, arm, y."""
    if hasattr(log, "columns") and hasattr(log, "to_numpy"):
        names = [str(name) for name in log.columns]
        if len(names) != 3 and not {"t", "arm", "y"} <= set(names):
            raise ValueError(f"{what} has the columns {', '.join(names)}, must be t, arm, y")
        log = log[["t", "arm", "y"]] if {"t", "arm", "y"} <= set(names) else log
        log = list(zip(*(log[name] for name in log.columns)))
    log = list(native.listed(log))
    for i, record in enumerate(log):
        if not isinstance(record, (tuple, list)) or len(record) != 3:
            raise ValueError(f"{what}[{i}] = {record!r} must be (t, arm, y)")
    if not log:
        raise ValueError(f"{what} is empty")
    t, arm, y = zip(*log)
    return Records(list(t), [native.whole(f"{what}[{i}]: arm", a, 0, 2**31 - 1) for i, a in enumerate(arm)],
                   [native.number(f"{what}[{i}]: y", v) for i, v in enumerate(y)])


def values(rows: Any, arms: int) -> native.Doubles:
    """The numbers of a table, checked to be rows of this many arms."""
    rows = native.plain_array(rows)
    if hasattr(rows, "shape"):
        if len(rows.shape) != 2 or rows.shape[1] != arms:
            raise ValueError(f"data has shape {tuple(rows.shape)}, must be rows x {arms}, one column for each arm")
        rows = native.listed(rows) if rows.dtype.kind == "O" else rows
    if hasattr(rows, "shape"):
        return native.doubles(rows, "data")
    flat: list[float] = []
    for i, row in enumerate(rows):
        row = native.listed(row)
        if not hasattr(row, "__iter__") or isinstance(row, (str, bytes)) or len(row) != arms:
            raise ValueError(f"data[{i}] = {row!r} must have a value for each of {arms} arms")
        flat += [math.nan if _is_missing(value) else native.number(f"data[{i},{arm}]", value) for arm, value in enumerate(row)]
    return native.doubles(flat)


def _is_missing(value: Any) -> bool:
    """None, or pandas.NA."""
    return value is None or type(value).__name__ == "NAType"
