# SPDX-License-Identifier: MIT
"""Plays stored results again and compares their digits: replay.py BUILD [--date YYYYMMDD] [NAME ..]

Two cells of the benchmark suite and two experiments are drawn by the date (today's): NAME is PROBLEM-SIZE or the name of a file in
docs/benchmarks/data without .csv (papers/NAME). A cell is all its runs and algorithms, an experiment what its stamp says (bench/stamp.py). Columns of
time and memory are not compared. Results of older decisions are left out. If the digits differ, what the library decides has changed."""
import csv
import datetime
import io
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

import papers_more
import stamp
import zoo

PAGES = stamp.ROOT / "docs/benchmarks"
LONGEST = 300  # processor seconds of an experiment
UNSTEADY = re.compile(r"seconds|ms(_\w+)?|\w+_(ms|us)|microseconds|time to the second|megabytes|kilobytes")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TVGP_DATA_DIR", str(stamp.ROOT.parent / "shared/data"))
ENVIRONMENT = os.environ


def cells():
    """The cells of the suite that can be played here: {name: (problem, size, runs)}."""
    path = PAGES / "suite/cells.csv"
    if stamp.of(path) != stamp.decisions():
        return {}
    listed = subprocess.run([BUILD / "bench/bench_zoo", "list"], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    here = {(row["problem"], row["size"]) for row in csv.DictReader(io.StringIO(listed))}
    return {f"{row['problem']}-{row['size']}": (row["problem"], row["size"], int(row["runs"])) for row in stamp.rows(path)
            if (row["problem"], row["size"]) in here}


def bench(program, *arguments):
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, env=ENVIRONMENT, cwd=stamp.ROOT)
    ran.check_returncode()
    return ran.stdout


def replay_cell(problem, size, runs):
    """Rows of cells.csv, stored and played."""
    game = [BUILD / "bench/bench_zoo", "play", "--problem", problem, "--settings", size, "--seed", "1", "--runs", str(runs)]
    robust = bench(*game, "--known", "2", "--policy", f"{zoo.AUTO} model.assume_misspecified=1")
    with tempfile.TemporaryDirectory() as folder:
        played = pathlib.Path(folder)
        (played / "cells").mkdir()
        (played / "cells/game.csv").write_text(bench(*game) + robust.partition("\n")[2], encoding="utf-8")
        (played / "jobs.txt").write_text("game\n", encoding="utf-8")
        rows = zoo.cell_rows(zoo.read(folder)[0])
    stored = [row for row in stamp.rows(PAGES / "suite/cells.csv") if (row["problem"], row["size"]) == (problem, size)]
    return [{key: value for key, value in row.items() if value} for row in stored], [
        {key: str(value) for key, value in row.items() if value != ""} for row in rows]


def programs():
    """The experiments whose stamps name a program of the build or a job of papers_more.py: {name: words of the command}."""
    found = {}
    for path in sorted((PAGES / "data").rglob("*.csv")):
        with open(path, encoding="utf-8") as file:
            read = stamp.STAMP.match(file.readline().rstrip("\n"))
        if not read or int(read.group(3)) != stamp.decisions() or int(read.group(5)) > LONGEST:
            continue
        words = shlex.split(read.group(4)) if '"' in read.group(4) else read.group(4).split()
        place = next((BUILD / folder / words[0] for folder in ("bench", "examples") if (BUILD / folder / words[0]).is_file()), None)
        if path.stem in papers_more.JOBS or place:
            name = str(path.relative_to(PAGES / "data").with_suffix(""))
            found[name] = None if path.stem in papers_more.JOBS else [place, *(w.replace("$TVGP_DATA_DIR", ENVIRONMENT["TVGP_DATA_DIR"]) for w in words[1:])]
    return found


def replay_experiment(name, command):
    rows = papers_more.JOBS[name][1]() if command is None else list(csv.DictReader(io.StringIO(bench(*command))))
    steady = lambda row: {key: str(value) for key, value in row.items() if value and not UNSTEADY.fullmatch(key)}
    return [steady(row) for row in stamp.rows(PAGES / f"data/{name}.csv")], [steady(row) for row in rows]


def main(*arguments):
    date = arguments[arguments.index("--date") + 1] if "--date" in arguments else datetime.date.today().strftime("%Y%m%d")
    asked = [word for word in arguments if word not in ("--date", date)]
    suite, data, draw = cells(), programs(), random.Random(int(date))
    drawn = draw.sample(sorted(suite), min(2, len(suite))) + draw.sample(sorted(data), min(2, len(data)))
    print(f"replay: --date {date}, {len(suite)} cells and {len(data)} experiments to draw from", flush=True)
    differ = 0
    for name in asked or drawn:
        if name not in suite and name not in data:
            sys.exit(f"{name} is no cell or experiment that can be played again")
        try:
            stored, now = replay_cell(*suite[name]) if name in suite else replay_experiment(name, data[name])
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error.cmd} ended with {error.returncode}: {error.stderr}", flush=True)
            differ += pathlib.Path(ENVIRONMENT["TVGP_DATA_DIR"]).is_dir()  # otherwise it may lack data
            continue
        differ += stored != now
        print(f"{name}: {len(stored)} rows, {'other digits' if stored != now else 'the same digits'}", flush=True)
        for before, after in list(zip(stored, now)) if stored != now else []:
            for key in before:
                if before[key] != after.get(key):
                    print(f"    {key}: stored {before[key]}, now {after.get(key)}")
        if len(stored) != len(now):
            print(f"    {len(stored)} rows are stored, {len(now)} came now")
    return differ > 0


if __name__ == "__main__":
    BUILD = papers_more.BUILD = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(main(*sys.argv[2:]))
