# SPDX-License-Identifier: MIT
"""Would it have helped? A policy plays a table of times and options whose values are all known."""
from __future__ import annotations

import datetime
import math
import pathlib
import re
from typing import Any, Iterable

from . import _csv, _plot
from . import _native as native
from ._model import grid, indices
from ._model import arms as arms_of
from ._policy import Policy
from ._times import many


def _number(value: Any) -> float:
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, str) and not value):
        return math.nan
    return native.number("a value of data", value)


def _table(data: Any) -> tuple[list[float], list[Any], list[list[float]]]:
    """Times, options and rows of a DataFrame, of a dictionary option -> values, of rows, or of a CSV file whose first column is the
    time."""
    if isinstance(data, (str, pathlib.Path)):
        table = _csv.read(data)
        columns, n = range(1, len(table.names)), range(len(table.rows))
        rows = [[table.number(i, column) for column in columns] for i in n]
        return _times([_moment(table, i) for i in n], len(rows)), table.names[1:], rows
    if hasattr(data, "columns") and hasattr(data, "index"):
        rows = [[_number(v) for v in row] for row in (data.to_numpy() if hasattr(data, "to_numpy") else data.values).tolist()]
        return _times(list(data.index), len(rows)), list(data.columns), rows
    if isinstance(data, dict):
        rows = [[_number(v) for v in row] for row in zip(*data.values())]
        return _times(None, len(rows)), list(data), rows
    rows = [[_number(v) for v in row] for row in (data.tolist() if hasattr(data, "tolist") else data)]
    return _times(None, len(rows)), list(range(len(rows[0]) if rows else 0)), rows


def _moment(table: _csv.Table, row: int) -> Any:
    """The first cell: a number, or a date such as 2026-01-31 or 2026-01-31T12:00."""
    cell = table.rows[row][0]
    if not re.match(r"\d{4}-\d{2}-\d{2}($|[T ])", cell):
        return table.number(row, 0)
    try:
        return datetime.datetime.fromisoformat(re.sub(r"Z$", "+00:00", cell))
    except ValueError:
        raise table.refuse(row, 0, "is no time") from None


def _times(index: Any, n: int) -> list[float]:
    """Times of the index, if they are in order; else 0, 1, .."""
    try:
        found: Any = many(index)
    except (TypeError, ValueError):
        found = None
    ordered = found and all(a <= b for a, b in zip(found, found[1:]))
    return list(found) if ordered else [float(i) for i in range(n)]


def _places(options: list[Any]) -> tuple[Any, list[float]]:
    """Options that are numbers are places on a line, others are names."""
    try:
        places = [float(option) for option in options]
    except (TypeError, ValueError):
        places = []
    if len(set(places)) < len(options) or not all(map(math.isfinite, places)):
        return indices(len(options)), [float(i) for i in range(len(options))]
    steps = [b - a for a, b in zip(places, places[1:])]
    even = steps and steps[0] > 0 and all(abs(s - steps[0]) <= 1e-9 * abs(steps[0]) for s in steps)
    return (grid(places[0], places[-1], len(places)) if even else arms_of([[v] for v in places])), places


class Replay:
    """The result: `regrets` by policy, including the baselines; `runs` with the records of each policy for tvgp.plot_run."""

    def __init__(self, options: list[Any], times: list[float], regrets: dict[str, list[float]], runs: dict[str, list[dict[str, Any]]]) -> None:
        self.options, self.times, self.runs, self._paths = options, times, runs, regrets
        self.regrets = {name: path[-1] for name, path in regrets.items()}

    def table(self) -> str:
        """Regret of each policy and baseline, the least first."""
        width = max(map(len, self.regrets))
        return "\n".join(f"{name:{width}}  {regret:12.6g}" for name, regret in sorted(self.regrets.items(), key=lambda item: item[1]))

    def plot(self) -> _plot.Picture:
        """Regrets over time."""
        panel = _plot.Panel(40, 330, self.times, [0.0, *(v for path in self._paths.values() for v in path)], "regret so far", "time", times=True)
        lines = iter(["line0", "line1", "line2", "line4"] * len(self._paths))
        for i, (name, path) in enumerate(self._paths.items()):
            kind = "line3" if name == "random" else next(lines)
            panel.line(self.times, path, kind)
            panel.parts.append(f'<path class="{kind}" d="M{_plot.LEFT + 12} {60 + 18 * i}L{_plot.LEFT + 36} {60 + 18 * i}"/>')
            panel.text(_plot.LEFT + 44, 64 + 18 * i, f"{name}: {path[-1]:.4g}", "start")
        return _plot.picture([panel], 374, "regrets")

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return f"{self.plot().svg}<pre>{self.table()}</pre>"


