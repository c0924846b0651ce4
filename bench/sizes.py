# SPDX-License-Identifier: MIT
"""Processor time of ask and tell where policies are large or wait, and of two peers that are cheaper, as CSV: sizes.py BUILD [SCENE ..]

pending: an ask while queries wait for their outcomes. dimensions: boxes of 2 and 6 coordinates, 700 outcomes. arms: 10^5 and 10^6 arms.
constraints: none, one and two, on arms and on a box. peers: on 49 and 225 arms, CMA-ES of DEAP (the package python3-deap), which has no
model, and an exact Kalman filter in NumPy to which every parameter is supplied. Times include some 4 microseconds of the Python package."""
import csv
import ctypes
import math
import os
import pathlib
import sys
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", TVGP_LIBRARY=str(BUILD / "libtvgp.so"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "src/bindings/python"))
import numpy as np  # noqa: E402
import tvgp  # noqa: E402

out = csv.DictWriter(sys.stdout, ["scene", "size", "policy", "us_first", "us_median", "us_p99", "bytes"], lineterminator="\n")


def reward(x, t):
    return math.sin(6 * x[0] + t / 150) * math.cos(5 * x[1] - t / 210) - sum((v - 0.5) ** 2 for v in x[2:])


def square(side):
    return tvgp.grid([0, 0], [1, 1], [side, side])


def bytes_of(policy):
    held = ctypes.c_size_t()
    policy._ctx.call("tvgp_ctx_memory", policy._ctx.handle, ctypes.byref(held))
    return held.value


