# SPDX-License-Identifier: MIT
"""state.py [RUNS] [STEPS]: bytes of the state of auto-gp-ucb on 5 arms, and its regret a step if the state is saved and restored every
1,000 steps against a run without interruption. World: levels that move by a random walk, outcomes with noise 1."""
import math
import random
import sys

import tvgp

RUNS, STEPS = (int(word) for word in (sys.argv[1:] + ["12", "20000"][len(sys.argv) - 1:])[:2])


def play(seed, restored):
    rng, level, regret, size = random.Random(seed), [0.0] * 5, 0.0, 0
    policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(5))
    for t in range(STEPS):
        query = policy.ask(t)
        policy.tell(query, level[query.arm] + rng.gauss(0, 1))
        regret += (max(level) - level[query.arm]) / STEPS
        level = [.999 * v + .045 * rng.gauss(0, 1) for v in level]
        if t % 1000 == 999:
            saved = policy.save()
            size = max(size, len(saved))
            if restored:
                policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(5))
                policy.load(saved)
    return regret, size


def row(name, values):
    mean = sum(values) / len(values)
    error = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values) / max(len(values) - 1, 1))
    print(f"| {name} | {mean:.5f} +- {error:.5f} |")


whole, restored = ([play(seed, again) for seed in range(RUNS)] for again in (False, True))
print(f"| auto-gp-ucb, 5 arms, {STEPS} steps, {RUNS} runs | regret a step |\n| --- | --- |")
row("without interruption", [r for r, _ in whole])
row("restored from its state every 1,000 steps", [r for r, _ in restored])
row("difference, paired", [b - a for (a, _), (b, _) in zip(whole, restored)])
print(f"largest state: {max(size for _, size in whole + restored)} bytes")
