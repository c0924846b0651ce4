# SPDX-License-Identifier: MIT
"""Tables and figures of the drift zoo from the cells that bench/zoo.sh has played.

usage: python3 bench/zoo.py CELLS OUT      (CELLS: the directory with problems.csv, jobs.txt and cells/; OUT gets results.md, a CSV
                                            file for each of its tables, cells.csv, phase.csv, problems.csv, profile.svg, phase.svg)

The score of a run is the share of the regret of uniform play: 0 clairvoyant, 1 random. Families and boards are geometric means of
share + .01 over cells (problem and size); the interval is a bootstrap over problems. Everything but columns of time and memory is
the same at every run."""
import csv
import math
import os
import random
import sys
import textwrap

import stamp

FLOOR = 0.01
AUTO = "auto-gp-ucb"
GRID = ("eps-greedy", "d-ucb", "sw-ucb", "d-ts", "d-ts-beta", "d-linucb")
OF_GRID = ", best of its grid"
# Published algorithms: made for few arms that have nothing in common, and for many arms with features or a kernel.
FEW_ARMS = ("d-ucb", "sw-ucb", "d-ts-beta", "d-ts", "exp3.s", "rexp3", "glr-klucb", "m-ucb", "cusum-ucb", "master-ucb")
MANY_ARMS = ("d-linucb", "master-gp", "dal", "r-perp")
TWINS = {"demand": "grid-demand", "sensors": "intel-sensors", "traffic": "pems-traffic", "stocks": "us-stocks",
         "temperatures": "berkeley-temperatures", "temperatures-expert": "berkeley-temperatures-expert"}
SIZES = ("small", "middle", "hard", "steps=2000")
BOARDS = [("nothing", "default settings"), ("model", "kernel, mean and noise supplied"), ("all", "true hyperparameters supplied")]


def mean(x):
    return sum(x) / len(x)


def error(x):
    """Standard error of the mean; NaN for one value."""
    if len(x) < 2:
        return math.nan
    m = mean(x)
    return math.sqrt(sum((v - m) ** 2 for v in x) / (len(x) - 1) / len(x))


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def jobs_of(directory):
    """The names of the jobs of a budget. Jobs beyond it are left out."""
    return [line.split()[0] for line in lines_of(f"{directory}/jobs.txt")]


def read(directory):
    """cells[problem, size][policy, known][seed] = row; phase[rate, share, noise][policy][seed] = share."""
    cells, phase, family = {}, {}, {}
    for path in sorted(f"{directory}/cells/{job}.csv" for job in jobs_of(directory)):
        for row in csv.DictReader(lines_of(path) if os.path.exists(path) else []):
            for key in ("share", "restarts", "microseconds", "kilobytes"):
                row[key] = float(row[key])
            if row["size"] in SIZES:
                cell = cells.setdefault((row["problem"], row["size"]), {})
                cell.setdefault((row["player"], row["known"]), {})[int(row["seed"])] = row
                family[row["problem"]] = row["family"]
            else:
                place = tuple(float(word.split("=")[1]) for word in row["size"].split(","))
                phase.setdefault(place, {}).setdefault(row["player"], {})[int(row["seed"])] = row["share"]
    return cells, phase, family


def shares(rows):
    return [rows[seed]["share"] for seed in sorted(rows)]


def board_of(cell, known):
    """The algorithms of a board: at `all` also those that use no more there than the model."""
    rows = {player: runs for (player, level), runs in cell.items() if level == known}
    if known == "all":
        for (player, level), runs in cell.items():
            if level == "model":
                rows.setdefault(player, runs)
    return rows


def hindsight(player):
    return player.startswith("best-") or player.split(" ")[0] in GRID and " " in player


