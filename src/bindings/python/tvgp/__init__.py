# SPDX-License-Identifier: MIT
"""Time-varying Gaussian-process bandits.

    policy = tvgp.Policy("auto-gp-ucb", tvgp.grid(5, 25, 41))
    query = policy.ask(t=1)
    policy.tell(query, profit(query.x[0]))

The guide of the library is the guide of this package: docs/guide."""
from ctypes import byref as _byref, c_char_p as _c_char_p, c_size_t as _c_size_t
from typing import TYPE_CHECKING, Any

from . import _native
from ._model import (Domain, Kernel, arms, box, categorical, forgetting, grid, indices, kernel, linear, matern, periodic, product,
                     rational_quadratic, se, slice_of, table, wiener)
from ._native import Error
from ._plot import Picture
from ._plot import run as plot_run
from ._policy import Best, Option, Policy, Query, Ranked, Stat, Values
from ._replay import Replay, replay
from ._prior import learn_prior
from ._gp import GP, kdpp_sample
from ._serve import Value, assign, off_policy_value, shares
from ._shared import Arm, Share, Shared, SharedQuery
from ._shared import open  # pylint: disable=redefined-builtin  # not in __all__: `import *` would hide the built-in function

if TYPE_CHECKING:
    from . import c

__all__ = ["Arm", "Best", "Domain", "Error", "GP", "Kernel", "Option", "Picture", "Policy", "Query", "Ranked", "Replay", "Share", "Shared", "SharedQuery", "Stat", "Value", "Values", "arms", "assign", "box", "c", "categorical", "off_policy_value", "forgetting",
           "grid", "indices", "kdpp_sample", "kernel", "learn_prior", "linear", "matern", "options", "periodic", "plot_run", "policies", "product", "random_normal",
           "random_uniform", "rational_quadratic", "replay", "se", "shares", "slice_of", "table", "wiener"]
__version__ = _native.library.tvgp_version().decode()


def policies() -> "dict[str, str]":
    """All policies, each with a line of description."""
    ctx, n, name, doc = _native.Context(), _c_size_t(), _c_char_p(), _c_char_p()
    ctx.call("tvgp_policy_count", ctx.handle, _byref(n))
    found = {}
    for i in range(n.value):
        ctx.call("tvgp_policy_name_at", ctx.handle, i, _byref(name), _byref(doc))
        found[_native.text(name)] = _native.text(doc)
    return found


def options(policy: str) -> "dict[str, Option]":
    """The options of a policy with defaults, meaning, bounds and choices."""
    return Policy(policy, grid(0, 1, 2), se(1)).options()


def _random(function: str, seed: int, purpose: int, step: int, n: int) -> Any:
    draws = _native.room(_native.whole("n", n, 0, 2**31 - 1))
    _native.Context().call(function, seed, purpose, step, n, draws)
    return _native.given(draws)


def random_normal(seed: int, purpose: int, step: int, n: int) -> Any:
    """n standard normal draws, the same in every language; purpose >= 1000 is left to applications."""
    return _random("tvgp_random_normal", seed, purpose, step, n)


def random_uniform(seed: int, purpose: int, step: int, n: int) -> Any:
    """The same, uniform on [0, 1)."""
    return _random("tvgp_random_uniform", seed, purpose, step, n)


def __getattr__(name):  # type: ignore[no-untyped-def]
    if name == "dashboard":  # a web server, which few programs need
        from ._dashboard import dashboard
        return dashboard
    if name == "c":  # a Python function for each function of the library
        import importlib
        return importlib.import_module("tvgp.c")
    raise AttributeError(f"module 'tvgp' has no attribute '{name}'")
