# SPDX-License-Identifier: MIT
"""decisions.py STEPS: the game of decisions.js by the shared library."""
import sys

import tvgp

GAMES = (("arms", False), ("arms", True), ("box", True))


def play(name, where, told, steps):
    domain = tvgp.box(0, 1) if where == "box" else tvgp.grid(0, 1, 51)
    try:
        policy = tvgp.Policy(name, domain, tvgp.se(0.2) if told else None, seed=5)
    except tvgp.Error as error:
        return error.name
    noise, made = tvgp.random_normal(7, 1000, 0, steps), []
    for t in range(steps):
        query = policy.ask(t)
        if query is None:
            break
        phase = (t % 400) / 200
        away = query.x[0] - (0.1 + 0.8 * (phase if phase < 1 else 2 - phase))
        policy.tell(query, 1 / (1 + 30 * away * away) + 0.1 * noise[t])
        made.append(int(query.x[0] * 1e6 + 0.5) if where == "box" else query.arm)
    return " ".join(map(str, made))


for policy_name in tvgp.policies():
    for place, is_told in GAMES:
        short = 90 if place == "box" or ("sparq" in policy_name or "auto" in policy_name) and not is_told else int(sys.argv[1])
        n = min(int(sys.argv[1]), short)
        print(f"{policy_name} {place} {'told' if is_told else 'learned'}: {play(policy_name, place, is_told, n)}")
