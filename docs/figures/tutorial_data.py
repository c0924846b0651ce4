# SPDX-License-Identifier: MIT
"""Numbers of tutorial.svg: python3 tutorial_data.py ../../examples/data/prices.csv > tutorial.csv (PYTHONPATH: src/bindings/python)."""
import csv
import sys

import tvgp

LAST, END = 120, 240


def best_price(day):
    phase = day % 160 / 80
    return 10 + 8 * (phase if phase < 1 else 2 - phase)


def profit(price, day):
    away = price - best_price(day)
    return 200 - 80 * away * away / (away * away + 16)


policy = tvgp.Policy("auto-gp-ucb", tvgp.grid(5, 25, 41))
print("day,best,log,asked,believed")
with open(sys.argv[1], newline="", encoding="ascii") as file:
    for row in csv.DictReader(file):
        policy.observe([float(row["price"])], float(row["profit"]), t=float(row["day"]))
        print(f"{row['day']},{best_price(int(row['day'])):.3f},{row['price']},,")
noise = tvgp.random_normal(1, 1000, 0, END + 1)
for day in range(LAST + 1, END + 1):
    query = policy.ask(day)
    policy.tell(query, profit(query.x[0], day) + 5 * noise[day])
    print(f"{day},{best_price(day):.3f},,{query.x[0]:.1f},{policy.best(day).x[0]:.1f}")
