# SPDX-License-Identifier: MIT
"""The start of the game of calls.py in Python; every.py writes the calls behind it."""
import math
import struct
import types

from tvgp import c


def one(code, value):
    if code == "d":
        return struct.pack(">d", value).hex()
    if code == "o":
        return "none" if value is None else "object"
    if code == "b":
        return f"{len(value)} bytes, sum {sum(value)}"
    return str(value)


def show(name, code, value, fields=()):
    if code == "r":
        records = value if isinstance(value, list) else [value]
        for record in records:
            for field, kind in fields:
                show(f"{name}.{field}", kind, record[field])
    else:
        print(name, *(map(lambda v: one(code, v), value) if hasattr(value, "__len__") and code in "di" else [one(code, value)]))


def logger(_user, _message):
    return None


def interrupt(_user):
    return 0


def destroyed(_user):
    return None


def mean(_user, n, X, out, gradient):
    for i in range(n):
        out[i] = 0.5 * X[i]
        if gradient:
            gradient[i] = 0.5
    return 0


def feasible(_user, n, X, ok):
    for i in range(n):
        ok[i] = X[i] <= 0.7
    return 0


def block(_data, n, X, m, Z, K, ldk):
    for i in range(n):
        for j in range(m):
            K[i * ldk + j] = 1 / (1 + (X[i] - Z[j]) ** 2)
    return 0


def points(_data, n, dim, X):
    for i in range(n * dim):
        X[i] = math.sqrt(i)
    return 0


def start_policy(_user, _view, _state):
    return 0


def ask(_state, _view, _t, q):
    q[0].arm = 2
    return 0


comm = {"rank": 0, "size": 1, "bcast": lambda *_: 0, "max": lambda *_: 0}
kernel_type = {"name": "every-kernel", "block": block}
domain_type = {"name": "every-domain", "points": points}
policy_type = {"name": "every-policy", "start": start_policy, "ask": ask}
v = types.SimpleNamespace()

