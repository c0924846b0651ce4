# SPDX-License-Identifier: MIT
"""auto-gp-ucb in robust mode (model.misspecified): Kalman filters of temporal kernels x noise levels, each with a constant and a
scale of its own, and one hypothesis that everything changed abruptly. A state is (f, [u], k): values, slopes, constant."""
import numpy as np
from policies import choose
from posterior import log_student

MODELS = [("ou", e) for e in (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0)] + [("sm", r) for r in (0.01, 0.03, 0.1)]
HAZARD, JUMP, RECYCLE, SCALE, CONSTANT = 0.005, 0.02, 0.01, 0.5, 0.25


class Filter:
    def __init__(self, kind, rate, noise, K, c, a=SCALE, b=SCALE):
        self.kind, self.rate, self.noise, self.K, self.c, self.a, self.b = kind, rate, noise, K, c, a, b
        n = len(K)
        self.parts = 1 if kind == "ou" else 2
        self.m, self.P = np.zeros(self.parts * n + 1), np.zeros((self.parts * n + 1,) * 2)
        for i in range(self.parts):
            self.P[i * n:(i + 1) * n, i * n:(i + 1) * n] = K
        self.P[-1, -1] = c

    def step(self):
        """The rate that the exploration coefficient uses."""
        return self.rate if self.kind == "ou" else min(1, 0.825 * self.rate)

    def advance(self, dt):
        n = len(self.K)
        if self.kind == "ou":
            M = np.array([[(1 - self.rate) ** (dt / 2)]])
        else:
            x = self.rate * dt
            M = np.exp(-x) * np.array([[1 + x, x], [-x, 1 - x]])
        T = np.eye(len(self.m))
        T[:-1, :-1] = np.kron(M, np.eye(n))
        self.m, self.P = T @ self.m, T @ self.P @ T.T
        self.P[:-1, :-1] += np.kron(np.eye(len(M)) - M @ M.T, self.K)

    def values(self):
        """Means and variances of all arms, without the scale."""
        n, P = len(self.K), self.P
        return self.m[:n] + self.m[-1], np.diag(P)[:n] + 2 * P[:n, -1] + P[-1, -1]

    def observe(self, arm, y):
        """Conditions on y; the innovation and its variance."""
        g = self.P[:, arm] + self.P[:, -1]
        S, e = max(0, g[arm] + g[-1]) + self.noise, y - self.m[arm] - self.m[-1]
        self.m = self.m + g * e / S
        self.P = self.P - np.outer(g, g) / S
        return e, S

    def take(self, other):
        """The state and scale of another filter; a slope it does not have is drawn again, one too many is dropped."""
        n, fresh = len(self.K), Filter(self.kind, self.rate, self.noise, self.K, self.c, other.a, other.b)
        both = n * min(self.parts, other.parts)
        mine, its = (np.append(np.arange(both), len(f.m) - 1) for f in (self, other))
        fresh.m[mine] = other.m[its]
        fresh.P[np.ix_(mine, mine)] = other.P[np.ix_(its, its)]
        self.m, self.P, self.a, self.b = fresh.m, fresh.P, fresh.a, fresh.b


