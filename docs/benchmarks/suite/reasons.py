# SPDX-License-Identifier: MIT
"""Why auto-gp-ucb loses cells with default settings: one setting is changed at a time, on the same runs.

usage: python3 -B docs/benchmarks/suite/reasons.py BENCH_ZOO [RUNS]      (default 20 runs; prints reasons.csv, the table of losses.md)

For each cell: the regret of auto-gp-ucb and of the `rival` that has less in the results; then the regret with one setting changed, and
the difference, with errors over runs that are paired by their seeds. The seeds differ from the seeds of the results."""
import csv
import io
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench"))
import zoo  # noqa: E402

SEED = 101
AUTO, DOUBT, SPARQ = "auto-gp-ucb", "auto-gp-ucb model.assume_misspecified=1", "sparq-gp-ucb side.round_exponent=1"
NOTHING, MODEL = 2, 1
MIXTURE = [("optimised hyperparameters instead of the mixture", "", f"{AUTO} fit=map", NOTHING),
           ("no calibration of the coefficient", "", f"{AUTO} width.schedule=rate", NOTHING),
           ("smaller probability of a switch", "", f"{AUTO} mixture.switching_probability=0.0001", NOTHING),
           ("kernel, mean and noise supplied", "", AUTO, MODEL)]
# problem, size, rival; what is changed: words, more settings of the problem, who plays, level of telling
REASONS = [
    ("steady", "brownian", "middle", "tv-gp-ucb", [
        ("exploration coefficient of tv-gp-ucb", "", f"{AUTO} width.schedule=log", NOTHING),
        ("tv-gp-ucb with the coefficient of auto-gp-ucb", "", "tv-gp-ucb width.schedule=rate", NOTHING)]),
    ("moving", "swing", "middle", "tv-gp-ucb", [
        ("prior about the true lengthscale", "", f"{AUTO} prior.lengthscale=.07", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL),
        ("larger exploration coefficient", "", f"{AUTO} width.schedule=log", NOTHING)]),
    ("moving", "waves", "middle", DOUBT, [
        ("three noise factors", "", f"{AUTO} noise.factors=0.01,1,10", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("answers", "heavy", "hard", "tv-gp-ucb", [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("prior", "hills", "small", "gp-ucb", [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("the same, and a larger exploration coefficient", "", f"{AUTO} changepoint.hazard=0 width.schedule=log", NOTHING),
        ("true priors supplied", "", AUTO, MODEL)]),
    ("seasons", "day", "middle", "et-gp-ucb", [
        ("kernel, mean and noise supplied", "", AUTO, MODEL),
        ("the same, and the period supplied", "", f"{AUTO} season.period=48", MODEL)]),
    ("expert", "waves-expert", "middle", SPARQ, [("the other policy, expert absent", "absent=1", SPARQ, NOTHING)]),
    ("expert", "ozone-expert", "middle", SPARQ, [("the other policy, expert absent", "absent=1", SPARQ, NOTHING)]),
    ("recorded", "ozone", "middle", "eps-greedy", [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("recorded", "pems-traffic", "middle", "last-value", [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("recorded", "intel-sensors", "middle", "tv-gp-ucb", [("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("answers", "coin", "middle", "gp-ucb", [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("optimised hyperparameters instead of the mixture", "", f"{AUTO} fit=map", NOTHING),
        ("smaller probability of a switch", "", f"{AUTO} mixture.switching_probability=0.0001", NOTHING),
        ("no calibration of the coefficient", "", f"{AUTO} width.schedule=rate", NOTHING),
        ("both", "", f"{AUTO} mixture.switching_probability=0.0001 width.schedule=rate", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("long", "long", "small", DOUBT, [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("optimised hyperparameters instead of the mixture", "", f"{AUTO} fit=map", NOTHING),
        ("three noise factors", "", f"{AUTO} noise.factors=0.01,1,10", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("few arms", "switches", "small", "d-ts", MIXTURE),
    ("few arms", "sines", "small", "tv-gp-ucb", MIXTURE),
    ("choice", "lists", "hard", DOUBT, [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("three noise factors", "", f"{AUTO} noise.factors=0.01,1,10", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("delays", "lost", "small", "tv-gp-ucb", [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("larger exploration coefficient", "", f"{AUTO} width.schedule=log", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("delays", "late", "middle", DOUBT, [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("three noise factors", "", f"{AUTO} noise.factors=0.01,1,10", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
    ("boxes", "cart-pole", "middle", DOUBT, [
        ("no change-point hypothesis", "", f"{AUTO} changepoint.hazard=0", NOTHING),
        ("three noise factors", "", f"{AUTO} noise.factors=0.01,1,10", NOTHING),
        ("kernel, mean and noise supplied", "", AUTO, MODEL)]),
]


def play(bench, runs, problem, settings, policy, known):
    """{seed: row}, as zoo.py reads them; none where the problem's data are not here."""
    said = subprocess.run([bench, "play", "--problem", problem, "--settings", settings, "--known", str(known), "--runs", str(runs),
                           "--seed", str(SEED), "--policy", policy], text=True, capture_output=True)
    if said.returncode:
        print(said.stderr.strip(), file=sys.stderr)
        return {}
    return {int(row["seed"]): {"share": float(row["share"])} for row in csv.DictReader(io.StringIO(said.stdout))}


def signed(value, spread):
    return ("-" if value < 0 else "+") + f"{zoo.number(abs(value))} +- {zoo.number(spread)}"


def main(bench, runs=20):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["family", "cell", "auto-gp-ucb", "compared with", "its regret", "changed", "regret then", "difference"])
    for family, problem, size, rival, changes in REASONS:
        own, other = (play(bench, runs, problem, size, player, NOTHING) for player in (AUTO, rival))
        if not own:
            continue
        cells = [family, f"{problem} {size}", zoo.with_error(zoo.shares(own)), rival, zoo.with_error(zoo.shares(other))]
        for words, more, player, known in changes:
            now = play(bench, runs, problem, f"{size},{more}" if more else size, player, known)
            before = own if player.startswith(AUTO) else other
            out.writerow([*cells, words, zoo.with_error(zoo.shares(now)), signed(*zoo.paired(before, now))])
            sys.stdout.flush()
            cells = [""] * len(cells)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
