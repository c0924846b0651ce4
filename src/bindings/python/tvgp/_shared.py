# SPDX-License-Identifier: MIT
"""A policy that processes share through a database: tvgp.open. A store of the library (tvgp/store.h) over the connections of sqlite3 and
psycopg, with the tables, events and snapshots of the modules for SQLite and PostgreSQL."""
from __future__ import annotations

import ctypes
import json
import math
import numbers
import os
import re
import secrets
import time
from ctypes import byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, NamedTuple, Sequence, SupportsIndex

from . import _native as native
from ._model import Domain
from ._policy import Policy, _key, _written
from ._serve import Value
from ._times import seconds, span

_MOST_BYTES, _MOST_ARMS = 256 << 20, 10**6  # as in the modules
_USUAL = ("time.clamp=", "context.clamp=")  # what a store adds to descriptions
_READS = ("best", "arms", "shares", "stat", "state", "off_policy_value")
_FAILED = -1000
_CLOCK = ctypes.CFUNCTYPE(c_double)(time.time)  # no function of Python, in which Ctrl-C could come before the first statement

_SQLITE = """
CREATE TABLE IF NOT EXISTS tvgp_policy(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
 description TEXT NOT NULL, snapshot_every INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS tvgp_event(policy INTEGER NOT NULL, n INTEGER NOT NULL, chain INTEGER NOT NULL,
 line TEXT NOT NULL, PRIMARY KEY(policy, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tvgp_snapshot(policy INTEGER PRIMARY KEY, n INTEGER NOT NULL, chain INTEGER NOT NULL,
 state BLOB NOT NULL);"""
_POSTGRESQL = """
SELECT pg_advisory_xact_lock(hashtext('tvgp'));
CREATE SCHEMA IF NOT EXISTS tvgp;
CREATE TABLE IF NOT EXISTS tvgp.policy(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
 description text NOT NULL, snapshot_every bigint NOT NULL CHECK (snapshot_every >= 1), n bigint NOT NULL DEFAULT 0,
 chain bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS tvgp.event(policy bigint NOT NULL, n bigint NOT NULL, chain bigint NOT NULL, line text NOT NULL,
 PRIMARY KEY (policy, n));
CREATE TABLE IF NOT EXISTS tvgp.snapshot(policy bigint PRIMARY KEY, n bigint NOT NULL, chain bigint NOT NULL, state bytea NOT NULL);"""


class SharedQuery(NamedTuple):
    """A query of a shared policy. Its outcome may come from another process."""

    id: int
    epoch: int  #: tells asks apart that a crash has undone
    arm: int  #: -1 on a box
    name: str | None
    x: list[float]
    propensity: float


class Arm(NamedTuple):
    """An arm with posterior mean and standard deviation."""

    arm: int
    name: str | None
    x: list[float]
    mean: float
    sd: float


class Share(NamedTuple):
    """An arm with the probability that it is the best, and its share of traffic."""

    arm: int
    name: str | None
    x: list[float]
    probability: float
    share: float


# ---- databases ------------------------------------------------------------------------------------------------------

class _SQLite:
    """Statements and transactions of SQLite."""

    table, mark, locking = "tvgp_", "?", ""
    begin = {True: "BEGIN IMMEDIATE", False: "BEGIN"}  # by whether it writes
    open = False  # a transaction of ours is

    def __init__(self, path: str, timeout: float) -> None:
        import sqlite3  # pylint: disable=import-outside-toplevel  # some builds of Python leave it out
        self.db = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)

    def is_inside(self) -> bool:
        return self.db.in_transaction

    def has_tables(self) -> bool:
        return self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'tvgp_policy'").fetchone() is not None

    def create_tables(self) -> None:
        self.db.execute("PRAGMA journal_mode=wal")
        self.db.executescript(_SQLITE)


class _PostgreSQL:
    """Statements and transactions of PostgreSQL."""

    table, mark, locking = "tvgp.", "%s", " FOR NO KEY UPDATE"
    begin = {True: "BEGIN", False: "BEGIN"}
    open = False

    def __init__(self, url: str, timeout: float) -> None:
        try:
            import psycopg  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise ImportError("a postgresql:// URL needs psycopg 3 (pip install psycopg, or Debian's python3-psycopg)") from None
        self.db: Any = psycopg.connect(url, autocommit=True, options=f"-c lock_timeout={round(1000 * timeout)}")

    def is_inside(self) -> bool:
        return bool(self.db.info.transaction_status)

    def has_tables(self) -> bool:
        return bool(self.db.execute("SELECT to_regclass('tvgp.policy') IS NOT NULL").fetchone()[0])

    def create_tables(self) -> None:
        with self.db.transaction():
            self.db.execute(_POSTGRESQL)


