# SPDX-License-Identifier: MIT
"""values.py TABLE: tries the rows of values.txt in Python."""
import datetime
import decimal
import fractions
import math
import re
import sys

import tvgp

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

p = tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(.3), noise=.01, time__clamp=0)
query = [None]


def outcome(y):
    query[0] = p.ask(p.stat("asked"))
    p.tell(query[0], y)


def fresh(**options):
    return tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 3), tvgp.se(1), **options)


CALLS = {
    "y": outcome,
    "query": lambda v: p.tell(v, 1.0),
    "noise_var": lambda v: p.observe(.5, 1.0, t=1e10, noise_var=v),
    "t": lambda v: p.ask(v),
    "exposure": lambda v: p.observe(.5, 1.0, t=1e10, exposure=v),
    "outcome": lambda v: p.tell(query[0], outcome=v),
    "member": lambda v: p.tell(query[0], 1.0, **{v: 1}),
    "x": lambda v: p.observe(v, 1.0, t=2e9),
    "plane": lambda v: tvgp.arms([[0, 1], [2, 3]]).append(v),
    "cap": lambda v: p.ask(1e10, cap=v),
    "option noise": lambda v: fresh(noise=v),
    "option nosie": lambda v: fresh(nosie=v),
    "policy tv-gp-ucp": lambda v: tvgp.Policy("tv-gp-ucp", tvgp.indices(2)),
    "statistic valeus": lambda v: p.stat("valeus"),
    "mask": p.set_available,
    "mean": p.set_prior_mean,
    "grid points": lambda v: tvgp.grid(0, 1, v),
}
VALUES = {
    "whole number": 3, "boolean": True, "decimal": decimal.Decimal("12.5"), "fraction": fractions.Fraction(1, 2), "big integer": 2**60,
    "nan": math.nan, "infinity": math.inf, "nothing": None, "text 12,5": "12,5", "text 7": "7", "text abc": "abc", "date": datetime.datetime(2001, 1, 1),
    "list of two": [1, 2], "complex": 1j, "fraction of an id": 1.5, "2^64": 2**64, "minus one": -1, "text 2026-01-31": "2026-01-31", "fail": "fail",
    "noisevar": "noisevar", "rounded": .30000001192092896, "between two points": .33, "two coordinates": [[.1, .2]],
    "ragged": [[1, 2], [3]], "one coordinate": [[1], [2]], "zero": 0, "number": 1, "two": [0, 2] + [1] * 9, "short": [True, False],
    **({"numpy float32": numpy.float32(.3), "numpy array of one": numpy.array(.5), "array of numpy": numpy.array([[4., 5.]])} if numpy else {}),
    **({"missing of pandas": pandas.NA, "table of pandas": pandas.DataFrame([[4, 5]], columns=["a", "b"])} if pandas else {}),
}


def value_of(call, value):
    if call == "y" and value == "date":
        return datetime.date(2001, 1, 1)
    return {("mean", "nan"): [math.nan] * 11, ("cap", "fraction"): 1.5, ("grid points", "fraction"): 2.5}.get((call, value), VALUES.get(value))


def state():
    return [p.stat(key) for key in ("values", "unsolicited", "pending")]


def main():
    tried = 0
    with open(sys.argv[1], encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith("#")]
    for call, value, result in rows:
        if value not in VALUES:
            continue
        before = state()
        try:
            CALLS[call](value_of(call, value))
            said = "taken"
        except (TypeError, ValueError, tvgp.Error) as error:
            said = str(error)
            if call == "y":
                p.tell(query[0], outcome="cancelled")
            assert state() == before, (call, value)
        assert any(part in said for part in result.split("|")), f"{call}: {value}: {said}"
        assert not re.search(r"tvgp_|NULL", said), said
        tried += 1
    print(f"python: {tried} of {len(rows)} rows")
    assert tried >= 55


main()
