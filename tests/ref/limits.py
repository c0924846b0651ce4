# SPDX-License-Identifier: MIT
"""Constraints on further outputs: the safe set of an ask, margins that adapt, and asks that widen the set."""
from math import erfc, exp, pi, sqrt

import numpy as np
import schedules
from kernels import forgetting, kernel

X = np.linspace(0, 1, 31)
NAMES = {"se": "se", "m52": "matern52", "m32": "matern32"}
Phi = np.vectorize(lambda z: 0.5 * erfc(-z / sqrt(2)))


def quantile(p):
    """Phi^-1 by Newton's method, for p below one half by symmetry."""
    if p > 0.5:
        return -quantile(1 - p)
    z = 0.0
    for _ in range(100):
        step = (0.5 * erfc(-z / sqrt(2)) - p) / (exp(-z * z / 2) / sqrt(2 * pi))
        z -= max(-1.0, min(1.0, step))
        if abs(step) < 1e-15 * (1 + abs(z)):
            break
    return z


def outputs(x, t):
    """The true reward and the two constrained outputs."""
    return (np.sin(5 * x + 0.07 * t) + 0.6 * x, 0.9 * np.cos(3 * x - 0.05 * t) + 0.25, 1.4 * x * x - 0.5 + 0.3 * np.sin(0.09 * t))


class Output:
    """The model of one output: forgetting, known noise."""

    def __init__(self, spec, noise, epsilon, mean):
        self.K = kernel(NAMES[spec[0]], X[:, None], X[:, None], spec[1], spec[2])
        self.noise, self.epsilon, self.prior, self.arms, self.t, self.y = noise, epsilon, mean, np.zeros(0, int), [], []

    def predict(self, t):
        k = self.K[self.arms] * forgetting(self.t, [t], self.epsilon)
        Kn = self.K[np.ix_(self.arms, self.arms)] * forgetting(self.t, self.t, self.epsilon) + self.noise * np.eye(len(self.arms))
        self.covariance = self.K - k.T @ np.linalg.solve(Kn, k)
        return self.prior + k.T @ np.linalg.solve(Kn, np.array(self.y) - self.prior), np.maximum(np.diag(self.covariance), 0)

    def observe(self, arm, t, y):
        self.arms = np.append(self.arms, arm)
        self.t.append(t), self.y.append(y)


class Limits:
    def __init__(self, run):
        self.run, self.delta, self.m = run, 1 - run["confidence"], len(run["limits"])
        self.models = [Output(*spec) for spec in zip(run["kernels"], run["noise"], run["epsilon"], run["mean"])]
        self.theta, self.spent, self.n, self.widened = [0.0] * self.m, 0.0, 0, 0

    def allowed(self):
        if self.run["per"] == "step":
            return self.delta
        if self.run["per"] == "run":
            return 6 * self.delta / (pi * self.n) ** 2
        return max(1e-12, min(10 * self.delta, 0.5, self.delta * self.n - self.spent))

    def look(self, t):
        self.moments = [m.predict(t) for m in self.models]
        self.tails = []
        for k, (h, s, measured) in enumerate(self.run["limits"]):
            mean, var = self.moments[k + 1]
            z = s * (mean - h) / np.sqrt(var + measured * self.models[k + 1].noise)
            self.tails.append(np.ones(len(X)) if self.theta[k] >= 6 else Phi(-(z - self.theta[k])))
        return np.sum(self.tails, axis=0)

    def widen(self, risk, r, safe):
        """The safe arm whose outcome is most likely to make a promising arm safe; None: not now."""
        e, (mean, var) = self.run["expand"], self.moments[0]
        if self.n * e < self.widened + 1:
            return None
        high = mean + 2 * np.sqrt(var)
        others = [a for a in range(len(X)) if a not in safe and all(tail[a] <= 1 - r for tail in self.tails)]
        if not others or not safe or np.max(high[others]) <= np.max(high[safe]):
            return None
        targets = sorted(others, key=lambda a: (risk[a], a))[:8]
        best, where = 0.0, None
        for z in safe:
            for g in sorted(targets):
                q = np.prod([self.chance(k, z, g, r) for k in range(self.m)])
                best, where = (q, z) if q > best else (best, where)
        return where if best >= 0.1 else None

    def chance(self, k, z, g, r):
        """That g is safe for limit k once z has been observed."""
        (h, s, measured), model, (mean, var) = self.run["limits"][k], self.models[k + 1], self.moments[k + 1]
        b = quantile(1 - r / self.m) + self.theta[k]
        d = max(min(model.covariance[z, g] ** 2 / (var[z] + model.noise), var[g]), 1e-300)
        return float(Phi((s * (mean[g] - h) - b * sqrt(max(0, var[g] - d + measured * model.noise))) / sqrt(d)))

    def ask(self, t):
        self.n += 1
        risk, r, seeds = self.look(t), self.allowed(), self.run["seeds"]
        safe = [a for a in range(len(X)) if risk[a] <= r or a in seeds]
        by_risk = [a for a in range(len(X)) if risk[a] <= r and a not in seeds]
        mean, var = self.moments[0]
        width = np.sqrt(schedules.log_beta(self.n, 0.8))
        score = mean + width * np.sqrt(var)
        z = self.widen(risk, r, safe) if self.run["expand"] > 0 else None
        self.widened += z is not None
        arm = z if z is not None else max(safe, key=lambda a: (score[a], -a)) if safe else int(np.argmin(risk))
        order = sorted((score[a] for a in safe), reverse=True) if safe else sorted(-risk, reverse=True)
        self.spent += 0 if arm in seeds else min(1, risk[arm])
        return arm, {"asked": arm, "risk": min(1, risk[arm]), "allowed": r, "safe": safe, "expanded": z is not None,
                     "fallback": not by_risk, "theta": list(self.theta), "spent": self.spent, "width": width,
                     "gap": order[0] - order[1] if len(order) > 1 else None, "nearest": np.min(np.abs(risk - r)),
                     "mean": [m[0][arm] for m in self.moments], "sd": [np.sqrt(m[1][arm]) for m in self.moments],
                     "mean_at_15": [m[0][15] for m in self.moments], "sd_at_15": [np.sqrt(m[1][15]) for m in self.moments],
                     "risk_at_15": min(1, risk[15])}

    def tell(self, i, t, arm, step):
        missing = {tuple(m) for m in self.run.get("missing", [])}
        values = outputs(X[arm], t)[:self.m + 1]
        step["told"] = list(values)
        for k, (model, y) in enumerate(zip(self.models, values)):
            if (i, k) in missing:
                step["told"][k] = None
                continue
            model.observe(arm, t, y)
            if k and self.run["limits"][k - 1][2]:
                h, s, _ = self.run["limits"][k - 1]
                broken = s * (y - h) < 0 and arm not in self.run["seeds"]
                self.theta[k - 1] = max(0, self.theta[k - 1] + self.run["adapt"] * (broken - self.delta / self.m))


def make(g):
    g["x"] = X
    for run in g["runs"]:
        limits, run["steps"] = Limits(run), []
        for i, t in enumerate(g["times"][:run["T"]]):
            arm, step = limits.ask(t)
            limits.tell(i, t, arm, step)
            run["steps"].append({"t": t, **step})
