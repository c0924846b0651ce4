# SPDX-License-Identifier: MIT
"""Counts on categorical arms: a mixture of absolute scales on the logit or log rate; each count is matched to a normal
observation in every filter by 20 Gauss-Hermite nodes at the mode (Minka 2001)."""
import numpy as np
from mixture import SHARE, Mixture, choose

NODES, WEIGHTS = np.polynomial.hermite.hermgauss(20)
LINKS = {"binomial": (lambda z: np.logaddexp(0, z), lambda z: 1 / (1 + np.exp(-z)), lambda z: np.exp(z) / (1 + np.exp(z)) ** 2),
         "poisson": (np.exp, np.exp, np.exp)}


def match(link, y, E, m, v, origin):
    """Value and noise of the normal observation, and the log likelihood of the count relative to that at `origin`."""
    A, first, second = LINKS[link]
    z = m
    for _ in range(1000):
        step = np.clip((y - E * first(z) - (z - m) / v) / (E * second(z) + 1 / v), -1, 1)
        z += step
        if abs(step) <= 1e-15 * (1 + abs(z)):
            break
    s = 1 / np.sqrt(E * second(z) + 1 / v)
    d = np.sqrt(2) * s * NODES
    w = WEIGHTS / np.sqrt(np.pi) * np.exp(NODES**2 + y * d - E * (A(z + d) - A(z)) - d * (2 * (z - m) + d) / (2 * v))
    off = w @ d / np.sum(w)
    m1, v1 = z + off, w @ (d * d) / np.sum(w) - off**2
    r = 1 / (1 / v1 - 1 / v)
    log_p = y * (z - origin) - E * (A(z) - A(origin)) - (z - m) ** 2 / (2 * v) + np.log(s * s / v) / 2 + np.log(np.sum(w))
    return m + r * (m1 - m) / v1, r, log_p


def play(g, filters, level):
    game, m0, asks = Mixture(filters, level), 0.0, []
    for t, E, counts in zip(g["times"], g["exposure"], g["counts"]):
        rows = np.array([[a, 0, t, 0.0] for a in range(g["arms"])])
        mean, cov, _ = game.predict(rows)
        m, C = game.moments(mean, cov)
        width = game.weights @ np.sqrt(0.8 - 0.5 * np.log(game.eps[:, 0, 0] + 1 / (len(asks) + 101)))
        sd = np.sqrt(np.diag(C))
        scores = m0 + m + width * sd
        arm, gap = choose(scores)
        asks.append({"arm": arm, "coefficient": width, "score": scores[arm], "scores": scores, "mean": m0 + m, "sd": sd,
                     "weights": game.three(), "gap": gap})
        y = counts[arm]
        if len(asks) == 1:
            m0 = np.log((y + 0.5) / (E - y + 0.5 if g["type"] == "binomial" else E))
        information = C[arm, arm] * E * LINKS[g["type"]][2](m0 + m[arm])
        w = information / (1 + information)
        matched = np.array([match(g["type"], y, E, m0 + mean[j, arm], cov[j, arm, arm], m0) for j in range(len(filters))])
        game.add(rows[arm], matched[:, 0] - m0, matched[:, 1])
        game.reweigh(matched[:, 2], SHARE * w * w)
    return asks


def make(g):
    model = g["model"]
    model["filters"] = [{"sd": s, "rate": e, "lasting": 0.0, "level_rate": c} for c in model["level_rate"] for e in model["rate"]
                        for s in model["sd"]]
    for game in g["games"]:
        game["asks"] = play(game, model["filters"], model["level"])
