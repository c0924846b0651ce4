# SPDX-License-Identifier: MIT
"""test_tool.py TVGP: the program tvgp(1) as a shell uses it. With the library in TVGP_LIBRARY and its Python package in reach."""
import csv
import io
import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest

import tvgp

PROGRAM = sys.argv.pop(1)
ALL = os.environ.get("TVGP_TESTS") == "all"  # by night


def run(*words, code=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"tvgp {' '.join(map(str, words))}: exit code {done.returncode}, not {code}\n{done.stderr}")
    return done.stdout if code == 0 else done.stderr


def load(*words):
    return json.loads(run(*words, "--json"))


def reward(t, *x):
    return 10 - sum((v - 3 - math.sin(t / 15)) ** 2 for v in x)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "state.tvgp"

    def same(self, a, b):
        """Equal to round-off: the library has a BLAS, the program has plain loops."""
        self.assertLess(abs(a - b), 1e-12 * (1 + abs(b)))

    def log(self):
        return [json.loads(line) for line in pathlib.Path(f"{self.file}.log").read_text().splitlines()]


class Play(Case):
    def alike(self, place, domain, steps, **options):
        """The program in a process for each call, and the library in one."""
        run("create", self.file, place, *(f"{k}={v}" for k, v in options.items()))
        twin = tvgp.Policy("auto-gp-ucb", domain, None, **options)
        late = None
        for t in range(1, steps + 1):
            words = run("ask", self.file).split()
            query = twin.ask(t)
            self.assertEqual((int(words[0]), [float(w) for w in words[1:]]), (query.id, list(query.x)))
            y = reward(t, *query.x)
            if t % 5 == 0:
                run("skip", self.file, query.id)
                twin.tell(query, outcome="skipped")
            elif t % 7 == 0:
                late = (query.id, y)
            else:
                run("tell", self.file, query.id, repr(y), "--noise", 0.04)
                twin.tell(query.id, y, noise_var=0.04)
            if late and t % 7 == 3:
                run("tell", self.file, late[0], repr(late[1]))
                twin.tell(*late)
                late = None
        found, best = load("best", self.file), twin.best(steps)
        self.assertEqual(found["x"], list(best.x))
        self.same(found["mean"], twin.predict(steps, [list(best.x)])[0][0])
        self.assertEqual(load("show", self.file)["stats"]["values"], twin.stat("values"))

    def test_grid_as_in_one_process(self):
        self.alike("grid=0:6:31", tvgp.grid(0, 6, 31), 100 if ALL else 40)

    def test_box_as_in_one_process(self):
        self.alike("box=0:6,1:5", tvgp.box([0, 1], [6, 5]), 12, sense="min")

    def test_names(self):
        run("create", self.file, "names=red,green,blue", "policy=tv-gp-ucb")
        worth = {"red": 1.0, "green": 3.0, "blue": 2.0}
        run("observe", self.file, "green", 3.1)
        for _ in range(15):
            name, number = run("ask", self.file).split()[::-1]
            run("tell", self.file, number, worth[name])
        self.assertEqual(run("best", self.file).split()[0], "green")
        self.assertEqual(load("best", self.file)["name"], "green")
        self.assertEqual(self.log()[1]["name"], "green")
        self.assertIn("pink", run("observe", self.file, "pink", 1, code=1))

    def test_arms_and_whole_numbers(self):
        run("create", self.file, "arms=512:1,1024:2,4096:2", "names=small,middle,large")
        self.assertIn(load("ask", self.file)["name"], ("small", "middle", "large"))
        other = f"{self.file}2"
        run("create", other, "box=1:64:integer")
        for _ in range(6):
            number, x = run("ask", other).split()
            self.assertEqual(float(x), int(float(x)))
            run("tell", other, number, -abs(int(float(x)) - 20))
        self.assertEqual(load("observe", other, 20, 0)["x"], [20])

    def test_ranking_as_in_python(self):
        for sense, words, mask in (("max", (), [1] * 7), ("min", ("--available", "0:3,2:3,1:3", "--draws", 500), [1, 0, 1, 0, 1, 0, 0])):
            file = f"{self.file}{sense}"
            run("create", file, "grid=0:3:7,3:4:1", f"sense={sense}", "seed=3")
            twin = tvgp.Policy("auto-gp-ucb", tvgp.grid([0, 3], [3, 4], [7, 1]), None, sense=sense, seed=3)
            for t in range(1, 9):
                run("observe", file, t % 4 / 2, 3, math.sin(t))
                twin.observe([t % 4 / 2, 3], math.sin(t), t=t)
            before = pathlib.Path(file).read_bytes()
            found, want = load("ranking", file, *words), twin.ranking(8, mask, draws=500 if words else 1024)
            self.assertEqual([row["arm"] for row in found], [r.arm for r in want])
            self.assertEqual(len(found), sum(mask))
            self.assertAlmostEqual(sum(row["probability"] for row in found), 1)
            for row, r in zip(found, want):
                self.assertEqual(row["x"], list(r.x))
                for key in ("score", "mean", "sd"):
                    self.same(row[key], getattr(r, key))
                self.assertAlmostEqual(row["probability"], r.probability, delta=0.005)  # a draw or two by round-off
            lines = run("ranking", file, *words).splitlines()
            self.assertEqual(lines[0].split(), ["score", "mean", "sd", "best", "action"])
            self.assertEqual([[float(v) for v in line.split()[4:]] for line in lines[1:]], [row["x"] for row in found])
            self.assertEqual(pathlib.Path(file).read_bytes(), before)
            if not words:
                run("available", file, "0:3,1:3")
                self.assertEqual({row["arm"] for row in load("ranking", file)}, {0, 2})
                first = load("ranking", file, "--t", 9)[0]["arm"]
                self.assertEqual(load("ask", file)["arm"], first)

    def test_ranking_refused(self):
        run("create", self.file, "box=0:6")
        self.assertIn("a box has no arms", run("ranking", self.file, code=1))
        other = f"{self.file}2"
        run("create", other, "names=a,b", "policy=random")
        self.assertIn("random", run("ranking", other, code=1))
        self.assertIn("does not take", run("ranking", other, "--floor", 0.1, code=2))

    def test_slate_and_shares(self):
        file = os.path.join(self.folder.name, "slate")
        run("create", file, "names=a,b,c,d")
        lines = [line.split() for line in run("ask", file, "--slate", 3).splitlines()]
        self.assertEqual([line[0] for line in lines], ["1", "2", "3"])
        self.assertEqual(len({line[1] for line in lines}), 3)
        shares = load("shares", file, "--floor", 0.2, "--draws", 100)
        self.assertAlmostEqual(sum(row["share"] for row in shares), 1)
        self.assertTrue(all(row["share"] >= 0.05 for row in shares))
        self.assertIn("power", run("shares", file, "--power", 1000, code=2))

    def test_budget(self):
        file = os.path.join(self.folder.name, "budget")
        self.assertIn("costs", run("create", file, "names=a,b", "budget=2", code=2))
        run("create", file, "names=a,b", "budget=2", "period=100", "asks=10", "costs=.9,.9")
        for id in (1, 2):
            self.assertEqual(run("ask", file).split()[0], str(id))
        run("ask", file, code=3)
        run("charge", file, 1, 0.1)
        self.assertEqual(run("ask", file).split()[0], "3")
        self.assertIn("charged", run("charge", file, 1, 0.1, code=1))

    def test_counts(self):
        """COUNT/EXPOSURE as tell with an exposure."""
        run("create", self.file, "grid=0:1:6", "outcome.type=poisson")
        twin = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 1, 6), None, **{"outcome.type": "poisson"})
        for t in range(1, 15):
            words, query = run("ask", self.file).split(), twin.ask(t)
            self.assertEqual(float(words[1]), query.x[0])
            run("tell", self.file, words[0], f"{t % 4}/2.5")
            twin.tell(query, t % 4, exposure=2.5)
        run("observe", self.file, 0.4, "3/2", "--t", 14)
        twin.observe([0.4], 3, t=14, exposure=2)
        self.same(load("best", self.file)["mean"], twin.predict(14, [list(twin.best(14).x)])[0][0])
        self.assertEqual(self.log()[-1]["exposure"], 2)
        for bad in ("3/", "/2", "3/x", "1/2/3"):
            run("tell", self.file, 99, bad, code=2)

    def test_bounds(self):
        run("create", self.file, "grid=0:1:2", "policy=tv-gp-ucb", "sense=min", "se=1", "noise=.1")
        twin = tvgp.Policy.described("grid=0:1:2 policy=tv-gp-ucb sense=min se=1 noise=.1")
        for t, (word, side) in enumerate(((">2.5", "right"), ("<-1", "left")), 1):
            run("ask", self.file)
            run("tell", self.file, t, word)
            twin.tell(twin.ask(t), float(word[1:]), censored=side)
            self.assertEqual(self.log()[-1]["censored"], side)
        run("ask", self.file)
        self.assertIn("number", run("tell", self.file, 3, ">x", code=2))
        self.same(load("best", self.file)["mean"], float(min(twin.predict(3)[0])))

    def test_cost_weight(self):
        run("create", self.file, "names=a,b", "costs=1,2", "cost.weight=.1")
        twin = tvgp.Policy.described("names=a,b cost.weight=.1")
        twin.set_costs([1, 2])
        for t in range(1, 9):
            if t == 5:
                run("cost-weight", self.file, ".7")
                twin.set_cost_weight(0.7)
            query = twin.ask(t)
            self.assertEqual(run("ask", self.file).split()[1], "ab"[query.arm])
            run("tell", self.file, t, query.arm)
            twin.tell(query, query.arm)
        self.assertIn("effective", run("estimate", self.file, "--uniform") + "effective")
        self.assertIn("weight = -1", run("cost-weight", self.file, "-1", code=1))

    def test_parts_and_payoffs(self):
        run("create", self.file, "names=a,b", "outcome.type=binomial", "payoffs=3,4.5")
        twin = tvgp.Policy.described("names=a,b outcome.type=binomial payoffs=3,4.5")
        for t in range(1, 9):
            words, query = run("ask", self.file).split(), twin.ask(t)
            self.assertEqual("ab".index(words[1]), query.arm)
            run("tell", self.file, words[0], f"{t % 3}/10", "--partial")
            twin.tell(query, t % 3, exposure=10, partial=True)
            self.assertEqual(self.log()[-1]["partial"], True)
            run("tell", self.file, words[0], "1/5")
            twin.tell(query, 1, exposure=5)
            if t == 4:
                run("payoffs", self.file, "9,11")
                twin.set_payoffs([9, 11])
        self.same(load("best", self.file)["mean"], twin.predict(8, [list(twin.best(8).x)])[0][0])
        self.assertIn("n = 1", run("payoffs", self.file, "3", code=1))
        run("payoffs", self.file, "none")
        run("estimate", self.file, "--uniform")

    def test_estimate(self):
        """From the log of the file: an arm, uniform play, another policy, with as many outcomes as there were."""
        run("create", self.file, "names=a,b,c", "policy=gp-ucb", "exploration.floor=.6")
        for t in range(40):
            number, name = run("ask", self.file).split()
            if t % 10 == 9:
                run("skip", self.file, number)
            else:
                run("tell", self.file, number, {"a": 1, "b": 2, "c": 4}[name])
        for words, value in ((("--uniform",), 7 / 3), (("--arm", "b"), 2), (("--policy", "gp-ucb noise=.1", "--half-life", 20), None)):
            found = load("estimate", self.file, *words)
            self.assertEqual((found["used"], found["missing"]), (36, 4))
            if value:
                self.assertLess(abs(found["dr"] - value), 0.5)
        self.assertIn("no intervals", run("estimate", self.file, "--uniform"))
        self.assertIn("--uniform", run("estimate", self.file, code=2))
        self.assertIn("nobody", run("estimate", self.file, "--arm", "nobody", code=2))
        run("ask", self.file, "--slate", 2)
        self.assertIn("slate", run("estimate", self.file, "--uniform", code=1))

    def test_estimate_refuses_numbers(self):
        """Integers of a damaged log that are too large, no integers or no numbers are refused by their key."""
        run("create", self.file, "grid=0:1:5", "policy=random")
        run("tell", self.file, run("ask", self.file).split()[0], 1)
        run("ask", self.file)  # the last line of a log is mended from the file
        with open(f"{self.file}.log", encoding="utf-8") as log:
            whole = log.read()
        for call, key in (("ask", "id"), ("ask", "arm"), ("ask", "slate"), ("tell", "id"), ("tell", "output")):
            for value in ("1e300", "-1e300", "nan", "inf", "1.5", "9007199254740994"):
                front = f'"call":"{call}"'
                line = next(line for line in whole.splitlines() if front in line)
                bad = re.sub(f',"{key}":[^,}}]*', "", line).replace(front, f'{front},"{key}":{value}')
                with open(f"{self.file}.log", "w", encoding="utf-8") as log:
                    log.write(whole.replace(line, bad))
                self.assertRegex(run("estimate", self.file, "--uniform", code=1), f"{key} = .*, which must be an integer in")

    def test_times(self):
        run("create", self.file, "grid=0:1:5")
        self.assertEqual(load("ask", self.file)["t"], 1)
        self.assertEqual(load("ask", self.file, "--t", 7.5)["t"], 7.5)
        self.assertEqual(load("ask", self.file)["t"], 8.5)
        self.assertEqual(load("observe", self.file, 0.5, 1)["t"], 9.5)
        self.assertIn("9.5", run("ask", self.file, "--t=9", code=1))
        other = f"{self.file}2"
        run("create", other, "grid=0:1:5", "clock=seconds")
        before = time.time()
        self.assertTrue(before - 0.01 <= load("ask", other)["t"] <= time.time() + 0.01)

    def test_times_too_far_ahead(self):
        run("create", self.file, "grid=0:1:5")
        for _ in range(4):
            run("tell", self.file, run("ask", self.file).split()[0], 1)
        run("ask", self.file)
        before = self.file.read_bytes()
        for words in (("ask",), ("tell", 5, 1), ("observe", 0.5, 1), ("best",)):
            self.assertRegex(run(words[0], self.file, *words[1:], "--t", 1e9, code=1), "step is 1000 .*time.max_step")
        self.assertEqual(self.file.read_bytes(), before)
        self.assertEqual(load("ask", self.file, "--t", 1005)["t"], 1005)

    def test_largest_step_as_option(self):
        for step, code in (50, 1), (0, 0):
            file = f"{self.file}{step}"
            run("create", file, "grid=0:1:5", f"time.max_step={step}")
            run("ask", file, "--t", 7)
            run("observe", file, 0.5, 1, "--t", 57)
            table = pathlib.Path(f"{file}.csv")
            table.write_text("t,x,y\n60,0.5,1\n1e9,0.5,1\n")
            run("observe", file, "--csv", table, code=code)
            run("ask", file, "--t", 2e9, code=code)
        self.assertIn("-1", run("create", f"{self.file}x", "grid=0:1:5", "time.max_step=-1", code=2))

    def test_clock_of_the_system_is_exempt(self):
        run("create", self.file, "grid=0:1:5", "clock=seconds", "time.max_step=50")
        run("ask", self.file, "--t", time.time() - 1e6)
        self.assertIn("time.max_step", run("ask", self.file, "--t", time.time(), code=1))
        run("best", self.file)
        self.assertLess(abs(load("ask", self.file)["t"] - time.time()), 60)


