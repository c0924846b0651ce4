# SPDX-License-Identifier: MIT
"""A baseline that is tuned in hindsight must be tuned inside its grid: in the committed results of experiments, the best setting of
each grid has a larger and a smaller value of every parameter in the grid, unless that end is closed (no such value exists)."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import stamp  # noqa: E402

EXPERIMENTS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "data"

# File, columns of a problem, pattern of a setting (its first group names the rule), measure, and the closed ends of each parameter.
GRIDS = [
    ("noisy.csv", ["table", "row"], r"(sw-ucb) (width)=(\S+) (window)=(\S+)", "regret", {"width": {0}, "window": {6000}}),
    ("noisy.csv", ["table", "row"], r"(disc thompson) (memory)=(\S+)", "regret", {"memory": {float("inf")}}),
    ("candidates.csv", ["world"], r"(linucb on .+) (factor)=(\S+) (alpha)=(\S+)", "share", {"factor": {1}, "alpha": {0}}),
]


def settings(rows, pattern, measure):
    """Rule -> list of (parameters, value)."""
    found = {}
    for row in rows:
        match = re.fullmatch(pattern, row["player"])
        if match:
            rule, *pairs = match.groups()
            parameters = dict(zip(pairs[::2], map(float, pairs[1::2])))
            found.setdefault(rule, []).append((parameters, float(row[measure])))
    return found


def open_edges(grid, closed):
    """Parameters whose best value is at an open end of the grid."""
    best = min(grid, key=lambda setting: setting[1])
    for name, value in best[0].items():
        ends = {min(s[0][name] for s in grid), max(s[0][name] for s in grid)}
        if value in ends - closed.get(name, set()):
            yield f"{name} = {value:g}"


def check(name, by, pattern, measure, closed):
    tables = {}
    for row in stamp.rows(EXPERIMENTS / name):
        tables.setdefault(tuple(row[column] for column in by), []).append(row)
    seen = 0
    for table, rows in tables.items():
        for rule, grid in settings(rows, pattern, measure).items():
            seen += 1
            for edge in open_edges(grid, closed):
                yield f"{name}: {', '.join(table)}: the best {rule} has {edge}, an end of its grid"
    if not seen:
        yield f"{name}: no setting matches {pattern}"


faults = [fault for grid in GRIDS for fault in check(*grid)]
print("\n".join(faults) or f"{len(GRIDS)} grids: every best setting is inside")
sys.exit(bool(faults))
