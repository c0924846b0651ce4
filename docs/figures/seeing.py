# SPDX-License-Identifier: MIT
"""The pictures of docs/guide/monitoring.md and of a replay: seeing.py DATA OUT."""
import csv
import pathlib
import sys

import tvgp

data, out = map(pathlib.Path, sys.argv[1:])
policy, told = tvgp.Policy("auto-gp-ucb", tvgp.grid(5, 25, 41)), []
with open(data / "prices.csv", newline="", encoding="ascii") as file:
    for day, price, profit in list(csv.reader(file))[1:]:
        policy.observe(float(price), float(profit), t=float(day))
        told.append((float(price), float(profit)))
policy.plot(120, observations=told[-30:]).save(out / "seeing_belief.svg")
result = tvgp.replay(data / "ozone_nyc_2015.csv", ["auto-gp-ucb", "tv-gp-ucb", "random"], means=True)
tvgp.plot_run(result.runs["auto-gp-ucb"]).save(out / "seeing_run.svg")
result.plot().save(out / "seeing_regrets.svg")
