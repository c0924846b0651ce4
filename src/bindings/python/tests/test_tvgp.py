# SPDX-License-Identifier: MIT
import datetime
import doctest
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import tvgp
from tvgp import _native


ROOT = pathlib.Path(__file__).resolve().parents[4]


def policy(**options):
    return tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3), noise=0.02, **options)


class Frame:
    """The interface of a pandas DataFrame."""

    def __init__(self, index, rows):
        self.index, self.columns, self._rows = index, range(len(rows[0])), rows

    def to_numpy(self):
        return self._rows


class Log(unittest.TestCase):
    rows = [[math.sin(2 * math.pi * (t % 24) / 24 + a) + a / 10 + 0.01 * (7 * t % 11) for a in range(4)] for t in range(240)]

    def play(self, p, times):
        chosen = []
        for i, t in enumerate(times):
            query = p.ask(t)
            chosen.append(query.arm)
            p.tell(query, self.rows[i][query.arm])
        return chosen

    def test_rows(self):
        p = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=self.rows)
        self.assertEqual([p.stat(key) for key in ("history.records", "history.period", "history.bin_width")], [960, 24, 1])
        for a, mean in enumerate(p.prior_mean(0)):
            self.assertAlmostEqual(mean, self.rows[0][a], delta=0.2)
        first = self.play(p, range(48))
        blank = [row[:] for row in self.rows]
        blank[3] = [None, math.nan, 1.0, 2.0]
        q = tvgp.Policy("auto-gp-ucb", tvgp.indices(4))
        q.learn_history(blank, t=range(-240, 0))
        self.assertEqual(q.stat("history.records"), 958)
        triples = [(t - 240, a, y) for t, row in enumerate(self.rows) for a, y in enumerate(row)]
        r = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=triples[::-1])
        self.assertEqual(self.play(r, range(48)), first)

    def test_dates(self):
        start = datetime.datetime(2018, 9, 3)
        times = [start + datetime.timedelta(hours=i) for i in range(288)]
        p = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=Frame(times[:240], self.rows))
        self.assertEqual([p.stat(key) for key in ("history.period", "history.bin_width")], [86400, 3600])
        self.assertEqual(len(p.prior_mean(times[240])), 4)
        self.assertEqual(self.play(p, times[240:]),
                         self.play(tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=self.rows), range(48)))

    @unittest.skipIf(_native.numpy is None, "NumPy is not installed")
    def test_array(self):
        import numpy as np

        array = np.array(self.rows[:240])
        p = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=array)
        q = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=self.rows[:240])
        self.assertEqual(list(p.prior_mean(5)), list(q.prior_mean(5)))
        self.assertEqual(self.play(p, range(48)), self.play(q, range(48)))
        array[3, 0] = math.nan
        p.learn_history(array, t=np.arange(240) - 240)
        self.assertEqual(p.stat("history.records"), 959)

    @unittest.skipIf(importlib.util.find_spec("pandas") is None, "pandas is not installed")
    def test_pandas(self):
        import pandas

        times = pandas.date_range("2018-09-03", periods=288, freq="h")
        frame = pandas.DataFrame([self.rows[i % 240] for i in range(288)], index=times, columns=list("abcd"))
        p = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=frame[:240])
        self.assertEqual([p.stat(key) for key in ("history.records", "history.period", "history.bin_width")], [960, 86400, 3600])
        for hour, row in frame[240:].iterrows():
            query = p.ask(hour)
            p.tell(query, row.iloc[query.arm])
        self.assertEqual(len(p.prior_mean(times[-1])), 4)
        frame.iloc[3, 1] = None
        p.learn_history(frame[:240])
        self.assertEqual(p.stat("history.records"), 959)
        numbered = pandas.DataFrame(self.rows[:240], index=range(-240, 0))
        self.assertEqual(self.play(tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=numbered), range(48)),
                         self.play(tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=self.rows[:240]), range(48)))

    def test_dates_later(self):
        times = [datetime.datetime(2018, 9, 3) + datetime.timedelta(hours=i) for i in range(240)]
        p = tvgp.Policy("auto-gp-ucb", tvgp.indices(4), history=self.rows[:240])
        p.learn_history(Frame(times, self.rows))  # options may be set still
        self.assertEqual((p.options()["history.periods"].value[:6], p.stat("history.period")), ("86400,", 86400))
        q = tvgp.Policy("auto-gp-ucb", tvgp.indices(4))
        q.observe([1], 2.5, t=times[0])  # they may not any more
        q.learn_history(Frame(times, self.rows))
        self.assertEqual((q.options()["history.periods"].value, q.stat("history.period")), ("", 86400))

    def test_refused(self):
        p = tvgp.Policy("auto-gp-ucb", tvgp.indices(4))
        for log, t in (([[1.0, 2.0]], None), ([(1, 2)], None), (self.rows, [1, 2]), ([(0, 9, 1.0)], None), ([(0, 1.5, 1.0)], None)):
            with self.assertRaises((ValueError, TypeError, tvgp.Error)):
                p.learn_history(log, t)
        self.assertEqual(p.stat("history.records"), 0)


