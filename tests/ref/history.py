# SPDX-License-Identifier: MIT
"""A prior from historical data: levels, common and own seasons, the choice of a structure by forecasts of the past, and the
covariance of what is left. Y: rows x arms, not a number where nothing was recorded. See docs/guide (historical data)."""
import csv
import pathlib

import numpy as np

INF = np.inf


def level(Y, tau):
    """Levels of arms, shrunk to the common one; weights decay with the age in rows from the newest record of the arm."""
    n, seen = len(Y), np.isfinite(Y)
    rows = np.arange(n)[:, None]
    newest = np.max(np.where(seen, rows, -1), axis=0)
    W = np.where(seen, np.exp(-(newest - rows) / tau), 0)
    V = np.where(seen, np.exp(-(n - 1 - rows) / tau), 0)
    values = np.where(seen, Y, 0)
    g = np.sum(V * values) / np.sum(V)
    total = np.sum(W, axis=0)
    m = np.sum(W * values, axis=0) / np.where(total > 0, total, 1)
    e = total**2 / np.where(total > 0, np.sum(W * W, axis=0), 1)
    return g + (m - g) * e / (e + 1)


def shrunk(R, P, s):
    """Means of phases of each column, shrunk by their variance over phases (random effects)."""
    n, seen = len(R), np.isfinite(R)
    W = np.where(seen, np.exp(-(n - 1 - np.arange(n)[:, None]) / (P * s)), 0)
    values, phase = np.where(seen, R, 0), np.arange(n) % P
    N, Q, m = (np.array([np.sum(A[phase == p], axis=0) for p in range(P)]) for A in (W, W * W, W * values))
    some = N > 0
    m, e = np.where(some, m / np.where(some, N, 1), 0), np.where(some, N**2 / np.where(some, Q, 1), 0)
    s2 = np.sum(W * (values - m[phase]) ** 2, axis=0) / np.maximum(
        1e-9, np.sum(N * np.maximum(0, 1 - 1 / np.maximum(e, 1)), axis=0))
    v = s2 / np.where(some, e, 1)
    t2 = np.maximum(0, np.sum(np.where(some, m * m - v, 0), axis=0) / np.maximum(1, np.sum(some, axis=0)))
    return np.where(some, m * t2 / (t2 + v + 1e-12), 0)


def profile(R, P, s):
    common = shrunk(np.nanmean(R, axis=1)[:, None], P, s)
    return common + shrunk(R - common[np.arange(len(R)) % P], P, s)


def fit(Y, candidate):
    """Levels and profiles of a candidate: (periods, s, tau)."""
    periods, s, tau = candidate
    R, left, tables = Y - np.nanmean(Y, axis=0), Y.copy(), []
    for P in periods:
        tables.append(profile(R, P, s))
        moved = tables[-1][np.arange(len(Y)) % P]
        R, left = R - moved, left - moved
    return level(left, tau), tables


def mean(model, candidate, rows):
    return model[0] + sum(T[np.array(rows) % P] for T, P in zip(model[1], candidate[0])) + np.zeros((len(rows), 1))


def explained(Y, P):
    """Share of the squares that phase means explain, each cell left out of its own mean."""
    R = Y - np.nanmean(Y, axis=0)
    phase, left = np.arange(len(R)) % P, 0.0
    for p in range(P):
        cells = R[phase == p]
        N = np.sum(np.isfinite(cells), axis=0)
        out = (N * cells - np.nansum(cells, axis=0)) / np.maximum(N - 1, 1)
        left += np.nansum(np.where(N > 1, out, cells) ** 2)
    return 1 - left / np.nansum(R**2)


