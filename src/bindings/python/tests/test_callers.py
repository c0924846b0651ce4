# SPDX-License-Identifier: MIT
"""Values, tables, functions and interrupts as callers pass them."""
import datetime
import decimal
import fractions
import importlib.util
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import pathlib

import tvgp
from tvgp import _native

PANDAS = importlib.util.find_spec("pandas") is not None
NUMPY = _native.numpy is not None


def arms(n=3, **options):
    return tvgp.Policy("auto-gp-ucb", tvgp.indices(n), **options)


def box(dim=1, **options):
    return tvgp.Policy("gp-ucb", tvgp.box([0.0] * dim, [1.0] * dim), tvgp.se(0.3, dim=dim), **options)


class Cases(unittest.TestCase):
    def refused(self, text, call, error=(TypeError, ValueError)):
        with self.assertRaises(error) as caught:
            call()
        self.assertRegex(str(caught.exception), text)
        self.assertNotRegex(str(caught.exception), r"tvgp_|NULL|or_null")


class Numbers(Cases):
    def test_numbers_of_other_types(self):
        p = tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 11), tvgp.se(0.3), noise=decimal.Decimal("0.02"), half_life=fractions.Fraction(5))
        self.assertEqual((p.options()["noise"].value, p.options()["half_life"].value), (0.02, 5.0))
        p.tell(p.ask(decimal.Decimal(1)), decimal.Decimal("12.50"))
        p.observe(fractions.Fraction(1, 2), True, t=decimal.Decimal("1.5"), noise_var=fractions.Fraction(1, 2))
        self.assertEqual((p.stat("values"), p.stat("clock")), (1, 1.5))

    def test_a_message_names_its_argument(self):
        p, q = arms(), arms().ask(1)
        for text, call in ((r"^y = 'n/a' must be a number", lambda: p.tell(q, "n/a")), (r"^y = '7'", lambda: p.tell(q, "7")),
                           (r"y = None must be a number", lambda: p.tell(q)), (r"^y\[0\] = None", lambda: p.tell(q, [None])),
                           (r"query = '7' must be a whole number", lambda: p.tell("7", 1.0)), (r"query = None", lambda: p.tell(None, 1.0)),
                           (r"query = 1.5", lambda: p.tell(1.5, 1)), (r"query = ", lambda: p.charge("7", 1)),
                           (r"^noise_var = 'x'", lambda: p.tell(q, 1, noise_var="x")), (r"^exposure\[0\]", lambda: p.tell(q, 1, exposure=["x"])),
                           (r"^t = 'noon' must be a number, a date", lambda: p.ask("noon")), (r"^t = None", lambda: p.ask(None)),
                           (r"^t\[1\] = 'noon'", lambda: p.observe([0, 1], [1, 2], t=[0, "noon"])),
                           (r"^x\[0\] = 'a' must be a number", lambda: p.observe(["a"], 1, t=0)), (r"^x = 'a'", lambda: p.observe("a", 1, t=0)),
                           (r"^x is a dict", lambda: p.observe({0: 1}, 1, t=0)), (r"^y is a set", lambda: p.observe([0, 1], {1, 2}, t=0)),
                           (r"^option noise = None must be a number", lambda: arms(noise=None)), (r"^option seed = \[1\]", lambda: arms(seed=[1])),
                           (r"^mask\[1\] = 2", lambda: p.set_available([0, 2, 1])), (r"^mask = 'abc'", lambda: p.set_available("abc")),
                           (r"^mean\[1\] = '2'", lambda: p.set_prior_mean([1, "2", 3])), (r"^costs = 'x'", lambda: p.set_costs("x")),
                           (r"^budget = 'x'", lambda: p.set_budget("x")), (r"^cap = 'x'", lambda: p.ask(1, cap="x")),
                           (r"^outcome = 'fail' must be one of value, ", lambda: p.tell(q, outcome="fail")),
                           (r"^lower = '0'", lambda: tvgp.grid("0", 1, 2)), (r"^points = 2.5", lambda: tvgp.grid(0, 1, 2.5)),
                           (r"^lengthscale\[1\] = None", lambda: tvgp.se([1, None])), (r"^variance", lambda: tvgp.categorical("x")),
                           (r"^share\[1\] = 'x'", lambda: tvgp.assign([.5, "x"], 1)), (r"^key = 1.5", lambda: tvgp.assign([.5, .5], 1.5)),
                           (r"^runs\[0\]: y\[1\] = 'x'", lambda: tvgp.learn_prior(tvgp.indices(2), [([0, 1], [1, "x"])])),
                           (r"^epsilon = '1'", lambda: tvgp.forgetting("1")), (r"^z = 'x'", lambda: p.set_context_point("x"))):
            with self.subTest(text):
                self.refused(text, call)
        self.assertEqual((p.stat("asked"), p.stat("values")), (0, 0))

    def test_names_that_are_not_text(self):
        p = arms()
        for text, call in ((r"^key = 1 must be a str", lambda: p.stat(1)), (r"^text = 0.5 must be", lambda: tvgp.Policy.described(.5)),
                           (r"^name = None must be", lambda: p.model(None)), (r"^name = None", lambda: tvgp.Policy(None, tvgp.indices(2))),
                           (r"name of an option = 1 must", lambda: p.set({1: 2}))):
            self.refused(text, call, TypeError)

    @unittest.skipUnless(NUMPY, "NumPy is not installed")
    def test_numpy(self):
        np = _native.numpy
        p = tvgp.Policy("tv-gp-ucb", tvgp.grid(5, 25, 201), tvgp.se(2.0))
        p.tell(p.ask(np.float32(1)), np.array(0.5))
        p.observe(np.float32(24.7), np.int8(3), t=np.int64(2))
        self.assertEqual(p.stat("unsolicited"), 1)
        for text, call in ((r"^y = ", lambda: p.tell(p.ask(3), np.timedelta64(1, "s"))), (r"^x\[0\] = '5'", lambda: p.observe(np.array(["5"]), 1)),
                           (r"^x\[0\] = None", lambda: p.observe(np.array([None]), 1)), (r"^y\[0\] = \(?1", lambda: p.observe([5], np.array([1j])))):
            self.refused(text, call)
        masked = np.ma.masked_array([5.0, 6.0], mask=[False, True])
        self.refused("x", lambda: p.observe(masked, [1, 2]), tvgp.Error)
        self.assertEqual(p.stat("unsolicited"), 1)

    def test_points_that_were_rounded(self):
        p = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 1, 11))
        for x in (.3, .30000001192092896, .3 + 9e-7, .3 - 1e-12):
            p.observe(x, 1.0, t=0)
        self.assertEqual(p.stat("unsolicited"), 4)
        for x, near in ((.33, "0.29999999999999999"), (.3 + 3e-6, "0.29999999999999999"), (-.5, "0")):
            self.refused(rf"x\[0\] = \({x:.17g}\).*nearest.*\({near}\)", lambda: p.observe(x, 1.0, t=0), tvgp.Error)
        q = tvgp.Policy("gp-ucb", tvgp.arms([[0, 100], [1e-9, 100], [1, 200.1]]), tvgp.se([1, 100]))
        q.observe([[1 + 1e-8, 200.10000610351562], [1e-9, 100]], [1, 2], t=0)
        self.refused(r"nearest", lambda: q.observe([5e-10, 100], 1), tvgp.Error)  # between two points

    def test_query_as_a_dictionary(self):
        p = tvgp.Policy("gp-ucb", tvgp.box([0, 0], [1, 1]), tvgp.se([.3, .3]))
        q = p.ask(1)
        self.assertEqual(json.loads(json.dumps(q.to_dict())), {**q._asdict(), "x": list(q.x)})

    def test_users_with_names(self):
        share = [.5, .3, .2]
        self.assertEqual(tvgp.assign(share, "user-17"), tvgp.assign(share, b"user-17"))
        self.assertEqual(tvgp.assign(share, "user-17"), tvgp.assign(share, 0x6d7d4f3b20ca2bd7))
        counts = [0, 0, 0]
        for i in range(2000):
            counts[tvgp.assign(share, f"user-{i}")] += 1
        for count, wanted in zip(counts, share):
            self.assertAlmostEqual(count / 2000, wanted, delta=0.04)


