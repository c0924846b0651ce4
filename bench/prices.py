#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prices.py [RUNS [TABLE ..]]: a shop that sets a price each hour, and conversions that arrive late (docs/guide/prices-and-revenue.md,
docs/guide/delayed-feedback.md). Tables: shop, rare, late. Needs the Python package and NumPy. Seeds 1, 2, .. of NumPy's generator;
the best and random play are known, not estimated.

shop   six prices, 400 hours of 200 visitors, conversion .12 / (1 + exp(price - 16 - 4 sin(h / 60))), outcomes 1 to 6 hours late
rare   revenue per visitor, 96 % zeros: one visitor a query, four offers
late   six options of .03 to .06, 300 visitors an hour, sales up to 48 hours late: three ways to report them"""

import math
import sys

import numpy as np
import tvgp

PRICES = [9.0, 11.0, 13.0, 15.0, 17.0, 19.0]
HOURS, VISITORS = 400, 200


def conversion(price, hour):
    return 0.12 / (1 + math.exp(price - 16 - 4 * math.sin(hour / 60)))


def score(earned, values):
    """Share of the possible gain over random play; values: hours x actions."""
    at_random, best = values.mean(axis=1).sum(), values.max(axis=1).sum()
    return (earned - at_random) / (best - at_random)


def domain_of(where):
    return tvgp.indices(6) if where == "names" else tvgp.grid(9, 19, 6)


def shop(seed, where, how):
    """how: rate, revenue, payoffs."""
    r = np.random.default_rng(seed)
    counts = how != "revenue"
    policy = tvgp.Policy("auto-gp-ucb", domain_of(where), **({"outcome.type": "binomial"} if counts else {}))
    if how == "payoffs":
        policy.set_payoffs(PRICES)
    due, earned = {}, 0.0
    for hour in range(HOURS):
        for query, sales in due.pop(hour, []):
            if counts:
                policy.tell(query, sales, exposure=VISITORS)
            else:
                policy.tell(query, PRICES[query.arm] * sales / VISITORS)
        query = policy.ask(hour)
        p = conversion(PRICES[query.arm], hour)
        earned += PRICES[query.arm] * p
        due.setdefault(hour + int(r.integers(1, 7)), []).append((query, int(r.binomial(VISITORS, p))))
    values = np.array([[x * conversion(x, hour) for x in PRICES] for hour in range(HOURS)])
    return score(earned, values)


def fixed_price():
    values = np.array([[x * conversion(x, hour) for x in PRICES] for hour in range(HOURS)])
    return score(values.sum(axis=0).max(), values)


OFFERS = [(20.0, 0.045), (30.0, 0.040), (40.0, 0.035), (60.0, 0.015)]  # value of a sale, conversion


def rare(seed, how, batch=100, visitors=30000):
    """how: single, mean, payoffs. One query for each visitor, or for each batch of them."""
    r = np.random.default_rng(seed)
    options = {"outcome.type": "binomial"} if how == "payoffs" else {}
    policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(len(OFFERS)), **options)
    if how == "payoffs":
        policy.set_payoffs([value for value, _ in OFFERS])
    each = 1 if how == "single" else batch
    earned = 0.0
    for step in range(visitors // each):
        query = policy.ask(step * each)
        value, rate = OFFERS[query.arm]
        sales = int(r.binomial(each, rate))
        earned += value * rate / (visitors // each)
        if how == "payoffs":
            policy.tell(query, sales, exposure=each)
        else:
            policy.tell(query, value * sales / each)
    return score(earned, np.array([[value * rate for value, rate in OFFERS]]))


def late(seed, how, hours=600, visitors=300, window=24, mean_delay=8.0, rates=(0.030, 0.035, 0.040, 0.045, 0.050, 0.060)):
    """how: known (sales in parts when they happen, the rest at the end), end (the count at the end of the window), at once (the count of
    the hour itself, later sales are lost)."""
    r = np.random.default_rng(seed)
    n = len(rates)
    policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(n), **{"outcome.type": "binomial"})
    due, earned, possible = {}, 0.0, []
    for hour in range(hours):
        for query, count, exposure, partial in due.pop(hour, []):
            policy.tell(query, count, exposure=exposure, partial=partial)
        query = policy.ask(hour)
        now = [rate * (1 + 0.3 * math.sin(hour / 80 + k)) for k, rate in enumerate(rates)]
        possible.append(now)
        earned += now[query.arm]
        delays = np.minimum(r.exponential(mean_delay, int(r.binomial(visitors, now[query.arm]))), window).astype(int)
        by_hour = np.bincount(delays, minlength=window + 1)
        if how == "at once":
            due.setdefault(hour + 1, []).append((query, int(by_hour[0]), visitors, False))
        elif how == "end":
            due.setdefault(hour + window, []).append((query, int(by_hour.sum()), visitors, False))
        else:  # a sale is known when it happens; who has not bought is known at the end
            left = visitors
            for k, count in enumerate(by_hour[:-1]):
                if count:
                    due.setdefault(hour + max(k, 1), []).append((query, int(count), int(count), True))
                    left -= int(count)
            due.setdefault(hour + window, []).append((query, int(by_hour[-1]), left, False))
    return score(earned, np.array(possible))


def row(label, values):
    error = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    print(f"{label:<44} {np.mean(values):6.3f} +- {error:.3f}", flush=True)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    tables = sys.argv[2:] or ["shop", "rare", "late"]
    seeds = range(1, runs + 1)
    if "shop" in tables:
        print(f"shop: share of the possible revenue gain, {runs} runs; best fixed price {fixed_price():.3f}")
        for where in ("names", "grid"):
            for how in ("rate", "revenue", "payoffs"):
                row(f"{where}, {how}", [shop(seed, where, how) for seed in seeds])
    if "rare" in tables:
        print(f"rare: share of the possible revenue gain, {runs} runs")
        for how in ("single", "mean", "payoffs"):
            row(how, [rare(seed, how) for seed in seeds])
    if "late" in tables:
        print(f"late: share of the possible gain in conversions, {runs} runs")
        for how in ("at once", "known", "end"):
            row(how, [late(seed, how) for seed in seeds])


if __name__ == "__main__":
    main()
