# SPDX-License-Identifier: MIT
"""Determinantal point processes of k points: exact, greedy, and the Markov chain of SparQ, algorithms 2 and 3."""
from itertools import combinations

import numpy as np


def greedy(K, k):
    """Each next point has the largest variance given those before; ties: the smallest index."""
    chosen = []
    for _ in range(min(k, len(K))):
        rest = np.diag(K).copy()
        if chosen:
            rest -= np.einsum("ci,ci->i", K[chosen], np.linalg.solve(K[np.ix_(chosen, chosen)], K[chosen]))
        rest[chosen] = -np.inf
        chosen.append(int(np.argmax(rest > np.max(rest) - 1e-12)))
    return chosen


def swap(K, Z, u):
    """One step of the chain from the sorted set Z with three uniforms."""
    outside = [i for i in range(len(K)) if i not in Z]
    i, j = Z[int(u[0] * len(Z))], outside[int(u[1] * len(outside))]
    other = sorted([z for z in Z if z != i] + [j])
    ratio = np.linalg.det(K[np.ix_(other, other)]) / np.linalg.det(K[np.ix_(Z, Z)])
    return other if u[2] < 0.5 * min(1, ratio) else Z


def probabilities(K, k):
    """All subsets of k points, and det K_Z over the sum of all of them."""
    subsets = [list(s) for s in combinations(range(len(K)), k)]
    det = np.array([np.linalg.det(K[np.ix_(s, s)]) for s in subsets])
    return subsets, det / det.sum()


def make(g):
    K6, K12 = np.array(g["K6"]), np.array(g["K12"])
    g["subsets"], g["probs"] = probabilities(K6, 3)
    g["greedy6_3"], g["greedy6_5"], g["Z0"] = greedy(K6, 3), greedy(K6, 5), greedy(K12, g["M"])
    g["path"], Z = [], sorted(g["Z0"])
    for u in g["draws"]:
        Z = swap(K12, Z, u)
        g["path"].append(Z)
    g["final"] = Z
