# SPDX-License-Identifier: MIT
"""test_redis.py MODULE [PART..]: policies inside Redis (docs/guide/redis.md), in servers of their own; PART: a function of this file
instead of all."""
import json
import os
import pathlib
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import hostile
import store

MODULE = os.path.abspath(sys.argv[1])


class Failed(Exception):
    pass


class Store:
    FAILED, EXPECTED = Failed, ("EXEC", "WATCH inside MULTI")

    """A connection, with the protocol of Redis spelt out: no client is needed."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.file = self.socket.makefile("rb")
        self.enclosing = "alone"

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
        """In the enclosing transaction, script, or alone."""
        if self.enclosing == "multi":
            self.send("MULTI")
            self.send(*words)
            found = self.send("EXEC") or [Failed("EXEC: the key has changed")]
            if isinstance(found[0], Failed):
                raise found[0]
            return found[0]
        if self.enclosing == "script":
            return self.send("EVAL", "return redis.call(unpack(ARGV))", 1, words[1], *words)
        return self.send(*words)

    def modes(self):
        """For each way to enclose a call, a function that encloses it and returns its error."""
        def enclose(way, call):
            self.enclosing = way
            try:
                call()
                return None
            except Failed as e:
                return e
            finally:
                self.enclosing = "alone"
        return {way: (lambda call, way=way: enclose(way, call)) for way in ("alone", "multi", "script")}

    def send(self, *words):
        text = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(text) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in text))
        found = self.read()
        if isinstance(found, Failed):
            raise found
        return found

    def create(self, name, description):
        self.call("TVGP.CREATE", name, description)

    def ask(self, name, t, context=(), candidates=()):
        found = self.call("TVGP.ASK", name, *([] if t is None else ["T", t]), *(["CONTEXT", list(context)] if context else []),
                          *(["CANDIDATES", candidates] if candidates else []))
        return found and {"id": found[0], "epoch": found[1], "arm": found[2], "x": [float(v) for v in found[5:]]}

    def tell(self, name, query, y, t, epoch):
        return self.call("TVGP.TELL", name, query, "null" if y is None else y, *([] if t is None else ["T", t]),
                         *([] if epoch is None else ["EPOCH", epoch])) == 1

    def observe(self, name, x, y, t):
        return self.call("TVGP.OBSERVE", name, list(x), y, "T", t)

    def ask_slate(self, name, k, t):
        return [{"id": found[0], "epoch": found[1], "arm": found[2]} for found in self.call("TVGP.ASK_SLATE", name, k, "T", t)]

    def shares(self, name, power, floor):
        return [(float(p), float(s)) for _, _, p, s, *_ in self.call("TVGP.SHARES", name, "DRAWS", 500, "POWER", power, "FLOOR", floor)]

    def budget(self, name, budget, period, asks, costs):
        self.call("TVGP.SET_BUDGET", name, budget, period, asks)
        self.costs(name, costs)

    def costs(self, name, costs):
        self.call("TVGP.SET_COSTS", name, list(costs))

    def outputs(self, name, x, y, t, values):
        assert self.call("TVGP.OBSERVE", name, x, y, "T", t, "OUTPUTS", values) == 1

    def weight(self, name, weight):
        assert self.call("TVGP.SET_COST_WEIGHT", name, weight) == 1

    def fit(self, name):
        return self.call("TVGP.FIT", name, "pieces", 3) == 1

    def payoffs(self, name, values):
        assert self.call("TVGP.SET_PAYOFFS", name, list(values)) == 1

    def stat(self, name, key):
        return float(self.call("TVGP.STAT", name, key))

    def charge(self, name, query, cost):
        return self.call("TVGP.CHARGE", name, query, cost) == 1

    def count(self, name, query, y, exposure):
        assert self.call("TVGP.TELL", name, query, y, "EXPOSURE", exposure) == 1

    def ratio(self, name, query, y, reference):
        assert self.call("TVGP.TELL", name, query, y, "REFERENCE", reference) == 1

    def available(self, name, arms):
        assert self.call("TVGP.SET_AVAILABLE", name, json.dumps(arms)) == 1

    def extend(self, name, arms):
        assert self.call("TVGP.EXTEND", name, json.dumps(arms)) == 1

    def arms(self, name):
        return len(self.call("TVGP.ARMS", name))

    def state(self, name):
        return self.call("TVGP.STATE", name)

    def asked(self, name):
        return float(self.call("TVGP.STAT", name, "asked"))

    def events(self, name):
        return [line.decode() for line in self.call("TVGP.EVENTS", name)]

    def close(self):
        self.file.close()
        self.socket.close()

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
                                         str(self.place), "--crash-memcheck-enabled", "no", "--save", "", *self.words], stdout=(self.place / "log").open("ab"))
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
        hostile.interrupting([first, Store(server.port)], "rr", lambda: Store(server.port), {"end": lambda c: None})
        assert first.call("WAIT", 1, 5000) == 1
        assert second.state("r") == first.state("r") and second.events("r") == first.events("r")
        assert second.state("rr") == first.state("rr") and second.events("rr") == first.events("rr")
        second.fails("READONLY", "TVGP.ASK", "r")
        assert len(second.call("TVGP.ARMS", "r", "T", 40)) == 11
    finally:
        other.stop()


def refused(server):
    first = Store(server.port)
    first.fails("nearest is 'noise'", "TVGP.CREATE", "p", "gp-ucb grid=0:1:3 nosie=1")
    first.fails("quota", "TVGP.CREATE", "p", "gp-ucb indices=2000000 se=1")
    first.fails("no policy 'p'", "TVGP.ASK", "p")
    first.call("SET", "text", "x")
    first.fails("WRONGTYPE", "TVGP.ASK", "text")
    first.fails("WRONGTYPE", "TVGP.EVENTS", "text")
    first.fails("no such policy", "TVGP.EVENTS", "nothing")
    assert first.call("PING") == "PONG"
    first.create("p", "gp-ucb box=0:1,0:1 se=.3")
    first.fails("there is a policy 'p' already", "TVGP.CREATE", "p", "gp-ucb grid=0:1:3 se=1")
    found = first.call("TVGP.ASK", "p", "T", 1, "CANDIDATES", [[.1, .2], [.3, .4]])
    assert found[2] in (0, 1) and found[3] is None and len(found) == 7
    assert first.ask("p", 2)["arm"] == -1
    first.fails("candidates", "TVGP.ASK", "p", "T", 3, "CANDIDATES", [[.1, .2], [.3]])
    first.fails("nonsense", "TVGP.ASK", "p", "NONSENSE", 1)
    first.fails("arguments", "TVGP.ASK", "p", 3)
    first.fails("slate", "TVGP.ASK_SLATE", "p", 33)
    first.fails("budget", "TVGP.CHARGE", "p", 1, 1)
    first.fails("box", "TVGP.SHARES", "p")
    first.fails("NUL", "TVGP.STAT", "p", b"asked\0x")
    first.fails("one  line", "TVGP.STAT", "p", "one\r\nline")
    first.create("k", "gp-ucb indices=3 contexts=2 se=1")
    assert float(first.call("TVGP.ASK", "k", "T", 1, "CONTEXT", 1)[6]) == 1
    assert first.call("TVGP.TELL", "p", 99, 1) == 0
    for command in ("BEST", "ARMS", "SHARES"):
        for t in ("nan", "inf", "", "1,5", "0x10", "now", "[1]"):
            first.fails("t", "TVGP." + command, "k", "T", t)
    for y in ("nan", "inf", "1,5", "0x10", "1e400", " ", "n/a", "12 EUR"):
        first.fails("y", "TVGP.TELL", "k", 1, y)
        first.fails("y", "TVGP.OBSERVE", "k", "[1, 1]", y, "T", 3)
    assert first.call("EVAL", "return redis.call('TVGP.ASK', KEYS[1], 'T', ARGV[1])", 1, "p", 5)[0] >= 1
    before = first.state("p")
    assert first.call("TVGP.TRIM", "p", 2) > 0 and first.state("p") == before
    assert json.loads(first.events("p")[0])["t"] >= 2
    assert first.call("TVGP.DROP", "p") == 1 and first.call("EXISTS", "p") == 0


def named(server):
    """Names in every call; an unavailable arm is not asked; a failed query is closed; a policy that is dropped may be created again."""
    first = Store(server.port)
    first.create("n", "auto-gp-ucb names=red,green,blue")
    found = first.call("TVGP.ASK", "n", "T", 1)
    assert found[3] == [b"red", b"green", b"blue"][found[2]], found
    assert first.call("TVGP.FAIL", "n", found[0]) == 1 and first.call("TVGP.FAIL", "n", found[0]) == 0
    first.call("TVGP.SET_AVAILABLE", "n", '["green"]')
    for t in range(2, 5):
        assert first.call("TVGP.ASK", "n", "T", t)[3] == b"green"
    assert first.call("TVGP.SKIP", "n", 2) == 1
    first.call("TVGP.OBSERVE", "n", "blue", 1, "T", 5)
    assert [row[1] for row in first.call("TVGP.ARMS", "n")] == [b"red", b"green", b"blue"]
    first.fails("blue", "TVGP.OBSERVE", "n", "blu", 1)
    first.call("TVGP.EXTEND", "n", '["white"]')
    assert first.call("TVGP.ARMS", "n")[3][1] == b"white"
    query = first.call("TVGP.ASK", "n", "T", 6)[0]
    assert first.call("TVGP.TELL", "n", query, 1, "PARTIAL", "true", "NOISE", 1) == 1 == first.call("TVGP.TELL", "n", query, 1)
    assert first.state("n") == reloaded(server).state("n")
    first.call("TVGP.DROP", "n")
    assert reloaded(server).call("EXISTS", "n") == 0
    first.create("n", "gp-ucb names=a,b")
    assert first.call("TVGP.BEST", "n")[1] in (b"a", b"b") and first.asked("n") == 0


def forged(server):
    """APPLY takes the next line only, RESTORE numbers up to 2^53 and consistent lines."""
    first = Store(server.port)
    first.create("f", store.describe("tv-gp-ucb"))
    store.play(first, "f", 5)
    state, lines = first.state("f"), first.events("f")
    last = json.loads(lines[-1])["n"]
    for n in (1, last, last + 2, 0, -5, 2**53, 2**63 - 1, -2**63):
        first.fails("", "TVGP.APPLY", "f", lines[-1].replace(f'"n":{last}', f'"n":{n}'))
    for line in ("{}", "", "null", lines[0], "x" * 1000, '{"n":%d,"call":"fit","arm":1000000000}' % (last + 1)):
        first.fails("", "TVGP.APPLY", "f", line)
    assert first.state("f") == state and first.events("f") == lines
    description = store.describe("tv-gp-ucb") + " time.clamp=1"
    for numbers in ((2**63 - 1, 0, 1, 0, 0), (-1, 0, 1, 0, 0), (0, 0, 0, 0, 0), (1, 0, 1, 2, 0), (2**53 + 1, 0, 1, 0, 0), ("x", 0, 1, 0, 0), (1, 0, "", 0, 0)):
        for text in (b"", b"1 {}\0"):
            first.fails("damaged", "TVGP.RESTORE", "e", description, "", text, *numbers)
    for text in (b"1 {}", b"1 {}\0x\0", b"1 {}\0\0", b"{}\0", b"1{}\0", b"1 {}\0" * 6):
        first.fails("damaged", "TVGP.RESTORE", "e", description, "", text, 5, 0, 1, 0, 0)
    first.fails("damaged", "TVGP.RESTORE", "e", b"gp\0", "", "", 0, 0, 1, 0, 0)
    first.fails("arguments", "TVGP.RESTORE", "e", description, "", "", 0, 0, 1, 0)
    for text, *numbers in ((b"", 0, 0, 1, 0, 0), (b"", 5, 0, 1, 5, 0), (b"", 2**53, 0, 1, 0, 0), (b"1 {}\0", 1, 0, 1, 0, 0),
                           (b"1 {}\0" * 1000, 100000, 0, 1, 0, 0)):
        first.call("DEL", "e")
        first.call("TVGP.RESTORE", "e", description, "", text, *numbers)
        first.fails("", "TVGP.ASK", "e")
    first.call("DEL", "e")


def damage(server):
    """A dump with a changed byte is refused, or an error of every call, unless the byte is in a part that the state does not need."""
    first = Store(server.port)
    first.call("TVGP.CREATE", "d", store.describe("tv-gp-ucb"), "SNAPSHOT_EVERY", 7)
    store.play(first, "d", 20)
    dump = first.call("DUMP", "d")
    for at in range(60, len(dump) - 10, max(1, (len(dump) - 70) // 60)):
        body = dump[:at] + bytes([dump[at] ^ 1]) + dump[at + 1:-8]
        try:
            first.call("RESTORE", "e", 0, body + struct.pack("<Q", crc64(body)))
        except Failed:
            continue
        try:
            assert first.state("e") == first.state("d"), f"byte {at} changed the state"
        except Failed:
            first.fails("", "TVGP.ASK", "e")
        first.call("DEL", "e")


def bounded(server):
    """A call ends at most 2 s after the limit of the module, by the clock or by the processor time of the server."""
    first = Store(server.port)

    def busy():
        return sum(float(v) for v in re.findall(rb"used_cpu_(?:user|sys):([0-9.]+)", first.call("INFO", "cpu")))
    policies = ["gp-ucb grid=0:1:1000 se=.01", "auto-gp-ucb box=0:1,0:1,0:1,0:1,0:1,0:1 search.effort=1000"]
    if store.ALL:
        policies += ["gp-ucb grid=0:1:1000,0:1:1000 se=.001 exploration.floor=.1 propensity.draws=1000000",
                     "gp-ucb grid=0:1:200 choice=thompson propensity.draws=1048576 noise=.01 se=.1",
                     "sparq-gp-ucb grid=0:1:300 se=.1 kdpp.steps=100000"]
    for i, description in enumerate(policies):
        first.create(f"b{i}", description)
    for words in (("TVGP.SHARES", "b0", "DRAWS", 1048576), *(("TVGP.ASK", f"b{i}", "T", t) for i in range(1, len(policies)) for t in range(3)),
                  ("TVGP.CREATE", "b5", "gp-ucb names=" + ",".join(f"{i:x}" for i in range(150000)))):
        begin, used = time.monotonic(), busy()
        try:
            found = first.call(*words)
            if words[0] == "TVGP.ASK":
                first.call("TVGP.TELL", words[1], found[0], 1)
        except Failed as e:
            assert "TIME" in str(e) or "quota" in str(e) or "draws" in str(e), e
        took = time.monotonic() - begin, busy() - used
        assert min(took) < 4, (words[:2], took)
    first.call("DEL", *(f"b{i}" for i in range(6)))


def widest(server):
    """The most coordinates, and the longest slate."""
    first = Store(server.port)
    for n, contexts in ((64, "2"), (63, "2"), (32, ",".join(["0:1"] * 32))):
        points = ",".join(":".join([f"{i / 40:.3f}"] * n) for i in range(40))
        context = "1" if contexts == "2" else [.5] * (contexts.count(",") + 1)
        dim = n + (1 if contexts == "2" else len(context))
        try:
            first.create(f"w{n}", f"gp-ucb arms={points} contexts={contexts} se=1")
        except Failed as e:
            assert dim > 64 and "64" in str(e), e
            continue
        assert len(first.call("TVGP.ASK", f"w{n}", "T", 1, "CONTEXT", context)) == 5 + dim
        assert len(first.call("TVGP.BEST", f"w{n}")) == 4 + dim
        assert [len(query) for query in first.call("TVGP.ASK_SLATE", f"w{n}", 32, "T", 1, "CONTEXT", context)] == [5 + dim] * 32
        assert first.observe(f"w{n}", [0] * dim, 1, 2) == 1
        first.call("DEL", f"w{n}")


def crc64(data):
    """The checksum at the end of a dump."""
    if not CRC:
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (0x95ac9329ac4bc9b5 if byte & 1 else 0)
            CRC.append(byte)
    crc = 0
    for byte in data:
        crc = CRC[(crc ^ byte) & 255] ^ crc >> 8
    return crc


CRC = []


def mutated(server):
    """Dumps with a right checksum whose bytes were changed, cut or doubled are refused, or restored to a key that works."""
    first, rng, kept = Store(server.port), random.Random(store.SEED), 0
    bodies = []
    for i, description in enumerate(("gp-ucb indices=3", "auto-gp-ucb grid=0:1:5 se=.3", "gp-ucb box=0:1 at_most=5")):
        first.create(f"m{i}", description)
        for t in range(i):
            store.play(first, f"m{i}", 4 * t)
        dump = first.call("DUMP", f"m{i}")
        assert struct.unpack("<Q", dump[-8:])[0] == crc64(dump[:-8])
        bodies.append(dump[:-8])
    pid = first.call("INFO", "server")
    for i in range(10000 if store.ALL else 300):
        body = bytearray(rng.choice(bodies))
        for _ in range(rng.randint(1, 3)):
            at = rng.choice((rng.randrange(1, 40), rng.randrange(1, len(body) - 2)))
            body[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        if rng.random() < .3:
            cut = rng.randrange(2, len(body))
            body = body[:cut] + (body[cut - rng.randrange(cut):] if rng.random() < .5 else body[-2:])
        try:
            first.call("RESTORE", "mutant", 0, bytes(body) + struct.pack("<Q", crc64(body)))
        except Failed:
            continue
        except ConnectionError:
            raise AssertionError(f"seed {store.SEED}: mutant {i} ended the server: " + (server.place / "log").read_text(errors="replace")[-800:]) from None
        kept += 1
        first.call("DUMP", "mutant")
        for words in (("TVGP.ASK", "mutant"), ("TVGP.EVENTS", "mutant"), ("TVGP.STATE", "mutant")):
            try:
                first.call(*words)
            except Failed:
                pass
        first.call("DEL", "mutant")
    assert first.call("INFO", "server").split(b"process_id:")[1][:6] == pid.split(b"process_id:")[1][:6]
    print(f"seed {store.SEED}: {kept} mutants were restored")


def hostile_clients(server):
    first = Store(server.port)
    hostile.refusals(first, lambda: reloaded(server))
    hostile.clocks(first)
    moves = {"end": lambda c: None, "watch": lambda c: c.send("WATCH", "two"), "unwatch": lambda c: c.send("UNWATCH"),
             "multi": lambda c: setattr(c, "enclosing", "multi"), "alone": lambda c: setattr(c, "enclosing", "alone")}
    hostile.interrupting([first, Store(server.port)], "two", lambda: reloaded(server), moves)
    first.enclosing = "alone"


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
            if words:
                first.call(*words)
    assert first.asked("price") >= 1
    first.fails("NOPERM", "TVGP.RESTORE", "e", "gp-ucb indices=3", "", "", 0, 0, 1, 0, 0)
    first.call("ACL", "SETUSER", "default", "+tvgp.apply", "+tvgp.restore")


def main():
    if not shutil.which("redis-server"):
        store.skip("no redis-server")
    place = pathlib.Path(tempfile.mkdtemp())
    server = Server(place / "first", "--appendonly", "yes", "--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes")
    try:
        if sys.argv[2:]:
            for part in sys.argv[2:]:
                globals()[part](server)
            return
        for part in (refused, named, forged, damage, bounded, widest, mutated, hostile_clients):
            part(server)
        first = Store(server.port)
        store.policies(first, lambda: reloaded(server))
        store.serving(first, lambda: reloaded(server))
        if store.ALL:
            store.most_arms(first, lambda: reloaded(server))
            first.call("FLUSHALL")
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
