# SPDX-License-Identifier: MIT
"""Numbers of the papers' experiments by the reference implementation, for bench/results.py.

constants.py [--runs=N] FILE [JOB ..]   computes the jobs that have fewer runs in the CSV FILE, at most N runs of each; an hour for all
constants.py --check FILE JOB ..        computes jobs again and compares

Definitions are of the papers and bench/exp_*.c. Run r of a job uses numpy's default_rng((SEED, crc32(job), r)); the seed was fixed
before the first run. The files of data are those of bench/reproduce.sh (TVGP_DATA_DIR)."""
import csv
import os
import pathlib
import sys
import time
import zlib

import numpy as np

import kdpp
import priors
import schedules
from kernels import kernel

SEED = 61
COLUMNS = ["experiment", "policy", "number", "runs", "mean", "error", "p5", "median", "p95", "seconds"]
log_width = lambda c1=0.4, c2=4.0: lambda t, m: np.sqrt(max(0, schedules.log_beta(t, c1, c2)))


class Exact:
    """The posterior of all arms: Cholesky rows U, so that var = k - diag(U'U); forgetting shrinks what is known."""

    def __init__(self, K, noise, mean=0.0, shrink=1.0):
        self.K, self.noise, self.prior, self.shrink = K, noise, mean, shrink
        self.clear()

    def clear(self):
        self.U, self.n = np.empty((16, len(self.K))), 0
        self.shift, self.var, self.log_det = np.zeros_like(self.prior + np.zeros(len(self.K))), np.diag(self.K).copy(), 0.0

    def pass_time(self):
        if self.shrink < 1:
            self.U[:self.n] *= self.shrink
            self.shift *= self.shrink
            self.var = np.diag(self.K) - self.shrink**2 * (np.diag(self.K) - self.var)

    def moments(self):
        return self.prior + self.shift, np.sqrt(np.maximum(self.var, 0))

    def observe(self, x, y, noise=None):
        noise = self.noise if noise is None else noise
        g = self.K[x] - self.U[:self.n, x] @ self.U[:self.n]
        S = max(g[x], 0) + noise
        e = y - (self.prior + self.shift)[..., x]
        self.shift = self.shift + np.multiply.outer(e, g) / S
        self.var = self.var - g * g / S
        self.log_det += np.log(S / noise)
        if self.n == len(self.U):
            self.U = np.vstack([self.U, np.empty_like(self.U)])
        self.U[self.n] = g / np.sqrt(S)
        self.n += 1
        return e, S


def first_best(score):
    """The smallest index within a relative 1e-12 of the best: far from all data, scores of arms differ by round-off alone."""
    most = np.max(score)
    return int(np.argmax(score >= most - 1e-12 * abs(most)))


class Player:
    """gp-ucb and tv-gp-ucb; `every`: r-gp-ucb; `delta`: et-gp-ucb."""

    def __init__(self, K, noise, width, epsilon=0.0, every=0, delta=0.0, mean=0.0):
        self.model = Exact(K, noise, mean, np.sqrt(1 - epsilon))
        self.width, self.every, self.delta, self.since, self.resets, self.first = width, every, delta, 0, 0, None

    def ask(self, t, available=None):
        if self.every and t > 1 and (t - 1) % self.every == 0:
            self.model.clear()
        if t > 1:
            self.model.pass_time()
        mean, sd = self.model.moments()
        score = mean + self.width(t, self.model) * sd
        x = first_best(score if available is None else np.where(available, score, -np.inf))
        self.seen = mean[x], sd[x]
        return x

    def tell(self, t, x, y):
        mean, sd = self.seen
        if self.delta:
            self.since += 1
            if abs(y - mean) > np.sqrt(schedules.et_rho(self.since, self.delta)) * sd + schedules.et_wbar(
                    self.since, self.delta, self.model.noise):
                self.model.clear()
                self.since, self.resets = 0, self.resets + 1
                self.first = self.first or t
        self.model.observe(x, y)


