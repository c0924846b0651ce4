# SPDX-License-Identifier: MIT
"""Writes the table of all policies from what the library reports: python3 docs/make_policies.py > docs/policies/index.md, with
src/bindings/python in PYTHONPATH and TVGP_LIBRARY set. A test compares the committed file with this program's output."""
import sys

import tvgp

# The reward function it is for, what has to be configured, and the source; the library reports the rest.
ABOUT = {
    "gp-ucb": ("is constant", "noise", "Srinivas et al. 2010"),
    "igp-ucb": ("is constant, and you need a regret bound", "norm bound", "Chowdhury, Gopalan 2017"),
    "tv-gp-ucb": ("drifts at a rate that you know roughly", "half_life or epsilon", "Bogunovic, Scarlett, Cevher 2016"),
    "r-gp-ucb": ("drifts, and a step must be cheap", "epsilon or reset.every", "Bogunovic, Scarlett, Cevher 2016"),
    "br-gp-ucb": ("changes by a known total; restarts are acceptable", "variation_budget or reset.every", "Zhou, Shroff 2021"),
    "sw-gp-ucb": ("changes in an unknown way, but slowly", "window or variation_budget", "Zhou, Shroff 2021"),
    "w-gp-ucb": ("changes by a known total; old data should decay", "decay or variation_budget", "Deng et al. 2022"),
    "ui-gp-ucb": ("drifts; old data should become less certain", "noise_growth", "Brunzema et al. 2022"),
    "et-gp-ucb": ("is constant between rare abrupt changes", "trigger.delta", "Brunzema et al., event-triggered"),
    "auto-gp-ucb": ("changes at an unknown rate: start here", "nothing", "this library"),
    "sparq-gp-ucb": ("drifts, and an expert evaluates a few points at each step", "side.noise, norm bound",
                     "Mauduit, Berthier, Simonetto 2025"),
    "w-sparq-gp-ucb": ("drifts, and an expert is asked from time to time", "alpha, norm bound", "Mauduit, Berthier, Simonetto"),
    "pe-gp-ucb": ("follows one of several priors", "the priors", "Ziomek, Adachi, Osborne"),
    "mle-gp-ucb": ("as pe-gp-ucb; baseline: the most likely prior", "the priors", "Ziomek, Adachi, Osborne"),
    "fb-gp-ucb": ("as pe-gp-ucb; baseline: average over the priors", "the priors", "Ziomek, Adachi, Osborne"),
    "rb-gp-ucb": ("as pe-gp-ucb; baseline: regret balancing", "the priors", "Ziomek, Adachi, Osborne"),
    "bkb": ("is constant, with many arms and a long run", "qbar", "Calandriello et al. 2019"),
    "random": ("any; baseline of every comparison", "nothing", ""),
    "constant-arm": ("any; one arm, such as the present configuration", "arm", ""),
}


def takes(*arguments):
    try:
        tvgp.Policy(*arguments)
    except tvgp.Error:
        return ""
    return "yes"


print("""# Policies

The library has these policies behind one interface. If you do not know the rate of change, start
with auto-gp-ucb. If you know it roughly, tv-gp-ucb is simpler and cheaper. Include `random` and
the best constant arm in every comparison: several published baselines are no better.

The table is written by `docs/make_policies.py`. *Learns*: the policy can be created without a
kernel and [learns its hyperparameters](../theory/hyperparameter-learning.md). *Boxes*: it supports
[continuous domains](../guide/continuous-domains.md). *Thompson*: it supports
[`choice=thompson`](../guide/thompson-sampling.md).

| policy | the reward function | configure | source | learns | boxes | Thompson |
| --- | --- | --- | --- | --- | --- | --- |""")
grid, box, kernel = tvgp.grid(0, 1, 3), tvgp.box(0, 1), tvgp.se(0.3)
for name, what in tvgp.policies().items():
    if name not in ABOUT:
        sys.exit(f"{name}: {what}: add it to ABOUT in docs/make_policies.py")
    function, configure, source = ABOUT[name]
    options = tvgp.Policy(name, grid, kernel).options()
    learns = takes(name, grid) if "fit" in options else ""
    draws = "choice" in options and "thompson" in options["choice"].choices
    print(f"| [{name}]({name}.md) | {function} | {configure} | {source} | {learns} | {takes(name, box, kernel)} | {'yes' if draws else ''} |")
print("""
## Results of the benchmark

Each page of a policy has its row of the [benchmark](../benchmarks/suite.md): the regret relative to
uniform play, geometric mean over the cells that the policy played. The last column is auto-gp-ucb
on the same cells. Experiments of the papers have [a page of their
own](../benchmarks/paper-results.md).

## Limitations

All policies assume that outcomes of one action do not depend on earlier actions. For delayed
consequences use reinforcement learning, and for one expensive static optimisation a package such
as BoTorch.""")