class Words(Case):
    def test_refused_and_unchanged(self):
        run("create", self.file, "grid=0:1:5")
        run("ask", self.file)
        before = self.file.read_bytes()
        for words, code, says in ((("tell", 7, 1), 1, "id = 7"), (("tell", 1, "nan"), 2, "nan"), (("tell", 1), 2, "few"),
                                  (("tell", "x", 1), 2, "no id"), (("skip", 2), 1, "id = 2"), (("observe", 0.3, 1), 1, "0.2999"),
                                  (("observe", 0.5, 0.5, 1), 2, "coordinates"), (("ask", "--t", "soon"), 2, "soon"),
                                  (("ask", "--now"), 2, "--now"), (("create", "grid=0:1:5"), 1, "already"),
                                  (("frob",), 2, "frob"), (("why", 9), 1, "no query 9")):
            self.assertIn(says, run(words[0], self.file, *words[1:], code=code))
            said = json.loads(run(words[0], self.file, *words[1:], "--json", code=code))
            self.assertEqual(said["code"], code)
        self.assertEqual(self.file.read_bytes(), before)
        run(code=2)

    def test_places(self):
        for word in ("grid=0:1", "grid=0:1:2.5", "grid=1:0:3", "box=1:1", "box=0:1:half", "arms=1,2:3", "arms=", "names=a,,b",
                     "names=a,a", "noise=1", "grid=0:1:x", "clock=steps"):
            self.assertTrue(run("create", self.file, word, code=2 if word.startswith("names") else 1))
            self.assertFalse(self.file.exists())
        self.assertIn("contexts", run("create", self.file, "grid=0:1:3", "contexts=2", code=2))
        self.assertIn("foo", run("create", self.file, "grid=0:1:3", "foo=1", code=1))
        self.assertIn("clock", run("create", self.file, "grid=0:1:3", "clock=moon", code=2))
        self.assertIn("nope", run("create", self.file, "grid=0:1:3", "policy=nope", code=1))
        run("show", self.file, code=1)

    def test_nothing_to_ask(self):
        run("create", self.file, "grid=0:1:5", "policy=sparq-gp-ucb")
        run("ask", self.file)
        run("tell", self.file, 1, 0.5)
        self.assertRegex(run("ask", self.file, "--t", 2), r"^2 \S+ side$")
        before = self.file.read_bytes()
        self.assertIn("outcomes", run("ask", self.file, "--t", 2, code=3))
        self.assertEqual(self.file.read_bytes(), before)

    def test_help(self):
        self.assertIn("create FILE", run("--help"))
        self.assertEqual(run("--version").split()[0], "tvgp")
        page = (pathlib.Path(__file__).parent / "../src/package/tvgp.1").read_text()
        for command in re.findall(r"^  (\w+) FILE", run("--help"), re.M):
            self.assertTrue(re.search(rf"^\.B {command}$", page, re.M), command)

    def test_options(self):
        """Every option, with the values that the library has."""
        for name, doc in tvgp.policies().items():
            listed = {o["key"]: o for o in load("options", name)}
            mine = tvgp.options(name)
            self.assertEqual(set(listed), set(mine))
            for key, option in mine.items():
                self.assertEqual(listed[key]["doc"], option.doc)
                if listed[key]["default"] is not None:
                    self.assertEqual(listed[key]["default"], option.default)
                self.assertEqual(tuple(listed[key].get("choices", ())), option.choices or ())
        self.assertIn("noise=0.01  (number in [0, 1e+100])", run("options", "gp-ucb"))
        self.assertIn("sense=max  (one of max, min)", run("options", "gp-ucb"))
        self.assertEqual({e["policy"]: e["doc"] for e in load("options")}, tvgp.policies())
        self.assertIn("auto-gp-ucb ", run("options"))

    def test_names_that_are_near(self):
        """Messages name candidates, and no function of the library."""
        for words, says in ((["policy=auto"], "nearest is 'auto-gp-ucb'"), (["policy=Auto-GP-UCB"], "nearest is 'auto-gp-ucb'"),
                            (["policy=ucb"], "nearest are 'gp-ucb', "), (["policy=lucky"], "tvgp options lists them"),
                            (["kernal=se"], "tvgp options POLICY lists them"), (["maximize=1"], "nearest is 'sense=max'"),
                            (["sense=maximize"], "choices: max, min"), (["noise=-1"], "option 'noise' = -1 is outside"),
                            (["at_most=-1e9", "policy=gp-ucb", "nosie=1"], "nearest is 'noise'")):
            said = run("create", self.file, "grid=0:1:3", *words, code=1)
            self.assertIn(says, said)
            self.assertNotIn("tvgp_", said)
        self.assertIn("'maximize' is not of the form key=value", run("create", self.file, "grid=0:1:3", "maximize", code=1))
        self.assertIn("tvgp options lists them", run("options", "lucky", code=1))

    def test_replay(self):
        table = pathlib.Path(self.folder.name) / "table.csv"
        rows = [",".join(f"{math.sin(t / 9 + k):.4f}" for k in range(4)) for t in range(60)]
        table.write_text("a,b,c,d\n" + "\n".join(rows) + "\n")
        said = run("replay", "--data", table, "--policy", "tv-gp-ucb", "--csv")
        self.assertIn("tv-gp-ucb,", said)
        self.assertIn("random,", said)
        self.assertIn("tvgp replay: /nowhere.csv", run("replay", "--data", "/nowhere.csv", code=2))
        self.assertIn("usage: tvgp replay", run("replay", "--help"))


