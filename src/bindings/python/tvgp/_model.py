# SPDX-License-Identifier: MIT
"""Domains and kernels as descriptions that can be compared and pickled. The library's objects are created from them at each use, and once
for checks."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import math
from ctypes import byref, c_char_p, c_int64, c_size_t
from typing import Any, Callable, Sequence

from . import _native as native
from ._functions import kernel_of


class _Description:
    """A constructor of the library with its arguments."""

    def __init__(self, dim: int, *parts: Any) -> None:
        self.dim, self._parts = dim, parts
        self._build(native.Context())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._parts}"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parts == other._parts  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._parts)

    def _build(self, ctx: native.Context) -> Any:
        raise NotImplementedError


def _tuple(values: Any, what: str) -> tuple[float, ...]:
    return tuple(float(v) for v in native.flatten(values, what))


def _count(what: str, value: Any) -> int:
    return native.whole(what, value, 0, 2**31 - 1)


def expect(part: Any, kind: type, what: str) -> Any:
    """The part, which must be of this kind: the library knows a domain and a kernel by their addresses only."""
    if not isinstance(part, kind):
        raise TypeError(f"{what} must be a tvgp.{kind.__name__}, not {type(part).__name__}")
    return part


class Domain(_Description):
    """A set of actions, from arms, indices, grid, box or product. Domains are equal if type and points, or bounds, are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and (self._parts == other._parts or self._content == other._content)

    def __hash__(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        kind = "" if self.type == "indices" else f", {self.dim} coordinate{'' if self.dim == 1 else 's'}"
        return f"{self.type}({self.n} arms{kind})" if self.n else f"{self.type}({self.dim} coordinate{'' if self.dim == 1 else 's'})"

    @functools.cached_property
    def _content(self) -> bytes:
        """A hash of the snapshot of a policy on this domain, which equals exactly if type and points do."""
        ctx, size = native.Context(), c_size_t()
        policy = ctx.create("tvgp_policy_create", ctx.handle, b"random", self._build(ctx), None)
        ctx.call("tvgp_policy_save_full", policy, 0, None, byref(size))
        saved = ctypes.create_string_buffer(size.value)
        ctx.call("tvgp_policy_save_full", policy, size.value, saved, byref(size))
        return hashlib.sha256(saved.raw).digest()

    @functools.cached_property
    def n(self) -> int:
        """Number of arms; 0 for a box."""
        ctx, n = native.Context(), c_size_t()
        ctx.call("tvgp_domain_size", self._build(ctx), byref(n))
        return n.value

    def point(self, arm: int) -> Any:
        """Coordinates of an arm."""
        ctx, x = native.Context(), native.room(self.dim)
        ctx.call("tvgp_domain_point", self._build(ctx), native.whole("arm", arm, -2**63, 2**63 - 1), x)
        return native.given(x)

    @property
    def type(self) -> str:
        """Its type: "arms", "indices", "grid", "box", "product"."""
        ctx, name = native.Context(), c_char_p()
        ctx.call("tvgp_domain_type_name", self._build(ctx), byref(name))
        return native.text(name)

    def bounds(self) -> tuple[Any, Any]:
        """The smallest and the largest value of each coordinate."""
        ctx, lower, upper = native.Context(), native.room(self.dim), native.room(self.dim)
        ctx.call("tvgp_domain_bounds", self._build(ctx), lower, upper)
        return native.given(lower), native.given(upper)

    def append(self, points: Any) -> Domain:
        """Returns the domain with further arms after the present ones, for Policy.extend."""
        return Domain(self.dim, "appended", self, tuple(map(float, native.points_of(points, self.dim))))

    def split(self, arm: int) -> tuple[int, int]:
        """Action and context of an arm of a product."""
        ctx, action, context = native.Context(), c_int64(), c_int64()
        ctx.call("tvgp_domain_split", self._build(ctx), native.whole("arm", arm, -2**63, 2**63 - 1), byref(action), byref(context))
        return action.value, context.value

    def _build(self, ctx: native.Context) -> Any:
        kind, *a = self._parts
        if kind == "saved":
            return ctx.create("tvgp_policy_domain", ctx.create("tvgp_policy_restore", ctx.handle, len(a[0]), a[0], None, None),
                              kind="domain")
        if kind == "appended":
            return ctx.create("tvgp_domain_append", a[0]._build(ctx), len(a[1]) // self.dim, native.doubles(a[1]))
        if kind == "product":
            return ctx.create("tvgp_domain_product", ctx.handle, a[0]._build(ctx), a[1]._build(ctx))
        if kind == "indices":
            return ctx.create("tvgp_domain_indices", ctx.handle, a[0])
        if kind == "arms":
            return ctx.create("tvgp_domain_arms", ctx.handle, len(a[0]) // self.dim, self.dim, native.doubles(a[0]))
        lower, upper = native.doubles(a[0]), native.doubles(a[1])
        if kind == "grid":
            return ctx.create("tvgp_domain_grid", ctx.handle, self.dim, lower, upper, (c_size_t * self.dim)(*a[2]))
        box = ctx.create("tvgp_domain_box", ctx.handle, self.dim, lower, upper)
        for k in a[2]:
            ctx.call("tvgp_domain_box_integer", box, k)
        return box


def arms(points: Any) -> Domain:
    """These arms: a list of points, a table or an array n x dim."""
    points = native.listed(points)
    if not hasattr(points, "__getitem__") or not hasattr(points, "__len__") or isinstance(points, (str, bytes, dict)):
        raise TypeError(f"points = {points!r} must be a list of points")
    dim = len(native.flatten(points[0], "points[0]")) or 1 if len(points) else 1
    return Domain(dim, "arms", tuple(map(float, native.points_of(points, dim))))


def indices(n: int) -> Domain:
    """n categorical arms 0 .. n-1, for a table of covariances or a categorical kernel."""
    return Domain(1, "indices", _count("n", n))


def _same_length(*lists: tuple[Any, ...]) -> int:
    lengths = [len(one) for one in lists]
    if len(set(lengths)) > 1:
        raise ValueError(f"lower, upper and points differ in length: {', '.join(map(str, lengths))}")
    return lengths[0]


def grid(lower: Any, upper: Any, points: Any) -> Domain:
    """Equally spaced values between both bounds, included: grid(0, 1, 101), or lists with one entry for each coordinate."""
    low, high, counts = _tuple(lower, "lower"), _tuple(upper, "upper"), tuple(_count("points", v) for v in native.flatten(points, "points"))
    return Domain(_same_length(low, high, counts), "grid", low, high, counts)


def box(lower: Any, upper: Any, integer: Sequence[int] = ()) -> Domain:
    """Every point between the bounds; the coordinates listed in `integer` take whole numbers."""
    low, high = _tuple(lower, "lower"), _tuple(upper, "upper")
    return Domain(_same_length(low, high), "box", low, high, tuple(_count("integer", k) for k in integer))


def product(actions: Domain, contexts: Domain) -> Domain:
    """Every pair of an action and a context; see Policy.set_context, or with a box of contexts Policy.set_context_point."""
    dim = expect(actions, Domain, "product: actions").dim + expect(contexts, Domain, "product: contexts").dim
    return Domain(dim, "product", actions, contexts)


class Kernel(_Description):
    """A covariance function; + and * make others of two."""

    def __add__(self, other: Kernel) -> Kernel:
        return Kernel(self.dim, "sum", self, expect(other, Kernel, "+: a kernel"))

    def __mul__(self, other: Kernel) -> Kernel:
        return Kernel(self.dim, "product", self, expect(other, Kernel, "*: a kernel"))

    def gram(self, X: Any, Z: Any = None) -> Any:
        """k(X_i, Z_j), a list or an array of n rows; Z defaults to X."""
        ctx = native.Context()
        x, n = native.rows(X, self.dim)
        z, m = (x, n) if Z is None else native.rows(Z, self.dim)
        K = native.room(n * m)
        ctx.call("tvgp_kernel_gram", self._build(ctx), n, x, m, z, K)
        flat = native.given(K)
        return flat.reshape(n, m) if native.numpy is not None else [flat[i * m:(i + 1) * m] for i in range(n)]

    def _build(self, ctx: native.Context) -> Any:
        family, *a = self._parts
        if family == "saved":
            return ctx.create("tvgp_policy_kernel", ctx.create("tvgp_policy_restore", ctx.handle, len(a[0]), a[0], None, None),
                              kind="kernel")
        if family == "function":
            return kernel_of(ctx, self.dim, a[0])
        head = [part._build(ctx) if isinstance(part, Kernel) else part for part in a]
        if family == "slice":
            return ctx.create("tvgp_kernel_slice", ctx.handle, self.dim, *head)
        call = [native.doubles(part) if isinstance(part, tuple) else part for part in head]
        if family == "table":
            return ctx.create("tvgp_kernel_table", ctx.handle, call[0], call[1])
        if family in ("sum", "product", "categorical", "forgetting", "wiener"):
            return ctx.create(f"tvgp_kernel_{family}", ctx.handle, *call)
        spread = [word for part in call for word in ([part.size, part] if isinstance(part, native.Doubles) else [part])]
        return ctx.create(f"tvgp_kernel_{family}", ctx.handle, self.dim, *spread)


def _stationary(family: str, lengthscale: Any, dim: int | None, *numbers: float, after: tuple[Any, ...] = ()) -> Kernel:
    scales = _tuple(lengthscale, "lengthscale")
    return Kernel(len(scales) if dim is None else _count("dim", dim), family, *(native.number(family, v) for v in numbers), scales, *after)


def se(lengthscale: Any, variance: float = 1.0, dim: int | None = None) -> Kernel:
    """Squared exponential. One lengthscale for each coordinate; with dim, one for all."""
    return _stationary("se", lengthscale, dim, variance)


def matern(lengthscale: Any, nu: float = 2.5, variance: float = 1.0, dim: int | None = None) -> Kernel:
    """Matern with nu 0.5, 1.5 or 2.5."""
    return _stationary("matern", lengthscale, dim, nu, variance)


def rational_quadratic(lengthscale: Any, alpha: float = 1.0, variance: float = 1.0, dim: int | None = None) -> Kernel:
    """A mixture of squared exponentials of many lengthscales."""
    return _stationary("rational_quadratic", lengthscale, dim, alpha, variance)


def periodic(lengthscale: Any, period: Any, variance: float = 1.0, dim: int | None = None) -> Kernel:
    """Repeats in space; in one dimension also over time."""
    return _stationary("periodic", lengthscale, dim, variance, after=(_tuple(period, "period"),))


def linear(lengthscale: Any = 1.0, variance: float = 1.0, bias: float = 0.0, dim: int | None = None) -> Kernel:
    """Straight lines: bias + variance sum x x' / lengthscale^2."""
    return _stationary("linear", lengthscale, dim, variance, after=(native.number("bias", bias),))


def table(K: Any) -> Kernel:
    """A covariance of arms, n x n; for indices(n)."""
    flat = _tuple(K, "K")
    n = math.isqrt(len(flat))
    if n * n != len(flat):
        raise ValueError(f"K has {len(flat)} numbers, must be n x n")
    native.points_of(K, max(n, 1), "K")
    return Kernel(1, "table", n, flat)


def categorical(variance: float = 1.0, correlation: float = 0.0) -> Kernel:
    """Equal or not: for indices, and for a coordinate that names a category."""
    return Kernel(1, "categorical", native.number("variance", variance), native.number("correlation", correlation))


def slice_of(dim: int, first: int, inner: Kernel) -> Kernel:
    """Applies `inner` to the coordinates from `first` on of points with `dim` coordinates."""
    inner = expect(inner, Kernel, "slice_of: inner")
    return Kernel(_count("dim", dim), "slice", _count("first", first), inner)


def forgetting(epsilon: float) -> Kernel:
    """Over time: (1 - epsilon)^(a / 2) at a time difference of a."""
    return Kernel(1, "forgetting", native.number("epsilon", epsilon))


def wiener(rate: float, origin: float = 0.0) -> Kernel:
    """Over time: 1 + rate (min(t, t') - origin)."""
    return Kernel(1, "wiener", native.number("rate", rate), native.number("origin", origin))


def kernel(f: Callable[[Any, Any], Any], dim: int = 1) -> Kernel:
    """A covariance function of your own: f takes points X (n x dim) and Z (m x dim), arrays if NumPy is installed, and returns the n x m
    covariances. They must be symmetric and positive semidefinite. Its parameters are not learned, and save(full=True) is refused. An
    exception of f is raised by the call that needed it."""
    if not callable(f):
        raise TypeError(f"f = {f!r} must be a function")
    return Kernel(_count("dim", dim), "function", f)
