# SPDX-License-Identifier: MIT
"""Policies with several priors (Ziomek, Adachi, Osborne): all see the data; which prior chooses is the policy."""
import numpy as np
import schedules
from kernels import forgetting, kernel
from policies import choose
from posterior import log_marginal_likelihood, on_arms

DELTA, NOISE = 0.1, 1e-4


def moments(K, mean, epsilon, arms, y, t):
    """Mean, sd of all arms and log marginal likelihood under one prior; observations at times 1, 2, .., t - 1."""
    e = np.array(y) - mean[arms]
    mu, sd, Kt = on_arms(K, arms, e, NOISE, lambda s, u: forgetting(s, u, epsilon), np.arange(1, t), t)
    return mean + mu, sd, log_marginal_likelihood(Kt, e, NOISE) if arms else 0.0


def pick(ucb, alive):
    """Of priors x arms: the arm and prior of the highest score, its lead over other arms, and there over other priors."""
    over = np.max(ucb[alive], axis=0)
    x, gap = choose(over)
    if len(alive) == 1:
        return x, alive[0], gap, np.inf
    p, lead = choose(ucb[alive, x])
    return x, alive[p], gap, lead


def eliminate_pe(state, t, p, step, n):
    """PE algorithm 1: the error of a prior's turns against what its noise and sds allow."""
    eta, wide = state["eta"][p], state["wide"][p]
    step["lhs"] = abs(sum(eta))
    step["rhs"] = np.sqrt(schedules.pe_xi(t, n, NOISE, DELTA) * len(eta)) + sum(wide)
    if step["lhs"] > step["rhs"] and len(state["alive"]) > 1:
        state["alive"].remove(p)
        state["removed"].append([t, p])


def eliminate_rb(state, t, n):
    """Regret balancing as printed (PE, appendix D): once each living prior has had a turn."""
    alive = state["alive"]
    if all(state["y"][p] for p in alive):
        low = {p: np.mean(state["y"][p]) - np.sqrt(schedules.pe_xi(t, n, NOISE, DELTA) / len(state["y"][p])) for p in alive}
        state["alive"] = [p for p in alive if low[p] + np.mean(state["wide"][p]) >= max(low.values())]


def play(g, rule, epsilon):
    K, means, f = np.array(g["K"]), np.array(g["means"]), np.array(g["f"])
    n, arms, y, log, chosen = len(means), [], [], [], []
    state = {"alive": list(range(n)), "removed": [], **{k: [[] for _ in range(n)] for k in ("eta", "wide", "y")}}
    for t in range(1, g["T"] + 1):
        found = [moments(K, m, epsilon, arms, y, t) for m in means]
        mu, sd, lml = (np.array([r[i] for r in found]) for i in range(3))
        width = schedules.pe_width_A(t, g["T"], len(f), DELTA)
        ucb = mu + width * sd
        ucb[:, 12] = -np.inf if t % 2 == 0 else ucb[:, 12]
        step = {"t": t}
        if rule == "PE":
            x, p, gap, lead = pick(ucb, state["alive"])
            step.update(alive=list(state["alive"]), width=width, prior_gap=lead)
        elif rule == "FullyBayes":
            weights = np.exp(lml - np.max(lml)) / np.sum(np.exp(lml - np.max(lml)))
            (x, gap), p = choose(weights @ ucb), int(np.argmax(weights))
            step["weights"] = weights
        else:
            p = int(np.argmax(lml)) if rule == "MLE" else min(state["alive"], key=lambda q: (len(state["y"][q]), q))
            x, gap = choose(ucb[p])
            step.update({"lml": lml} if rule == "MLE" else {"alive": list(state["alive"])})
        mean, s, score = (weights @ ucb[:, x], 0.0, weights @ ucb[:, x]) if rule == "FullyBayes" else (mu[p, x], sd[p, x], ucb[p, x])
        step.update(arm=x, prior=p, mu=mean, sd=s, ucb=score, gap=gap)
        for key, value in (("eta", f[x] - mean), ("wide", width * s), ("y", f[x])):
            state[key][p].append(value)
        if rule == "PE":
            eliminate_pe(state, t, p, step, n)
        elif rule == "RegretBalancing":
            eliminate_rb(state, t, n)
        arms.append(x), y.append(f[x]), log.append(step), chosen.append(p)
    pe, lists = rule == "PE", rule in ("PE", "RegretBalancing")
    return {"arms": arms, "y": y, "chosen_prior": chosen, "removed": state["removed"] if pe else None,
            "alive": state["alive"] if lists else None, "min_gap": min(s["gap"] for s in log), "log": log}


def make(g):
    g["K"] = kernel("se", g["arms"], g["arms"], 0.8, 0.04)
    for name in g["runs"]:
        rule, epsilon = name.split("_eps")
        g["runs"][name] = play(g, rule, float(epsilon))
