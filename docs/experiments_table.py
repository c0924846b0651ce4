# SPDX-License-Identifier: MIT
"""Prints a table of docs/benchmarks/experiments.md from its CSV file in docs/benchmarks/data: experiments_table.py NAME. A test compares."""
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import stamp  # noqa: E402
from markdown_table import crossed, show  # noqa: E402


def rows_of(name):
    return stamp.rows(ROOT / f"docs/benchmarks/data/{name}.csv")


def digits(value):
    """Three significant digits."""
    value = float(value)
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def pair(row, value, error):
    """The error has as many digits after the point as the value."""
    text = digits(row[value])
    return f"{text} +- {float(row[error]):.{len(text.partition('.')[2])}f}"


def unknown_rate():
    names = {"auto-gp-ucb drift.models=ou": "auto-gp-ucb", "tv-gp-ucb": "tv-gp-ucb, true rate", "tv-gp-ucb epsilon=0.001": "tv-gp-ucb, rate 0.001",
             **{name: name for name in ("et-gp-ucb", "gp-ucb", "random", "best constant arm")}}
    scenes = ("eps 0", "eps 0.01", "eps 0.03", "switched", "redrawn", "shocks")
    rows = rows_of("auto")
    crossed(f"policy, {rows[0]['runs']} runs", rows, lambda r: names.get(r["policy"]), lambda r: r["scene"] if r["scene"] in scenes else None,
            lambda r: pair(r, "regret", "regret_error"))


def learned():
    scenes = ("static", "eps 0.01", "eps 0.03", "redrawn", "draws")
    rows = [r for r in rows_of("learn") if r["policy"] == "auto-gp-ucb" and r["scene"] in scenes]
    more = [{**r, "parameters": "defaults - true, paired", "regret_share": r["more_than_true"], "share_error": r["more_error"]}
            for r in rows if r["parameters"] == "defaults"]
    crossed("auto-gp-ucb", rows + more, lambda r: r["scene"], lambda r: r["parameters"], lambda r: pair(r, "regret_share", "share_error"))


def noisy():
    """Of the rules that are tuned in hindsight, the best setting of each row."""
    names = {"random": "random", "true": "tv-gp-ucb, true", "auto true": "auto-gp-ucb, true", "auto defaults": "auto-gp-ucb, defaults",
             "tv defaults": "tv-gp-ucb, defaults"}
    rows = rows_of("noisy")
    for rule, name in (("sw-ucb", "sliding window, best"), ("disc thompson", "discounted Thompson, best")):
        for place in dict.fromkeys(r["row"] for r in rows):
            found = [r for r in rows if r["row"] == place and r["player"].startswith(rule)]
            rows += [{**min(found, key=lambda r: float(r["regret"])), "player": name}] if found else []
        names[name] = name
    for table, title in (("line", "21 numeric arms"), ("names", "categorical arms")):
        found = [r for r in rows if r["table"] == table]
        order = list(dict.fromkeys(names.values()))
        found.sort(key=lambda r: order.index(names[r["player"]]) if r["player"] in names else 99)
        if table == sys.argv[2]:
            crossed(title, found, lambda r: r["row"], lambda r: names.get(r["player"]), lambda r: pair(r, "regret", "error"))


def robust():
    files = {"robust-1": "eps 0.001", "robust-2": "eps 0.01", "robust-3": "eps 0.03", "robust-13": "shocks", "robust-offset": "eps 0.01, rewards + 5",
             "robust-unit": "eps 0.01, rewards x 5"}
    lines = []
    for file, name in files.items():
        plain, robust = rows_of(file)[:2]
        ratio = 1 / float(robust["first_over_this"])
        lines.append([name, plain["runs"], pair(plain, "regret", "regret_error"), pair(robust, "regret", "regret_error"),
                      f"{ratio:.2f} +- {float(robust['ratio_error']) * ratio**2:.2f}"])
    show(["scene", "runs", "auto-gp-ucb", "robust mode", "ratio, paired"], *lines)


