# SPDX-License-Identifier: MIT
"""relay.py FOLDER: plays 50 steps by the shared library, writes whole snapshots for relay.js, and prints the 30 arms that follow."""
import pathlib
import sys

import tvgp


def value(query, t):
    away = query.x[0] - 0.3 - 0.005 * t
    return 1 / (1 + 30 * away * away)


for name in ("auto-gp-ucb", "tv-gp-ucb", "bkb"):
    policy = tvgp.Policy(name, tvgp.grid(0, 1, 51), None if name == "auto-gp-ucb" else tvgp.se(0.2))
    for t in range(50):
        query = policy.ask(t)
        policy.tell(query, value(query, t))
    (pathlib.Path(sys.argv[1]) / name).write_bytes(policy.save(full=True))
    arms = []
    for t in range(50, 80):
        query = policy.ask(t)
        arms.append(query.arm)
        policy.tell(query, value(query, t))
    print(name, *arms)