class Style(unittest.TestCase):
    def test_examples(self):
        for module in (tvgp, tvgp._policy, tvgp._model):
            failed, tried = doctest.testmod(module)
            self.assertEqual(failed, 0)
        self.assertGreater(doctest.testmod(tvgp._policy).attempted, 0)

    def test_context_manager(self):
        with policy() as p:
            p.tell(p.ask(1), 0.5)
            state = p.save()
        p.close()
        for use in (lambda: p.ask(2), lambda: p.stat("clock"), p.save):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        q = policy()
        q.load(state)
        self.assertEqual(q.stat("values"), 1)

    def test_options(self):
        p = policy(options={"switch.cost": 0.25}, seed=4, delay__exact_observations=3)
        found = p.options()
        self.assertEqual([found[key].value for key in ("switch.cost", "seed", "delay.exact_observations")], [0.25, 4, 3])

    @unittest.skipIf(_native.numpy is None, "NumPy is not installed")
    def test_arrays_are_not_copied(self):
        import numpy as np

        x = np.linspace(0, 1, 7)
        self.assertIs(_native.doubles(x).memory, x)
        rows, n = _native.rows(x.reshape(7, 1), 1)
        self.assertEqual((rows.memory.__array_interface__["data"], n), (x.__array_interface__["data"], 7))
        mean, _ = policy().predict(0, x.reshape(7, 1))
        self.assertIsInstance(mean, np.ndarray)

    @unittest.skipUnless(os.environ.get("TVGP_TESTS") == "all" and shutil.which("mypy"), "by night, where mypy is installed")
    def test_types(self):
        package = pathlib.Path(tvgp.__file__).parent
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(["mypy", "--strict", "--cache-dir", cache, str(package)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


class Loop(unittest.TestCase):
    def test_ask_tell(self):
        p = policy(seed=3)
        first = p.ask(1)
        self.assertEqual((first.kind, first.t, first.propensity), ("action", 1.0, 1.0))
        self.assertAlmostEqual(first.x[0], first.arm / 10)
        p.tell(first, 0.5)
        second = p.ask(2)
        p.tell(second.id, 0.25, noise_var=0.5, t=1.5)
        third = p.ask(3)
        p.tell(third, outcome="skipped")
        p.observe([0.5], 0.7)
        p.observe([[0.1], [0.9]], [0.1, 0.2], t=[2.5, 3.0])
        stats = p.stats()
        self.assertEqual([stats[k] for k in ("values", "unsolicited", "skipped", "clock")], [2, 3, 1, 3.0])

    def test_several_at_once(self):
        p = tvgp.Policy("gp-ucb", tvgp.grid([0, 0], [1, 2], [5, 5]), tvgp.matern([0.5, 1.0]))
        queries = [p.ask(0) for _ in range(4)]
        self.assertEqual(len({q.arm for q in queries}), 4)
        p.tell(queries, [0.0, 0.1, 0.2, 0.3])
        self.assertEqual(p.stat("pending"), 0)
        self.assertEqual(len(p.ask(1, cap=3)[0].x), 2)

    def test_predict_best(self):
        p = policy()
        p.observe([0.5], 1.0, t=0)
        mean, var = p.predict(0, [[0.5], [1.0]])
        self.assertEqual(len(mean), 2)
        self.assertGreater(mean[0], mean[1])
        self.assertLess(var[0], var[1])
        all_means, all_vars = p.predict(0)
        self.assertEqual((len(all_means), all_means[5], all_vars[10]), (11, mean[0], var[1]))
        with self.assertRaises(ValueError):
            tvgp.Policy("gp-ucb", tvgp.box(0, 1)).predict(0)
        best = p.best(0)
        self.assertAlmostEqual(best.x[0], best.arm / 10)
        self.assertEqual(best.arm, 5)

    def test_evaluate(self):
        p = policy()
        for t in range(1, 6):
            mean, var, dmean, dvar, score, risk = p.evaluate(t)
            self.assertTrue(all(s >= m for s, m in zip(score, mean)) and all(v >= 0 for v in var))
            self.assertEqual((dmean, dvar, list(risk)), (None, None, [0] * len(score)))
            query = p.ask(t)
            self.assertEqual((query.score, query.score), (max(score), score[query.arm]))
            self.assertEqual(p.evaluate(t, [[0.5]], "mean").mean[0], p.predict(t, [[0.5]])[0][0])
            p.tell(query, query.x[0])
        with self.assertRaises(ValueError):
            tvgp.Policy("gp-ucb", tvgp.box(0, 1)).evaluate(1)
        with self.assertRaises(ValueError):
            p.evaluate(6, want=["sd"])
        box = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 1]), tvgp.se([0.5, 0.5]))
        box.observe([0.25, 0.5], 1, t=0)
        at = box.evaluate(1, [[0.25, 0.5], [0.5, 0.5]], ["mean", "dmean"])
        self.assertAlmostEqual(at.dmean[0][0], 0)
        self.assertLess(at.dmean[1][0], -0.1)
        self.assertEqual((len(at.dmean), len(at.dmean[1]), at.score), (2, 2, None))

    def test_sense_mean_mask(self):
        p = policy(sense="min")
        p.set_prior_mean(3.0)
        p.observe([0.2], 1.0, t=0)
        self.assertEqual(p.best(0).arm, 2)
        p.set_available([i == 7 for i in range(11)])
        self.assertEqual(p.ask(0).arm, 7)
        p.set_available(None)
        p.set_prior_mean([float(i) for i in range(11)])

    def test_serving(self):
        p = tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 6), tvgp.se(1, 0.3), noise=0.01, **{"exploration.floor": 0.06})
        share = tvgp.shares(p.best_probability(0, draws=200), power=1, floor=0.1)
        self.assertAlmostEqual(sum(share), 1)
        self.assertEqual([tvgp.assign([.5, .3, .2, 0], key, seed=7) for key in range(1, 13)], [0, 1, 1, 2, 2, 0, 0, 0, 0, 2, 1, 0])
        slate = p.ask(0, slate=3)
        self.assertEqual(len({q.arm for q in slate}), 3)
        with self.assertRaises(TypeError):
            p.ask(0, 2, slate=2)
        p.set_budget(10, period=20, asks=20)
        p.set_costs([.1] * 6)
        q = p.ask(1)
        p.charge(q, 0.5)
        self.assertAlmostEqual(p.stat("budget.left"), 9.5)
        value = tvgp.off_policy_value(([0, 1, 2], [0, 1, 1], [1.0, float("nan"), 0.5], [.5, .5, .25]), [[.5, .5]] * 3, [[.9, .4]] * 3)
        self.assertEqual((value.used, value.missing, value.reliable), (2, 1, False))
        self.assertAlmostEqual(value.dr, (.65 + .1 + .65 + .2) / 2)
        with self.assertRaisesRegex(tvgp.Error, "propensity"):
            tvgp.off_policy_value(([0], [0], [1.0], [0.0]), [[.5, .5]])

    def test_ranking(self):
        for sense in ("max", "min"):
            p = tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 4), tvgp.se(0.3), noise=0.1, sense=sense)
            p.observe([0, 1 / 3, 2 / 3], [0.3, 2, 1], t=[0, 1, 2])
            ranked = p.ranking(3, [True, True, False, True])
            self.assertEqual(sorted(r.arm for r in ranked), [0, 1, 3])
            self.assertEqual([r.score for r in ranked], sorted((r.score for r in ranked), reverse=sense == "max"))
            mean, var = p.predict(3)
            first, before = ranked[0], p.save()
            self.assertAlmostEqual(first.mean, float(mean[first.arm]))
            self.assertAlmostEqual(first.sd ** 2, float(var[first.arm]))
            self.assertTrue(0 < first.probability <= 1)
            self.assertEqual(p.save(), before)
            self.assertAlmostEqual(sum(r.probability for r in ranked), 1)
            self.assertEqual(p.ranking(3, [False] * 4), [])
            self.assertEqual([r.arm for r in p.ranking(3, [False, False, True, False])], [2])
            p.set_available([True, True, False, True])
            self.assertEqual(p.ask(3).arm, first.arm)
            with self.assertRaisesRegex(ValueError, "available has 1"):
                p.ranking(3, [True])

    def test_outside(self):
        p = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 1]), tvgp.se([.3, .3]))
        log = [[.1, .2], [1.5, .2], [.3, .4], [.3, -1]]
        with self.assertRaises(tvgp.Error):
            p.observe(log, [1, 2, 3, 4], t=[0, 1, 2, 3])
        self.assertEqual(p.stat("unsolicited"), 0)
        self.assertEqual(p.observe(log, [1, 2, 3, 4], t=[0, 1, 2, 3], outside="skip"), 2)
        self.assertEqual((p.stat("unsolicited"), p.stat("clock")), (2, 2))
        self.assertEqual(p.observe([[2, 2]], 1, t=9, outside="skip"), 1)
        self.assertEqual(p.observe([.5, .5], 1, t=9, outside="skip"), 0)
        with self.assertRaisesRegex(ValueError, "outside"):
            p.observe([.5, .5], 1, t=9, outside="clip")

    def test_parts_and_payoffs(self):
        p = tvgp.Policy("gp-ucb", tvgp.indices(3), tvgp.se([1.0]), **{"outcome.type": "binomial"})
        p.set_payoffs([1, 1, 100])
        q = p.ask(0)
        self.assertEqual(q.arm, 2)
        p.tell(q, 1, exposure=10, partial=True)
        self.assertEqual((p.stat("pending"), p.stat("partial")), (1, 1))
        p.tell(q, 0, exposure=10)
        self.assertEqual((p.stat("pending"), p.best(0).arm), (0, 2))
        p.set_payoffs()
        self.assertEqual(p.best(0).arm, 0)
        with self.assertRaisesRegex(tvgp.Error, "n = 2"):
            p.set_payoffs([1, 2])

    def test_incumbent(self):
        for domain, at in ((tvgp.grid(0, 1, 11), 0.5), (tvgp.box([0, 0], [1, 1]), [0.5, 0.25])):
            p = tvgp.Policy("auto-gp-ucb", domain, sense="min")
            p.set_incumbent(at, 0)
            self.assertEqual(list(p.ask(0).x), list(at) if isinstance(at, list) else [at])
            self.assertEqual(p.stat("incumbent.asked"), 1)
            with self.assertRaises(ValueError):
                p.set_incumbent([0.5, 0.5, 0.5])
            with self.assertRaises(tvgp.Error):
                p.set_incumbent([7.0] * domain.dim)
            p.set_incumbent(None)
            self.assertEqual(p.stat("incumbent.asked"), 0)

    def test_arms_that_come(self):
        p = tvgp.Policy("tv-gp-ucb", tvgp.arms([[0.0], [0.1]]), tvgp.se(0.3))
        p.tell(p.ask(0), 1)
        p.extend(tvgp.arms([[0.0], [0.1], [0.9]]))
        p.set_available([False, False, True])
        self.assertEqual(p.ask(1).arm, 2)
        with self.assertRaises(tvgp.Error):
            p.extend(tvgp.arms([[0.5], [0.1], [0.9], [1.0]]))
        self.assertEqual(p.domain.n, 3)
        p.set_prior_mean([0.0] * 3)
        larger = p.domain.append([[2.0], [3.0]])
        with self.assertRaises(ValueError):
            p.extend(larger, [1.0])
        p.set_available(None)
        p.extend(larger, [1.0, 90.0])
        self.assertEqual((p.ask(2).arm, larger.point(4)[0]), (4, 3.0))

    def test_whole_alone(self):
        import pickle
        for p in (tvgp.Policy("auto-gp-ucb", tvgp.box([0, 1], [2, 4])), tvgp.Policy("random", tvgp.indices(4)), policy()):
            first, second, third = (p.ask(t) for t in range(3))
            p.tell(second, 0.3)
            alone = tvgp.Policy.restore(p.save(full=True))
            self.assertEqual((alone.name, alone.domain.type, alone.domain.n), (p.name, p.domain.type, p.domain.n))
            self.assertEqual([list(part) for part in alone.domain.bounds()], [list(part) for part in p.domain.bounds()])
            self.assertEqual([q._replace(x=list(q.x)) for q in alone.pending()], [q._replace(x=list(q.x)) for q in (first, third)])
            for twin in (alone, alone.clone(), pickle.loads(pickle.dumps(alone))):
                for q in twin.pending():
                    twin.tell(q, 0.5)
                self.assertEqual(twin.pending(), [])
            for q in p.pending():
                p.tell(q, 0.5)
            self.assertEqual(list(alone.ask(3).x), list(p.ask(3).x))
        self.assertEqual(tvgp.box([0, 1], [2, 4]).type, "box")
        with self.assertRaises(tvgp.Error):
            tvgp.Policy.restore(policy().save())

    def test_learn_prior(self):
        import pickle
        for domain in (tvgp.indices(4), tvgp.grid([0, 0], [1, 1], [2, 2])):
            runs = [([0, 1, 2, 1], [1.0 + d, 3.0 + d, 2.0, 3.1 + d]) for d in (0, 0.2, -0.3, 0.5)]
            prior = tvgp.learn_prior(domain, runs)
            self.assertEqual(max(range(4), key=lambda a: prior["mean"][a]), 1)
            p = pickle.loads(pickle.dumps(tvgp.Policy("auto-gp-ucb", domain, **prior)))
            self.assertEqual(p.options()["noise"].value, prior["noise"])
            self.assertAlmostEqual(p.predict(0)[0][1], prior["mean"][1])
            timed = tvgp.learn_prior(domain, [(a, range(4), y) for a, y in runs], strength=1, epsilon=0.1, max_iterations=2)
            self.assertNotEqual(timed["noise"], prior["noise"])
            told = tvgp.learn_prior(domain, runs, tvgp.se(1.0, dim=domain.dim))
            self.assertNotEqual(told["mean"][3], prior["mean"][3])
            for wrong in ([([0], [1.0, 2.0])], [([0], [0], [1.0], [2])], [([4], [1.0])], [([0], [float("nan")])], []):
                with self.assertRaises((ValueError, tvgp.Error)):
                    tvgp.learn_prior(domain, wrong)
            with self.assertRaises(ValueError):
                tvgp.learn_prior(domain, runs, epsilon=0.1)

    def test_limits_of_strangers(self):
        whole = tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 50), tvgp.se(0.3)).save(full=True)
        for limit in ({"max_bytes": 1000}, {"max_arms": 49}):
            with self.assertRaises(tvgp.Error) as raised:
                tvgp.Policy.restore(whole, **limit)
            self.assertEqual(raised.exception.name, "TVGP_ERR_LIMIT")
        with self.assertRaises(tvgp.Error):
            tvgp.Policy.restore(whole, max_work=10).ask(0)
        tvgp.Policy.restore(whole, max_bytes=1 << 20, max_arms=50, max_work=10000).ask(0)

    def test_described(self):
        twins = [tvgp.Policy.described("tv-gp-ucb grid=0:1:11 se=.2 noise=.02"),
                 tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(.2), noise=.02)]
        self.assertEqual(("tv-gp-ucb", 11), (twins[0].name, twins[0].domain.n))
        for t in range(5):
            asked = [p.ask(t) for p in twins]
            self.assertEqual(*asked)
            for p, q in zip(twins, asked):
                p.tell(q, q.x)
        self.assertEqual(*(p.save() for p in twins))
        self.assertEqual(twins[0].save(), tvgp.Policy.restore(twins[0].save(full=True)).save())
        for text, said in (("grid=0:1", "FROM:TO:POINTS"), ("grid=0:1:3 se=.1 noise=-1", "noise")):
            with self.assertRaisesRegex(tvgp.Error, said):
                tvgp.Policy.described(text)
        with self.assertRaisesRegex(tvgp.Error, "arms"):
            tvgp.Policy.described("indices=100", max_arms=10)

    def test_candidates(self):
        p = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 4]), tvgp.se([0.5, 2], dim=2))
        offers = [[0.1, 1], [0.9, 3], [0.5, 2]]
        q = p.ask(0, candidates=offers, mean=[0, 0.5, 0.2])
        self.assertEqual((q.arm, list(q.x)), (1, [0.9, 3]))
        self.assertAlmostEqual(q.score, 0.5 + p.stat("width"))
        p.tell(q, 0.5)  # its mean and nothing else
        self.assertAlmostEqual(p.predict(0, [0.9, 3])[0][0], 0)
        self.assertEqual(p.clone().ask(1).arm, p.ask(1).arm)  # the list goes on to hold
        self.assertIn(p.best(1).arm, (0, 1, 2))
        self.assertEqual(p.ask(2, candidates=[[0.25, 0.5]]).arm, 0)
        self.assertEqual([q.arm for q in p.pending()][-1], 0)
        p.set_candidates()
        self.assertEqual(p.ask(3).arm, -1)
        for call in (lambda: p.ask(4, candidates=[[0.1]]), lambda: p.set_candidates(offers, [1, 2]), lambda: p.set_candidates(mean=[1])):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(TypeError):
            p.ask(4, mean=[1])
        for call in (lambda: p.ask(4, candidates=[[0.1, 5]]), lambda: policy().ask(0, candidates=[[0.1]])):
            with self.assertRaises(tvgp.Error):
                call()
        self.assertEqual(p.ask(4).arm, -1)

    def test_limits(self):
        p = tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 21), tvgp.se(0.2), constraint__confidence=.95)
        heat = p.model("tv-gp-ucb", tvgp.se(0.3), noise=.01)
        heat.observe(0.75, 2, t=0)
        p.add_constraint(heat, at_most=1)
        with self.assertRaises(tvgp.Error):
            p.ask(0)  # nothing is declared, and too little is known
        p.set_safe([[0.5], [0.25]])
        for i in range(30):
            q = p.ask(i)
            self.assertTrue(q.risk <= 0.05 + 1e-12 or float(q.x[0]) in (0.5, 0.25))
            self.assertAlmostEqual(p.evaluate(i, q.x, "risk").risk[0], q.risk)
            if i % 2:
                p.tell_values(q, [float(q.x[0]), 1.5 * float(q.x[0])])
            else:
                p.tell(q, 1.5 * float(q.x[0]), output=1)
                p.tell(q, float(q.x[0]))
        self.assertEqual((p.stat("constraint.observations.1"), p.stat("pending")), (30, 0))
        self.assertGreater(p.stat("safe.count"), 2)
        self.assertEqual(p.clone().ask(31)[:3], p.ask(31)[:3])
        self.assertEqual(len(p.evaluate(31, want="risk").risk), 21)
        p.set_constraint(1, 9)
        for call in (lambda: heat.ask(40), lambda: p.set_constraint(2, 1), lambda: p.add_constraint(p.model("gp-ucb", tvgp.se(1)), at_least=0),
                     lambda: p.tell_values(p.ask(40), [1])):
            with self.assertRaises(tvgp.Error):
                call()
        fresh = policy()
        with self.assertRaises(ValueError):
            fresh.add_constraint(policy(), at_least=0)
        for model in (fresh.model("gp-ucb", tvgp.se(1)), "x"):
            with self.assertRaises(TypeError):
                fresh.add_constraint(model)

    def test_box_and_contexts(self):
        p = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 4], integer=[1]), tvgp.se(0.5, dim=2))
        q = p.ask(0)
        self.assertEqual((q.arm, q.x[1]), (-1, round(q.x[1])))
        p.set_bounds([0, 2], [1, 2])
        p.tell(q, 1)
        self.assertEqual(p.ask(1).x[1], 2)
        hours = tvgp.Policy("gp-ucb", tvgp.product(tvgp.grid(0, 1, 3), tvgp.indices(2)),
                            tvgp.slice_of(2, 0, tvgp.se(0.3)) * tvgp.slice_of(2, 1, tvgp.categorical(correlation=0.5)))
        hours.set_context(1)
        self.assertEqual(hours.domain.split(hours.ask(0).arm)[1], 1)
        loads = tvgp.Policy("gp-ucb", tvgp.product(tvgp.grid(0, 1, 3), tvgp.box(0, 10)), tvgp.se([0.3, 3], dim=2))
        self.assertEqual(loads.domain.n, 3)
        with self.assertRaises(tvgp.Error) as caught:
            loads.ask(0)
        self.assertIn("Policy.set_context_point", str(caught.exception))
        loads.set_context_point(2.5)
        q = loads.ask(0)
        self.assertEqual(list(q.x), [q.arm / 2, 2.5])
        loads.tell(q, 1)
        loads.observe([[0.5, 7]], 2)
        loads.set_context_point([7])
        self.assertEqual((loads.best(1).arm, list(loads.best(1).x)), (1, [0.5, 7]))


