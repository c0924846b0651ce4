# SPDX-License-Identifier: MIT
"""Policies and Gaussian processes as objects."""
from __future__ import annotations

import ctypes
import datetime
import difflib
import html
import math
import numbers
import os
import time
from ctypes import byref, c_char_p, c_double, c_int64, c_size_t, c_uint8, c_void_p, sizeof
from typing import Any, Callable, Literal, Mapping, NamedTuple, Protocol, Sequence, SupportsFloat, SupportsIndex, Union, overload

from . import _log, _plot
from . import _native as native
from ._functions import feasible_function, mean_function
from ._model import Domain, Kernel, expect
from ._times import many, seconds, span

_OUTCOMES = {"value": native.VALUE, "skipped": native.SKIPPED, "failed": native.FAILED, "cancelled": native.CANCELLED}
_KINDS = {native.ACTION: "action", native.SIDE: "side", native.INIT: "init"}
_Query, _Obs = native.structs["tvgp_query"], native.structs["tvgp_obs"]
_CLOCK: Any = object()  # the time of an ask that reads the clock
class _Scalar(Protocol):
    """numpy.datetime64, and other scalars of NumPy."""

    @property
    def dtype(self) -> Any: ...


Time = Union[SupportsFloat, datetime.date, _Scalar]
Number = Union[SupportsFloat, SupportsIndex]
Outcome = Literal["value", "skipped", "failed", "cancelled"]
Quantity = Literal["mean", "var", "dmean", "dvar", "score", "risk"]
Kind = Literal["headline", "learned", "counter", "diagnostic"]


class Query(NamedTuple):
    """A query of a policy: the action whose outcome it asks for."""

    id: int  #: to report the outcome with; below 2^53
    kind: str  #: "action", "side" (a question to an expert, which may be skipped) or "init"
    arm: int  #: the number of the arm, or the row of a candidate; -1 in a box
    x: Any  #: the point
    t: float  #: the time of the ask
    noise_var: float  #: the noise variance that the policy expects of the outcome
    score: float  #: value of the acquisition function
    propensity: float  #: probability of this choice; 1 if it is deterministic, 0 if unknown
    risk: float = 0.0  #: sum over the constraints of the probability of violation

    def to_dict(self) -> dict[str, Any]:
        """The members by name, as json.dumps takes them: the point is a list."""
        return {**self._asdict(), "x": native.flatten(self.x, "x")}


class Best(NamedTuple):
    """The arm with the highest posterior mean."""

    arm: int
    x: Any


class Ranked(NamedTuple):
    """An available arm in a ranking."""

    arm: int
    x: Any
    mean: float
    sd: float
    score: float
    probability: float


class Values(NamedTuple):
    """Quantities at points; None if not requested."""

    mean: Any
    var: Any
    dmean: Any
    dvar: Any
    score: Any
    risk: Any


class Stat(NamedTuple):
    """Description of a statistic."""

    key: str
    doc: str
    kinds: tuple[str, ...]  #: of "headline", "learned", "counter", "diagnostic"
    unit: str  #: such as time, 1/time, reward; "" for a plain number


_STAT_KINDS = ("headline", "learned", "counter", "diagnostic")  # TVGP_STAT_*, in their order


class Option(NamedTuple):
    """Description of an option, and its value."""

    value: Any
    doc: str
    default: Any
    bounds: tuple[float, float] | None
    choices: tuple[str, ...] | None
    advanced: bool  #: experimental: may change in a minor version


def _kept(column: Any, keep: Sequence[int], n: int) -> Any:
    """The entries of a column that stay; one value for all stays as it is."""
    return [column[i] for i in keep] if hasattr(column, "__len__") and len(column) == n else column


def _key(name: str) -> str:
    return name.replace("__", ".")


def _written(value: Any) -> str:
    """A number as text: 24 and 24.0 are "24"."""
    if isinstance(value, bool) or isinstance(value, numbers.Integral):
        return str(value)
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _is_plain(value: Any) -> bool:
    """A number that ctypes takes for a double as it is."""
    return type(value) is float or (type(value) is int and -2**53 <= value <= 2**53)


def _id(what: str, query: Any) -> int:
    return query.id if isinstance(query, Query) else native.whole(f"{what}: query", query, -2**63, 2**63 - 1)


def _snapshot(what: str, data: Any) -> bytes:
    if isinstance(data, (str, os.PathLike)):
        raise TypeError(f"{what} = {str(data)!r} must be bytes; of a path, read the file first: pathlib.Path(path).read_bytes()")
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"{what} = {data!r} must be bytes") from None


def _built(ctx: native.Context, kernel: Kernel | None, what: str) -> Any:
    return None if kernel is None else expect(kernel, Kernel, what)._build(ctx)


def _each(name: str, part: Any, n: int) -> list[float]:
    """One number for each of n records, from as many or from one for all."""
    values = [float(v) for v in native.flatten(0 if part is None else part, name)]
    if len(values) not in (1, n):
        raise ValueError(f"{name} has {len(values)} values for {n} records")
    return values * n if len(values) == 1 else values


