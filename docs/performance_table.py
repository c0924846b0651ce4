# SPDX-License-Identifier: MIT
"""Prints a table of docs/benchmarks/performance.md from data/performance-NAME.csv: performance_table.py NAME. A test compares the page."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import stamp  # noqa: E402
from markdown_table import crossed, show  # noqa: E402

WORKS = {"w1a": "gp-ucb, 1000 arms, 500 steps", "w1b": "gp-ucb, 10,000 arms, 1000 steps", "w2": "tv-gp-ucb, 2500 arms, 400 steps",
         "w3": "window 100, 1000 arms, 2000 steps", "w7": "log marginal likelihood, 500 points", "w8": "10,000 predictions from 2000, 6 d"}


def size(value):
    """Three digits."""
    text = f"{float(value):.3g}" if value else ""
    return f"{float(text):,.0f}" if "e+" in text else text


def peers(rows):
    over = lambda a, b: size(float(a) / float(b)) if a and b else ""
    show(["work", "libtvgp s", "calls s", "ratio to calls", "scikit-learn s", "libtvgp is faster by", "choices compared"], *[
        [WORKS[r["work"]], f"{size(r['libtvgp'])} ({size(r['libtvgp_median'])})", f"{size(r['calls'])} ({size(r['calls_median'])})",
         over(r["libtvgp"], r["calls"]), size(r["sklearn"]), over(r["sklearn"], r["libtvgp"]), r["compared"]] for r in rows])


def fit(rows):
    milliseconds = lambda seconds: size(1000 * float(seconds))
    show(["n", "d", "tvgp_gp_fit ms", "scikit-learn ms", "ratio", "gradient / LAPACK"], *[
        [r["n"], r["d"], milliseconds(r["libtvgp_seconds"]), milliseconds(r["sklearn_seconds"]), size(r["ratio"]), r["gradient_over_lapack"]] for r in rows])


def kernel_and_arms(row):
    return f"{row['arms']} arms" + (", no kernel" if row["kernel"] == "none" else "")


def memory(rows):
    crossed("", rows, lambda r: r["policy"], kernel_and_arms, lambda r: size(float(r["bytes"]) / 1000))


def steps(rows):
    crossed("", rows, lambda r: r["policy"], kernel_and_arms, lambda r: f"{size(r['us_median'])} ({size(r['us_max'])})")


def growth(rows):
    mean = lambda found, key: sum(float(r[key]) for r in found) / len(found)
    places = {}
    for r in rows:
        places.setdefault((r["policy"], r["place"]), []).append(r)
    show(["policy", "place", "steps 201 to 500, us", "last 300, us", "ratio", "99 of 100 below, us", "longest, us", "kB"], *[
        [policy, place, size(mean(f, "us_second")), size(mean(f, "us_last")), size(mean(f, "us_last") / mean(f, "us_second")), size(mean(f, "us_p99")),
         size(mean(f, "us_max")), size(mean(f, "bytes") / 1000)] for (policy, place), f in places.items()])


def box(rows):
    crossed("", [r for r in rows if r["scene"].startswith("field") and r["policy"] != "random"], lambda r: f"{r['policy']}{', no kernel' if r['parameters'] == 'defaults' else ''}",
            lambda r: r["scene"], lambda r: size(r["ms"]))


def cold(rows):
    show(["call", "ratio"], *[[f"`{r['call']}`", r["ratio"]] for r in rows])


def sizes(rows):
    shown = lambda us: size(us) if float(us) < 1e4 else f"{size(float(us) / 1000)} ms"
    show(["scene", "size", "policy", "first", "median", "99 of 100 below", "MB"], *[
        [r["scene"], r["size"], r["policy"], shown(r["us_first"]), shown(r["us_median"]), shown(r["us_p99"]), size(float(r["bytes"]) / 1e6) if r["bytes"] else ""] for r in rows])


def machine(rows):
    show(["", ""], *[[r["what"], r["value"]] for r in rows])


{f.__name__: f for f in (sizes, machine, peers, fit, memory, steps, growth, box, cold)}[sys.argv[1]](stamp.rows(ROOT / f"docs/benchmarks/data/performance-{sys.argv[1]}.csv"))