class Shown(Case):
    def test_fits_a_terminal(self):
        for i, place in enumerate((["grid=0:6:101"], ["grid=0:6:9,0:6:9"], ["names=" + ",".join(f"name{k:030}" for k in range(30))],
                                   ["box=0:6"], ["box=0:1,0:1e9,-1e-9:1e-9"], ["box=" + ",".join(["0:1"] * 20)],
                                   ["names=a,b", "policy=random"], ["arms=1e300:2".replace("1e300", "1e90") + ",3:4"])):
            name = f"{self.file}{i}"
            run("create", name, *place, "pending.timeout=1000")
            for k in range(4):
                asked = load("ask", name)
                if k % 2:
                    run("tell", name, asked["id"], 1e6 * k)
            shown = run("show", name).splitlines()
            self.assertLessEqual(len(shown), 23, place)
            self.assertLessEqual(max(map(len, shown)), 80, place)
            self.assertIn("open: 1,", "\n".join(shown))
            self.assertEqual(len(load("show", name)["open"]), 2)

    def test_not_learned_yet(self):
        """Before the first optimisation of hyperparameters there is no interval, since it would be the prior's."""
        run("create", self.file, "grid=5:25:41")
        self.assertIn("not learned yet (0 of 2 outcomes)", run("show", self.file))
        run("tell", self.file, run("ask", self.file).split()[0], 183.5)
        shown = run("show", self.file)
        self.assertIn("not learned yet (1 of 2 outcomes)", shown)
        self.assertNotIn("+-", shown)
        self.assertNotIn("--", shown)
        self.assertNotIn("learned:", shown)
        page = run("show", self.file, "--html")
        self.assertNotIn('class="band"', page)
        self.assertNotIn("standard deviations", page)
        self.assertIn("mean, not learned yet", page)
        for x in range(5, 15):
            run("observe", self.file, x, x % 7)
        self.assertIn("not learned yet (11 outcomes): the next asks learn", run("show", self.file))
        for t in range(12):
            number, x = run("ask", self.file).split()
            run("tell", self.file, number, float(x) % 7)
        shown = run("show", self.file)
        self.assertGreater(load("show", self.file)["stats"]["fit.adopted"], 0)
        self.assertIn("learned: lengthscale", shown)
        self.assertIn('class="band"', run("show", self.file, "--html"))
        self.assertIn("+-", shown)

    def test_page_draws_observations(self):
        for place, points in (("grid=0:6:31", ("0", "3")), ("box=0:6,0:6", ("0 1", "3 1")), ("names=a,b", ("a", "b"))):
            name = f"{self.file}{place[:3]}"
            run("create", name, place)
            run("observe", name, *points[0].split(), -7)
            run("observe", name, *points[1].split(), 5)
            for t in range(4):
                asked = run("ask", name).split()[0]
                if t != 2:
                    run("tell", name, asked, t)
            page = run("show", name, "--html")
            for svg in re.findall(r"<svg.*?</svg>", page, re.S)[:-2]:
                rings = re.findall(r'class="seen" cx="([0-9.]+)" cy="([0-9.]+)"', svg)
                self.assertEqual(len(rings), 5)
                heights = [float(y) for _, y in rings]
                self.assertEqual((max(heights), min(heights)), (heights[0], heights[1]))  # the first two are the extremes
            first = re.findall(r'class="seen" cx="([0-9.]+)"', page)[:2]
            self.assertEqual(first, ["80.0", "780.0" if place[:1] == "n" else "430.0"])
            for svg in re.findall(r"<svg.*?</svg>", page, re.S):  # no two labels in one place
                labels = re.findall(r'<text x="([0-9.]+)" y="([0-9.]+)"', svg)
                self.assertEqual(len(labels), len(set(labels)))

    def test_why(self):
        run("create", self.file, "grid=0:6:31", "noise=0.01")
        for t in range(1, 20):
            number, x = run("ask", self.file).split()
            run("tell", self.file, number, reward(t, float(x)))
        for number in (3, 19):
            entry, said = load("why", self.file, number), run("why", self.file, number)
            self.assertGreater(entry["score"], entry["mean"])
            self.assertGreaterEqual(entry["score"] + 1e-9, entry["best_score"])
            self.assertGreaterEqual(entry["best_mean"] + 1e-9, entry["mean"])
            self.assertIn(f"asked {entry['x'][0]:g} at t = {number}", said)
            self.assertIn("up to", said)
        self.assertEqual(run("why", self.file), run("why", self.file, 19))

    def test_history(self):
        run("create", self.file, "box=0:6,0:6")
        run("observe", self.file, 1, 2, 3.5)
        run("ask", self.file)
        asked = load("ask", self.file)
        run("tell", self.file, 2, 0.1)
        run("skip", self.file, 1)
        run("ask", self.file)
        rows = list(csv.DictReader(io.StringIO(run("log", self.file, "--csv"))))
        self.assertEqual([r["id"] for r in rows], ["", "1", "2", "3"])
        self.assertEqual([r["outcome"] for r in rows], ["unsolicited", "skipped", "value", "open"])
        self.assertEqual([r["y"] for r in rows], ["3.5", "", "0.1", ""])
        self.assertEqual([float(rows[2]["x0"]), float(rows[2]["x1"])], asked["x"])
        self.assertEqual([e["outcome"] for e in load("log", self.file)], ["unsolicited", "skipped", "value", "open"])
        self.assertEqual(len(run("log", self.file, 2).splitlines()), 3)

    def test_metrics(self):
        run("create", self.file, "grid=0:6:31")
        lines = run("metrics", self.file).splitlines()
        self.assertEqual(lines[-1], "# EOF")
        names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
        self.assertEqual(len(names), len(set(names)))
        for line in lines[:-1]:
            self.assertRegex(line, r'^(# (TYPE|HELP) tvgp_\w+ \S.*|tvgp_\w+\{file="[^"]*",policy="auto-gp-ucb"\} (NaN|[+-]Inf|[-+.e\d]+))$')
        self.assertIn("tvgp_pending", names)
        run("metrics", self.file, "headlines", code=2)
        for t in range(1, 9):
            run("ask", self.file)
            run("tell", self.file, t, t % 3)
        state = self.file.read_bytes()
        twin = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 6, 31))
        for t in range(1, 9):
            twin.ask(t)
            twin.tell(t, t % 3)
        for kind in ((), ("headline",), ("learned",), ("counter",), ("diagnostic",)):
            mine, other = run("metrics", self.file, *kind).splitlines(), twin.metrics(*kind, file=str(self.file)).splitlines()
            self.assertEqual([line for line in mine if line[0] == "#"], [line for line in other if line[0] == "#"])
            for a, b in zip(mine, other):  # what is exported has one set of names, from either side
                if a[0] != "#":
                    self.assertEqual((a.split("{")[0], float(a.split()[-1])), (b.split("{")[0], float(b.split()[-1])))
        self.assertEqual(self.file.read_bytes(), state)

    def test_page(self):
        pages = {}
        for i, place in enumerate(("grid=0:6:31", "box=0:6,0:6", "names=a<b,c", "arms=1:2,3:4,4:6")):
            name = f"{self.file}{i}"
            run("create", name, place)
            for t in range(12):
                words = run("ask", name).split()
                if t != 5:
                    run("tell", name, words[0], t % 4)
            pages[place] = page = run("show", name, "--html")
            self.assertEqual(page.count("<svg"), page.count("</svg>"))
            self.assertNotRegex(page, "nan|inf|<script|http|a<b")
            asked, answered = re.findall(r"<svg.*?</svg>", page, re.S)[-2:]
            self.assertEqual((asked.count("<circle"), answered.count("<circle")), (12, 11))
            tops = [float(y) for y in re.findall(r'<circle[^>]*cy="([0-9.]+)"', answered)]
            self.assertEqual([y == min(tops) for y in tops], [t % 4 == 3 for t in range(12) if t != 5])  # the largest answers are highest
        self.assertEqual([page.count('class="band"') for page in pages.values()], [1, 2, 0, 0])
        points = re.search(r'class="mean" d="M([^"]*)"', pages["grid=0:6:31"]).group(1).split("L")
        self.assertEqual((len(points), points[0].split()[0], points[-1].split()[0]), (101, "80.0", "780.0"))
        self.assertIn("</html>", run("show", f"{self.file}0", "--html"))
        run("create", f"{self.file}.r", "names=a,b", "policy=random")
        self.assertNotIn("<svg", run("show", f"{self.file}.r", "--html"))


