# SPDX-License-Identifier: MIT
"""Numbers of surprise.svg: python3 surprise_data.py > surprise.csv (PYTHONPATH: src/bindings/python). The statistic of four policies
on a problem that matches the model of two of them: a draw of the kernel around 200, which forgets with a half-life of 60."""
import math

import tvgp

STEPS, POINTS, LENGTH, HALF_LIFE, NOISE = 300, 51, 0.2, 60, 0.01


def factor(n):
    """Cholesky factor of the kernel at the points, by rows."""
    k = [[math.exp(-0.5 * ((i - j) / (n - 1) / LENGTH) ** 2) + 1e-9 * (i == j) for j in range(n)] for i in range(n)]
    rows = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = k[i][j] - sum(rows[i][m] * rows[j][m] for m in range(j))
            rows[i][j] = math.sqrt(rest) if i == j else rest / rows[j][j]
    return rows


def draw(rows, stream):
    z = tvgp.random_normal(1, stream, 0, len(rows))
    return [sum(a * b for a, b in zip(row, z)) for row in rows]


domain = tvgp.grid(0, 1, POINTS)
told = dict(noise=NOISE, half_life=HALF_LIFE)
policies = [tvgp.Policy("tv-gp-ucb", domain),  # told nothing
            tvgp.Policy("tv-gp-ucb", domain, tvgp.se(LENGTH), **told),  # with a mean of 200, see below
            tvgp.Policy("tv-gp-ucb", domain, tvgp.se(LENGTH), **told),
            tvgp.Policy("tv-gp-ucb", domain, tvgp.se(LENGTH, variance=25), noise=25 * NOISE, half_life=HALF_LIFE)]
policies[1].set_mean(200)
policies[3].set_mean(200)
noise = tvgp.random_normal(1, 1000, 0, STEPS + 1)
rows, keeps = factor(POINTS), 0.5 ** (1 / HALF_LIFE)
world = draw(rows, 1)
print("t,learned,told,mean,variance")
for t in range(1, STEPS + 1):
    fresh = draw(rows, t + 1)
    world = [keeps * a + math.sqrt(1 - keeps ** 2) * b for a, b in zip(world, fresh)]
    for policy in policies:
        query = policy.ask(t)
        policy.tell(query, 200 + world[query.arm] + math.sqrt(NOISE) * noise[t])
    print(f"{t}," + ",".join(f"{policy.stat('surprise'):.5g}" for policy in policies))
