# SPDX-License-Identifier: MIT
"""Two programs tune themselves while they work: minisat chooses among ten settings, zstd among ten levels.

usage: python3 tune_programs.py [minisat|zstd] [--seed N ...] [--jobs N] [--files DIR] [--out DIR]

Every setting is measured once on every job of a stream, into a CSV in DIR (default: build/tune); the policies then replay that
table. A seed makes all streams of a program. Results are reported for the seeds 1, 2 and 3, and for every stream of each. A job's cost varies far more between jobs than between settings, so the policy
reports the cost with the cost of the program's default setting for the same job (outcome.type=ratio). That needs a run of the default
for every job: the column "with references" counts these runs. The column "cost" is of a policy that reports the cost alone. Debian:
minisat, libzstd1.
"""
import argparse
import csv
import ctypes
import os
import random
import subprocess
import tempfile
import time

import tvgp

SETTINGS = ("", "-no-luby", "-rinc=1.5", "-rfirst=20", "-var-decay=0.8", "-var-decay=0.99", "-rnd-freq=0.05", "-phase-saving=0",
            "-ccmin-mode=0", "-no-elim")
LEVELS = (3, 1, 2, 4, 5, 6, 7, 8, 9, 10)
CHUNK = 1 << 17
PLAYS = 10


# ---- jobs of minisat: clauses of literals

def random_3sat(draw, variables, ratio=4.26):
    """Clauses of three different variables with random signs; near this ratio every second instance is satisfiable."""
    return [[v * draw.choice((-1, 1)) for v in draw.sample(range(1, variables + 1), 3)] for _ in range(int(ratio * variables))]


def colouring(draw, nodes, degree=4.6):
    """Can a random graph be coloured with three colours?"""
    name = lambda node, colour: 3 * node + colour + 1
    clauses = [[name(node, colour) for colour in range(3)] for node in range(nodes)]
    for _ in range(int(degree * nodes / 2)):
        a, b = draw.sample(range(nodes), 2)
        clauses += [[-name(a, colour), -name(b, colour)] for colour in range(3)]
    return clauses


def streams(draw, jobs):
    """Two streams of one kind each, one of graphs that become denser, and one whose kind changes after each third of the jobs: easy
    clauses, hard clauses, graphs. Sizes vary by a quarter."""
    size = lambda middle: int(middle * draw.uniform(0.75, 1.25))
    thirds = (lambda: random_3sat(draw, size(120), 3), lambda: random_3sat(draw, size(120)), lambda: colouring(draw, size(140)))
    yield "random", (random_3sat(draw, size(120)) for _ in range(jobs))
    yield "colouring", (colouring(draw, size(140)) for _ in range(jobs))
    yield "denser", (colouring(draw, size(160), 4.2 + 0.8 * i / jobs) for i in range(jobs))
    yield "changing", (thirds[3 * i // jobs]() for i in range(jobs))


def propagations(clauses, setting, path):
    """The work of minisat for these clauses: a number that does not depend on the machine."""
    with open(path, "w", encoding="ascii") as file:
        file.write(f"p cnf {max(abs(v) for clause in clauses for v in clause)} {len(clauses)}\n")
        file.writelines(" ".join(map(str, clause)) + " 0\n" for clause in clauses)
    said = subprocess.run(["minisat", "-cpu-lim=60", *setting.split(), path], capture_output=True, text=True, check=False).stdout
    return 1 + next(int(line.split()[2]) for line in said.splitlines() if line.startswith("propagations"))


def measure_minisat(seed, jobs):
    """Tables by name of the stream: a row for each job, a column for each setting."""
    with tempfile.NamedTemporaryFile(suffix=".cnf") as file:
        return {name: [[propagations(job, setting, file.name) for setting in SETTINGS] for job in stream]
                for name, stream in streams(random.Random(seed), jobs)}


# ---- jobs of zstd: pieces of files

def chunks(draw, directory, jobs):
    """Pieces of files below a directory, the pieces of one file in order, as many as a file has up to eight."""
    paths = sorted(os.path.join(base, name) for base, _, names in os.walk(directory) for name in names)
    draw.shuffle(paths)
    for path in paths:
        if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) >= CHUNK:
            with open(path, "rb") as file:
                for piece in iter(lambda: file.read(CHUNK), b""):
                    if len(piece) < CHUNK or file.tell() > 8 * CHUNK:
                        break
                    yield piece
                    jobs -= 1
                    if not jobs:
                        return
    raise SystemExit(f"--files {directory}: {jobs} more pieces of {CHUNK} bytes are needed")


def measure_zstd(seed, jobs, directory):
    """Seconds of processor and bytes that are left, by level, as streams for three rates of the network."""
    zstd = ctypes.CDLL("libzstd.so.1")
    room = ctypes.create_string_buffer(2 * CHUNK)
    zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
    context = ctypes.c_void_p(zstd.ZSTD_createCCtx())
    tables = {"10 MB/s": [], "30 MB/s": [], "100 MB/s": []}
    for piece in chunks(random.Random(seed), directory, jobs):
        rows = {name: [] for name in tables}
        for level in LEVELS:
            taken = []
            for _ in range(3):
                begin = time.process_time_ns()
                size = zstd.ZSTD_compressCCtx(context, room, len(room), piece, len(piece), level)
                taken.append(1e-9 * (time.process_time_ns() - begin))
            for name, row in rows.items():
                row.append(min(taken) + size / (1e6 * float(name.split()[0])))
        for name, row in rows.items():
            tables[name].append(row)
    zstd.ZSTD_freeCCtx(context)
    return tables


# ---- tables, and playing them

def table_of(path, measure):
    """Reads the tables that were measured before, or measures them."""
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".part", "w", encoding="ascii", newline="") as file:
            csv.writer(file).writerows([name, *row] for name, rows in measure().items() for row in rows)
        os.replace(path + ".part", path)
    tables = {}
    with open(path, encoding="ascii", newline="") as file:
        for name, *row in csv.reader(file):
            tables.setdefault(name, []).append([float(cost) for cost in row])
    return tables


