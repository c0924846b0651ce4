# SPDX-License-Identifier: MIT
"""GP-UCB on a box as it is usually written in Python: exact posterior in numpy, the upper bound maximised by L-BFGS-B of scipy
from the best 20 of 512 random points. python3 scipy_box.py NAME STEPS < starts (10 lines a run), as bench_box given prints;
prints NAME, scipy, true, runs, CPU milliseconds a step, mean simple regret, its standard error."""
import sys
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize

FIRST, RAW, STARTS, WIDTH, NOISE = 10, 512, 20, 2.0, 1e-4
A6 = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
P6 = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                      [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])


def hartmann6(x):
    return float(np.dot([1, 1.2, 3, 3.2], np.exp(-(A6 * (x - P6) ** 2).sum(1))))


def branin(u):
    x, y = 15 * u[0] - 5, 15 * u[1]
    a = y - 5.1 / (4 * np.pi**2) * x * x + 5 / np.pi * x - 6
    return -(a * a + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10 - 0.397887357729738) / 50


FUNCTIONS = {"hartmann6": (hartmann6, 0.4, 3.32236801141551), "branin": (branin, 0.25, 0.0)}


def kernel(a, b, length):
    """Matern 5/2 and the factor of its gradient: dk/da = -factor (a - b) / length^2."""
    difference = (a[:, None, :] - b[None, :, :]) / length
    r = np.sqrt(5 * (difference**2).sum(2))
    e = np.exp(-r)
    return (1 + r + r * r / 3) * e, 5 / 3 * (1 + r) * e, difference / length


def bound(x, X, c, weights, length):
    """-(mean + width sd) at one point, and its gradient."""
    k, factor, difference = kernel(x[None, :], X, length)
    v = solve_triangular(c[0], k[0], lower=True, check_finite=False)
    sd = np.sqrt(max(1 - v @ v, 1e-14))
    w = solve_triangular(c[0], v, lower=True, trans=1, check_finite=False)
    slope = -factor[0][:, None] * difference[0]
    return -(k[0] @ weights + WIDTH * sd), -(weights - WIDTH / sd * w) @ slope


def choose(X, y, length, random):
    k, _, _ = kernel(X, X, length)
    c = cho_factor(k + NOISE * np.eye(len(X)), lower=True)
    weights = cho_solve(c, y)
    raw = random.random((RAW, X.shape[1]))
    k, _, _ = kernel(raw, X, length)
    v = solve_triangular(c[0], k.T, lower=True)
    score = k @ weights + WIDTH * np.sqrt(np.maximum(1 - (v * v).sum(0), 1e-14))
    best = None
    for start in raw[np.argsort(-score)[:STARTS]]:
        found = minimize(bound, start, args=(X, c, weights, length), jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(start))
        if best is None or found.fun < best.fun:
            best = found
    return best.x


name, steps = sys.argv[1], int(sys.argv[2])
at, length, most = FUNCTIONS[name]
starts = np.loadtxt(sys.stdin, delimiter=",", ndmin=2)
regrets, seconds = [], 0.0
for run in range(len(starts) // FIRST):
    random = np.random.default_rng(run)
    X = starts[run * FIRST : (run + 1) * FIRST]
    y = np.array([at(x) for x in X])
    began = time.process_time()
    for _ in range(steps):
        x = choose(X, y, length, random)
        X = np.vstack([X, x])
        y = np.append(y, at(x))
    seconds += time.process_time() - began
    regrets.append(most - y.max())
runs = len(regrets)
print(f"{name},scipy,true,{runs},{1e3 * seconds / runs / steps:.2f},{np.mean(regrets):.4g},{np.std(regrets) / max(runs - 1, 1)**0.5:.2g}")