class State(unittest.TestCase):
    def test_goes_on_alike(self):
        import copy
        import pickle
        for name, kernel in (("tv-gp-ucb", tvgp.se(0.3)), ("auto-gp-ucb", None)):
            p = tvgp.Policy(name, tvgp.grid(0, 1, 11), kernel, sense="min", seed=5)
            for t in range(20):
                p.tell(p.ask(t), ((t * 7) % 5) / 5)
            open_query = p.ask(20)
            twins = [pickle.loads(pickle.dumps(p)), p.clone(), copy.deepcopy(p)]
            for twin in [p, *twins]:
                twin.tell(open_query.id, 0.5)
            for t in range(21, 40):
                arms = {twin.ask(t).arm for twin in [p, *twins]}
                self.assertEqual(len(arms), 1)
                for twin in [p, *twins]:
                    twin.tell(twin.stat("asked"), 0.1 * (t % 3))

    def test_refused(self):
        p = policy()
        p.tell(p.ask(0), 1)
        snapshot = p.save()
        other = tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3))
        for bad in (snapshot[:-1], b"", b"x" + snapshot[1:]):
            with self.assertRaises(tvgp.Error) as caught:
                p.load(bad)
            self.assertIn(caught.exception.name, ("TVGP_ERR_FORMAT", "TVGP_ERR_VERSION"))
        with self.assertRaises(tvgp.Error) as caught:
            other.load(snapshot)
        self.assertEqual(caught.exception.name, "TVGP_ERR_STATE")


