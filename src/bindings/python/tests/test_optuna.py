# SPDX-License-Identifier: MIT
"""tvgp.optuna: distributions, directions, trials of every kind, threads, and a study that is continued from its storage. Needs Optuna 3.1."""
import os
import pickle
import random
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import optuna
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])
    print("skipped: Optuna is not installed (Debian: python3-optuna)")
    sys.exit(77)
import tvgp
import tvgp.optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
optuna.logging.set_verbosity(optuna.logging.ERROR)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Spaces as distributions, the best parameters, and how the loss depends on each.
EVERY = {"x": FloatDistribution(-2, 3), "log": FloatDistribution(1e-4, 1, log=True), "step": FloatDistribution(0, 1, step=.25),
         "n": IntDistribution(1, 50), "even": IntDistribution(0, 20, step=2), "octave": IntDistribution(1, 256, log=True),
         "pair": CategoricalDistribution([True, False]), "kind": CategoricalDistribution(["a", None, 3])}
BEST = {"x": 1.0, "log": .01, "step": .75, "n": 30, "even": 14, "octave": 16, "pair": False, "kind": None}
SPACES = [("kind",), ("step", "even"), ("x", "octave"), ("x", "n", "pair")]
if os.environ.get("TVGP_TESTS") == "all":
    SPACES += [(name,) for name in EVERY] + [("x", "pair"), ("kind", "n")]


def loss(params):
    found = 0.0
    for name, value in params.items():
        of = EVERY[name]
        if isinstance(of, CategoricalDistribution):
            found += .3 * (value != BEST[name])
        else:
            p = tvgp.optuna._Parameter(of)
            found += (p.encode(value)[0] - p.encode(BEST[name])[0]) ** 2
    return found


def study_of(direction="minimize", **more):
    return optuna.create_study(direction=direction, sampler=tvgp.optuna.Sampler(**more))


def play(study, names, n, sign=1):
    for _ in range(n):
        trial = study.ask({name: EVERY[name] for name in names})
        study.tell(trial, sign * loss(trial.params))