class Tables(Cases):
    rows = [[.1, .2], [.5, .6], [.9, .1]]

    class Frame:
        """A table of any library: it converts itself, and iterates over its columns."""

        def __init__(self, rows):
            self.rows, self.columns = rows, range(len(rows[0]))

        def __iter__(self):
            return iter(self.columns)

        def to_numpy(self):
            return self.rows

    def test_tables_as_points(self):
        frames = [self.Frame(self.rows)]
        if PANDAS:
            import pandas
            frames += [pandas.DataFrame(self.rows), pandas.DataFrame(self.rows, columns=list("ab"))]
        for frame in frames:
            p, twin = box(2), box(2)
            self.assertEqual(p.ask(0, candidates=frame).to_dict(), twin.ask(0, candidates=self.rows).to_dict())
            p.observe(frame, [1, 2, 3], t=1)
            twin.observe(self.rows, [1, 2, 3], t=1)
            self.assertEqual(p.save(), twin.save())
            self.assertEqual(len(p.predict(1, frame)[0]), 3)
            self.assertEqual(len(p.evaluate(1, frame).mean), 3)
            self.assertEqual(tvgp.arms(frame), tvgp.arms(self.rows))
            self.refused("2 coordinates, not 3", lambda: box(3).observe(frame, [1, 2, 3], t=1))

    @unittest.skipUnless(PANDAS, "pandas is not installed")
    def test_columns(self):
        import pandas
        p = box()
        p.observe(pandas.Series([.1, .2], index=[7, 9]), pandas.Series([1, 2], index=list("ab")), t=pandas.to_datetime(["2026-01-01", "2026-01-02"]))
        self.assertEqual(p.stat("unsolicited"), 2)
        self.refused(r"^y\[1\] = <NA>", lambda: p.observe([.1, .2], pandas.Series([1, pandas.NA], dtype="Int64")))
        self.refused(r"^t\[0\] = NaT", lambda: p.observe([.1], [1], t=[pandas.NaT]))
        self.refused(r"^y = ", lambda: p.tell(p.ask(pandas.Timestamp("2026-01-03")), pandas.NA))

    def test_records_and_tables(self):
        triples = [(t, t % 3, float(t % 5)) for t in range(60)]
        p = arms(3)
        p.learn_history(records=triples)
        self.assertEqual(p.stat("history.records"), 60)
        for log in (triples, [list(r) for r in triples]):
            self.refused("use records=", lambda: arms(3).learn_history(log))
        table = [[float(t % 5), 0.5 + t % 2, 1.0] for t in range(60)]
        q = arms(3)
        q.learn_history(table)
        self.assertEqual(q.stat("history.records"), 180)
        q.learn_history([list(r) for r in triples], t=range(-60, 0))
        r = arms(4)
        r.learn_history(triples)  # of four arms a row of three is a record
        self.assertEqual((q.stat("history.records"), r.stat("history.records")), (180, 60))
        for text, call in (("data or records", lambda: p.learn_history()), ("t belongs to data", lambda: p.learn_history(records=triples, t=[1])),
                           (r"records\[0\] = ", lambda: p.learn_history(records=[(1, 2)])), (r"records\[1\]: y = None", lambda: p.learn_history(records=[(1, 2, 3), (1, 2, None)])),
                           (r"records\[0\]: arm = 1.5", lambda: p.learn_history(records=[(1, 1.5, 3)])), (r"records\[0\]: t = 'x'", lambda: p.learn_history(records=[("x", 1, 3)])),
                           (r"records\[0\] = 'a'", lambda: p.learn_history(records="abc")), (r"data\[0,1\] = 'x'", lambda: r.learn_history([[1, "x", 2, 3]]))):
            self.refused(text, call)
        if PANDAS:
            import pandas
            frame = pandas.DataFrame(triples, columns=["t", "arm", "y"])[["y", "t", "arm"]]
            twin = arms(3)
            twin.learn_history(records=frame)
            self.assertEqual(list(twin.prior_mean(60)), list(p.prior_mean(60)))
            holes = pandas.DataFrame({"a": pandas.array([1, None, 3], dtype="Int64"), "b": [1.0, 2.0, math.nan]})
            two = arms(2)
            two.learn_history(holes)
            self.assertEqual(two.stat("history.records"), 4)


