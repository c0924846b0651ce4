# SPDX-License-Identifier: MIT
"""test_sqlite.py EXTENSION: policies inside SQLite (docs/guide/sqlite.md). EXTENSION is the path of tvgp0.so."""
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

if not hasattr(sqlite3.Connection, "enable_load_extension"):  # some builds of Python leave it out
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        print("skipped: no Python whose sqlite3 loads extensions")
        sys.exit(77)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])

import store  # pylint: disable=wrong-import-position

EXTENSION = os.path.abspath(sys.argv[1])


class Store:
    FAILED = sqlite3.OperationalError

    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.db.enable_load_extension(True)
        self.db.load_extension(EXTENSION.removesuffix(".so"))
        self.db.execute("PRAGMA journal_mode=wal")
        self.db.execute("PRAGMA synchronous=normal")

    def one(self, text, *values):
        return self.db.execute(text, values).fetchone()[0]

    def create(self, name, description):
        self.one("SELECT tvgp_create(?, ?, 7)", name, description)

    def ask(self, name, t):
        found = self.one("SELECT tvgp_ask(?, ?)", name, t)
        return json.loads(found) if found else None

    def tell(self, name, query, y, t, epoch):
        return bool(self.one("SELECT tvgp_tell(?, ?, ?, ?, ?)", name, query, y, t, epoch))

    def observe(self, name, x, y, t):
        return self.one("SELECT tvgp_observe(?, ?, ?, ?)", name, json.dumps(x), y, t)

    def ask_slate(self, name, k, t):
        return json.loads(self.one("SELECT tvgp_ask_slate(?, ?, ?)", name, k, t))

    def shares(self, name, power, floor):
        return self.db.execute("SELECT probability, share FROM tvgp_shares(?, 500, ?, ?)", (name, power, floor)).fetchall()

    def budget(self, name, budget, period, asks, costs):
        self.one("SELECT tvgp_set_budget(?, ?, ?, ?)", name, budget, period, asks)
        self.costs(name, costs)

    def costs(self, name, costs):
        self.one("SELECT tvgp_set_costs(?, ?)", name, json.dumps(costs))

    def stat(self, name, key):
        return self.one("SELECT tvgp_stat(?, ?)", name, key)

    def weight(self, name, weight):
        assert self.one("SELECT tvgp_set_cost_weight(?, ?)", name, weight) == 1

    def outputs(self, name, x, y, t, values):
        assert self.one("SELECT tvgp_observe(?, ?, ?, ?, ?)", name, json.dumps(x), y, t, json.dumps({"outputs": values})) == 1

    def payoffs(self, name, values):
        assert self.one("SELECT tvgp_set_payoffs(?, ?)", name, json.dumps(values)) == 1

    def fit(self, name):
        return bool(self.one("SELECT tvgp_fit(?)", name))

    def charge(self, name, query, cost):
        return bool(self.one("SELECT tvgp_charge(?, ?, ?)", name, query, cost))

    def count(self, name, query, y, exposure):
        assert self.one("SELECT tvgp_tell(?, ?, ?, NULL, NULL, ?)", name, query, y, exposure)

    def ratio(self, name, query, y, reference):
        assert self.one("SELECT tvgp_tell(?, ?, ?, NULL, NULL, NULL, ?)", name, query, y, reference)

    def available(self, name, arms):
        self.one("SELECT tvgp_set_available(?, ?)", name, json.dumps(arms))

    def extend(self, name, arms):
        assert self.one("SELECT tvgp_extend(?, ?)", name, json.dumps(arms)) == 1

    def arms(self, name):
        return self.one("SELECT count(*) FROM tvgp_arms(?)", name)

    def state(self, name):
        return self.one("SELECT tvgp_state(?)", name)

    def asked(self, name):
        return self.one("SELECT tvgp_stat(?, 'asked')", name)

    def events(self, name):
        return [row[0] for row in self.db.execute("SELECT line FROM tvgp_event WHERE policy ="
                                                  " (SELECT id FROM tvgp_policy WHERE name = ?) ORDER BY n", (name,))]

    def fails(self, text, said, *values):
        try:
            self.db.execute(text, values).fetchall()
        except sqlite3.Error as e:
            assert said in str(e), (text, str(e))
            return
        raise AssertionError(text + " did not fail")


def workers(folder):
    path = str(folder / "workers.db")
    first = Store(path)
    first.create("p", store.describe("tv-gp-ucb"))
    given = store.killed([sys.executable, "-B", __file__, EXTENSION, "worker", path], store.PAIRS, 50 if store.ALL else 10)
    events = store.check_log(first, "p")
    assert set(given) <= {(e["epoch"], e["id"]) for e in events if e["call"] == "ask"}
    assert first.state("p") == Store(path).state("p")


