# SPDX-License-Identifier: MIT
"""Serving decisions: shares of traffic, the arm of one user, and the value that another policy would have had."""
from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_int64
from typing import Any, NamedTuple, SupportsIndex

from . import _native as native
from ._times import seconds, span


class Value(NamedTuple):
    """Estimates of the mean outcome of a target policy, with standard errors."""

    used: int
    missing: int
    dm: float
    ips: float
    ips_se: float
    snips: float
    snips_se: float
    dr: float
    dr_se: float
    ess: float
    mean_weight: float
    expected: float
    reliable: bool


def shares(p: Any, power: float = 2.0, floor: float = 0.0) -> Any:
    """Shares of traffic from the probabilities that arms are best: (1 - floor) p^power / sum p^power + floor / n."""
    array = native.doubles(p, "p")
    found = native.room(array.size)
    native.Context().call("tvgp_shares", array.size, array, native.number("power", power), native.number("floor", floor), found)
    return native.given(found)


def assign(share: Any, key: SupportsIndex | str | bytes, seed: SupportsIndex = 0) -> int:
    """The arm of the user with this key, the same in every process. A change of the shares moves as few users as possible. A text, as
    UTF-8, counts as its FNV-1a hash of 64 bits."""
    array, arm = native.doubles(share, "share"), c_int64()
    number = _hashed(key) if isinstance(key, (str, bytes)) else native.whole("key", key, 0, 2**64 - 1)
    native.Context().call("tvgp_assign", array.size, array, native.whole("seed", seed, 0, 2**64 - 1), number, byref(arm))
    return arm.value


def _hashed(key: str | bytes) -> int:
    value = 14695981039346656037
    for byte in key.encode() if isinstance(key, str) else key:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def off_policy_value(log: Any, target: Any, model: Any = None, now: Any = None, half_life: float = math.inf) -> Value:
    """Estimates the value of a target policy from logged decisions.

    log: times, arms, outcomes (NaN: missing) and propensities, four lists of n. target (n x arms): the probabilities with which the
    target chooses. model (n x arms): posterior means from before each outcome. now: None for the newest time. Records lose half of
    their weight in half_life."""
    t, arm, y, propensity = log
    times = [seconds(one, f"t[{i}]") for i, one in enumerate(t)]
    n, flat = len(times), native.doubles(target, "target")
    if n == 0 or flat.size % n or not len(arm) == len(y) == len(propensity) == n:
        raise ValueError(f"off_policy_value: {n} times, {len(arm)} arms, {len(y)} outcomes, {len(propensity)} propensities, "
                         f"{flat.size} probabilities")
    means = None if model is None else native.doubles(model, "model")
    if means is not None and means.size != flat.size:
        raise ValueError(f"off_policy_value: {means.size} means for {flat.size} probabilities")
    arms = (c_int64 * n)(*(native.whole("arm", a, 0, 2**31 - 1) for a in arm))
    record = native.structs["tvgp_value_estimate"]()
    record.struct_size = ctypes.sizeof(record)
    ctx = native.Context()
    ctx.call("tvgp_off_policy_value", ctx.handle, n, flat.size // n, native.doubles(times), arms, native.doubles([math.nan if v is None else v for v in y], "y"),
             native.doubles(propensity, "propensity"), flat, means, max(times) if now is None else seconds(now, "now"), native.number("half_life", span(half_life)), byref(record))
    values = {name: getattr(record, name) for name in Value._fields}
    return Value(**{**values, "reliable": bool(values["reliable"])})
