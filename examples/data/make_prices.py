# SPDX-License-Identifier: MIT
"""Makes examples/data/prices.csv: python3 examples/data/make_prices.py > examples/data/prices.csv. A shop that does not
exist: the best price wanders between 10 and 18, and its owner has moved the price now and then by hand."""
import random

random.seed(7)


def best(day):
    phase = (day / 80) % 2
    return 10 + 8 * (phase if phase < 1 else 2 - phase)


def profit(price, day):
    away = price - best(day)
    return 200 - 80 * away * away / (away * away + 16)


print("day,price,profit")
price = 9.0
for day in range(1, 121):
    if random.random() < 0.15:
        price = min(max(price + random.choice((-3, -2, -1, 1, 2, 3)), 5.0), 25.0)
    print(f"{day},{price:.1f},{profit(price, day) + random.gauss(0, 5):.2f}")
