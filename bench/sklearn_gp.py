# SPDX-License-Identifier: MIT
"""GP-UCB by scikit-learn, refitted at each step, on the problem that bench_trace wrote to a directory.

Usage: sklearn_gp.py DIR. Writes DIR/sklearn.csv (the arm of each step) and prints the seconds of the run."""
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

directory = sys.argv[1]
arms = np.loadtxt(f"{directory}/arms.csv", delimiter=",")
noise = np.loadtxt(f"{directory}/noise.csv")
X, value = np.ascontiguousarray(arms[:, :2]), arms[:, 2]

start = time.perf_counter()
gp = GaussianProcessRegressor(kernel=RBF(0.2), alpha=0.01, optimizer=None)
played, told = [], []
for e in noise:
    mean, sd = gp.predict(X, return_std=True)
    played.append(int(np.argmax(mean + 2 * sd)))
    told.append(value[played[-1]] + e)
    gp.fit(X[played], told)
seconds = time.perf_counter() - start

np.savetxt(f"{directory}/sklearn.csv", played, fmt="%d")
print(f"{seconds:.6f}")