class Options(unittest.TestCase):
    def test_any_type(self):
        p = policy(seed=3, epsilon=0.1, width__schedule="constant", **{"width.value": 3}, sense="min")
        options = p.options()
        self.assertEqual([options[k].value for k in ("seed", "epsilon", "width.schedule", "width.value", "sense")],
                         [3, 0.1, "constant", 3.0, "min"])
        self.assertEqual(options["sense"].choices, ("max", "min"))
        self.assertEqual(options["noise"].bounds[0], 0)

    def test_learned(self):
        p = tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 11), fit__every=-1)
        for i in range(11):
            p.observe([i / 10], 100 + 20 * i, t=i)
        while not p.fit(50):
            pass
        self.assertGreater(p.kernel_parameters()["variance"], 10)
        self.assertIn("lengthscale.0", p.kernel_parameters())

    def test_policies(self):
        self.assertIn("auto-gp-ucb", tvgp.policies())
        self.assertEqual(tvgp.__version__, _native.ABI["version"])


class Mistakes(unittest.TestCase):
    def refused(self, name, text, call, *arguments, **options):
        with self.assertRaises(tvgp.Error) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.name, name)
        self.assertIn(text, str(caught.exception))

    def test_refused(self):
        p = policy()
        q = p.ask(1)
        p.tell(q, 1)
        self.refused("TVGP_ERR_TICKET", f"id = {q.id}", p.tell, q, 1)
        self.refused("TVGP_ERR_STATE", "after the first ask", p.set, noise=1)
        self.refused("TVGP_ERR_NONFINITE", "nan", p.tell, p.ask(1), float("nan"))
        self.refused("TVGP_ERR_NOTFOUND", "nearest is 'tv-gp-ucb'", tvgp.Policy, "tv-gp-ucp", tvgp.indices(2), tvgp.categorical())
        self.refused("TVGP_ERR_OPTION", "'noise' = -1", tvgp.Policy, "gp-ucb", tvgp.indices(2), tvgp.categorical(), noise=-1)
        self.refused("TVGP_ERR_ARG", "lower", tvgp.grid, 1, 0, 5)
        self.refused("TVGP_ERR_NOTFOUND", "point", p.observe, [0.123], 1.0)
        self.assertEqual(p.stat("values"), 1)

    def test_names_that_are_near(self):
        """Candidates, whatever the case, and no function of C."""
        domain, kernel = tvgp.indices(2), tvgp.categorical()
        for name, text in (("auto", "nearest is 'auto-gp-ucb'"), ("Auto-GP-UCB", "nearest is 'auto-gp-ucb'"),
                           ("ucb", "nearest are 'gp-ucb', "), ("lucky", "tvgp.policies() lists them")):
            self.refused("TVGP_ERR_NOTFOUND", text, tvgp.Policy, name, domain, kernel)
        for option, text in (("kernal", "nearest is the argument 'kernel'"), ("maximize", "nearest is 'sense=max'"),
                             ("qwerty", 'tvgp.options("POLICY") lists them'), ("nosie", "nearest is 'noise'")):
            with self.assertRaises(tvgp.Error) as caught:
                tvgp.Policy("gp-ucb", domain, kernel, **{option: 1})
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("tvgp_", str(caught.exception))
        self.assertEqual(tvgp.options("gp-ucb")["sense"].choices, ("max", "min"))
        self.assertEqual({o.key if hasattr(o, "key") else o for o in tvgp.options("auto-gp-ucb")},
                         set(tvgp.Policy("auto-gp-ucb", domain).options()))
        with self.assertRaisesRegex(TypeError, "must be a DataFrame, rows x arms, or tuples .t, arm, y., not a path"):
            tvgp.Policy("auto-gp-ucb", domain, history="nofile.csv")
        with self.assertRaisesRegex(TypeError, "not a path"):
            tvgp.Policy("auto-gp-ucb", domain).learn_history("nofile.csv")

    def test_numbers_of_text_options(self):
        p = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 1, 3), tvgp.se(0.3), season__period=24)
        self.assertEqual(p.options()["season.period"].value, "24")
        for given, text in ((24.0, "24"), (0.5, "0.5"), ("12,24", "12,24")):
            p.set(season__period=given)
            self.assertEqual(p.options()["season.period"].value, text)
        self.refused("TVGP_ERR_OPTION", "option 'sense' = '-1' is not one of its choices: max, min", p.set, sense=-1)
        self.refused("TVGP_ERR_OPTION", "option 'fit' = 'True' is not one of its choices: off, ", p.set, fit=True)

    def test_python_mistakes(self):
        p = policy()
        with self.assertRaises(TypeError):
            p.tell(p.ask(1))
        with self.assertRaises(ValueError):
            p.tell(p.ask(1), 1, outcome="lost")
        with self.assertRaises(ValueError):
            p.observe([[0.1], [0.2]], [1.0])
        with self.assertRaises(ValueError):
            tvgp.grid([0, 0], [1], [5, 5])

    def test_error_pickles(self):
        import pickle
        error = pickle.loads(pickle.dumps(tvgp.Error(-7, "so")))
        self.assertEqual((error.status, error.name, str(error)), (-7, "TVGP_ERR_TICKET", "so"))