def boxes():
    policies = ("tv-gp-ucb", "auto-gp-ucb", "sw-gp-ucb")
    crossed("function (runs)", [r for r in rows_of("box") if r["parameters"] in ("true", "defaults")], lambda r: f"{r['scene']} ({r['runs']})",
            lambda r: f"{r['policy']}, {r['parameters']}" if r["policy"] in policies else None, lambda r: pair(r, "share", "share_error"))


def server():
    crossed("", [r for r in rows_of("server") if r["scene"] != "ratio"], lambda r: r["scene"], lambda r: ", ".join(filter(None, (r["policy"], r["settings"])))
            if r["policy"] in ("auto-gp-ucb", "tv-gp-ucb", "best try") else None, lambda r: pair(r, "share", "error"))


def candidates():
    names = {"tv-gp-ucb true": "tv-gp-ucb, true", "tv-gp-ucb defaults": "tv-gp-ucb, defaults", "auto-gp-ucb true kernel": "auto-gp-ucb, true kernel and noise",
             "auto-gp-ucb defaults": "auto-gp-ucb, defaults"}
    lines = []
    for r in rows_of("candidates"):
        name = names.get(r["player"]) or (r["player"].replace("best linucb", "best LinUCB") if r["player"].startswith(("best", "random")) else None)
        if name:
            lines.append([r["world"], name, pair(r, "share", "share_error"), pair(r, "over_linucb", "over_error")])
    show(["functions", "policy", "share", "to the best LinUCB"], *lines)


def history():
    files = {"grid": "demand of grids, hours", "sensors": "temperatures, 10 minutes", "ozone": "ozone, days", "countries": "anomalies, months", "stocks": "prices, days",
             "traffic": "speeds, 5 minutes"}
    names = {"auto-gp-ucb with history": "auto-gp-ucb with history", **{n: n for n in ("auto-gp-ucb", "tv-gp-ucb", "gp-ucb", "best arm of the hour in training",
                                                                                  "best constant arm", "random")}}
    rows = [{**r, "file": name} for file, name in files.items() for r in rows_of(f"recorded-{file}")]
    crossed("regret", rows, lambda r: names.get(r["policy"].partition(" (")[0]), lambda r: r["file"], lambda r: digits(r["regret"]))


def not_repeating():
    lines, rows = [], rows_of("history")
    for new, old in zip(rows[::2], rows[1::2]):
        ratios = [f"{float(r['ratio']):.2f} +- {float(r['ratio error']):.2f}" for r in (new, old)]
        cost = new["cost without over the earlier best"] and pair(new, "cost without over the earlier best", "cost error")
        lines.append([new["table"], f"{new['rows of history']} + {new['rows played']}", new["history.error"], pair(new, "without history", "without error"), *ratios, cost])
    show(["table", "rows: history + run", "`history.error`", "share, no history", "ratio with history", "ratio, `model.assume_misspecified=0`", "cost to the earlier best"], *lines)


def programs():
    """Means over the streams of all seeds, and the range."""
    lines, rows = [], rows_of("tune-programs")
    for name in dict.fromkeys((r["program"], r["stream"]) for r in rows):
        found = [r for r in rows if (r["program"], r["stream"]) == name]
        cells = [[float(r[key]) for r in found] for key in ("best fixed", "ratio", "with references", "cost")]
        lines.append([", ".join(name), len(found), *(f"{sum(x) / len(x):.2f} ({min(x):.2f} .. {max(x):.2f})" for x in cells)])
    show(["jobs", "streams", "best fixed setting", "`ratio`", "`ratio`, with reference runs", "cost alone"], *lines)


def recorded():
    rows = [r for r in rows_of("real") if r["set"].startswith("geometric mean of 20")]
    fixed = [r for r in rows if not r["policy"].startswith(("auto", "random"))]
    best, worst = (f(fixed, key=lambda r: float(r["ratio_to_best"])) for f in (min, max))
    lines = [[r["policy"] + note, f"{float(r['ratio_to_best']):.2f}", f"{float(r['ratio_to_first']):.3f} +- {float(r['ratio_error']):.3f}"]
             for r, note in [*((r, "") for r in rows[:3]), (best, " (best of the 18)"), (worst, " (worst)"), (rows[-1], "")]]
    show(["policy", "to the best fixed setting of each set", "to auto-gp-ucb"], *lines)