class Refit(Player):
    """Policies whose data or noise change at every step: data(t) gives (arm, y, noise) of the observations in use."""

    def __init__(self, K, noise, width, window=0, decay=0.0, growth=0.0):
        super().__init__(K, noise, width)
        self.window, self.decay, self.growth, self.log = window, decay, growth, []

    def data(self, t):
        if self.window:
            return self.log[-self.window:]
        ages = np.arange(len(self.log))[::-1]  # from the newest
        noise = self.model.noise * self.decay**-ages if self.decay else self.model.noise + self.growth * (ages + 1)
        return [(x, y, v) for (x, y, _), v in zip(self.log, noise)]

    def ask(self, t, available=None):
        data = self.data(t)
        self.model.clear()
        if data:
            x, y, noise = (np.array([d[i] for d in data]) for i in range(3))
            L = np.linalg.cholesky(self.model.K[np.ix_(x, x)] + np.diag(noise))
            U = np.linalg.solve(L, self.model.K[x])
            self.model.shift = U.T @ np.linalg.solve(L, y)
            self.model.var = np.diag(self.model.K) - np.einsum("na,na->a", U, U)
            self.model.log_det = 2 * np.sum(np.log(np.diag(L))) - np.sum(np.log(noise))
        mean, sd = self.model.moments()
        return first_best(mean + self.width(t, self.model) * sd)

    def tell(self, t, x, y):
        self.log.append((x, y, self.model.noise))


class Expert(Refit):
    """sparq-gp-ucb (alpha 0; own: outcomes of actions too) and w-sparq-gp-ucb, with 20 swaps of the k-DPP a round."""

    def __init__(self, K, noise, width, expert, rng, alpha=0.0, own=True, steps=500):
        super().__init__(K, noise, width)
        self.expert, self.rng, self.alpha, self.own, self.asked, self.answers = expert, rng, alpha, own, 0, []
        self.starts = set(schedules.starts(fraction(alpha), (1, 4), steps)) if alpha else set(range(1, steps + 1))

    def data(self, t):
        noise = self.model.noise
        if self.alpha:  # ages from the newest observation
            return [(x, y, noise * (1 + (t - 1 - s) ** self.alpha)) for x, y, s in self.answers]
        ages = np.arange(len(self.log)) if self.own else []
        mine = [(*self.log[-1 - a][:2], noise * (1 + a * a)) for a in ages[:50] if 1 + a * a <= np.log(max(t - 1, 1))]
        return [(x, y, noise) for x, y, _ in self.answers] + mine

    def tell(self, t, x, y):
        super().tell(t, x, y)
        if t not in self.starts:
            if self.alpha:
                self.answers.append((x, y, t))
            return
        ground = list(dict.fromkeys(entry[0] for entry in self.log))
        K = self.model.K[np.ix_(ground, ground)] + 1e-9 * np.eye(len(ground))
        Q = min(len(ground), max(1, int(np.ceil(6 * np.log(t)))))
        chosen = sorted(kdpp.greedy(K, Q))
        for u in self.rng.random((20 if Q < len(ground) else 0, 3)):
            chosen = kdpp.swap(K, chosen, u)
        self.asked += len(chosen)
        self.answers = [(ground[i], self.expert(ground[i], t), t) for i in chosen]


def fraction(alpha):
    return {2.0: (2, 1), 1.0: (1, 1), 0.5: (1, 2)}[alpha]


def play(player, F, noise, rng, steps=None):
    """Regret of each step on a table F (steps x arms); not a number: the arm is not available."""
    regret = []
    for t, f in enumerate(F, 1):
        open_ = np.isfinite(f)
        x = player.ask(t) if open_.all() else player.ask(t, open_)
        regret.append(np.nanmax(f) - f[x])
        player.tell(t, x, f[x] + np.sqrt(noise) * rng.standard_normal())
    return np.array(regret)


# ---- E1: within the model -------------------------------------------------------------------------------------------


def square(side):
    """The factor of a side's Gram matrix, and the Gram matrix of the square: SE, lengthscale .2."""
    line = kernel("se", np.linspace(0, 1, side)[:, None], np.linspace(0, 1, side)[:, None], 0.2)
    values, vectors = np.linalg.eigh(line)
    return vectors * np.sqrt(np.maximum(values, 0)), np.kron(line, line)


def drifting(root, epsilon, steps, rng):
    f = None
    for _ in range(steps):
        g = (root @ rng.standard_normal((len(root),) * 2) @ root.T).ravel()
        f = g if f is None else np.sqrt(1 - epsilon) * f + np.sqrt(epsilon) * g
        yield f


