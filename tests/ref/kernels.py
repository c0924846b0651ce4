# SPDX-License-Identifier: MIT
"""Covariance functions in space and time. Complex parameters are allowed: derivatives are taken by complex steps."""
import numpy as np

MATERN = {"matern12": lambda a: 1, "matern32": lambda a: 1 + a, "matern52": lambda a: 1 + a + a * a / 3}


def kernel(name, X, Y, l=1.0, sf2=1.0, alpha=1.0, p=1.0, bias=0.0):
    """K[i, j] = k(X[i], Y[j]); l and p: one number, or one of each dimension."""
    d = np.atleast_2d(X)[:, None, :] - np.atleast_2d(Y)[None, :, :]
    if name == "linear":
        return bias + sf2 * np.einsum("id,jd,d->ij", X, Y, 1 / np.broadcast_to(l, d.shape[2]) ** 2)
    if name == "periodic":
        return sf2 * np.exp(-2 * np.sum((np.sin(np.pi * d / np.array(p)) / np.array(l)) ** 2, axis=2))
    r2 = np.sum((d / np.array(l)) ** 2, axis=2)
    if name == "se":
        return sf2 * np.exp(-r2 / 2)
    if name in ("rq", "rational_quadratic"):
        return sf2 * (1 + r2 / (2 * alpha)) ** -alpha
    a = np.sqrt(r2 * int(name[6]))
    return sf2 * MATERN[name](a) * np.exp(-a)


def forgetting(t, s, epsilon):
    return np.exp(np.log1p(-epsilon) / 2 * np.abs(np.subtract.outer(t, s)))


def wiener(t, s, rate, origin=0.0):
    return 1 + rate * (np.minimum.outer(t, s) - origin)


def make(g):
    X, Y = np.array(g["X"]), np.array(g["Y"])
    for case in g["cases"]:
        case["K_XY"], case["K_XX"] = (kernel(case["kernel"], X, Z, **case["params"]) for Z in (Y, X))
    time, walk, data = g["temporal"], g["wiener"], g["empirical_cov"]
    time["K"] = forgetting(time["ti"], time["tj"], time["eps"])
    walk["K"] = wiener(walk["ti"], walk["tj"], walk["sw2"])
    g["product"]["K"] = kernel("se", X, Y, 0.37, 1.7) * time["K"]
    data["K"], data["K_ddof0"] = (np.cov(np.array(data["data"]).T, ddof=ddof) for ddof in (1, 0))
