# SPDX-License-Identifier: MIT
"""Compares a step of two builds: bench_step of either in alternating runs, the ratio of their median times and of the bytes held.

usage: step_pairs.py BUILD BASE [--runs N] [bench_step's options, e.g. --arms 49 --arms 400]
Prints, as CSV, the median over N runs (15) of each build's median step in microseconds, the median and the quartiles of the ratio in
each pair of runs, and the ratio of bytes; then the processor time of the longest hundredth of steps, the same way."""
import csv
import statistics
import subprocess
import sys


def rows(build, options):
    text = subprocess.run([f"{build}/bench/bench_step", *options], check=True, capture_output=True, text=True).stdout
    return {(row["policy"], row["arms"]): row for row in csv.DictReader(text.splitlines())}


def main(build, base, *options):
    runs, options = 15, list(options)
    if "--runs" in options:
        at = options.index("--runs")
        runs = int(options[at + 1])
        del options[at:at + 2]
    pairs = [(rows(build, options), rows(base, options)) for _ in range(runs)]
    print("policy,arms,us,us_base,ratio,quartile_1,quartile_3,p99_ratio,bytes_ratio")
    for key in pairs[0][0]:
        if any(key not in b for _, b in pairs):
            continue

        def ratios(column):
            return [float(a[key][column]) / float(b[key][column]) for a, b in pairs]
        lowest, middle, highest = statistics.quantiles(ratios("us_median"), n=4)
        us = [statistics.median(float(pair[side][key]["us_median"]) for pair in pairs) for side in (0, 1)]
        print(f"{key[0]},{key[1]},{us[0]:.3f},{us[1]:.3f},{middle:.3f},{lowest:.3f},{highest:.3f},"
              f"{statistics.median(ratios('us_p99')):.3f},{ratios('bytes')[0]:.3f}")


main(*sys.argv[1:])