def season():
    crossed("auto-gp-ucb", rows_of("season"), lambda r: {"law": "seasonal kernel"}.get(r["given"], r["given"] or r["policy"]), lambda r: {"made-up": "synthetic"}.get(r["set"], r["set"])
            if r["policy"] in ("auto-gp-ucb", "best constant arm", "table of the hour") else None, lambda r: digits(r["regret"]))


def constraints():
    names = {"auto-gp-ucb": "confidence 0.99", "auto-gp-ucb constraint.confidence=.9": "confidence 0.9", "auto-gp-ucb constraint.confidence=.5": "confidence 0.5",
             "the first without its limit": "no constraint", "static SafeOpt": "SafeOpt without drift", "the cautious pair": "the safe action alone"}
    show(["world", "policy", "violations", "worst run", "regret"], *[
        [r["world"], names[r["policy"]], pair(r, "measured", "measured_se"), r["measured_worst"], pair(r, "regret", "regret_se")]
        for r in rows_of("constraints") if r["policy"] in names])


def switching():
    rows = [{**r, "eps": eps} for eps, file in ((".003", "slow"), (".03", "fast")) for r in rows_of(f"switching-{file}") if "switch" in r["policy"] or r["policy"] == "tv-gp-ucb"]
    columns = [("regret", "regret"), ("switches", "switch.count"), ("distance", "switch.distance")]
    lines = [{"policy": r["policy"], "column": f"{name}, epsilon {r['eps']}", "cell": pair(r, key, f"{key}_error")} for r in rows for name, key in columns]
    crossed("", lines, lambda r: r["policy"].partition(" ")[2] or "no cost", lambda r: r["column"], lambda r: r["cell"])


def fleet():
    names = {"defaults, tv-gp-ucb": "tv-gp-ucb, defaults", "true parameters": "true parameters", "prior of 100": "prior of 100 devices", "prior of 20": "prior of 20",
             "prior of 5": "prior of 5"}
    show(["new device", "share of uniform play's regret", "over tv-gp-ucb with defaults, paired"], *[
        [names[r["new device"]], pair(r, "share_of_uniform", "share_error"), pair(r, "over_defaults", "over_error")] for r in rows_of("fleet") if r["new device"] in names])


def defaults():
    """The sets in which the default settings lose most come first."""
    fitted = "auto-gp-ucb fit=map changepoint.hazard=0.005 changepoint.confirm_by=other_arm"
    others = ("gp-ucb fit=map", "tv-gp-ucb fit=map", "et-gp-ucb fit=map")
    lines, logs = [], {}
    for file in ("tables", "stocks", "problems", "cells", "long"):
        for r in rows_of(f"defaults-{file}"):
            if r["suite"] == "mean" or not r["to the second"]:
                continue
            best = min(others, key=lambda p: float(r[p]))
            ratio, fixed = float(r["auto-gp-ucb"]) / float(r[best]), r["best constant arm"] and pair(r, "best constant arm", "best constant arm error")
            lines.append((ratio, [r["game"], "recorded" if file in ("tables", "stocks") else "drawn", pair(r, "auto-gp-ucb", "auto-gp-ucb error"), pair(r, fitted, f"{fitted} error"),
                                  f"{pair(r, best, f'{best} error')} ({best.partition('-')[0]})", fixed, f"{ratio:.2f}"]))
            logs.setdefault(lines[-1][1][1], []).append([math.log(float(r["auto-gp-ucb"]) / float(r[p])) for p in (fitted, best)])
    show(["set", "", "auto-gp-ucb", "optimised hyperparameters", "best of gp-, tv-, et-gp-ucb", "best constant arm", "to the best of the three"],
         *[line for _, line in sorted(lines, key=lambda line: -line[0])],
         *[[f"geometric mean of {len(found)}", kind, "", *(f"ratio {math.exp(sum(x[i] for x in found) / len(found)):.2f}" for i in (0, 1)), "", ""]
           for kind, found in logs.items()])


{f.__name__: f for f in (defaults, unknown_rate, learned, noisy, robust, boxes, server, candidates, history, not_repeating, programs, recorded, season, constraints, switching, fleet)}[
    sys.argv[1].replace("-", "_")]()
