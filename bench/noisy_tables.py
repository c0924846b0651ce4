# SPDX-License-Identifier: MIT
"""The tables of docs/benchmarks/experiments.md from what `bench_experiments noisy` prints, on standard input."""
import csv
import sys

rows = {}
for row in csv.DictReader(sys.stdin):
    rows.setdefault((row["table"], row["row"]), {})[row["player"]] = row

LINE = ["told", "auto told", "auto told nothing", "tv told nothing", "auto fit=noise", "auto noise x 1000", "auto noise / 1000"]
NAMES = ["best constant", "auto told all", "auto told nothing", "tv told nothing"]
OTHERS = ["sw-ucb", "disc thompson"]


def head(columns):
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))


def number(row):
    return f"{float(row['regret']):.4g}" if row else ""


def ratio(players, a, b):
    return f"{float(players[a]['regret']) / float(players[b]['regret']):.2f}" if a in players and b in players else ""


def best(players, kind):
    """The setting of a rule that is best on average over the runs: tuned in hindsight."""
    return min((name for name in players if name.startswith(kind)), key=lambda name: float(players[name]["regret"]))


def apart(players):
    return f"{float(players['auto told nothing']['more_than_auto_told']):+.3g} +- {float(players['auto told nothing']['more_error']):.2g}"


head(["row", "runs", "random"] + LINE + ["nothing - auto, paired", "nothing / auto", "tv nothing / told", "fit=noise / auto"])
for (table, name), players in rows.items():
    if table == "line":
        print("| " + " | ".join([name, players["random"]["runs"], number(players["random"])] + [number(players.get(p)) for p in LINE] + [
            apart(players), ratio(players, "auto told nothing", "auto told"), ratio(players, "tv told nothing", "told"),
            ratio(players, "auto fit=noise", "auto told")]) + " |")
print()
head(["row", "runs", "random"] + NAMES + ["sw-ucb, best", "disc. Thompson, best", "nothing - auto, paired", "nothing / auto", "nothing / sw-ucb",
                                          "nothing / Thompson", "nothing / random"])
for (table, name), players in rows.items():
    if table == "names":
        sw, thompson = (best(players, kind) for kind in OTHERS)
        print("| " + " | ".join([name, players["random"]["runs"], number(players["random"])] + [number(players.get(p)) for p in NAMES] + [
            f"{number(players[p])} ({p.split(None, 1)[1].replace('thompson ', '')})" for p in (sw, thompson)] + [
            apart(players), ratio(players, "auto told nothing", "auto told all"), ratio(players, "auto told nothing", sw),
            ratio(players, "auto told nothing", thompson), ratio(players, "auto told nothing", "random")]) + " |")
