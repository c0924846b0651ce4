# SPDX-License-Identifier: MIT
"""Processor time of whole calls of `tvgp`, which has no BLAS, over the time of the same calls with the shared library, OpenBLAS and
LAPACKE loaded: median of the ratios of alternating pairs, as CSV. cold_start.py BUILD_DIRECTORY [PAIRS]"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 21
TOOL, ARMS, OBSERVATIONS = str(BUILD / "tvgp"), "grid=0:1:101", 10


def seconds(arguments, preload):
    environment = {**os.environ, "LD_PRELOAD": preload}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([TOOL, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(arguments):
    library = str(BUILD / "libtvgp.so")
    return statistics.median(seconds(arguments, "") / seconds(arguments, library) for _ in range(PAIRS))


with tempfile.TemporaryDirectory() as folder:
    state = os.path.join(folder, "state.tvgp")
    subprocess.run([TOOL, "create", state, ARMS], stdout=subprocess.DEVNULL, check=True)
    for k in range(OBSERVATIONS):
        asked = subprocess.run([TOOL, "ask", state], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run([TOOL, "tell", state, asked[0], str(0.1 * k)], stdout=subprocess.DEVNULL, check=True)
    print("call,ratio")
    for name in ("--version", "ask", "best"):
        file = [] if name == "--version" else [state]
        print(f"tvgp {name}{' FILE' if file else ''},{ratio([name, *file]):.2f}")