class Shapes(unittest.TestCase):
    """Objects and arrays that do not fit, which the library would read as addresses and beyond their ends."""

    def each_raises(self, error, *calls):
        for i, call in enumerate(calls):
            with self.subTest(i), self.assertRaises(error):
                call()

    def test_wrong_kind_of_object(self):
        p, kernel, domain = policy(), tvgp.se(0.3), tvgp.grid(0, 1, 5)
        pe = tvgp.Policy("pe-gp-ucb", domain, kernel)
        self.each_raises(
            TypeError,
            lambda: tvgp.Policy("gp-ucb", kernel, kernel), lambda: tvgp.Policy("gp-ucb", domain, domain),
            lambda: tvgp.Policy("gp-ucb", 8, kernel), lambda: tvgp.Policy("gp-ucb", domain, "se"),
            lambda: tvgp.product(domain, kernel), lambda: tvgp.product(kernel, domain), lambda: tvgp.product(domain, 8),
            lambda: kernel + domain, lambda: kernel * domain, lambda: kernel + 1,
            lambda: tvgp.slice_of(2, 0, domain), lambda: p.extend(kernel), lambda: pe.add_prior(domain),
            lambda: tvgp.GP(domain), lambda: tvgp.GP(kernel, domain), lambda: p.load("a text"), lambda: p.load(64),
            lambda: tvgp.arms("abc"), lambda: p.tell(p.ask(1), "1"))
        self.assertEqual((p.domain.n, p.stat("values")), (11, 0))

    def test_ragged_and_short_arrays(self):
        p, plane = policy(), tvgp.arms([[0, 1], [2, 3]])
        b = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 4]), tvgp.se(0.5, dim=2))
        self.each_raises(
            ValueError,
            lambda: b.set_bounds([0], [1]), lambda: b.set_bounds([0, 0], [1]), lambda: b.set_bounds(upper=[1, 1, 1]),
            lambda: tvgp.table([[1, 0.5], [0.5]]), lambda: tvgp.table([1] * 8), lambda: tvgp.table([[1, 0, 0], [1]]),
            lambda: tvgp.arms([[0, 1], [2]]), lambda: tvgp.arms([[0, 1], [2, 3, 4, 5]]), lambda: tvgp.arms([[], []]),
            lambda: plane.append([[0, 1], [2]]), lambda: plane.append([1, 2, 3]), lambda: plane.append([[1], [2]]),
            lambda: b.observe([[0], [1]], [1]), lambda: b.predict(0, [[0, 1, 1], [0]]), lambda: b.predict(0, [1, 2, 3]),
            lambda: tvgp.se(0.5, dim=2).gram([[1], [2, 3, 4]]), lambda: tvgp.grid([0, 0], [1, 1], [5]),
            lambda: p.tell([p.ask(1), p.ask(1)], [1]), lambda: p.tell([p.ask(1), p.ask(1)], [1, 2, 3]),
            lambda: p.tell([p.ask(1), p.ask(1)], [1, 2], t=[1, 1, 1]), lambda: p.tell([p.ask(1), p.ask(1)], [1, 2], noise_var=[]))
        with self.assertRaisesRegex(ValueError, "lower has 1 values for 2 coordinates"):
            b.set_bounds([0], [1, 1])
        with self.assertRaisesRegex(ValueError, "a point has 1 coordinates, not 2"):
            tvgp.arms([[0, 1], [2]])
        for call in (lambda: p.set_prior_mean([]), lambda: p.set_prior_mean([1, 2]), lambda: p.set_available([True]),
                     lambda: p.set_available([])):
            with self.assertRaises(tvgp.Error) as caught:
                call()
            self.assertEqual(caught.exception.name, "TVGP_ERR_DIM")
        self.assertEqual((p.stat("values"), b.stat("values"), len(plane.append([4, 5]).point(2))), (0, 0, 2))

    def test_numbers_and_names_that_would_wrap(self):
        p, domain = policy(), tvgp.grid(0, 1, 11)
        q = p.ask(1)
        self.each_raises(
            ValueError,
            lambda: domain.point(2**70), lambda: domain.point(2**64 + 3), lambda: domain.split(2**64), lambda: tvgp.indices(2**64 + 2),
            lambda: tvgp.indices(-1), lambda: tvgp.grid(0, 1, 2**64 + 4096), lambda: p.tell(2**64 + q.id, 1),
            lambda: p.set_context(2**64), lambda: p.ask(1, cap=0), lambda: p.ask(1, cap=-1), lambda: p.fit(2**64 + 1),
            lambda: tvgp.box(0, 1, integer=[2**64]), lambda: tvgp.slice_of(2**64 + 2, 0, tvgp.se(1)), lambda: tvgp.se(1, dim=2**64 + 1),
            lambda: tvgp.random_normal(-1, 1000, 0, 1), lambda: tvgp.random_normal(1, 2**32 + 1000, 0, 1),
            lambda: tvgp.Policy("gp-ucb\0x", domain, tvgp.se(1)), lambda: p.stat("values\0x"),
            lambda: tvgp.Policy("gp-ucb", domain, tvgp.se(1), sense="min\0x"),
            lambda: tvgp.Policy("gp-ucb", domain, tvgp.se(1), **{"noise\0x": 1}))
        self.each_raises(TypeError, lambda: tvgp.indices(2.5), lambda: tvgp.grid(0, 1, 10.5), lambda: p.tell(1.5, 1))
        self.assertEqual((p.stat("values"), p.stat("asked")), (0, 1))