class Policy:
    """One algorithm behind ask and tell.

    >>> import tvgp
    >>> with tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 1, 11), noise=0.0001, options={"switch.cost": 0.001}) as policy:
    ...     for t in range(1, 31):
    ...         query = policy.ask(t)
    ...         policy.tell(query, 1 - 4 * (query.x[0] - 0.3) ** 2)
    ...     print(policy.best(30).arm)
    3

    Times are numbers in a unit of your own, or dates, datetimes, pandas.Timestamp and numpy.datetime64, which count as seconds since
    1970 (without a zone: UTC). half_life also takes a timedelta.

    Policy("auto-gp-ucb", tvgp.grid(0, 1, 101)) learns kernel, noise, mean and scale; a supplied kernel is used unchanged. Options are
    keyword arguments with two underscores for a dot, noise=0.02, switch__cost=0.1, or a mapping, options={"switch.cost": 0.1}. The
    option time.clamp is 1 unless you set it: a time before the newest one counts as the newest. `mean` is the prior mean, as in
    set_prior_mean. `history` is historical data, as in learn_history.

    As a context manager, a policy releases its memory at the end of the block. A policy may be used from several threads: calls wait
    for each other. Calls of different policies do not wait."""

    _record: Any = None  #: of _ask_one, reused: a tvgp_query and its address

    def __init__(self, name: str, domain: Domain, kernel: Kernel | None = None, *, mean: Any = None, history: Any = None,
                 options: Mapping[str, Any] | None = None, **keywords: Any) -> None:
        self._begin(name, domain, kernel)
        self._policy = self._ctx.create("tvgp_policy_create", self._ctx.handle, native.text_of("name", name),
                                        expect(domain, Domain, "domain")._build(self._ctx), _built(self._ctx, kernel, "kernel"))
        self.set({"time.clamp": 1})
        self.set(options, **keywords)
        if mean is not None:
            self.set_prior_mean(mean)
        if history is not None:
            self.learn_history(history)

    @classmethod
    def restore(cls, snapshot: bytes, *, max_bytes: int = 0, max_arms: int = 0, max_work: int = 0) -> Policy:
        """A policy from the bytes of `save(full=True)` alone. Its `domain` is the saved one, its `kernel` None.

        max_bytes, max_arms and max_work bound the memory, the arms and the values that one call may compute, for as long as the policy
        lives. 0: no bound. Use them for bytes from an untrusted source; a call beyond a bound raises LIMIT."""
        policy, name, dim, data = cls.__new__(cls), c_char_p(), c_size_t(), _snapshot("snapshot", snapshot)
        policy._begin("", None, None)
        ctx = policy._ctx
        ctx.call("tvgp_ctx_set_quota", ctx.handle, max_bytes, max_arms, max_work)
        policy._policy = ctx.create("tvgp_policy_restore", ctx.handle, len(data), data, None, None)
        policy._call("name", byref(name))
        policy._call("dim", byref(dim))
        policy.name, policy.domain, policy._whole = native.text(name), Domain(dim.value, "saved", data), True
        return policy

    @classmethod
    def described(cls, text: str, *, max_bytes: int = 0, max_arms: int = 0, max_work: int = 0) -> Policy:
        """A policy from one line of text, such as "auto-gp-ucb grid=0:1:101 noise=.01" (docs/reference/protocol.md#descriptions-a-policy-in-one-line). The maxima bound the
        cost of a text from an untrusted user, as in `restore`."""
        policy, name, dim = cls.__new__(cls), c_char_p(), c_size_t()
        policy._begin("", None, None)
        ctx = policy._ctx
        ctx.call("tvgp_ctx_set_quota", ctx.handle, max_bytes, max_arms, max_work)
        policy._policy = ctx.create("tvgp_policy_create_described", ctx.handle, native.text_of("text", text))
        if "time.clamp=" not in text:
            policy.set({"time.clamp": 1})
        policy._call("name", byref(name))
        policy._call("dim", byref(dim))
        policy.name, policy._whole = native.text(name), True
        policy.domain = Domain(dim.value, "saved", policy.save(full=True))
        return policy

    def _begin(self, name: str, domain: Any, kernel: Kernel | None) -> None:
        self.name: str = name
        self.domain: Domain = domain
        self.kernel, self._whole = kernel, False
        self._functions: dict[str, tuple[Any, ...]] = {}
        self._ctx = native.Context()

    def __reduce__(self) -> Any:
        if self._whole:
            return _restored_whole, (self.save(full=True), self._functions)
        return _restored, (self.name, self.domain, self.kernel, self.save(), self._functions)

    def __repr__(self) -> str:
        if self._policy is None:
            return f"<tvgp.Policy {self.name}, closed>"
        outcomes = int(self.stat("values") + self.stat("unsolicited"))
        return f"<tvgp.Policy {self.name}, {self.domain}, {outcomes} outcome{'' if outcomes == 1 else 's'}>"

    def _open(self) -> Any:
        if self._policy is None:
            raise ValueError("the policy is closed")
        return self._policy

    def _call(self, function: str, *arguments: Any) -> int:
        return int(self._ctx.call(f"tvgp_policy_{function}", self._open(), *arguments))

    # ---- options

    def set(self, options: Mapping[str, Any] | None = None, **keywords: Any) -> None:
        """Sets options, before the first ask or tell: a mapping, or keywords as in Policy. A text option also takes a number."""
        for name, given in {**(options or {}), **keywords}.items():
            native.text_of("the name of an option", name)
            self._hinted(name, given)

    def close(self) -> None:
        """Releases the memory. Calls after that raise ValueError."""
        with self._ctx.lock:
            self._policy = None
            self._ctx.destroy()

    def __enter__(self) -> Policy:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _hinted(self, name: str, given: Any) -> None:
        """Sets one; of an unknown one that looks like an argument of Policy says so."""
        try:
            self._set(name, given)
        except native.Error as error:
            near = difflib.get_close_matches(name.lower(), ("domain", "kernel", "mean", "history"), 1)
            if not near or "lists them" not in str(error):
                raise
            raise native.Error(error.status, f"unknown option '{name}'; nearest is the argument '{near[0]}' of Policy") from None

    def _set(self, name: str, given: Any) -> None:
        key, value = _key(name).encode(), span(given)
        if isinstance(value, numbers.Real) and key in self._text_options():
            value = _written(value)
        if isinstance(value, str):
            self._call("set_str", key, value.encode())
        elif isinstance(value, numbers.Integral) and abs(int(value)) < 2**63:
            self._call("set_i64", key, int(value))
        else:
            self._call("set_f64", key, native.number(f"option {_key(name)}", value))

    def _text_options(self) -> frozenset[bytes]:
        info, n = native.structs["tvgp_option_info"](), c_size_t()
        with self._ctx.lock:
            self._call("option_count", byref(n))
            found = set()
            for i in range(n.value):
                self._call("option_info", i, byref(info))
                if info.type == native.STR:
                    found.add(info.key)
        return frozenset(found)

    def options(self) -> dict[str, Option]:
        """All options with values, meaning, defaults and bounds."""
        found: dict[str, Option] = {}
        info, n = native.structs["tvgp_option_info"](), c_size_t()
        with self._ctx.lock:
            self._call("option_count", byref(n))
            for i in range(n.value):
                self._call("option_info", i, byref(info))
                found[info.key.decode()] = self._option(info)
        return found

    def _option(self, info: Any) -> Option:
        doc, advanced = info.doc.decode(), bool(info.flags & native.OPTION_ADVANCED)
        if info.type == native.STR:
            value = c_char_p()
            choices: list[str] = []
            self._call("get_str", info.key, byref(value))
            while info.choices and info.choices[len(choices)]:
                choices.append(info.choices[len(choices)].decode())
            return Option(native.text(value), doc, info.default_str.decode(), None, tuple(choices) or None, advanced)
        whole = info.type == native.I64
        number: Any = c_int64() if whole else c_double()
        self._call("get_i64" if whole else "get_f64", info.key, byref(number))
        default = int(info.default_num) if whole else info.default_num
        return Option(number.value, doc, default, (info.lower, info.upper), None, advanced)

    # ---- the loop

    @overload
    def ask(self, t: Time = ..., cap: None = None, *, slate: None = None, candidates: Any = None, mean: Any = None) -> Query | None: ...

    @overload
    def ask(self, t: Time = ..., *, cap: SupportsIndex, candidates: Any = None, mean: Any = None) -> list[Query]: ...

    @overload
    def ask(self, t: Time, cap: SupportsIndex, *, candidates: Any = None, mean: Any = None) -> list[Query]: ...

    @overload
    def ask(self, t: Time = ..., *, slate: SupportsIndex, candidates: Any = None, mean: Any = None) -> list[Query]: ...

    def ask(self, t: Any = _CLOCK, cap: Any = None, *, slate: Any = None, candidates: Any = None, mean: Any = None) -> Any:
        """Returns the query for time t, or None if nothing can be asked before outcomes arrive. Without t: the seconds since 1970 of the
        system's clock, read when other threads have finished their calls. With cap: a list of up to cap queries. With slate: a list of
        that many different arms, or fewer if fewer may be asked. With candidates: as after set_candidates(candidates, mean), which
        remains in effect."""
        if cap is None and slate is None and candidates is None and mean is None and _is_plain(t) and native.numpy is not None:
            return self._ask_one(t)
        if candidates is None and mean is not None:
            raise TypeError("ask: mean requires candidates")
        if cap is not None and slate is not None:
            raise TypeError("ask: cap and slate exclude each other")
        name, many = ("ask_slate", slate) if slate is not None else ("ask", cap)
        n, size, dim = c_size_t(), 1 if many is None else native.whole("slate" if slate is not None else "cap", many, 1, 2**31 - 1), self.domain.dim
        moment = None if t is _CLOCK else seconds(t)
        records, x = (_Query * size)(), native.room(size * dim)
        with self._ctx.lock:
            if candidates is not None:
                self.set_candidates(candidates, mean)
            self._call(name, time.time() if moment is None else moment, size, records, x, byref(n))
        queries = _queries(records[:n.value], native.given(x), dim)
        return queries if many is not None else (queries[0] if queries else None)

    def _ask_one(self, t: float) -> Query | None:
        """Asks for one query without the conversions that a general call needs: half the time."""
        x = native.numpy.empty(self.domain.dim)
        with self._ctx.lock:
            if self._record is None:
                record = _Query()
                self._record = record, ctypes.addressof(record)
            q, address = self._record
            if self._ctx.checked(native.ask_one(self._open().value, t, address, x.__array_interface__["data"][0])):
                return None
            return Query(q.id, _KINDS[q.kind], q.arm, x, q.t, q.noise_var, q.score, q.propensity, q.risk)

    def pending(self) -> list[Query]:
        """The queries without an outcome, oldest first."""
        with self._ctx.lock:
            n, dim = c_size_t(), self.domain.dim
            self._call("pending", 0, None, None, byref(n))
            records, x = (_Query * n.value)(), native.room(n.value * dim)
            self._call("pending", n.value, records, x, byref(n))
            return _queries(records[:n.value], native.given(x), dim)

    def tell(self, query: Query | SupportsIndex | list[Query] | list[int] | None, y: Any = None, *, outcome: Outcome = "value",
             noise_var: Any = None, t: Any = None, exposure: Any = None, reference: Any = None, output: SupportsIndex = 0,
             partial: bool = False, censored: Literal["right", "left"] | None = None) -> None:
        """Reports the outcome of a query, or of its id. A list of queries and outcomes is used as a whole or not at all. outcome "skipped",
        "failed" or "cancelled" closes a query without a value. Without noise_var and t: the policy's noise, and the time of the ask.
        exposure: with outcome.type=poisson or binomial the time or number of trials in which y was counted; 1 without it. reference:
        with outcome.type=ratio the value of the reference for the same job. output: 0 for the reward, k for constraint k.
        partial: y is a part of the outcome, and the query stays pending; a count has the exposure of its part, other outcomes a
        noise_var. censored: the outcome is only known to be at least ("right", such as a time-out) or at most ("left") y."""
        if (type(query) is Query and outcome == "value" and noise_var is t is exposure is reference is None and output == 0 and not partial
                and censored is None and _is_plain(y)):
            with self._ctx.lock:
                self._ctx.checked(native.tell_value(self._open().value, query.id, y))
            return
        queries = query if isinstance(query, list) else [query]
        ids = [_id("tell", q) for q in queries]
        if outcome == "value" and y is None:
            raise TypeError("tell: y = None must be a number; a query without an outcome is reported with outcome='skipped'")
        values = native.flatten(y, "y") if outcome == "value" else [0.0] * len(ids)
        if len(values) != len(ids):
            raise ValueError(f"tell: {len(ids)} queries and {len(values)} values of y")
        self._tell(ids, values, outcome, noise_var, t, exposure, reference, None, output, partial, censored)

    def tell_values(self, query: Query | SupportsIndex, y: Any) -> None:
        """Reports the reward of a query and the outputs of all its constraints."""
        values = native.doubles(y, "y")
        self._call("tell_values", _id("tell_values", query), values.size, values)

    def observe(self, x: Any, y: Any, *, noise_var: Any = None, t: Any = None, exposure: Any = None, reference: Any = None,
                output: SupportsIndex = 0, censored: Literal["right", "left"] | None = None,
                outside: Literal["error", "skip"] = "error") -> int:
        """Reports unsolicited observations, such as a log: points and values, one or n. Without t: the newest time seen. exposure,
        reference, output, censored: as in tell. A point of a finite domain may differ from x by rounding, such as in single precision.
        outside: "skip" leaves out points outside the bounds of the domain. Returns the number of points left out."""
        points, n = native.rows(x, self.domain.dim, "x")
        values = native.flatten(y, "y")
        if len(values) != n:
            raise ValueError(f"observe: {n} points and {len(values)} values of y")
        if outside not in ("error", "skip"):
            raise ValueError(f"outside = {outside!r} must be 'error' or 'skip'")
        keep = self._inside(native.flatten(x, "x"), n) if outside == "skip" else range(n)
        if len(keep) < n:
            dim = self.domain.dim
            flat = native.flatten(x, "x")
            points = native.doubles([flat[i * dim + d] for i in keep for d in range(dim)], "x")
            values = [values[i] for i in keep]
            noise_var, t, exposure, reference = (_kept(v, keep, n) for v in (noise_var, t, exposure, reference))
        if keep:
            self._tell([0] * len(keep), values, "value", noise_var, t, exposure, reference, points, output, censored=censored)
        return n - len(keep)

    def _inside(self, points: Sequence[float], n: int) -> list[int]:
        """The numbers of the points within the bounds of the domain."""
        dim, (lower, upper) = self.domain.dim, self.domain.bounds()
        return [i for i in range(n) if all(lower[d] <= points[i * dim + d] <= upper[d] for d in range(dim))]

    def _tell(self, ids: Sequence[int], y: Sequence[float], outcome: str, noise_var: Any, t: Any, exposure: Any,
              reference: Any, points: Any, output: SupportsIndex, partial: bool = False, censored: str | None = None) -> None:
        if outcome not in _OUTCOMES:
            raise ValueError(f"outcome = {outcome!r} must be one of {', '.join(_OUTCOMES)}")
        flags = native.OBS_HAS_NOISE * (noise_var is not None) + native.OBS_HAS_TIME * (t is not None)
        flags += native.OBS_HAS_EXPOSURE * (exposure is not None) + native.OBS_HAS_REFERENCE * (reference is not None)
        flags += native.OBS_PARTIAL * bool(partial)
        if censored not in (None, "right", "left"):
            raise ValueError(f"censored = {censored!r} must be 'right' or 'left'")
        flags += native.OBS_RIGHT_CENSORED * (censored == "right") + native.OBS_LEFT_CENSORED * (censored == "left")
        records = (_Obs * len(ids))()
        given = {"noise_var": noise_var, "t": many(t), "exposure": exposure, "reference": reference}
        columns = {name: _each(name, value, len(ids)) for name, value in given.items()}
        for i, record in enumerate(records):
            record.id, record.outcome, record.flags = ids[i], _OUTCOMES[outcome], flags
            record.y = y[i]
            for name, column in columns.items():
                setattr(record, name, column[i])
            record.output = native.whole("output", output, -2**31, 2**31 - 1)
        self._call("tell", len(ids), records, points)

    # ---- constraints on further outputs

    def model(self, name: str, kernel: Kernel | None = None, *, mean: Any = None, **options: Any) -> Policy:
        """Creates the model of a constraint, for add_constraint: a policy on the same domain that observes and is never asked."""
        fresh = Policy.__new__(Policy)
        fresh.name, fresh.domain, fresh.kernel, fresh._whole, fresh._ctx, fresh._functions = name, self.domain, kernel, False, self._ctx, {}
        fresh._policy = self._ctx.create("tvgp_policy_create", self._ctx.handle, native.text_of("name", name), self.domain._build(self._ctx),
                                         _built(self._ctx, kernel, "kernel"))
        fresh.set(**options)
        if mean is not None:
            fresh.set_prior_mean(mean)
        return fresh

    def add_constraint(self, model: Policy, *, at_least: float | None = None, at_most: float | None = None, of_mean: bool = False) -> None:
        """Adds a constraint: output 1, 2, .. must be at least or at most this while the policy learns. `model` comes from the method
        `model`. of_mean: the constraint is on the value without noise. Call it before the first ask or tell."""
        if (at_least is None) == (at_most is None):
            raise TypeError("add_constraint: at_least or at_most must be given, and not both")
        if expect(model, Policy, "add_constraint: model")._ctx is not self._ctx:
            raise ValueError("add_constraint: model must come from the method `model` of this policy")
        flags = (0 if at_most is None else native.AT_MOST) + (native.OF_MEAN if of_mean else 0)
        self._call("add_constraint", model._policy, flags, native.number("at_most" if at_least is None else "at_least", at_most if at_least is None else at_least))
        self._whole = True  # copies make their models from a whole snapshot

    def set_constraint(self, output: int, bound: float) -> None:
        """Changes the bound of the constraint on an output, from 1, at any time."""
        self._call("set_constraint", native.whole("output", output, -2**31, 2**31 - 1), native.number("bound", bound))

    def set_safe(self, points: Any = None) -> None:
        """Declares these n actions (n x dim) safe, instead of the earlier ones; None: none."""
        array, n = (None, 0) if points is None else native.rows(points, self.domain.dim, "points")
        self._call("set_safe", n, array)

    def learn_history(self, data: Any = None, t: Any = None, *, records: Any = None) -> None:
        """Learns a prior from historical data. `data` is a table: a DataFrame (times in its index, an arm in each column), an array or a list
        of rows, one value for each arm, None or NaN where nothing was recorded. t: the times of the rows; None: .. -2, -1. `records` are
        triples (t, arm, y) instead: a list, an array n x 3 or a DataFrame with columns t, arm, y. Tuples in `data` are records too,
        unless there are three arms. With dates as times, days, weeks and years are tried as periods first, unless history.periods is
        set. Call it before the first ask, or later."""
        if (data is None) == (records is None):
            raise TypeError("learn_history: data or records must be given, and not both")
        if records is not None and t is not None:
            raise TypeError("learn_history: t belongs to data; records have times of their own")
        found = _log.records_of(records) if data is None else _log.read(data, t, self.domain.n)
        times = found.times if isinstance(found, _log.Table) else found.t
        with self._ctx.lock:
            if times and _log.is_date(times[0]) and not self.options()["history.periods"].value and self.stat("clock") < -1e100:
                self.set(history__periods=f"{_log.DAY},{_log.WEEK},{_log.YEAR:.0f}")
            if isinstance(found, _log.Table):
                self._learn_history_table(found)
            else:
                self._learn_records(found)

    def _learn_history_table(self, table: _log.Table) -> None:
        values = _log.values(table.rows, self.domain.n)
        rows = values.size // self.domain.n
        if table.times is not None and len(table.times) != rows:
            raise ValueError(f"data has {rows} rows, and t {len(table.times)} times")
        self._call("learn_history_table", rows, None if table.times is None else native.doubles([seconds(v, f"t[{i}]") for i, v in enumerate(table.times)]),
                   values)

    def _learn_records(self, log: _log.Records) -> None:
        records, points = (_Obs * len(log.t))(), {arm: list(self.domain.point(arm)) for arm in set(log.arm)}
        for i, (record, t, y) in enumerate(zip(records, log.t, log.y)):
            record.flags, record.t, record.y = native.OBS_HAS_TIME, seconds(t, f"records[{i}]: t"), y
        self._call("learn_history", len(log.t), records, native.doubles([points[arm] for arm in log.arm]))

    def prior_mean(self, t: Time) -> Any:
        """The prior mean of every arm at time t: as set, or as forecast from historical data."""
        means = native.room(self.domain.n)
        self._call("prior_mean", seconds(t), self.domain.n, means)
        return native.given(means)

    def set_available(self, mask: Any = None) -> None:
        """The arms that exist now: one truth value for each arm; None: all."""
        values = None if mask is None else native.flatten(mask, "mask")
        for i, value in enumerate(values or []):
            if value not in (0, 1):
                raise ValueError(f"mask[{i}] = {value!r} must be True or False")
        bits = None if values is None else bytes(bool(v) for v in values)
        self._call("set_available", len(bits or b""), None if bits is None else (c_uint8 * len(bits))(*bits))

    def extend(self, larger: Domain, mean: Any = None) -> None:
        """Adds arms: `larger` is the domain with further arms after the present ones, to which the posterior is extended. mean: prior
        means of the new arms, one each."""
        with self._ctx.lock:
            fresh = None if mean is None else native.doubles(mean, "mean")
            came = expect(larger, Domain, "larger").n - self.domain.n
            if fresh is not None and fresh.size != came:
                raise ValueError(f"mean has {fresh.size} values for {came} new arms")
            self._call("extend", larger._build(self._ctx), fresh)
            self.domain = larger

    def set_context(self, context: int = -1) -> None:
        """On a product: asks stay within this context from now on; -1: any."""
        self._call("set_context", native.whole("context", context, -2**63, 2**63 - 1))

    def set_context_point(self, z: Any) -> None:
        """On a product with a box: sets the measured context z."""
        point = native.doubles(z, "z")
        self._call("set_context_point", point.size, point)

    def set_bounds(self, lower: Any = None, upper: Any = None) -> None:
        """On a box: asks stay within these bounds from now on; None: the bounds of the domain."""
        bounds = [None if part is None else native.doubles(part, name) for name, part in (("lower", lower), ("upper", upper))]
        for name, part in zip(("lower", "upper"), bounds):
            if part is not None and part.size != self.domain.dim:
                raise ValueError(f"{name} has {part.size} values for {self.domain.dim} coordinates")
        self._call("set_bounds", *bounds)

    def set_candidates(self, points: Any = None, mean: Any = None) -> None:
        """On a box: from now on asks choose among these n points (n x dim), and the arm of a query is the row; None: the whole box.
        mean: a value added to the prior mean at each point, such as a price to subtract."""
        array, n = (None, 0) if points is None else native.rows(points, self.domain.dim, "candidates")
        own = None if mean is None else native.doubles(mean, "mean")
        if own is not None and own.size != n:
            raise ValueError(f"mean has {own.size} values for {n} candidates")
        self._call("set_candidates", n, array, own)

    def set_prior_mean(self, mean: Any = None) -> None:
        """Prior mean: one value, one for each arm, or None for zero. At any time."""
        array = None if mean is None else native.doubles(mean, "mean")
        self._call("set_prior_mean", array.size if array else 0, array)

    def set_prior_mean_fn(self, f: Callable[[Any], Any] | None = None, gradient: Callable[[Any], Any] | None = None) -> None:
        """On a box: sets the prior mean to a function, at any time. f takes points (n x dim: an array if NumPy is installed) and returns n
        means. `gradient` returns n x dim; without it f is differenced. None: zero. An exception of f is raised by the call that needed
        it. f must not call the policy. A snapshot does not contain f."""
        lower, upper = self.domain.bounds()
        made = None if f is None else mean_function(self._ctx, self.domain.dim, _callable("f", f), gradient, list(lower), list(upper))
        self._set_function("set_prior_mean_fn", made, (f, gradient))

    def set_feasible(self, f: Callable[[Any], Any] | None = None) -> None:
        """On a box: restricts asks and best to the points for which f is true, at any time. f takes points (n x dim: an array if NumPy is
        installed) and returns n truth values. None: all points. Exceptions, calls and snapshots as in set_prior_mean_fn."""
        made = None if f is None else feasible_function(self._ctx, self.domain.dim, _callable("f", f))
        self._set_function("set_feasible", made, (f,))

    def _set_function(self, name: str, made: Any, given: tuple[Any, ...]) -> None:
        self._ctx.kept.append(made)
        self._call(name, None if made is None else ctypes.cast(made, c_void_p), None, None)
        self._functions[name] = given

    def set_incumbent(self, x: Any = None, max_loss_share: float = 0.1) -> None:
        """Sets the present configuration, the point of an arm or of a box. It is asked unless the total loss against it, with the policy's
        choice one standard deviation below its mean, stays within `max_loss_share` of its total reward. None: removes it."""
        point = None if x is None else native.doubles(x, "x")
        if point is not None and point.size != self.domain.dim:
            raise ValueError(f"x has {point.size} values for {self.domain.dim} coordinates")
        self._call("set_incumbent", point, native.number("max_loss_share", max_loss_share))

    def set_budget(self, budget: float, period: float = 1.0, asks: float = 1.0) -> None:
        """Limits the sum of costs in each period, in units of t, in which this many asks are expected. inf: no limit."""
        self._call("set_budget", native.number("budget", budget), native.number("period", span(period)), native.number("asks", asks))

    def set_costs(self, costs: Any) -> None:
        """Sets the expected costs of actions, for a budget or a cost weight: one value, or one for each arm or candidate."""
        array = native.doubles(costs, "costs")
        self._call("set_costs", array.size, array)

    def set_cost_weight(self, weight: float) -> None:
        """Sets the reward that a unit of cost is worth, >= 0, at any time: ask maximises score - weight x cost. 0: costs have no
        effect. Raises ValueError if it is above 0 and the policy has a budget."""
        self._call("set_cost_weight", native.number("weight", weight))

    def set_payoffs(self, payoffs: Any = None) -> None:
        """Sets what a count of each action pays, such as its price, one value > 0 for each. Choices, scores, `best` and
        `best_probability` then use payoff x rate; outcomes and predictions stay rates. None: 1 for all."""
        array = None if payoffs is None else native.doubles(payoffs, "payoffs")
        self._call("set_payoffs", 0 if array is None else array.size, array)

    def charge(self, query: Query | SupportsIndex, cost: Number) -> None:
        """Reports the actual cost of a query, or of its id, once; without it the expected cost counts."""
        self._call("charge", _id("charge", query), native.number("cost", cost))

    def set_added_prior_mean(self, i: int, mean: Any = None) -> None:
        """Mean of prior i, counted as they were added: one value, one for each arm, or None for the policy's. At any time."""
        array = None if mean is None else native.doubles(mean, "mean")
        self._call("set_added_prior_mean", native.whole("i", i, 0, 2**63 - 1), array.size if array else 0, array)

    def add_prior(self, kernel: Kernel, mean: Any = None, epsilon: float = 0.0) -> None:
        """Adds a prior, for the policies that weigh several."""
        array = None if mean is None else native.doubles(mean, "mean")
        with self._ctx.lock:
            self._call("add_prior", _built(self._ctx, expect(kernel, Kernel, "kernel"), "kernel"), array.size if array else 0,
                       array, native.number("epsilon", epsilon))

    def fit(self, max_evals: int = 100) -> bool:
        """Does some of the hyperparameter optimisation that asks would do; True if nothing is left to do."""
        return bool(self._call("fit", native.whole("max_evals", max_evals, 0, 2**63 - 1), byref(c_size_t())) == native.OK)

    # ---- state that survives

    def save(self, full: bool = False) -> bytes:
        """The state of the policy as bytes, pending queries included; full: domain and kernel too, for restore. pickle does this too."""
        with self._ctx.lock:
            size, function = c_size_t(), "save_full" if full else "save"
            self._call(function, 0, None, byref(size))
            buffer = ctypes.create_string_buffer(size.value)
            self._call(function, size.value, buffer, byref(size))
            return buffer.raw[:size.value]

    def load(self, snapshot: bytes) -> None:
        """Replaces the state by a saved one of the same name, domain and kernel."""
        state = _snapshot("snapshot", snapshot)
        self._call("load", len(state), state)

    def clone(self) -> Policy:
        """Returns another policy in the same state."""
        make, arguments = self.__reduce__()
        copy: Policy = make(*arguments)
        return copy

    # ---- reading

    def predict(self, t: Time, x: Any = None) -> tuple[Any, Any]:
        """Posterior means and variances at points (n x dim) at time t, or at all arms; changes nothing."""
        points, n = (None, self.domain.n) if x is None else native.rows(x, self.domain.dim, "x")
        if x is None and not n:
            raise ValueError("predict: a box has no arms, so it needs points")
        mean, var = native.room(n), native.room(n)
        self._call("predict", seconds(t), n, points, mean, var)
        return native.given(mean), native.given(var)

    def evaluate(self, t: Time, x: Any = None, want: Quantity | Sequence[Quantity] = ("mean", "var", "score", "risk")) -> Values:
        """Quantities at points (n x dim) at time t, or at all arms; changes nothing. `want` names some of mean, var, dmean, dvar (the
        gradients, n x dim), score (the acquisition function) and risk (as `Query.risk`); the others are None."""
        points, n = (None, self.domain.n) if x is None else native.rows(x, self.domain.dim, "x")
        if x is None and not n:
            raise ValueError("evaluate: a box has no arms, so it needs points")
        names: list[str] = [want] if isinstance(want, str) else list(want)
        if set(names) - set(Values._fields):
            raise ValueError(f"want = {want!r}: {sorted(set(names) - set(Values._fields))[0]!r} is none of {', '.join(Values._fields)}")
        rooms = {name: native.room(n * (self.domain.dim if name in ("dmean", "dvar") else 1)) for name in names}
        values = native.structs["tvgp_prediction"]()
        values.struct_size = sizeof(values)
        for name, room in rooms.items():
            setattr(values, name, room._as_parameter_)
        self._call("evaluate", seconds(t), n, points, byref(values))
        found = {name: native.given(room) for name, room in rooms.items()}
        for name in set(names) & {"dmean", "dvar"}:
            found[name] = native.folded(found[name], self.domain.dim)
        return Values(*(found.get(name) for name in Values._fields))

    def best_probability(self, t: Time, x: Any = None, draws: SupportsIndex = 1024) -> Any:
        """The probability that each arm is the best at time t, from this many joint draws; or each of the points x (n x dim). An action
        that an ask would not consider has 0. Changes nothing."""
        points, n = (None, self.domain.n) if x is None else native.rows(x, self.domain.dim, "x")
        if x is None and not n:
            raise ValueError("best_probability: a box has no arms, so it needs points")
        found = native.room(n)
        self._call("best_probability", seconds(t), n, points, native.whole("draws", draws, 1, 2**31 - 1), found)
        return native.given(found)

    def ranking(self, t: Time, available: Any = None, draws: SupportsIndex = 1024) -> list[Ranked]:
        """The arms by score at time t, the best first, with posterior mean and sd and the probability to be the best (from this many
        draws): advice, without an ask. Changes nothing. available: one truth value for each arm, among which the best is sought; None:
        all arms are listed, those that an ask would not consider with probability 0. The scores exclude costs."""
        mask: Sequence[float] = [1] * self.domain.n if available is None else native.flatten(available, "available")
        if len(mask) != self.domain.n:
            raise ValueError(f"available has {len(mask)} values for {self.domain.n} arms")
        if not any(mask):
            return []
        policy = self
        if available is not None:
            policy = self.clone()
            policy.set_available(mask)
        values, probability = policy.evaluate(t, want=("mean", "var", "score")), policy.best_probability(t, draws=draws)
        sign = -1 if self.options()["sense"].value == "min" else 1
        ranked = [Ranked(a, self.domain.point(a), float(values.mean[a]), float(values.var[a]) ** 0.5, float(values.score[a]), float(probability[a]))
                  for a in range(self.domain.n) if mask[a]]
        return sorted(ranked, key=lambda r: -sign * r.score)

    def best(self, t: Time) -> Best:
        """The available arm with the highest posterior mean at time t."""
        arm, x = c_int64(), native.room(self.domain.dim)
        self._call("best", seconds(t), byref(arm), x)
        return Best(arm.value, native.given(x))

    def stat(self, key: str) -> float:
        """One statistic."""
        value = c_double()
        self._call("stat", native.text_of("key", key), byref(value))
        return value.value

    def stats(self, kind: Kind | None = None) -> dict[str, float]:
        """All statistics (for series the first), or one kind: "headline" (the four that matter),
        "learned", "counter", "diagnostic"."""
        with self._ctx.lock:
            return {about.key: self.stat(about.key) for about in self.stat_info(kind)}

    def stat_info(self, kind: Kind | None = None) -> list[Stat]:
        """Descriptions of all statistics, or of one kind."""
        if kind is not None and kind not in _STAT_KINDS:
            raise ValueError(f"kind = {kind!r} is none of {', '.join(_STAT_KINDS)}")
        n, info, found = c_size_t(), native.structs["tvgp_stat_info"](), []
        with self._ctx.lock:
            self._call("stat_count", byref(n))
            for i in range(n.value):
                self._call("stat_info", i, byref(info))
                kinds = tuple(name for bit, name in enumerate(_STAT_KINDS) if info.kind >> bit & 1)
                found.append(Stat(info.key.decode(), info.doc.decode(), kinds, info.unit.decode()))
        return [about for about in found if kind is None or kind in about.kinds]

    def metrics(self, kind: Kind | None = None, /, **labels: str) -> str:
        """All statistics, or the statistics of one kind, as OpenMetrics text for a monitor; labels are added to the policy's name."""
        said = ",".join(f'{key}="{_escaped(value)}"' for key, value in {"policy": self.name, **labels}.items())
        lines = []
        for about in self.stat_info(kind):
            name = "tvgp_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in about.key)
            value, counter = self.stat(about.key), "counter" in about.kinds
            number = "NaN" if value != value else f"{value:+}".replace("inf", "Inf") if abs(value) == math.inf else repr(value)
            lines += [f"# TYPE {name} {'counter' if counter else 'gauge'}", f"# HELP {name} {_escaped(about.doc)}",
                      f"{name}{'_total' if counter else ''}{{{said}}} {number}"]
        return "\n".join([*lines, "# EOF"]) + "\n"

    def plot(self, t: Any = None, observations: Any = ()) -> _plot.Picture:
        """A plot of the posterior at time t (None: the newest time seen) over one or two coordinates: mean with a band of two standard
        deviations, or a map of the mean, and the best point. observations: pairs (x, y) to show, such as the last outcomes."""
        return _plot.belief(self, seconds(self.stat("clock") if t is None else t), observations)

    def _repr_html_(self) -> str:
        try:
            return self.plot().svg
        except (native.Error, ValueError):  # no model, more than two coordinates
            return html.escape(repr(self))

    def kernel_parameters(self) -> dict[str, float]:
        """Parameters of the kernel in use: the supplied one, or the one learned so far."""
        handle = c_void_p()
        with self._ctx.lock:
            self._call("kernel", byref(handle))
            try:
                return _parameters(self._ctx, handle)
            finally:
                native.library.tvgp_kernel_destroy(handle)