class Test(unittest.TestCase):
    def test_every_distribution_both_directions(self):
        for names in SPACES:
            for direction, sign in (("minimize", 1), ("maximize", -1)):
                study = study_of(direction, seed=10)
                play(study, names, 20 + 4 * len(names), sign)
                best = tvgp.optuna.best_now(study)
                self.assertEqual(set(best), set(names))
                self.assertLessEqual(loss(best), .1, (names, direction, best))
                for trial in study.trials:
                    for name, value in trial.params.items():
                        self.assertTrue(EVERY[name]._contains(EVERY[name].to_internal_repr(value)), (name, value))

    @unittest.skipUnless(os.environ.get("TVGP_TESTS") == "all", "by night")
    def test_eight_parameters(self):
        """A run may stay with a wrong choice or step; six runs do not."""
        found = []
        for seed in range(6):
            study = study_of(seed=seed)
            play(study, tuple(EVERY), 52)
            found.append(round(loss(tvgp.optuna.best_now(study)), 3))
        self.assertLess(sum(found) / 6, .06, found)
        self.assertLess(sorted(found)[4], .01, found)

    def test_candidates_with_one_change(self):
        """Candidates near a good trial include points that differ from it in one parameter, for each parameter."""
        space = tvgp.optuna._Space(EVERY)
        points = [space.decode(x) for x in space.candidates(random.Random(0), [BEST])]
        changed = [[name for name in EVERY if point[name] != BEST[name] and not (name in ("x", "log") and abs(point[name] / BEST[name] - 1) < 1e-9)] for point in points]
        self.assertEqual({names[0] for names in changed if len(names) == 1}, set(EVERY))
        self.assertIn(len(EVERY), {len(names) for names in changed})

    def test_values_and_points(self):
        """Every value is the value of its own point, and a point is as near to it as its step allows."""
        for name, of in EVERY.items():
            p = tvgp.optuna._Parameter(of)
            values = of.choices if p.choices else [of.low + k * of.step for k in range(p.levels)] if p.levels else [of.low, of.high, BEST[name]]
            for value in values:
                again = p.decode(p.encode(value))
                self.assertEqual(type(again), type(value) if not isinstance(of, FloatDistribution) else float)
                self.assertTrue(again == value or abs(again - value) < 1e-12, (name, value, again))

    def test_conditional_and_empty_spaces(self):
        def objective(trial):
            kind = trial.suggest_categorical("kind", ["a", "b"])
            if kind == "a":
                return (trial.suggest_float("x", 0, 1) - .3) ** 2
            return 1 + trial.suggest_int("n", 1, 3)
        study = study_of()
        study.optimize(objective, n_trials=30)
        self.assertGreater(sum(t.params["kind"] == "a" for t in study.trials[10:]), 12)
        self.assertEqual(tvgp.optuna.best_now(study), {"kind": "a"})
        empty = study_of()
        empty.optimize(lambda trial: 1.0, n_trials=3)
        self.assertEqual(tvgp.optuna.best_now(empty), {})
        alone = study_of()
        alone.optimize(lambda trial: trial.suggest_float("x", 2, 2) + trial.suggest_categorical("c", ["only"]).count("o"), n_trials=3)
        self.assertEqual(alone.best_value, 3)

    def test_trials_of_every_state(self):
        study = study_of()
        play(study, ("x",), 3)
        x = {"x": EVERY["x"]}
        failed, silent, pruned, running, odd = (study.ask(x) for _ in range(5))
        study.tell(failed, state=TrialState.FAIL)
        study.tell(silent, state=TrialState.PRUNED)
        pruned.report(7.5, 1)
        pruned.report(2.5, 2)
        study.tell(pruned, state=TrialState.PRUNED)
        study.tell(odd, float("inf"))
        study.enqueue_trial({"x": 2.75})
        queued = study.ask(x)
        self.assertEqual(queued.params, {"x": 2.75})
        study.tell(queued, 3.0)
        study.add_trial(optuna.create_trial(params={"x": -1.5}, distributions=x, value=6.0))
        study.add_trial(optuna.create_trial(params={"x": 9.5}, distributions={"x": FloatDistribution(9, 10)}, state=TrialState.PRUNED, intermediate_values={1: 3.0}))
        play(study, ("x",), 1)
        policy = study.sampler._policy
        self.assertEqual(policy.stat("failed"), 1)
        # complete: trials 2 and 3, of which the sampler was asked, and pruned; the first, the enqueued and the added were observed
        self.assertEqual(policy.stat("values") + policy.stat("unsolicited"), 3 + 1 + 2)
        self.assertEqual(policy.stat("pending"), 2, "the running trial and the last one")
        mean = policy.predict(policy.stat("clock"), [[(v + 2) / 5] for v in (2.75, -1.5, running.params["x"])])[0]
        self.assertLess(mean[0], mean[1])

    def test_threads(self):
        study = study_of()
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - .3) ** 2, n_trials=40, n_jobs=4)
        self.assertEqual([t.state for t in study.trials], [TrialState.COMPLETE] * 40)
        self.assertLess(abs(tvgp.optuna.best_now(study)["x"] - .3), .05)

    def test_restart_through_the_storage(self):
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/study.db"
            optuna.create_study(study_name="s", storage=url)
            program = (f"import sys; sys.path.insert(0, {ROOT!r})\nimport optuna, tvgp.optuna\noptuna.logging.set_verbosity(optuna.logging.ERROR)\n"
                       f"study = optuna.load_study(study_name='s', storage={url!r}, sampler=tvgp.optuna.Sampler())\n"
                       "study.optimize(lambda t: (t.suggest_float('x', 0, 1) - .3) ** 2, n_trials=12)")
            for _ in range(2):
                subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", program], check=True)
            again = optuna.load_study(study_name="s", storage=url, sampler=tvgp.optuna.Sampler())
            again.optimize(lambda t: (t.suggest_float("x", 0, 1) - .3) ** 2, n_trials=1)
            self.assertEqual([t.number for t in again.trials], list(range(25)))
            self.assertEqual(again.sampler._policy.stat("unsolicited"), 24)
            self.assertLess(abs(tvgp.optuna.best_now(again)["x"] - .3), .05)
            self.assertLess(max(abs(t.params["x"] - .3) for t in again.trials[-5:]), .2)

    def test_clock_and_options(self):
        study = study_of(policy="tv-gp-ucb", clock=lambda trial: trial.datetime_start.timestamp(), half_life=3600)
        play(study, ("x",), 5)
        self.assertGreater(study.sampler._policy.stat("clock"), 1.7e9)
        copy = pickle.loads(pickle.dumps(tvgp.optuna.Sampler("tv-gp-ucb", seed=3, half_life=60)))
        self.assertEqual((copy._name, copy._seed, copy._options), ("tv-gp-ucb", 3, {"half_life": 60}))

    def test_constraints(self):
        """The best feasible point is (.5, .5); without the constraint (1, 1) is asked."""
        def objective(trial):
            x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
            trial.set_user_attr("limits", (x * x + y * y - .5, -1))
            return x + y
        limits = lambda trial: trial.user_attrs["limits"]
        feasible = lambda trials: sum(limits(t)[0] <= 0 for t in trials)
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/study.db"
            for seed in range(2):  # the second sampler takes over the trials of the first
                study = optuna.create_study(study_name="s", storage=url, direction="maximize", load_if_exists=True,
                                            sampler=tvgp.optuna.Sampler(constraints_func=limits, seed=seed))
                study.optimize(objective, n_trials=15)
                self.assertEqual(len(study.trials), 15 * (seed + 1))
                self.assertEqual(study.sampler._limits, 2)
            self.assertGreaterEqual(feasible(study.trials[10:]), 18)
            self.assertGreater(max(t.value for t in study.trials if limits(t)[0] <= 0), .9)
            best = tvgp.optuna.best_now(study)
            self.assertLess(abs(best["x"] - .5) + abs(best["y"] - .5), .2)
            self.assertLess(best["x"] ** 2 + best["y"] ** 2, .52)
        without = optuna.create_study(direction="maximize", sampler=tvgp.optuna.Sampler())
        without.optimize(objective, n_trials=20)
        self.assertLess(feasible(without.trials[10:]), 5)

    def test_constraints_of_some_trials(self):
        study = study_of(constraints_func=lambda trial: trial.user_attrs.get("limits", ()))
        for i in range(12):
            trial = study.ask({"kind": EVERY["kind"], "x": EVERY["x"], "octave": EVERY["octave"]})
            if i % 3:
                trial.set_user_attr("limits", [float("inf"), -1] if i == 4 else [trial.params["x"], -1])
            study.tell(trial, None if i == 7 else i, TrialState.FAIL if i == 7 else None)
        study.enqueue_trial({"x": -1.0})
        study.tell(study.ask({"x": EVERY["x"]}), 1)
        play(study, ("kind", "x", "octave"), 3)
        self.assertEqual(study.sampler._limits, 2)
        tvgp.optuna.best_now(study)
        policy = study.sampler._policy
        self.assertEqual(policy.stat("constraint.observations.1"), policy.stat("constraint.observations.2"))
        self.assertGreaterEqual(policy.stat("constraint.observations.1"), 6)
        self.assertEqual(policy.stat("pending"), 0)
        for wrong, said in ((lambda trial: [float("nan")], "no NaN"), (lambda trial: ["x"], "constraints_func")):
            with self.assertRaisesRegex((ValueError, TypeError), said):
                play(study_of(constraints_func=wrong), ("x",), 1)

    def test_page(self):
        """The program of docs/guide/optuna.md, with fewer trials."""
        with open(os.path.join(ROOT, "../../../docs/guide/optuna.md"), encoding="utf-8") as page:
            program = page.read().split("```python\n")[1].split("```")[0]
        seen = {"latency": lambda workers, timeout: abs(workers - 8) + timeout, "print": lambda best: seen.update(best=best)}
        exec(program.replace("n_trials=500", "n_trials=15"), seen)  # pylint: disable=exec-used
        self.assertEqual(set(seen["best"]), {"workers", "timeout"})

    def test_refused(self):
        both = optuna.create_study(directions=["minimize", "maximize"], sampler=tvgp.optuna.Sampler())
        with self.assertRaises(ValueError):
            both.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 1), n_trials=2)
        with self.assertRaisesRegex(TypeError, "RandomSampler, must have"):
            tvgp.optuna.best_now(optuna.create_study(sampler=optuna.samplers.RandomSampler()))
        misspelt = study_of(nosie=1)
        play(misspelt, ("x",), 1)
        with self.assertRaisesRegex(tvgp.Error, "noise"):
            play(misspelt, ("x",), 1)
        huge = study_of()
        play(huge, ("x",), 1)
        huge.add_trial(optuna.create_trial(params={"x": 1.0}, distributions={"x": EVERY["x"]}, value=1e300))
        with self.assertWarnsRegex(UserWarning, "trial 1 is not observed"):
            play(huge, ("x",), 2)


if __name__ == "__main__":
    unittest.main()
