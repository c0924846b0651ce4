# SPDX-License-Identifier: MIT
"""A long run on numeric arms whose rewards never change: auto-gp-ucb with default settings should stop exploring.

usage: python3 stationary_field.py [STEPS] [RUNS] [OPTION=NUMBER ...]    (default: 20000 10)

144 arms on a grid in the unit square, a draw from a Gaussian process (squared exponential, lengthscale .2), noise of standard deviation
.5. Prints for each run the regret relative to uniform play, of all steps and of each half, the processor time of a step, and the bytes
of a snapshot in the middle and at the end; then the means and the largest regret."""
import json
import math
import random
import sys
import time

import tvgp

SIDE, NOISE = 12, .5


def cholesky(matrix):
    rows = []
    for i, line in enumerate(matrix):
        row = []
        for j in range(i):
            row.append((line[j] - sum(a * b for a, b in zip(row, rows[j]))) / rows[j][j])
        rows.append(row + [math.sqrt(line[i] - sum(a * a for a in row))])
    return rows


def mean(x):
    return sum(x) / len(x)


def play(arms, factor, steps, seed, options):
    """Regret of both halves relative to uniform play, microseconds a step, bytes of both snapshots."""
    draw = random.Random(seed)
    z = [draw.gauss(0, 1) for _ in arms]
    f = [sum(a * b for a, b in zip(row, z)) for row in factor]
    policy = tvgp.Policy("auto-gp-ucb", tvgp.arms(arms), **options)
    halves, sizes, begin = [], [], time.process_time()
    for half in range(2):
        lost = 0
        for t in range(half * steps // 2, (half + 1) * steps // 2):
            query = policy.ask(t)
            policy.tell(query, f[query.arm] + NOISE * draw.gauss(0, 1))
            lost += max(f) - f[query.arm]
        halves.append(lost / (steps // 2) / (max(f) - mean(f)))
        sizes.append(len(policy.save()))
    return halves, 1e6 * (time.process_time() - begin) / steps, sizes


def main(steps=20000, runs=10, *settings):
    arms = [(a / (SIDE - 1), b / (SIDE - 1)) for a in range(SIDE) for b in range(SIDE)]
    factor = cholesky([[math.exp(-12.5 * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)) + (1e-6 if a == b else 0) for b in arms] for a in arms])
    options = {key: json.loads(value) for key, value in (setting.split("=") for setting in settings)}
    shares = []
    print("run,regret,first half,second half,microseconds a step,bytes in the middle,bytes at the end")
    for seed in range(1, int(runs) + 1):
        halves, micro, sizes = play(arms, factor, int(steps), seed, options)
        shares.append(halves)
        print(f"{seed},{mean(halves):.4f},{halves[0]:.4f},{halves[1]:.4f},{micro:.0f},{sizes[0]},{sizes[1]}", flush=True)
    first, second = (mean(column) for column in zip(*shares))
    print(f"mean,{(first + second) / 2:.4f},{first:.4f},{second:.4f}\nlargest,{max(map(mean, shares)):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
