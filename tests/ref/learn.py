# SPDX-License-Identifier: MIT
"""Log marginal likelihood with the mean, and mostly the scale, integrated out; gradients by complex steps; its MAP optimum.

y ~ N(c 1, s (C + noise)), c flat, s inverse gamma (a0, B); records are means of `count` observations in a cell of time, with
the sum of squares `within` the cells. See docs/theory/hyperparameter-learning.md."""
from itertools import product
from math import lgamma, pi

import numpy as np
from kernels import kernel
from policies import choose
from posterior import by_log, log_determinant, log_marginal_likelihood, on_arms


def generalised_mean(M, y):
    """c, its precision A and the sum of squares Q about it."""
    solved = np.linalg.solve(M, np.column_stack([np.ones(len(y)), y]))
    A, b = np.sum(solved, axis=0)
    c = b / A
    return c, A, (y - c) @ (solved[:, 1] - c * solved[:, 0])


def collapsed(M, y, B, a0=1.0, count=1, within=0.0, g=1.0):
    """Log marginal likelihood, c and s: both are integrated out. M holds noise g / count."""
    N, R = int(np.sum(np.broadcast_to(count, len(y)))), len(y)
    c, A, Q = generalised_mean(M, y)
    Q, d = Q + within / g, 2 * a0 + N - 1
    value = (-0.5 * log_determinant(M) - 0.5 * np.log(A) - d / 2 * np.log(2 * B + Q) + lgamma(d / 2) - lgamma(a0)
             - (N - 1) / 2 * np.log(pi) + a0 * np.log(2 * B) - (N - R) / 2 * np.log(g) - 0.5 * np.sum(np.log(count)))
    return value, c, (2 * B + Q) / d


def flat(M, y, count=1, within=0.0, v=1.0):
    """The same with s = 1 and absolute noise v / count in M."""
    N, R = int(np.sum(np.broadcast_to(count, len(y)))), len(y)
    c, A, Q = generalised_mean(M, y)
    return (-0.5 * (log_determinant(M) + np.log(A) + Q + within / v + (N - 1) * np.log(2 * pi) + (N - R) * np.log(v)
                    + np.sum(np.log(count))), c)


def space(name, p, X):
    """Kernels of learn.json by their parameters; a sum or product has the prefixes a. and b."""
    if " " in name:
        a, sign, b = name.split()
        A, B = (space(part, {k[2:]: v for k, v in p.items() if k.startswith(side)}, X) for part, side in ((a, "a."), (b, "b.")))
        return A + B if sign == "+" else A * B
    rest = {k: p[k] for k in ("alpha", "bias") if k in p}
    if "period.0" in p:
        rest["p"] = [p["period.0"], p["period.1"]]
    return kernel(name, X, X, [p["lengthscale.0"], p["lengthscale.1"]], p["variance"], **rest)


def temporal(law, rate, t):
    dt = np.abs(np.subtract.outer(t, t))
    if law == "wiener":
        return 1 + rate * np.minimum.outer(t, t)
    return {"none": np.ones_like(dt), "forgetting": np.exp(-rate * dt), "matern32": (1 + rate * dt) * np.exp(-rate * dt)}[law]


