# SPDX-License-Identifier: MIT
"""auto-gp-ucb with default settings against an earlier version of the library, on the same draws of the games of defaults_games.c.

usage: python3 compare_defaults.py BUILD REVISION GROUP [--delay N] [--seed N] [--runs N] [OPTION=VALUE ...]

BUILD has libtvgp.so of this version; REVISION is built in BUILD/REVISION, of which git has the sources. GROUP: tables, stocks, problems,
cells, long, answers, step, or history (tables, after learning from their training rows). Options are for this version alone. Prints the regret
relative to uniform play of both, the ratio with its standard error over paired runs, microseconds of a step of both, and their ratio; at
last the geometric mean."""
import argparse
import math
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent
READERS = ("csv.c", "readings.c")


def build_revision(revision, where):
    """The library of an earlier version; gives its sources."""
    source = where / "source"
    if not (where / "libtvgp.so").exists():
        source.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "-C", TOP, "archive", revision], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
        subprocess.run(["cmake", "-S", source, "-B", where, "-DCMAKE_BUILD_TYPE=Release", "-DTVGP_BUILD_TESTS=OFF"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", where, "--target", "tvgp", "-j", str(os.cpu_count())], check=True, stdout=subprocess.DEVNULL)
    return source


def compile_player(library, include, out):
    old = "tvgp_policy_learn_history_table" not in "".join(header.read_text("utf-8") for header in include.glob("tvgp/*.h"))
    files = [TOP / "bench/defaults_player.c", TOP / "bench/defaults_games.c", *(TOP / "examples" / name for name in READERS)]
    subprocess.run(["cc", "-std=c11", "-O2", "-D_POSIX_C_SOURCE=200809L", *(["-DLEARN=tvgp_policy_learn_table"] if old else []), f"-I{include}",
                    "-iquote", TOP / "bench", "-iquote", TOP / "examples", *files, "-o", out, f"-L{library}", "-ltvgp", "-lm",
                    f"-Wl,-rpath,{library}"], check=True)
    return out


def shares(player, given, options):
    """{game: {seed: share}}, and {game: microseconds of a step}"""
    said = subprocess.run([player, given.group, str(given.delay), str(given.seed), str(given.runs), *options], check=True,
                          capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}).stdout
    games, times = {}, {}
    for line in said.splitlines():
        game, seed, share, micro = line.split(",")
        games.setdefault(game, {})[seed] = float(share)
        times[game] = times.get(game, 0) + float(micro) / given.runs
    return games, times


def ratio(now, before):
    """The ratio of the means, and its error."""
    n, mean = len(now), sum(before.values()) / len(before)
    value = sum(now.values()) / n / mean
    squares = sum(((now[seed] - value * before[seed]) / mean) ** 2 for seed in now)
    return value, math.sqrt(squares / n / max(n - 1, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("revision")
    parser.add_argument("group")
    parser.add_argument("--delay", type=int, default=0, help="steps from a choice to its outcome (default: 0)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run (default: 1)")
    parser.add_argument("--runs", type=int, default=10, help="of each game (default: 10)")
    parser.add_argument("options", nargs="*", metavar="OPTION=VALUE")
    given = parser.parse_args()
    before = given.build / given.revision
    source = build_revision(given.revision, before)
    then, slow = shares(compile_player(before, source / "include", before / "defaults_player"), given, ())
    now, fast = shares(compile_player(given.build, TOP / "include", before / "defaults_player_now"), given, given.options)
    logs, squares = 0, 0
    print(f"game,now,{given.revision},ratio,error,microseconds,{given.revision},ratio")
    for game in now:
        value, error = ratio(now[game], then[game])
        means = (sum(runs[game].values()) / len(runs[game]) for runs in (now, then))
        print(f"{game},{','.join(f'{mean:.4f}' for mean in means)},{value:.3f},{error:.3f},{fast[game]:.0f},{slow[game]:.0f},"
              f"{fast[game] / slow[game]:.2f}")
        logs += math.log(value)
        squares += (error / value) ** 2
    mean = math.exp(logs / len(now))
    print(f"geometric mean,,,{mean:.3f},{mean * math.sqrt(squares) / len(now):.3f}")


if __name__ == "__main__":
    main()
