# SPDX-License-Identifier: MIT
"""Times of day for a library that knows numbers: seconds since 1970, and seconds of a span. A datetime or a numpy.datetime64 without
a zone counts as UTC, so that the same file means the same everywhere."""
import datetime
from typing import Any

from ._native import listed, number, numpy


def span(value: Any) -> Any:
    """Seconds of a timedelta, pandas.Timedelta or numpy.timedelta64; a number stays what it is."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if numpy is not None and isinstance(value, numpy.timedelta64):
        return float(value / numpy.timedelta64(1, "ns")) / 1e9
    return value


def seconds(value: Any, what: str = "t") -> float:
    """A time as a number: of a date, datetime, pandas.Timestamp or numpy.datetime64 seconds since 1970."""
    if isinstance(value, datetime.date) and value != value:  # pandas.NaT
        raise ValueError(f"{what} = {value} is no time")
    if isinstance(value, datetime.datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        found = moment.timestamp()
    elif isinstance(value, datetime.date):
        found = float((value - datetime.date(1970, 1, 1)).days * 86400)
    elif numpy is not None and isinstance(value, numpy.datetime64):
        found = float((value - numpy.datetime64(0, "s")) / numpy.timedelta64(1, "ns")) / 1e9
    else:
        try:
            return number(what, value)
        except TypeError as error:
            raise TypeError(f"{error}, a date or a datetime") from None
    if found != found:
        raise ValueError(f"{what} = {value} is no time")
    return found


def many(values: Any, what: str = "t") -> Any:
    """One time, or a list, array, Series or index of them, as numbers; None stays None."""
    if values is None:
        return values
    if numpy is not None and getattr(getattr(values, "dtype", None), "kind", "") == "M":
        values = [numpy.datetime64(v, "ns") for v in numpy.ravel(numpy.asarray(values))]
    values = listed(values) if not hasattr(values, "isoformat") else values
    if hasattr(values, "__iter__") and not isinstance(values, (str, bytes, datetime.date, dict)):
        return [seconds(value, f"{what}[{i}]") for i, value in enumerate(values)]
    return seconds(values, what)
