# SPDX-License-Identifier: MIT
"""Default settings on categorical arms: a fixed mixture, each filter by the covariance of all its outcomes.

f_t(a, h) = c_t + E_h + s (sqrt(1-p) (sqrt(q) S_a + sqrt(1-q) G_t(a)) + sqrt(p) D_ah), see docs/policies/auto-gp-ucb.md. An outcome
of a query before the newest one with an outcome counts as one of that one's time with what has changed since its query as noise."""
import numpy as np
from posterior import log_student

SHARE = 0.01


def choose(score):
    """The smallest index within 1e-12 of the best, and the lead over the second; 0: a tie."""
    order = np.sort(score)
    gap = order[-1] - order[-2]
    tie = 1e-12 * abs(order[-1])
    return int(np.argmax(score >= order[-1] - tie)), 0.0 if gap <= tie else gap


class Mixture:
    """Points and outcomes are rows (arm, context, time, age); one covariance matrix for each filter."""

    def __init__(self, filters, level):
        def column(name, other=0.0):
            return np.array([f.get(name, other) for f in filters])[:, None, None]

        self.eps, self.q = column("eps") + column("rate"), column("q")
        self.eps_c, self.level = column("eps_c") + column("level_rate"), level
        self.p, self.v_E, self.s2 = column("pair"), column("context_level"), column("sd", 1.0) ** 2
        self.prior = np.array([f.get("prior", 1 / len(filters)) for f in filters])
        self.prior = self.weights = self.prior / np.sum(self.prior)
        self.rows, self.y, self.noise = np.zeros((0, 4)), np.zeros((len(filters), 0)), np.zeros((len(filters), 0))

    def covariance(self, a, b):
        gap = np.abs(a[:, None, 2] - b[None, :, 2]) + a[:, None, 3] + b[None, :, 3]
        arm, context = (a[:, None, i] == b[None, :, i] for i in (0, 1))
        own = self.q + (1 - self.q) * (1 - self.eps) ** (gap / 2)
        return (self.level * (1 - self.eps_c) ** (gap / 2) + self.v_E * context
                + self.s2 * arm * ((1 - self.p) * own + self.p * context))

    def blur(self, row):
        age = row[3]
        return (self.level * (1 - (1 - self.eps_c) ** age) + self.s2 * (1 - self.p) * (1 - self.q) * (1 - (1 - self.eps) ** age))[:, 0, 0]

    def predict(self, rows):
        """Means (filter x row), covariances (filter x row x row) and means of the level at the time of the rows."""
        prior, n = self.covariance(rows, rows), len(self.rows)
        if n == 0:
            return np.zeros(prior.shape[:2]), prior, np.zeros(len(prior))
        K = self.covariance(self.rows, self.rows) + self.noise[:, :, None] * np.eye(n)
        k = self.covariance(self.rows, rows)
        solved = np.linalg.solve(K, np.concatenate([k, self.y[:, :, None]], axis=2))
        gap = np.abs(self.rows[:, 2] - rows[0, 2]) + self.rows[:, 3]
        level = self.level * (1 - self.eps_c[:, 0]) ** (gap / 2)
        kt = np.swapaxes(k, 1, 2)
        return (kt @ solved[:, :, -1:])[:, :, 0], prior - kt @ solved[:, :, :-1], np.sum(level * solved[:, :, -1], axis=1)

    def moments(self, mean, cov, factor=None):
        """Mean and covariance of the mixture of filters, their covariances multiplied by the factor."""
        w = self.weights * (1 if factor is None else factor)
        m = self.weights @ mean
        return m, np.einsum("f,fij->ij", w, cov) + np.einsum("f,fi,fj->ij", self.weights, mean - m, mean - m)

    def add(self, row, y, noise):
        self.rows = np.vstack([self.rows, row])
        self.y = np.column_stack([self.y, np.broadcast_to(y, len(self.prior))])
        self.noise = np.column_stack([self.noise, noise])

    def reweigh(self, log_p, share):
        w = self.weights * np.exp(log_p - np.max(log_p))
        self.weights = (1 - share) * w / np.sum(w) + share * self.prior

    def three(self):
        return [[int(i), self.weights[i]] for i in np.argsort(-np.round(self.weights, 15), kind="stable")[:3]]


