#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cost_weight.py [RUNS]: a router of prompts among five models at several cost weights (docs/guide/budgets.md). Needs the Python package
and NumPy. Seeds 1, 2, .. of NumPy's generator.

Each run has its own models: quality .3 to .9 plus a drift, price growing with quality. The frontier of a run is known: its points are
the choices of a router that knows the qualities, and between two points it draws. A run is measured after its first 1,000 prompts."""

import sys

import numpy as np
import tvgp

PRICE = np.array([0.02, 0.06, 0.2, 0.6, 1.5])
WEIGHTS = [0.0, 0.1, 0.3, 1.0, 3.0]
PROMPTS, WARM, NOISE = 4000, 1000, 0.2


def qualities(r):
    """prompts x models: levels that rise with the price, and slow waves."""
    level = 0.3 + 0.15 * np.arange(5) + 0.05 * r.standard_normal(5)
    phase = r.uniform(0, 2 * np.pi, 5)
    t = np.arange(PROMPTS)[:, None]
    return level + 0.05 * np.sin(2 * np.pi * t / PROMPTS + phase)


def frontier(quality):
    """Corners (cost, reward) of the best mean reward at each mean cost: one for each weight at which the best choices change."""
    corners = {}
    for weight in np.concatenate([[0], np.geomspace(1e-3, 1e3, 2000)]):
        best = (quality - weight * PRICE).argmax(axis=1)
        corners[PRICE[best].mean()] = quality[np.arange(len(best)), best].mean()
    cost = sorted(corners)
    return cost, [corners[c] for c in cost]


def route(seed, weight):
    """Mean cost, mean reward, and the frontier's reward at that cost."""
    r = np.random.default_rng(seed)
    quality = qualities(r)
    noise = NOISE * r.standard_normal(PROMPTS)
    policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(5))
    policy.set_costs(PRICE)
    policy.set_cost_weight(weight)
    arms = np.empty(PROMPTS, int)
    for t in range(PROMPTS):
        query = policy.ask(t)
        arms[t] = query.arm
        policy.tell(query, quality[t, query.arm] + noise[t])
    late, arms = quality[WARM:], arms[WARM:]
    cost, reward = PRICE[arms].mean(), (late[np.arange(len(arms)), arms] + noise[WARM:]).mean()
    return cost, reward, np.interp(cost, *frontier(late))


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("| weight | mean cost | mean reward | reward of the frontier at that cost | difference | standard error |")
    print("| --- | --- | --- | --- | --- | --- |")
    for weight in WEIGHTS:
        cost, reward, best = np.array([route(seed, weight) for seed in range(1, runs + 1)]).T
        off = reward - best
        print(f"| {weight:g} | {cost.mean():.3f} | {reward.mean():.4f} | {best.mean():.4f} | {off.mean():+.4f} | "
              f"{off.std(ddof=1) / runs ** 0.5:.4f} |", flush=True)


main()
