# SPDX-License-Identifier: MIT
"""Prints a table of docs/benchmarks/papers-more.md from data/papers-NAME.csv: papers_table.py NAME. A test compares the page."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import stamp  # noqa: E402
from markdown_table import crossed, show  # noqa: E402


def policy(row):
    return row["policy"]


def error(row, value, name):
    return f"{row[value]} +- {row[name]}"


def days(rows):
    """The last line has the first of the paper's four policies."""
    for row in rows:
        row["column"] = f"days {row['days']}, c2 = {row['c2']}"
    rows.sort(key=lambda row: -float(row["c2"]))
    first = []
    for column in dict.fromkeys(row["column"] for row in rows):
        four = [row for row in rows if row["column"] == column and row["policy"] in ("et-gp-ucb", "tv-gp-ucb", "r-gp-ucb", "gp-ucb")]
        best = min(four, key=lambda row: float(row["regret_celsius"]))
        first.append({**best, "policy": "first of the paper's four", "regret_celsius": best["policy"]})
    crossed("policy", rows + first, policy, lambda row: row["column"], lambda row: row["regret_celsius"])


def chosen_day(rows):
    def most(row):
        counts = {day: float(row[f"prior.chosen.{day}"]) for day in range(13)}
        return "; ".join(f"{day + 1}: {counts[day]:.1f}" for day in sorted(counts, key=counts.get, reverse=True)[:3])
    show(["policy", "regret", "day of March: actions"],
         *[[r["policy"], error(r, "regret", "regret_error"), most(r)] for r in rows if r.get("prior.chosen.0") and "gp-ucb" in r["policy"]
           and any(float(r[f"prior.chosen.{d}"]) for d in range(13))])


def chosen(rows):
    show(["size", "policy", "by the true prior", "by a false one, at most", "true one alive", "false ones alive"],
         *[[r["size"], r["policy"], error(r, "chosen_by_the_true_prior", "error"), r["by_the_false_one_most"], r["true_alive"], r["false_alive"]]
           for r in rows])


def bkb(rows):
    show(["policy", "step", "dictionary", "bound of the dictionary", "effective dimension", "information gain"],
         *[[r["policy"], r["step"], r["dictionary.size"], f"{float(r['bound']):.3g}", r["effective_dimension"], r["information_gain"]]
           for r in rows if r["step"] in ("100", "200", "300")])


def prediction(rows):
    crossed("policy", [r for r in rows if r["step"] in ("20", "60", "100", "200", "400")], policy, lambda row: row["step"], lambda r: error(r, "squared_error", "error"))


def theorems(rows):
    before = {(r["problem"], r["step"]): r["bounds_added"] for r in rows if r["policy"] == "theorem"}
    show(["problem", "policy", "step", "regret", "sum of 2 w sd", "theorem, gain of the run", "before the run"],
         *[[r["problem"], r["policy"], r["step"], error(r, "regret", "error"), r["bounds_added"], r["theorem"],
            before.get((r["problem"], r["step"]), "") if "finite" in r["policy"] else ""]
           for r in rows if r["step"] in ("100", "200", "400") and r["policy"] != "theorem"])


def noise(rows):
    crossed("policy", rows, policy, lambda row: row["experiment"], lambda r: error(r, "regret", "regret_error"))


def stocks(rows):
    show(["policy", "regret"], *[[r["policy"], error(r, "share", "error")] for r in rows])


def search(rows):
    """The options of the gamma prior in one word."""
    show(["policy", "regret"], *[[r["policy"].partition(" fit=map ")[0] + ", gamma" * (" fit=map " in r["policy"]), error(r, "share", "error")] for r in rows])


{f.__name__: f for f in (days, chosen_day, chosen, bkb, prediction, theorems, noise, stocks, search)}[
    sys.argv[1].replace("-", "_")](stamp.rows(ROOT / f"docs/benchmarks/data/papers-{sys.argv[1]}.csv"))
