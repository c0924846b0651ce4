# SPDX-License-Identifier: MIT
"""Moments of recorded tables, for their made-up twins in bench/zoo/family_recorded.c: prints one row of C for each.

usage: python3 bench/zoo/fit_twins.py DIRECTORY

A value, standardised over the table, is taken apart into the arm's level, the mean of the hour over all arms, each arm's own day
in addition, what is common to all arms at a time, and the rest. Printed: standard deviations of the five, correlation of common
part and rest over one row, and the kurtosis of the changes of the rest as a chance and a size of jumps: a change that is N(0, 1)
but with chance p N(0, 1 + s^2) has kurtosis above 3; p is the share of changes beyond four standard deviations of the middle."""
import csv
import math
import sys

SETS = [("demand", "grid_demand.csv", 24), ("sensors", "intel_temp_8day_46.csv", 144), ("traffic", "traffic_pemsd7_25.csv", 288),
        ("stocks", "stocks_us48.csv", 0), ("temperatures", "berkeley_europe_anom.csv", 0)]
HOURS = 24


def table(path):
    rows = list(csv.reader(open(path, encoding="utf-8-sig")))
    number = lambda text: float(text) if text.strip() else None
    try:
        number(rows[1][0])
        first = int(rows[0][0].strip().lower() in ("time", "date", "month", "step"))
    except ValueError:
        first = 1
    return [[number(v) for v in row[first:]] for row in rows[1:] if row]


def mean(values):
    return sum(values) / len(values) if values else 0.0


def by(rows, key):
    groups = {}
    for t, row in enumerate(rows):
        for a, v in enumerate(row):
            if v is not None:
                groups.setdefault(key(t, a), []).append(v)
    means = {k: mean(v) for k, v in groups.items()}
    sd = math.sqrt(mean([m * m for m in means.values()]))
    return [[None if v is None else v - means[key(t, a)] for a, v in enumerate(row)] for t, row in enumerate(rows)], means, sd


def follow(series):
    pairs = [(a, b) for a, b in zip(series, series[1:]) if a is not None and b is not None]
    return sum(a * b for a, b in pairs) / sum((a * a + b * b) / 2 for a, b in pairs)


def fit(name, path, rows_a_day):
    rows = table(path)
    values = [v for row in rows for v in row if v is not None]
    m, s = mean(values), math.sqrt(mean([v * v for v in values]) - mean(values) ** 2)
    rows = [[None if v is None else (v - m) / s for v in row] for row in rows]
    rows, _, level = by(rows, lambda t, a: a)
    hour = (lambda t: t % rows_a_day * HOURS // rows_a_day) if rows_a_day else (lambda t: 0)
    day = own_day = 0.0
    if rows_a_day:
        rows, _, day = by(rows, lambda t, a: hour(t))
        rows, _, own_day = by(rows, lambda t, a: (hour(t), a))
    rows, common, common_sd = by(rows, lambda t, a: t)
    rest = math.sqrt(mean([v * v for row in rows for v in row if v is not None]))
    columns = list(zip(*rows))
    keep = mean([follow(c) for c in columns if sum(v is not None for v in c) > 9])
    changes = sorted(abs(b - a) for c in columns for a, b in zip(c, c[1:]) if a is not None and b is not None)
    scale = changes[int(0.683 * len(changes))]
    large = [c for c in changes if c > 4 * scale] if scale > 0 else []
    chance = len(large) / len(changes)
    size = math.sqrt(mean([c * c for c in large])) if large else 0.0
    print(f'    {{"{name}", {len(columns)}, {rows_a_day}, {level:.3f}, {day:.3f}, {own_day:.3f}, {common_sd:.3f}, {rest:.3f}, '
          f'{follow([common.get(t) for t in range(len(rows))]):.4f}, {keep:.4f}, {chance:.5f}, {size:.3f}}},')


for name, file, rows_a_day in SETS:
    fit(name, f"{sys.argv[1]}/{file}", rows_a_day)
