# SPDX-License-Identifier: MIT
"""Every function of the library, by its name in C without tvgp_: tvgp.c.policy_ask_one(policy, t).

Arguments are the arguments of the C function in the same order, without the lengths of arrays; outputs are
returned. A failure is a tvgp.Error. Objects are those that these functions make (`ctx_create`, `domain_grid`, ..) or those of the
package: a tvgp.Policy or tvgp.GP, and a tvgp.Domain or tvgp.Kernel where there is a context. Functions to be called back get what C
gives them (pointers are indexed), without the user pointer's meaning; one that raises ends the call with CALLBACK. The roles of
arguments come from tvgp.json."""
from __future__ import annotations

import ctypes
import math
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, Callable

from . import _gp, _model, _policy
from . import _native as native

_GIVEN = ("handle", "number", "text", "array", "bytes", "table", "values", "callback", "pointer")


class Handle:
    """An object of the library, destroyed when it is forgotten."""

    def __init__(self, kind: Any, address: Any, context: Any) -> None:
        self.kind, self.address, self.context = kind, address, context

    def destroy(self) -> None:
        if self.address:
            with self.context.lock:
                getattr(native.library, f"tvgp_{self.kind}_destroy")(self.address)
        self.address = None

    __del__ = destroy

    def __repr__(self) -> Any:
        return f"<tvgp {self.kind}>"


def _context(values: Any) -> Any:
    """The context of the first object that has one; a new one where only descriptions are given."""
    for value in values:
        if isinstance(value, native.Context):
            return value
        found = getattr(value, "context", None) or getattr(value, "_ctx", None)
        if isinstance(found, native.Context):
            return found
    return native.Context()


def _address(kind: Any, value: Any, context: Any, what: Any) -> Any:
    """The address of an object of this kind; descriptions become objects of the context."""
    own = {"ctx": (native.Context, "handle"), "policy": (_policy.Policy, "_policy"), "gp": (_gp.GP, "_gp")}.get(kind)
    if isinstance(value, Handle) and value.kind == kind and value.address:
        return value.address
    if own and isinstance(value, own[0]) and getattr(value, own[1]):
        return getattr(value, own[1])
    if isinstance(value, {"domain": _model.Domain, "kernel": _model.Kernel}.get(kind, ())):
        return value._build(context)
    raise TypeError(f"{what} is no {kind}")


if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...  # every function of the library


# ---- sizes of objects, which lengths are made of

domain_size: Callable[..., Any]
gp_kernels: Callable[..., Any]
kernel_dim: Callable[..., Any]
kernel_param_count: Callable[..., Any]
policy_domain: Callable[..., Any]


def _dim(kind: Any, value: Any) -> Any:
    return kernel_dim(gp_kernels(value)[0]) if kind == "gp" else globals()[f"{kind}_dim"](value)


def _arms(kind: Any, value: Any) -> Any:
    return domain_size(policy_domain(value) if kind == "policy" else value)


def _parameters(kind: Any, value: Any) -> Any:
    kernels = [part for part in gp_kernels(value) if part] if kind == "gp" else [value]
    return sum(kernel_param_count(part) for part in kernels) + (kind == "gp")


_SIZES = {"dim": _dim, "arms": _arms, "parameters": _parameters}


# ---- functions and records of the caller's


def _callback(signature: Any, function: Any, what: Any) -> Any:
    """The function for C. An exception must not leave through C: a status says that there was one."""
    returns = native._type(signature["returns"])

    def guarded(*arguments: Any) -> Any:
        try:
            result = function(*arguments)
        except Exception as error:  # pylint: disable=broad-except
            print(f"{what}: {error!r}", file=sys.stderr)
            return -1000 if returns else None
        return (0 if result is None else result) if returns else None

    return ctypes.CFUNCTYPE(returns, *(native._type(a["type"]) for a in signature["args"]))(guarded)


def _record(kind: Any, values: Any, kept: Any, what: Any) -> Any:
    """A struct of C from a dictionary; what it leads to is kept."""
    fields = {field["name"]: field for field in native.ABI["structs"][kind]["fields"]}
    if set(values) - set(fields):
        raise ValueError(f"{what} has no {sorted(set(values) - set(fields))[0]}")
    record = native.structs[kind]()
    if "struct_size" in fields:
        record.struct_size = ctypes.sizeof(record)
    for name, value in values.items():
        if "callback" in fields[name]:
            kept.append(_callback(fields[name]["callback"], value, f"{what}.{name}"))
            value = ctypes.cast(kept[-1], c_void_p)
        elif isinstance(value, (list, tuple)):
            inner = fields[name]["type"].replace("const", "").replace("*", "").strip()
            value = (native.structs[inner] * len(value))(*(_record(inner, one, kept, name) for one in value))
            kept.append(value)
        setattr(record, name, value.encode() if isinstance(value, str) else value)
    kept.append(record)
    return record


def _read(value: Any) -> Any:
    """A value of C as one of Python: texts as str, records as dictionaries."""
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, ctypes.Structure):
        return value
    return {name: _texts(getattr(value, name)) if kind is POINTER(c_char_p) else _read(getattr(value, name))
            for name, kind in value._fields_ if name != "reserved"}


