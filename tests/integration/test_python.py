# SPDX-License-Identifier: MIT
"""test_python.py BUILD SQLITE_MODULE|- [POSTGRES_MODULE PG_CONFIG]: policies that Python processes share
(docs/guide/sharing-from-python.md), and exchange of a file with the module for SQLite and of a database with the one for PostgreSQL, if
they are given. The library is built without BLAS, like the modules' and a wheel's: other sums differ by rounding."""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import hostile
import store

if not hasattr(sqlite3.Connection, "enable_load_extension") and sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])


def linked(build, place):
    """The library without BLAS as a shared library."""
    path = place / "libtvgp.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-o", path, "-Wl,--whole-archive", f"{build}/libtvgp_plain.a", "-Wl,--no-whole-archive", "-lm"], check=True)
    shutil.copy(f"{build}/tvgp.json", place)
    os.environ.update(TVGP_LIBRARY=str(path), PYTHONPATH=str(store.ROOT / "src/bindings/python"))


PLACE = None
if sys.argv[1] not in ("worker", "stubborn"):
    PLACE = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    linked(sys.argv[1], PLACE)
    sys.path.insert(0, os.environ["PYTHONPATH"])
import tvgp._dashboard  # pylint: disable=wrong-import-position

BUILD, MODULE = sys.argv[1], sys.argv[2]
WAITS = 10 if sys.argv[1] == "worker" else 30


class Store:
    """The interface of store.py over tvgp.open. Names of policies are looked up in one database."""

    FAILED, EXPECTED = Exception, ("no such savepoint", "cannot start a transaction", "no transaction", "locked")

    def __init__(self, url, timeout=WAITS):
        self.url, self.timeout, self.opened = url, timeout, {}
        self.connection = None

    def create(self, name, description):
        if name in self.opened:
            self.of(name)._call("create", description=description)
        self.opened[name] = self.same(tvgp.open(self.url, name, description, snapshot_every=7, timeout=self.timeout))

    def same(self, shared):
        """All policies of this store use one connection, as in a module."""
        if self.connection is None:
            self.connection = shared.connection
            self.run("PRAGMA synchronous=off" if self.url.startswith("sqlite") else "SET synchronous_commit=off")
        else:
            shared.connection.close()
            shared._rows.database.db = self.connection
        return shared

    def of(self, name):
        if name not in self.opened:
            self.opened[name] = self.same(tvgp.open(self.url, name, timeout=self.timeout))
        return self.opened[name]

    def ask(self, name, t, context=None, candidates=None, slate=None):
        q = self.of(name).ask(t, context=context, candidates=candidates, slate=slate)
        return q and q._asdict()

    def tell(self, name, query, y, t, epoch):
        return self.of(name).skip(query, t=t, epoch=epoch) if y is None else self.of(name).tell(query, y, t=t, epoch=epoch)

    def observe(self, name, x, y, t):
        self.of(name).observe(x, y, t=t)

    def ask_slate(self, name, k, t):
        return [q._asdict() for q in self.of(name).ask(t, slate=k)]

    def shares(self, name, power, floor):
        return [(row.probability, row.share) for row in self.of(name).shares(draws=500, power=power, floor=floor)]

    def budget(self, name, budget, period, asks, costs):
        self.of(name).set_budget(budget, period, asks)
        self.costs(name, costs)

    def costs(self, name, costs):
        self.of(name).set_costs(costs)

    def weight(self, name, weight):
        self.of(name).set_cost_weight(weight)

    def fit(self, name):
        return not self.of(name).fit()

    def payoffs(self, name, values):
        self.of(name).set_payoffs(values)

    def outputs(self, name, x, y, t, values):
        self.of(name).observe(x, y, t=t, outputs=values)

    def charge(self, name, query, cost):
        return self.of(name).charge(query, cost)

    def count(self, name, query, y, exposure):
        assert self.of(name).tell(query, y, exposure=exposure)

    def ratio(self, name, query, y, reference):
        assert self.of(name).tell(query, y, reference=reference)

    def stat(self, name, key):
        return self.of(name).stat(key)

    def asked(self, name):
        return self.stat(name, "asked")

    def state(self, name):
        return self.of(name).state()

    def events(self, name):
        return [json.dumps(event) for event in self.of(name).events()]

    def close(self):
        for shared in self.opened.values():
            shared._rows.database.db = self.connection
            shared.close()

    def run(self, text):
        self.connection.execute(text)

    def modes(self):
        def enclose(begin, undo, end, call):
            if begin:
                self.connection.execute(begin)
            try:
                call()
                return None
            except tvgp.Error as e:
                if undo:
                    self.connection.execute(undo)
                return e
            finally:
                if end:
                    self.connection.execute(end)
        return {mode: (lambda call, ways=ways: enclose(*ways, call)) for mode, ways in
                {"alone": ("", "", ""), "transaction": ("BEGIN", "", "COMMIT"), "undone": ("BEGIN", "SAVEPOINT s", "COMMIT")}.items()}