def _database(url: str, timeout: float) -> Any:
    if url.startswith("sqlite:///"):
        return _SQLite(url[len("sqlite:///"):], timeout)
    if re.match("postgres(ql)?://", url):
        return _PostgreSQL(url, timeout)
    raise ValueError(f"url = {_safe(url)!r} must begin with sqlite:/// or postgresql://")


def _safe(url: str) -> str:
    """A URL without its password, for messages."""
    return re.sub(r"(?<=://)([^/@:]*):[^@/]*@", r"\1:***@", re.sub(r"(password=)[^&]*", r"\1***", url))


class _Rows:
    """The functions of the store, each a statement or a few."""

    def __init__(self, database: Any, ctx: native.Context) -> None:
        self.database, self.ctx, self.store = database, ctx, c_void_p()
        self.text, self.sought, self.appended = c_char_p(), False, False
        record = native.structs["tvgp_store_type"]()
        record.struct_size, record.epoch = ctypes.sizeof(record), secrets.randbelow(2**53 - 1) + 1
        self.kept = []
        for field in native.ABI["store"]["structs"]["tvgp_store_type"]["fields"]:
            function = getattr(self, field["name"], None)
            if "callback" in field and function:
                self.kept.append(self._made(field["callback"], function))
                setattr(record, field["name"], ctypes.cast(self.kept[-1], c_void_p))
        record.now = ctypes.cast(_CLOCK, c_void_p)
        ctx.call("tvgp_store_open", ctx.handle, byref(record), None, None, byref(self.store))

    def _made(self, signature: Any, function: Any) -> Any:
        def call(_: Any, *arguments: Any) -> int:
            try:
                return function(*arguments) or 0
            except BaseException as error:  # pylint: disable=broad-except
                self.ctx.raised = error
                return _FAILED
        return ctypes.CFUNCTYPE(c_int32, *(native._type(a["type"]) for a in signature["args"]))(call)

    def execute(self, text: str, *values: Any) -> Any:
        """Runs a statement on table {}name with the marks of SQLite."""
        return self.database.db.execute(text.format(self.database.table).replace("?", self.database.mark), values)

    def row(self, name: str, write: bool) -> Any:
        """id, n, chain, snapshot_every and description, or None."""
        return self.execute("SELECT id, n, chain, snapshot_every, description FROM {}policy WHERE name = ?"
                            + (self.database.locking if write else ""), name).fetchone()

    def lines(self, policy: int, first: int, last: int) -> Any:
        return self.execute("SELECT n, chain, line FROM {}event WHERE policy = ? AND n BETWEEN ? AND ? ORDER BY n", policy, first, last)

    def snapshot(self, policy: int) -> Any:
        """n, chain and state, or None."""
        return self.execute("SELECT n, chain, state FROM {}snapshot WHERE policy = ?", policy).fetchone()

    def read_description(self, name: bytes, write: int, out: Any) -> None:
        row = self.row(name.decode(), bool(write)) if self.database.has_tables() else None
        self.sought = True
        if row:
            self.text = c_char_p(row[4].encode())
            out[0].id, out[0].n, out[0].chain, out[0].snapshot_every = row[:4]
            out[0].description = self.text

    def read_events(self, policy: int, first: int, last: int, store: Any) -> int:
        status = 0
        for n, chain, line in self.lines(policy, first, last):
            status = native.library.tvgp_store_take_event(store, n, chain, line.encode() if isinstance(line, str) else b"")
            if status != 0:
                break
        return min(status, 0)

    def read_snapshot(self, policy: int, store: Any) -> int:
        found = self.snapshot(policy)
        return int(native.library.tvgp_store_take_snapshot(store, *found[:2], len(found[2]), bytes(found[2]))) if found else 0

    def append(self, name: bytes, row: Any, n: int, lines: Any, chains: Any) -> None:
        r = row[0]
        if r.id == 0:
            self.execute("INSERT INTO {}policy(n, chain, snapshot_every, name, description) VALUES(0, ?, ?, ?, ?)", r.chain, r.snapshot_every,
                         name.decode(), r.description.decode())
        else:
            for i in range(n):
                self.execute("INSERT INTO {}event(policy, n, chain, line) VALUES(?, ?, ?, ?) ON CONFLICT (policy, n) DO UPDATE"
                             " SET chain = excluded.chain, line = excluded.line", r.id, r.n - n + 1 + i, chains[i], lines[i].decode())
            self.execute("UPDATE {}policy SET n = ?, chain = ? WHERE id = ?", r.n, r.chain, r.id)
        self.appended = True

    def write_snapshot(self, policy: int, n: int, chain: int, size: int, state: int) -> None:
        self.execute("INSERT INTO {}snapshot(policy, n, chain, state) VALUES(?, ?, ?, ?) ON CONFLICT (policy) DO UPDATE"
                     " SET n = excluded.n, chain = excluded.chain, state = excluded.state", policy, n, chain, ctypes.string_at(state, size))

    def remove(self, policy: int, first: int) -> None:
        self.execute("DELETE FROM {}event WHERE policy = ? AND n < ?", policy, first or 2**63 - 1)
        if not first:
            self.execute("DELETE FROM {}snapshot WHERE policy = ?", policy)
            self.execute("DELETE FROM {}policy WHERE id = ?", policy)
        self.appended = True


