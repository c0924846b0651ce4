# SPDX-License-Identifier: MIT
"""test_redis.py MODULE: policies inside Redis (docs/guide/redis.md), in servers of their own."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import store

MODULE = os.path.abspath(sys.argv[1])


class Failed(Exception):
    pass


class Store:
    """A connection, with the protocol of Redis spelt out: no client is needed."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.file = self.socket.makefile("rb")

    def read(self):
        line = self.file.readline()
        if not line:
            raise ConnectionError("the server is gone")
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"-":
            return Failed(rest)
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == "-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == "-1" else [self.read() for _ in range(int(rest))]
        return rest

    def call(self, *words):
        text = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(text) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in text))
        found = self.read()
        if isinstance(found, Failed):
            raise found
        return found

    def create(self, name, description):
        self.call("TVGP.CREATE", name, description)

    def ask(self, name, t):
        found = self.call("TVGP.ASK", name, *([] if t is None else [t]))
        return found and {"id": found[0], "epoch": found[1], "arm": found[2], "x": [float(v) for v in found[4:]]}

    def tell(self, name, query, y, t, epoch):
        return self.call("TVGP.TELL", name, query, "SKIP" if y is None else y, *([] if t is None else ["T", t]),
                         *([] if epoch is None else ["EPOCH", epoch])) == 1

    def observe(self, name, x, y, t):
        return self.call("TVGP.OBSERVE", name, t, y, *x)

    def ask_slate(self, name, k, t):
        return [{"id": found[0], "epoch": found[1], "arm": found[2]} for found in self.call("TVGP.ASK", name, t, "SLATE", k)]

    def shares(self, name, power, floor):
        return [(float(p), float(s)) for _, p, s in self.call("TVGP.SHARES", name, "DRAWS", 500, "POWER", power, "FLOOR", floor)]

    def budget(self, name, budget, period, asks, costs):
        self.call("TVGP.BUDGET", name, budget, period, asks)
        self.call("TVGP.COSTS", name, *costs)

    def charge(self, name, query, cost):
        return self.call("TVGP.CHARGE", name, query, cost) == 1

    def count(self, name, query, y, exposure):
        assert self.call("TVGP.TELL", name, query, y, "EXPOSURE", exposure) == 1

    def ratio(self, name, query, y, reference):
        assert self.call("TVGP.TELL", name, query, y, "REFERENCE", reference) == 1

    def state(self, name):
        return self.call("TVGP.STATE", name)

    def asked(self, name):
        return float(self.call("TVGP.STAT", name, "asked"))

    def events(self, name):
        return [line.decode() for line in self.call("TVGP.EVENTS", name)]

    def fails(self, said, *words):
        try:
            self.call(*words)
        except Failed as e:
            assert said in str(e), (words, str(e))
            return
        raise AssertionError(f"{words} did not fail")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, place, *words):
        self.place, self.port, self.words = place, free_port(), words
        place.mkdir(exist_ok=True)
        self.start()

    def start(self):
        self.process = subprocess.Popen(["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--loadmodule", MODULE, "--dir",
                                         str(self.place), "--save", "", *self.words], stdout=(self.place / "log").open("ab"))
        for _ in range(200):
            try:
                Store(self.port).call("PING")
                return
            except (OSError, Failed):
                time.sleep(.05)
        raise TimeoutError((self.place / "log").read_text())

    def stop(self, kill=False):
        if kill:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.wait()


def restarts(server):
    """A kill, a rewritten append-only file in both forms, and a snapshot end in the same state."""
    first = Store(server.port)
    first.create("c", store.describe("auto-gp-ucb"))
    store.play(first, "c", 25)
    before, log = first.state("c"), first.events("c")
    for preamble in (None, "yes", "no"):
        if preamble:
            first.call("CONFIG", "SET", "aof-use-rdb-preamble", preamble)
            first.call("BGREWRITEAOF")
            while b"aof_rewrite_in_progress:0" not in first.call("INFO", "persistence") or \
                    b"aof_rewrite_scheduled:0" not in first.call("INFO", "persistence"):
                time.sleep(.02)
        time.sleep(1.1)  # appendfsync everysec
        server.stop(kill=True)
        server.start()
        first = Store(server.port)
        assert first.state("c") == before and first.events("c") == log, preamble
    first.call("SAVE")
    dump = first.call("DUMP", "c")
    first.call("RESTORE", "copy", 0, dump)
    assert first.state("copy") == before
    assert first.ask("copy", 50)["arm"] == first.ask("c", 50)["arm"]


def replica(server, place):
    first = Store(server.port)
    other = Server(place / "replica", "--replicaof", f"127.0.0.1 {server.port}")
    try:
        second = Store(other.port)
        while b"master_link_status:up" not in second.call("INFO", "replication"):
            time.sleep(.05)
        first.create("r", store.describe("tv-gp-ucb"))
        store.play(first, "r", 30)
        assert first.call("WAIT", 1, 5000) == 1
        assert second.state("r") == first.state("r") and second.events("r") == first.events("r")
        second.fails("READONLY", "TVGP.ASK", "r")
        assert len(second.call("TVGP.ARMS", "r", 40)) == 11
    finally:
        other.stop()