def workers(url):
    first = Store(url)
    first.create("w", store.describe("tv-gp-ucb"))
    pairs, kills = (10000, 100) if store.ALL else (200, 10)
    given = store.killed([sys.executable, "-B", __file__, "worker", url], pairs, kills)
    events = store.check_log(first, "w")
    assert set(given) <= {(e["epoch"], e["id"]) for e in events if e["call"] == "ask"}
    assert first.state("w") == Store(url).state("w") == replayed(first.of("w")), "the state differs from a replay"


def interrupted(place):
    """Two processes that use a policy, and get SIGINT at any moment, as by Ctrl-C: they go on, no id is given out twice, and the state in
    memory is the state in the file."""
    url = f"sqlite:///{place}/interrupted.db"
    shop = tvgp.open(url, "p", ["a", "b"], snapshot_every=7)
    shop.connection.execute("PRAGMA synchronous=off")
    rng, given, signals = random.Random(1), [], 2000 if store.ALL else 50
    said = place / "interrupted.txt"  # ctypes reports each exception that it drops
    with open(said, "w", encoding="utf-8") as file:
        children = [subprocess.Popen([sys.executable, "-B", __file__, "stubborn", url], stdout=subprocess.PIPE, stderr=file, text=True) for _ in range(2)]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for _ in range(signals):
        time.sleep(rng.random() * .01)
        rng.choice(children).send_signal(signal.SIGINT)
    for child in children:
        child.terminate()
        given += [int(line) for line in child.communicate()[0].split()]
        assert child.returncode == 0, said.read_text(encoding="utf-8")[-2000:]
    asked = [e["id"] for e in shop.events() if e["call"] == "ask"]
    assert len(set(given)) == len(given) > signals / 20 and set(given) <= set(asked) and len(set(asked)) == len(asked)
    assert shop.state() == tvgp.open(url, "p").state() == replayed(shop)


def stubborn(url):
    """One of these processes, until SIGTERM."""
    shop, ended, armed = tvgp.open(url, "p"), [], []

    def interrupt(*_):
        if armed:
            armed.clear()
            raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    signal.signal(signal.SIGINT, interrupt)
    os.write(1, b"ready\n")
    while not ended:
        try:
            armed.append(True)
            while not ended:
                q = shop.ask()
                os.write(1, b"%d\n" % q.id)
                shop.tell(q, store.outcome(q.id))
        except KeyboardInterrupt:
            pass
    armed.clear()
    shop.ask()
    assert not shop.connection.in_transaction
    shop.connection.execute("BEGIN IMMEDIATE")  # keeps the other process from writing in between
    assert shop.state() == tvgp.open(url, "p").state()
    shop.connection.execute("COMMIT")


