# SPDX-License-Identifier: MIT
"""The policy of docs/benchmarks/suite.md is entered by its page and gets a row; the same policy of the library has the same row from
Python as from C."""
import csv
import io
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tvgp import Error, zoo

ROOT = pathlib.Path(__file__).resolve().parents[1]


def code_of_page():
    inside, lines = False, []
    for line in (ROOT / "docs/benchmarks/suite.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            continue
        lines += [line] if inside else []
    return "\n".join(lines) + "\n"


class Entry(unittest.TestCase):
    def test_page(self):
        code = code_of_page()
        self.assertLessEqual(sum(bool(line.strip()) for line in code.splitlines()), 20)
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work, "mine.py")
            path.write_text(code, encoding="utf-8")
            said = subprocess.run([sys.executable, "-B", "-m", "tvgp.zoo", str(path), "redrawn"], check=True, text=True,
                                  capture_output=True).stdout
        rows = [line.split() for line in said.splitlines()]
        self.assertEqual([row[2] for row in rows], ["Player", "auto-gp-ucb"])
        mine, auto = (float(row[5]) for row in rows)
        self.assertTrue(0 < mine < 1, said)  # better than at random
        self.assertTrue(0 < auto < 1, said)

    def test_same_row_as_in_c(self):
        for name in ("lists", "geometric", "hills", "fields", "coins"):
            command = [os.environ["BENCH_ZOO"], "play", "--problem", name, "--settings", "small", "--seed", "3", "--known", "2",
                       "--policy", "gp-ucb"]
            row = next(csv.DictReader(io.StringIO(subprocess.run(command, check=True, text=True, capture_output=True).stdout)))
            here = zoo.play(name, zoo.PolicyAgent("gp-ucb"), settings="small", seed=3)
            self.assertTrue(math.isclose(here.share, float(row["share"]), rel_tol=1e-4), (here, row))

    def test_refused(self):
        for arguments, status in ((("nobody",), -5), (("ou", "rate=x"), -6), (("ou", "speed=1"), -5)):
            with self.assertRaises(Error) as caught:
                zoo.Problem(*arguments)
            self.assertEqual(caught.exception.status, status)
        self.assertIn("redrawn", str(self.refusal("nobody")))

        class Wrong:
            def __init__(self, problem):
                pass

            def ask(self, t, available):
                return 1000

        with self.assertRaises(ValueError):
            zoo.play("lists", Wrong)

    def refusal(self, name):
        try:
            return zoo.Problem(name)
        except Error as error:
            return error


if __name__ == "__main__":
    unittest.main()