def with_grids(rows):
    """In addition to the algorithms, the best setting of each grid, cell by cell, named as such."""
    out = {player: runs for player, runs in rows.items() if not hindsight(player) or player.startswith("best-")}
    for base in GRID:
        grid = [runs for player, runs in rows.items() if player.split(" ")[0] == base]
        if grid:
            out[f"{base}{OF_GRID}"] = min(grid, key=lambda runs: mean(shares(runs)))
    return out


def ranked(player):
    return not player.startswith("best-") and not player.endswith(OF_GRID)


def geometric(values):
    return math.exp(mean([math.log(max(v, 0) + FLOOR) for v in values]))


def interval(by_problem):
    """95 % bootstrap interval of the geometric mean, problems drawn with their cells."""
    chance, problems, out = random.Random(1), sorted(by_problem), []
    for _ in range(400):
        drawn = [chance.choice(problems) for _ in problems]
        out.append(geometric([v for p in drawn for v in by_problem[p]]))
    out.sort()
    return out[10], out[389]


class Page:
    """results.md: paragraphs, and tables that are also written as CSV files next to it."""

    def __init__(self, target, line):
        self.target, self.line, self.out = target, line, []

    def append(self, paragraph):
        self.out.append(paragraph)

    def write_csv(self, name, rows):
        with open(f"{self.target}/{name}.csv", "w", newline="", encoding="utf-8") as file:
            file.write(self.line)
            csv.writer(file, lineterminator="\n").writerows(rows)

    def table(self, name, head, rows):
        self.write_csv(name, [head, *rows])
        path = os.path.relpath(f"{os.path.abspath(self.target)}/{name}.csv", stamp.ROOT)
        lines = ["|" + "".join(f" {cell} |" for cell in row) for row in (head, ["---"] * len(head), *rows)]
        self.out.append("\n".join([f"<!-- table: docs/csv_table.py {path} -->", *lines]))

    def write(self):
        with open(f"{self.target}/results.md", "w", encoding="utf-8") as file:
            file.write("\n".join(wrapped(paragraph) for paragraph in self.out) + "\n")


# ---- boards ----------------------------------------------------------------------------------------------------------