class Descriptions(unittest.TestCase):
    def test_equal_and_picklable(self):
        import pickle
        kernel = tvgp.se([0.1, 0.2]) * tvgp.matern([1, 2]) + tvgp.linear(1.0, dim=2)
        self.assertEqual(pickle.loads(pickle.dumps(kernel)), kernel)
        domain = tvgp.product(tvgp.arms([[0, 1], [2, 3]]), tvgp.indices(3))
        self.assertEqual(pickle.loads(pickle.dumps(domain)), domain)
        self.assertEqual((domain.n, domain.dim, list(domain.point(4))), (6, 3, [2, 3, 1]))

    def test_gram(self):
        for kernel in (tvgp.se(0.5), tvgp.matern(0.5, nu=1.5), tvgp.rational_quadratic(0.5), tvgp.periodic(0.5, 2), tvgp.linear(),
                       tvgp.table([[1, 0.5], [0.5, 1]]), tvgp.categorical(2, 0.5), tvgp.forgetting(0.1), tvgp.wiener(0.1)):
            K = kernel.gram([0.0, 1.0])
            self.assertAlmostEqual(K[0][1], K[1][0])
            self.assertGreaterEqual(K[0][0] + 1e-12, K[0][1])

    def test_gp(self):
        gp = tvgp.GP(tvgp.se(0.5), noise=1e-4)
        gp.add([0.0, 0.5, 1.0], [1.0, 2.0, 1.5])
        mean, var = gp.predict([0.5])
        self.assertAlmostEqual(mean[0], 2.0, places=2)
        evidence = gp.log_marginal_likelihood()
        gp.drop(1)
        self.assertNotEqual(gp.log_marginal_likelihood(), evidence)


