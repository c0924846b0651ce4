# SPDX-License-Identifier: MIT
"""test_sqlite.py EXTENSION: policies inside SQLite (docs/guide/sqlite.md). EXTENSION is the path of tvgp.so."""
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile

if not hasattr(sqlite3.Connection, "enable_load_extension"):  # some builds of Python leave it out
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        print("skipped: no Python whose sqlite3 loads extensions")
        sys.exit(77)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])

import store  # pylint: disable=wrong-import-position

EXTENSION = os.path.abspath(sys.argv[1])


class Store:
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
        return json.loads(self.one("SELECT tvgp_ask(?, ?, ?)", name, t, json.dumps({"slate": k})))

    def shares(self, name, power, floor):
        return self.db.execute("SELECT probability, share FROM tvgp_shares(?, 500, ?, ?)", (name, power, floor)).fetchall()

    def budget(self, name, budget, period, asks, costs):
        self.one("SELECT tvgp_set_budget(?, ?, ?, ?)", name, budget, period, asks)
        self.one("SELECT tvgp_set_costs(?, ?)", name, json.dumps(costs))

    def charge(self, name, query, cost):
        return bool(self.one("SELECT tvgp_charge(?, ?, ?)", name, query, cost))

    def count(self, name, query, y, exposure):
        assert self.one("SELECT tvgp_tell(?, ?, ?, NULL, NULL, ?)", name, query, y, exposure)

    def ratio(self, name, query, y, reference):
        assert self.one("SELECT tvgp_tell(?, ?, ?, NULL, NULL, NULL, ?)", name, query, y, reference)

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


def damage(folder):
    path = str(folder / "damage.db")
    first = Store(path)
    first.create("p", store.describe("tv-gp-ucb"))
    store.play(first, "p", 20)
    whole = first.one("SELECT state FROM tvgp_snapshot")
    for bytes_, said in ((whole[:100], "tvgp_policy_load"), (b"", "tvgp_policy_load"), (whole[:200] + b"?" + whole[201:], "tvgp_policy_load")):
        first.db.execute("UPDATE tvgp_snapshot SET state = ?", (bytes_,))
        row = first.db.execute("SELECT * FROM tvgp_policy").fetchall()
        Store(path).fails("SELECT tvgp_ask('p')", said)
        assert row == first.db.execute("SELECT * FROM tvgp_policy").fetchall()
    first.db.execute("UPDATE tvgp_snapshot SET state = ?", (whole,))
    last = first.one("SELECT max(n) FROM tvgp_event")
    line = first.one("SELECT line FROM tvgp_event WHERE n = ?", last)
    first.db.execute("UPDATE tvgp_event SET line = replace(line, '0', '1') WHERE n = ?", (last,))
    Store(path).fails("SELECT tvgp_ask('p')", f"event {last} is damaged")
    first.db.execute("UPDATE tvgp_event SET line = ? WHERE n = ?", (line, last))
    first.db.execute("DELETE FROM tvgp_event WHERE n = ?", (last,))
    Store(path).fails("SELECT tvgp_ask('p')", f"event {last} is missing")


def trimmed(folder):
    first = Store(str(folder / "trim.db"))
    first.create("p", store.describe("tv-gp-ucb"))
    store.play(first, "p", 30)
    before = first.state("p")
    assert first.one("SELECT tvgp_trim('p', 10)") > 10
    assert first.one("SELECT min(t) FROM tvgp_event") >= 10
    first.one("SELECT tvgp_trim('p', 1e9)")
    assert Store(str(folder / "trim.db")).state("p") == before


def refused(folder):
    first = Store(str(folder / "refused.db"))
    first.fails("SELECT tvgp_create('p', 'gp-ucb grid=0:1:3 nosie=1')", "nearest is 'noise'")
    first.fails("SELECT tvgp_create('p', 'gp-ucb indices=2000000 se=1')", "quota")
    first.create("p", "gp-ucb box=0:1,0:1 se=.3")
    first.fails("SELECT tvgp_create('p', 'gp-ucb grid=0:1:3 se=1')", "UNIQUE")
    q = json.loads(first.one("""SELECT tvgp_ask('p', 1, '{"candidates": [[0.1, 0.2], [0.3, 0.4]], "means": [0, 1]}')"""))
    assert q["arm"] == 1 and abs(q["x"][1] - .4) < 1e-15, q
    assert first.ask("p", 2)["arm"] == -1  # among them for one ask only
    first.fails("SELECT tvgp_ask('p', 3, '{\"candidates\": [[0.1, 0.2], [0.3]]}')", "size")
    first.create("k", "gp-ucb indices=3 contexts=2 se=1")
    assert json.loads(first.one("SELECT tvgp_ask('k', 1, '{\"context\": 1}')"))["x"][1] == 1
    assert first.one("SELECT count(*) FROM tvgp_arms('k', 5) WHERE sd > 0") == 6
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
    found = {of: json.loads(first.one("SELECT tvgp_estimate_policy_value('p', ?)", of)) for of in ("uniform", "arm=9", store.describe("gp-ucb"))}
    assert abs(found["uniform"]["dr"] - .5) < 4 * found["uniform"]["dr_se"] + .02, found["uniform"]
    assert abs(found["arm=9"]["dr"] - .9) < 4 * found["arm=9"]["dr_se"] + .02, found["arm=9"]
    assert found["uniform"]["used"] == 80 and found["uniform"]["missing"] == 0
    first.fails("SELECT tvgp_estimate_policy_value('p', 'arm=11')", "not available")
    first.fails("SELECT tvgp_estimate_policy_value('p', 'gp-ucb grid=0:1:4 se=.3')", "4 arms")
    first.one("SELECT tvgp_trim('p', 60)")
    first.fails("SELECT tvgp_estimate_policy_value('p', 'uniform')", "event 1 is missing")


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
        damage(place)
        trimmed(place)
        refused(place)
        store.policies(Store(str(place / "all.db")), lambda: Store(str(place / "all.db")))
        store.serving(Store(str(place / "serving.db")), lambda: Store(str(place / "serving.db")))
        estimates(place)
        workers(place)
        guide(place)
    finally:
        shutil.rmtree(place)
