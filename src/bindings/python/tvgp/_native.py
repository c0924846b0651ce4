# SPDX-License-Identifier: MIT
"""The shared library by ctypes. Every signature comes from tvgp.json, which is generated from the headers; none is written here."""
from __future__ import annotations

import ctypes
import functools
import json
import numbers
import operator
import os
import pathlib
import re
import signal
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Mapping

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None

_SCALARS: dict[str, Any] = {"double": c_double, "int32_t": c_int32, "int64_t": c_int64, "uint8_t": c_uint8, "uint32_t": c_uint32,
            "uint64_t": c_uint64, "size_t": c_size_t, "tvgp_status": c_int32, "char": c_uint8}
_LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


def _find() -> Any:
    """The library and its signatures: from TVGP_LIBRARY, else from the package, else from the system."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("TVGP_LIBRARY")
    carried = sorted(here.glob("libtvgp.*"))
    path = pathlib.Path(named) if named else carried[0] if carried else None
    near = [here] if path is None else [path.resolve().parent, here, *(p / "share" / "tvgp" for p in path.resolve().parents[:4])]
    for folder in [*near, pathlib.Path("/usr/local/share/tvgp"), pathlib.Path("/usr/share/tvgp")]:
        if (folder / "tvgp.json").is_file():
            abi = json.loads((folder / "tvgp.json").read_text(encoding="utf-8"))
            return str(path) if path else abi["soname"], abi
    raise ImportError(f"tvgp.json, which comes with libtvgp, is neither next to {path or 'the package'} nor in /usr/share/tvgp")


PATH, ABI = _find()
_ERR_INTERRUPTED = ABI["constants"]["TVGP_ERR_INTERRUPTED"]
_ALL = {part: {**ABI[part], **ABI["store"][part]} for part in ("constants", "structs", "functions")}
_OPAQUE = ABI["opaque"] + ABI["store"]["opaque"]
globals().update({name.removeprefix("TVGP_"): value for name, value in _ALL["constants"].items()})
if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...  # the constants


def _type(text: Any) -> Any:
    base = text.replace("const", "").replace(" ", "")
    name = base.rstrip("*")
    stars = len(base) - len(name)
    if name in ABI["callbacks"]:
        return c_void_p
    if stars == 0:
        return None if name == "void" else structs.get(name) or _SCALARS[name]
    if name == "char":
        return c_char_p if stars == 1 else POINTER(c_char_p)
    if name == "void" or name in _OPAQUE:
        return c_void_p if stars == 1 else POINTER(c_void_p)
    one = POINTER(structs.get(name) or _SCALARS[name])
    return one if stars == 1 else POINTER(one)


def _struct(name: Any, fields: Any) -> Any:
    def member(field: Any) -> Any:
        one = _type(field["type"])
        return field["name"], one * field["count"] if field["count"] > 1 else one
    return type(name, (ctypes.Structure,), {"_fields_": [member(field) for field in fields]})


structs: dict[str, Any] = {}
for _name, _record in _ALL["structs"].items():
    structs[_name] = _struct(_name, _record["fields"])


class _Library(ctypes.CDLL):
    """The library. A function gets its prototype when it is first used, since a program uses few of them."""

    def __getattr__(self, name: str) -> Any:
        function = super().__getattr__(name)
        signature = _ALL["functions"].get(name)
        if signature:
            function.argtypes = [_type(a["type"]) for a in signature["args"]]
            function.restype = _type(signature["returns"])
        return function


library = _Library(PATH)


def _range(text: Any) -> Any:
    """The whole numbers that a C type holds; None for every other type."""
    if text not in _SCALARS or text == "double":
        return None
    bits = 8 * ctypes.sizeof(_SCALARS[text])
    return (0, 2**bits - 1) if _SCALARS[text](-1).value > 0 else (-2**(bits - 1), 2**(bits - 1) - 1)


def whole(what: str, value: Any, lower: int, upper: int) -> int:
    """An int within bounds. ctypes would take 2^64 + 5 for 5."""
    try:
        found = int(value) if hasattr(value, "is_integer") and value.is_integer() else operator.index(value)
    except TypeError:
        raise TypeError(f"{what} = {value!r} must be a whole number") from None
    if not lower <= found <= upper:
        raise ValueError(f"{what} = {found} is outside [{lower}, {upper}]")
    return found


def number(what: str, value: Any) -> float:
    """The float of an object that has one: numbers, Decimal, Fraction, NumPy scalars. A text, a date or None has none."""
    if isinstance(value, float):
        return value
    if hasattr(value, "__float__") and not isinstance(value, (str, bytes)) and getattr(getattr(value, "dtype", None), "kind", "") not in ("m", "M"):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    elif hasattr(value, "__index__"):
        return float(operator.index(value))
    raise TypeError(f"{what} = {value!r} must be a number")


def text_of(what: str, value: Any) -> bytes:
    """The bytes of a text for C."""
    if not isinstance(value, str):
        raise TypeError(f"{what} = {value!r} must be a str")
    if "\0" in value:
        raise ValueError(f"{what} = {value!r} holds a NUL")
    return value.encode()


@functools.cache
def _guards(function: str) -> "list[tuple[int, str, Any]]":
    """Arguments that ctypes would change without a word: whole numbers too large, and texts that end at a NUL."""
    return [(i, a["name"], _range(a["type"])) for i, a in enumerate(_ALL["functions"][function]["args"])
            if _range(a["type"]) or a["type"] == "const char *"]


def _check(function: Any, arguments: Any) -> None:
    for i, name, bounds in _guards(function):
        if bounds:
            whole(name, arguments[i], *bounds)
        elif b"\0" in arguments[i]:
            raise ValueError(f"{name} = {arguments[i].decode()!r} holds a NUL")


class Error(Exception):
    """A call that failed and changed nothing. `status` is its number, `name` its name, the text says what to mend."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.name = library.tvgp_status_name(status).decode()

    def __reduce__(self) -> Any:
        return Error, (self.status, str(self))