def replayed(shared):
    """The state after all events, without snapshots."""
    described = shared._rows.row(shared.name, False)[4]
    fresh = tvgp.Policy.described(described)
    for event in shared.events():
        tvgp._shared._apply(fresh, json.dumps(event))
    return fresh.save()


def clients(first, again):
    hostile.refusals(first, again)
    hostile.clocks(first)
    hostile.rollbacks(first, again, "transaction", lambda: first.run("BEGIN"), lambda commit: first.run("COMMIT" if commit else "ROLLBACK"))


def moves(place):
    """Two connections to one file that undo and interrupt each other."""
    url = f"sqlite:///{place}/two.db"
    two = [Store(url, .02), Store(url, .02)]

    def run(text):
        def call(client):
            if not client.connection: # before its first call
                return
            try:
                client.run(text)
            except sqlite3.OperationalError as e:
                assert re.search("savepoint|transaction|locked", str(e)), e
        return call
    hostile.interrupting(two, "two", lambda: Store(url), {"begin": run("BEGIN"), "end": run("COMMIT"),
                                                        "rollback": run("ROLLBACK"), "savepoint": run("SAVEPOINT s"), "to": run("ROLLBACK TO s")})


def exchanged(place):
    """A file of the module is continued by Python and back: both have the same bytes."""
    if MODULE == "-":
        return print("skipped: exchange with SQLite, the module was not built")
    path = str(place / "exchange.db")
    probe = sqlite3.connect(":memory:")
    if not hasattr(probe, "enable_load_extension"):
        return print("skipped: exchange with SQLite, this Python loads no extensions")

    def module():
        db = sqlite3.connect(path, isolation_level=None)
        db.enable_load_extension(True)
        db.load_extension(os.path.abspath(MODULE).removesuffix(".so"))
        return lambda text, *values: db.execute(text, values).fetchone()[0]
    sql = module()
    sql("SELECT tvgp_create('p', 'auto-gp-ucb names=a,b,c', 5)")
    twin = tvgp.open(f"sqlite:///{place}/twin.db", "p", ["a", "b", "c"], snapshot_every=5)
    mine = tvgp.open("sqlite:///" + path, "p", ["a", "b", "c"])
    for t in range(40):
        if t == 20:
            sql("SELECT tvgp_extend('p', '[\"d\"]')")
            twin.extend("d")
        if t == 25:
            mine.set_available(["d", "a"])
            twin.set_available(["d", "a"])
        q, other = (mine.ask(t) if t % 2 else json.loads(sql("SELECT tvgp_ask('p', ?)", t))), twin.ask(t)
        query = q if isinstance(q, dict) else q._asdict()
        assert (query["id"], query["name"], query["propensity"]) == (other.id, other.name, other.propensity)
        if t % 3:
            sql("SELECT tvgp_tell('p', ?, ?, NULL, ?)", query["id"], store.outcome(t), query["epoch"])
        else:
            mine.tell(query["id"], store.outcome(t))
        twin.tell(other, store.outcome(t))
        assert sql("SELECT tvgp_state('p')") == mine.state() == twin.state(), t
    assert mine.trim(30) > 0 and sql("SELECT tvgp_stat('p', 'asked')") == 40
    assert module()("SELECT tvgp_state('p')") == tvgp.open("sqlite:///" + path, "p").state()
    copy = tvgp.open("sqlite:///" + path, "p").policy()
    assert copy.domain.n == 4 and list(copy.predict(40)[0]) == [arm.mean for arm in mine.arms(40)]