def row(scene, size, name, seconds, held):
    """The first step, then median and 99th hundredth of the later two thirds."""
    late = sorted(seconds[len(seconds) // 3:])
    times = (seconds[0], late[len(late) // 2], late[len(late) * 99 // 100])
    out.writerow(dict(zip(out.fieldnames, [scene, size, name, *(f"{1e6 * s:.1f}" for s in times), held])))
    sys.stdout.flush()


def play(scene, size, policy, steps, pending=None, outputs=0):
    """The time of ask and tell; with `pending` queries that wait, of ask alone. An output of a constraint is the reward at the opposite point."""
    noise, waiting, seconds = np.random.default_rng(1), [], []
    for t in range(1, steps + 1):
        start = time.process_time()
        waiting.append(policy.ask(t))
        spent = time.process_time() - start
        if len(waiting) > (pending or 0):
            query = waiting.pop(0)
            y = [reward(query.x, t), *[reward([1 - v for v in query.x], t + 99 * i) for i in range(outputs)]] + .1 * noise.standard_normal(1 + outputs)
            start = time.process_time()
            policy.tell_values(query, y) if outputs else policy.tell(query, y[0])
            spent += time.process_time() - start if pending is None else 0
        seconds.append(spent)
    row(scene, size, policy.name, seconds, bytes_of(policy))


def pending():
    for waiting in (0, 1, 4, 16, 32):
        play("pending, 225 arms, no kernel", waiting, tvgp.Policy("auto-gp-ucb", square(15)), 400, waiting)
        play("pending, 1024 arms, kernel", waiting, tvgp.Policy("tv-gp-ucb", square(32), tvgp.se(.2, dim=2)), 400, waiting)


def dimensions():
    for dim in (2, 6):
        for name in ("gp-ucb", "tv-gp-ucb", "auto-gp-ucb"):
            play("box, kernel", f"{dim} coordinates", tvgp.Policy(name, tvgp.box([0] * dim, [1] * dim), tvgp.se(.2 * math.sqrt(dim / 2), dim=dim)), 700)


def arms():
    for side, steps in ((316, 150), (1000, 60)):
        for name in ("tv-gp-ucb", "auto-gp-ucb"):
            play("kernel", f"{side * side} arms", tvgp.Policy(name, square(side), tvgp.se(.2, dim=2)), steps)
    play("no kernel", "99856 arms", tvgp.Policy("auto-gp-ucb", square(316)), 60)


def constraints():
    for where, domain, name, steps in (("100 arms", square(10), "tv-gp-ucb", 400), ("10000 arms", square(100), "tv-gp-ucb", 200),
                                       ("box, rows.limit 512", tvgp.box([0, 0], [1, 1]), "tv-gp-ucb", 400)):
        for outputs in range(3):
            limit = {"rows.limit": 512} if "box" in where else {}
            policy = tvgp.Policy(name, domain, tvgp.se(.2, dim=2), **limit)
            for _ in range(outputs):
                policy.add_constraint(policy.model(name, tvgp.se(.2, dim=2), **limit), at_most=.8)
            if outputs:
                policy.set_safe([[0, 0]])
            play(f"constraints, {where}", outputs, policy, steps, outputs=outputs)


class Kalman:
    """All arms with their covariance: f <- sqrt(1 - epsilon) f + sqrt(epsilon) g, exact, width 2."""

    def __init__(self, X, lengthscale=.2, epsilon=.01, noise=.01):
        self.prior = np.exp(-((X[:, None] - X) ** 2).sum(-1) / (2 * lengthscale * lengthscale))
        self.P, self.m, self.epsilon, self.noise = self.prior.copy(), np.zeros(len(X)), epsilon, noise

    def ask(self):
        self.m *= math.sqrt(1 - self.epsilon)
        self.P *= 1 - self.epsilon
        self.P += self.epsilon * self.prior
        return int(np.argmax(self.m + 2 * np.sqrt(np.diag(self.P))))

    def tell(self, arm, y):
        column = self.P[:, arm].copy()
        s = column[arm] + self.noise
        self.m += column * ((y - self.m[arm]) / s)
        self.P -= np.outer(column, column / s)


def by_hand(side, steps):
    X = np.stack(np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side)), -1).reshape(-1, 2)
    noise, filters, seconds = np.random.default_rng(1), Kalman(X), []
    for t in range(1, steps + 1):
        start = time.process_time()
        arm = filters.ask()
        asked = time.process_time()
        y = reward(X[arm], t) + .1 * noise.standard_normal()
        begun = time.process_time()
        filters.tell(arm, y)
        seconds.append(asked - start + time.process_time() - begun)
    row("peers", f"{side * side} arms", "Kalman filter in NumPy, parameters supplied", seconds, 16 * len(X) ** 2)


def evolution(steps):
    from deap import base, cma, creator
    creator.create("Fitness", base.Fitness, weights=(1.0,))
    creator.create("Point", list, fitness=creator.Fitness)
    np.random.seed(1)
    strategy, seconds = cma.Strategy([.5, .5], .2), []
    for t in range(steps // strategy.lambda_):
        start = time.process_time()
        points = strategy.generate(creator.Point)
        asked = time.process_time()
        for point in points:
            point.fitness.values = (reward(point, t * strategy.lambda_),)
        begun = time.process_time()
        strategy.update(points)
        seconds.append((asked - start + time.process_time() - begun) / strategy.lambda_)
    row("peers", "box, 2 coordinates", "CMA-ES of DEAP, a point", seconds, "")


def peers():
    for side in (7, 15):
        play("peers", f"{side * side} arms", tvgp.Policy("auto-gp-ucb", square(side)), 400)
        play("peers", f"{side * side} arms", tvgp.Policy("tv-gp-ucb", square(side), tvgp.se(.2, dim=2), epsilon=.01), 400)
        by_hand(side, 400)
    play("peers", "box, 2 coordinates", tvgp.Policy("auto-gp-ucb", tvgp.box([0, 0], [1, 1])), 400)
    evolution(400)


out.writeheader()
for scene in sys.argv[2:] or ["pending", "dimensions", "arms", "constraints", "peers"]:
    {f.__name__: f for f in (pending, dimensions, arms, constraints, peers)}[scene]()
