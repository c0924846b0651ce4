# SPDX-License-Identifier: MIT
"""Writes docs/benchmarks/data/papers-*.csv, the tables of docs/benchmarks/papers-more.md: papers_more.py BUILD [NAME ..]

Two minutes of one core. The data are the same as in bench/reproduce.sh (TVGP_DATA_DIR). The first line of a file is a stamp
(bench/stamp.py)."""
import csv
import io
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import stamp

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("TVGP_DATA_DIR", ROOT / "../shared/data"))


def policies(*names):
    return [word for name in names for word in ("--policy", name)]


def experiments(*arguments, **environment):
    """The rows that bench_experiments prints."""
    command = [str(BUILD / "bench/bench_experiments"), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1",
                                                                                  "TVGP_DATA_DIR": str(DATA), **environment})
    head, *lines = csv.reader(io.StringIO(ran.stdout))
    names = [name if name not in head[:i] else f"{head[i - 1]}_{name}" for i, name in enumerate(head)]  # two columns `error`
    return [dict(zip(names, line)) for line in lines]


def other_days():
    """Each two of the eight days are played with the covariance of the other six."""
    lines = (DATA / "intel_temp_8day_46.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    day = lambda i: lines[1 + 144 * i:1 + 144 * (i + 1)]
    found = []
    for first in (0, 2, 4, 6):
        order = [d for d in range(8) if d not in (first, first + 1)] + [first, first + 1]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "intel_temp_8day_46.csv").write_text(lines[0] + "".join("".join(day(d)) for d in order), encoding="utf-8")
            for c2 in ("4", "0.4"):
                rows = experiments("sensors", "--set", f"width.c2={c2}", *policies("et-gp-ucb", "tv-gp-ucb", "r-gp-ucb", "gp-ucb", "ui-gp-ucb"), TVGP_DATA_DIR=folder)
                found += [{"days": f"{first + 1}, {first + 2}", "c2": c2, **row} for row in rows]
    return found


def zoo(problem, settings, known, runs, *names):
    """Regret as a share of that of uniform play, over runs that differ in the noise."""
    ran = subprocess.run([str(BUILD / "bench/bench_zoo"), "play", "--problem", problem, "--settings", settings, "--known", known, "--runs", str(runs),
                          *policies(*names)], capture_output=True, text=True, check=True,
                         env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "TVGP_DATA_DIR": str(DATA)})
    rows = list(csv.DictReader(io.StringIO(ran.stdout)))
    shares = {p: [float(r["share"]) for r in rows if r["player"] == p] for p in names}
    return [{"policy": p, "runs": len(v), "share": f"{statistics.mean(v):.4f}", "error": f"{statistics.stdev(v) / len(v) ** .5:.4f}"}
            for p, v in shares.items()]


GAMMA = " fit=map fit.prior_lengthscale=gamma fit.prior_lengthscale_shape=15 fit.prior_lengthscale_rate=3.3333333333333335"
JOBS = {  # file: (what a user calls, rows)
    "papers-days": ("sensors on permuted days", other_days),
    "papers-chosen-day": ("sensors-prior --chosen 1 --runs 10 --added 0.01 --set width.schedule=log",
                          lambda: experiments("sensors-prior", "--chosen", "1", "--runs", "10", "--added", "0.01", "--set", "width.schedule=log")),
    "papers-chosen": ("chosen --runs 40", lambda: experiments("chosen", "--runs", "40")),
    "papers-bkb": ("bkb-bounds --curve 1 --runs 10", lambda: experiments("bkb-bounds", "--curve", "1", "--runs", "10")),
    "papers-prediction": ("prediction --runs 5", lambda: experiments("prediction", "--runs", "5")),
    "papers-theorems": ("bounds --runs 5", lambda: experiments("bounds", "--runs", "5")),
    "papers-noise": ("abrupt --noise 1 --runs 20, slow --noise 1 --runs 20",
                     lambda: [r for name in ("abrupt", "slow") for r in experiments(name, "--noise", "1", "--runs", "20")]),
    "papers-stocks": ("bench_zoo play --problem us-stocks --settings share=1,noise=0.171 --known 1 --runs 20", lambda: zoo(
        "us-stocks", "share=1,noise=0.171", "1", 20, "sw-gp-ucb", "r-gp-ucb", "et-gp-ucb", "tv-gp-ucb", "w-gp-ucb", "gp-ucb", "random")),
    "papers-search": ("bench_zoo play --problem cart-pole --settings small --known 2 --runs 20, a gamma prior on lengthscales", lambda: zoo(
        "cart-pole", "small", "2", 20, *(name + GAMMA for name in ("et-gp-ucb", "tv-gp-ucb", "r-gp-ucb", "ui-gp-ucb", "gp-ucb")), "et-gp-ucb", "random")),
}


def main():
    for name in sys.argv[2:] or JOBS:
        command, run = JOBS[name]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        rows = run()
        path = ROOT / f"docs/benchmarks/data/{name}.csv"
        with open(path, "w", newline="", encoding="utf-8") as f:
            f.write(stamp.line(command, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before))
            table = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
        print(name, flush=True)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv[1]).resolve()
    main()
