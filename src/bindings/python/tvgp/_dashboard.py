# SPDX-License-Identifier: MIT
"""The dashboard: a page on 127.0.0.1 that shows the policies of a database while processes use them (docs/guide/monitoring.md). It reads,
and never writes."""
from __future__ import annotations

import http.server
import json
import math
import pathlib
import threading
import time
import urllib.parse
from typing import Any

from . import _native as native
from ._shared import Shared, _database, _safe

_EVENTS = 1000  # the newest ones, which the page draws
_MONTH = 30 * 86400.0
_CONNECTIONS = 8  # open at most, besides the one that lists the policies
_PAUSE = 10.0  # seconds between estimates of uniform choice, which read the whole log
_STATS = ("asked", "values", "pending", "surprise", "half_life", "clock", "resets")
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"}


class _View:
    """The policies of a database. Calls of several requests wait for each other."""

    def __init__(self, url: str) -> None:
        self.url, self.lock = url, threading.Lock()
        self.database = _database(url, 5.0)
        self.open: dict[str, Shared] = {}
        self.uniform: dict[str, tuple[int, float, Any]] = {}

    def names(self) -> list[str]:
        if not self.database.has_tables():
            return []
        return [row[0] for row in self.database.db.execute(f"SELECT name FROM {self.database.table}policy ORDER BY name")]

    def shared(self, name: str) -> Shared:
        """The policy with a connection of its own; the one that was not asked for the longest is closed."""
        shared = self.open.pop(name, None)
        if shared is None:
            if len(self.open) == _CONNECTIONS:
                self.open.pop(next(iter(self.open))).close()
            shared = Shared(self.url, name, 5.0)
        self.open[name] = shared
        return shared

    def policy(self, name: str) -> dict[str, Any]:
        """Everything that the page shows of a policy."""
        shared = self.shared(name)
        n = shared._length()
        events = shared.events(max(1, n - _EVENTS + 1))
        stats = {key: _number(shared, key) for key in _STATS}
        found = {"policy": name, "n": n, "t": _moment(stats["clock"]), "stats": stats, "rows": [], "best": None, "events": [_drawn(e) for e in events]}
        if stats["values"] is None and not events:
            return found
        try:
            arms, shares = shared.arms(found["t"]), shared.shares(found["t"])
            found["rows"] = [{**arm._asdict(), "probability": share.probability, "share": share.share} for arm, share in zip(arms, shares)]
        except native.Error:  # a box has no arms
            found["best"] = shared.best(found["t"])._asdict()
        found["uniform"] = self.value(shared, n)
        outcomes = [e["y"] for e in events if e.get("y") is not None]
        found["earned"] = sum(outcomes) / len(outcomes) if outcomes else None
        return found

    def value(self, shared: Shared, n: int) -> Any:
        """The doubly robust estimate of what uniform choice earns, and its standard error; None without the whole log."""
        known = self.uniform.get(shared.name)
        if known is None or known[0] != n and time.monotonic() > known[1] + _PAUSE:
            try:
                estimate = shared.off_policy_value("uniform")
                value = [estimate.dr, estimate.dr_se] if math.isfinite(estimate.dr) and math.isfinite(estimate.dr_se) else None
            except native.Error:
                value = None
            known = self.uniform[shared.name] = (n, time.monotonic(), value)
        return known[2]

    def metrics(self) -> str:
        """The headline statistics of all policies as OpenMetrics text."""
        families: dict[str, list[str]] = {}
        for name in self.names():
            copy = self.shared(name).policy()
            for line in copy.metrics("headline", name=name).splitlines()[:-1]:
                key = line.split()[2] if line.startswith("#") else line.partition("{")[0].removesuffix("_total")
                lines = families.setdefault(key, [])
                if line not in lines:
                    lines.append(line)
        return "\n".join([line for lines in families.values() for line in lines] + ["# EOF"]) + "\n"


def _number(shared: Shared, key: str) -> Any:
    """A statistic; "inf" is a text in JSON, and None means that the policy has none."""
    try:
        value = shared.stat(key)
    except native.Error:
        return None
    return value if math.isfinite(value) else "inf" if value > 0 else None


def _moment(clock: float | None) -> float:
    """The time of predictions: now if the policy counts seconds since 1970 and was used this month, else the newest time."""
    now = time.time()
    return now if clock is None or abs(now - clock) < _MONTH else clock


def _drawn(event: dict[str, Any]) -> dict[str, Any]:
    """What the page draws of an event."""
    return {key: event[key] for key in ("call", "id", "t", "arm", "y", "outcome", "x") if key in event}


class _Handler(http.server.BaseHTTPRequestHandler):
    view: Any = None
    hosts: tuple[str, ...] = ()

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        host = urllib.parse.urlsplit("//" + self.headers.get("Host", "")).hostname
        if host not in self.hosts:
            self.answer(403, "text/plain", f"host {host} is not served; --host {host} serves it\n")
            return
        parts = urllib.parse.urlsplit(self.path)
        try:
            with self.view.lock:
                self.route(parts.path, urllib.parse.parse_qs(parts.query).get("policy", [""])[0])
        except native.Error as error:
            self.answer(404 if error.status == native.ERR_NOTFOUND else 500, "text/plain", f"{error}\n")

    def route(self, path: str, policy: str) -> None:
        if path == "/":
            self.answer(200, "text/html", (pathlib.Path(__file__).parent / "dashboard.html").read_text(encoding="utf-8"))
        elif path == "/policies":
            self.answer(200, "application/json", json.dumps({"database": _safe(self.view.url), "policies": self.view.names()}))
        elif path == "/policy":
            self.answer(200, "application/json", json.dumps(self.view.policy(policy)))
        elif path == "/metrics":
            self.answer(200, "application/openmetrics-text; version=1.0.0", self.view.metrics())
        else:
            self.answer(404, "text/plain", "not found\n")

    def answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)), **_HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # pylint: disable=redefined-builtin
        pass


def dashboard(url: str, host: str = "127.0.0.1", port: int = 8000) -> http.server.ThreadingHTTPServer:
    """Starts the dashboard of a database, a URL as for tvgp.open, in a thread, and returns the server: `server_address`, `shutdown()`.

    Only requests to `host` and, by default, localhost are answered. Port 0 takes a free one."""
    local = ("127.0.0.1", "localhost", "::1")
    handler = type("Handler", (_Handler,), {"view": _View(url), "hosts": (host, *local) if host in local else (host,)})
    server = http.server.ThreadingHTTPServer((host, port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