def refused(server):
    first = Store(server.port)
    first.fails("nearest is 'noise'", "TVGP.CREATE", "p", "gp-ucb grid=0:1:3 nosie=1")
    first.fails("quota", "TVGP.CREATE", "p", "gp-ucb indices=2000000 se=1")
    first.fails("no such policy", "TVGP.ASK", "p")
    first.call("SET", "text", "x")
    first.fails("WRONGTYPE", "TVGP.ASK", "text")
    first.create("p", "gp-ucb box=0:1,0:1 se=.3")
    first.fails("exists", "TVGP.CREATE", "p", "gp-ucb grid=0:1:3 se=1")
    found = first.call("TVGP.ASK", "p", 1, "CANDIDATES", 2, .1, .2, .3, .4)
    assert found[2] in (0, 1) and len(found) == 6
    assert first.ask("p", 2)["arm"] == -1
    first.fails("too few", "TVGP.ASK", "p", 3, "CANDIDATES", 2, .1, .2, .3)
    first.fails("syntax", "TVGP.ASK", "p", 3, "NONSENSE", 1)
    first.fails("syntax", "TVGP.ASK", "p", 3, "SLATE", 33)
    first.fails("no budget", "TVGP.CHARGE", "p", 1, 1)
    first.fails("box", "TVGP.SHARES", "p")
    first.fails("t = ", "TVGP.ASK", "p", "1e300", "CANDIDATES", 1, .1, .2)
    assert first.ask("p", 4)["arm"] == -1
    first.create("k", "gp-ucb indices=3 contexts=2 se=1")
    assert float(first.call("TVGP.ASK", "k", 1, "CONTEXT", 1, 1)[5]) == 1
    assert first.call("TVGP.TELL", "p", 99, 1) == 0
    first.fails("syntax", "TVGP.TELL", "p", 1, 1, "AT", 1)
    line = first.events("p")[-1]
    first.fails("missing", "TVGP.APPLY", "p", line.replace(f'"n":{json.loads(line)["n"]}', '"n":99'))
    first.fails("byte", "TVGP.APPLY", "p", "{}")
    assert first.call("EVAL", "return redis.call('TVGP.ASK', KEYS[1], ARGV[1])", 1, "p", 5)[0] >= 1
    before = first.state("p")
    assert first.call("TVGP.TRIM", "p", 2) > 0 and first.state("p") == before
    assert json.loads(first.events("p")[0])["t"] >= 2


def damage(server):
    first = Store(server.port)
    first.create("d", store.describe("tv-gp-ucb"))
    store.play(first, "d", 5)
    whole = first.state("d")
    for bytes_ in (b"", whole[:100], whole[:200] + b"?" + whole[201:]):
        first.fails("tvgp_policy_load", "TVGP.RESTORE", "e", store.describe("tv-gp-ucb") + " time.clamp=1", 9, bytes_)
    assert first.call("EXISTS", "e") == 0


def workers(server):
    """The server is killed too, as a worker is: at most the last second is lost, and no query comes twice in an epoch."""
    first = Store(server.port)
    first.create("w", store.describe("tv-gp-ucb"))
    given = store.killed([sys.executable, "-B", __file__, MODULE, "worker", str(server.port)], store.PAIRS, 50 if store.ALL else 10)
    events = store.check_log(first, "w")
    lost = set(given) - {(e["epoch"], e["id"]) for e in events if e["call"] == "ask"}
    assert not lost, f"queries that are not in the log: {lost}, events {[e for e in events if e.get('id') in {i for _, i in lost}]}"


def guide(server):
    first = Store(server.port)
    for block in store.page("redis.md", "text"):
        for line in block.strip().splitlines():
            words, quoted = [], line.split('"')
            for i, part in enumerate(quoted):
                words += [part] if i % 2 else part.split()
            if words and words[0].startswith("TVGP."):
                first.call(*words)
    assert first.asked("price") >= 1


def main():
    if not shutil.which("redis-server"):
        store.skip("no redis-server")
    place = pathlib.Path(tempfile.mkdtemp())
    server = Server(place / "first", "--appendonly", "yes", "--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes")
    try:
        refused(server)
        damage(server)
        first = Store(server.port)
        store.policies(first, lambda: reloaded(server))
        store.serving(first, lambda: reloaded(server))
        replica(server, place)
        workers(server)
        guide(server)
        restarts(server)
    finally:
        server.stop()
        shutil.rmtree(place)


def reloaded(server):
    """The state after the append-only file was read again."""
    found = Store(server.port)
    found.call("DEBUG", "LOADAOF")
    return found


if sys.argv[2:3] == ["worker"]:
    store.worker(lambda: Store(sys.argv[3]), "w", 100000)
else:
    main()
