# SPDX-License-Identifier: MIT
"""gp_vectors.py > src/bindings/python/tests/gp.json: posteriors and evidences (Rasmussen and Williams 2006, alg. 2.1) and the exact
probabilities of a k-DPP, det K_Z over the sum of all of them, with NumPy alone. The tests of the bindings read them."""
import itertools
import json

import numpy as np


def squares(X, Z, lengthscale):
    return (((X[:, None] - Z[None]) / np.array(lengthscale)) ** 2).sum(-1)


def se(X, Z, variance, lengthscale):
    return variance * np.exp(-squares(X, Z, lengthscale) / 2)


def matern(X, Z, variance, lengthscale):
    r = np.sqrt(5 * squares(X, Z, lengthscale))
    return variance * (1 + r + r * r / 3) * np.exp(-r)


def regression(kernel, variance, lengthscale, noise, X, y, Z):
    K, k = kernel(X, X, variance, lengthscale) + noise * np.eye(len(X)), kernel(X, Z, variance, lengthscale)
    weights = np.linalg.solve(K, k)
    evidence = -(y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1] + len(X) * np.log(2 * np.pi)) / 2
    return {"kernel": kernel.__name__, "variance": variance, "lengthscale": lengthscale, "noise": noise, "x": X.tolist(), "y": y.tolist(),
            "at": Z.tolist(), "mean": (weights.T @ y).tolist(), "covariance": (kernel(Z, Z, variance, lengthscale) - k.T @ weights).tolist(),
            "log_marginal_likelihood": float(evidence)}


def subsets(K, k):
    sets = list(itertools.combinations(range(len(K)), k))
    weights = np.array([np.linalg.det(K[np.ix_(s, s)]) for s in sets])
    return {"x": POINTS.ravel().tolist(), "lengthscale": .3, "k": k, "subsets": sets, "probabilities": (weights / weights.sum()).tolist()}


POINTS = np.array([[0.0], [.15], [.3], [.5], [.7], [1.0]])
draw = np.random.default_rng(20261128)
cases = [regression(kernel, variance, lengthscale, noise, draw.random((12, len(lengthscale))), draw.normal(size=12), draw.random((5, len(lengthscale))))
         for kernel, variance, lengthscale, noise in ((se, 1.5, [.3], .04), (matern, .8, [.4, .7], .01))]
cases.append(regression(se, 1.0, [.3], .01, np.array([[.1], [.5], [.8]]), np.array([.2, .9, .4]), np.array([[.2], [.6]])))
print(json.dumps({"regression": cases, "kdpp": subsets(se(POINTS, POINTS, 1.0, [.3]), 3)}, indent=1))