class Python(unittest.TestCase):
    def test_threads_share_a_policy(self):
        p = policy()

        def play():
            for _ in range(50):
                p.tell(p.ask(1), 0.5)

        threads = [threading.Thread(target=play) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(p.stat("values"), 200)

    def test_threads_and_parameters(self):
        """No two calls are ever inside one context: what the library's functions see is watched while five threads play."""
        watched, inside, met, failed = _native.library, [], [], []

        def alone(name):
            call = getattr(watched, name)

            def watch(*arguments):
                inside.append(name)
                time.sleep(2e-4)
                met.extend([tuple(inside)] if len(inside) > 1 else [])
                try:
                    return call(*arguments)
                finally:
                    inside.remove(name)
            return watch

        def play(part):
            try:
                for _ in range(5):
                    part()
            except Exception as error:
                failed.append(error)

        p, second = tvgp.Policy("pe-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3)), tvgp.se(0.1) + tvgp.matern(0.2)
        parts = [lambda: p.tell(p.ask(1), 0.5), lambda: p.add_prior(second), p.options, p.stats, p.kernel_parameters]
        names = [name for name in _native.ABI["functions"] if name.split("_")[1] in ("policy", "kernel")]
        with unittest.mock.patch.multiple(watched, **{name: alone(name) for name in names}):
            threads = [threading.Thread(target=play, args=[part]) for part in parts]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((met, failed, p.stat("values")), ([], [], 5))

    def test_log_goes_to_logging(self):
        p = tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 21), tvgp.se(0.2), noise=0.01)
        with self.assertLogs("tvgp", "INFO") as caught:
            for t in range(20):
                p.tell(p.ask(t), 200.0)
        self.assertIn("surprise", " ".join(caught.output))

    @unittest.skipIf(_native.numpy is None, "NumPy is not installed")
    def test_numpy(self):
        import numpy as np
        p = tvgp.Policy("gp-ucb", tvgp.arms(np.random.default_rng(1).random((20, 3))), tvgp.se(0.5, dim=3), seed=np.int64(1), noise=np.float32(.5))
        q = p.ask(0)
        self.assertEqual(q.x.shape, (3,))
        p.tell(q, np.float64(1.0))
        p.observe(np.array([q.x, q.x]), np.array([1.0, 2.0]), t=np.array([0.0, 0.0]))
        mean, var = p.predict(0, np.zeros((4, 3)))
        self.assertEqual((mean.shape, var.shape), ((4,), (4,)))
        p.set_available(np.arange(20) > 10)
        self.assertGreater(p.ask(1).arm, 10)

    def test_functions_by_their_names_in_c(self):
        c, p = tvgp.c, tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 5), tvgp.se(.3), time__clamp=0)
        p.tell(p.ask(1), 0.5)
        self.assertEqual(list(c.policy_predict(p, 1.0)[0]), list(p.predict(1)[0]))
        self.assertEqual(list(c.kernel_gram(tvgp.se(.3), [0.0], [0.0])), [1.0])
        gp = tvgp.GP(tvgp.se(.3))
        gp.add([.1, .2], [1, 2])
        self.assertEqual(len(c.gp_log_marginal_likelihood_gradient(gp)[1]), 3)
        for call, error, text in ((lambda: c.policy_predict(p), TypeError, "takes 3"), (lambda: c.policy_ask(3, 1.0, 1), TypeError, "no policy"),
                                  (lambda: c.policy_predict(tvgp.se(1), 1.0), TypeError, "no policy"),
                                  (lambda: c.gp_add(gp, [.1], None, [1, 2]), ValueError, "not 1"),
                                  (lambda: c.policy_tell(p, [{"id": 0, "why": 1}]), ValueError, "why"),
                                  (lambda: c.policy_ask(p, 2.0, 2**64 + 1), ValueError, "outside"),
                                  (lambda: c.policy_ask(p, 0.0, 1), tvgp.Error, "before 1")):
            with self.assertRaisesRegex(error, text):
                call()
        other = c.policy_clone(p)
        c.policy_destroy(other)
        with self.assertRaises(TypeError):
            c.policy_ask(other, 2.0, 1)
        with self.assertRaises(TypeError):
            c.policy_destroy(p)  # the package's own
        self.assertEqual(p.stat("values"), 1)

    def test_without_numpy(self):
        code = ("import sys; sys.modules['numpy'] = None; import tvgp; p = tvgp.Policy('gp-ucb', tvgp.grid(0, 1, 5), tvgp.se(.3));"
                "q = p.ask(0); p.tell(q, 1); assert type(p.predict(0, [0, 1])[0]) is list; p.observe([[.25], [.5]], [1, 2])")
        subprocess.run([sys.executable, "-B", "-c", code], check=True)


class Times(unittest.TestCase):
    def test_moments_are_seconds(self):
        noon, zone = datetime.datetime(2026, 3, 1, 12), datetime.timezone.utc
        seconds = (noon - datetime.datetime(1970, 1, 1)).total_seconds()
        p = policy(half_life=datetime.timedelta(hours=2))
        self.assertEqual(p.options()["half_life"].value, 7200)
        query = p.ask(noon)
        self.assertEqual(query.t, seconds)
        p.tell(query, 1.0, t=noon.replace(tzinfo=zone))
        east = datetime.datetime(2026, 3, 1, 15, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))  # an hour later
        self.assertEqual(p.ask(east).t, seconds + 3600)
        p.observe([0.1, 0.2], [1, 2], t=[datetime.date(2026, 3, 2), datetime.datetime(2026, 3, 2, 1)])
        self.assertEqual(p.stat("clock"), seconds + 13 * 3600)
        later = noon + datetime.timedelta(days=1)
        self.assertEqual(list(p.predict(later)[0]), list(p.predict(seconds + 86400)[0]))
        self.assertEqual(p.best(later).arm, p.best(seconds + 86400).arm)
        for call in (lambda: p.ask("noon"), lambda: p.ask(None), lambda: p.observe([0.1], [1], t=["noon"])):
            with self.assertRaises((TypeError, ValueError)):
                call()

    @unittest.skipIf(_native.numpy is None, "NumPy is not installed")
    def test_numpy_times(self):
        np = _native.numpy
        p = policy()
        self.assertEqual(p.ask(np.datetime64("1970-01-02")).t, 86400.0)
        p.observe([0.1, 0.2], [1, 2], t=np.array(["1970-01-03", "1970-01-04"], "datetime64[s]"))
        self.assertEqual(p.stat("clock"), 3 * 86400)
        with self.assertRaises(ValueError):
            p.ask(np.datetime64("NaT"))


def lines_in(svg, kind):
    """Points of the lines of this kind."""
    return [[tuple(map(float, point.split())) for point in path.rstrip("Z").split("L")] for path in re.findall(rf'class="{kind}" d="M([^"]*)"', svg)]