def transactions(folder):
    path = str(folder / "rollback.db")
    a, b = Store(path), Store(path)
    for name in ("p", "twin"):
        a.create(name, store.describe("auto-gp-ucb"))
        store.play(a, name, 12)
    a.db.execute("BEGIN")
    q = a.ask("p", 20)
    a.db.execute("ROLLBACK")
    assert a.state("p") == a.state("twin") == b.state("twin")
    a.db.execute("BEGIN")
    a.db.execute("SAVEPOINT s")
    a.ask("p", 21)
    a.fails("SELECT tvgp_ask('p', 22), tvgp_ask('nobody')", "no policy 'nobody'")
    a.db.execute("ROLLBACK TO s")
    kept = a.ask("p", 20)
    a.db.execute("COMMIT")
    other = a.ask("twin", 20)
    assert kept["id"] == other["id"] == q["id"] and kept["arm"] == other["arm"]
    a.fails("SELECT tvgp_ask('p', 1e300)", "t = ")  # the call alone is undone
    a.db.execute("CREATE TABLE given(q)")
    a.db.execute("INSERT INTO given SELECT tvgp_ask('p', 23) FROM (VALUES (1), (2), (3))")  # a statement that writes encloses it
    assert a.one("SELECT count(DISTINCT q ->> 'id') FROM given") == 3
    assert b.ask("p", 24)["id"] == kept["id"] + 4
    assert a.state("p") == b.state("p") == Store(path).state("p")
    a.db.execute("CREATE VIEW v AS SELECT tvgp_ask('p')")
    a.fails("SELECT * FROM v", "unsafe use")


def clients(folder):
    """Two connections that interrupt each other; a rollback after each call; half a call leaves nothing."""
    path = str(folder / "clients.db")
    a, b = Store(path), Store(path)
    a.create("p", "gp-ucb indices=3 contexts=2 se=1")
    for t in range(30):
        for text in ('{"context": 1, "candidates": [[0, 1]]}', '{"context": 7}', '{"context": 1, "available": []}'):
            b.db.execute("BEGIN")
            b.fails("SELECT tvgp_ask('p', ?, ?)", "tvgp_ask: ", t, text)
            b.db.execute("COMMIT")
        b.db.execute("BEGIN")
        b.one("SELECT tvgp_ask('p', ?, '{\"context\": 0}')", t)
        b.db.execute("ROLLBACK")
        a.one("SELECT tvgp_ask('p', ?, '{\"context\": 1}')", t)
        assert a.one("SELECT count(*) FROM tvgp_event") == 2 * (t + 1) == b.one("SELECT n FROM tvgp_policy")
    assert a.state("p") == b.state("p") == Store(path).state("p")
    a.db.execute("BEGIN")
    a.create("again", "gp-ucb indices=3")
    a.state("again")
    a.db.execute("ROLLBACK")
    a.create("again", "gp-ucb box=10:20")
    assert a.ask("again", 1)["x"][0] >= 10 and b.ask("again", 2)["x"][0] >= 10


def damage(folder):
    path = str(folder / "damage.db")
    first = Store(path)
    first.create("p", store.describe("tv-gp-ucb"))
    store.play(first, "p", 20)
    whole = first.one("SELECT state FROM tvgp_snapshot")
    end = whole.index(b"\0") + 1
    for bytes_, said in ((whole[:100], "snapshot"), (b"", "snapshot"), (b"?" + whole[1:], "snapshot"),
                         (whole[:end + 200] + b"?" + whole[end + 201:], "snapshot")):
        first.db.execute("UPDATE tvgp_snapshot SET state = ?", (bytes_,))
        row = first.db.execute("SELECT * FROM tvgp_policy").fetchall()
        Store(path).fails("SELECT tvgp_ask('p')", said)
        assert row == first.db.execute("SELECT * FROM tvgp_policy").fetchall()
    first.db.execute("UPDATE tvgp_snapshot SET state = ?", (whole,))
    last = first.one("SELECT max(n) FROM tvgp_event")
    line = first.one("SELECT line FROM tvgp_event WHERE n = ?", last)
    for text in (line.replace("0", "1"), "", "{", b"\0\1", 7):
        first.db.execute("UPDATE tvgp_event SET line = ? WHERE n = ?", (text, last))
        Store(path).fails("SELECT tvgp_ask('p')", f"event {last} is damaged")
    first.db.execute("UPDATE tvgp_event SET line = ? WHERE n = ?", (line, last))
    first.db.execute("DELETE FROM tvgp_event WHERE n = ?", (last,))
    Store(path).fails("SELECT tvgp_ask('p')", f"event {last} is missing")


