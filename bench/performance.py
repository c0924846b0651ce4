# SPDX-License-Identifier: MIT
"""Writes the CSV files of docs/benchmarks/performance.md: performance.py BUILD [NAME ..]

memory is exact on any machine. The others are times: run them on a quiet machine, half an hour in all; peers and fit need scikit-learn, sizes python3-deap.
steps: ask and tell after 200 steps by policy, arms and kernel. growth: 2000 steps with default settings. box: a step by dimension.
cold: whole calls of the tool. sizes: large policies, pending queries, constraints, peers that are cheaper. machine: what all this ran on."""
import csv
import ctypes
import io
import os
import pathlib
import resource
import subprocess
import sys

import stamp

DATA = stamp.ROOT / "docs/benchmarks/data"
ARMS = ("100", "1000", "10000")
LEARNING = ("gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "et-gp-ucb", "auto-gp-ucb")


def rows(*command):
    ran = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True, cwd=stamp.ROOT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return list(csv.DictReader(io.StringIO(ran.stdout)))


def steps():
    """Steps 201 to 300 with the kernel supplied, and of policies that learn with default settings."""
    found = []
    for kernel, policies, arms in (("supplied", (), ARMS), ("none", LEARNING, ARMS[:2])):
        words = [word for name in policies for word in ("--policy", name)] + [word for n in arms for word in ("--arms", n)]
        words += ["--kernel", "none"] if kernel == "none" else []
        found += [{"kernel": kernel, **row} for row in rows(BUILD / "bench/bench_step", *words, "--steps", "300", "--block", "100", "--clock", "processor")
                  if row["t"] == "300"]
    return found


def machine():
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_get_corename.restype = blas.openblas_get_config.restype = ctypes.c_char_p
    model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="ascii") if line.startswith("model name"))
    return [{"what": what, "value": value} for what, value in (
        ("processor", model), ("cores", os.cpu_count()), ("OpenBLAS", blas.openblas_get_config().decode().split()[1]),
        ("OpenBLAS's core type", blas.openblas_get_corename().decode()), ("compiler", subprocess.getoutput("cc --version").splitlines()[0]))]


def kept(found, *columns):
    return [{column: row[column] for column in columns} for row in found]


JOBS = {
    "memory": lambda: kept(steps(), "kernel", "policy", "arms", "bytes"),
    "steps": lambda: kept(steps(), "kernel", "policy", "arms", "us_median", "us_max"),
    "growth": lambda: rows(BUILD / "bench/bench_growth", "--runs", "1", "--seeds", "2", *(word for name in LEARNING for word in ("--policy", name))),
    "box": lambda: kept(rows(BUILD / "bench/bench_experiments", "box", "--runs", "2", "--processes", "1"), "scene", "policy", "parameters", "ms"),
    "cold": lambda: rows("python3", "-B", "bench/cold_start.py", BUILD),
    "sizes": lambda: rows(sys.executable, "-B", "bench/sizes.py", BUILD),
    "machine": machine,
    "peers": lambda: rows("sh", "bench/compare_speed.sh", BUILD),
    "fit": lambda: rows("sh", "bench/compare_fit.sh", BUILD),
}


def main():
    for name in sys.argv[2:] or JOBS:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = JOBS[name]()
        with open(DATA / f"performance-{name}.csv", "w", newline="", encoding="utf-8") as file:
            file.write(stamp.line(f"performance.py {name}", resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before))
            table = csv.DictWriter(file, list(found[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(found)
        print(name, flush=True)


BUILD = pathlib.Path(sys.argv[1]).resolve()
main()