class Knows(Case):
    """The inputs of a policy in addition to its outcomes: historical data, a fleet, candidates, constraints. Twins in one process are the library's own."""

    def table(self, rows):
        values = [[20 + 5 * math.sin(t / 3.8 + k) + random.Random(t * 7 + k).gauss(0, 0.2) for k in range(4)] for t in range(rows)]
        path = pathlib.Path(self.folder.name) / f"table{rows}.csv"
        cells = "\n".join(",".join([str(t), *map(repr, row)]) for t, row in enumerate(values))
        path.write_text("hour,north wind,b,c,d\n" + cells + "\n")
        return path, values

    def test_log(self):
        path, values = self.table(96)
        run("create", self.file, f"history={path}")
        twin = tvgp.Policy("auto-gp-ucb", tvgp.indices(4))
        twin.learn_history(values)
        for t in range(8):
            asked, query = load("ask", self.file), twin.ask(t)
            self.assertEqual((asked["t"], asked["arm"]), (t, query.arm))
            self.same(asked["mean"], twin.predict(t, [list(query.x)])[0][0])
            run("tell", self.file, asked["id"], 20 + t % 3)
            twin.tell(query, 20 + t % 3)
        self.assertIn("log: 384 values", run("show", self.file))
        self.assertNotIn("variance 0", run("show", self.file))
        names = {entry["name"] for entry in load("log", self.file)}
        self.assertLessEqual(names, {"north_wind", "b", "c", "d"})
        other, newer = self.table(40)
        run("learn", self.file, other)
        twin.learn_history(newer, t=[7 - 39 + i for i in range(40)])
        self.same(load("best", self.file)["mean"], twin.predict(7, [list(twin.best(7).x)])[0][0])
        for words in ((f"history={path}", "clock=seconds"), (f"history={path}", "names=b,e"), (f"history={path}", "box=0:1"),
                      (f"history={path}", "grid=0:1:3"), ("history=/nowhere.csv",), (f"history={path}", "policy=bkb")):
            run("create", f"{self.file}2", *words, code=1)
        self.assertFalse(pathlib.Path(f"{self.file}2").exists())
        run("create", f"{self.file}3", f"history={path}", "names=d,b")  # some columns, by name
        self.assertEqual(load("ask", f"{self.file}3")["name"] in ("d", "b"), True)

    def test_among(self):
        run("create", self.file, "box=0:1,0:1", "policy=tv-gp-ucb")
        twin, chance = tvgp.Policy("tv-gp-ucb", tvgp.box([0, 0], [1, 1])), random.Random(4)
        path = pathlib.Path(self.folder.name) / "rows.csv"
        for t in range(1, 7):
            X = [[chance.random(), chance.random()] for _ in range(2 + t)]
            mean = [-chance.random() for _ in X]
            path.write_text("x,name,y,mean\n" + "".join(f"{a!r},offer {i},{b!r},{m!r}\n" for i, ((a, b), m) in enumerate(zip(X, mean))))
            query = twin.ask(t, candidates=X, mean=mean)
            twin.set_candidates()
            self.assertEqual(run("ask", self.file, "--candidates", path), f"{t} offer {query.arm}\n")
            run("tell", self.file, t, reward(t, *query.x))
            twin.tell(query, reward(t, *query.x))
        self.assertEqual(load("best", self.file)["x"], list(twin.best(6).x))
        self.assertEqual(load("why", self.file)["candidate"], f"offer {query.arm}")
        done = subprocess.run([PROGRAM, "ask", self.file, "--candidates", "-"], input="a,b\n0.5,0.25\n", capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "7 0.5 0.25\n")
        before = self.file.read_bytes()
        for rows in ("x,y\n0.5\n", "x,y\n", "", "x,y,z\n1,2,3\n", "x,y\n1,two\n", "x,y\n5,5\n", "name,x,y\na,nan,1\n"):
            path.write_text(rows)
            run("ask", self.file, "--candidates", path, code=1)
        self.assertEqual(self.file.read_bytes(), before)
        run("create", f"{self.file}2", "names=a,b")
        path.write_text("x\n1\n")
        self.assertIn("arms", run("ask", f"{self.file}2", "--candidates", path, code=1))

    def test_among_and_side_queries(self):
        """A side query is at none of the candidates, so it has no label."""
        run("create", self.file, "box=0:1", "policy=sparq-gp-ucb")
        path = pathlib.Path(self.folder.name) / "rows.csv"
        path.write_text("name,x\nlow,0.25\nhigh,0.75\n")
        sides, labels = 0, set()
        for t in range(1, 13):
            asked = load("ask", self.file, "--candidates", path) if t % 2 else run("ask", self.file, "--candidates", path).split()
            if t % 2:
                number, side, label = asked["id"], asked["kind"] == "side", asked.get("candidate")
                self.assertEqual("arm" in asked, not side)
            else:
                number, side, label = asked[0], asked[-1] == "side", asked[1]
            if side:
                sides += 1
                self.assertEqual(len(asked) if t % 2 == 0 else 3, 3)
                x = asked["x"][0] if t % 2 else float(asked[1])
                self.assertTrue(0 <= x <= 1)
                self.assertNotIn(label, ("low", "high"))
            else:
                labels.add(label)
            run("tell", self.file, number, t % 3)
        self.assertGreater(sides, 1)
        self.assertLessEqual(labels, {"low", "high"})

    def test_malformed_candidate_rows(self):
        run("create", self.file, "box=0:1,0:1")
        path, before = pathlib.Path(self.folder.name) / "rows.csv", self.file.read_bytes()
        for rows, says in ((b"0.1,0.2\n0.3,0.4\n", "line 1: the header holds numbers"), (b"x,0.2\n0.3,0.4\n", "line 1, column 2"),
                           (b"name,name,x\na,b,0.5\n", 'line 1, column 2: "name"'), (b"mean,x,mean\n1,0.5,2\n", 'line 1, column 3: "mean"'),
                           (b"x,x\n0.1,0.2\n", 'line 1, column 2: "x"'), (b"x,y\n0.1,0.2\n0.3,0.4\x00junk\n", "line 3, column 2: a NUL"),
                           (b"x,y\x00z\n0.1,0.2\n", "line 1, column 2: a NUL"), (b"x,y\n0.1\n", "line 2, column 1"),
                           (b"x,y\n\n0.1,0.2,0.3\n", "line 3, column 3"), (b"x,y\n0.1,0.2\n0.1,\n", "line 3, column 2 (y)"),
                           (b"name,x,y\na,0.1,0.2x\n", 'line 2, column 3 (y): "0.2x"'), (b"x;y\n0.1;0.2\n", "is ';' the separator?"),
                           (b"x,y\n", "no rows"), (b"", "empty"), (b"\n\n", "empty"), (b"x,y,z\n0.1,0.2,0.3\n", "2 coordinates")):
            path.write_bytes(rows)
            self.assertIn(says, run("ask", self.file, "--candidates", path, code=1))
            self.assertEqual(self.file.read_bytes(), before)
        path.write_bytes(b"\xef\xbb\xbfname,mean,x, y\r\n one ,-1e9,0.9,0.9\r\n\r\ntwo,0,0.25,0.5\r\n")
        self.assertEqual(run("ask", self.file, "--candidates", path), "1 two\n")
        self.assertEqual(load("why", self.file)["x"], [0.25, 0.5])

    def test_observe_csv(self):
        """A table of time, what was tried and outcome: the same as one call for each row, in the order of their times."""
        path = pathlib.Path(__file__).resolve().parent.parent / "examples/data/prices.csv"
        run("create", self.file, "grid=5:25:41")
        said = run("observe", self.file, "--csv", path)
        self.assertIn("120 observations; time 'day' 1 .. 120; tried 'price' 9 .. 24; outcome 'profit' 125.24 .. 202.81", said)
        twin = tvgp.Policy("auto-gp-ucb", tvgp.grid(5, 25, 41))
        for day, price, profit in list(csv.reader(path.read_text(encoding="ascii").splitlines()))[1:]:
            twin.observe([[float(price)]], [float(profit)], t=float(day))
        self.same(load("best", self.file)["mean"], twin.predict(120, [list(twin.best(120).x)])[0][0])
        self.assertEqual(load("ask", self.file)["arm"], twin.ask(121).arm)
        self.assertEqual([line["n"] for line in self.log()], list(range(1, 123)))
        self.assertEqual([(e["t"], e["y"]) for e in load("log", self.file)[:2]], [(1, 198.61), (2, 202.81)])
        table = pathlib.Path(self.folder.name) / "named.csv"
        table.write_text("when,tried,outcome,heat\n30,b,2,0.5\n20,a,1,0.25\n40,b,3,0.125\n")
        run("create", f"{self.file}2", "names=a,b", "at_most=1")
        run("observe", f"{self.file}2", "--csv", table, "--noise", 0.5)
        told = [json.loads(line) for line in pathlib.Path(f"{self.file}2.log").read_text().splitlines()][1:]
        self.assertEqual([(e["t"], e["name"], e["y"], e["outputs"], e["noise"]) for e in told],
                         [(20, "a", 1, [0.25], 0.5), (30, "b", 2, [0.5], 0.5), (40, "b", 3, [0.125], 0.5)])
        self.assertEqual(load("show", f"{self.file}2")["stats"]["constraint.observations.1"], 3)
        table.write_text("tried,outcome\na,1\nb,2\n")  # without times: steps behind the newest one
        self.assertIn("2 observations", load("observe", f"{self.file}2", "--csv", table)["understood"])
        self.assertEqual([e["t"] for e in load("log", f"{self.file}2")][-2:], [41, 42])

    def test_observe_csv_all_or_none(self):
        run("create", self.file, "grid=0:1:11")
        run("create", f"{self.file}2", "names=a,b", "clock=seconds")
        run("observe", self.file, 0.5, 1)
        table, before, log = pathlib.Path(self.folder.name) / "t.csv", self.file.read_bytes(), self.log()
        for rows, says in (("day,x,y\n2,0.5,1\n3,0.55,2\n", "t.csv: line 3: x[0] = (0.55000000000000004)"), ("day,x,y\n2,0.5,1\n3,0.5,warm\n", "line 3, column 3 (y)"),
                           ("x\n1\n", "1 columns"), ("a,b,c,d\n1,2,3,4\n", "4 columns"), ("day;x;y\n1;0.5;2\n", "separator"),
                           ("day,x,y\nmonday,0.5,1\n", "line 2, column 1 (day)")):
            table.write_text(rows)
            self.assertIn(says, run("observe", self.file, "--csv", table, code=1))
            self.assertEqual((self.file.read_bytes(), self.log()), (before, log))
        run("observe", self.file, "--csv", table, "--t", 3, code=2)
        run("observe", self.file, "--csv", table, table, code=2)
        table.write_text("tried,y\na,1\nc,1\n")
        self.assertIn("first column must be the time", run("observe", f"{self.file}2", "--csv", table, code=1))
        table.write_text("t,tried,y\n1e9,a,1\n1e9,c,1\n")
        self.assertIn("line 3: 'c'", run("observe", f"{self.file}2", "--csv", table, code=1))

        def little():  # no room: neither the state nor what counts of the log has changed
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        table.write_text("day,x,y\n" + "".join(f"{day},0.5,1\n" for day in range(2, 60)))
        done = subprocess.run([PROGRAM, "observe", self.file, "--csv", table], capture_output=True, text=True, check=False, preexec_fn=little)
        self.assertEqual((done.returncode, self.file.read_bytes()), (1, before))
        self.assertEqual(len(load("log", self.file)), 1)
        run("observe", self.file, "--csv", table)
        self.assertEqual([e["t"] for e in load("log", self.file)], [1, *range(2, 60)])

    def test_log_is_understood(self):
        """create says how it read a table, and refuses one of outcomes."""
        path, _ = self.table(40)
        self.assertIn("40 rows x 4 options (north_wind, b, c, d), 160 values; 'hour' is the time\nok", run("create", self.file, f"history={path}"))
        self.assertIn("40 rows x 4 options", self.log()[0]["understood"])
        self.assertIn("40 rows x 4 options", run("learn", self.file, path))
        self.assertIn("40 rows x 2 options (d, b), 80 values; 'hour' is the time; 2 columns not used",
                      run("create", f"{self.file}2", f"history={path}", "names=d,b"))
        prices = pathlib.Path(__file__).resolve().parent.parent / "examples/data/prices.csv"
        for words in ((), ("grid=0:1:2",)):
            said = run("create", f"{self.file}3", f"history={prices}", *words, code=1)
            self.assertIn("'profit' is the name of an outcome", said)
            self.assertIn("observe FILE --csv", said)
        self.assertFalse(pathlib.Path(f"{self.file}3").exists())

    def test_many_names(self):
        """Processor time of a call with n names is about proportional to n."""
        def seconds(n):
            names = ",".join(f"name{k:07}" for k in range(n))
            snapshot = tvgp.Policy("random", tvgp.indices(n)).save(full=True)
            head = f'tvgp state 1\nclock steps\nnames {names}\ncalls 1\nline {{"n":1,"call":"create"}}\nsnapshot {len(snapshot)}\n'
            path, table = pathlib.Path(f"{self.file}{n}"), pathlib.Path(self.folder.name) / "table.csv"
            path.write_bytes(head.encode() + snapshot)
            table.write_text(names + "\n" + "1," * (n - 1) + "1\n")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            for _ in range(4):
                run("ask", path)
                run("observe", path, f"name{n - 1:07}", 1)
                self.assertIn("learns no log", run("learn", path, table, code=1))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        small = seconds(20000)
        self.assertLess(seconds(40000), 3 * small)

    def test_limits(self):
        run("create", self.file, "grid=0:6:31", "at_most=2.5", "at_least=-1", "safe=0.4,0.6", "constraint.confidence=.95")
        twin = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 6, 31))
        for bound in ({"at_most": 2.5}, {"at_least": -1}):
            twin.add_constraint(twin.model("auto-gp-ucb"), **bound)
        twin.set_safe([[0.4], [0.6]])
        twin.set(**{"constraint.confidence": 0.95})
        for t in range(1, 13):
            asked, query = load("ask", self.file), twin.ask(t)
            self.assertEqual(asked["arm"], query.arm)
            self.same(asked["risk"], query.risk)
            values = [reward(t, *query.x), query.x[0] * 0.8, 3 - query.x[0]]
            twin.tell_values(query, values)
            if t % 3:
                run("tell", self.file, t, *map(repr, values))
            else:  # apart, the last one first
                run("tell", self.file, t, repr(values[2]), "--output", 2)
                self.assertEqual(load("log", self.file)[-1]["outcome"], "open")
                run("tell", self.file, t, *map(repr, values[:2]))
        self.assertEqual(load("show", self.file)["stats"]["safe.count"], twin.stat("safe.count"))
        self.assertIn("constraints: 2; safe at the last ask", run("show", self.file))
        run("observe", self.file, 0.4, 1, 0.3)
        self.assertEqual(load("show", self.file)["stats"]["constraint.observations.1"], 13)
        for words in (("tell", 13, 1, 2, 3, 4), ("tell", 13, 1, "--output", 3), ("tell", 13, 1, 2, "--output", 1),
                      ("observe", 0.4), ("observe", 0.4, 1, 2, 3, 4)):
            run(words[0], self.file, *words[1:], code=2)
        for words, code in ((("at_most=x",), 2), (("safe=0.1:0.2",), 1), (("at_most=1",) * 17, 2)):
            run("create", f"{self.file}2", "grid=0:1:3", *words, code=code)

    def test_description(self):
        """create understands the words of a description, kernels among them, and plays as the policy so described."""
        for i, words in enumerate((["policy=tv-gp-ucb", "grid=0:1:11", "se=.2", "noise=.01"],
                                   ["policy=gp-ucb", "indices=3", "matern32=1:2"], ["policy=tv-gp-ucb", "arms=1:2,3:4", "names=a,b", "se=1,2"])):
            file, twin = f"{self.file}{i}", tvgp.Policy.described(" ".join(words))
            run("create", file, *words)
            for t in range(1, 8):
                asked, query = load("ask", file), twin.ask(t)
                self.assertEqual(asked["arm"], query.arm)
                run("tell", file, t, repr(math.sin(3 * query.arm + t)))
                twin.tell(query, math.sin(3 * query.arm + t))
            self.assertEqual(load("estimate", file, "--uniform")["used"], 7)
        self.assertIn("grid= and box=", run("create", f"{self.file}3", "grid=0:1:3", "box=0:1", code=2))

    def test_fleet(self):
        runs, files, chance = [], [], random.Random(3)
        for k in range(5):
            files.append(f"{self.file}.{k}")
            run("create", files[-1], "grid=0:1:6", "sense=min")
            arms = [chance.randrange(6) for _ in range(8)]
            told = [(arm - 2.5) ** 2 + chance.gauss(0, 0.5) + k for arm in arms]
            for arm, y in zip(arms, told):
                run("observe", files[-1], arm / 5, repr(y))
            runs.append((arms, told))
        run("create", self.file, "policy=tv-gp-ucb", "half_life=50", "--fleet", *files)
        points = [[load("observe", files[0], arm / 5, 0)["x"][0]] for arm in range(6)]
        prior = tvgp.learn_prior(tvgp.arms(points), runs)
        twin = tvgp.Policy("tv-gp-ucb", tvgp.arms(points), **prior, sense="min", half_life=50)
        for t in range(1, 7):
            asked, query = load("ask", self.file), twin.ask(t)
            self.assertEqual(asked["arm"], query.arm)
            self.assertAlmostEqual(asked["mean"], twin.predict(t, [list(query.x)])[0][0], 9)
            run("tell", self.file, t, t % 3)
            twin.tell(query, t % 3)
        run("create", f"{self.file}2", "--fleet", code=2)
        run("create", f"{self.file}2", "names=a,b", "--fleet", files[0], code=2)
        run("create", f"{self.file}2", "names=a,b")
        self.assertIn("file2", run("create", f"{self.file}3", "--fleet", files[0], f"{self.file}2", code=1).replace("state.tvgp", "file"))