class Game(Mixture):
    """Outcomes that are numbers: each filter learns a factor b / a of all its variances; the first outcome is the origin."""

    def __init__(self, arms, filters, level=10.0, constant_share=True):
        super().__init__(filters, level)
        self.arms, self.constant_share, self.nu = arms, constant_share, np.array([f["noise"] for f in filters])
        self.a, self.b = np.ones(len(filters)), np.ones(len(filters))
        self.origin, self.differed, self.Z, self.W = None, False, 0.0, 0.0
        self.front = -np.inf

    def at(self, now, context=0):
        return np.array([[a, context, now, 0.0] for a in range(self.arms)])

    def sigma2(self):
        return self.weights @ (self.b / self.a * self.nu)

    def observe(self, row, y, available, calibrate=True):
        self.origin = y if self.origin is None else self.origin
        y = y - self.origin
        if y != 0 and not self.differed:
            self.differed, self.weights = True, self.prior
            self.a, self.b = np.ones(len(self.prior)), np.full(len(self.prior), 0.3 * y * y)
        mean, cov, _ = self.predict(self.at(row[2], row[1]))
        m, C = self.moments(mean, cov, self.b / self.a)
        v, s2 = C[int(row[0]), int(row[0])], self.sigma2()
        e, w = y - m[int(row[0])], v / (v + s2)
        if calibrate and -e + y < np.max(m[available]) - 1e-12 * np.sqrt(v + s2):
            self.Z += 2 * w * min(e * e / (v + s2), 9) if e > 0 else 0
            self.W += w
        t = row[2] - row[3]
        self.front = max(self.front, t)
        row = np.array([row[0], row[1], self.front, self.front - t])
        if self.differed:
            mean, cov, _ = self.predict(row[None])
            S, e = cov[:, 0, 0] + self.blur(row) + self.nu, y - mean[:, 0]
            self.reweigh(log_student(e, S, self.a, self.b), SHARE * (1 if self.constant_share else w * w))
            self.a, self.b = self.a + 0.5, self.b + e * e / (2 * S)
        self.add(row, y, self.nu + self.blur(row))

    def ask(self, now, available, pending=(), context=0):
        mean, cov, level = self.predict(self.at(now, context))
        m, C = self.moments(mean, cov, self.b / self.a)
        n, origin, s2 = len(self.rows), self.origin or 0.0, self.sigma2()
        factor = np.sqrt((20 + self.Z) / (20 + self.W))
        width = factor * (self.weights @ np.sqrt(0.8 - 0.5 * np.log(self.eps[:, 0, 0] + 1 / (n + 101))))
        sd = np.sqrt(np.diag(C))
        for p in pending:
            C = C - np.outer(C[p], C[p]) / (C[p, p] + s2)
        score = np.where(available, m + width * np.sqrt(np.maximum(np.diag(C), 0)), -np.inf)
        arm, gap = choose(score)
        return {"arm": arm, "score": score[arm] + origin, "gap": gap, "mean": m + origin, "sd": sd, "coefficient": width,
                "factor": factor, "level": self.weights @ level + origin, "noise": s2, "weights": self.three(),
                "scale": self.weights @ (self.b / self.a), "observations": n}


def play(world, filters, constant_share):
    """A world of defaults4.json or share5.json; the unit of time is the median gap of the first eight times; a
    change of it by less than a hundredth is none."""
    times, game, queries, log = world["times"], None, [], []
    tau, unit, told = [], 0.0, []
    for k, t in enumerate(times):
        gaps = np.diff(times[:k + 1])
        if 0 < k < 8 and abs(np.median(gaps) - unit) > 0.01 * unit:
            unit = np.median(gaps)
        tau.append(0.0 if k == 0 else tau[-1] + (t - times[k - 1]) / unit)
        if game is None or k == 7:  # the first ask, and when the unit is fixed: all outcomes again, in order of arrival
            before, game = game, Game(world["arms"], filters, constant_share=constant_share)
            tau = [(s - times[0]) / (unit or 1) for s in times[:k + 1]]
            for q, now, y, available in told:
                game.observe(np.array([queries[q], 0, tau[now], tau[now] - tau[q]]), y, available, calibrate=False)
            game.Z, game.W = (before.Z, before.W) if before else (0.0, 0.0)
        available = np.array([a not in world["unavailable"].get(str(k + 1), []) for a in range(world["arms"])])
        pending = [queries[q] for q in range(k) if q + 1 not in world["missing"] and q + world["delay"][q] >= k]
        step = game.ask(tau[k], available, pending)
        step["unit"] = unit
        queries.append(step["arm"])
        log.append(step)
        for q in range(k + 1):
            if q + world["delay"][q] == k and q + 1 not in world["missing"]:
                y = world["outcomes"][q][queries[q]]
                game.observe(np.array([queries[q], 0, tau[k], tau[k] - tau[q]]), y, available)
                told.append((q, k, y, available))
    return log


def make(g, constant_share=True):
    g["model"]["filters"] = [{"eps": e, "q": q, "eps_c": c, "noise": nu} for nu in (0.0015, 0.1, 8.0) for c in (0.0, 0.01, 0.15)
                             for e, q in ((0.0, 0.0), (0.03, 0.0), (0.03, 0.6), (0.3, 0.0), (0.3, 0.6))]
    for world in g["worlds"]:
        world["steps"] = play(world, g["model"]["filters"], constant_share)


def make_share(g):
    make(g, constant_share=False)


def make_contexts(g):
    filters = g["model"]["filters"] = [
        {"eps": e, "q": q, "level_rate": c, "noise": nu, "pair": p, "context_level": v, "prior": weight / 45}
        for p, v, weight in ((0.0, 0.0, 0.9), (0.3, 1.0, 0.05), (0.8, 1.0, 0.05)) for nu in (0.0015, 0.1, 8.0)
        for c in (0.0, 0.01, 0.15) for e, q in ((0.0, 0.0), (0.03, 0.0), (0.03, 0.6), (0.3, 0.0), (0.3, 0.6))]
    for name in ("steps", "many"):
        world, game = g[name], Game(g[name]["arms"], filters)
        everything, world["asks"] = np.ones(world["arms"], bool), []
        for k, h in enumerate(world["context"]):
            world["asks"].append(game.ask(k, everything, context=h))
            arm = world["asks"][-1]["arm"]
            game.observe(np.array([arm, h, k, 0.0]), world["outcomes"][k][arm], everything)