def make(g):
    X, t, y, same = np.array(g["X"]), np.array(g["t"]), np.array(g["y"]), np.equal.outer(g["segment"], g["segment"])
    for case in g["cases"]:
        def C(p):
            return space(case["kernel"], p, X) * temporal(case["law"], p.get("rate", 0), t)

        def whole(p):
            return collapsed(C(p) + p["noise"] * np.eye(len(y)), y - g["mean"], g["b0"], g["a0"])

        def plain(p):
            return log_marginal_likelihood(C(p), y - g["mean"], p["noise"])

        case["plain"], case["plain_grad_log"] = plain(case["params"]), by_log(plain, case["params"])
        case["collapsed"], c, case["scale"] = whole(case["params"])
        case["mean"], case["collapsed_grad_log"] = g["mean"] + c, by_log(lambda p: whole(p)[0], case["params"])
    for case in g["segmented"]:
        def value(p):
            C = space(case["kernel"], p, X) * temporal(case["law"], p["rate"], t) * same
            return flat(C + np.diag(g["noise_var"]), y)[0]

        case["value"], case["grad_log"] = value(case["params"]), by_log(value, case["params"])
    for o in g["optima"]:
        o["b0"] = np.var(o["y"], ddof=1)
        o["median_dt"] = np.median(np.diff(o["t"]))
        o.update(optimum(np.array(o["X"]), np.array(o["t"]), np.array(o["y"]), o["b0"], o["median_dt"] if o["law"] == "forgetting" else 0))
        if o["law"] == "none":
            o["rate"] = None


def objective(u, X, t, y, b0, step):
    """Matern 5/2 on the unit box; u = log lengthscales, log ratio, log rate; log posterior density without constants."""
    d = X.shape[1]
    C = kernel("matern52", X, X, np.exp(u[:d])) * (np.exp(-np.exp(u[d + 1]) * np.abs(np.subtract.outer(t, t))) if step else 1)
    value, c, s = collapsed(C + np.exp(u[d]) * np.eye(len(y)), y, b0)
    z = u[:d] - np.log(0.3 * d**0.25)
    prior = -0.5 / 0.36 * (z @ z - (np.sum(z) ** 2 / (1 + d) if d > 1 else 0)) - (u[d] - np.log(0.01)) ** 2 / 8
    prior -= (u[d + 1] + np.log(step) - np.log(0.01)) ** 2 / 8 if step else 0
    return value + prior, value, c, s


def optimum(X, t, y, b0, step):
    """Newton's method with damping from the mode of the prior; gradients by complex steps."""
    d, mean = X.shape[1], np.mean(y)
    u = np.log(np.append(np.full(d, 0.3 * d**0.25), [0.01] + ([0.01 / step] if step else [])))
    f = lambda v: objective(v, X, t, y - mean, b0, step)
    units = np.eye(len(u))
    gradient = lambda v: np.array([f(v + 1e-30j * e)[0].imag / 1e-30 for e in units])
    damping = 1.0
    for _ in range(200):
        slope = gradient(u)
        H = np.array([(gradient(u + 1e-5 * e) - gradient(u - 1e-5 * e)) / 2e-5 for e in units])
        move = np.linalg.solve(damping * np.eye(len(u)) - (H + H.T) / 2, slope)
        if np.max(np.abs(slope)) < 1e-9:
            break
        if np.max(np.abs(move)) < 1 and slope @ move > 0 and f(u + move)[0] > f(u)[0] - 1e-12:
            u, damping = u + move, damping * 0.1
        else:
            damping = max(10 * damping, 1e-3)
    value, evidence, c, s = f(u)
    return {"lengthscale": np.exp(u[:d]), "noise_ratio": np.exp(u[d]), "rate": np.exp(u[d + 1]) if step else None,
            "objective": value, "evidence": evidence, "mean": mean + c, "scale": s}


def make_loop(g):
    arms, x, y = np.array(g["arms"])[:, None], [], []
    for i, step in enumerate(g["steps"]):
        fit = {"lengthscale": [0.3], "noise_ratio": 0.01, "mean": y[0] if y else 0, "scale": 1.0}
        if i > 1:
            fit = optimum(arms[x], np.zeros(i), np.array(y), np.var(y, ddof=1), 0)
            step.update({k: fit[k] for k in ("noise_ratio", "mean", "scale", "objective")}, lengthscale=fit["lengthscale"][0])
        K = fit["scale"] * kernel("matern52", arms, arms, fit["lengthscale"])
        mean, sd, _ = on_arms(K, x, np.array(y) - fit["mean"], fit["scale"] * fit["noise_ratio"])
        step["t"] = i + 1
        step["arm"], step["gap"] = choose(fit["mean"] + mean + 2 * sd)
        x.append(step["arm"])
        step["y"] = round(g["F"][step["arm"]] + g["noise"][i], 6)
        y.append(step["y"])