# What the library's messages call a function, and what it is in Python, where that is not the method of the same name.
_HERE = {"tvgp_policy_option_info": 'tvgp.options("POLICY")', "tvgp_policy_name_at": "tvgp.policies()",
         "tvgp_policy_stat_info": "Policy.stats()", "tvgp_policy_save_full": "Policy.save(full=True)"}


def _plain(message: Any) -> Any:
    """A message without the names of C functions."""
    def here(found: Any) -> Any:
        kind, _, rest = found.group(0).removeprefix("tvgp_").partition("_")
        return _HERE.get(found.group(0)) or (f"Policy.{rest}" if kind == "policy" else f"tvgp.{rest}")
    message = re.sub(r"\b(\w+?)_or_null\b", r"\1", re.sub(r"^tvgp_\w+: ", "", message))
    return re.sub(r"\bNULL\b", "None", re.sub(r"\btvgp_[a-z]\w*", here, message))


def _hear(_: Any, message: Any) -> None:
    """A line of the library for logging's `tvgp`: one about noise that outcomes contradict is a warning, which is visible by default."""
    import logging  # imported late, since most programs log nothing
    text = message.decode(errors="replace")
    logging.getLogger("tvgp").log(logging.WARNING if text.endswith("set noise, or fit=noise") else logging.INFO, "%s", text)


def _interrupted() -> Any:
    """The function that the library calls in long computations: whether Ctrl-C was pressed. It is a function of C, because one of
    Python would raise KeyboardInterrupt before its first statement. None where this Python has no such function."""
    try:
        return _INTERRUPT(ctypes.pythonapi.PyOS_InterruptOccurred)
    except AttributeError:
        return None


_INTERRUPT = ctypes.CFUNCTYPE(c_int32, c_void_p)
_interrupt = _interrupted()

registrars: list[Any] = []  # functions of C that register types in every context, such as those of a library given to tvgp.zoo


def _direct(function: str, *types: Any) -> Any:
    """A function of a policy that takes addresses as integers: ctypes converts no pointers."""
    return ctypes.CFUNCTYPE(c_int32, c_void_p, *types)(ctypes.cast(getattr(library, function), c_void_p).value or 0)


ask_one = _direct("tvgp_policy_ask_one", c_double, c_void_p, c_void_p)
tell_value = _direct("tvgp_policy_tell_value", c_int64, c_double)


class Context:
    """Where objects of one policy or one gp live; released with them. The log lines of the library go to logging's `tvgp`.

    Calls of several threads wait for each other; `lock` is for those who need several calls in a row. `kept` is what the library
    may still call. `raised` is the exception of a function of the caller."""

    def __init__(self) -> None:
        handle = c_void_p()
        self.handle: Any = None
        self._owned: list[tuple[str, Any]] = []
        self.kept: list[Any] = []
        self.functions: dict[int, Any] = {}
        self.raised: BaseException | None = None
        self.lock = threading.RLock()
        self.call("tvgp_ctx_create", None, byref(handle))
        self.handle = handle
        for register in registrars:
            status = register(handle)
            if status < 0:
                raise Error(status, library.tvgp_ctx_errmsg(handle).decode(errors="replace"))
        self._logger = _LOGGER(_hear)
        self.call("tvgp_ctx_set_logger", handle, ctypes.cast(self._logger, c_void_p), None, None)
        if _interrupt is not None:
            self.call("tvgp_ctx_set_interrupt", handle, ctypes.cast(_interrupt, c_void_p), None, None)

    def call(self, function: str, *arguments: Any) -> int:
        """Status of a call: OK, AGAIN or DONE."""
        _check(function, arguments)
        with self.lock:
            return self.checked(getattr(library, function)(*arguments))

    def checked(self, status: int) -> int:
        """The status of a call that has just returned, or its exception; with the lock."""
        if self.raised is not None:
            error, self.raised = self.raised, None
            raise error
        if status == _ERR_INTERRUPTED:
            signal.raise_signal(signal.SIGINT)  # the handler of the process, which raises KeyboardInterrupt unless it was replaced
        if status < 0:
            text = library.tvgp_ctx_errmsg(self.handle).decode(errors="replace") if self.handle else ""
            raise Error(status, _plain(text) or library.tvgp_status_name(status).decode())
        return status

    def create(self, function: Any, *arguments: Any, kind: Any = None) -> Any:
        """An object that the context owns from now on; of the kind that the function belongs to, unless it is another."""
        handle = c_void_p()
        self.call(function, *arguments, byref(handle))
        self._owned.append((kind or function.split("_")[1], handle))
        return handle

    def destroy(self) -> None:
        """Gives up what it owns and itself; objects that others hold live on."""
        if library is None:  # the interpreter ends
            return
        while self._owned:
            kind, handle = self._owned.pop()
            getattr(library, f"tvgp_{kind}_destroy")(handle)
        if self.handle:
            library.tvgp_ctx_destroy(self.handle)
        self.handle = None

    __del__ = destroy