class Board:
    def __init__(self, cells, family, known):
        self.rows = {place: with_grids(board_of(cell, known)) for place, cell in cells.items()}
        self.family = family
        self.families = sorted(set(family[p] for p, _ in cells), key=list(dict.fromkeys(family.values())).index)
        self.players = sorted({player for rows in self.rows.values() for player in rows})
        self.all = [p for p in self.players if all(p in rows for rows in self.rows.values())]

    def value(self, place, player):
        return mean(shares(self.rows[place][player]))

    def of_family(self, player, family):
        """Geometric mean over the cells of a family, None where it does not play all."""
        places = [place for place in self.rows if self.family[place[0]] == family]
        if not places or any(player not in self.rows[place] for place in places):
            return None
        return geometric([self.value(place, player) for place in places])

    def overall(self, player):
        by_problem = {}
        for place in self.rows:
            by_problem.setdefault(place[0], []).append(self.value(place, player))
        return geometric([v for values in by_problem.values() for v in values]), interval(by_problem)

    def best(self, place):
        names = [p for p in self.rows[place] if ranked(p)]
        return min(names, key=lambda p: self.value(place, p))

    def near_best(self, player, factor):
        count = [self.value(place, player) + FLOOR <= factor * (self.value(place, self.best(place)) + FLOOR)
                 for place in self.rows if player in self.rows[place]]
        return sum(count) / len(count)

    def cost(self, player, key):
        values = sorted(row[key] for rows in self.rows.values() if player in rows for row in rows[player].values())
        return values[len(values) // 2] if values else math.nan


def number(value, digits=3):
    return "" if value is None or math.isnan(value) else f"{value:.{digits}f}".replace("0.", ".", 1) if value < 1 else f"{value:.2f}"


def with_error(values):
    """Mean +- standard error; the mean alone of one run."""
    return number(mean(values)) + (f" +- {number(error(values))}" if len(values) > 1 else "")


def write_board(out, board, known, title):
    order = sorted(board.all, key=lambda p: board.overall(p)[0])
    some = [p for p in board.players if p not in board.all] # not everywhere: no mean over all
    out.append(f"\n## {title[0].upper()}{title[1:]}\n")
    rows, place = [], 0
    for player in order + some:
        whole = player in board.all
        place += whole and ranked(player)
        total = board.overall(player) if whole else None
        rows.append([f"{place}" if whole and ranked(player) else "", player if ranked(player) else f"*{player}*",
                     number(total[0]) if whole else "", number(total[1][0]) + " to " + number(total[1][1]) if whole else "",
                     f"{board.near_best(player, 1.1):.0%}", *[number(board.of_family(player, f)) for f in board.families],
                     f"{board.cost(player, 'microseconds'):.3g}", f"{board.cost(player, 'kilobytes'):.3g}"])
    out.table(f"board-{known}", ["", "algorithm", "all", "95 %", "within 10 % of the best", *board.families, "us a step", "kB"], rows)


# ---- where auto-gp-ucb loses -----------------------------------------------------------------------------------------


def paired(a, b):
    """Mean of b - a over the runs both have, and its standard error."""
    apart = [b[s]["share"] - a[s]["share"] for s in sorted(a) if s in b]
    return mean(apart), error(apart)


def beats(other, own):
    """Whether `other` has less regret by more than 5 % and more than two standard errors of the difference (of one run: by 5 %)."""
    apart, spread = paired(other, own)
    return mean(shares(own)) > 1.05 * mean(shares(other)) and apart > (0 if math.isnan(spread) else 2 * spread)


def rival(rows, player):
    """The best ranked algorithm of a cell other than `player`."""
    others = [p for p in rows if ranked(p) and p != player]
    return min(others, key=lambda p: mean(shares(rows[p])))


def write_losses(out, boards, player):
    """Cells that are lost with default settings, and whether they are also lost to the best rival when both have more information."""
    board, known = boards["nothing"], boards["model"]
    out.append(f"\n## Where {player} loses with default settings\n")
    out.append("Cells in which another algorithm with default settings has less regret by more than 5 % and by more than two standard "
               f"errors of the paired difference (with one run only the first applies). The last columns say whether {player} also "
               f"loses this cell when kernel, mean and noise are supplied to all algorithms. If it does not, learning them is the "
               f"cause.\n")
    lost, by_family = [], {}
    ratio = lambda place: board.value(place, player) / max(board.value(place, rival(board.rows[place], player)), 1e-9)
    for place in sorted(board.rows, key=lambda place: -ratio(place)):
        rows, more, family = board.rows[place], known.rows[place], board.family[place[0]]
        best = rival(rows, player)
        by_family.setdefault(family, [0, 0, 0])[2] += 1
        if not beats(rows[best], rows[player]):
            continue
        again, words = player in more and rival(more, player), ["", "", ""]
        if again:
            still = beats(more[again], more[player])
            words = [with_error(shares(more[player])), f"{again} {number(mean(shares(more[again])))}", "yes" if still else "no"]
            by_family[family][1] += not still
        by_family[family][0] += 1
        lost.append([family, place[0] + " (simulated twin)" * (place[0] in TWINS), place[1], len(rows[player]), with_error(shares(rows[player])),
                     best, with_error(shares(rows[best])), f"{ratio(place):.2f}", *words])
    name = "lost" if player == AUTO else "lost-robust"
    out.table(name, ["family", "problem", "size", "runs", "regret relative to random play", "the best", "its regret", "ratio",
                     "model supplied", "the best", "lost"], lost)
    out.append(f"\nLost {len(lost)} of {len(board.rows)} cells; in the others {player} is first or level.\n")
    out.table(f"{name}-by-family", ["family", "cells", "lost", "of these not lost with the model supplied"],
              [[family, cells, gone, won] for family, (gone, won, cells) in ((f, by_family[f]) for f in board.families)])


def known_range(player):
    """Other algorithms see rewards in [0, 1], cut at `low` and `high` of the problem; policies of the library see what was measured."""
    return not player.split(" ")[0].endswith("gp-ucb")


def log_ratio(cells, a, b):
    """Mean over cells of ln((share of a + .01) / (share of b + .01)), and its standard error over the runs both have. A seed is one truth
    and one noise for all algorithms and for all sizes of a problem: what it adds is summed over the cells before it is squared."""
    apart, of_seed = [], {}
    for rows in cells:
        seeds = sorted(set(rows[a]) & set(rows[b]))
        own, other = ([rows[player][s]["share"] for s in seeds] for player in (a, b))
        level = [max(mean(values), 0) + FLOOR for values in (own, other)]
        apart.append(math.log(level[0] / level[1]))
        for i, s in enumerate(seeds):
            adds = (own[i] - mean(own)) / level[0] - (other[i] - mean(other)) / level[1]
            of_seed[s] = of_seed.get(s, 0) + adds / len(seeds) / len(cells)
    n = len(of_seed)
    return mean(apart), math.sqrt(n / (n - 1) * sum(v * v for v in of_seed.values())) if n > 1 else math.nan


def verdict(cells, player, other):
    """The ratio with its error as words; whether it is within 5 %; whether within two standard errors (unknown: no more than 1)."""
    apart, spread = log_ratio(cells, player, other)
    ratio = math.exp(apart)
    words = f"{ratio:.2f}" + ("" if math.isnan(spread) else f" +- {number(ratio * spread, 2)}")
    return words, ratio <= 1.05, apart <= (0 if math.isnan(spread) else 2 * spread)


def write_families(out, board, player):
    """Against the best single algorithm of each family with default settings and no setting tuned in hindsight."""
    yes = lambda good: "yes" if good else "no"
    best_of = lambda family, names: min(names, key=lambda p: board.of_family(p, family))
    out.append(f"\n## {player} by family, default settings\n")
    out.append("Compared with the best single other algorithm of each family, chosen in hindsight. Ratios are of geometric means, with "
               f"the standard error over runs, paired by their seeds: all algorithms of a run have the same reward function and noise. "
               f"Level is within 5 %, or within two of these errors (with one run only the first applies). Third-party algorithms "
               f"receive a range to which rewards are clipped; the last columns leave them out, and {AUTO} with other options.\n")
    level, strictly, others_level, lines = 0, 0, [], []
    for family in board.families:
        cells = [rows for place, rows in board.rows.items() if board.family[place[0]] == family]
        others = [p for p in board.players if ranked(p) and p != player and board.of_family(p, family)]
        best, alike = best_of(family, others), best_of(family, [p for p in others if not known_range(p) and not p.startswith(AUTO)])
        words, close, equal = verdict(cells, player, best)
        again, *good = verdict(cells, player, alike)
        level += close or equal
        strictly += close
        if any(good) and not (close or equal):
            others_level.append(family)
        runs = sorted({len(rows[player]) for rows in cells})
        lines.append([family, len(cells), " to ".join(str(n) for n in sorted({runs[0], runs[-1]})), number(board.of_family(player, family)),
                      best, number(board.of_family(best, family)), words, yes(close), yes(equal), yes(known_range(best)), alike, again, yes(any(good))])
    out.table("families" if player == AUTO else "families-robust",
              ["family", "cells", "runs", "regret relative to random play", "best other", "its regret", "ratio", "within 5 %", "within two errors",
               "range supplied", "best of the rest", "ratio", "level"], lines)
    best = min((p for p in board.all if ranked(p) and p != player), key=lambda p: board.overall(p)[0])
    words = verdict(list(board.rows.values()), player, best)[0]
    lost = len(board.families) - level
    out.append(f"\nFirst or level in {level} of {len(board.families)} families (within 5 % in {strictly}). " +
               (f"Of the {lost} that are lost, these are level with the rest, lost only to algorithms with a range or to {AUTO} with other "
                f"options: {', '.join(others_level) or 'none'}. " if lost else "") +
               f"Over all cells {number(board.overall(player)[0])}; the best other algorithm ({best}) has {number(board.overall(best)[0])}: "
               f"ratio {words}.")


# ---- figures ---------------------------------------------------------------------------------------------------------

COLOURS = ["#1b6ca8", "#c0392b", "#27803b", "#8e44ad", "#d68910", "#555555", "#17a2b8", "#a0522d"]


def svg(path, width, height, parts):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                   f'font-family="sans-serif" font-size="12">\n<rect width="{width}" height="{height}" fill="white"/>\n')
        file.write("\n".join(parts) + "\n</svg>\n")


