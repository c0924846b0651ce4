# SPDX-License-Identifier: MIT
"""What of libtvgp the example needs, by ctypes. The signatures stand in the headers; more functions follow the same pattern."""
import ctypes
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p


class Query(Structure):
    _fields_ = [("id", c_int64), ("kind", c_int32), ("flags", c_uint32), ("arm", c_int64), ("t", c_double),
                ("noise_var", c_double), ("score", c_double), ("propensity", c_double), ("reserved", c_double * 1)]


class Obs(Structure):
    """Zeroed but for id and y it is the usual answer; flags say what else is given."""
    _fields_ = [("id", c_int64), ("outcome", c_int32), ("flags", c_uint32), ("y", c_double), ("noise_var", c_double),
                ("t", c_double), ("reserved", c_double * 3)]


VALUE, SKIPPED, FAILED, CANCELLED = range(4)
_NOISE, _TIME = 1, 2

_doubles = POINTER(c_double)
_out = POINTER(c_void_p)
_STATUS = {
    "tvgp_ctx_create": [c_void_p, _out],
    "tvgp_domain_grid": [c_void_p, c_size_t, _doubles, _doubles, POINTER(c_size_t), _out],
    "tvgp_domain_indices": [c_void_p, c_size_t, _out],
    "tvgp_kernel_se": [c_void_p, c_size_t, c_double, _doubles, c_size_t, _out],
    "tvgp_policy_create": [c_void_p, c_char_p, c_void_p, c_void_p, _out],
    "tvgp_policy_set": [c_void_p, c_char_p],
    "tvgp_policy_ask_one": [c_void_p, c_double, POINTER(Query), _doubles],
    "tvgp_policy_tell": [c_void_p, POINTER(Obs), _doubles, c_size_t],
    "tvgp_policy_predict": [c_void_p, c_double, c_size_t, _doubles, _doubles, _doubles],
    "tvgp_policy_stat": [c_void_p, c_char_p, _doubles],
    "tvgp_policy_best": [c_void_p, c_double, POINTER(c_int64), _doubles],
    "tvgp_random_normal": [c_uint64, c_uint32, c_uint64, c_size_t, _doubles],
}
_DESTROY = ["tvgp_ctx_destroy", "tvgp_domain_destroy", "tvgp_kernel_destroy", "tvgp_policy_destroy"]


class Error(Exception):
    pass


def _doubles_of(values):
    return (c_double * len(values))(*values)


class Handle:
    """Owns an object of the library. They may be destroyed in any order, so the garbage collector may choose."""

    def __init__(self, destroy, value):
        self._destroy, self.value = destroy, value

    def __del__(self):
        self._destroy(self.value)


class Library:
    """One library with one context. Without a path: what TVGP_LIBRARY names, else what the system finds as libtvgp."""

    def __init__(self, path=None):
        self._c = ctypes.CDLL(path or os.environ.get("TVGP_LIBRARY") or "libtvgp.so.0.2")
        for name, arguments in _STATUS.items():
            getattr(self._c, name).argtypes = arguments
            getattr(self._c, name).restype = c_int32
        for name in _DESTROY:
            getattr(self._c, name).argtypes = [c_void_p]
            getattr(self._c, name).restype = None
        self._c.tvgp_ctx_errmsg.argtypes = [c_void_p]
        self._c.tvgp_ctx_errmsg.restype = c_char_p
        self._ctx = None
        self._ctx = self._create("ctx", "tvgp_ctx_create", None)

    def _call(self, function, *arguments):
        status = getattr(self._c, function)(*arguments)
        if status != 0:
            message = self._c.tvgp_ctx_errmsg(self._ctx.value).decode() if self._ctx else function
            raise Error(f"{status}: {message}")

    def _create(self, kind, function, *arguments):
        out = c_void_p()
        self._call(function, *arguments, byref(out))
        return Handle(getattr(self._c, f"tvgp_{kind}_destroy"), out)

    def grid(self, lower, upper, points):
        return self._create("domain", "tvgp_domain_grid", self._ctx.value, len(points), _doubles_of(lower), _doubles_of(upper),
                            (c_size_t * len(points))(*points))

    def indices(self, n):
        return self._create("domain", "tvgp_domain_indices", self._ctx.value, n)

    def se(self, dim, variance, lengthscale):
        return self._create("kernel", "tvgp_kernel_se", self._ctx.value, dim, variance, _doubles_of(lengthscale),
                            len(lengthscale))

    def policy(self, name, domain, kernel, dim, **options):
        handle = self._create("policy", "tvgp_policy_create", self._ctx.value, name.encode(), domain.value, kernel.value)
        self._call("tvgp_policy_set", handle.value, " ".join(f"{key}={value}" for key, value in options.items()).encode())
        return Policy(self, handle, dim)

    def normal(self, seed, purpose, step, n):
        draws = (c_double * n)()
        self._call("tvgp_random_normal", seed, purpose, step, n, draws)
        return list(draws)


class Policy:
    def __init__(self, library, handle, dim):
        self._library, self._handle, self._x = library, handle, (c_double * dim)()

    def ask(self, t):
        query = Query()
        self._library._call("tvgp_policy_ask_one", self._handle.value, t, byref(query), self._x)
        return query, list(self._x)

    def tell(self, query, value=0.0, outcome=VALUE, noise_var=None, t=None):
        """The answer to a query. Without noise_var and t: the policy's noise, and the time of the ask."""
        self._tell(query.id, outcome, value, noise_var, t, None)

    def observe(self, x, value, noise_var=None, t=None):
        """An observation nobody asked for; without t it is of the newest time the policy has seen."""
        self._tell(0, VALUE, value, noise_var, t, _doubles_of(x))

    def _tell(self, query, outcome, value, noise_var, t, x):
        flags = _NOISE * (noise_var is not None) + _TIME * (t is not None)
        obs = Obs(id=query, outcome=outcome, flags=flags, y=value, noise_var=noise_var or 0.0, t=t or 0.0)
        self._library._call("tvgp_policy_tell", self._handle.value, byref(obs), x, 1)

    def predict(self, t, x):
        """Mean and variance at one point."""
        mean, var = c_double(), c_double()
        self._library._call("tvgp_policy_predict", self._handle.value, t, 1, _doubles_of(x), byref(mean), byref(var))
        return mean.value, var.value

    def stat(self, key):
        value = c_double()
        self._library._call("tvgp_policy_stat", self._handle.value, key.encode(), byref(value))
        return value.value

    def best(self, t):
        self._library._call("tvgp_policy_best", self._handle.value, t, byref(c_int64()), self._x)
        return list(self._x)