class Clock(Cases):
    def test_the_clock_of_the_system(self):
        p, before = arms(), time.time()
        q = p.ask()
        self.assertTrue(before <= q.t <= time.time())
        self.assertEqual(len(p.ask(cap=2)), 1)
        failed = []

        def play():
            try:
                for _ in range(50):
                    p.tell(p.ask(), 0.5)
            except tvgp.Error as error:
                failed.append(error)

        threads = [threading.Thread(target=play) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((failed, p.stat("values")), ([], 200))

    def test_times_that_go_back(self):
        p = arms()
        for t in (datetime.datetime(2026, 10, 25, 2, 50), datetime.datetime(2026, 10, 25, 2, 10)):
            p.tell(p.ask(t), 1)
        self.assertEqual(p.options()["time.clamp"].value, 1)
        strict = arms(time__clamp=0)
        strict.ask(2)
        with self.assertRaises(tvgp.Error):
            strict.ask(1)
        for text, value in (("auto-gp-ucb indices=2", 1), ("auto-gp-ucb indices=2 time.clamp=0", 0)):
            self.assertEqual(tvgp.Policy.described(text).options()["time.clamp"].value, value)


class Texts(Cases):
    def test_short_and_equal(self):
        p = arms(4)
        for t in range(30):
            p.tell(p.ask(t), .1)
        r, d = tvgp.Policy.restore(p.save(full=True)), tvgp.Policy.described("auto-gp-ucb grid=0:1:5")
        self.assertEqual(repr(p), repr(r))
        self.assertEqual(repr(p), "<tvgp.Policy auto-gp-ucb, indices(4 arms), 30 outcomes>")
        self.assertEqual(repr(d), "<tvgp.Policy auto-gp-ucb, grid(5 arms, 1 coordinate), 0 outcomes>")
        self.assertEqual((r.domain, d.domain), (p.domain, tvgp.grid(0, 1, 5)))
        self.assertEqual(hash(r.domain), hash(p.domain))
        for a, b in ((tvgp.indices(4), tvgp.indices(5)), (tvgp.box(0, 1), tvgp.box(0, 2)), (tvgp.box(0, 3), tvgp.box(0, 3, integer=[0])),
                     (tvgp.grid(0, 1, 3), tvgp.grid(0, 1, 5)), (tvgp.arms([[0], [1]]), tvgp.arms([[1], [0]]))):
            self.assertNotEqual(a, b)
        big = tvgp.Policy("gp-ucb", tvgp.product(tvgp.arms([[i, i] for i in range(500)]), tvgp.box(0, 1)), tvgp.se(1, dim=3))
        self.assertLess(len(repr(big)), 100)
        big.close()
        self.assertIn("closed", repr(big))

    def test_paths_of_snapshots(self):
        for call in (lambda: tvgp.Policy.restore("state.bin"), lambda: tvgp.Policy.restore(pathlib.Path("state.bin")), lambda: arms().load("state.bin")):
            self.refused("read the file", call, TypeError)
        self.refused("snapshot = 7 must be bytes", lambda: tvgp.Policy.restore(7), TypeError)


class Functions(Cases):
    def test_feasible(self):
        p, seen = box(2), []

        def below(X):
            seen.append(len(X))
            return [x[0] + x[1] <= 0.5 for x in X]

        p.set_feasible(below)
        for twin in (p, p.clone()):
            for t in range(5):
                q = twin.ask(t)
                self.assertLessEqual(sum(q.x), 0.5)
                twin.tell(q, sum(q.x))
        self.assertTrue(seen)
        with self.assertRaises(Exception):
            pickle.dumps(p)  # a function inside a function
        p.set_feasible(None)
        self.assertGreater(sum(p.ask(9).x), 0.5)
        pickle.loads(pickle.dumps(p)).ask(10)

        def wrong(X):
            raise KeyError("mine")

        p.set_feasible(wrong)
        with self.assertRaisesRegex(KeyError, "mine"):
            p.ask(11)
        p.set_feasible(lambda X: [True])
        self.refused("set_feasible gave 1 values", lambda: p.ask(11))
        self.refused("f = 7 must be a function", lambda: p.set_feasible(7))
        self.refused("box", lambda: arms().set_feasible(below), tvgp.Error)

    def test_mean(self):
        p, q = box(), box()
        p.set_prior_mean_fn(lambda X: [10 * x[0] for x in X])
        q.set_prior_mean_fn(lambda X: [10 * x[0] for x in X], gradient=lambda X: [[10.0] for _ in X])
        for policy in (p, q, p.clone()):
            self.assertAlmostEqual(policy.predict(0, [.25])[0][0], 2.5)
            self.assertAlmostEqual(policy.evaluate(0, [[0.0], [.25]], "dmean").dmean[1][0], 10, places=6)
            self.assertAlmostEqual(policy.ask(0).x[0], 1)
        p.set_prior_mean_fn()
        self.assertEqual(p.predict(0, [.25])[0][0], 0)

    def test_kernel(self):
        def se(X, Z):
            return [[math.exp(-.5 * ((x[0] - z[0]) / .3) ** 2) for z in Z] for x in X]

        own, built_in = (tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 11), k) for k in (tvgp.kernel(se, 1), tvgp.se(.3)))
        for t in range(20):
            queries = [p.ask(t) for p in (own, built_in)]
            self.assertEqual(queries[0].arm, queries[1].arm)
            for p, q in zip((own, built_in), queries):
                p.tell(q, math.sin(q.x[0] * 5 + t / 9))
        twin = own.clone()
        self.assertEqual(twin.ask(20).arm, own.ask(20).arm)
        both = tvgp.kernel(se) * tvgp.se(.3) + tvgp.kernel(se)
        self.assertAlmostEqual(both.gram([0.0], [.3])[0][0], math.exp(-1) + math.exp(-.5))

        def wrong(X, Z):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 3), tvgp.kernel(wrong)).ask(0)
        self.refused("function of the kernel gave 1 values, must be 9", lambda: tvgp.kernel(lambda X, Z: [1]).gram([0, .5, 1]))

    @unittest.skipUnless(hasattr(signal, "raise_signal") and sys.implementation.name == "cpython", "needs CPython")
    def test_interrupt(self):
        code = ("import random, tvgp, time, os, threading, signal; r = random.Random(1);"
                "p = tvgp.Policy('auto-gp-ucb', tvgp.indices(200)); T = [[r.gauss(0, 1) for _ in range(200)] for _ in range(2000)];"
                "at = []; threading.Timer(.3, lambda: (at.append(time.time()), os.kill(os.getpid(), signal.SIGINT))).start()\n"
                "try: p.learn_history(T)\n"
                "except KeyboardInterrupt: print(time.time() - at[0], p.stat('history.records'))")
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)
        late, records = map(float, done.stdout.split())
        self.assertLess(late, 0.5)
        self.assertEqual(records, 0)  # nothing has changed