def doubles(values: Any, what: str = "values") -> Doubles:
    """An array of double: a view of a NumPy array where it can be one, else a copy."""
    values = plain_array(values)
    if numpy is not None and isinstance(values, numpy.ndarray) and values.dtype.kind in "fiub":
        array = numpy.ascontiguousarray(values, dtype=numpy.float64)
        return Doubles(array.ctypes.data_as(POINTER(c_double)), array.size, array)
    flat = flatten(values, what)
    if numpy is not None:
        return doubles(numpy.array(flat, dtype=numpy.float64))
    array = (c_double * len(flat))(*flat)
    return Doubles(ctypes.cast(array, POINTER(c_double)), len(flat), array)


class Doubles:
    """Pointer and length; keeps the memory alive."""

    def __init__(self, pointer: Any, size: int, memory: Any) -> None:
        self._as_parameter_, self.size, self.memory = pointer, size, memory


def text(pointer: c_char_p) -> str:
    """The text that a function has written the address of."""
    return (pointer.value or b"").decode()


def plain_array(values: Any) -> Any:
    """The array of a table, a column or a masked array, whose masked entries become NaN; others as they are."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if hasattr(values, "mask") and hasattr(values, "filled"):
        values = values.astype(float).filled(float("nan"))
    return values


def listed(values: Any) -> Any:
    """Tables, columns and arrays as lists; anything else as it is."""
    values = plain_array(values)
    return values.tolist() if hasattr(values, "tolist") else values


def flatten(values: Any, what: str = "values") -> list[float]:
    """The numbers in lists of lists, in order. `what` is the argument that a message names."""
    values = listed(values)
    if isinstance(values, numbers.Real):
        return [values]  # type: ignore[list-item]  # as given: an int stays one
    if isinstance(values, (Mapping, set, frozenset)):
        raise TypeError(f"{what} is a {type(values).__name__}, must be numbers in a list or an array")
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        return [number(what, values)]
    return [leaf for i, value in enumerate(values) for leaf in flatten(value, f"{what.rstrip(']')},{i}]" if what.endswith("]") else f"{what}[{i}]")]


def points_of(values: Any, dim: int, what: str = "points") -> list[float]:
    """The numbers of a list of points, each of dim coordinates, or of numbers in a row, dim at a time."""
    values = listed(values)
    if not hasattr(values, "__iter__") or isinstance(values, (str, bytes, Mapping, set, frozenset)):
        values = flatten(values, what)
    parts = [listed(part) for part in values]
    flat = [flatten(part, f"{what}[{i}]") for i, part in enumerate(parts)]
    length = sum(map(len, flat))
    if any(hasattr(part, "__iter__") for part in parts):
        for i, part in enumerate(flat):
            if len(part) != dim:
                raise ValueError(f"{what}[{i}]: a point has {len(part)} coordinates, not {dim}")
    elif length % dim:
        raise ValueError(f"{what}: {length} numbers are not points of {dim} coordinates")
    return [leaf for part in flat for leaf in part]


def rows(values: Any, dim: int, what: str = "points") -> tuple[Doubles, int]:
    """n points of dim coordinates from a table, a list of points, an array n x dim, or (dim 1) a list of numbers."""
    values = plain_array(values)
    if numpy is not None and isinstance(values, numpy.ndarray) and values.shape[1:] == (dim,):
        array = doubles(values, what)
    else:
        array = doubles(points_of(values, dim, what), what)
    return array, array.size // dim


def room(n: int) -> Doubles:
    """n doubles to be written, and how to hand them out: a NumPy array where NumPy is, else a list."""
    if numpy is not None:
        array = numpy.empty(n)
        return Doubles(array.ctypes.data_as(POINTER(c_double)), n, array)
    array = (c_double * n)()
    return Doubles(ctypes.cast(array, POINTER(c_double)), n, array)


def given(array: Doubles) -> Any:
    return array.memory if numpy is not None else list(array.memory)


def folded(values: Any, dim: int) -> Any:
    """n x dim values in rows."""
    return values.reshape(-1, dim) if hasattr(values, "reshape") else [values[i:i + dim] for i in range(0, len(values), dim)]