def trimmed(folder):
    path = str(folder / "trim.db")
    first, other = Store(path), Store(path)
    first.create("p", store.describe("tv-gp-ucb"))
    other.ask("p", 0)
    store.play(first, "p", 30)
    before = first.state("p")
    assert first.one("SELECT tvgp_trim('p', 10)") > 10
    assert first.one("SELECT min(line ->> 't') FROM tvgp_event WHERE line ->> 'call' = 'ask'") >= 10
    first.one("SELECT tvgp_trim('p', 1e9)")
    assert other.state("p") == before == Store(path).state("p")


def types(folder):
    """Integers, numbers and texts of numbers pass; everything else is refused with its text."""
    first = Store(str(folder / "types.db"))
    first.create("p", "auto-gp-ucb names=a,b,c")
    for y, kept in ((1, 1), (1.5, 1.5), ("12.5", 12.5), ("-1e-3", -.001), (True, 1)):
        q = first.ask("p", "2026-11-28T20:15:30Z")
        assert first.tell("p", q["id"], y, None, None)
        assert json.loads(first.events("p")[-1])["y"] == kept
    assert json.loads(first.events("p")[0])["t"] == 1795896930
    q = first.ask("p", 1795896931)
    events = first.events("p")
    for y in ("12,5", "n/a", "", "1.234,56", "12%", "€12", "1 200", "nan", "0x10", b"1", float("inf"), "1e400", 1e300):
        first.fails("SELECT tvgp_tell('p', ?, ?)", "tvgp_tell: y ", q["id"], y)
    first.fails("SELECT tvgp_tell('p', ?, '12,5')", "tvgp_tell: y = 12,5 must be a number", q["id"])
    first.fails("SELECT tvgp_observe('p', 'a', NULL)", "tvgp_observe: argument 'y' is missing")
    for table in ("tvgp_arms", "tvgp_shares"):
        first.fails(f"SELECT * FROM {table}", f"{table}: name is missing")
    for t in ("now", "2026-13-01", b"x", "1e300"):
        first.fails("SELECT tvgp_ask('p', ?)", "tvgp_ask: t ", t)
    for text, said in (('{"contex": 1}', "nearest is 'context'"), ('{"slate": 2.7}', "slate = 2.7"), ("[1]", "a JSON object"), ("{", "is no JSON"),
                       ('{"available": ["d"]}', "unknown action 'd'"), ('{"available": "x"}', "unknown action 'x'")):
        first.fails("SELECT tvgp_ask('p', 1795896932, ?)", said, text)
    first.fails("SELECT tvgp_ask('p' || char(0))", "must be a text without NUL")
    first.fails("SELECT tvgp_tell('p', ?, 1, NULL, ?)", "epoch", q["id"], q["epoch"] ^ 2)
    assert events == first.events("p"), "nothing has changed"
    assert first.tell("p", q["id"], None, None, q["epoch"]) and json.loads(first.events("p")[-1])["outcome"] == "skipped"


def vocabulary(folder):
    """Names in and out, available and new actions, failures, dropping."""
    path = str(folder / "names.db")
    first = Store(path)
    first.create("p", "auto-gp-ucb names=a,b,c")
    first.fails("SELECT tvgp_create('p', 'gp-ucb grid=0:1:3 se=1')", "tvgp_create: there is a policy 'p' already")
    first.one("SELECT tvgp_set_available('p', '[\"a\", 2]')")
    assert {first.ask("p", t)["name"] for t in range(4)} <= {"a", "c"}
    assert first.one("SELECT tvgp_fail('p', 1)") == first.one("SELECT tvgp_skip('p', 2)") == 1
    assert first.one("SELECT tvgp_skip('p', 2)") == 0
    assert json.loads(first.events("p")[-2])["outcome"] == "failed"
    first.one("SELECT tvgp_observe('p', 'b', 3, 5)")
    assert first.one("SELECT tvgp_extend('p', '[\"d\"]')") == 1
    first.fails("SELECT tvgp_extend('p', 'd')", "'d', which is an action already")
    q = json.loads(first.one("""SELECT tvgp_ask('p', 6, '{"available": ["d"]}')"""))
    assert (q["arm"], q["name"]) == (3, "d")
    first.tell("p", q["id"], 9, None, None)
    first.one("SELECT tvgp_set_available('p', NULL)")
    assert json.loads(first.one("SELECT tvgp_best('p', 7)"))["name"] == "d"
    assert [row[0] for row in first.db.execute("SELECT name FROM tvgp_arms('p', 8)")] == ["a", "b", "c", "d"]
    assert [json.loads(row[0]) for row in first.db.execute("SELECT x FROM tvgp_arms('p', 8)")] == [[0], [1], [2], [3]]
    assert first.db.execute("SELECT name FROM tvgp_shares('p', 50) ORDER BY share DESC").fetchone()[0] == "d"
    assert first.state("p") == Store(path).state("p")
    first.one("SELECT tvgp_trim('p', 100)")
    assert first.state("p") == Store(path).state("p")
    assert first.one("SELECT tvgp_drop('p')") == 1
    assert [first.one(f"SELECT count(*) FROM tvgp_{table}") for table in ("policy", "event", "snapshot")] == [0, 0, 0]
    first.fails("SELECT tvgp_ask('p')", "tvgp_ask: no policy 'p'")


