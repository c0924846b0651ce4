# SPDX-License-Identifier: MIT
"""bench/zoo.py on made-up runs whose tables are known: boards, losses with their errors, grids, the diagram, the budget."""
import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))
import stamp  # noqa: E402
import stamps  # noqa: E402
import zoo  # noqa: E402

HEAD = "family,problem,size,player,known,seed,share,regret,uniform,restarts,microseconds,kilobytes\n"


class Tables(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.directory, self.jobs = pathlib.Path(self.work.name), []
        (self.directory / "cells").mkdir()
        self.out = self.directory / "out"

    def play(self, problem, size, seed, shares, family="steady"):
        """One job: shares[algorithm, known]."""
        name = f"{problem}-{size}-{seed}".replace("/", "-")
        rows = [f'{family},{problem},"{size}","{player}",{known},{seed},{share},1,1,0,2,3\n'
                for (player, known), share in shares.items()]
        (self.directory / "cells" / f"{name}.csv").write_text(HEAD + "".join(rows), encoding="utf-8")
        self.jobs.append(name)

    def write(self, more_jobs=()):
        problems = ["family,problem,size"] + [f"steady,{name},{size}" for name in ("flat", "steep", "stocks") for size in ("small", "hard")]
        (self.directory / "problems.csv").write_text("\n".join(problems) + "\n", encoding="utf-8")
        (self.directory / "jobs.txt").write_text("".join(f"{job} play\n" for job in [*self.jobs, *more_jobs]), encoding="utf-8")
        zoo.main(str(self.directory), str(self.out))
        return " ".join((self.out / "results.md").read_text(encoding="utf-8").split())

    def play_four(self):
        """On `flat` tv-gp-ucb is better run by run, on `steep` on average but not beyond its error."""
        for seed, (auto, tv) in enumerate(zip((0.4, 0.2, 0.3, 0.1), (0.3, 0.1, 0.2, 0.05)), 1):
            known = {("auto-gp-ucb", "model"): tv / 2, ("tv-gp-ucb", "model"): tv, ("uniform", "nothing"): 1.0}
            self.play("flat", "small", seed, {("auto-gp-ucb", "nothing"): auto, ("tv-gp-ucb", "nothing"): tv,
                                              ("d-ucb", "nothing"): 0.9, ("d-ucb gamma=.9", "nothing"): 0.8, **known})
            self.play("steep", "hard", seed, {("auto-gp-ucb", "nothing"): auto, ("tv-gp-ucb", "nothing"): 0.47 - auto,
                                              ("d-ucb", "nothing"): 0.7, ("d-ucb gamma=.9", "nothing"): 0.8, **known})

    def test_losses(self):
        self.play_four()
        said = self.write()
        self.assertIn("| steady | flat | small | 4 | .250 +- .065 | tv-gp-ucb | .163 +- .055 | 1.54 | "
                      ".081 +- .028 | tv-gp-ucb .163 | no |", said)
        self.assertNotIn("| steady | steep |", said)
        self.assertIn("Lost 1 of 2 cells", said)
        self.assertIn("| steady | 2 | 1 | 1 |", said)

    def test_boards(self):
        self.play_four()
        said = self.write()
        all_of = lambda a, b: zoo.number(math.exp((math.log(a + 0.01) + math.log(b + 0.01)) / 2))
        self.assertIn(f"| 1 | tv-gp-ucb | {all_of(0.1625, 0.22)} |", said)
        self.assertIn(f"| 2 | auto-gp-ucb | {all_of(0.25, 0.25)} |", said)
        self.assertIn(f"| | *d-ucb, best of its grid* | {all_of(0.8, 0.7)} |", said)  # in each cell another
        self.assertIn("## True hyperparameters supplied", said)
        rows = stamp.rows(self.out / "cells.csv")
        rows = {(row["problem"], row["known"]): row for row in rows}
        self.assertRegex(rows["flat", "nothing"]["d-ucb best"], r"^\.\d{4}\+-\.\d{4} gamma=\.9$")
        self.assertEqual(rows["steep", "nothing"]["d-ucb best"], rows["steep", "nothing"]["d-ucb"])  # the default was
        self.assertEqual((rows["flat", "nothing"]["runs"], rows["flat", "nothing"]["auto-gp-ucb"]), ("4", ".2500+-.0645"))

    def play_family(self, seeds):
        """What auto-gp-ucb loses by a seed on one size it wins on the other; eps-greedy receives the range and is better, et-gp-ucb level."""
        for seed in range(1, seeds + 1):
            more = 0.02 * (seed - (seeds + 1) / 2)
            for size, sign in (("small", 1), ("hard", -1)):
                known = {(player, "model"): 0.3 for player in ("auto-gp-ucb", "et-gp-ucb")}
                self.play("flat", size, seed, {("auto-gp-ucb", "nothing"): 0.29 + sign * more, ("eps-greedy", "nothing"): 0.19,
                                               ("et-gp-ucb", "nothing"): 0.28, ("auto-gp-ucb model.assume_misspecified=1", "nothing"): 0.2, **known})

    def test_families(self):
        self.play_family(4)
        said = self.write()
        self.assertIn("| steady | 2 | 4 | .300 | eps-greedy | .200 | 1.50 +- .00 | no | no | yes | et-gp-ucb | 1.03 +- .00 | yes |", said)
        self.assertIn("First or level in 0 of 1 families (within 5 % in 0). Of the 1 that are lost, these are level with the rest, lost only to algorithms with a range or to auto-gp-ucb with other options: steady.", said)

    def test_pairing(self):
        """The error of the ratio equals the jackknife error over seeds, to first order."""
        cells = [{"a": {s: {"share": v} for s, v in enumerate(a)}, "b": {s: {"share": v} for s, v in enumerate(b)}}
                 for a, b in (((0.41, 0.40, 0.42, 0.43), (0.30, 0.31, 0.29, 0.31)), ((0.22, 0.20, 0.21, 0.21), (0.24, 0.25, 0.24, 0.23)))]
        apart, error = zoo.log_ratio(cells, "a", "b")
        less = [[{p: {s: row for s, row in runs.items() if s != out} for p, runs in rows.items()} for rows in cells] for out in range(4)]
        left = [zoo.log_ratio(rows, "a", "b")[0] for rows in less]
        self.assertAlmostEqual(error, math.sqrt(3 / 4 * sum((v - sum(left) / 4) ** 2 for v in left)), delta=0.02 * error)
        self.assertAlmostEqual(apart, (math.log(0.425 / 0.3125) + math.log(0.22 / 0.25)) / 2)
        self.assertTrue(math.isnan(zoo.log_ratio([{p: {0: runs[0]} for p, runs in cells[0].items()}], "a", "b")[1]))

    def test_diagram(self):
        self.play_four()
        shares = {1: (0.2, 0.4), 2: (0.4, 0.4), 3: (0.3, 0.7)}
        for seed, (auto, tv) in shares.items():
            for rate in ("0", ".1"):
                self.play("mixed", f"rate={rate},share=0,noise=.5", seed, {("auto-gp-ucb", "model"): auto, ("tv-gp-ucb", "all"): tv})
        said = self.write()
        of = lambda seeds: (sum(shares[s][0] for s in seeds) / len(seeds) + 0.01) / (sum(shares[s][1] for s in seeds) / len(seeds) + 0.01)
        left = [of([s for s in shares if s != out]) for out in shares]
        error = math.sqrt(2 / 3 * sum((v - sum(left) / 3) ** 2 for v in left))
        self.assertIn("3 runs in each of 2 cells", said)
        self.assertIn(f"| geometric mean | {of(list(shares)):.3f} +- {error:.3f} |", said)
        self.assertEqual(len(stamp.rows(self.out / "phase.csv")), 4)

    def test_files(self):
        """Every table is a CSV file of the present decisions, and what was played beyond the budget is left out."""
        self.play_four()
        self.jobs = [job for job in self.jobs if not job.endswith("-4")]
        (self.directory / "seconds.txt").write_text("flat-small-1 5m0.0s 0m0.0s\nflat-small-1 1m2.5s 0m1.25s\nflat-small-4 9m0.0s 0m0.0s\n", encoding="utf-8")
        self.assertIn("Cells have 3 runs", self.write())
        for path in self.out.glob("*.csv"):
            self.assertEqual(stamp.of(path), stamp.decisions(), path)
        self.assertTrue((self.out / "lost.csv").read_text(encoding="utf-8").partition("\n")[0].endswith("64 processor seconds"))
        self.assertEqual(stamps.typed_tables((self.out / "results.md").read_text(encoding="utf-8")), [])

    def test_twins(self):
        self.play_four()
        for size in ("small", "hard"):
            self.play("stocks", size, 1, {("auto-gp-ucb", "nothing"): 0.5, ("tv-gp-ucb", "nothing"): 0.2,
                                           ("auto-gp-ucb", "model"): 0.5, ("tv-gp-ucb", "model"): 0.4}, "recorded")
        self.assertIn("| recorded | stocks (simulated twin) | small |", self.write())

    def test_budget(self):
        self.play("flat", "small", 1, {("auto-gp-ucb", known): 0.1 for known in ("nothing", "model")} |
                  {("tv-gp-ucb", known): 0.2 for known in ("nothing", "model")})
        (self.directory / "budget.txt").write_text("7 minutes of processor\n", encoding="utf-8")
        said = self.write(more_jobs=["flat-hard-1"])
        self.assertIn("**The budget.** Asked for: 7 minutes of processor. 2 jobs, each one run of one cell or of one point of the diagram; 1 of them were played, and it was stopped there. "
                      "Cells have 1 run. With one run none has an error of its own", said)


if __name__ == "__main__":
    unittest.main()