class _Transaction:
    """The statements inside are kept or undone together. Errors name the database and the policy.

    An exception between two statements of this class leaves the transaction open; the next one undoes it. That is why it is no
    generator, whose end would undo it at any later time."""

    def __init__(self, shared: Shared, write: bool) -> None:
        self.shared, self.database, self.write = shared, shared._rows.database, write

    def __enter__(self) -> Any:
        try:
            if self.database.open and self.database.is_inside():
                self.database.db.execute("ROLLBACK")
            self.inside = self.database.is_inside()
            self.database.open = not self.inside
            self.database.db.execute("SAVEPOINT tvgp_call" if self.inside else self.database.begin[self.write])
        except Exception as error:  # pylint: disable=broad-except
            raise self.shared._named(error) from error
        return self.shared._rows

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        execute = self.database.db.execute
        try:
            if kind is None:
                execute("RELEASE SAVEPOINT tvgp_call" if self.inside else "COMMIT")
        except Exception as late:  # pylint: disable=broad-except
            kind, error = type(late), late
        if kind is not None and self.database.is_inside():
            execute("ROLLBACK TO SAVEPOINT tvgp_call" if self.inside else "ROLLBACK")
        self.database.open = False
        named = self.shared._named(error) if isinstance(error, Exception) else error
        if named is not error:
            raise named from error


# ---- the policy -----------------------------------------------------------------------------------------------------