def within(epsilon, told, policies, shared=[]):
    shared = shared or square(50)

    def one(rng):
        root, K = shared
        F, out = np.array(list(drifting(root, epsilon, 400, rng))), {}
        noise = rng.integers(2**62)
        for name in policies:
            kind, _, delta = name.partition(" trigger.delta=")
            extra = {"tv-gp-ucb": {"epsilon": told}, "r-gp-ucb": {"every": schedules.rgp_N(400, told)}}.get(kind, {})
            player = Player(K, 0.02, log_width(), delta=float(delta or 0.1) if kind == "et-gp-ucb" else 0, **extra)
            out[name, "regret"] = np.sum(play(player, F, 0.02, np.random.default_rng(noise)))
            if kind == "et-gp-ucb":
                out[name, "resets"] = player.resets
        return out
    return one


def first_reset(epsilon):
    root, K = square(30)

    def one(rng):
        player, t = Player(K, 0.02, log_width(), delta=0.1), 0
        for t, f in enumerate(drifting(root, epsilon, 200, rng), 1):
            x = player.ask(t)
            player.tell(t, x, f[x] + np.sqrt(0.02) * rng.standard_normal())
            if player.resets:
                return {("et-gp-ucb", "first"): t}
        return {("et-gp-ucb", "first"): t + 1}
    return one


# ---- E2, E3: an expert ----------------------------------------------------------------------------------------------


def logdet(bound):
    return lambda t, model: bound + np.sqrt(2 * np.log(2 / 0.05) + model.log_det)


def swing():
    x, t = np.linspace(-50, 50, 501), np.arange(1, 501)[:, None]
    F = np.exp(-0.05 * (x - 5 * np.sin(0.1 * t)) ** 2) + 0.5 * np.cos(0.2 * x) + 1.5
    return F, kernel("se", x[:, None], x[:, None], 7.4, 1.5), 5.05


def waves():
    x, c, t = np.linspace(-50, 50, 101), np.linspace(-50, 50, 20), np.arange(1, 501)[:, None]
    k = lambda a, b: kernel("se", a[:, None], b[:, None], 3.0, 0.5)
    u = np.sin(0.3 * t + np.arange(1, 21))
    F = 5 / np.linalg.eigvalsh(k(c, c))[-1] * (u / np.linalg.norm(u, axis=1)[:, None]) @ k(c, x)
    return F, k(x, x), 5.0


def expert(problem, policies):
    F, K, B = problem()
    best, constant = np.max(F, axis=1), int(np.argmax(np.sum(F, axis=0)))

    def one(rng):
        out = {("best constant arm", "average_regret"): np.mean(best - F[:, constant]),
               ("random", "average_regret"): np.mean(best[:, None] - F)}
        for name in policies:
            kind, *options = name.split()
            o = dict(option.split("=") for option in options)
            number = lambda key: float(o.get(key, 0))
            answer = lambda x, t: F[t - 1][x] + 0.1 * rng.standard_normal()
            if "sparq" in kind:
                player = Expert(K, 0.01, logdet(B), answer, rng, number("alpha"), "side.action_outcomes" not in o)
            elif kind in ("sw-gp-ucb", "w-gp-ucb"):
                player = Refit(K, 0.01, logdet(B), int(number("window")), number("decay"))
            else:
                player = Player(K, 0.01, log_width(0.8) if o.get("width.schedule") else logdet(B), number("epsilon"),
                                int(number("reset.every")))
            regret = play(player, F, 0.01, rng)
            out[name, "average_regret"], out[name, "last_100"] = np.mean(regret), np.mean(regret[-100:])
            if "sparq" in kind:
                out[name, "side.asked"] = player.asked
        return out
    return one


# ---- E4: priors -----------------------------------------------------------------------------------------------------


def hills(T, lengthscale):
    x, places = np.linspace(0, 1, 101), np.linspace(0, 1, 10)
    K = kernel("se", x[:, None], x[:, None], lengthscale, 0.25)
    root = np.linalg.cholesky(K + 1e-10 * np.eye(len(x)))
    bumps = np.exp(-0.5 * ((x[:, None] - places) / 0.02) ** 2)
    means = np.array([bumps.sum(axis=1) + (bumps[:, p - 1] if p else 0) for p in range(11)])
    closed = np.abs(x - places[1]) <= 0.05

    def one(rng):
        f = means[2] + root @ rng.standard_normal(len(x))
        F = np.array([np.where(closed & (t % 2 == 0), np.nan, f) for t in range(1, T + 1)])
        out = {("random", "regret"): np.sum(np.nanmax(F, axis=1) - np.nanmean(F, axis=1))}
        width = lambda t, m=None: schedules.pe_width_A(t, T, len(x), priors.DELTA)
        out["gp-ucb", "regret"] = np.sum(play(Player(K, priors.NOISE, width, mean=means[2]), F, priors.NOISE, rng))
        for name, rule in (("pe-gp-ucb", "PE"), ("mle-gp-ucb", "MLE"), ("fb-gp-ucb", "FullyBayes"),
                           ("rb-gp-ucb rb.rule=printed", "RegretBalancing")):
            out[name, "regret"] = np.sum(play(Priors(K, means, rule, width), F, priors.NOISE, rng))
        return out
    return one


