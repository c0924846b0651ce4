# SPDX-License-Identifier: MIT
"""scikit-learn's Gaussian process regression on the benchmark's numeric arms: sklearn_zoo.py [RUNS [PROBLEM ..]]

The peer has the information of auto-gp-ucb with default settings: coordinates of the arms, times and outcomes. Time is a coordinate of
its kernel. It keeps a window of the last outcomes, fits all hyperparameters to them, and asks the arm with the highest mean +
coefficient x sd. Prints a CSV file: for each problem the regret relative to uniform play of auto-gp-ucb and tv-gp-ucb, and of the
peer with each setting, of which the pages show the best in hindsight. Seeds are 1 .. RUNS, which are the seeds of bench/zoo.sh."""
import csv
import sys
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from tvgp import zoo

PROBLEMS = ("ou", "smooth", "redrawn", "jumps", "swing", "waves")
SETTINGS = ((100, 0.5), (200, 0.25), (200, 0.5), (200, 1), (400, 0.5))  # a run has 400 steps


class Player:
    """Regression on the last `window` outcomes, whose hyperparameters are fitted again whenever a quarter of them is new."""

    def __init__(self, problem, window=200, coefficient=0.5):
        self.x, self.window, self.coefficient, self.new = np.array(problem.points), window, coefficient, 0
        self.seen, self.values, self.chance = [], [], np.random.default_rng(problem.seed)
        span = np.ptp(self.x, axis=0).max()
        dim = self.x.shape[1]
        lengthscales = RBF([0.2 * span] * dim + [50.0], [(0.02 * span, 10 * span)] * dim + [(1.0, 1e4)])
        self.kernel = ConstantKernel(1.0, (1e-2, 1e2)) * lengthscales + WhiteKernel(0.1, (1e-4, 1e1))

    def ask(self, t, available):
        if len(self.values) < 5:
            return int(self.chance.choice(available))
        learns = 4 * self.new >= len(self.values)
        gp = GaussianProcessRegressor(self.kernel, optimizer="fmin_l_bfgs_b" if learns else None, normalize_y=True,
                                      n_restarts_optimizer=1, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a hyperparameter at its bound
            gp.fit(self.seen, self.values)
        if learns:
            self.kernel, self.new = gp.kernel_, 0
        mean, sd = gp.predict(np.column_stack([self.x[available], np.full(len(available), t)]), return_std=True)
        noise = gp.kernel_.get_params()["k2__noise_level"] * np.var(self.values)
        return int(available[np.argmax(mean + self.coefficient * np.sqrt(np.maximum(sd**2 - noise, 0)))])

    def tell(self, t, asked, y):
        self.seen = [*self.seen, [*self.x[asked], t]][-self.window:]
        self.values = [*self.values, y][-self.window:]
        self.new += 1


def peer(setting):
    make = lambda problem: Player(problem, *setting)
    make.__name__ = "scikit-learn window={} coefficient={}".format(*setting)
    return make


def main(runs=3, *problems):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["problem", "size", "algorithm", "runs", "share", "error"])
    for problem in problems or PROBLEMS:
        for agent in (zoo.PolicyAgent("auto-gp-ucb"), zoo.PolicyAgent("tv-gp-ucb"), *map(peer, SETTINGS)):
            row = zoo.play(problem, agent, runs=int(runs))
            out.writerow([problem, row.settings, row.agent, row.runs, f"{row.share:.4f}", f"{row.error:.4f}"])
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