def text(x, y, words, anchor="middle", size=12, colour="#222222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{words}</text>'


def draw_profile(path, board):
    """Share of cells in which an algorithm is within a factor of the best (Dolan, More 2002)."""
    x = lambda factor: 60 + 420 * math.log(factor) / math.log(8)
    y = lambda share: 330 - 290 * share
    parts = [text(270, 20, "Share of cells within a factor of the best algorithm, default settings", size=14)]
    for factor in (1, 1.1, 1.5, 2, 3, 5, 8):
        parts += [f'<line x1="{x(factor):.1f}" y1="{y(0)}" x2="{x(factor):.1f}" y2="{y(1)}" stroke="#dddddd"/>',
                  text(x(factor), 348, f"{factor:g}")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts += [f'<line x1="{x(1)}" y1="{y(share)}" x2="{x(8)}" y2="{y(share)}" stroke="#dddddd"/>',
                  text(52, y(share) + 4, f"{share:g}", "end")]
    names = sorted((p for p in board.all if ranked(p)), key=lambda p: board.overall(p)[0])[:8]
    for i, player in enumerate(names):
        points = [math.exp(k / 100 * math.log(8)) for k in range(101)]
        line = " ".join(f"{x(f):.1f},{y(board.near_best(player, f)):.1f}" for f in points)
        parts += [f'<polyline points="{line}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>',
                  f'<line x1="500" y1="{60 + 22 * i}" x2="525" y2="{60 + 22 * i}" stroke="{COLOURS[i]}" stroke-width="3"/>',
                  text(532, 64 + 22 * i, player, "start")]
    svg(path, 700, 360, parts)


def shade(value, low, high):
    """White at low, dark blue at high."""
    k = min(max((value - low) / (high - low), 0), 1)
    return f"rgb({int(255 - 200 * k)},{int(255 - 150 * k)},{int(255 - 70 * k)})"


def contrast(ratio):
    """Green below 1, white at 1, red above."""
    k = min(max(math.log(ratio) / math.log(1.6), -1), 1)
    return f"rgb(255,{int(255 - 150 * k)},{int(255 - 170 * k)})" if k > 0 else f"rgb({int(255 + 170 * k)},255,{int(255 + 170 * k)})"


LETTER = {AUTO: "A", "tv-gp-ucb": "t", "r-gp-ucb": "r", "sw-gp-ucb": "s", "w-gp-ucb": "w", "et-gp-ucb": "e", "ui-gp-ucb": "u",
          "gp-ucb": "g"}


def draw_phase(path, phase):
    """Two rows of panels, one for each noise: who is best and how good; auto-gp-ucb over the best policy with the true values."""
    rates, parts_of, noises = (sorted({place[i] for place in phase}) for i in range(3))
    step, parts = 34, [text(30, 18, "Regret relative to random play of the best policy, and its letter:", "start", 13),
                       text(30, 35, ", ".join(f"{v} {k}" for k, v in LETTER.items()), "start", 11)]
    wide, high = step * len(rates) + 70, step * len(parts_of) + 70
    below = f"auto-gp-ucb (kernel and noise supplied), relative to the best other (rate supplied) (* beyond two standard errors)"
    parts.append(text(30, 40 + high + 8, below, "start", 13))
    for n, noise in enumerate(noises):
        for row in range(2):
            left, top = 60 + n * wide, 60 + row * (high + 10)
            parts.append(text(left + wide / 2 - 30, top - 8, f"noise {noise:g}"))
            for i, rate in enumerate(rates):
                parts.append(text(left + step * (i + 0.5), top + step * len(parts_of) + 15, f"{rate:g}", size=10))
                for k, share in enumerate(parts_of):
                    if i == 0:
                        parts.append(text(left - 5, top + step * (k + 0.6), f"{share:g}", "end", 10))
                    cell = phase.get((rate, share if rate else 0, noise)) # at rate 0 there is nothing to share
                    if cell and AUTO in cell and len(cell) > 1:
                        parts += phase_cell(cell, row, left + step * i, top + step * k, step)
    parts.append(text(60, 75 + 2 * high, "across: rate of forgetting; down: share of it by being drawn anew", "start", 11))
    svg(path, 60 + wide * len(noises), 90 + 2 * high, parts)


def phase_cell(cell, row, x, y, step):
    average = {player: mean(list(runs.values())) for player, runs in cell.items()}
    best = min((p for p in average if row == 0 or p != AUTO), key=lambda p: average[p])
    if row == 0:
        colour, words = shade(average[best], 0, 0.8), f"{LETTER[best]} {number(average[best], 2)}"
    else:
        apart = [cell[AUTO][s] - cell[best][s] for s in sorted(cell[AUTO]) if s in cell[best]]
        ratio, spread = (average[AUTO] + FLOOR) / (average[best] + FLOOR), error(apart)
        colour, words = contrast(ratio), f"{ratio:.2f}" + ("*" if abs(mean(apart)) > 2 * spread else "")
    return [f'<rect x="{x}" y="{y}" width="{step}" height="{step}" fill="{colour}" stroke="#bbbbbb"/>',
            text(x + step / 2, y + step / 2 + 4, words, size=10)]


def over_others(cell, seeds):
    """auto-gp-ucb relative to the best of the others, of the means over these runs."""
    average = {player: mean([runs[s] for s in seeds if s in runs]) + FLOOR for player, runs in cell.items()}
    return average[AUTO] / min(v for p, v in average.items() if p != AUTO)


def phase_ratio(cells):
    """Geometric mean over cells of that ratio, and its standard error by leaving out one run of all cells at a time."""
    seeds = sorted(set.intersection(*(set(runs) for cell in cells for runs in cell.values())))
    of = lambda some: math.exp(mean([math.log(over_others(cell, some)) for cell in cells]))
    if len(seeds) < 2:
        return of(seeds), math.nan
    left = [of([s for s in seeds if s != out]) for out in seeds]
    return of(seeds), math.sqrt((len(seeds) - 1) * mean([(v - mean(left)) ** 2 for v in left]))


def write_phase(out, phase):
    """The numbers of the figure."""
    whole = {place: cell for place, cell in sorted(phase.items()) if AUTO in cell and len(cell) > 1}
    if not whole:
        return
    count, noises = {}, sorted({place[2] for place in whole})
    runs = sorted({len(r) for cell in whole.values() for r in cell.values()})
    for cell in whole.values():
        average = {player: mean(list(runs_of.values())) + FLOOR for player, runs_of in cell.items()}
        for player, value in average.items():
            count.setdefault(player, []).append((value, value <= 1.05 * min(average.values())))
    out.append("\n## The phase diagram of drift\n\n![phase diagram](phase.svg)\n")
    many = "One run" if runs == [1] else f"{' to '.join(str(n) for n in sorted({runs[0], runs[-1]}))} runs"
    alone = "; one run has no error, and a single cell proves little" if runs == [1] else ""
    out.append(f"A field on 10 x 10 arms, T = 400. {many} in each of {len(whole)} cells, [phase.csv](phase.csv){alone}. Correlation after dt is (1 - rate)^(dt / 2) in all; a share of the change is abrupt, the rest is a Markov process (problem `mixed`; at rate 0 there is no change). Kernel "
               f"and noise are supplied to auto-gp-ucb, and also the rate to the others that accept one. \"The best of the others\" is "
               f"chosen in hindsight for each cell, which makes it look better than it is.\n")
    at = {n: [cell for place, cell in whole.items() if place[2] == n] for n in noises}
    ratios = {n: [over_others(cell, sorted(cell[AUTO])) for cell in at[n]] for n in noises}
    out.table("diagram", ["auto-gp-ucb relative to the best of the others", *[f"noise {n:g}" for n in noises]], [
        ["geometric mean", *["{:.3f} +- {:.3f}".format(*phase_ratio(at[n])).replace(" +- nan", "") for n in noises]],
        ["worst cell", *[f"{max(ratios[n]):.2f}" for n in noises]],
        ["at most 1.05", *[f"{sum(v <= 1.05 for v in ratios[n])} of {len(ratios[n])}" for n in noises]]])
    out.append("")
    geo = {p: math.exp(mean([math.log(v) for v, _ in values])) for p, values in count.items()}
    out.table("diagram-policies", ["", "geometric mean of the shares", "within 5 % of the best"],
              [[p, number(geo[p]), f"{sum(n for _, n in count[p])} of {len(count[p])}"] for p in sorted(geo, key=geo.get)])


# ---- files -----------------------------------------------------------------------------------------------------------


def cell_text(cell, player, runs, known):
    """Its share of uniform play's regret, the error where there are runs enough, and of a grid the setting that was best."""
    text = number(mean(shares(runs)), 4) + (f"+-{number(error(shares(runs)), 4)}" if len(runs) > 1 else "")
    if player.endswith(OF_GRID):
        text += next(p for (p, level), r in cell.items() if r is runs and level == known)[len(player) - len(OF_GRID):]
    return text


def cell_rows(cells):
    """One row for each problem, size and board, one column for each algorithm; problems.csv has family and difficulty. An
    algorithm that uses no more at `all` than the model appears there only."""
    for (problem, size), cell in cells.items():
        for known, _ in BOARDS:
            of_board = with_grids({player: runs for (player, level), runs in cell.items() if level == known})
            if of_board:
                yield {"problem": problem, "size": size, "known": known, "runs": max(map(len, of_board.values())),
                       **{player.replace(OF_GRID, " best"): cell_text(cell, player, runs, known) for player, runs in of_board.items()}}


def write_cells(out, cells):
    rows = list(cell_rows(cells))
    first = ["problem", "size", "known", "runs"]
    head = first + sorted({name for row in rows for name in row} - set(first))
    out.write_csv("cells", [head, *[[row.get(name, "") for name in head] for row in rows]])


def write_places(out, phase):
    rows = ["rate share_of_jumps noise player runs share error".split()]
    for place, cell in sorted(phase.items()):
        for player, runs in sorted(cell.items()):
            values = [runs[s] for s in sorted(runs)]
            rows.append([*[f"{v:g}" for v in place], player, len(values), number(mean(values), 4), number(error(values), 4)])
    out.write_csv("phase", rows)


def wrapped(paragraph):
    """Prose at 100 columns; tables, headings and figures as they are."""
    if not paragraph.strip() or paragraph.strip()[0] in "|#!<":
        return paragraph
    before = "\n" * (len(paragraph) - len(paragraph.lstrip("\n")))
    after = "\n" * (len(paragraph) - len(paragraph.rstrip("\n")))
    return before + textwrap.fill(" ".join(paragraph.split()), 100, break_long_words=False, break_on_hyphens=False) + after


def budget(directory, cells):
    """The jobs of the budget that were run."""
    jobs = jobs_of(directory)
    done = sum(os.path.exists(f"{directory}/cells/{job}.csv") for job in jobs)
    runs = sorted({len(rows) for (problem, _), cell in cells.items() for rows in cell.values() if problem != "long"})
    asked = f"{directory}/budget.txt"
    asked = " Asked for: " + lines_of(asked)[0] + "." if os.path.exists(asked) else ""
    whole = "all of them were played" if done == len(jobs) else f"{done} of them were played, and it was stopped there"
    many = f"{' to '.join(str(n) for n in sorted({runs[0], runs[-1]}))} run{'s' if runs[-1] > 1 else ''}"
    alone = (" With one run none has an error of its own, and a single line says little." if runs == [1] else
             " With fewer than five runs errors are rough, and a single line says little." if runs[0] < 5 else "")
    return (f"**The budget.**{asked} {len(jobs)} jobs, each one run of one cell or of one point of the diagram; {whole}. Cells have {many}.{alone}")


def seconds(directory):
    """Processor seconds of the jobs, which bench/zoo.sh notes as `times` of the shell prints them."""
    path, jobs = f"{directory}/seconds.txt", set(jobs_of(directory))
    taken = {name: times for name, *times in (line.split() for line in lines_of(path))} if os.path.exists(path) else {}
    return sum(60 * float(minutes) + float(rest) for name in jobs & set(taken) for minutes, rest in (t[:-1].split("m") for t in taken[name]))


def main(directory, target):
    cells, phase, family = read(directory)
    with open(f"{directory}/problems.csv", encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    order = {row["problem"]: i for i, row in enumerate(listed)}
    cells = dict(sorted(cells.items(), key=lambda item: (order[item[0][0]], SIZES.index(item[0][1]))))
    board = {known: Board(cells, family, known) for known, _ in BOARDS}
    os.makedirs(target, exist_ok=True)
    asked = lines_of(f"{directory}/budget.txt")[0] if os.path.exists(f"{directory}/budget.txt") else "no budget"
    out = Page(target, stamp.line(f"bench/zoo.sh ({asked})", seconds(directory)))
    problems = {p for p, _ in cells}
    out.append("# Results of the benchmark suite\n")
    out.append("Written by `bench/zoo.py` from the runs of `bench/zoo.sh`; the protocol is in [benchmark suite](../suite.md). "
               f"{len(cells)} cells (problem and size) of {len(problems)} problems in {len(set(family.values()))} families; "
               f"{len(problems & set(TWINS))} problems are simulated twins of recorded ones and are marked, because they may count the same thing "
               f"twice. The others are policies of the library, {len(FEW_ARMS + MANY_ARMS)} published algorithms, {len(FEW_ARMS)} of them made for "
               f"few arms ({', '.join(FEW_ARMS)}), and simple rules. "
               "Every cell with its errors: [cells.csv](cells.csv), its difficulty: [problems.csv](problems.csv). A number is regret "
               f"relative to uniform play: 0 clairvoyant, 1 random. Means are geometric, of share + .01. Algorithms in italics use "
               f"hindsight: the best arm or the best setting.\n")
    out.append(budget(directory, cells))
    for player in [p for p in (AUTO, f"{AUTO} model.assume_misspecified=1") if p in board["nothing"].all]:
        write_losses(out, board, player)
        write_families(out, board["nothing"], player)
    for known, title in BOARDS:
        write_board(out, board[known], known, title)
        if known == "nothing":
            out.append("\n![profile](profile.svg)")
    write_phase(out, phase)
    draw_profile(f"{target}/profile.svg", board["nothing"])
    if phase:
        draw_phase(f"{target}/phase.svg", phase)
        write_places(out, phase)
    write_cells(out, cells)
    if not os.path.exists(f"{target}/problems.csv") or not os.path.samefile(directory, target):
        out.write_csv("problems", [list(listed[0]), *[list(row.values()) for row in listed]])
    out.write()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