def _escaped(text: str) -> str:
    return str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _queries(records: Any, points: Any, dim: int) -> list[Query]:
    return [Query(q.id, _KINDS[q.kind], q.arm, points[i * dim:(i + 1) * dim], q.t, q.noise_var, q.score, q.propensity, q.risk)
            for i, q in enumerate(records)]


def _restored(name: str, domain: Domain, kernel: Kernel | None, snapshot: bytes, functions: Mapping[str, Any]) -> Policy:
    policy = Policy(name, domain, kernel)
    policy.load(snapshot)
    return _with_functions(policy, functions)


def _restored_whole(snapshot: bytes, functions: Mapping[str, Any]) -> Policy:
    return _with_functions(Policy.restore(snapshot), functions)


def _with_functions(policy: Policy, functions: Mapping[str, Any]) -> Policy:
    for name, given in functions.items():
        getattr(policy, name)(*given)
    return policy


def _callable(what: str, f: Any) -> Any:
    if not callable(f):
        raise TypeError(f"{what} = {f!r} must be a function")
    return f


def _parameters(ctx: native.Context, kernel: c_void_p) -> dict[str, float]:
    n, info, found = c_size_t(), native.structs["tvgp_param_info"](), {}
    ctx.call("tvgp_kernel_param_count", kernel, byref(n))
    for i in range(n.value):
        ctx.call("tvgp_kernel_param_info", kernel, i, byref(info))
        found[info.name.decode()] = info.value
    return found