def _texts(pointer: Any) -> Any:
    """A list of texts that NULL ends; None where there is none."""
    found: list[str] = []
    while pointer and pointer[len(found)]:
        found.append(pointer[len(found)].decode())
    return found or None


# ---- one call


class _Call:
    def __init__(self, name: Any, given: Any) -> None:
        self.name, self.spec = name, native.ABI["functions"][name]
        wanted = [a for a in self.spec["args"] if a["role"] in _GIVEN]
        needed = [a for a in wanted if not a.get("optional") and a["role"] not in ("callback", "pointer")]
        if not len(needed) <= len(given) <= len(wanted):
            raise TypeError(f"{name[5:]}({', '.join(a['name'] for a in wanted)}) takes {len(wanted)} arguments, not {len(given)}")
        self.given = {a["name"]: value for a, value in zip(wanted, [*given, *[None] * len(wanted)])}
        self.kinds = {a["name"]: a["class"] for a in wanted if a["role"] == "handle"}
        self.context = _context(self.given.values()) if self.kinds else None
        self.sizes: dict[str, int] = {}
        self.values: dict[str, Any] = {}
        self.kept: list[Any] = []

    def factor(self, text: Any) -> Any:
        """One factor of a length."""
        if "-" in text:
            more, less = text.split("-")
            return self.factor(more) - self.factor(less)
        if "." in text:
            name, size = text.split(".")
            return _SIZES[size](self.kinds[name], self.given[name])
        return self.sizes[text] if text in self.sizes else int(self.given[text])

    def length(self, arg: Any) -> Any:
        return math.prod(self.factor(f) for f in arg["length"])

    def array(self, arg: Any) -> Any:
        """The caller's array, flat; its length tells a count or must be what it should."""
        value, name = self.given[arg["name"]], arg["name"]
        if value is None:
            return None
        base = arg["type"].replace("const", "").replace("*", "").strip()
        if base == "double":
            flat: Any = native.doubles(value)
            size = flat.size
        elif base in native.structs:
            flat = [one if isinstance(one, native.structs[base]) else _record(base, one, self.kept, name) for one in value]
            size = len(flat)
            flat = (native.structs[base] * size)(*flat)
        else:
            flat = [int(v) for v in native.flatten(value)]
            size = len(flat)
            bounds = native._range(base)
            flat = (native._SCALARS[base] * size)(*(native.whole(f"{self.name[5:]}: {name}", v, *bounds) for v in flat))
        self.measure(arg, size)
        return flat

    def measure(self, arg: Any, size: Any) -> None:
        known = math.prod(self.factor(f) for f in arg["length"] if self.counted(f) != arg["name"])
        for factor in arg["length"]:
            if self.counted(factor) == arg["name"]:
                if known == 0 or size % known:
                    raise ValueError(f"{self.name[5:]}: {arg['name']} has {size} entries, no multiple of {known}")
                self.sizes[factor] = size // known
                return
        if size != known:
            raise ValueError(f"{self.name[5:]}: {arg['name']} has {size} entries, not {known}")

    def counted(self, factor: Any) -> Any:
        """The array that tells this count."""
        return next((a["of"] for a in self.spec["args"] if a["role"] == "count" and a["name"] == factor), None)

    def prepare(self) -> None:
        """All that goes in, arrays that tell a count first."""
        args = self.spec["args"]
        for arg in args:
            bounds = native._range(arg["type"]) if arg["role"] == "number" else None
            if bounds:
                native.whole(f"{self.name[5:]}: {arg['name']}", self.given[arg["name"]], *bounds)
        telling = {a["of"] for a in args if a["role"] == "count"}
        for arg in sorted(args, key=lambda a: a["name"] not in telling):
            if arg["role"] == "array":
                self.values[arg["name"]] = self.array(arg)
            elif arg["role"] == "bytes":
                self.values[arg["name"]] = bytes(self.given[arg["name"]])
                self.sizes.update({a["name"]: len(self.values[arg["name"]]) for a in args if a.get("of") == arg["name"]})
            for count in args:
                if count.get("of") == arg["name"] and count["name"] not in self.sizes:  # no array was given
                    outs = [m for a in args for m in ([a] if a["role"] == "out" else a.get("members", ()))]
                    fills = any(count["name"] in a.get("length", ()) for a in outs)
                    self.sizes[count["name"]] = self.factor(f"{next(iter(self.kinds))}.arms") if fills else 0

    def argument(self, arg: Any) -> Any:
        """One argument as C takes it."""
        role, name, value = arg["role"], arg["name"], self.given.get(arg["name"])
        if role == "handle":
            none = value is None and arg.get("optional")
            return None if none else _address(arg["class"], value, self.context, f"{self.name[5:]}: {name}")
        if role == "text":
            return value.encode() if isinstance(value, str) else value
        if role == "table":
            return None if value is None else byref(_record(arg["type"].replace("const", "").rstrip("* ").strip(), value, self.kept, name))
        if role == "values":
            return byref(self.wanted(arg, str(value).split()))
        if role == "callback":
            if value is None:
                return None
            self.kept.append(_callback(native.ABI["callbacks"][arg["type"]], value, name))
            return ctypes.cast(self.kept[-1], c_void_p)
        if role == "count":
            return self.sizes[name]
        if role in ("array", "bytes"):
            return self.values[name]
        return self.output(arg) if role in ("out", "made", "written") else value

    def wanted(self, arg: Any, names: list[str]) -> Any:
        """A struct with room for the members that are named."""
        record, members = native.structs[arg["type"].replace("const", "").rstrip("* ").strip()](), {m["name"]: m for m in arg["members"]}
        if set(names) - set(members):
            raise ValueError(f"{self.name[5:]}: {sorted(set(names) - set(members))[0]} is none of {', '.join(members)}")
        record.struct_size = ctypes.sizeof(record)
        for name in names:
            setattr(record, name, self.output(members[name])._as_parameter_)
        return record

    def output(self, arg: Any) -> Any:
        """Room for what is written; several values are an array."""
        base = arg["type"].replace("const", "").replace("*", "").strip()
        kind = c_void_p if arg["role"] == "made" else c_char_p if base == "char" else native.structs.get(base) or native._SCALARS[base]
        if arg.get("length"):
            n = self.length(arg)
            self.values[arg["name"]] = native.room(n) if kind is c_double else (kind * n)()
            return self.values[arg["name"]]
        self.values[arg["name"]] = kind()
        if hasattr(kind, "struct_size"):
            self.values[arg["name"]].struct_size = ctypes.sizeof(kind)
        return byref(self.values[arg["name"]])

    def written(self, arg: Any) -> Any:
        """The value of one output."""
        value = self.values[arg["name"]]
        if arg["role"] == "made":
            return Handle(arg["class"], value, self.context) if value else None
        if not arg.get("length"):
            return _read(value if isinstance(value, ctypes.Structure) else value.value)
        whole = native.given(value) if isinstance(value, native.Doubles) else [_read(v) for v in value]
        for count in self.spec["args"]:
            if count["role"] == "written" and count["limit"] in arg["length"]:
                limit = self.given[count["limit"]]
                return whole[:len(whole) // limit * self.values[count["name"]].value if limit else 0]
        return whole

    def bytes(self) -> Any:
        """Output of a function that first returns its size."""
        size = c_size_t()
        arguments = [self.argument(a) for a in self.spec["args"] if a["role"] not in ("buffer", "room", "needed")]
        self.context.call(self.name, *arguments, 0, None, byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.context.call(self.name, *arguments, size.value, buffer, byref(size))
        return buffer.raw[:size.value]

    def run(self) -> Any:
        args = self.spec["args"]
        self.prepare()
        if any(a["role"] == "buffer" for a in args):
            with self.context.lock:
                return self.bytes()
        arguments = [self.argument(a) for a in args]
        if not self.spec["returns"] == "tvgp_status":
            result = getattr(native.library, self.name)(*arguments)
            return _read(result)
        status = (self.context or native.Context()).call(self.name, *arguments)
        if any(a["role"] in ("table", "callback") for a in args):
            self.context.kept.extend(self.kept)  # functions may be called for as long as their object lives
        outputs = [self.written(a) for a in args if a["role"] in ("out", "made")]
        outputs += [self.written(m) if m["name"] in self.values else [] for a in args for m in a.get("members", ())] + [status] * bool(self.spec.get("again"))
        return None if not outputs else outputs[0] if len(outputs) == 1 else tuple(outputs)


def _function(name: Any) -> Any:
    spec = native.ABI["functions"][name]
    outs = [m["name"] for a in spec["args"] for m in ([a] if a["role"] in ("out", "made") else a.get("members", ()))] + ["status"] * bool(spec.get("again"))

    def function(*given: Any) -> Any:
        return _Call(name, given).run()

    function.__name__ = function.__qualname__ = name[5:]
    takes = ", ".join(a["name"] for a in spec["args"] if a["role"] in _GIVEN)
    function.__doc__ = f"{name[5:]}({takes}) -> {', '.join(outs) or 'None'}\n\n{spec['doc']}"
    return function


def ctx_create(allocator: Any = None) -> Any:
    """A context; what the library logs goes to logging's `tvgp`."""
    if allocator is not None:
        raise TypeError("ctx_create: an allocator cannot be written in Python")
    return native.Context()


def _destroy(kind: Any) -> Any:
    def function(handle: Any) -> None:
        if not isinstance(handle, native.Context if kind == "ctx" else Handle) or kind != getattr(handle, "kind", "ctx"):
            raise TypeError(f"{kind}_destroy: this is no {kind} of tvgp.c")
        handle.destroy()

    function.__doc__ = f"Gives up a {kind}, which happens by itself when it is forgotten."
    return function


for _name in native.ABI["functions"]:
    if _name.endswith("_destroy"):
        globals()[_name[5:]] = _destroy(_name.split("_")[1])
    elif _name != "tvgp_ctx_create":
        globals()[_name[5:]] = _function(_name)
__all__ = [_name[5:] for _name in native.ABI["functions"]]