def bounded(folder):
    """A call can be interrupted, and is bounded by a quota of work."""
    path = str(folder / "bounded.db")
    first = Store(path)
    first.one("SELECT tvgp_create('p', 'auto-gp-ucb box=0:1,0:1', 1000)")
    for t in range(25):
        first.tell("p", first.ask("p", t)["id"], store.outcome(t), None, None)
    before, other = first.state("p"), Store(path)
    other.db.set_progress_handler(lambda: 1, 1000)  # reached in the replay
    other.fails("SELECT tvgp_ask('p', 70)", "interrupted")
    other.db.set_progress_handler(None, 0)
    assert other.state("p") == before
    first.create("q", "gp-ucb grid=0:1:2000 se=.1")
    first.one("SELECT tvgp_set_limit('work', 1000)")
    first.fails("SELECT tvgp_ask('q', 1)", "exceed the quota of 1000 values")
    first.fails("SELECT tvgp_set_limit('wrk', 1000)", "must be bytes, arms or work")
    first.one("SELECT tvgp_set_limit('work', 0)")
    assert first.ask("q", 1)["id"] == 1
    begin = time.time()
    first.db.set_progress_handler(lambda: time.time() > begin + .1, 1000)
    first.fails("SELECT * FROM tvgp_shares('q', 200000)", "interrupted")  # takes half a minute
    first.db.set_progress_handler(None, 0)
    assert time.time() < begin + 2, time.time() - begin


def steps(folder):
    """The time of a step does not grow with the log."""
    first, each = Store(str(folder / "steps.db")), []
    first.create("p", "tv-gp-ucb indices=3 se=1")
    other = Store(str(folder / "steps.db"))
    for t in range(1200 if not store.ALL else 100000):
        if t % 20 == 0:
            first.db.execute("COMMIT" if first.db.in_transaction else "BEGIN")
        begin = time.perf_counter()
        q = first.ask("p", t)
        first.tell("p", q["id"], store.outcome(t), None, q["epoch"])
        each.append(time.perf_counter() - begin)
    if first.db.in_transaction:
        first.db.execute("COMMIT")
    early, late = sorted(each[100:500])[200], sorted(each[-400:])[200]
    assert late < 2 * early + 1e-4, (early, late)
    assert first.state("p") == other.state("p")


def largest(folder):
    """65 coordinates, 32 items, the longest name, 10,000 candidates."""
    first = Store(str(folder / "largest.db"))
    points = ",".join(":".join([f"{i / 40:g}"] * 64) for i in range(40))
    first.create("p", f"gp-ucb arms={points} se=1")
    queries = first.ask_slate("p", 32, 1)
    assert len(queries) == 32 and len(queries[31]["x"]) == 64
    json.loads(first.one("SELECT tvgp_best('p')"))
    assert first.one("SELECT count(*) FROM tvgp_arms('p')") == 40
    assert first.one("SELECT tvgp_observe('p', ?, 1, 2)", json.dumps(queries[0]["x"])) == 1
    try:
        first.create("q", f"gp-ucb arms={points} contexts=2 se=1")
    except sqlite3.Error as e:
        assert "64" in str(e), e
    else:
        assert len(first.one("""SELECT tvgp_ask('q', 1, '{"context": 1, "slate": 32}')""")) > 32 * 65
    name = "n" * 100000
    first.create("r", f"auto-gp-ucb names=a,{name}")
    assert json.loads(first.one("SELECT tvgp_ask('r', 1, ?)", json.dumps({"available": [name]})))["name"] == name
    first.create("b", "gp-ucb box=0:1,0:1 se=.3")
    assert 0 <= json.loads(first.one("SELECT tvgp_ask('b', 1, ?)", json.dumps({"candidates": [[i / 10000, .5] for i in range(10000)]})))["arm"] < 10000
    for name in "prb":
        assert first.state(name) == Store(str(folder / "largest.db")).state(name)


