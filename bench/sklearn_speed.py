# SPDX-License-Identifier: MIT
"""scikit-learn's side of compare_speed.sh: GaussianProcessRegressor on what bench_speed wrote to a directory.

Usage: sklearn_speed.py WORK DIR [STEP...]. With steps given only these are done, with the arms that the library played
before them, and the time of the whole run is the integral of the line through theirs. Prints processor seconds, how many
choices were compared and how many of them are the library's (w8: the largest difference)."""
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern

work, directory = sys.argv[1:3]
EPSILON, FAR = 0.03, 1e9


def load(name, **options):
    return np.loadtxt(f"{directory}/{name}.csv", **options)


def regressor():
    """The time of tv-gp-ucb is a third coordinate: (1 - epsilon)^(dt / 2) is exp(-dt / length)."""
    if work == "w2":
        length = -2 / np.log1p(-EPSILON)
        kernel = RBF([0.2, 0.2, FAR]) * Matern([FAR, FAR, length], nu=0.5)
    else:
        kernel = RBF(0.8 if work == "w8" else 0.2)
    return GaussianProcessRegressor(kernel=kernel, alpha=0.01, optimizer=None)


def play():
    arms, noise = load("arms", delimiter=","), load("noise")
    played = load("tvgp").astype(int)
    X, value = np.ascontiguousarray(arms[:, :2]), arms[:, 2]
    outcomes = value[played] + noise
    steps = [int(s) for s in sys.argv[3:]] or range(1, len(played) + 1)
    gp, seconds, same = regressor(), [], 0
    for t in steps:  # the choice of step t from the t - 1 answers before it
        first = max(0, t - 1 - 100) if work == "w3" else 0
        seen, at = X[played[first : t - 1]], X
        if work == "w2":
            seen = np.column_stack([seen, np.arange(1, t)])
            at = np.column_stack([X, np.full(len(X), t)])
        start = time.process_time()
        if t > 1:
            gp.fit(seen, outcomes[first : t - 1])
        mean, sd = gp.predict(at, return_std=True)
        choice = int(np.argmax(mean + 2 * sd))
        seconds.append(time.process_time() - start)
        same += choice == played[t - 1]
    total = np.sum(seconds)
    if len(steps) < len(played):
        total = np.trapz(np.interp(np.arange(len(played)), steps, seconds))
    print(f"{total:.6f} {len(steps)} {same}")


def predict():
    X, Z, y = load("X", delimiter=","), load("Z", delimiter=","), load("y")
    start = time.process_time()
    mean, sd = regressor().fit(X, y).predict(Z, return_std=True)
    seconds = time.process_time() - start
    print(f"{seconds:.6f} {len(Z)} {np.abs(np.concatenate([mean, sd**2]) - load('tvgp')).max():.1e}")


predict() if work == "w8" else play()