def play(rows, order, **options):
    """The cost of a policy relative to the default, setting 0; and with the runs of the default that it needs as references. The other
    settings are in random order."""
    arms = [0, *random.Random(order).sample(range(1, len(rows[0])), len(rows[0]) - 1)]
    policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(len(arms)), sense="min", **options)
    paid = references = 0
    for t, row in enumerate(rows):
        query = policy.ask(t)
        cost = row[arms[query.arm]]
        paid += cost
        if options.get("outcome__type") == "ratio":
            policy.tell(query, cost, reference=row[0])
            references += row[0] if query.arm else 0
        else:
            policy.tell(query, cost)
    default = sum(row[0] for row in rows)
    return paid / default, (paid + references) / default


def mean(x):
    return sum(x) / len(x)


def report(program, seed, tables):
    """Totals relative to the default setting; the best fixed one is known in hindsight."""
    for name, rows in tables.items():
        total = [sum(row[k] for row in rows) for k in range(len(rows[0]))]
        line = {"best fixed": min(total) / total[0], "uniform": mean(total) / total[0]}
        for label, options in (("ratio", {"outcome__type": "ratio"}), ("cost", {})):
            plays, counted = zip(*(play(rows, order, **options) for order in range(PLAYS)))
            line[label] = mean(plays)
            line[label + " error"] = (sum((p - mean(plays)) ** 2 for p in plays) / (PLAYS - 1) / PLAYS) ** 0.5
            if label == "ratio":
                line["with references"] = mean(counted)
        print(f"{program},{seed},{name},{len(rows)}," + ",".join(f"{value:.3f}" for value in line.values()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", choices=("minisat", "zstd"))
    parser.add_argument("--seed", type=int, nargs="+", default=(1, 2, 3), help="of the streams (default: 1 2 3)")
    parser.add_argument("--jobs", type=int, default=300, help="of each stream (default: 300)")
    parser.add_argument("--files", default="/usr", help="directory of what zstd compresses (default: /usr)")
    parser.add_argument("--out", default="build/tune", help="directory of the tables (default: build/tune)")
    given = parser.parse_args()
    measures = {"minisat": lambda seed: measure_minisat(seed, given.jobs),
                "zstd": lambda seed: measure_zstd(seed, given.jobs, given.files)}
    print("program,seed,stream,jobs,best fixed,uniform,ratio,error,with references,cost,error")
    for program in [given.program] if given.program else measures:
        for seed in given.seed:
            path = f"{given.out}/{program}-{seed}-{given.jobs}.csv"
            report(program, seed, table_of(path, lambda: measures[program](seed)))


if __name__ == "__main__":
    main()