class Tunes(Case):
    def test_ten_lines(self):
        """The script of the guide, on pieces of a header of this library."""
        here = pathlib.Path(__file__).resolve().parent.parent
        script = here / "examples/tune_gzip.sh"
        page = (here / "docs/guide/command-line.md").read_text(encoding="utf-8")
        lines = [line for line in script.read_text(encoding="utf-8").splitlines(keepends=True) if not line.startswith("#")]
        self.assertIn("```sh\n" + "".join(lines) + "```", page)
        self.assertLessEqual(len(lines), 10)
        text, pieces = (here / "include/tvgp/policy.h").read_bytes(), []
        for i in range(12 if ALL else 6):
            pieces.append(f"{self.file}.{i}")
            pathlib.Path(pieces[-1]).write_bytes(text[500 * i:2000 * i + 2000])
        places = os.pathsep.join([str(pathlib.Path(PROGRAM).resolve().parent), os.environ["PATH"]])
        for rounds in (1, 2):
            done = subprocess.run(["sh", str(script), str(self.file), *pieces], capture_output=True, text=True, check=True,
                                  env={**os.environ, "PATH": places})
            self.assertRegex(done.stdout.splitlines(keepends=True)[-1], r"^[1-9]   -?[\d.]+ \+- [\d.]+\n$")
            self.assertEqual(load("show", self.file)["stats"]["values"], len(pieces) * rounds)


