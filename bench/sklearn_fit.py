# SPDX-License-Identifier: MIT
"""Maximum-likelihood fits by scikit-learn of the data that bench_fit wrote to a directory, from the same start, within the
same bounds, without restarts.

Usage: sklearn_fit.py DIR N D. Prints CPU seconds (best of three) and the log marginal likelihood found."""
import sys
import time
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

directory, n, d = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = np.loadtxt(f"{directory}/fit_{n}_{d}.csv", delimiter=",", ndmin=2)
X, y = np.ascontiguousarray(data[:, :d]), data[:, d]
bounds = (1e-3, 1e3)
warnings.simplefilter("ignore")
best = np.inf
for _ in range(3):
    kernel = ConstantKernel(1, bounds) * Matern([0.5] * d, bounds, nu=2.5) + WhiteKernel(0.1, bounds)
    start = time.process_time()
    gp = GaussianProcessRegressor(kernel=kernel, alpha=0, n_restarts_optimizer=0).fit(X, y)
    best = min(best, time.process_time() - start)
print(f"{best:.6f} {gp.log_marginal_likelihood_value_:.9f}")
