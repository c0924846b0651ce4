# SPDX-License-Identifier: MIT
"""The Gaussian process posterior and its log marginal likelihood (Rasmussen and Williams 2006, eq. 2.25, 2.26, 2.30)."""
from math import lgamma

import numpy as np
from kernels import forgetting, kernel


def posterior(K, k, kss, y, noise):
    """Mean and variance at m points: K (n x n) and k (n x m) are covariances, kss (m) prior variances."""
    if len(y) == 0:
        return np.zeros(len(kss)), np.array(kss, float)
    solved = np.linalg.solve(K + np.diag(np.broadcast_to(noise, len(y))), np.column_stack([k, y]))
    return k.T @ solved[:, -1], kss - np.einsum("nm,nm->m", k, solved[:, :-1])


def on_arms(K, arms, y, noise, correlation=lambda s, t: np.ones((len(s), len(t))), times=None, now=0.0):
    """Mean and sd of all arms by the table K (arm x arm), and the covariance of the observations: y of `arms` at `times`."""
    times = [now] * len(arms) if times is None else times
    Kt = K[np.ix_(arms, arms)] * correlation(times, times) if arms else np.zeros((0, 0))
    k = K[arms] * correlation(times, [now]) if arms else None
    mean, var = posterior(Kt, k, np.diag(K) * correlation([now], [now])[0, 0], np.array(y), noise)
    return mean, np.sqrt(np.maximum(var, 0)), Kt


def log_determinant(M):
    """Also of a complex symmetric matrix with a small imaginary part."""
    sign, value = np.linalg.slogdet(M)
    return value + 1j * np.angle(sign) if np.iscomplexobj(M) else value


def log_marginal_likelihood(K, y, noise):
    M = K + np.diag(np.broadcast_to(noise, len(y)))
    return -0.5 * (y @ np.linalg.solve(M, y) + log_determinant(M) + len(y) * np.log(2 * np.pi))


def log_student(e, S, a, b):
    """Log density of an innovation e of variance S s, where s is inverse gamma (a, b)."""
    gammas = np.vectorize(lambda a: lgamma(a + 0.5) - lgamma(a))(a)
    return gammas - 0.5 * np.log(2 * np.pi * b * S) - (a + 0.5) * np.log1p(e * e / (2 * b * S))


def by_log(f, values):
    """Gradient of f(values) by the logarithms of the values (a dict), by complex steps."""
    return {k: f({**values, k: v * np.exp(1e-30j)}).imag / 1e-30 for k, v in values.items()}


def make(g):
    X, Xs, y = (np.array(g[k]) for k in ("X", "Xs", "y"))
    mean = {"zero": (0 * y, np.zeros(len(Xs))), "affine": (g["prior_mean_at_X"], g["prior_mean_at_Xs"])}
    for case in g["cases"]:
        cov = lambda A, B: kernel(case["kernel"], A, B, **case["params"])
        m, ms = mean[case["mean"]]
        mu, case["var"] = posterior(cov(X, X), cov(X, Xs), np.diag(cov(Xs, Xs)), y - m, case["noise"])
        case["mu"], case["lml"] = ms + mu, log_marginal_likelihood(cov(X, X), y - m, case["noise"])
    t, now = np.arange(1, 8), np.array([8] * len(Xs))
    g["tv"]["mu"], g["tv"]["var"] = posterior(kernel("se", X, X, 0.4) * forgetting(t, t, 0.1),
                                              kernel("se", X, Xs, 0.4) * forgetting(t, now, 0.1), np.ones(len(Xs)), y, 0.05)


def make_lml(g):
    X, y = np.array(g["X"]), np.array(g["y"])
    for case in g["cases"]:
        rest = {k: v for k, v in case["params"].items() if k not in ("l", "sf2")}
        values = {"l_1": case["params"]["l"][0], "l_2": case["params"]["l"][1], "sf2": case["params"]["sf2"]}
        if np.isscalar(case["noise"]):
            values["sn2"] = case["noise"]

        def value(v):
            K = kernel(case["kernel"], X, X, [v["l_1"], v["l_2"]], v["sf2"], **rest)
            return log_marginal_likelihood(K, y, v.get("sn2", case["noise"]))

        case["lml"], case["grad"] = value(values), list(by_log(value, values).values())