class Lasts(Case):
    def entries(self):
        asks = [e for e in load("log", self.file) if "id" in e]
        self.assertEqual([e["id"] for e in asks], list(range(1, len(asks) + 1)))
        return asks

    def test_killed_at_any_time(self):
        """A call has happened, or it has not; what was printed has."""
        run("create", self.file, "grid=0:6:31")
        usual = 1.0  # seconds of a call, the least of five: a single one may have waited for the processor
        for _ in range(5):
            begin = time.monotonic()
            run("ask", self.file)
            usual = min(usual, time.monotonic() - begin)
        chance, killed, told = random.Random(1), 0, 0
        for i in range(80 if ALL else 30):
            before = self.entries()
            pending = [e["id"] for e in before if e["outcome"] == "open"]
            words = ["tell", str(self.file), str(pending[0]), "1.5"] if pending and i % 2 else ["ask", str(self.file)]
            with subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, text=True) as child:
                time.sleep(chance.uniform(0, 1.3 * usual))
                child.send_signal(signal.SIGKILL)
                printed = child.communicate()[0]
                killed += child.returncode != 0
            after = self.entries()
            if words[0] == "ask":
                self.assertIn(len(after) - len(before), (0, 1))
                if printed:
                    self.assertEqual(int(printed.split()[0]), after[-1]["id"])
                    self.assertEqual(len(after), len(before) + 1)
            else:
                self.assertEqual(len(after), len(before))
                now = after[pending[0] - 1]["outcome"]
                self.assertIn(now, ("open", "value"))
                self.assertFalse(printed and now == "open")
                told += now == "value"
            self.assertEqual(load("show", self.file)["stats"]["values"], told)
        self.assertGreater(killed, 20 if ALL else 7)
        run("ask", self.file)
        numbers = [line["n"] for line in self.log()]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))

    def test_many_at_once(self):
        run("create", self.file, "grid=0:6:31")
        loop = f'for i in $(seq 15); do "{PROGRAM}" ask "{self.file}" || exit 1; done'
        together = [subprocess.Popen(["sh", "-c", loop], stdout=subprocess.PIPE, text=True) for _ in range(4)]
        printed = [int(line.split()[0]) for child in together for line in child.communicate()[0].splitlines()]
        self.assertEqual([child.returncode for child in together], [0] * 4)
        self.assertEqual(sorted(printed), list(range(1, 61)))
        self.assertEqual(len(self.entries()), 60)

    def test_log_is_mended(self):
        run("create", self.file, "grid=0:6:31")
        for _ in range(3):
            run("ask", self.file)
        path = pathlib.Path(f"{self.file}.log")
        whole = path.read_text()
        for cut in (len(whole) - 1, len(whole) - 30, whole.rindex("\n", 0, -1) + 1):
            path.write_text(whole[:cut])
            self.assertEqual([e["id"] for e in load("log", self.file)], [1, 2, 3])
        copy = self.file.read_bytes()
        run("ask", self.file)
        self.assertEqual([line["n"] for line in self.log()], [1, 2, 3, 4, 5])
        self.file.write_bytes(copy)  # an older state is put back
        self.assertEqual(len(load("log", self.file)), 3)
        self.assertEqual(load("ask", self.file)["id"], 4)
        self.assertEqual([e["id"] for e in load("log", self.file)], [1, 2, 3, 4])
        path.unlink()
        self.assertEqual(load("ask", self.file)["id"], 5)
        self.assertEqual([e["id"] for e in load("log", self.file)], [4, 5])

    def test_files_that_are_none(self):
        run("create", self.file, "names=a,b")
        run("ask", self.file)
        whole = self.file.read_bytes()
        chance = random.Random(2)
        for cut in [0, 5, 12, 13, 30, len(whole) - 1] + [chance.randrange(len(whole)) for _ in range(20)]:
            self.file.write_bytes(whole[:cut])
            self.assertTrue(run("ask", self.file, code=1))
        for place in [chance.randrange(whole.index(b"snapshot"), len(whole)) for _ in range(20)]:
            self.file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1:])
            self.assertTrue(run("ask", self.file, code=1))
        self.file.write_bytes(whole.replace(b"state 1", b"state 2"))
        self.assertIn("newer", run("ask", self.file, code=1))
        self.file.write_bytes(whole + b"x")
        run("ask", self.file, code=1)

    def test_links_and_modes(self):
        run("create", self.file, "names=a,b")
        self.file.chmod(0o640)
        link = pathlib.Path(self.folder.name) / "link"
        link.symlink_to(self.file)
        run("ask", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(load("ask", self.file)["id"], 2)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)


class Files(Case):
    """FILE.log, FILE.lock and the temporary file, next to files of others and with the permissions of FILE."""

    def test_name_collisions(self):
        folder = pathlib.Path(self.folder.name)
        run("create", folder / "x.log", "names=a,b")
        run("ask", folder / "x.log")
        state = (folder / "x.log").read_bytes()
        self.assertIn("x.log", run("create", folder / "x", "names=a,b", code=1))
        self.assertEqual((folder / "x.log").read_bytes(), state)
        self.assertFalse((folder / "x").exists() or (folder / "x.lock").exists())
        run("create", folder / "y.lock", "names=a,b")
        self.assertIn("y.lock", run("create", folder / "y", "names=a,b", code=1))
        run("create", folder / "z.new", "names=a,b")
        run("create", folder / "z", "names=a,b")
        for name in ("x.log", "y.lock", "z.new", "z"):
            self.assertIn(load("ask", folder / name)["id"], (1, 2))
        (folder / "z.log").unlink()  # rotated, and the name used for another state
        run("create", folder / "z.log", "names=a,b")
        before = (folder / "z").read_bytes()
        self.assertIn("z.log", run("ask", folder / "z", code=1))
        self.assertEqual((folder / "z").read_bytes(), before)
        self.assertEqual(load("ask", folder / "z.log")["id"], 1)
        for text in (b"notes\n", b"notes", b'{"n":1}\n', b'{"n":1,"call":"ask"}\nnotes', b'{"n":1,"call":"ask"}\n\n'):
            (folder / "w.log").write_bytes(text)
            run("create", folder / "w", "names=a,b", code=1)
            self.assertEqual((folder / "w.log").read_bytes(), text)
        for text in (b"", b'{"n":1,"call":"ask"}\n', b'{"n":1,"call":"ask"}\n{"n', b'{"n":12,"ca', b'{"n":12\0\0'):
            (folder / "w.log").write_bytes(text)
            run("create", folder / "w", "names=a,b")
            self.assertEqual(load("ask", folder / "w")["id"], 1)
            self.assertEqual(len(load("log", folder / "w")), 1)
            (folder / "w").unlink()

    def test_restored_and_killed(self):
        run("create", self.file, "names=a,b")
        run("ask", self.file)
        copy = self.file.read_bytes()
        run("tell", self.file, 1, 222)
        run("ask", self.file)
        self.file.write_bytes(copy)
        run("tell", self.file, 1, 777)
        log = pathlib.Path(f"{self.file}.log")
        log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))  # killed before it was written
        self.assertEqual([e["y"] for e in load("log", self.file) if "y" in e], [777])
        run("ask", self.file)
        self.assertEqual([e["y"] for e in load("log", self.file) if "y" in e], [777])
        self.assertEqual([line["n"] for line in self.log()], [1, 2, 3, 4, 2, 3, 4])
        self.assertEqual([line.get("y") for line in self.log()], [None, None, 222, None, None, 777, None])

    def test_temporary_file_is_a_link(self):
        run("create", self.file, "names=a,b")
        precious = pathlib.Path(self.folder.name) / "precious"
        precious.write_text("precious")
        pathlib.Path(f"{self.file}.new").symlink_to(precious)
        run("ask", self.file)
        self.assertEqual(precious.read_text(), "precious")
        self.assertFalse(self.file.is_symlink())
        pathlib.Path(f"{self.file}.lock").unlink()
        pathlib.Path(f"{self.file}.lock").symlink_to(precious)
        run("ask", self.file, code=1)
        self.assertEqual(precious.read_text(), "precious")

    def test_file_modes(self):
        def mode(ending=""):
            return pathlib.Path(f"{self.file}{ending}").stat().st_mode & 0o777

        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        run("create", self.file, "names=a,b")
        self.assertEqual([mode(), mode(".log"), mode(".lock")], [0o644] * 3)
        self.file.chmod(0o600)
        run("ask", self.file)
        self.assertEqual([mode(), mode(".log"), mode(".lock")], [0o600] * 3)
        pathlib.Path(f"{self.file}.log").unlink()
        pathlib.Path(f"{self.file}.lock").unlink()
        run("tell", self.file, 1, 2)
        self.assertEqual([mode(), mode(".log"), mode(".lock")], [0o600] * 3)
        self.file.chmod(0o660)  # for a group; a log that its owner made private stays so
        run("ask", self.file)
        self.assertEqual([mode(), mode(".log"), mode(".lock")], [0o660, 0o600, 0o660])

    @unittest.skipUnless(os.path.exists("/usr/bin/strace"), "no strace")
    def test_nothing_is_written_before_its_mode(self):
        run("create", self.file, "names=a,b")
        self.file.chmod(0o600)
        pathlib.Path(f"{self.file}.log").unlink()
        done = subprocess.run(["strace", "-e", "trace=openat", PROGRAM, "ask", self.file], capture_output=True, text=True, check=True)
        created = re.findall(r"O_CREAT.*?, (0\d+)\)", done.stderr)
        self.assertEqual(created, ["0600"] * len(created))
        self.assertGreaterEqual(len(created), 3)

    def test_malformed_log_lines(self):
        run("create", self.file, "names=a,b")
        run("ask", self.file)
        path = pathlib.Path(f"{self.file}.log")
        whole, state = path.read_bytes(), self.file.read_bytes()
        for number in ("1e300", "-1e300", "9223372036854775808", "0", "-1", "nan", "", "2.5", '"2"', "[2]"):
            path.write_bytes(whole + b'{"n":%s,"call":"tell","id":1,"y":5}\n' % number.encode())
            self.assertEqual([e["outcome"] for e in load("log", self.file)], ["open"], number)
            self.assertIn("state.tvgp.log does not end in a line", run("ask", self.file, code=1))
            self.assertEqual(self.file.read_bytes(), state)
        path.write_bytes(b'{"n":1e300,"call":"tell","id":1,"y":5}\n' + whole)
        self.assertEqual(load("ask", self.file)["id"], 2)
        self.file.write_bytes(state.replace(b"calls 2\n", b"calls 9223372036854775807\n"))
        self.assertIn("no count", run("ask", self.file, code=1))


