# SPDX-License-Identifier: MIT
"""BKB (Calandriello et al. 2019, fig. 1) in plain numpy, as it is published, on the problem that bench_bkb_trace wrote to a
directory, with the same draws and the same first arm.

Usage: plain_bkb.py DIR. Writes DIR/plain.csv (the arm of each step); prints processor seconds, regret, the size of the last
dictionary."""
import sys
import time

import numpy as np

LENGTHSCALE, NOISE, QBAR, DELTA, BOUND, ACCURACY = 1.0, 0.09, 2.0, 0.5, 1.0, 0.5
ALPHA = (1 + ACCURACY) / (1 - ACCURACY)

directory = sys.argv[1]
value, noise = np.fromfile(f"{directory}/value"), np.fromfile(f"{directory}/noise")
X, draws = np.fromfile(f"{directory}/arms").reshape(len(value), -1), np.fromfile(f"{directory}/draws")
first = int(np.loadtxt(f"{directory}/tvgp.csv", max_rows=1))


def kernel(X, norm, S):
    """k(x, s) for all rows x of X, s = X[S]; norm: |x|^2."""
    return np.exp((X @ X[S].T - 0.5 * (norm[:, None] + norm[S])) / LENGTHSCALE**2)


def posterior(X, norm, pulled, y, S):
    """Mean and variance / NOISE of all arms, by the dictionary S."""
    K = kernel(X, norm, S)
    w, Q = np.linalg.eigh(K[S])
    keep = w > len(S) * np.finfo(float).eps * w[-1]
    Z = K @ (Q[:, keep] / np.sqrt(w[keep]))  # k_S' (K_S^(1/2))^+, up to a rotation
    observed = Z[pulled]
    L_inverse = np.linalg.inv(np.linalg.cholesky(observed.T @ observed + NOISE * np.eye(Z.shape[1])))
    C = Z @ L_inverse.T
    mean = C @ (L_inverse @ (observed.T @ y))
    var = (1 - np.einsum("ij,ij->i", Z, Z)) / NOISE + np.einsum("ij,ij->i", C, C)
    return mean, np.maximum(var, 0)


start = time.process_time()
norm = np.einsum("ij,ij->i", X, X)
mean, var = np.zeros(len(value)), np.full(len(value), 1 / NOISE)
pulled, y = np.empty(len(noise), dtype=int), np.empty(len(noise))
for t in range(len(noise)):
    information = ALPHA * np.log(max(t, 1)) * var[pulled[:t]].sum() + np.log(1 / DELTA)
    width = 2 * np.sqrt(NOISE * information) + (1 + 1 / np.sqrt(1 - ACCURACY)) * np.sqrt(NOISE) * BOUND
    pulled[t] = np.argmax(mean + width * np.sqrt(var)) if t else first
    y[t] = value[pulled[t]] + noise[t]
    u = draws[t * (t + 1) // 2 :][: t + 1]
    S = np.unique(pulled[: t + 1][u < QBAR * var[pulled[: t + 1]]])
    mean, var = posterior(X, norm, pulled[: t + 1], y[: t + 1], S if len(S) else pulled[t : t + 1])
seconds = time.process_time() - start

np.savetxt(f"{directory}/plain.csv", pulled, fmt="%d")
print(f"numpy {seconds:.3f} {len(noise) * value.max() - value[pulled].sum():.0f} {len(S)}")
