# SPDX-License-Identifier: MIT
"""bkb (Calandriello and others 2019, figure 1) on a static table, with the random numbers of its dictionaries given."""
import numpy as np
import schedules
from kernels import kernel
from policies import choose
from posterior import posterior


def moments(K, S, pulls, y, lam):
    """Mean and var / lambda of all arms by the dictionary S (arms): z(x) = (K_S^(1/2))^+ k_S(x)."""
    values, vectors = np.linalg.eigh(K[np.ix_(S, S)])
    keep = values > 1e-12 * np.max(values)
    z = (vectors[:, keep] / np.sqrt(values[keep])).T @ K[S]
    V = z[:, pulls] @ z[:, pulls].T + lam * np.eye(len(z))
    solved = np.linalg.solve(V, z)
    mean = solved.T @ (z[:, pulls] @ np.array(y))
    return mean, (np.diag(K) - np.sum(z * z, axis=0)) / lam + np.sum(z * solved, axis=0)


def play(g, qbar, T, lam=0.02):
    K, f, u = np.array(g["K"]), g["f"], np.array(g["uniforms"])
    arms, steps, S = [7], [], [0]
    for t in range(1, T):
        y = [f[a] for a in arms]
        mean, variance = moments(K, sorted({arms[i] for i in S}), arms, y, lam)
        total = np.sum(variance[arms])
        width = schedules.bkb_width(t, total, 3.0, 1.0, 0.1414, lam, 2.0, 0.5, 0.1)
        x, gap = choose(mean + width * np.sqrt(np.maximum(variance, 0)))
        arms.append(x)
        p = np.minimum(1, qbar * variance[arms])
        S = [i for i in range(t + 1) if u[t][i] < p[i]] or [t]
        steps.append({"t": t + 1, "arm": x, "width": width, "gap": gap, "S": S, "p": p, "mu_sel": mean[x],
                      "sig2_sel": variance[x]})
    return arms, steps


def make(g):
    K, d = kernel("se", g["arms"], g["arms"], 0.3), g["dtc"]
    g["K"] = K
    for run in g["runs"].values():
        run["arms"], run["steps"] = play(g, run["qbar"], len(g["uniforms"]) - 1)
        run["y"] = [g["f"][a] for a in run["arms"]]
        run["min_gap"] = min(s["gap"] for s in run["steps"])
    d["mu"], d["sig2"] = moments(K, d["S"], d["X"], d["y"], d["lam"])
    d["exact_sig2"] = posterior(K[np.ix_(d["X"], d["X"])], K[d["X"]], np.diag(K), np.array(d["y"]), d["lam"])[1] / d["lam"]
    d["d_eff"] = np.sum(d["exact_sig2"][d["X"]])
