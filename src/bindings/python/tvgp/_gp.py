# SPDX-License-Identifier: MIT
"""Gaussian-process regression, and samples of k-determinantal point processes."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_double, c_size_t, c_void_p
from typing import Any, Callable

from . import _native as native
from ._model import Kernel, expect
from ._policy import _built, _parameters, _snapshot
from ._times import many, seconds


class GP:
    """Exact Gaussian-process regression, to which observations are added and from which the oldest can be dropped.

    kernel: covariance of points. time: kernel over time of dimension 1; None: the function does not change. noise: default noise
    variance."""

    def __init__(self, kernel: Kernel, time: Kernel | None = None, noise: float = 0.01) -> None:
        self.dim = expect(kernel, Kernel, "kernel").dim
        self._ctx = native.Context()
        self._gp = self._ctx.create("tvgp_gp_create", self._ctx.handle, _built(self._ctx, kernel, "kernel"),
                                    _built(self._ctx, time, "time"), native.number("noise", noise))

    @classmethod
    def restore(cls, snapshot: bytes) -> GP:
        """The posterior whose `save` gave these bytes; it gives the same numbers."""
        gp, data, dim = cls.__new__(cls), _snapshot("snapshot", snapshot), c_size_t()
        gp._ctx = native.Context()
        gp._gp = gp._ctx.create("tvgp_gp_restore", gp._ctx.handle, len(data), data)
        gp._with_kernel(lambda kernel: gp._ctx.call("tvgp_kernel_dim", kernel, byref(dim)))
        gp.dim = dim.value
        return gp

    def _with_kernel(self, use: Callable[[Any], Any]) -> Any:
        kernel = c_void_p()
        self._call("kernels", byref(kernel), None)
        try:
            return use(kernel)
        finally:
            native.library.tvgp_kernel_destroy(kernel)

    def _call(self, function: str, *arguments: Any) -> int:
        return int(self._ctx.call(f"tvgp_gp_{function}", self._gp, *arguments))

    def __len__(self) -> int:
        """Number of observations held."""
        n = c_size_t()
        self._call("size", byref(n))
        return n.value

    def __reduce__(self) -> Any:
        return GP.restore, (self.save(),)

    def set_prior_mean(self, intercept: float, slope: Any = None) -> None:
        """Sets the prior mean intercept + slope' x, at any time. slope: one number for each coordinate, or None."""
        array = None if slope is None else native.doubles(slope, "slope")
        if array is not None and array.size != self.dim:
            raise ValueError(f"slope has {array.size} entries, must have {self.dim}")
        self._call("set_prior_mean", native.number("intercept", intercept), array)

    def add(self, x: Any, y: Any, t: Any = None, noise_var: Any = None) -> None:
        """Adds n observations, all or none. t is required with a kernel over time and refused without."""
        points, n = native.rows(x, self.dim, "x")
        others = [None if part is None else native.doubles(part, name) for name, part in (("t", many(t)), ("y", y), ("noise_var", noise_var))]
        for name, part in zip(("t", "y", "noise_var"), others):
            if part is not None and part.size != n:
                raise ValueError(f"add: {n} points and {part.size} entries of {name}")
        self._call("add", n, points, *others)

    def drop(self, n: int) -> None:
        """Drops the n oldest observations."""
        self._call("drop", native.whole("n", n, 0, 2**63 - 1))

    def predict(self, x: Any, t: Any = 0.0) -> tuple[Any, Any]:
        """Means and variances, without noise, at n points (n x dim)."""
        points, n = native.rows(x, self.dim, "x")
        mean, var = native.room(n), native.room(n)
        self._call("predict", n, points, seconds(t), mean, var)
        return native.given(mean), native.given(var)

    def predict_gradient(self, x: Any, t: Any = 0.0) -> tuple[Any, Any, Any, Any]:
        """Means, variances, and their gradients by the point, n x dim each."""
        points, n = native.rows(x, self.dim, "x")
        mean, var, dmean, dvar = native.room(n), native.room(n), native.room(n * self.dim), native.room(n * self.dim)
        self._call("predict_gradient", n, points, seconds(t), mean, var, dmean, dvar)
        return native.given(mean), native.given(var), native.folded(native.given(dmean), self.dim), native.folded(native.given(dvar), self.dim)

    def predict_covariance(self, x: Any, t: Any = 0.0) -> tuple[Any, Any]:
        """Means, and covariances without noise (n x n), of n points together."""
        points, n = native.rows(x, self.dim, "x")
        mean, covariance = native.room(n), native.room(n * n)
        self._call("predict_covariance", n, points, seconds(t), mean, covariance)
        return native.given(mean), native.folded(native.given(covariance), max(n, 1))

    def sample(self, x: Any, t: Any = 0.0, draws: int = 1, seed: int = 0) -> Any:
        """Functions drawn from the posterior, at n points each: draws x n. Equal seeds give equal functions."""
        points, n = native.rows(x, self.dim, "x")
        count = native.whole("draws", draws, 0, 2**31 - 1)
        out = native.room(count * n)
        self._call("sample", n, points, seconds(t), count, native.whole("seed", seed, 0, 2**64 - 1), out)
        return native.folded(native.given(out), max(n, 1))

    def log_marginal_likelihood(self) -> float:
        """Log probability of the observations, in nats."""
        value = c_double()
        self._call("log_marginal_likelihood", byref(value))
        return value.value

    def fit(self, max_evals: int = 200) -> float:
        """Optimises the hyperparameters on the observations held and returns their log posterior."""
        value = c_double()
        self._call("fit", None, None, native.whole("max_evals", max_evals, 0, 2**63 - 1), byref(value))
        return value.value

    def parameters(self) -> dict[str, float]:
        """The parameters of the kernel over points, the noise variance and the intercept of the mean, as in use now."""
        noise, intercept = c_double(), c_double()
        with self._ctx.lock:
            self._call("noise", byref(noise), byref(intercept))
            return {**self._with_kernel(lambda kernel: _parameters(self._ctx, kernel)), "noise": noise.value, "intercept": intercept.value}

    def save(self) -> bytes:
        """The posterior with its kernels, for `restore`. pickle does this too."""
        size = c_size_t()
        with self._ctx.lock:
            self._call("save", 0, None, byref(size))
            buffer = ctypes.create_string_buffer(size.value)
            self._call("save", size.value, buffer, byref(size))
            return buffer.raw[:size.value]


def kdpp_sample(kernel: Kernel, x: Any, k: int, steps: int = 1000, seed: int = 0) -> list[int]:
    """k of n points that are far apart in the metric of the kernel: a sample of a k-determinantal point process.

    x: points, n x dim. steps: swaps of the Markov chain; 0: the greedy set. Returns row numbers of x, fewer than k if the points span
    less."""
    ctx = native.Context()
    points, n = native.rows(x, expect(kernel, Kernel, "kernel").dim, "x")
    size, found = native.whole("k", k, 0, 2**31 - 1), c_size_t()
    index = (c_size_t * max(size, 1))()
    ctx.call("tvgp_kdpp_sample", ctx.handle, _built(ctx, kernel, "kernel"), n, points, size, native.whole("steps", steps, 0, 2**63 - 1),
             native.whole("seed", seed, 0, 2**64 - 1), index, byref(found))
    return list(index)[:found.value]
