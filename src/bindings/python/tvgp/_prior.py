# SPDX-License-Identifier: MIT
"""A prior for the next run, learned from many short runs."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_double, c_int64, c_size_t
from typing import Any, Sequence

from . import _native as native
from ._model import Domain, Kernel, expect
from ._times import many


def learn_prior(domain: Domain, runs: Sequence[Any], kernel: Kernel | None = None, *, strength: float = 3.0, epsilon: float = 0.0,
                max_iterations: int = 0) -> dict[str, Any]:
    """Learns mean and covariance over the arms, and the noise, from many runs: `Policy(name, domain, **prior)`.

    runs: for each run the arms and the values, (arms, y), or with their times (arms, t, y), which epsilon > 0 needs: the rate of
    change within a run. kernel: the prior of arms without data, with the weight of `strength` runs (tvgp_prior_learn)."""
    arm: list[int] = []
    t: list[float] = []
    y: list[float] = []
    first: list[int] = []
    for i, run in enumerate(runs):
        if not hasattr(run, "__len__") or isinstance(run, (str, bytes)) or len(run) not in (2, 3):
            raise ValueError(f"runs[{i}] = {run!r} must be (arms, y) or (arms, t, y)")
        parts = [native.flatten(part, f"runs[{i}]: {name}")
                 for name, part in (("arms", run[0]), ("t", many(run[1]) if len(run) == 3 else [0.0] * len(run[0])), ("y", run[-1]))]
        if len({len(part) for part in parts}) > 1 or (epsilon > 0 and len(run) == 2):
            raise ValueError(f"runs[{i}] has {' and '.join(str(len(native.flatten(part))) for part in run)} entries"
                             + (", and epsilon needs times" if len(run) == 2 else ""))
        first.append(len(arm))
        arm += [native.whole(f"runs[{i}]: arm", a, 0, 2**31 - 1) for a in parts[0]]
        t, y = t + parts[1], y + parts[2]
    return _learn(expect(domain, Domain, "domain"), first, (arm, t, y), kernel, strength, epsilon, max_iterations)


def _learn(domain: Domain, first: list[int], rows: Any, kernel: Kernel | None, strength: float, epsilon: float,
           max_iterations: int) -> dict[str, Any]:
    ctx, mean, noise = native.Context(), native.room(domain.n), c_double()
    place = domain._build(ctx)
    supplied = None if kernel is None else expect(kernel, Kernel, "kernel")._build(ctx)
    learned = ctypes.c_void_p()
    ctx.call("tvgp_prior_learn", ctx.handle, place, len(first), (c_size_t * len(first))(*first), len(rows[0]),
             (c_int64 * len(rows[0]))(*rows[0]), native.doubles(rows[1]), native.doubles(rows[2]), supplied, native.number("strength", strength),
             native.number("epsilon", epsilon), native.whole("max_iterations", max_iterations, 0, 2**63 - 1), mean, byref(learned), byref(noise))
    ctx._owned.append(("kernel", learned))
    policy, size = ctx.create("tvgp_policy_create", ctx.handle, b"gp-ucb", place, learned), c_size_t()
    ctx.call("tvgp_policy_save_full", policy, 0, None, byref(size))
    whole = ctypes.create_string_buffer(size.value)
    ctx.call("tvgp_policy_save_full", policy, size.value, whole, byref(size))
    return {"kernel": Kernel(domain.dim, "saved", whole.raw[:size.value]), "mean": native.given(mean), "noise": noise.value}
