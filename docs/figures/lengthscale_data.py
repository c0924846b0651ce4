# SPDX-License-Identifier: MIT
"""Numbers of lengthscale.svg: python3 lengthscale_data.py > lengthscale.csv (PYTHONPATH: src/bindings/python). Regret per step of
tv-gp-ucb with one of several lengthscales or defaults, and of auto-gp-ucb with defaults, on functions of lengthscale 0.2 that drift;
last column: at random. Ten runs, 300 steps, rewards of variance 1 with noise of variance 0.01."""
import math

import tvgp

ARMS, STEPS, RUNS, TRUE, EPSILON = 41, 300, 10, 0.2, 0.01
POINTS = [i / (ARMS - 1) for i in range(ARMS)]


def factor(kernel):
    """Lower Cholesky factor, by rows; small jitter."""
    K = kernel.gram(POINTS)
    L = [[0.0] * ARMS for _ in range(ARMS)]
    for i in range(ARMS):
        for j in range(i + 1):
            rest = K[i][j] - sum(L[i][k] * L[j][k] for k in range(j)) + (1e-9 if i == j else 0)
            L[i][j] = math.sqrt(rest) if i == j else rest / L[j][j]
    return L


def fields(run, L):
    """f_1 ~ GP, f_t = sqrt(1 - epsilon) f_(t-1) + sqrt(epsilon) g_t."""
    f, all_fields = None, []
    for t in range(STEPS):
        z = tvgp.random_normal(run, 1000, t, ARMS)
        g = [sum(L[i][j] * z[j] for j in range(i + 1)) for i in range(ARMS)]
        f = g if f is None else [math.sqrt(1 - EPSILON) * a + math.sqrt(EPSILON) * b for a, b in zip(f, g)]
        all_fields.append(f)
    return all_fields


def regret(policy, run, table):
    noise, total = tvgp.random_normal(run, 1001, 0, STEPS), 0.0
    for t, f in enumerate(table):
        query = policy.ask(t)
        policy.tell(query, f[query.arm] + 0.1 * noise[t])
        total += max(f) - f[query.arm]
    return total / STEPS


domain, L = tvgp.grid(0, 1, ARMS), factor(tvgp.se(TRUE))
tables = [fields(run, L) for run in range(RUNS)]


def mean(make):
    return sum(regret(make(), run, table) for run, table in enumerate(tables)) / RUNS


print("told,tv,learned_tv,learned_auto,random")
flat = [mean(lambda: tvgp.Policy("tv-gp-ucb", domain)), mean(lambda: tvgp.Policy("auto-gp-ucb", domain)),
        mean(lambda: tvgp.Policy("random", domain, tvgp.se(1)))]
for scale in (0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 2.0):
    told = mean(lambda: tvgp.Policy("tv-gp-ucb", domain, tvgp.se(scale), noise=0.01, epsilon=EPSILON))
    print(f"{scale},{told:.4f}," + ",".join(f"{value:.4f}" for value in flat))
