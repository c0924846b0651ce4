#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes golden_population.h: steps of expectation maximisation over runs, from moments of the states (needs numpy).

Nothing is put together and nothing is rearranged: row by row, with the states of a run at all its times where they change."""
import pathlib

import numpy as np

ARMS, RUNS, ROWS, STRENGTH = 6, 4, 9, 3.0


def data():
    """Rows of all runs: arm, t, y. Arms come more than once in a run, arm 5 never, and two outcomes of each have one time."""
    arm, t, y = [], [], []
    for d in range(RUNS):
        for i in range(ROWS):
            a = (3 * i * i + 2 * d + i) % (ARMS if d == 2 else ARMS - 1)
            arm.append(a)
            t.append(2.0 * d + 0.5 * ((7 * i) % ROWS) if i != 4 else 2.0 * d)
            y.append(5 + 0.7 * a - 0.2 * d * a + 0.4 * ((11 * i + 5 * d) % 7 - 3) / 3)
    return np.array(arm), np.array(t), np.array(y)


def matern52(x, length):
    r = np.sqrt(5) * np.abs(x[:, None] - x[None, :]) / length
    return (1 + r + r * r / 3) * np.exp(-r)


def states(m, K, v, a, t, y, epsilon):
    """Moments of the states F (times x arms) of one run: mean, covariance of vec F by rows; R; what of F each row sees."""
    times = np.unique(t) if epsilon > 0 else np.array([0.0])
    R = (1 - epsilon) ** (np.abs(times[:, None] - times[None, :]) / 2)
    prior = np.kron(R, K)
    see = np.zeros((len(y), prior.shape[0]))
    for i in range(len(y)):
        at = int(np.searchsorted(times, t[i])) if epsilon > 0 else 0
        see[i, at * len(m) + a[i]] = 1
    G = see @ prior @ see.T + v * np.eye(len(y))
    off = y - m[a]
    gain = prior @ see.T @ np.linalg.inv(G)
    mean = np.tile(m, len(times)) + gain @ off
    log_e = -0.5 * (np.linalg.slogdet(G)[1] + off @ np.linalg.solve(G, off) + len(y) * np.log(2 * np.pi))
    return mean.reshape(len(times), -1), prior - gain @ see @ prior, R, see, log_e


def step(m, K, v, K0, arm, t, y, epsilon):
    found, looks, noise, log_e = [], 0.0, 0.0, 0.0
    for d in range(RUNS):
        rows = slice(d * ROWS, (d + 1) * ROWS)
        F, V, R, see, density = states(m, K, v, arm[rows], t[rows], y[rows], epsilon)
        found.append((F, V, np.linalg.inv(R)))
        looks += np.linalg.inv(R).sum()
        noise += ((y[rows] - see @ F.ravel()) ** 2).sum() + np.trace(see @ V @ see.T)
        log_e += density
    one = sum(Ri.sum(axis=0) @ F for F, _, Ri in found)
    new = m + (one - looks * m) / looks  # generalised least squares of the states on a constant
    total, count = np.zeros_like(K), 0
    for F, V, Ri in found:
        q, off = len(F), F - new
        V = V.reshape(q, ARMS, q, ARMS)
        total += off.T @ Ri @ off + np.einsum("ij,iajb->ab", Ri, V)
        count += q
    worth = looks
    while True:
        next_K = (STRENGTH * K0 + (worth - count) * K + total) / (STRENGTH + worth)
        if np.linalg.eigvalsh(next_K).min() > -1e-9 * next_K.diagonal().max():
            return new, next_K, noise / len(y), log_e
        worth *= 2


def run(K0, start_v, epsilon, steps):
    arm, t, y = data()
    counts = np.bincount(arm, minlength=ARMS)
    m = (2 * y.mean() + np.bincount(arm, weights=y, minlength=ARMS)) / (2 + counts)
    K, v, evidence = K0.copy(), start_v, []
    for _ in range(steps):
        m, K, v, log_e = step(m, K, v, K0, arm, t, y, epsilon)
        evidence.append(log_e)
    return m, K, v, evidence


def c(values):
    return "{" + ", ".join(repr(float(value)) for value in np.ravel(values)) + "}"


def main():
    arm, t, y = data()
    x, variance = np.linspace(0, 1, ARMS), y.var(ddof=1)
    untold = variance * matern52(x, 0.3)
    told = np.diag(0.5 + 0.25 * np.arange(ARMS))
    cases = [("untold", untold, 0.0, 1), ("untold", untold, 0.0, 25), ("told", told, 0.0, 10), ("told", told, 0.03, 1),
             ("told", told, 0.03, 6), ("untold", untold, 0.4, 4)]
    lines = ["/* SPDX-License-Identifier: MIT */", "/* Made by population.py. Do not edit. */", "/* clang-format off */", "#ifndef GOLDEN_POPULATION_H",
             "#define GOLDEN_POPULATION_H", "", "#include <stdint.h>", "",
             f"enum {{ GOLDEN_ARMS = {ARMS}, GOLDEN_RUNS = {RUNS}, GOLDEN_ROWS = {ROWS}, GOLDEN_POPULATIONS = {len(cases)} }};",
             f"static const int64_t golden_arm[] = {{{', '.join(map(str, arm))}}};",
             f"static const double golden_t[] = {c(t)};", f"static const double golden_y[] = {c(y)};", "",
             "/* told: the kernel is a table with the diagonal 0.5, 0.75, ..; otherwise NULL, on a grid of [0, 1]. strength 3. */",
             "static const struct golden_population {", "    int told;", "    double epsilon;", "    int64_t steps;",
             "    double mean[GOLDEN_ARMS], K[GOLDEN_ARMS * GOLDEN_ARMS], noise;", "} golden_populations[GOLDEN_POPULATIONS] = {"]
    for name, K0, epsilon, steps in cases:
        m, K, v, _ = run(K0, 0.1 * variance, epsilon, steps)
        lines.append(f"    {{{int(name == 'told')}, {epsilon}, {steps}, {c(m)}, {c(K)}, {float(v)!r}}},")
    lines += ["};", "", "#endif", ""]
    pathlib.Path(__file__).with_name("golden_population.h").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
