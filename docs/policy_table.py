# SPDX-License-Identifier: MIT
"""Prints the row of a policy in the benchmark suite: policy_table.py CELLS.csv POLICY. Called for every page of a policy; a test compares.

A cell of the CSV is "regret+-error", relative to uniform play. Means are geometric, of regret + .01 less .01, as in
docs/benchmarks/suite/results.md, over the cells that the policy played; auto-gp-ucb is averaged over the same cells."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import stamp  # noqa: E402

SETTINGS = [("nothing", "learned (defaults)"), ("model", "kernel and noise supplied"), ("all", "all true values supplied")]


def column(row, policy):
    return next((cell for name, cell in row.items() if name.split()[0] == policy and cell), "")


def mean(cells):
    return math.exp(sum(math.log(max(float(cell.split("+-")[0].split()[0]), 0) + .01) for cell in cells) / len(cells)) - .01


def main():
    path, policy = sys.argv[1:]
    rows = stamp.rows(path)
    print("| hyperparameters | cells | regret | auto-gp-ucb |\n| --- | --- | --- | --- |")
    for key, label in SETTINGS:
        played = [row for row in rows if row["known"] == key and column(row, policy)]
        both = [row for row in played if column(row, "auto-gp-ucb")]
        if played:
            reference = f"{mean([column(row, 'auto-gp-ucb') for row in both]):.3f}" if len(both) == len(played) else ""
            print(f"| {label} | {len(played)} | {mean([column(row, policy) for row in played]):.3f} | {reference} |")


main()
