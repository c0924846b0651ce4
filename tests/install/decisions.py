# SPDX-License-Identifier: MIT
"""decisions.c in Python, through the example binding (examples/ffi/python in PYTHONPATH, TVGP_LIBRARY the library)."""
import sys
from tvgp_ctypes import Library, SKIPPED, VALUE

ARMS, STEPS = 12, 60


def reward(arm, step):
    return (7 * arm + 3 * step) % 11 / 11


def tell(policy, query, step, spelt):
    outcome = SKIPPED if step % 5 == 4 else VALUE
    given = {"noise_var": 0.02, "t": query.t} if spelt else {}
    policy.tell(query, reward(query.arm, step), outcome=outcome, **given)
    if step % 7 == 6:
        given = {"noise_var": 0.02, "t": step + 1.0} if spelt else {}
        policy.observe([step % ARMS], reward(step % ARMS, step), **given)


def play(library, spelt):
    policy = library.policy("tv-gp-ucb", library.indices(ARMS), library.se(1, 1.0, [2.0]), 1, noise=0.02, half_life=20)
    arms, (query, _) = [], policy.ask(0)
    for step in range(STEPS):
        following, _ = policy.ask(step + 1)
        tell(policy, query, step, spelt)
        arms.append(query.arm)
        query = following
    return arms


zeroed = play(Library(), False)
if zeroed != play(Library(), True):
    sys.exit("zeroed records and spelt-out ones give different decisions")
print(*zeroed)
