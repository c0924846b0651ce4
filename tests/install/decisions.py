# SPDX-License-Identifier: MIT
"""decisions.c in Python, through its package (src/bindings/python in PYTHONPATH, TVGP_LIBRARY the library)."""
import sys
import tvgp

ARMS, STEPS = 12, 60


def reward(arm, step):
    return (7 * arm + 3 * step) % 11 / 11


def tell(policy, query, step, spelt):
    given = {"noise_var": 0.02, "t": query.t} if spelt else {}
    policy.tell(query, reward(query.arm, step), outcome="skipped" if step % 5 == 4 else "value", **given)
    if step % 7 == 6:
        given = {"noise_var": 0.02, "t": step + 1.0} if spelt else {}
        policy.observe([step % ARMS], reward(step % ARMS, step), **given)


def play(spelt):
    policy = tvgp.Policy("tv-gp-ucb", tvgp.indices(ARMS), tvgp.se(2.0), noise=0.02, half_life=20)
    arms, query = [], policy.ask(0)
    for step in range(STEPS):
        following = policy.ask(step + 1)
        tell(policy, query, step, spelt)
        arms.append(query.arm)
        query = following
    return arms


zeroed = play(False)
if zeroed != play(True):
    sys.exit("zeroed records and spelt-out ones give different decisions")
print(*zeroed)