class Shared:
    """A policy in a database, made by tvgp.open. A call is a transaction, or a part of the one that `connection` has begun; it is used as
    a whole or not at all. Any number of processes and threads may use the policy. In a forked process it connects again.

    Actions are given by name, or by index. `t` is a number of seconds, a date or a datetime; without it the clock of the system is
    used. Errors are tvgp.Error and name the database and the policy; the exception of the database is the cause."""

    def __init__(self, url: str, name: str, timeout: float) -> None:
        self.url, self.name, self._timeout = url, name, timeout
        native.text_of("name", name)
        self._connect()

    def _connect(self) -> None:
        self._pid = os.getpid()
        self._ctx = native.Context()
        self._ctx.call("tvgp_ctx_set_quota", self._ctx.handle, _MOST_BYTES, _MOST_ARMS, 0)
        self._rows: Any = _Rows(_database(self.url, self._timeout), self._ctx)

    def __repr__(self) -> str:
        return f"<tvgp.Shared {self.name} in {_safe(self.url)}>"

    @property
    def connection(self) -> Any:
        """The connection of sqlite3 or psycopg. Begin a transaction on it to make calls a part of that transaction."""
        return self._rows.database.db

    def close(self) -> None:
        """Closes the connection."""
        with self._ctx.lock:
            if self._rows.store:
                native.library.tvgp_store_close(self._rows.store)
                self._rows.store = c_void_p()
                self.connection.close()

    def __enter__(self) -> Shared:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _named(self, error: Exception) -> Exception:
        """An error of the library or of the database, with the names of table and policy; others as they are."""
        if isinstance(error, native.Error) or type(error).__module__.partition(".")[0] in ("sqlite3", "psycopg"):
            status = error.status if isinstance(error, native.Error) else native.ERR_CALLBACK
            return native.Error(status, f"policy '{self.name}' in {self._rows.database.table}policy of {_safe(self.url)}: {error}")
        return error

    def _begin(self, write: bool) -> _Transaction:
        if os.getpid() != self._pid:
            self._inherited = self._rows  # closing it would end the locks of the parent
            self._connect()
        if not self._rows.store:
            raise ValueError(f"{self!r} is closed")
        return _Transaction(self, write)

    def _call(self, call: str, **arguments: Any) -> Any:
        """Makes a call of the store (tvgp/store.h) in a transaction. Arguments that are None are left out."""
        given = {key.encode(): _argument(key, value) for key, value in arguments.items() if value is not None}
        with self._ctx.lock, self._begin(call not in _READS):
            return self._make(call, given)

    def _make(self, call: str, given: dict[bytes, bytes]) -> Any:
        rows, reply = self._rows, ctypes.POINTER(native.structs["tvgp_store_reply"])()
        keys, values = ((c_char_p * len(given))(*part) for part in (given, given.values()))
        rows.sought, rows.appended = False, False
        try:
            self._ctx.call("tvgp_store_call", rows.store, call.encode(), self.name.encode(), len(given), keys, values, byref(reply))
        except native.Error as error:
            if error.status == native.ERR_CALLBACK or error.status == native.ERR_NOTFOUND and not rows.sought and "no policy" in str(error):
                raise KeyboardInterrupt from None  # before the first statement of a function for C, where ctypes drops it
            raise
        found = self._result(call, reply[0])
        if call not in _READS and found and not rows.appended:
            raise KeyboardInterrupt  # likewise
        return found

    def _result(self, call: str, reply: Any) -> Any:
        if call == "stat":
            return reply.value
        if call == "state":
            return ctypes.string_at(reply.bytes, reply.size)
        if call in ("ask", "ask_slate", "best", "arms", "shares", "off_policy_value"):
            needed = c_size_t()
            self._ctx.call("tvgp_store_text", self._rows.store, 0, None, byref(needed))
            buffer = ctypes.create_string_buffer(needed.value)
            self._ctx.call("tvgp_store_text", self._rows.store, needed.value, buffer, byref(needed))
            return json.loads(buffer.value)
        return reply.taken

    # ---- the loop

    def ask(self, t: Any = None, *, slate: SupportsIndex | None = None, context: Any = None, candidates: Any = None, means: Any = None,
            available: Any = None) -> Any:
        """Returns a SharedQuery, or None if nothing can be asked now. slate: a list of up to that many, all different. context,
        candidates and available (a list of actions) hold for this ask alone; means are prior means of the candidates."""
        found = self._call("ask", t=t, slate=slate, context=context, candidates=candidates, means=means, available=available)
        return [_as(SharedQuery, q) for q in found] if isinstance(found, list) else found and _as(SharedQuery, found)

    def tell(self, query: SharedQuery | SupportsIndex, y: Any, *, t: Any = None, epoch: SupportsIndex | None = None, exposure: Any = None,
             reference: Any = None, noise_var: Any = None, outputs: Any = None, partial: bool = False, censored: str | None = None) -> bool:
        """Reports the outcome of a query, or of its id. False: the query is not pending, such as after a second report. outputs: the values
        of the constraints. Others: as in Policy.tell."""
        return bool(self._call("tell", **_query(query, epoch), y=native.number("y", y), t=t, exposure=exposure, reference=reference, noise=noise_var,
                               outputs=outputs, partial=partial or None, censored=censored))

    def observe(self, x: Any, y: Any, *, t: Any = None, exposure: Any = None, reference: Any = None, noise_var: Any = None,
                outputs: Any = None, censored: str | None = None) -> None:
        """Reports an unsolicited observation at a point, or of an action by its name."""
        self._call("observe", x=x, y=native.number("y", y), t=t, exposure=exposure, reference=reference, noise=noise_var, outputs=outputs,
                   censored=censored)

    def skip(self, query: SharedQuery | SupportsIndex, *, t: Any = None, epoch: SupportsIndex | None = None) -> bool:
        """Closes a query that will have no outcome. False: it is not pending."""
        return bool(self._call("skip", **_query(query, epoch), t=t))

    def fail(self, query: SharedQuery | SupportsIndex, *, t: Any = None, epoch: SupportsIndex | None = None) -> bool:
        """Closes a query whose action was tried and failed. False: it is not pending."""
        return bool(self._call("fail", **_query(query, epoch), t=t))

    def charge(self, query: SharedQuery | SupportsIndex, cost: Any) -> bool:
        """Reports the actual cost of a query, once."""
        return bool(self._call("charge", id=_query(query, None)["id"], cost=cost))

    # ---- actions, budgets, payoffs

    def set_available(self, actions: Any = None) -> None:
        """Restricts asks to these actions; None: all."""
        self._call("set_available", arms="null" if actions is None else actions)

    def extend(self, *names: str, points: Any = None, means: Any = None) -> None:
        """Adds actions: their names, their points if arms have coordinates, and prior means."""
        self._call("extend", arms=list(names) or points, points=points if names else None, means=means)

    def fit(self, pieces: int = 8) -> bool:
        """Does work of later asks, as Policy.fit: call it from a timer, or in a worker after its reply. True: nothing was left."""
        return not self._call("fit", pieces=pieces)

    def set_budget(self, budget: float, period: Any, asks: float) -> None:
        """As Policy.set_budget."""
        self._call("set_budget", budget=budget, period=span(period), asks=asks)

    def set_costs(self, costs: Any) -> None:
        """As Policy.set_costs."""
        self._call("set_costs", costs=costs)

    def set_cost_weight(self, weight: float) -> None:
        """As Policy.set_cost_weight."""
        self._call("set_cost_weight", weight=weight)

    def set_payoffs(self, payoffs: Any = None) -> None:
        """As Policy.set_payoffs."""
        self._call("set_payoffs", payoffs=[] if payoffs is None else payoffs)

    # ---- reading

    def best(self, t: Any = None) -> Arm:
        """The action with the highest posterior mean."""
        found: Arm = _as(Arm, self._call("best", t=t))
        return found

    def arms(self, t: Any = None) -> list[Arm]:
        """Posterior means and standard deviations of all arms."""
        return [_as(Arm, row) for row in self._call("arms", t=t)]

    def shares(self, t: Any = None, *, draws: SupportsIndex | None = None, power: float | None = None, floor: float | None = None) -> list[Share]:
        """Probabilities that arms are the best, from 1024 joint draws, and shares of traffic, as in tvgp.shares with power 1 and floor 0."""
        return [_as(Share, row) for row in self._call("shares", t=t, draws=draws, power=power, floor=floor)]

    def stat(self, key: str) -> float:
        """One statistic."""
        return float(self._call("stat", key=key))

    def state(self) -> bytes:
        """The bytes of the state, equal for all who use the policy."""
        return bytes(self._call("state"))

    def off_policy_value(self, target: str, *, half_life: Any = None) -> Value:
        """The value that another policy would have had: "uniform", "arm=3" or a description. Needs all events."""
        found = self._call("off_policy_value", description=target, half_life=span(half_life))
        return Value(**{key: math.nan if found.get(key) is None else found[key] for key in Value._fields})

    def events(self, first: int = 1) -> list[dict[str, Any]]:
        """The stored events from this number on, as dictionaries (docs/reference/snapshot-format.md#event-log)."""
        with self._ctx.lock, self._begin(False) as rows:
            return [json.loads(line) for _, _, line in rows.lines(self._found(rows)[0], first, 2**63 - 1)]

    def _length(self) -> int:
        """The number of the last event."""
        with self._ctx.lock, self._begin(False) as rows:
            return int(self._found(rows)[1])

    def policy(self) -> Policy:
        """A private copy, for predictions and plots. Changes to it are not shared."""
        with self._ctx.lock, self._begin(False) as rows:
            number, *_, description = self._found(rows)
            state, snapshot = self._make("state", {}), rows.snapshot(number)
            known, head = (snapshot[0], bytes(snapshot[2])) if snapshot else (0, b"")
            lines = head[9:head.index(b"\0")].decode().split("\n")[1:] if snapshot else []
            lines += [line for _, _, line in rows.lines(number, known + 1, 2**63 - 1) if json.loads(line)["call"] == "extend"]
        copy = Policy.described(description)
        for line in lines:
            _apply(copy, line)
        copy.load(state)
        copy.domain = Domain(copy.domain.dim, "saved", copy.save(full=True))
        return copy

    def _found(self, rows: Any) -> Any:
        row = rows.row(self.name, False) if rows.database.has_tables() else None
        if not row:
            raise native.Error(native.ERR_NOTFOUND, "there is no such policy; give tvgp.open its options or a description to create it")
        return row

    # ---- the log

    def trim(self, before: Any) -> int:
        """Writes a snapshot and deletes the events before the first ask at or after this time. Returns their number."""
        return int(self._call("trim", before=seconds(before)))

    def drop(self) -> None:
        """Deletes the policy with all its events."""
        self._call("drop")