def schemas():
    """The modules create the same tables."""
    def tables(text):
        return [re.sub(r"\s+|IF NOT EXISTS|tvgp[._]", "", one) for one in re.findall(r"CREATE TABLE [^;]*\)(?= WITHOUT ROWID;| WITH \(\w+ = \d+\);|;)", text)]
    module = (store.ROOT / "src/integration/sqlite/tvgp_sqlite.c").read_text(encoding="utf-8")
    assert len(tables(tvgp._shared._SQLITE)) == 3 and tables(tvgp._shared._SQLITE) == tables(re.sub(r'"\n\s*"', "", module))
    script = (store.ROOT / "src/integration/postgres/tvgp--1.0.sql").read_text(encoding="utf-8")
    assert len(tables(tvgp._shared._POSTGRESQL)) == 3 and tables(tvgp._shared._POSTGRESQL) == tables(script)


def fails(error, said, call):
    try:
        call()
    except error as e:
        assert said in str(e), e
        return
    raise AssertionError(f"did not fail: {said}")


def messages(place):
    """Errors name the database and the policy, and show no password. A refused call changes nothing."""
    url = f"sqlite:///{place}/messages.db"
    fails(tvgp.Error, f"policy 'p' in tvgp_policy of {url}: there is no such policy", lambda: tvgp.open(url, "p"))
    shop = tvgp.open(url, "p", ["a", "b"], noise=.1, outlier__sd=4)
    assert shop._rows.row("p", False)[4].startswith("auto-gp-ucb names=a,b noise=0.1 outlier.sd=4")
    before = shop.state()
    for said, call in (("unknown action 'c'", lambda: shop.set_available(["c"])), ("y = None must be a number", lambda: shop.tell(1, None)),
                       ("t = 'now' must be a number", lambda: shop.ask("now")), ("query = 1.5 must be a whole number", lambda: shop.tell(1.5, 1)),
                       ("'b', which is an action already", lambda: shop.extend("b")), ("unknown statistic", lambda: shop.stat("askd")),
                       ("context", lambda: shop.ask(context=object()))):
        fails((tvgp.Error, TypeError), said, call)
    assert shop.state() == before and shop.tell(1, 5) is False
    fails(ValueError, "was created as", lambda: tvgp.open(url, "p", ["a", "b", "c"]))
    assert tvgp.open(url, "p", "outlier.sd=4 auto-gp-ucb noise=0.1 names=a,b").state() == before, "the order of words is free"
    fails(ValueError, "options[1] = 'b c'", lambda: tvgp.open(url, "q", ["a", "b c"]))
    fails(TypeError, "require options", lambda: tvgp.open(url, "p", noise=.1))
    fails(ValueError, "mysql://me:***@host/x", lambda: tvgp.open("mysql://me:secret@host/x", "p"))
    fails(tvgp.Error, "unknown option", lambda: tvgp.open(url, "q", ["a"], nosie=1))
    other = tvgp.open(url, "p", timeout=0)
    shop.connection.execute("BEGIN IMMEDIATE")
    fails(tvgp.Error, f"policy 'p' in tvgp_policy of {url}: database is locked", other.ask)
    shop.connection.execute("ROLLBACK")
    assert other.ask().id == 1
    other.connection.execute("UPDATE tvgp_event SET line = replace(line, '\"n\":1', '\"n\":2')")
    fails(tvgp.Error, "event 1 is damaged", tvgp.open(url, "p").ask)
    shop.close()
    fails(ValueError, "is closed", shop.ask)


def lost(place):
    """ctypes drops an exception, such as KeyboardInterrupt, before the first statement of a function for C, which then returns anything. The
    call is undone and raises KeyboardInterrupt, and no id is given out twice."""
    url = f"sqlite:///{place}/lost.db"
    tvgp.open(url, "p", ["a", "b"], snapshot_every=1).ask(1)
    for name in ("append", "read_description", "write_snapshot"):
        for returned in (0, 12345):
            if (name, returned) == ("write_snapshot", 0):
                continue  # a snapshot that is not written is not needed
            fresh = tvgp.open(url, "p")
            before = fresh.events()
            kept = getattr(tvgp._shared._Rows, name)
            setattr(tvgp._shared._Rows, name, lambda *_, status=returned: status)
            try:
                broken = tvgp.open(url, "p")
                fails(KeyboardInterrupt, "", lambda: broken.ask(2))
            finally:
                setattr(tvgp._shared._Rows, name, kept)
            assert fresh.events() == before and not broken.connection.in_transaction
    assert tvgp.open(url, "p").ask(3).id == 2