class Pictures(unittest.TestCase):
    def test_belief(self):
        p, told = policy(), []
        for t in range(1, 30):
            query = p.ask(t)
            told.append((query.x[0], -((query.x[0] - 0.7) ** 2)))
            p.tell(query, told[-1][1])
        svg = p.plot(observations=told).svg
        (mean,), (band,) = lines_in(svg, "mean"), lines_in(svg, "band")
        values = p.predict(29)[0]
        self.assertEqual((len(mean), len(band), svg.count('class="told"')), (11, 22, 29))
        # Places of a picture count downwards.
        self.assertEqual([a > b for (_, a), (_, b) in zip(mean, mean[1:])], [a < b for a, b in zip(values, values[1:])])
        best, = re.findall(r'class="best" cx="([0-9.]+)"', svg)
        self.assertAlmostEqual(float(best), mean[p.best(29).arm][0], places=1)
        self.assertEqual(p._repr_html_(), p.plot(29).svg)
        with self.assertRaisesRegex(ValueError, "one or two"):
            tvgp.Policy("gp-ucb", tvgp.box([0] * 3, [1] * 3), tvgp.se([1.0] * 3)).plot()
        self.assertIn("random", tvgp.Policy("random", tvgp.indices(3))._repr_html_())

    def test_map(self):
        p = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 2]), tvgp.se([0.3, 0.5]))
        p.observe([[0.2, 1.5]], [1.0], t=0)
        svg = p.plot(observations=[([0.2, 1.5], 1.0)]).svg
        cells = re.findall(r'<rect x="([0-9.]+)" y="([0-9.]+)" width="[0-9.]+" height="[0-9.]+" fill="#(\w+)"', svg)
        self.assertEqual(len(cells), 2500)
        darkest = min(cells, key=lambda cell: sum(bytes.fromhex(cell[2])))
        self.assertAlmostEqual((float(darkest[0]) - 64) / 712, 0.2, delta=0.03)
        self.assertAlmostEqual((560 - float(darkest[1])) / 520, 0.75, delta=0.03)

    def test_replay(self):
        days, total = 300, 0.0
        table = {f"{x}": [1 - (x - 5 - 4 * math.sin(0.02 * t)) ** 2 / 20 for t in range(days)] for x in range(11)}
        result = tvgp.replay(table, ["auto-gp-ucb", "random", "gp-ucb"], half_life=50)
        rows = list(zip(*table.values()))
        for record in result.runs["auto-gp-ucb"]:
            row = rows[int(record["t"])]
            total += max(row) - row[record["arm"]]
            self.assertEqual(record["y"], row[record["arm"]])
        self.assertAlmostEqual(result.regrets["auto-gp-ucb"], total)
        self.assertAlmostEqual(result.regrets["best option, always"], min(sum(max(r) - r[i] for r in rows) for i in range(11)))
        self.assertLess(result.regrets["auto-gp-ucb"], 0.5 * result.regrets["random"])
        self.assertEqual(result.table().split()[0], min(result.regrets, key=result.regrets.get).split()[0])
        self.assertEqual(len(lines_in(result.plot().svg, "line3")[0]), days)
        costs = tvgp.replay({k: [-v for v in column] for k, column in table.items()}, ["random"], sense="min")
        self.assertAlmostEqual(costs.regrets["random"], result.regrets["random"])
        self.assertIn("action", tvgp.plot_run(result.runs["auto-gp-ucb"]).svg)
        for bad in ([], {"a": [1.0]}, [[1.0, 2.0], [1.0]]):
            with self.assertRaises(ValueError):
                tvgp.replay(bad)

    def test_replay_takes_tables(self):
        class Frame:  # what a pandas.DataFrame is here
            index = [datetime.datetime(2026, 1, 1) + datetime.timedelta(days=i) for i in range(40)]
            columns, rows = ["red", "blue"], [[float(i % 3), math.nan if i == 7 else 1.0] for i in range(40)]

            def to_numpy(self):
                return self

            def tolist(self):
                return self.rows

        result = tvgp.replay(Frame(), ["auto-gp-ucb"])
        run = result.runs["auto-gp-ucb"]
        self.assertEqual((run[1]["t"] - run[0]["t"], run[7]["arm"]), (86400, 0))
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / "t.csv"
            lines = [f"{t:%Y-%m-%d},{a},{'' if b != b else b}\n" for t, (a, b) in zip(Frame.index, Frame.rows)]
            path.write_text("time,red,blue\n" + "".join(lines), encoding="utf-8")
            self.assertEqual(tvgp.replay(path, ["auto-gp-ucb"]).regrets, result.regrets)

    def test_log_of_the_program(self):
        lines = [{"n": 1, "call": "create", "policy": "auto-gp-ucb"}, {"n": 2, "call": "ask", "id": 1, "t": 1, "x": [0.5], "best_x": [0.4]},
                 {"n": 3, "call": "tell", "id": 1, "y": 2.0}, {"n": 4, "call": "ask", "id": 2, "t": 2, "x": [0.75], "best_x": [0.5]}]
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / "state.log"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            svg = tvgp.plot_run(path).svg
            path.write_text("", encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "no asks"):
                tvgp.plot_run(path)
        self.assertEqual((svg.count('class="told2"'), len(lines_in(svg, "line3")[0])), (2, 2))

    def test_metrics(self):
        p = policy()
        p.tell(p.ask(1), 0.5)
        lines = p.metrics(shop='n"1').splitlines()
        self.assertEqual(lines[-1], "# EOF")
        self.assertEqual(len(lines), 3 * len(p.stats()) + 1)
        self.assertIn('tvgp_values_total{policy="tv-gp-ucb",shop="n\\"1"} 1.0', lines)
        self.assertEqual(set(p.stats("headline")), {"surprise", "pending", "clock", "resets"})
        self.assertEqual(len(p.metrics("headline").splitlines()), 13)
        self.assertEqual({s.key: s.unit for s in p.stat_info("headline")}["clock"], "time")
        self.assertRaises(ValueError, p.stats, "headlines")
        for kind, help_line, value in zip(lines[0::3], lines[1::3], lines[2::3]):
            name = kind.split()[2]
            self.assertRegex(name, "^tvgp_[a-zA-Z0-9_]+$")
            self.assertTrue(help_line.startswith(f"# HELP {name} "))
            self.assertTrue(value.startswith(name + ("_total{" if kind.endswith(" counter") else "{")))
            float(value.rsplit(" ", 1)[1])

    def test_notebook(self):
        book = json.loads((ROOT / "examples/notebooks/drift.ipynb").read_text(encoding="utf-8"))
        self.assertEqual(len(book["cells"]), 10)
        names, before = {}, os.getcwd()
        os.chdir(ROOT / "examples/notebooks")
        try:
            for cell in book["cells"]:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)  # pylint: disable=exec-used
        finally:
            os.chdir(before)
        self.assertIn("<svg", names["twin"]._repr_html_())


if __name__ == "__main__":
    unittest.main()
