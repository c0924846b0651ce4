# SPDX-License-Identifier: MIT
"""Exploration coefficients, and rules for windows and discounts. *_beta is under a square root in the score."""
import numpy as np
from numpy import log, pi, sqrt


def cover(t, d, r, b, inside):
    """2 d ln(t^2 d b r sqrt(ln(inside))): the term of the theorems on a square of side r."""
    return 2 * d * log(t * t * d * b * r * sqrt(log(inside)))


def log_beta(t, c1=0.4, c2=4.0):
    return c1 * log(c2 * t)


def srinivas_finite_beta(t, nD, delta):
    return 2 * log(nD * t * t * pi**2 / (6 * delta))


def srinivas_cont_beta(t, d, r, a, b, delta):
    return 2 * log(2 * pi**2 * t * t / (3 * delta)) + cover(t, d, r, b, 4 * d * a / delta)


def markov_beta(name, t, d, r, a1, b1, delta, **rest):
    x = ARGUMENTS[name](t, delta, **rest)
    return 2 * log(x) + cover(t, d, r, b1, d * a1 * x)


# Theorems that differ in the argument of both logarithms.
ARGUMENTS = {"bogunovic_beta": lambda t, delta: pi**2 * t * t / (2 * delta), "et_thm1_beta": lambda t, delta: 4 * pi**2 * t * t / (3 * delta),
             "rgp_thm2_beta": lambda t, delta: 2 * pi**2 * t * t / (3 * delta), "lemma7_beta": lambda t, delta, pit: 2 * pit / delta}


def et_rho(tp, deltaB):
    return 2 * log(pi**2 * tp * tp / (3 * deltaB))


def et_wbar(tp, deltaB, sn2):
    return sqrt(sn2 * et_rho(tp, deltaB))


def igp_width(gamma_tm1, B, R, delta):
    return B + R * sqrt(2 * (gamma_tm1 + 1 + log(1 / delta)))


def logdet_width(K, Sigma, delta, B):
    K, Sigma = np.array(K).reshape(len(Sigma), len(Sigma)), np.array(Sigma)
    return B + sqrt(2 * log(2 / delta) + np.linalg.slogdet(np.diag(Sigma) + K)[1] - np.sum(log(Sigma)))


def bkb_width(t, sum_sig2, alpha, kappa2, xi, lam, F, eps, delta):
    return 2 * xi * sqrt(alpha * log(kappa2 * t) * sum_sig2 + log(1 / delta)) + (1 + 1 / sqrt(1 - eps)) * sqrt(lam) * F


def pe_width_A(t, T, nX, delta):
    return sqrt(2 * log(T * nX * pi**2 * t * t / (3 * delta)))


def pe_width_B(t, T, d, r, a, b, deltaA):
    return sqrt(2 * log(pi**2 * t * t / (3 * deltaA)) + cover(t, d, r, b * T, 2 * d * a / deltaA))


def pe_xi(t, nU, R2, delta):
    return 2 * R2 * log(nU * pi**2 * t * t / (3 * delta))


def rgp_N(T, eps):
    return int(np.ceil(min(T, 12 * eps**-0.25)))


def zhou_window(T, gammaT, BT):
    return int(min(T, max(1, np.ceil(gammaT**0.25 * sqrt(T / (BT or 1))))))


def deng_gamma(T, gammabarT, BT):
    return 1 - gammabarT**-0.25 * sqrt((BT or 1) / T)


def make(g):
    for name, cases in g.items():
        for case in cases if isinstance(cases, list) and name != "bkb_qbar" else []:
            case["v"] = markov_beta(name, **case) if name in ARGUMENTS else globals()[name](**case)
    for case in g["bkb_qbar"]:
        case["alpha"] = (1 + case["eps"]) / (1 - case["eps"])
        case["qbar"] = 6 * case["alpha"] * log(4 * case["T"] / case["delta"]) / case["eps"] ** 2


def starts(alpha, alpha_tilde, T):
    """Starts of windows, W-SparQ eq. 32, in whole numbers: floor(t^(p/q)) is the largest m with m^q <= t^p."""
    p, q = alpha_tilde[0] * alpha[1], alpha_tilde[1] * alpha[0]
    found, t = [], 1
    while t <= T:
        found.append(t)
        m = int(t ** (p / q))
        m += (m + 1) ** q <= t**p
        m -= m**q > t**p
        t += m + 1
    return found


def make_windows(g):
    for case in g["cases"]:
        a, b = case["alpha"], case["alpha_tilde"]
        p, q = b[0] * a[1], b[1] * a[0]
        case["ratio"] = [p // np.gcd(p, q), q // np.gcd(p, q)]
        case["starts"], t = starts(a, b, g["T"]), [1]
        while t[-1] <= g["T"]:
            t.append(t[-1] + int(np.floor(t[-1] ** (p / q))) + 1)
        case["float_differs"] = t[:-1] != case["starts"]
