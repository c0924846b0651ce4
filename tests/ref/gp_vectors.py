# SPDX-License-Identifier: MIT
"""gp_vectors.py > src/bindings/python/tests/gp.json: posteriors, log marginal likelihoods and the exact probabilities of a k-DPP. The
tests of the bindings read them."""
import json

import kdpp
import numpy as np
from golden import plain
from kernels import kernel
from posterior import log_marginal_likelihood, posterior


def regression(name, variance, lengthscale, noise, X, y, Z):
    cov = lambda A, B: kernel({"se": "se", "matern": "matern52"}[name], A, B, lengthscale, variance)
    K, k = cov(X, X), cov(X, Z)
    joint = cov(Z, Z) - k.T @ np.linalg.solve(K + noise * np.eye(len(X)), k)
    return {"kernel": name, "variance": variance, "lengthscale": lengthscale, "noise": noise, "x": X, "y": y, "at": Z,
            "mean": posterior(K, k, np.diag(cov(Z, Z)), y, noise)[0], "covariance": joint,
            "log_marginal_likelihood": log_marginal_likelihood(K, y, noise)}


POINTS = np.array([[0.0], [.15], [.3], [.5], [.7], [1.0]])
draw = np.random.default_rng(20261128)
cases = [regression(name, variance, lengthscale, noise, draw.random((12, len(lengthscale))), draw.normal(size=12), draw.random((5, len(lengthscale))))
         for name, variance, lengthscale, noise in (("se", 1.5, [.3], .04), ("matern", .8, [.4, .7], .01))]
cases.append(regression("se", 1.0, [.3], .01, np.array([[.1], [.5], [.8]]), np.array([.2, .9, .4]), np.array([[.2], [.6]])))
sets, p = kdpp.probabilities(kernel("se", POINTS, POINTS, 0.3), 3)
print(json.dumps(plain({"regression": cases, "kdpp": {"x": POINTS.ravel(), "lengthscale": .3, "k": 3, "subsets": sets, "probabilities": p}}), indent=1))