def _as(kind: Any, row: dict[str, Any]) -> Any:
    """A row of JSON, where a whole number may stand for a float."""
    whole = ("id", "epoch", "arm", "name")
    floats = {key: [float(v) for v in value] if key == "x" else float(value) for key, value in row.items() if key not in whole}
    values: dict[str, Any] = {"name": None, **row}
    return kind(**{**values, **floats})


def _query(query: Any, epoch: Any) -> dict[str, Any]:
    """The id of a query and its epoch, if that is known."""
    if isinstance(query, SharedQuery):
        return {"id": query.id, "epoch": query.epoch if epoch is None else epoch}
    return {"id": native.whole("query", query, 0, 2**53), "epoch": epoch}


def _argument(key: str, value: Any) -> bytes:
    """The text of an argument for the store."""
    if key in ("t", "before"):
        value = seconds(value, key)
    value = native.listed(value)
    if isinstance(value, str):
        return native.text_of(key, value) if key != "arms" else value.encode()
    try:
        return json.dumps(value, default=float).encode()
    except (TypeError, ValueError):
        raise TypeError(f"{key} = {value!r} must be numbers or texts") from None


def _apply(policy: Policy, line: str) -> None:
    """Applies an event to a policy."""
    event, n = native.structs["tvgp_event"](), c_size_t()
    policy._ctx.call("tvgp_event_parse", policy._ctx.handle, line.encode(), 0, byref(event), None, byref(n))
    numbers_ = (c_double * n.value)()
    policy._ctx.call("tvgp_event_parse", policy._ctx.handle, line.encode(), n.value, byref(event), numbers_, byref(n))
    policy._call("apply", 1, byref(event), n.value, numbers_)


