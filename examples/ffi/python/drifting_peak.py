# SPDX-License-Identifier: MIT
"""quickstart.c in Python: follows the peak of a function that drifts while it is being learned.

Usage: python3 drifting_peak.py [path of libtvgp.so]; without the path, TVGP_LIBRARY names it."""
import math
import sys

import tvgp_ctypes

ARMS, STEPS = 101, 300


def peak(t):
    return 0.5 + 0.4 * math.sin(0.02 * t)


def truth(x, t):
    return math.exp(-0.5 * ((x - peak(t)) / 0.2) ** 2)


def main():
    tvgp = tvgp_ctypes.Library(sys.argv[1] if len(sys.argv) > 1 else None)
    policy = tvgp.policy("tv-gp-ucb", tvgp.grid([0.0], [1.0], [ARMS]), tvgp.se(1, 1.0, [0.2]), 1, noise=0.01, epsilon=0.01)
    noise = tvgp.normal(1, 1000, 0, STEPS)

    regret = random_regret = 0.0
    for t in range(1, STEPS + 1):
        query, (x,) = policy.ask(t)
        policy.tell(query, truth(x, t) + 0.1 * noise[t - 1])
        regret += 1 - truth(x, t)  # the best value is 1 at every t
        random_regret += 1 - sum(truth(i / (ARMS - 1), t) for i in range(ARMS)) / ARMS

    (best,) = policy.best(STEPS)
    mean, var = policy.predict(STEPS, [best])
    print(f"at t = {STEPS} the peak is at {peak(STEPS):.2f}; believed at {best:.2f} (value there "
          f"{truth(best, STEPS):.2f}, believed {mean:.2f} +- {math.sqrt(var):.2f})")
    print(f"regret per step: {regret / STEPS:.3f}, playing at random {random_regret / STEPS:.3f}")
    if policy.stat("values") != STEPS or regret > 0.5 * random_regret:
        sys.exit("drifting_peak.py: the policy did not learn")


main()
