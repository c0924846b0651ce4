# SPDX-License-Identifier: MIT
"""Numbers of surprise.svg: python3 surprise_data.py > surprise.csv (PYTHONPATH: examples/ffi/python). The statistic of four policies
on a peak that wanders; rewards lie around 200."""
import math

import tvgp

STEPS = 300


def reward(x, t):
    return 200 + math.exp(-0.5 * ((x - 0.5 - 0.35 * math.sin(0.02 * t)) / 0.2) ** 2)


domain = tvgp.grid(0, 1, 51)
told = dict(noise=0.01, half_life=60)
policies = [tvgp.Policy("tv-gp-ucb", domain),  # told nothing
            tvgp.Policy("tv-gp-ucb", domain, tvgp.se(0.2), **told),  # with a mean of 200, see below
            tvgp.Policy("tv-gp-ucb", domain, tvgp.se(0.2), **told),
            tvgp.Policy("tv-gp-ucb", domain, tvgp.se(0.2, variance=25), noise=0.25, half_life=60)]
policies[1].set_mean(200)
policies[3].set_mean(200)
noise = tvgp.random_normal(1, 1000, 0, STEPS + 1)
print("t,learned,told,mean,variance")
for t in range(1, STEPS + 1):
    for policy in policies:
        query = policy.ask(t)
        policy.tell(query, reward(query.x[0], t) + 0.1 * noise[t])
    print(f"{t}," + ",".join(f"{policy.stat('surprise'):.5g}" for policy in policies))
