#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""timeouts.py [RUNS]: latencies of three servers with a time-out at 2.5 s, reported as they are, as bounds, or left out
(docs/guide/time-outs.md). Needs the Python package and NumPy. Seeds 1, 2, .. of NumPy's generator.

Server a has the mean latency MEANS[a] and normal noise of SD. Every server is asked 200 times; the table has the error of the posterior
mean of each server at the end."""

import sys

import numpy as np
import tvgp

MEANS, SD, LIMIT, ASKS = [1.8, 2.3, 2.8], 0.5, 2.5, 200
WAYS = {"time-out as value": "naive", "time-out left out": "skip", "time-out as bound": "right"}
POLICIES = {"tv-gp-ucb": ("tv-gp-ucb", {"noise": SD**2, "epsilon": 0}), "auto-gp-ucb": ("auto-gp-ucb", {})}


def run(seed, policy, way):
    """Posterior mean of each server less its true mean."""
    name, options = POLICIES[policy]
    r = np.random.default_rng(seed)
    kernel = tvgp.categorical(variance=1.0, correlation=0.0) if name == "tv-gp-ucb" else None
    p = tvgp.Policy(name, tvgp.indices(3), kernel, sense="min", **options)
    if kernel is not None:
        p.set_prior_mean(2.0)
    for t in range(3 * ASKS):
        p.set_available([a == t % 3 for a in range(3)])
        query = p.ask(t)
        y = MEANS[query.arm] + SD * r.standard_normal()
        if y < LIMIT or way == "naive":
            p.tell(query, min(y, LIMIT))
        elif way == "right":
            p.tell(query, LIMIT, censored="right")
        else:
            p.tell(query, outcome="skipped")
    return p.predict(3 * ASKS)[0] - np.array(MEANS)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("| policy | reported | error, mean 1.8 s | error, mean 2.3 s | error, mean 2.8 s |")
    print("| --- | --- | --- | --- | --- |")
    for policy in POLICIES:
        for text, way in WAYS.items():
            off = np.array([run(seed, policy, way) for seed in range(1, runs + 1)])
            cells = (f"{m:+.3f} +- {s:.3f}" for m, s in zip(off.mean(axis=0), off.std(axis=0, ddof=1) / runs**0.5))
            print(f"| {policy} | {text} | {' | '.join(cells)} |", flush=True)


main()