def _words(options: Any, policy: str | None, settings: dict[str, Any]) -> list[str]:
    """The words of a description."""
    if isinstance(options, str):
        if policy is not None:
            raise TypeError("open: policy is given twice, in the description and as an argument")
        words = options.split()
    else:
        names = [native.text_of(f"options[{i}]", name).decode() for i, name in enumerate(options)]
        for i, name in enumerate(names):
            if not name or re.search(r"[\s,]", name):
                raise ValueError(f"options[{i}] = {name!r} must be a name without blanks and commas")
        words = [policy or "auto-gp-ucb", "names=" + ",".join(names)]
    for key, value in settings.items():
        text = value if isinstance(value, str) else _written(span(value)) if isinstance(span(value), numbers.Real) else str(value)
        if re.search(r"\s", text):
            raise ValueError(f"{key} = {value!r} must have no blanks")
        words.append(f"{_key(key)}={text}")
    return words


def open(url: str, name: str, options: str | Sequence[str] | None = None, *, policy: str | None = None, snapshot_every: int = 100,  # pylint: disable=redefined-builtin
         timeout: float = 30.0, **settings: Any) -> Shared:
    """Creates a policy in a database, or joins it if it exists there.

    url: "sqlite:///shop.db" (a path; four slashes begin an absolute one) or "postgresql://user@host/database", which needs psycopg.
    options: the names of the options, chosen by `policy` (auto-gp-ucb) with settings such as noise=0.1; or a description, such as
    "auto-gp-ucb grid=5:25:41" (docs/reference/protocol.md#descriptions-a-policy-in-one-line). Without options the policy must exist. A snapshot is written every snapshot_every
    events. timeout: seconds to wait for other writers. Raises ValueError if the policy exists with another description."""
    if options is None and (policy is not None or settings):
        raise TypeError("open: policy and settings require options")
    shared = Shared(url, name, native.number("timeout", timeout))
    words = None if options is None else _words(options, policy, settings)
    rows = shared._rows
    try:
        if words is not None and not rows.database.has_tables():
            rows.database.create_tables()
        if words is not None and not rows.row(name, False):
            _create(shared, " ".join(words), snapshot_every)
        with shared._begin(False):
            stored = shared._found(rows)[4].split()
    except BaseException:
        shared.close()
        raise
    if words is not None and sorted(words) != sorted(w for w in stored if w in words or not w.startswith(_USUAL)):
        shared.close()
        raise ValueError(f"{shared!r} was created as {' '.join(stored)!r}, not {' '.join(words)!r}; open it without options to join it")
    return shared


def _create(shared: Shared, description: str, snapshot_every: int) -> None:
    try:
        shared._call("create", description=description, snapshot_every=native.whole("snapshot_every", snapshot_every, 1, 2**31 - 1))
    except native.Error:
        if not shared._rows.row(shared.name, False):  # another process was first
            raise
