# SPDX-License-Identifier: MIT
"""decisions.py bits|ties FILE: plays the game of decisions.js by the shared library, and fails where FILE, what decisions.js printed (with
other lines around it: a page), has other decisions. `bits`: of all games, and the state at the end is the same to the last bit. `ties`:
the library rounds otherwise, so that scores differ in their last digits. A policy with a kernel parts only at an action
that by its score is at most TIE better than the other, or CLOSE for bkb on a box: whether a point of its dictionary depends on the others is decided
by the last digits, and a point more or less changes scores by 1e-8. A policy with default settings may part at other places too (docs/reference/bindings.md), which
are printed. A game that has parted is not compared further."""
import html
import re
import sys
import zlib

import tvgp

TIE, CLOSE = 1e-9, 1e-7  # of the score, or of 1 if that is larger
GAMES = {"arms learned": None, "arms told": 0.2, "box learned": None, "box told": 0.2}


def create(name, game):
    domain = tvgp.box(0, 1) if game.startswith("box") else tvgp.grid(0, 1, 51)
    width = GAMES[game]
    return tvgp.Policy(name, domain, width and tvgp.se(width), seed=5)


def play(policy, steps):
    """Queries, each before it is answered."""
    draws = tvgp.random_uniform(7, 1000, 0, steps)
    for t in range(steps):
        query = policy.ask(t)
        yield query
        phase = (t % 400) / 200
        away = query.x[0] - (0.1 + 0.8 * (phase if phase < 1 else 2 - phase))
        policy.tell(query, 1 / (1 + 30 * away * away) + 0.35 * (draws[t] - 0.5))


def why(name, game, step, own, other):
    """The reason why the library asks `own` where `other` was found; None: nothing does."""
    if game.endswith("learned"):
        return "told nothing"
    policy = create(name, game)
    for _ in play(policy, step):
        pass
    points = [[own], [other]] if game.startswith("box") else [[own / 50], [other / 50]]
    one, two = policy.evaluate(step, points, "score").score
    apart = CLOSE if (name, game) == ("bkb", "box told") else TIE
    return f"a tie, scores {one - two:.2g} apart" if abs(one - two) <= apart * max(1, abs(one)) else None


def compare(name, game, words, exact):
    """Steps that were the same, and what is to be said of the game: what explains a parting, or "!" and a fault."""
    try:
        policy = create(name, game)
    except tvgp.Error as error:
        return 0, None if words == [error.name] else f"! {words}, not {error.name}"
    steps = len(words) - 2
    if steps < 1:
        return 0, f"! {words}"
    for step, query in enumerate(play(policy, steps)):
        own = query.x[0] if game.startswith("box") else query.arm
        other = float(words[step])
        if own != other:
            reason = None if exact else why(name, game, step, own, other)
            return step, f"step {step}: {reason}" if reason else f"! step {step}: {other}, not {own}"
    snapshot = policy.save()
    state = [str(len(snapshot)), str(zlib.crc32(snapshot))]
    return steps, f"! state {words[-2:]}, not {state}" if exact and words[-2:] != state else None


def main(exact, path):
    with open(path, encoding="utf-8") as file:
        found = dict(re.findall(r"([\w-]+ (?:arms|box) (?:told|learned)): ([^\n<]+)", html.unescape(file.read())))
    wanted = [(name, game) for name in tvgp.policies() for game in GAMES]
    played, said = 0, []
    for name, game in wanted:
        steps, what = compare(name, game, found.get(f"{name} {game}", "nothing").split(), exact)
        played += steps
        said += [f"{name} {game}: {what}"] if what else []
    print(f"the same {played} decisions in {len(wanted)} games" + (", and the same states to the last bit" if exact else ""), *said, sep="\n  ")
    return any(": !" in line for line in said)


sys.exit(main(sys.argv[1] == "bits", sys.argv[2]))