def forked(place):
    """Threads take turns; a forked process connects again."""
    shop = tvgp.open(f"sqlite:///{place}/forked.db", "p", ["a", "b"])
    seen = []

    def play():
        for _ in range(10):
            q = shop.ask()
            seen.append(q.id)
            shop.tell(q, 1)
    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if shop.ask().id == 31 else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert shop.ask().id == 32 and sorted(seen) == list(range(1, 31))


def guide(place):
    """The two programs of the page, in two processes."""
    blocks = store.page("sharing-from-python.md", "python")
    for block in blocks[:2]:
        subprocess.run([sys.executable, "-B", "-c", block], cwd=place, check=True, stdout=subprocess.DEVNULL)
    shop = tvgp.open(f"sqlite:///{place}/shop.db", "price")
    assert {row.name for row in shop.shares()} == {"9", "11", "13", "15"}
    assert {shop.ask().name for _ in range(8)} <= {"9", "13", "15"}, "11 was withdrawn"
    assert shop.state() == replayed(shop)


def postgres(place):
    """The same over psycopg, with tables that Python created, then with the module's."""
    module, config = sys.argv[3:5]
    try:
        import psycopg  # noqa: F401  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return print("skipped: PostgreSQL, psycopg is not installed (Debian: python3-psycopg)")
    sys.argv[1:] = [module, config]
    import test_postgres  # pylint: disable=import-outside-toplevel
    os.mkdir(place / "pg")
    place = place / "pg"
    os.chmod(place.parent, 0o755)
    try:
        test_postgres.prepare(place)
        url = f"postgresql://postgres:secret@/{{}}?host={place}&port={test_postgres.PORT}"
        test_postgres.Store(place).rows("CREATE DATABASE bare")
        bare = url.format("bare")
        store.policies(Store(bare), lambda: Store(bare))
        store.serving(Store(bare), lambda: Store(bare))
        clients(Store(bare), lambda: Store(bare))
        workers(bare)
        fails(tvgp.Error, "postgres:***@", lambda: tvgp.open(bare, "none"))
        view = tvgp._dashboard._View(bare)
        assert "w" in view.names() and view.policy("w")["n"] == view.shared("w").events()[-1]["n"] and view.metrics().endswith("# EOF\n")
        sql, mine = test_postgres.Store(place), Store(url.format("postgres"))
        sql.create("p", store.describe("tv-gp-ucb"))
        for t in range(40):
            side, other = (sql, mine) if t % 2 else (mine, sql)
            q = side.ask("p", t)
            assert other.tell("p", q["id"], store.outcome(t), None, q["epoch"])
        assert sql.one("SELECT md5(tvgp.state('p'))") == hashlib.md5(mine.state("p")).hexdigest()
    finally:
        test_postgres.server(place, "pg_ctl", "-m", "immediate", "-w", "stop")


def main():
    place = PLACE
    try:
        schemas()
        messages(place)
        lost(place)
        forked(place)
        interrupted(place)
        exchanged(place)
        url = f"sqlite:///{place}/all.db"
        store.policies(Store(url), lambda: Store(url))
        store.serving(Store(url), lambda: Store(url))
        clients(Store(url), lambda: Store(url))
        moves(place)
        workers(f"sqlite:///{place}/workers.db")
        guide(place)
        if sys.argv[3:]:
            postgres(place)
    finally:
        shutil.rmtree(place)


if sys.argv[1] == "worker":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    store.worker(lambda: Store(sys.argv[2]), "w", 100000)
elif sys.argv[1] == "stubborn":
    stubborn(sys.argv[2])
else:
    main()
