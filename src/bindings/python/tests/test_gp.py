# SPDX-License-Identifier: MIT
"""GP and kdpp_sample against numbers that NumPy computed (gp.json, made by tests/ref/gp_vectors.py), scikit-learn where it is
installed, and the exact probabilities of a k-DPP."""
import collections
import copy
import json
import pathlib
import unittest

import tvgp

try:
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels
except ImportError:
    np = None

VECTORS = json.loads((pathlib.Path(__file__).parent / "gp.json").read_text(encoding="utf-8"))


def kernel_of(case):
    make = {"se": tvgp.se, "matern": tvgp.matern}[case["kernel"]]
    return make(case["lengthscale"], variance=case["variance"])


def fitted(case):
    gp = tvgp.GP(kernel_of(case), noise=case["noise"])
    gp.add(case["x"], case["y"])
    return gp


class Regression(unittest.TestCase):
    def near(self, found, wanted, places=1e-9):
        found, wanted = list(found), list(wanted)
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            self.assertLess(abs(a - b), places)

    def test_golden_vectors(self):
        for case in VECTORS["regression"]:
            gp = fitted(case)
            mean, var = gp.predict(case["at"])
            joint, covariance = gp.predict_covariance(case["at"])
            self.near(mean, case["mean"])
            self.near(joint, case["mean"])
            self.near(var, [row[i] for i, row in enumerate(case["covariance"])])
            for row, wanted in zip(covariance, case["covariance"]):
                self.near(row, wanted)
            self.assertAlmostEqual(gp.log_marginal_likelihood(), case["log_marginal_likelihood"], places=9)

    @unittest.skipIf(np is None, "needs scikit-learn")
    def test_scikit_learn(self):
        for case in VECTORS["regression"]:
            form = (kernels.RBF(case["lengthscale"]) if case["kernel"] == "se" else kernels.Matern(case["lengthscale"], nu=2.5)) * case["variance"]
            theirs = GaussianProcessRegressor(form, alpha=case["noise"], optimizer=None).fit(case["x"], case["y"])
            mean, covariance = theirs.predict(case["at"], return_cov=True)
            ours, joint = fitted(case).predict_covariance(case["at"])
            self.near(ours, mean)
            self.near(np.ravel(joint), covariance.ravel())
            self.assertAlmostEqual(fitted(case).log_marginal_likelihood(), theirs.log_marginal_likelihood_value_, places=9)

    def test_gradients_are_differences(self):
        case, h = VECTORS["regression"][1], 1e-6
        gp = fitted(case)
        mean, var, dmean, dvar = gp.predict_gradient(case["at"])
        self.near(mean, case["mean"])
        for i, point in enumerate(case["at"]):
            for d in range(2):
                sides = [[v + (s * h if k == d else 0) for k, v in enumerate(point)] for s in (1, -1)]
                (up, down), (wide, narrow) = gp.predict(sides)
                self.assertLess(abs(dmean[i][d] - (up - down) / (2 * h)), 1e-6)
                self.assertLess(abs(dvar[i][d] - (wide - narrow) / (2 * h)), 1e-6)
        self.assertEqual(len(var), 5)

    def test_draws(self):
        case = VECTORS["regression"][2]
        gp = fitted(case)
        draws = gp.sample(case["at"], draws=20000, seed=3)
        for i, wanted in enumerate(case["mean"]):
            self.assertLess(abs(sum(f[i] for f in draws) / 20000 - wanted), 5 * (case["covariance"][i][i] / 20000) ** .5)
        product = sum((f[0] - case["mean"][0]) * (f[1] - case["mean"][1]) for f in draws) / 20000
        self.assertLess(abs(product - case["covariance"][0][1]), .002)
        self.assertEqual([list(f) for f in gp.sample(case["at"], draws=2, seed=3)], [list(f) for f in draws[:2]])
        self.assertNotEqual(list(gp.sample(case["at"], seed=4)[0]), list(draws[0]))

    def test_saved(self):
        case = VECTORS["regression"][1]
        gp = tvgp.GP(kernel_of(case), tvgp.forgetting(.1), noise=case["noise"])
        gp.set_prior_mean(1.0, [.5, -1])
        gp.add(case["x"], case["y"], t=range(12))
        gp.drop(2)
        for again in (tvgp.GP.restore(gp.save()), copy.deepcopy(gp)):
            self.assertEqual((len(again), again.dim), (10, 2))
            self.assertEqual([list(part) for part in again.predict(case["at"], 20)], [list(part) for part in gp.predict(case["at"], 20)])
            self.assertEqual(again.parameters(), gp.parameters())
        self.assertEqual(gp.parameters()["intercept"], 1)
        with self.assertRaises(tvgp.Error):
            tvgp.GP.restore(gp.save()[:-1])

    def test_fit_improves(self):
        gp = fitted(VECTORS["regression"][0])
        before = gp.log_marginal_likelihood()
        gp.fit(100)
        self.assertNotEqual(gp.log_marginal_likelihood(), before)
        self.assertEqual(set(gp.parameters()), {"variance", "lengthscale.0", "noise", "intercept"})

    def test_refused(self):
        gp = fitted(VECTORS["regression"][1])
        for call, text in ((lambda: gp.add([[.1, .2]], [1, 2]), "1 points and 2 entries of y"), (lambda: gp.set_prior_mean(0, [1]), "slope has 1"),
                           (lambda: gp.predict([.1]), "x"), (lambda: gp.sample([[.1, .2]], draws=-1), "draws = -1"),
                           (lambda: gp.predict([[float("nan"), 0]]), "X"), (lambda: gp.drop(99), "99"),
                           (lambda: tvgp.kdpp_sample(tvgp.se(.3), [.1, .2], 3), "k = 3")):
            with self.assertRaisesRegex((ValueError, tvgp.Error), text):
                call()


class Kdpp(unittest.TestCase):
    def test_exact_probabilities(self):
        """2,000 sets; tests/test_dpp.c draws 50,000."""
        case, n = VECTORS["kdpp"], 2000
        kernel = tvgp.se(case["lengthscale"])
        found = collections.Counter(tuple(sorted(tvgp.kdpp_sample(kernel, case["x"], case["k"], steps=240, seed=seed))) for seed in range(n))
        apart = sum(abs(found[tuple(s)] / n - p) for s, p in zip(case["subsets"], case["probabilities"])) / 2
        self.assertEqual(sum(found[tuple(s)] for s in case["subsets"]), n)
        self.assertLess(apart, .05)

    def test_greedy_and_seeds(self):
        x = [[i / 10, j / 10] for i in range(5) for j in range(5)]
        kernel = tvgp.se(.3, dim=2)
        self.assertEqual(len(set(tvgp.kdpp_sample(kernel, x, 4, steps=0))), 4)
        self.assertEqual(tvgp.kdpp_sample(kernel, x, 4, seed=5), tvgp.kdpp_sample(kernel, x, 4, seed=5))
        self.assertEqual(tvgp.kdpp_sample(kernel, [[0, 0], [0, 0]], 2), [0])


if __name__ == "__main__":
    unittest.main()