def columns(line):
    """Of a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Odd(Case):
    """Unusual names, files and disks."""

    def test_names_of_any_script(self):
        names = ["r\u00f8d", "\u65e5\u672c\u8a9e" * 8, "\u03b1\u03b2\u03b3" * 20, "a\u0301bc", "\U0001f600", "plain"]
        path = pathlib.Path(self.folder.name) / "with blank\nand line \u2603.tvgp"
        run("create", path, "names=" + ",".join(names))
        for name in names:
            run("observe", path, name, 1)
        number, asked = run("ask", path).split()
        self.assertIn(asked, names)
        shown = run("show", path).splitlines()
        self.assertIn("line \u2603", shown[0])
        self.assertEqual({columns(line[:line.index("|")]) for line in shown if "|" in line}, {17})
        self.assertLessEqual(max(map(columns, shown)), 80)
        listed = run("log", path).splitlines()
        self.assertEqual(len({columns(line[:line.rindex(" 1 ")]) for line in listed[1:7]}), 1)
        self.assertEqual(load("log", path)[1]["name"], names[1])
        self.assertIn('\\n', next(line for line in run("metrics", path).splitlines() if "{" in line))

    def test_bytes_that_are_no_text(self):
        for word in (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x82"):
            done = subprocess.run([PROGRAM.encode(), b"create", bytes(self.file), b"names=b," + word], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, word)
            done = subprocess.run([PROGRAM.encode(), b"ask", b"/nowhere/" + word, b"--json"], capture_output=True, check=False)
            self.assertIn("\ufffd", json.loads(done.stderr.decode())["error"])
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_options_of_others(self):
        run("create", self.file, "names=--a,b")
        for words in (("best", "--csv"), ("ask", "--noise", 1), ("show", "--csv"), ("skip", 1, "--t", 1), ("log", "--html"),
                      ("tell", 1, 1, "--candidates", "x"), ("ask", "--t")):
            run(words[0], self.file, *words[1:], code=2)
        run("observe", "--noise", 0.5, "--", self.file, "--a", 3)
        self.assertEqual(load("log", self.file)[0]["name"], "--a")
        run("ask", "", code=2)
        run("create", "", "names=a,b", code=2)

    def test_nothing_is_left_of_a_call_that_failed(self):
        for words in (["names=a,a"], ["grid=0:1:3", "polcy=x"], ["grid=1:0:3"], ["names=a", "policy=nope"], []):
            run("create", self.file, *words, code=2 if words == ["names=a,a"] else 1)
        self.assertEqual(os.listdir(self.folder.name), [])
        self.file.write_bytes(b"")
        run("create", self.file, "names=a,b", code=1)
        self.assertEqual(os.listdir(self.folder.name), [self.file.name])

    def test_no_room(self):
        """A file system that takes no more: the file is as it was, and there is no other file next to it."""
        run("create", self.file, "grid=0:6:31")
        run("ask", self.file)
        before = sorted((name, (pathlib.Path(self.folder.name) / name).read_bytes()) for name in os.listdir(self.folder.name))

        def little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        for words in (["ask", self.file], ["tell", self.file, "1", "2"]):
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, preexec_fn=little)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write", done.stderr)
        after = sorted((name, (pathlib.Path(self.folder.name) / name).read_bytes()) for name in os.listdir(self.folder.name))
        self.assertEqual(after, before)
        self.assertEqual(load("ask", self.file)["id"], 2)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_nobody_listens(self):
        run("create", self.file, "grid=0:6:31")
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, "ask", self.file], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has happened", done.stderr)
        self.assertEqual(len(load("show", self.file)["open"]), 1)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only(self):
        run("create", self.file, "grid=0:6:31")
        self.file.chmod(0o444)
        run("ask", self.file, code=1)
        self.assertIn("asked 0", run("show", self.file))

    def test_long_lines_of_the_log(self):
        """The end of the log is found where a line is longer than what is read at once."""
        run("create", self.file, "names=" + ",".join(f"arm{k:06}" for k in range(12000)), "policy=random")
        log = pathlib.Path(f"{self.file}.log")
        for cut in (0, 1, 70000):
            log.write_bytes(log.read_bytes()[:-cut or None])
            run("ask", self.file)
            run("create", f"{self.file}{cut}", "names=a,b")
        self.assertEqual([line["n"] for line in self.log()][-2:], [3, 4])
        for lines in (1000, 4000):  # of a year
            log.write_bytes(b"".join(b'{"n":%d,"call":"skip","id":%d}\n' % (n, n) for n in range(1, lines)) + log.read_bytes()[-500:].split(b"\n", 1)[1])
            size = log.stat().st_size
            run("ask", self.file)
            self.assertGreater(log.stat().st_size, size)

    def test_clock_that_goes_back(self):
        run("create", self.file, "grid=0:1:5", "clock=seconds")
        ahead = time.time() + 1e6
        run("ask", self.file, "--t", ahead)
        self.assertEqual(load("ask", self.file)["t"], ahead)
        run("tell", self.file, 1, 0.5)
        self.assertEqual(load("best", self.file)["t"], ahead)


class Spreadsheets(Case):
    """CSV files as spreadsheets write them. Each is read or refused with line and column: by observe, by create, learn and replay of the
    program, and by tvgp.replay. The result is for observe, then for tables of times x options, where "" is "read"."""

    named = ("--time", "day", "--action", "x", "--outcome", "z")
    files = {
        "plain": ("day,x,z\n1,9,198.61\n2,11,202.81\n", (), "", ""),
        "quotes": ('day,x,z\n1,"9.0","198.61"\n2,"11.0","202.81"\n', (), "", ""),
        "thousands": ('day,x,z\n1,"9.0","198.61"\n2,"11.0","1,202.81"\n', (), "", ""),
        "dates": ("day,x,z\n2026-01-01,9.0,198.61\n2026-01-02,11.0,202.81\n", (), "", ""),
        "times of day": ("day,x,z\n2026-01-01T10:00Z,9,198.61\n2026-01-01 12:30:00+01:00,11,202.81\n", (), "", ""),
        "empty cell": ("day,x,z\n1,9.0,198.61\n2,11.0,\n3,11,203\n", (), "", ""),
        "empty lines": ("day,x,z\n\n1,9,198.61\n\n2,11,202.81\n\n\n", (), "", ""),
        "byte order mark": ("\ufeffday,x,z\r\n1,9,198.61\r\n2,11,202.81\r\n", (), "", ""),
        "columns by name": ("z,day,x\n198.61,1,9\n202.81,2,11\n", named, "", ""),
        "a column of text": ('day,note,x,z\n1,"sunny, ""warm""\nall day",9,198.61\n2,rain,11,202.81\n', named, "", "line 2, column 2 .note."),
        "semicolons": ("day;x;z\n1;9,0;198,61\n2;11,0;202,81\n", (), "line 1: .* is ';' the separator", "line 1: .* is ';' the separator"),
        "tabs": ("day\tx\tz\n1\t9\t198.61\n", (), "line 1: .* is a tab the separator", "line 1: .* is a tab the separator"),
        "ragged": ("day,x,z\n1,9,198.61\n2,11\n", (), "line 3, column 2: the row ends", "line 3, column 2: the row ends"),
        "NA": ("day,x,z\n1,9,198.61\n2,11,NA\n", (), "line 3, column 3 .z.: \"NA\"", "line 3, column 3 .z.: \"NA\""),
        "currency": ("day,x,z\n1,9,$198.61\n2,11,$202.81\n", (), "line 2, column 3 .z.: \"\\$198.61\"", "line 2, column 3 .z.: \"\\$198.61\""),
        "dates of Germany": ("day,x,z\n31.01.2026,9,198.61\n01.02.2026,11,202.81\n", (), "line 2, column 1 .day.: \"31.01.2026\"", "|line 2, column 1 .day."),
        "an open quote": ('day,x,z\n1,9,198.61\n2,"11,202.81\n', (), "line 3, column 2: a quote is not closed", "line 3, column 2: a quote is not closed"),
        "a name twice": ("day,x,x\n1,9,198.61\n", (), "line 1, column 3: \"x\" is the name of column 2", "line 1, column 3: \"x\" is the name of column 2"),
        "no rows": ("day,x,z\n", (), "line 1: no rows", "line 1: no rows"),
        "mixed times": ("day,x,z\n2026-01-01,9,198.61\n7,11,202.81\n", (), "line 3, column 1 .day.: '7': dates and numbers", ""),
    }

    def said(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1, 2))
        return "" if done.returncode == 0 else done.stderr

    def expect(self, what, result, said):
        wanted = result.split("|")
        self.assertTrue(any(said == "" if w == "" else re.search(w, said) for w in wanted), f"{what}: {said}")

    def test_every_command(self):
        self.assertGreaterEqual(len(self.files), 17)
        path = pathlib.Path(self.folder.name) / "t.csv"
        for i, (what, (text, columns, observe, table)) in enumerate(self.files.items()):
            path.write_bytes(text.encode())
            file, other = f"{self.file}{i}", f"{self.file}{i}.names"
            run("create", file, "grid=5:25:41")
            self.expect(f"observe, {what}", observe, self.said("observe", file, "--csv", path, *columns))
            self.expect(f"create, {what}", table, self.said("create", other, f"history={path}"))
            run("create", f"{other}2", "names=x,z")
            self.expect(f"learn, {what}", table, self.said("learn", f"{other}2", path))
            said = self.said("replay", "--data", path, "--policy", "random")
            self.expect(f"replay, {what}", f"{table}|cannot train", said)  # too few rows for it
            try:
                tvgp.replay(path, ["random"])
                said = ""
            except ValueError as error:
                said = str(error)
            self.expect(f"tvgp.replay, {what}", table, said)

    def test_values(self):
        path = pathlib.Path(self.folder.name) / "t.csv"
        for i, (what, told) in enumerate({"thousands": [(1, 9, 198.61), (2, 11, 1202.81)], "dates": [(20454, 9, 198.61), (20455, 11, 202.81)],
                                          "empty cell": [(1, 9, 198.61), (3, 11, 203)], "columns by name": [(1, 9, 198.61), (2, 11, 202.81)],
                                          "times of day": [(29454360, 9, 198.61), (29454450, 11, 202.81)],
                                          "a column of text": [(1, 9, 198.61), (2, 11, 202.81)]}.items()):
            text, columns = self.files[what][:2]
            path.write_bytes(text.encode())
            file = f"{self.file}{i}"
            run("create", file, "grid=5:25:41", "time.max_step=0")
            said = run("observe", file, "--csv", path, *columns)
            self.assertEqual([(e["t"], *e["x"], e["y"]) for e in load("log", file)], told)
            self.assertEqual("1 rows without an outcome" in said, what == "empty cell")
        path.write_bytes(self.files["empty cell"][0].encode())
        self.assertIn("3 rows x 2 options (x, z), 5 values, 1 cells empty; 'day' is the time", run("create", f"{self.file}.names", f"history={path}"))
        path.write_bytes(self.files["dates"][0].encode())
        run("create", self.file, "grid=5:25:41", "clock=seconds")
        run("observe", self.file, "--csv", path)
        self.assertEqual([e["t"] for e in load("log", self.file)], [1767225600, 1767312000])
        for words, says in ((("--action", "x"), "belong together"), (("--action", "q", "--outcome", "z"), "no column 'q' .*day, x, z"),
                            (("--action", "x,z", "--outcome", "z"), "--action has 2"), (("--action", "x", "--outcome", "z,x"), "--outcome has 2")):
            self.assertRegex(self.said("observe", self.file, "--csv", path, *words), says)


class Arms(Case):
    """Arms that may not be asked now, new arms, and actions that fail."""

    def test_available(self):
        run("create", self.file, "names=a,b,c,d")
        for _ in range(4):
            self.assertIn(run("ask", self.file, "--available", "b,d").split()[1], "bd")
        run("available", self.file, "a,c")
        for _ in range(4):
            self.assertIn(run("ask", self.file).split()[1], "ac")
        self.assertEqual(run("ask", self.file, "--available", "d").split()[1], "d")
        self.assertIn(run("ask", self.file).split()[1], "ac")  # the mask of one ask ends with it
        run("extend", self.file, "e", "f")
        self.assertEqual({run("ask", self.file).split()[1] for _ in range(12)} - set("acef"), set())
        run("available", self.file, "all")
        self.assertEqual(load("shares", self.file)[5]["name"], "f")
        for words in (("ask", self.file, "--available", "a,x"), ("available", self.file, ""), ("extend", self.file, "a"), ("extend", self.file, "g,h")):
            self.assertRegex(run(*words, code=1 if words[0] != "extend" else 2), "name of no arm|there twice|no commas")
        for query in load("show", self.file)["open"]:
            run("tell", self.file, query["id"], "abcdef".index(query["name"]))
        run("estimate", self.file, "--uniform")  # the log is replayed, with its arms
        run("create", f"{self.file}2", "arms=0:0,1:1")
        run("extend", f"{self.file}2", "2:2")
        run("available", f"{self.file}2", "2:2")
        self.assertEqual(run("ask", f"{self.file}2").split()[1:], ["2", "2"])
        self.assertIn("not a point", run("available", f"{self.file}2", "1:2", code=1))
        run("create", f"{self.file}3", "box=0:1")
        self.assertIn("box has no arms", run("available", f"{self.file}3", "0.5", code=1))
        self.assertIn("box has no arms", run("extend", f"{self.file}3", "0.5", code=1))

    def test_fail(self):
        run("create", self.file, "names=a,b")
        twin = tvgp.Policy("auto-gp-ucb", tvgp.indices(2))
        for t in range(1, 6):
            asked, query = load("ask", self.file), twin.ask(t)
            self.assertEqual(asked["arm"], query.arm)
            if t % 2:
                run("tell", self.file, query.id, 1)
                twin.tell(query, 1)
            else:
                run("fail", self.file, query.id)
                twin.tell(query, outcome="failed")
        self.assertIn("failed", {e["outcome"] for e in load("log", self.file)})
        self.assertIn("failed", run("show", self.file))
        run("estimate", self.file, "--uniform")
        run("fail", self.file, 99, code=1)


class Help(Case):
    def test_commands(self):
        text = run("help")
        self.assertEqual(text, run("--help"))
        commands = re.findall(r"^  (\w+) ", text, re.M)
        self.assertGreater(len(commands), 20)
        for command in commands:
            said = run("help", command)
            self.assertIn(f"usage: tvgp {command} ", said)
            self.assertRegex(said, f"example: .*tvgp {command}")
        self.assertIn("--noise V", run("help", "tell"))
        self.assertEqual(run("help", "tell"), run("tell", "--help"))
        for word, near in (("aks", "ask"), ("tel", "tell"), ("observed", "observe"), ("replya", "replay")):
            self.assertIn(f"nearest is '{near}'", run(word, self.file, code=2))
            self.assertIn(f"nearest is '{near}'", run("help", word, code=2))

    def test_completions(self):
        script = pathlib.Path(self.folder.name) / "tvgp.bash"
        script.write_text(run("completions", "bash"))
        code = f'. {script}; COMP_WORDS=(tvgp {{}}); COMP_CWORD={{}}; _tvgp; echo ${{{{COMPREPLY[*]}}}}'
        for words, at, found in (("sh", 1, "show shares"), ("tell f --n", 3, "--noise"), ("ask f --av", 3, "--available"), ("help co", 2, "completions cost-weight")):
            done = subprocess.run(["bash", "-c", code.format(words, at)], capture_output=True, text=True, check=True)
            self.assertEqual(set(done.stdout.split()), set(found.split()), done.stderr)
        self.assertIn("--floor[", run("completions", "zsh"))
        run("completions", "fish", code=2)

    def test_options_in_groups(self):
        text = run("options", "auto-gp-ucb")
        keys = re.findall(r"^([\w.]+)=", text, re.M)
        self.assertTrue(text.startswith("# common\nsense=max"))
        all_keys = re.findall(r"^([\w.]+)=", run("options", "auto-gp-ucb", "--all"), re.M)
        listed = tvgp.options("auto-gp-ucb")
        self.assertEqual(sorted(all_keys), sorted(listed))
        self.assertEqual(set(all_keys) - set(keys), {key for key, o in listed.items() if o.advanced} - set(keys))
        self.assertIn("advanced options: --all", text)

    def test_words_of_show(self):
        run("create", self.file, "names=a,b")
        run("observe", self.file, "a", 1)
        run("observe", self.file, "b", 2)
        said = run("show", self.file)
        self.assertIn("asked 0, unsolicited 2; newest time 2", said)
        self.assertNotIn("not learned yet", said)
        self.assertIn("+-", said)
        noise = load("show", self.file)["stats"]["fit.noise_var"]
        self.assertGreater(noise, 0)
        self.same(tvgp.Policy.restore(self.file.read_bytes().split(b"\nsnapshot ", 1)[1].split(b"\n", 1)[1]).ask(3).noise_var, noise)
        self.assertTrue(run("shares", self.file).startswith("share  best   action\n"))


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    unittest.main()