class Priors:
    """All priors have one covariance, so they share the Cholesky rows."""

    def __init__(self, K, means, rule, width):
        self.model, self.rule, self.width, self.lml = Exact(K, priors.NOISE, means), rule, width, np.zeros(len(means))
        self.state = {"alive": list(range(len(means))), "removed": [],
                      **{k: [[] for _ in means] for k in ("eta", "wide", "y")}}

    def ask(self, t, available=None):
        mean, sd = self.model.moments()
        ucb, alive = mean + self.width(t) * sd, self.state["alive"]
        ucb = ucb if available is None else np.where(available, ucb, -np.inf)
        if self.rule == "PE":
            x, p, _, _ = priors.pick(ucb, alive)
        elif self.rule == "FullyBayes":
            w = np.exp(self.lml - np.max(self.lml))
            x, p = int(np.argmax(w / np.sum(w) @ np.where(np.isfinite(ucb), ucb, -1e9))), int(np.argmax(w))
        else:
            p = int(np.argmax(self.lml)) if self.rule == "MLE" else min(alive, key=lambda q: (len(self.state["y"][q]), q))
            x = int(np.argmax(ucb[p]))
        self.turn = p, mean[p, x], self.width(t) * sd[x]
        return x

    def tell(self, t, x, y):
        p, mean, wide = self.turn
        for key, value in (("eta", y - mean), ("wide", wide), ("y", y)):
            self.state[key][p].append(value)
        if self.rule == "PE":
            priors.eliminate_pe(self.state, t, p, {}, len(self.lml))
        elif self.rule == "RegretBalancing":
            priors.eliminate_rb(self.state, t, len(self.lml))
        e, S = self.model.observe(x, y)
        self.lml -= 0.5 * (np.log(2 * np.pi * S) + e * e / S)


# ---- E5: sensors ----------------------------------------------------------------------------------------------------


def sensors(_, c2=0.4):
    path = pathlib.Path(os.environ.get("TVGP_DATA_DIR", "../shared/data"), "intel_temp_8day_46.csv")
    with open(path, encoding="utf-8") as f:
        rows = np.array([[float(v) if v else np.nan for v in row[1:]] for row in list(csv.reader(f))[1:]])
    mean, sd = np.nanmean(rows[:864]), np.nanstd(rows[:864])
    rows = (rows - mean) / sd
    K, F = np.cov(rows[:864].T), rows[864:1152]
    width = log_width(0.8, c2)
    players = {"tv-gp-ucb": Player(K, 0.01, width, epsilon=0.03), "r-gp-ucb": Player(K, 0.01, width, every=15),
               "et-gp-ucb": Player(K, 0.01, width, delta=0.1), "gp-ucb": Player(K, 0.01, width),
               "ui-gp-ucb": Refit(K, 0.01, width, growth=0.03),
               "sw-gp-ucb window=15 width.schedule=log": Refit(K, 0.01, width, window=15),
               "w-gp-ucb decay=0.97 width.schedule=log": Refit(K, 0.01, width, decay=0.97)}
    out = {(name, "regret"): np.sum(play(p, F, 0.0, np.random.default_rng(0))) for name, p in players.items()}
    out["et-gp-ucb", "resets"] = players["et-gp-ucb"].resets
    best = np.max(F, axis=1)
    out["best constant arm", "regret"] = np.sum(best - F[:, int(np.argmax(np.sum(F, axis=0)))])
    out["random", "regret"] = np.sum(best[:, None] - F) / F.shape[1]
    return {**out, **{(name, "regret_celsius"): v * sd for (name, what), v in out.items() if what == "regret"}}