def refused(folder):
    first = Store(str(folder / "refused.db"))
    first.fails("SELECT tvgp_create('p', 'gp-ucb grid=0:1:3 nosie=1')", "nearest is 'noise'")
    first.fails("SELECT tvgp_ask('p')", "tvgp_ask: no policy 'p'")
    first.fails("SELECT tvgp_create('p', 'gp-ucb indices=2000000 se=1')", "quota")
    first.create("p", "gp-ucb box=0:1,0:1 se=.3")
    q = json.loads(first.one("""SELECT tvgp_ask('p', 1, '{"candidates": [[0.1, 0.2], [0.3, 0.4]], "means": [0, 1]}')"""))
    assert q["arm"] == 1 and abs(q["x"][1] - .4) < 1e-15, q
    assert first.ask("p", 2)["arm"] == -1  # among them for one ask only
    first.fails("SELECT tvgp_ask('p', 3, '{\"candidates\": [[0.1, 0.2], [0.3]]}')", "candidates[1] has 1 numbers")
    first.create("k", "gp-ucb indices=3 contexts=2 se=1")
    assert json.loads(first.one("SELECT tvgp_ask('k', 1, '{\"context\": 1}')"))["x"][1] == 1
    assert first.one("SELECT count(*) FROM tvgp_arms('k', 5) WHERE sd > 0") == 6
    assert first.one("SELECT count(*) FROM tvgp_arms('p')") == 0, "a box has no arms"
    for name in "pk":
        assert first.state(name) == Store(str(folder / "refused.db")).state(name)
    assert first.one("SELECT tvgp_tell('p', 99, 1)") == 0


def estimates(folder):
    """The value of an arm, of uniform play and of another policy; a shortened log is refused."""
    first = Store(str(folder / "estimate.db"))
    first.create("p", store.describe("tv-gp-ucb") + " exploration.floor=.3")
    for t in range(80):
        q = first.ask("p", t)
        first.tell("p", q["id"], .1 * q["arm"], None, None)
    found = {of: json.loads(first.one("SELECT tvgp_off_policy_value('p', ?)", of)) for of in ("uniform", "arm=9", store.describe("gp-ucb"))}
    assert abs(found["uniform"]["dr"] - .5) < 4 * found["uniform"]["dr_se"] + .02, found["uniform"]
    assert abs(found["arm=9"]["dr"] - .9) < 4 * found["arm=9"]["dr_se"] + .02, found["arm=9"]
    assert found["uniform"]["used"] == 80 and found["uniform"]["missing"] == 0
    first.fails("SELECT tvgp_off_policy_value('p', 'arm=11')", "not available")
    first.fails("SELECT tvgp_off_policy_value('p', 'gp-ucb grid=0:1:4 se=.3')", "4 arms")
    first.one("SELECT tvgp_trim('p', 60)")
    first.fails("SELECT tvgp_off_policy_value('p', 'uniform')", "event 1 is missing")


def guide(folder):
    for page in ("sqlite.md", "sharing-a-policy.md"):
        first = Store(str(folder / f"{page}.db"))
        for block in store.page(page, "sql"):
            first.db.executescript("\n".join(line for line in block.splitlines() if not line.startswith(".")))
        assert first.asked("price") >= 1


if sys.argv[2:3] == ["worker"]:
    store.worker(lambda: Store(sys.argv[3]), "p", 100000)
else:
    place = pathlib.Path(tempfile.mkdtemp())
    try:
        transactions(place)
        clients(place)
        types(place)
        vocabulary(place)
        bounded(place)
        steps(place)
        largest(place)
        damage(place)
        trimmed(place)
        refused(place)
        store.most_arms(Store(str(place / "most.db")), lambda: Store(str(place / "most.db")))
        store.policies(Store(str(place / "all.db")), lambda: Store(str(place / "all.db")))
        store.serving(Store(str(place / "serving.db")), lambda: Store(str(place / "serving.db")))
        estimates(place)
        workers(place)
        guide(place)
    finally:
        shutil.rmtree(place)
