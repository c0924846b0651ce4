# SPDX-License-Identifier: MIT
"""Writes the table of all policies from what the library says of itself: python3 docs/make_policies.py > docs/policies/index.md, with
src/bindings/python in PYTHONPATH and TVGP_LIBRARY set. A test compares the committed file with this program's output."""
import sys

import tvgp

# When to take it, what it has to be told, and where it is from; the rest is asked of the library.
ABOUT = {
    "gp-ucb": ("does not change", "noise", "Srinivas et al. 2010"),
    "igp-ucb": ("does not change; a guarantee is wanted", "a norm bound", "Chowdhury, Gopalan 2017"),
    "tv-gp-ucb": ("drifts steadily, at a rate you know or can guess", "half_life or epsilon", "Bogunovic, Scarlett, Cevher 2016"),
    "r-gp-ucb": ("drifts, and a step must be cheap", "epsilon or the steps between restarts", "Bogunovic, Scarlett, Cevher 2016"),
    "br-gp-ucb": ("changes by a known total; restarts are acceptable", "a budget or the steps between restarts", "Zhou, Shroff 2021"),
    "sw-gp-ucb": ("changes in a way nobody can model", "a window or a budget", "Zhou, Shroff 2021"),
    "w-gp-ucb": ("changes by a known total; old data should fade", "a decay or a budget", "Deng et al. 2022"),
    "ui-gp-ucb": ("drifts; old data should become less certain, not wrong", "how noise grows with age", "Brunzema et al. 2022"),
    "et-gp-ucb": ("stands still, then jumps; no rate is known", "a probability of false alarm", "Brunzema et al., event-triggered"),
    "auto-gp-ucb": ("changes, and nobody knows how fast", "nothing", "this project"),
    "sparq-gp-ucb": ("drifts, and an expert answers a few side queries each step", "expert noise, norm bound",
                     "Mauduit, Berthier, Simonetto 2025"),
    "w-sparq-gp-ucb": ("the same, with an expert asked now and then", "alpha, norm bound", "Mauduit, Berthier, Simonetto"),
    "pe-gp-ucb": ("has one of several kernels, means or rates, and you do not know which", "the candidates", "Ziomek, Adachi, Osborne"),
    "mle-gp-ucb": ("baseline of pe-gp-ucb: the likeliest prior each step", "the candidates", "Ziomek, Adachi, Osborne"),
    "fb-gp-ucb": ("baseline of pe-gp-ucb: priors averaged by evidence", "the candidates", "Ziomek, Adachi, Osborne"),
    "rb-gp-ucb": ("baseline of pe-gp-ucb: regret balancing", "the candidates", "Ziomek, Adachi, Osborne"),
    "bkb": ("does not change, has many arms and a long run", "dictionary size", "Calandriello et al. 2019"),
    "random": ("baseline of every comparison", "", ""),
    "constant-arm": ("the best arm in hindsight: the comparator of static regret", "the arm", ""),
}


def takes(*arguments):
    try:
        tvgp.Policy(*arguments)
    except tvgp.Error:
        return ""
    return "yes"


print("""# All policies

Written by `docs/make_policies.py`; the last three columns are what the library says when it is
asked. *Learns*: may be created without a kernel and learns its model
([learning](../theory/hyperparameter-learning.md)). *Boxes*: asks any point of one ([boxes](../theory/search.md)). *Thompson*:
takes `choice=thompson`, a draw of the posterior in place of the upper bound.

| policy | when the thing | has to be told | source | learns | boxes | Thompson |
| --- | --- | --- | --- | --- | --- | --- |""")
grid, box, kernel = tvgp.grid(0, 1, 3), tvgp.box(0, 1), tvgp.se(0.3)
for name, what in tvgp.policies().items():
    if name not in ABOUT:
        sys.exit(f"{name}: {what}: say in docs/make_policies.py when to take it")
    when, told, source = ABOUT[name]
    options = tvgp.Policy(name, grid, kernel).options()
    learns = takes(name, grid) if "fit" in options else ""
    draws = "thompson" in (options.get("choice") or tvgp.Option(*(None, "", None, None, ()))).choices
    print(f"| [{name}]({name}.md) | {when} | {told} | {source} | {learns} | {takes(name, box, kernel)} | {'yes' if draws else ''} |")
print("""
Start with auto-gp-ucb when nobody knows the rate of change, with tv-gp-ucb when somebody does, and
keep `random` and the best constant arm in every table: several published baselines are no better
than those. What each has in numbers: [results](../benchmarks/paper-results.md) and
[experiments](../benchmarks/experiments/).""")