def find_periods(Y):
    found = []
    while len(found) < 3:
        best = (0.05, 0)
        for P in range(2, len(Y) // 3 + 1):
            value = explained(Y, P)
            best = (value, P) if value > best[0] + (0.002 if best[1] else 0) else best
        if not best[1]:
            break
        found.append(best[1])
        Y = Y - profile(Y - np.nanmean(Y, axis=0), best[1], INF)[np.arange(len(Y)) % best[1]]
    return found


def candidates(n, periods):
    found = [([], INF, tau) for tau in (INF, n / 2, n / 8, n / 32, 4.0, 1.0)]
    for k in range(1, len(periods) + 1):
        L = periods[0]
        found += [(periods[:k], s, tau) for s in (INF, 8.0, 3.0) for tau in (INF, 3.0 * L, float(L), L / 6)]
    return found


def blocks(n, periods, parts):
    """Origins of forecasts, and how many rows each forecasts."""
    H = max(periods) if periods else n // 10
    h = max(1, min(H, n // 4))
    first = max(int(0.4 * n), min(2 * H, n - h))
    return range(first, n - h + 1, max(1, min(h, -(-(n - first) // parts)))), h


def forecast_errors(Y, candidate, periods, parts):
    for s in blocks(len(Y), periods, parts)[0]:
        rows = np.arange(s, s + blocks(len(Y), periods, parts)[1])
        yield rows, Y[rows] - mean(fit(Y[:s], candidate), candidate, rows)


def scores(Y, periods):
    """Squared forecast errors of each candidate after the mean of each row is taken off."""
    return [sum(np.nansum((E - np.nanmean(E, axis=1)[:, None]) ** 2) for _, E in forecast_errors(Y, c, periods, 10))
            for c in candidates(len(Y), periods)]


def covariance(Y, candidate, periods):
    """Of forecast errors, shrunk off the diagonal (Ledoit, Wolf 2004): before and after shrinkage."""
    E = np.full(Y.shape, np.nan)
    for rows, error in forecast_errors(Y, candidate, periods, 12):
        E[rows] = error
    seen = np.isfinite(E).astype(float)
    E = np.nan_to_num(E)
    both = seen.T @ seen
    S = E.T @ E / both
    V = ((E**2).T @ E**2 / both - S * S) / both
    off = ~np.eye(len(S), dtype=bool)
    shrink = np.clip(np.sum(V[off]) / np.sum(S[off] ** 2), 0, 1)
    K = np.where(off, (1 - shrink) * S, S)
    values, vectors = np.linalg.eigh(K)
    return S, (vectors * np.maximum(values, 1e-9 * values[-1])) @ vectors.T


def label(c, n):
    """The name and numbers of a candidate."""
    text = {INF: "inf"}
    if not c[0]:
        name = {INF: "inf", n / 2: "n/2", n / 8: "n/8", n / 32: "n/32"}.get(c[2], f"{c[2]:g}")
        return {"name": f"level {name}", "level": text.get(c[2], c[2]), "season": "inf"}
    return {"level": text.get(c[2], c[2]), "season": text.get(c[1], c[1])}


def example(n, arms):
    t, i = np.arange(n)[:, None], np.arange(arms)[None, :]
    Y = (0.3 * i + np.sin(2 * np.pi * (t % 6) / 6 + i) + 0.1 * ((7 * t + 3 * i) % 11 - 5) / 5 + 0.02 * i * t / 6)
    Y[[3, 17, 18], [1, 4, 0]] = np.nan
    return Y


def make_grid(g):
    path = pathlib.Path(__file__).parents[2] / "examples/data/grid_demand.csv"
    with open(path, encoding="utf-8") as f:
        table = np.array([[float(v) if v else np.nan for v in row[1:]] for row in list(csv.reader(f))[1:505]])
    g["mean"], g["sd"] = np.nanmean(table), np.nanstd(table)
    Y = (table - g["mean"]) / g["sd"]
    for P in (24, 23, 48, 168):
        g[f"explained_{P}"] = explained(Y, P)
    periods = find_periods(Y)
    g["periods"], g["origins"] = [[P, P] for P in periods], list(blocks(len(Y), periods, 10)[0])
    g["scores"], g["candidates"] = scores(Y, periods), [label(c, len(Y)).get("name", "") for c in candidates(len(Y), periods)]
    best = candidates(len(Y), periods)[int(np.argmin(g["scores"]))]
    model = fit(Y, best)
    g["mean_504"], g["mean_515"] = mean(model, best, [504, 515])
    K = covariance(Y, best, periods)[1]
    g["K_row0"], g["trace"], g["sum"] = K[0], np.trace(K), np.sum(K)


def make(g):
    Y, P = example(g["rows"], g["arms"]), g["period"]
    whole = candidates(len(Y), [P])
    g["y_row0"], g["block"], g["detected"] = Y[0], P, [[p, p] for p in find_periods(Y)]
    g["explained"] = {str(p): explained(Y, p) for p in range(2, 13)}
    R = Y - np.nanmean(Y, axis=0)
    g["level_inf"], g["level_4"] = level(Y, INF), level(Y, 4)
    g["profile_inf"], g["profile_3"] = profile(R, P, INF), profile(R, P, 3)
    chosen = ([P], INF, 6.0)
    g["mean_36_41"] = {"inf,6": mean(fit(Y, chosen), chosen, np.arange(36, 42))}
    g["origins"], g["candidates"] = list(blocks(len(Y), [P], 10)[0]), [label(c, len(Y)) for c in whole]
    g["errors"] = scores(Y, [P])
    best = whole[int(np.argmin(g["errors"]))]
    g["kernel_before_psd"], g["kernel"] = covariance(Y, best, [P])
    make_grid(g["grid_demand"])