DELTAS = [f"et-gp-ucb trigger.delta={d}" for d in (0.005, 0.01, 0.05, 0.1, 0.5)]
SIDE = "side.round_exponent=1"
JOBS = {  # name: (runs, function of nothing that gives a function of a generator)
    "sensors": (1, lambda: sensors),
    "sensors-c2-4": (1, lambda: lambda rng: sensors(rng, 4.0)),
    "hills-100": (1000, lambda: hills(100, 1.0)),
    "hills-250": (1000, lambda: hills(250, 1.0)),
    "hills-short": (1000, lambda: hills(100, 0.1)),
    "misspecified": (300, lambda: within(0.05, 0.001, ["tv-gp-ucb", "r-gp-ucb", "et-gp-ucb"])),
    **{f"within-{e}": (300, lambda e=e: within(e, e, ["tv-gp-ucb", *DELTAS, "r-gp-ucb", "gp-ucb"])) for e in (0.01, 0.03, 0.05)},
    "wsparq": (100, lambda: expert(waves, [f"sparq-gp-ucb {SIDE} kdpp.steps=20", *(
        f"w-sparq-gp-ucb {SIDE} alpha={a} kdpp.steps=20" for a in (2, 1, 0.5)), "gp-ucb",
        "sw-gp-ucb window=55", "tv-gp-ucb epsilon=0.01", "tv-gp-ucb epsilon=0.03", "r-gp-ucb reset.every=55",
        "r-gp-ucb reset.every=22"])),
    "sparq": (40, lambda: expert(swing, [f"sparq-gp-ucb {SIDE}", f"sparq-gp-ucb {SIDE} side.action_outcomes=excluded", "gp-ucb",
                                         "tv-gp-ucb epsilon=0.01 width.schedule=log", "r-gp-ucb reset.every=64",
                                         "r-gp-ucb reset.every=4", "sw-gp-ucb window=64", "w-gp-ucb decay=0.984"])),
    "first-reset-0.03": (20000, lambda: first_reset(0.03)),
    "first-reset-0.1": (20000, lambda: first_reset(0.1)),
}


def rows(job, runs):
    """One row for each policy and number: mean, standard error (0: no chance), quantiles."""
    start, values, one = time.process_time(), {}, JOBS[job][1]()
    for r in range(runs):
        for key, value in one(np.random.default_rng((SEED, zlib.crc32(job.encode()), r))).items():
            values.setdefault(key, []).append(float(value))
    for (policy, number), v in values.items():
        error = np.std(v, ddof=1) / np.sqrt(runs) if runs > 1 else 0.0
        quantiles = [f"{q:g}" for q in np.quantile(v, (0.05, 0.5, 0.95))]
        yield dict(zip(COLUMNS, [job, policy, number, f"{runs}", f"{np.mean(v):.6g}", f"{error:.3g}", *quantiles,
                                 f"{time.process_time() - start:.0f}"]))


def recorded(path):
    """{job: its rows} of the file."""
    found = {}
    if path.exists():
        with open(path, encoding="utf-8") as f:
            for row in csv.DictReader(line for line in f if not line.startswith("#")):
                found.setdefault(row["experiment"], []).append(row)
    return found


def check(path, jobs):
    """Computes jobs again: the same digits on the same machine, within a standard error elsewhere."""
    wrong = 0
    for job in jobs:
        old = recorded(path)[job]
        for now, then in zip(rows(job, int(old[0]["runs"])), old):
            if abs(float(now["mean"]) - float(then["mean"])) > float(then["error"]) + 1e-6 * abs(float(then["mean"])):
                print(f"{now}, recorded {then}")
                wrong += 1
    return wrong


def main():
    options = dict(a.lstrip("-").partition("=")[::2] for a in sys.argv[1:] if a.startswith("--"))
    path, *jobs = [a for a in sys.argv[1:] if not a.startswith("--")]
    path = pathlib.Path(path)
    if "check" in options:
        sys.exit(check(path, jobs) > 0)
    for job in jobs or JOBS:
        runs, there = min(JOBS[job][0], int(options.get("runs", JOBS[job][0]))), recorded(path)
        if job in there and int(there[job][0]["runs"]) >= runs:
            continue
        there[job] = list(rows(job, runs))
        with open(path, "w", newline="", encoding="utf-8") as f:
            f.write(f"# tests/ref/constants.py, seed {SEED}, NumPy {np.__version__}, {time.strftime('%Y-%m-%d')}\n")
            table = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(row for name in JOBS if name in there for row in there[name])
        print(f"{job}: {runs} runs, {there[job][-1]['seconds']} s", flush=True)


if __name__ == "__main__":
    main()