class Types(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("TVGP_TESTS") == "all" and shutil.which("mypy"), "by night, where mypy is installed")
    def test_mistakes_that_mypy_finds(self):
        code = """import tvgp
p = tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 3))
p.ask(1).am
p.ask(1, cap=2).arm
q = p.ask(1)
p.tell(q, outcome="fail")
p.tell("7", 1.0)
if q is not None:
    p.tell(q, 1.0, t=2)
    print(q.arm, p.predict(1), p.stats("learned"), [one.arm for one in p.ask(1, 3)], [one.id for one in p.ask(2, slate=2)])
"""
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work) / "mistakes.py"
            path.write_text(code, encoding="utf-8")
            environment = {**os.environ, "MYPYPATH": str(pathlib.Path(tvgp.__file__).parents[1])}
            done = subprocess.run(["mypy", "--cache-dir", work, str(path)], capture_output=True, text=True, check=False, env=environment)
        found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        self.assertEqual(found, {3, 4, 6, 7}, done.stdout)


class OneQueryTest(unittest.TestCase):
    """ask(t) and tell(query, number) take fewer conversions than lists: the same queries, and the same errors."""

    def said(self, call):
        with self.assertRaises((tvgp.Error, ValueError)) as raised:
            call()
        return type(raised.exception), str(raised.exception)

    def test_as_lists(self):
        one, lists = (tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, 9)) for _ in range(2))
        for t in range(1, 40):
            query, (other,) = one.ask(t), lists.ask(t, cap=1)
            self.assertEqual(query.to_dict(), other.to_dict())
            y = 1 - (query.x[0] - t / 40) ** 2
            one.tell(query, y)
            lists.tell([other], [y])
        self.assertEqual(one.save(), lists.save())

    def test_errors(self):
        policy = tvgp.Policy("gp-ucb", tvgp.grid(0, 1, 5))
        query, nan = policy.ask(1), float("nan")
        unknown = query._replace(id=99)
        self.assertEqual(self.said(lambda: policy.ask(nan)), self.said(lambda: policy.ask(nan, cap=1)))
        self.assertEqual(self.said(lambda: policy.tell(query, nan)), self.said(lambda: policy.tell([query], [nan])))
        self.assertEqual(self.said(lambda: policy.tell(unknown, 1.0)), self.said(lambda: policy.tell([unknown], [1.0])))
        policy.close()
        self.assertEqual(self.said(lambda: policy.tell(query, 1.0)), self.said(lambda: policy.tell([query], [1.0])))
        self.assertEqual(self.said(lambda: policy.ask(2)), self.said(lambda: policy.ask(2, cap=1)))


if __name__ == "__main__":
    unittest.main()
