# SPDX-License-Identifier: MIT
"""Posteriors on a box with gradients by the point (complex steps), and two runs on a grid of points."""
from itertools import product

import numpy as np
import schedules
from kernels import forgetting, kernel, wiener
from policies import choose
from posterior import on_arms, posterior


def covariance(k, X, Z):
    """A kernel as the file has it: families, sums and products."""
    if "of" in k:
        a, b = (covariance(part, X, Z) for part in k["of"])
        return a + b if k["family"] == "sum" else a * b
    name = f"matern{int(2 * k['nu'])}2" if k["family"] == "matern" else k["family"]
    rest = {new: k[old] for old, new in (("alpha", "alpha"), ("bias", "bias"), ("period", "p")) if old in k}
    return kernel(name, X, Z, k["lengthscale"], k["variance"], **rest)


def temporal(law, t, s):
    if law[0] == "static":
        return np.ones((len(t), len(s)))
    return forgetting(t, s, law[1]) if law[0] == "forgetting" else wiener(t, s, law[1])


def predict(case, Z):
    """Mean, variance and score at the points Z, which may be complex."""
    X, t, now = np.array(case["X"]), case["t"], [case["now"]]
    one = temporal(case["law"], now, now)[0, 0]
    mean, var = posterior(covariance(case["kernel"], X, X) * temporal(case["law"], t, t),
                          covariance(case["kernel"], X, Z) * temporal(case["law"], t, now * len(Z)),
                          one * np.array([covariance(case["kernel"], z[None], z[None])[0, 0] for z in Z]),
                          np.array(case["y"]), case["noise"])
    return mean, var, mean + case["width"] * np.sqrt(var)


def make_posterior(case):
    Z = np.array(case["Z"])
    case["mean"], case["var"], case["score"] = predict(case, Z)
    slopes = np.array([[v.imag / 1e-30 for v in predict(case, Z + 1e-30j * unit)] for unit in np.eye(Z.shape[1])])
    case["dmean"], case["dvar"], case["dscore"] = (slopes[:, i].T for i in range(3))


def play(run):
    sides = [np.linspace(a, b, run["search_grid"]) for a, b in zip(run["lower"], run["upper"])]
    arms = np.array(list(product(*sides)))
    K, chosen, times, y = covariance(run["kernel"], arms, arms), [], [], []
    for step in run["steps"]:
        t = step["t"]
        mean, sd, _ = on_arms(K, chosen, y, run["noise"], lambda s, t: forgetting(s, t, run["epsilon"]), times, t)
        width = np.sqrt(max(0, schedules.log_beta(len(y) + 1, run["c1"], run["c2"])))
        i, gap = choose(mean + width * sd)
        x = arms[i]
        centre = 0.5 + 0.4 * np.sin(0.3 * t + np.arange(run["dim"]))
        chosen.append(i), times.append(t)
        y.append(np.exp(-8 * np.sum((x - centre) ** 2)) + 0.3 * np.sin(9 * x[0]))
        step.update(width=width, index=i, x=x, mean=mean[i], sd=sd[i], score=mean[i] + width * sd[i], gap=gap, y=y[-1])


def make(g):
    for case in g["posterior"]:
        make_posterior(case)
    for run in g["runs"]:
        play(run)