class Bank:
    def __init__(self, K, noise):
        self.K, self.c = K, CONSTANT * np.mean(np.diag(K))
        self.filters = [Filter(*m, noise * level, K, self.c) for level in (0.01, 1, 10) for m in MODELS]
        self.J = len(self.filters)
        self.L = np.append(np.full(self.J, -np.log(self.J)), -np.inf)
        self.slot, self.spawn, self.spawn_arm, self.confirmed, self.resets, self.n, self.newest = None, None, -1, False, 0, 0, None

    def everything(self):
        return self.filters + ([self.slot] if self.slot else [])

    def advance(self, dt):
        for f in self.everything():
            f.advance(dt)

    def moments(self):
        w = np.exp(self.L - np.max(self.L))
        w /= np.sum(w)
        used, weights = self.everything(), w[:len(self.everything())]
        mu = np.array([f.values()[0] for f in used])
        v = np.array([f.values()[1] * f.b / f.a for f in used])
        mean = weights @ mu
        rates = np.array([f.step() for f in used])
        width = weights @ np.sqrt(np.maximum(0, 0.8 + 0.5 * np.log(1 / (rates + 1 / (self.n + 101)))))
        return w, mean, np.maximum(0, weights @ (v + mu * mu) - mean * mean), width, mu[:self.J]

    def update(self, arm, y, l0, step):
        for j, f in enumerate(self.everything()):
            e, S = f.observe(arm, y)
            l1 = log_student(e, S, f.a, f.b)
            both = np.logaddexp(np.log(1 - JUMP) + l1, np.log(JUMP) + l0)
            p = np.exp(np.log(1 - JUMP) + l1 - both)
            self.L[j] += both
            f.a, f.b = f.a + p / 2, f.b + p * e * e / (2 * S)
            if j < self.J:
                step["log_evidence"].append(both)
                step["jump_probability"].append(1 - p)

    def redraw(self, arm, y, dt, l0, old, leader, scale):
        """The hypothesis that all has changed just before this outcome, instead of a lighter one."""
        total = np.logaddexp.reduce(old[:self.J])
        candidate = np.log(-np.expm1(dt * np.log1p(-HAZARD))) + total + l0 if dt > 0 else -np.inf
        if candidate > self.L[self.J]:
            self.slot = Filter(leader.kind, leader.rate, leader.noise, self.K, self.c, *scale)
            e, S = self.slot.observe(arm, y)
            self.slot.a, self.slot.b = scale[0] + 0.5, scale[1] + e * e / (2 * S)
            self.L[self.J], self.spawn, self.spawn_arm, self.confirmed = candidate, old[:self.J] - total, arm, False
        elif arm != self.spawn_arm:
            self.confirmed = True

    def tell(self, arm, y, t, step):
        self.n += 1
        dt = 1.0 if self.newest is None else t - self.newest
        self.newest, old = t, self.L.copy()
        leader = self.filters[int(np.argmax(old[:self.J]))]
        scale = (leader.a, leader.b)
        l0 = log_student(y, self.K[arm, arm] + self.c + leader.noise, *scale)
        step.update(log_evidence=[], jump_probability=[], recycled=[], reset=False)
        self.update(arm, y, l0, step)
        self.redraw(arm, y, dt, l0, old, leader, scale)
        if self.confirmed and self.L[self.J] > np.max(self.L[:self.J]):
            for f in self.filters:
                f.take(self.slot)
            self.L = np.append(self.spawn, -np.inf)
            self.resets, step["reset"] = self.resets + 1, True
        self.L -= np.max(self.L)
        best = int(np.argmax(self.L[:self.J]))
        least = self.L[best] + np.log(RECYCLE / self.J)
        for j in range(self.J):
            if self.L[j] < least - 1e-9:
                self.filters[j].take(self.filters[best])
                self.L[j] = least
                step["recycled"].append(j)


def play(run):
    K, prior = np.array(run["K"]), np.array(run["mean"] or [0.0] * len(run["K"]))
    bank, last, steps = Bank(K, run["noise"]), None, []
    for i, t in enumerate(run["times"]):
        if last is not None and t > last:
            bank.advance(t - last)
        last = t
        w, mean, var, width, mu = bank.moments()
        score = prior + mean + width * np.sqrt(var)
        if run["available"]:
            score = np.where(np.array(run["available"][i], bool), score, -np.inf)
        arm, lead = choose(score)
        y = run["rewards"][i][arm]
        step = {"t": t, "mean": prior + mean, "var": var, "width": width, "arm": arm, "lead": lead, "y": y, "weights": w,
                "predicted_at_arm": mu[:, arm]}
        bank.tell(arm, y - prior[arm], t, step)
        used = bank.filters + [bank.slot]
        step.update(log_weight_after=bank.L.copy(), a_after=[f.a if f else None for f in used],
                    b_after=[f.b if f else None for f in used], slot_arm=bank.spawn_arm, confirmed=bank.confirmed,
                    constant_mean_after=[f.m[-1] for f in bank.filters], constant_var_after=[f.P[-1, -1] for f in bank.filters],
                    resets=bank.resets)
        steps.append(step)
    return steps


def make(g):
    for run in g["runs"]:
        run["models"] = [(*m, run["noise"] * level) for level in g["options"]["mult"] for m in MODELS]
        run["steps"] = play(run)