def replay(data: Any, policies: Iterable[str] = ("auto-gp-ucb", "random"), *, sense: str = "max", kernel: Any = None, means: bool = False,
           **options: Any) -> Replay:
    """Plays each policy through a table: a row for each time, a column for each option, whose values are all known afterwards; the
    policy asks for one of them and receives only that value. An empty or NaN entry means that the option is unavailable. Regret is the
    value of the best option of each time, less the value of the chosen one (with sense="min" the other way).

    data: a pandas.DataFrame (its index are the times where they are in order), a dictionary option -> values, rows, or the path of a
    CSV file whose first column is the time. Options that are numbers are points on a line; others are categories. The regrets include "best option, always", which is known only in
    hindsight, and "random" on request. `means` keeps the posterior means of all options at each time. Other keywords are options of the policies that have them."""
    times, names, rows = _table(data)
    if not rows or len(names) < 2:
        raise ValueError(f"replay: {len(rows)} times and {len(names)} options")
    if any(len(row) != len(names) for row in rows):
        raise ValueError("replay: rows differ in length")
    if sense not in ("max", "min"):
        raise ValueError(f"sense = {sense!r} must be max or min")
    kept = [(t, row) for t, row in zip(times, rows) if any(math.isfinite(v) for v in row)]
    times, rows = [t for t, _ in kept], [row for _, row in kept]
    domain, places = _places(names)
    sign = 1.0 if sense == "max" else -1.0
    best = [max(sign * v for v in row if math.isfinite(v)) for row in rows]
    regrets, runs = {"best option, always": _always(rows, best, sign)}, {}
    for name in policies:
        runs[name] = _play(name, domain, kernel, {"sense": sense, **options}, (times, places, rows, best, sign, means))
        regrets[name] = [record["regret"] for record in runs[name]]
    return Replay(names, times, regrets, runs)


def _always(rows: list[list[float]], best: list[float], sign: float) -> list[float]:
    """Regret of the one option, there at every time, that is best in all (the one with most entries where none is always there)."""
    def path(arm: int) -> list[float]:
        total, found = 0.0, []
        for row, most in zip(rows, best):
            there = [v for v in row if math.isfinite(v)]
            value = row[arm] if math.isfinite(row[arm]) else sum(there) / len(there)
            total += most - sign * value
            found.append(total)
        return found
    return min((path(arm) for arm in range(len(rows[0]))), key=lambda one: one[-1])


def _play(name: str, domain: Any, kernel: Any, options: dict[str, Any], game: tuple[Any, ...]) -> list[dict[str, Any]]:
    times, places, rows, best, sign, means = game
    policy = Policy(name, domain, kernel)
    there = policy.options()
    policy.set(**{key: value for key, value in options.items() if key.replace("__", ".") in there})
    stats, total, records = policy.stats(), 0.0, []
    for t, row, most in zip(times, rows, best):
        exists = [math.isfinite(v) for v in row]
        policy.set_available(None if all(exists) else exists)
        query = policy.ask(t)
        assert query is not None  # every outcome has been reported
        value = row[query.arm]
        policy.tell(query, value)
        total += most - sign * value
        record = {"t": t, "x": places[query.arm], "arm": query.arm, "y": value, "regret": total}
        if "half_life" in stats:
            record["half_life"] = policy.stat("half_life")
        if name != "random":
            record["best"] = places[policy.best(t).arm]
            if means:
                record["mean"], record["places"] = [float(v) for v in policy.predict(t)[0]], places
        records.append(record)
    return records
