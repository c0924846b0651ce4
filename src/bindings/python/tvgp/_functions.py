# SPDX-License-Identifier: MIT
"""Functions of the caller that the library calls: feasible points, prior means and kernels. An exception ends the call of the library,
and is raised from it."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int32, c_size_t, c_uint8, c_void_p
from typing import Any, Callable

from . import _native as native

_FAILED = -1000  # the status of a function that raised
_Reals = POINTER(c_double)
_FEASIBLE = ctypes.CFUNCTYPE(c_int32, c_void_p, c_size_t, _Reals, POINTER(c_uint8))
_MEAN = ctypes.CFUNCTYPE(c_int32, c_void_p, c_size_t, _Reals, _Reals, _Reals)
_BLOCK = ctypes.CFUNCTYPE(c_int32, c_void_p, c_size_t, _Reals, c_size_t, _Reals, _Reals, c_size_t)
_KERNEL_TYPE = b"python"


def _points(x: Any, n: int, dim: int) -> Any:
    """A copy of n points: an array n x dim where NumPy is installed, else a list of lists."""
    flat = x[:n * dim]
    return native.folded(flat if native.numpy is None else native.numpy.array(flat), dim)


def _results(what: str, values: Any, n: int) -> list[float]:
    flat = native.flatten(values, what)
    if len(flat) != n:
        raise ValueError(f"{what} gave {len(flat)} values, must be {n}")
    return flat


def _guarded(ctx: native.Context, call: Callable[..., None]) -> Callable[..., int]:
    """A function for C, which no exception may leave: the context raises it when the call of the library returns."""
    def guarded(*arguments: Any) -> int:
        try:
            call(*arguments)
        except BaseException as error:  # pylint: disable=broad-except
            ctx.raised = error
            return _FAILED
        return 0
    return guarded


def feasible_function(ctx: native.Context, dim: int, f: Callable[[Any], Any]) -> Any:
    """The function of C that says which points may be asked."""
    def call(_: Any, n: int, x: Any, ok: Any) -> None:
        for i, value in enumerate(_results("the function of set_feasible", f(_points(x, n, dim)), n)):
            ok[i] = bool(value)
    return _FEASIBLE(_guarded(ctx, call))


def mean_function(ctx: native.Context, dim: int, f: Callable[[Any], Any], gradient: Callable[[Any], Any] | None, lower: Any, upper: Any) -> Any:
    """The function of C that computes prior means and, unless `gradient` does, their central differences within the box."""
    def differences(points: list[list[float]]) -> list[float]:
        moved, widths = [], []
        for point in points:
            for d in range(dim):
                step = 1e-5 * (upper[d] - lower[d])
                low, high = max(point[d] - step, lower[d]), min(point[d] + step, upper[d])
                moved += [[*point[:d], low, *point[d + 1:]], [*point[:d], high, *point[d + 1:]]]
                widths.append(high - low)
        flat = [v for one in moved for v in one]
        values = _results("the function of set_prior_mean_fn", f(_points(flat, len(moved), dim)), len(moved))
        return [(values[2 * i + 1] - values[2 * i]) / width if width > 0 else 0.0 for i, width in enumerate(widths)]

    def call(_: Any, n: int, x: Any, mean: Any, slope: Any) -> None:
        points = _points(x, n, dim)
        for i, value in enumerate(_results("the function of set_prior_mean_fn", f(points), n)):
            mean[i] = value
        if not slope:
            return
        slopes = _results("the gradient of set_prior_mean_fn", gradient(points), n * dim) if gradient else \
            differences([list(x[i * dim:(i + 1) * dim]) for i in range(n)])
        for i, value in enumerate(slopes):
            slope[i] = value
    return _MEAN(_guarded(ctx, call))


def kernel_of(ctx: native.Context, dim: int, f: Callable[[Any, Any], Any]) -> Any:
    """A kernel in this context that calls f."""
    if not ctx.functions:
        def block(data: Any, n: int, x: Any, m: int, z: Any, k: Any, ldk: int) -> None:
            function, size = ctx.functions[data]
            values = _results("the function of the kernel", function(_points(x, n, size), _points(z, m, size)), n * m)
            for i in range(n):
                for j in range(m):
                    k[i * ldk + j] = values[i * m + j]
        record = native.structs["tvgp_kernel_type"]()
        callback = _BLOCK(_guarded(ctx, block))
        record.struct_size, record.name, record.block = ctypes.sizeof(record), _KERNEL_TYPE, ctypes.cast(callback, c_void_p)
        ctx.kept += [callback, record]
        ctx.call("tvgp_ctx_register_kernel", ctx.handle, ctypes.byref(record), None, None)
    number = len(ctx.functions) + 1
    ctx.functions[number] = (f, dim)
    return ctx.create("tvgp_kernel_of_type", ctx.handle, _KERNEL_TYPE, dim, number)