def make_prior(g):
    """Objective and gradient with Gamma(shape, rate) priors of lengthscales, as densities of their logarithms relative to the mode;
    a ratio of noise and scale has a Gaussian prior below 0.01 and a Cauchy prior above."""
    y, b0, g["cases"] = np.array(g["y"]), np.var(g["y"], ddof=1), []
    for d, (shape, rate), (ratio, *lengths) in product((1, 2), ((15.0, 10 / 3), (3.0, 6.0), (1.2, 4.0)), ((0.003, 0.4, 0.9), (0.5, 2.5, 0.2))):
        X = np.array(g["X"])[:, :d]

        def value(p):
            l = np.array([p[f"l{i}"] for i in range(d)])
            z, off = np.log(p["g"] / 0.01) / 2, np.log(l * rate / shape)
            prior = np.sum(shape * (off + 1 - np.exp(off))) - (np.log(1 + z * z) if z.real > 0 else z * z / 2)
            return collapsed(kernel("matern52", X, X, l) + p["g"] * np.eye(len(y)), y - np.mean(y), b0 / (1 + p["g"]))[0] + prior

        at = {**{f"l{i}": l for i, l in enumerate(lengths[:d])}, "g": ratio}
        g["cases"].append({"d": d, "shape": shape, "rate": rate, "lengthscale": lengths[:d], "ratio": ratio, "objective": value(at),
                           "gradient": list(by_log(value, at).values())})


def grouped(raw, places):
    """Outcomes of one arm and one time as their mean; `within`: the squares about the means."""
    arm, t, y = (np.array(raw[k]) for k in ("arm", "t", "y"))
    cells = sorted(set(zip(t, arm)))
    groups = [y[(t == when) & (arm == which)] for when, which in cells]
    return {"x": [places[a] for _, a in cells], "t": [when for when, _ in cells], "arm": [a for _, a in cells],
            "y": [np.mean(v) for v in groups], "count": [len(v) for v in groups],
            "within": sum(np.sum((v - np.mean(v)) ** 2) for v in groups), "b0": np.var(y, ddof=1)}


def make_records(g):
    """16 cases on the same outcomes; with two segments the second begins at g["split"]."""
    data, cases = grouped(g["raw"], g["places"]), []
    x, t, y, count = (np.array(data[k]) for k in ("x", "t", "y", "count"))
    for name, form, segments, ratio in product(("matern52", "categorical"), ("collapsed", "flat"), (1, 2), (0.05, 30)):
        segment = [int(segments == 2 and when >= g["split"]) for when in t]
        same, arm = np.equal.outer(segment, segment), np.equal.outer(data["arm"], data["arm"])

        def value(p):
            C = kernel("matern52", x[:, None], x[:, None], p["logl"]) if name == "matern52" else np.where(arm, 1, p["logl"])
            M = C * np.exp(-p["logk"] * np.abs(np.subtract.outer(t, t))) * same + np.diag(p["logg"] / count)
            if form == "flat":
                return (*flat(M, y, count, data["within"], p["logg"]), 1.0)
            return collapsed(M, y, data["b0"] / (1 + p["logg"]), 1.0, count, data["within"], p["logg"])

        at = {"logl": 0.4, "logk": 0.02, "logg": ratio}
        found = dict(zip(("log_evidence", "c", "s"), value(at)))
        cases.append({"kernel": name, "form": form, "segments": segments, "segment": segment, "kappa": 0.02, "g": ratio, "a0": 1.0,
                      "lengthscale_or_correlation": 0.4, "raw": g["raw"], **data, **found,
                      "gradient": by_log(lambda p: value(p)[0], at)})
    return cases
