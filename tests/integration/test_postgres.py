# SPDX-License-Identifier: MIT
"""test_postgres.py MODULE PG_CONFIG [PART..]: policies inside PostgreSQL (docs/guide/postgresql.md), in a server of its own; PART: a function
of this file, such as guide, instead of all."""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import hostile
import store

MODULE, CONFIG = os.path.abspath(sys.argv[1]), sys.argv[2]
BIN = subprocess.run([CONFIG, "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
SQL = store.ROOT / "src/integration/postgres/tvgp--1.0.sql"
PORT = "54329"


class Failed(Exception):
    pass


class Store:
    FAILED, EXPECTED = Failed, ("25P01", "25P02", "55P03", "3B001", "40001")  # no, or an ended transaction, lock, savepoint

    """One session: a psql that reads statements and ends each reply with a line of its own."""

    def __init__(self, place, database="postgres"):
        self.psql = subprocess.Popen([f"{BIN}/psql", "-h", str(place), "-p", PORT, "-U", "postgres", "-XAtq", database], text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=1)

    def rows(self, text):
        self.psql.stdin.write(text + ";\n\\echo =====:SQLSTATE\n")
        self.psql.stdin.flush()
        found = []
        for line in self.psql.stdout:
            if line.startswith("====="):
                break
            found.append(line.rstrip("\n"))
        else:
            raise Failed("server: " + " ".join(found))
        state = line[5:].strip()
        if state != "00000":
            raise Failed(state + " " + " ".join(found))
        return found

    def one(self, text):
        return self.rows(text)[0]

    def create(self, name, description):
        self.rows(f"SELECT tvgp.create('{name}', '{description}', 7)")

    def modes(self):
        """For each way to enclose a call, a function that encloses it and returns its error."""
        def enclose(begin, undo, end, call):
            self.rows(begin)
            try:
                call()
                return None
            except Failed as e:
                self.rows(undo)
                return e
            finally:
                self.rows(end)
        return {mode: (lambda call, ways=ways: enclose(*ways, call)) for mode, ways in
                {"alone": ("", "", ""), "transaction": ("BEGIN", "", "COMMIT"), "savepoint": ("BEGIN; SAVEPOINT s", "ROLLBACK TO s", "COMMIT")}.items()}

    def ask(self, name, t, context=(), candidates=()):
        more = (f", context => ARRAY{context}" if context else "") + (f", candidates => ARRAY{candidates}" if candidates else "")
        found = self.one(f"SELECT id, epoch, arm, x[1] FROM tvgp.ask('{name}', {'NULL' if t is None else repr(t)}{more})")
        if found == "|||":
            return None
        query, epoch, arm, x = found.split("|")
        return {"id": int(query), "epoch": int(epoch), "arm": int(arm), "x": [float(x)]}

    def tell(self, name, query, y, t, epoch):
        values = ", ".join("NULL" if v is None else repr(v) for v in (query, y, t, epoch))
        return self.one(f"SELECT tvgp.tell('{name}', {values})") == "t"

    def observe(self, name, x, y, t):
        return self.one(f"SELECT tvgp.observe('{name}', ARRAY{x}, {y}, {t})")

    def ask_slate(self, name, k, t):
        rows = [row.split("|") for row in self.rows(f"SELECT id, epoch, arm, x[1] FROM tvgp.ask_slate('{name}', {k}, {t})")]
        return [{"id": int(q), "epoch": int(e), "arm": int(a), "x": [float(x)]} for q, e, a, x in rows]

    def shares(self, name, power, floor):
        return [tuple(float(v) for v in row.split("|")) for row in
                self.rows(f"SELECT probability, share FROM tvgp.shares('{name}', 500, {power}, {floor})")]

    def budget(self, name, budget, period, asks, costs):
        self.rows(f"SELECT tvgp.set_budget('{name}', {budget}, {period}, {asks})")
        self.costs(name, costs)

    def costs(self, name, costs):
        self.rows(f"SELECT tvgp.set_costs('{name}', ARRAY{costs})")

    def outputs(self, name, x, y, t, values):
        assert self.one(f"SELECT tvgp.observe('{name}', ARRAY{x}::float8[], {y}, {t}, outputs => ARRAY{values}::float8[])") == "t"

    def weight(self, name, weight):
        self.rows(f"SELECT tvgp.set_cost_weight('{name}', {weight})")

    def payoffs(self, name, values):
        self.rows(f"SELECT tvgp.set_payoffs('{name}', ARRAY{values}::float8[])")

    def stat(self, name, key):
        return float(self.one(f"SELECT tvgp.stat('{name}', '{key}')"))

    def fit(self, name):
        return self.one(f"SELECT tvgp.fit('{name}', 3)") == "t"

    def charge(self, name, query, cost):
        return self.one(f"SELECT tvgp.charge('{name}', {query}, {cost})") == "t"

    def count(self, name, query, y, exposure):
        assert self.one(f"SELECT tvgp.tell('{name}', {query}, {y}, exposure => {exposure})") == "t"

    def ratio(self, name, query, y, reference):
        assert self.one(f"SELECT tvgp.tell('{name}', {query}, {y}, reference => {reference})") == "t"

    def available(self, name, arms):
        self.rows(f"SELECT tvgp.set_available('{name}', '{json.dumps(arms)}')")

    def extend(self, name, arms):
        self.rows(f"SELECT tvgp.extend('{name}', '{json.dumps(arms)}')")

    def arms(self, name):
        return int(self.one(f"SELECT count(*) FROM tvgp.arms('{name}')"))

    def state(self, name):
        return self.one(f"SELECT md5(tvgp.state('{name}'))")

    def asked(self, name):
        return float(self.one(f"SELECT tvgp.stat('{name}', 'asked')"))

    def events(self, name):
        return self.rows(f"SELECT line FROM tvgp.event WHERE policy = (SELECT id FROM tvgp.policy WHERE name = '{name}') ORDER BY n")

    def fails(self, state, text, said):
        try:
            self.rows(text)
        except Failed as e:
            assert str(e).startswith(state) and said in str(e), (text, str(e))
            return
        raise AssertionError(text + " did not fail")

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()


def server(place, *words, options=""):
    """Runs pg_ctl and the like, which refuse to be run by root."""
    subprocess.run([f"{BIN}/{words[0]}", "-D", str(place / "data"), *words[1:],
                    *(["-o", f"-p {PORT} -c listen_addresses='' -k {place} -c fsync=off {options}"] if "start" in words else [])],
                   check=True, stdout=subprocess.DEVNULL, **({"user": "postgres"} if os.getuid() == 0 else {}))


def install(place, database="postgres"):
    """The extension without writing into the system: its script with the path of the module."""
    script = "CREATE SCHEMA tvgp; SET search_path = tvgp;\n" + "\n".join(
        line for line in SQL.read_text(encoding="utf-8").splitlines() if not line.startswith("\\") and "config_dump" not in line)
    subprocess.run([f"{BIN}/psql", "-h", str(place), "-p", PORT, "-U", "postgres", "-Xq", "-v", "ON_ERROR_STOP=1", database],
                   input=script.replace("MODULE_PATHNAME", str(place / "tvgp.so")), text=True, check=True)


def hostile_clients(place):
    first = Store(place)
    hostile.refusals(first, lambda: Store(place))
    hostile.clocks(first)
    hostile.rollbacks(first, lambda: Store(place), "transaction", lambda: first.rows("BEGIN"), lambda commit: first.rows("COMMIT" if commit else "ROLLBACK"))
    hostile.rollbacks(first, lambda: Store(place), "savepoint", lambda: first.rows("BEGIN; SAVEPOINT s"),
                      lambda commit: first.rows("RELEASE s; COMMIT" if commit else "ROLLBACK TO s; COMMIT"))
    clients = [Store(place), Store(place)]
    for client in clients:
        client.rows("SET lock_timeout = 20; SET client_min_messages = error")
    moves = {"begin": lambda c: c.rows("BEGIN"), "end": lambda c: c.rows("COMMIT"), "rollback": lambda c: c.rows("ROLLBACK"),
             "savepoint": lambda c: c.rows("SAVEPOINT s"), "to": lambda c: c.rows("ROLLBACK TO s")}
    hostile.interrupting(clients, "two", lambda: Store(place), moves)


def named(place):
    """Names in every call; an unavailable arm is not asked; a failed query is closed; a policy that is dropped may be created again."""
    first = Store(place)
    first.create("n", "auto-gp-ucb names=red,green,blue")
    query, arm, action = first.one("SELECT id, arm, action FROM tvgp.ask('n', 1)").split("|")
    assert action == ["red", "green", "blue"][int(arm)]
    assert first.one(f"SELECT tvgp.fail('n', {query}), tvgp.fail('n', {query})") == "t|f"
    first.rows("SELECT tvgp.set_available('n', '[\"green\"]')")
    for t in range(2, 5):
        assert first.one(f"SELECT action FROM tvgp.ask('n', {t})") == "green"
    first.rows("SELECT tvgp.set_available('n', NULL)")
    assert first.one("""SELECT action FROM tvgp.ask('n', 5, available => '["blue"]')""") == "blue"
    assert first.one("SELECT tvgp.skip('n', 2)") == "t"
    first.rows("SELECT tvgp.observe('n', 'blue', 1, 6)")
    assert first.rows("SELECT action FROM tvgp.arms('n')") == ["red", "green", "blue"]
    first.rows("""SELECT tvgp.extend('n', '["white"]')""")
    assert first.rows("SELECT action FROM tvgp.arms('n')")[3] == "white"
    query = first.one("SELECT id FROM tvgp.ask('n', 7)")
    assert first.one(f"SELECT tvgp.tell('n', {query}, 1, partial => true, noise => 1), tvgp.tell('n', {query}, 1)") == "t|t"
    first.fails("42704", "SELECT tvgp.observe('n', 'blu', 1)", "blue")
    first.fails("22023", "SELECT tvgp.tell('n', 3, 'NaN')", "y")
    first.fails("22023", "SELECT tvgp.set_costs('n', ARRAY[1, NULL, 1])", "NULL")
    first.fails("22023", "SELECT tvgp.ask('n', 'Infinity')", "t")
    first.fails("22023", "SELECT tvgp.tell('n', 3, 1, epoch => 7)", "epoch")
    first.rows("SELECT tvgp.drop('n')")
    first.fails("42704", "SELECT tvgp.drop('n')", "no policy")
    first.create("n", "gp-ucb names=a,b")
    assert first.one("SELECT action FROM tvgp.best('n')") in "ab" and first.asked("n") == 0
    assert first.state("n") == Store(place).state("n")


def trimmed(place):
    """A session whose copy is older than the first event that is left, goes on from the snapshot."""
    first, other = Store(place), Store(place)
    first.create("t", store.describe("tv-gp-ucb"))
    assert other.state("t") == first.state("t")
    store.play(first, "t", 20)
    assert int(first.one("SELECT tvgp.trim('t', 1e9)")) > 0 and not first.events("t")
    other.rows("BEGIN")
    assert other.ask("t", 30)
    other.rows("COMMIT")
    assert other.state("t") == first.state("t") == Store(place).state("t")


def rights(place):
    """A role without rights is refused; with those of the page it may do everything, in a session that another role began."""
    first = Store(place)
    first.create("rights", "gp-ucb indices=3")
    first.rows("CREATE ROLE joe; SET ROLE joe")
    first.fails("42501", "SELECT tvgp.ask('rights', 1)", "permission denied")
    first.rows("RESET ROLE; GRANT USAGE ON SCHEMA tvgp TO joe; GRANT SELECT ON ALL TABLES IN SCHEMA tvgp TO joe; SET ROLE joe")
    assert first.rows("SELECT arm FROM tvgp.best('rights')")
    first.fails("42501", "SELECT tvgp.ask('rights', 1)", "permission denied")
    first.rows("RESET ROLE; GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tvgp TO joe; SET ROLE joe")
    assert first.ask("rights", 1)
    first.create("of joe", "gp-ucb indices=3")
    first.rows("SELECT tvgp.trim('rights', 2); SELECT tvgp.drop('of joe'); RESET ROLE")


def same_row(place):
    """A policy that is deleted and created under the same number, also by a new extension, is another policy in every session."""
    first, other = Store(place), Store(place)
    first.create("old", "gp-ucb indices=3")
    number = first.one("SELECT id FROM tvgp.policy WHERE name = 'old'")
    for session in (first, other):
        assert session.state("old")
    first.rows("DELETE FROM tvgp.policy WHERE name = 'old'")
    first.rows(f"SELECT setval('tvgp.policy_id_seq', {number}, false)")
    first.create("new", "gp-ucb box=10:20 se=3")
    assert first.one("SELECT id FROM tvgp.policy WHERE name = 'new'") == number
    for session in (other, first):
        assert session.state("new") == Store(place).state("new")
        assert session.ask("new", 1)["x"][0] >= 10
    first.rows(f"BEGIN; SELECT setval('tvgp.policy_id_seq', {int(number) + 1}, false)")
    first.create("gone", "gp-ucb indices=3")
    first.ask("gone", 1)
    first.rows(f"ROLLBACK; SELECT setval('tvgp.policy_id_seq', {int(number) + 1}, false)")
    first.create("gone", "gp-ucb box=10:20 se=3")
    assert first.ask("gone", 1)["x"][0] >= 10 and first.state("gone") == Store(place).state("gone")


def reentrant(place):
    """A trigger on the tables of the extension may not call it; one that catches the error has no effect."""
    first = Store(place)
    first.create("outer", "tv-gp-ucb indices=4")
    first.create("inner", "tv-gp-ucb indices=4")
    for body, taken in (("PERFORM tvgp.ask('outer', 5); RETURN NULL;", False), ("PERFORM tvgp.ask('inner', 5); RETURN NULL;", False),
                        ("PERFORM tvgp.best('outer'); PERFORM tvgp.ask_slate('outer', 2); RETURN NULL;"
                         " EXCEPTION WHEN OTHERS THEN RETURN NULL;", True)):
        first.rows(f"CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$")
        first.rows("CREATE TRIGGER again AFTER INSERT ON tvgp.event FOR EACH ROW EXECUTE FUNCTION again()")
        for t in range(2):
            if taken:
                assert first.ask("outer", t)
            else:
                first.fails("55000", f"SELECT tvgp.ask('outer', {t})", "inside a call")
        first.rows("DROP TRIGGER again ON tvgp.event; DROP FUNCTION again")
        assert first.ask("outer", 9)
        for name in ("outer", "inner"):
            assert first.state(name) == Store(place).state(name)


def limited(place):
    """No call is longer than 2 s beyond statement_timeout, nor an ask on a box with a search of maximal effort."""
    first, ended = Store(place), 0
    first.create("sh", "gp-ucb grid=0:1:1000 se=.01")
    first.ask("sh", 1)
    first.create("effort", "auto-gp-ucb box=0:1,0:1,0:1,0:1,0:1,0:1 search.effort=1000")
    first.rows("SELECT tvgp.observe('effort', ARRAY[.1,.2,.3,.4,.5,.6], 1, 1)")
    first.rows("SET statement_timeout = '500ms'")
    names = ",".join(f"{i:x}" for i in range(150000))
    for text in ("SELECT count(*) FROM tvgp.shares('sh', 1048576)", "SELECT tvgp.ask('effort', 2)",
                 f"SELECT tvgp.create('long', 'gp-ucb names={names}')"):
        begin = time.monotonic()
        try:
            first.rows(text)
        except Failed as e:
            assert str(e).startswith("57014"), e
            ended += 1
        assert time.monotonic() - begin < 2.5, (text[:80], time.monotonic() - begin)
    assert ended, "a call that takes 20 s was not ended"
    first.rows("RESET statement_timeout")
    assert first.state("sh") == Store(place).state("sh") and first.state("effort") == Store(place).state("effort")


def long_log(place):
    """A call with an epoch takes as long with 10^5 events as with 10^3. Both policies are timed in turn, as the machine may be busy."""
    first, took = Store(place), {1000: [], 100000: []}
    game = ("DO $$ DECLARE q record; BEGIN FOR i IN {1}..{1} + 99 LOOP q := tvgp.ask('log {0}', i); PERFORM tvgp.tell('log {0}', q.id,"
            " sin(i), NULL, q.epoch); END LOOP; END $$")
    for events in took:
        first.create(f"log {events}", "gp-ucb indices=3")
        first.rows(f"INSERT INTO tvgp.event SELECT id, -g, 0, '' FROM tvgp.policy, generate_series(1, {events}) g WHERE name = 'log {events}'")
    first.rows("ANALYZE tvgp.event")
    for i in range(9):
        for events in took:
            begin = time.monotonic()
            first.rows(game.format(events, 100 * i))
            took[events].append(time.monotonic() - begin)
    short, long = map(min, took.values())
    assert long < 2 * short, f"100 pairs took {short:.4f} s with 10^3 events, {long:.4f} s with 10^5"


def messages(place):
    """A message that is cut ends with a whole character."""
    first = Store(place)
    for n in range(38, 64):
        first.fails("42704", f"SELECT tvgp.stat('{'a' * n}' || repeat('é', 200), 'x')", "no policy")


def widest(place):
    """The most coordinates, and the longest slate."""
    first = Store(place)
    for n, contexts in ((64, "2"), (63, "2"), (32, ",".join(["0:1"] * 32)), (64, ",".join(["0:1"] * 64))):
        name, points = f"wide{n}{len(contexts)}", ",".join(":".join([f"{i / 40:.3f}"] * n) for i in range(40))
        context = [1] if contexts == "2" else [.5] * (contexts.count(",") + 1)
        try:
            first.create(name, f"gp-ucb arms={points} contexts={contexts} se=1")
        except Failed as e:
            assert n + len(context) > 64 and "64" in str(e), e
            continue
        dim = n + len(context)
        text = f"context => ARRAY{context}"
        assert first.one(f"SELECT array_length(x, 1) FROM tvgp.ask('{name}', 1, {text})") == str(dim)
        assert first.one(f"SELECT array_length(x, 1) FROM tvgp.best('{name}')") == str(dim)
        assert first.one(f"SELECT count(*), min(array_length(x, 1)) FROM tvgp.ask_slate('{name}', 32, 1, {text})") == f"32|{dim}"
        if len(context) == 1:
            assert first.one(f"SELECT min(array_length(x, 1)) FROM tvgp.arms('{name}')") == str(dim)
        first.observe(name, [0] * dim, 1, 2)
        assert first.state(name) == Store(place).state(name)


def transactions(place):
    a, b = Store(place), Store(place)
    for name in ("p", "twin"):
        a.create(name, store.describe("auto-gp-ucb"))
        store.play(a, name, 12)
    a.rows("BEGIN")
    q = a.ask("p", 20)
    a.rows("ROLLBACK")
    assert a.state("p") == a.state("twin") == b.state("p")
    a.rows("BEGIN; SAVEPOINT s")
    a.ask("p", 21)
    a.fails("42704", "SELECT tvgp.ask('nobody')", "no policy")
    a.rows("ROLLBACK TO s")
    kept = a.ask("p", 20)
    a.rows("COMMIT")
    other = a.ask("twin", 20)
    assert kept["id"] == other["id"] == q["id"] and kept["arm"] == other["arm"]
    a.fails("22023", "SELECT tvgp.ask('p', 1e300)", "t = ")
    assert b.ask("p", 24)["id"] == kept["id"] + 1
    assert a.state("p") == b.state("p")
    a.rows("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM tvgp.policy")
    b.ask("p", 25)
    a.fails("40001", "SELECT tvgp.ask('p', 26)", "serialize")
    a.rows("ROLLBACK")
    assert a.state("p") == b.state("p")
    a.rows("CREATE TABLE results(id int); BEGIN; INSERT INTO results SELECT id FROM tvgp.ask('p', 27)")
    waiting = threading.Thread(target=lambda: b.ask("p", 28))
    waiting.start()
    waiting.join(.3)
    assert waiting.is_alive(), "the row is locked until the transaction ends"
    a.rows("COMMIT")
    waiting.join()
    assert a.state("p") == b.state("p")


def workers(place):
    first = Store(place)
    first.create("w", store.describe("tv-gp-ucb"))
    given = store.killed([sys.executable, "-B", __file__, *sys.argv[1:3], "worker", str(place)], 10 * store.PAIRS if store.ALL else store.PAIRS,
                         100 if store.ALL else 10)
    events = store.check_log(first, "w")
    lost = set(given) - {(e["epoch"], e["id"]) for e in events if e["call"] == "ask"}
    assert not lost, f"queries that are not in the log: {lost}, events {[e for e in events if e.get('id') in {i for _, i in lost}]}"
    assert first.state("w") == Store(place).state("w")


def crashes(place):
    """An immediate stop, and a copy by pg_dump, end in the same state."""
    first = Store(place)
    first.create("c", store.describe("auto-gp-ucb"))
    store.play(first, "c", 25)
    before = first.state("c")
    first.close()
    server(place, "pg_ctl", "-m", "immediate", "-w", "stop")
    server(place, "pg_ctl", "-w", "-l", str(place / "data/log"), "start")
    first = Store(place)
    assert first.state("c") == before
    dump = subprocess.run([f"{BIN}/pg_dump", "-h", str(place), "-p", PORT, "-U", "postgres", "postgres"], capture_output=True, check=True)
    first.rows("CREATE DATABASE copy")
    subprocess.run([f"{BIN}/psql", "-h", str(place), "-p", PORT, "-U", "postgres", "-Xq", "copy"], input=dump.stdout, check=True,
                   stdout=subprocess.DEVNULL)
    assert Store(place, "copy").state("c") == before


def damage(place):
    first = Store(place)
    first.create("d", store.describe("tv-gp-ucb"))
    store.play(first, "d", 20)
    number = first.one("SELECT id FROM tvgp.policy WHERE name = 'd'")
    first.rows(f"CREATE TABLE kept AS SELECT state FROM tvgp.snapshot WHERE policy = {number}")
    for expression in ("substr(state, 1, 100)", "''::bytea", "set_byte(state, 200, 255 - get_byte(state, 200))"):
        first.rows(f"UPDATE tvgp.snapshot SET state = {expression} WHERE policy = {number}")
        row = first.rows("SELECT * FROM tvgp.policy")
        Store(place).fails("XX001", "SELECT tvgp.ask('d')", "")
        assert row == first.rows("SELECT * FROM tvgp.policy")
        first.rows(f"UPDATE tvgp.snapshot SET state = kept.state FROM kept WHERE policy = {number}")
    last = first.one(f"SELECT max(n) FROM tvgp.event WHERE policy = {number}")
    first.rows(f"UPDATE tvgp.event SET line = replace(line, '0', '1') WHERE policy = {number} AND n = {last}")
    Store(place).fails("XX001", "SELECT tvgp.ask('d')", f"event {last} is damaged")
    first.rows(f"DELETE FROM tvgp.event WHERE policy = {number} AND n = {last}")
    Store(place).fails("XX001", "SELECT tvgp.ask('d')", f"event {last} is missing")


def refused(place):
    first = Store(place)
    first.fails("42704", "SELECT tvgp.create('r', 'gp-ucb grid=0:1:3 nosie=1')", "nearest is 'noise'")
    first.fails("22023", "SELECT tvgp.create('r', 'gp-ucb indices=2000000 se=1')", "quota")
    first.fails("22023", "SELECT tvgp.create('r', 'gp-ucb')", "no domain")
    first.create("r", "gp-ucb box=0:1,0:1 se=.3")
    first.fails("22023", "SELECT tvgp.create('r', 'gp-ucb grid=0:1:3 se=1')", "there is a policy 'r' already")
    assert first.one("SELECT arm FROM tvgp.ask('r', 1, candidates => ARRAY[[.1,.2],[.3,.4]], means => ARRAY[0,1])") == "1"
    assert first.ask("r", 2)["arm"] == -1
    first.create("k", "gp-ucb indices=3 contexts=2 se=1")
    assert first.one("SELECT x[2] FROM tvgp.ask('k', 1, context => ARRAY[1])") == "1"
    first.fails("22023", "SELECT tvgp.ask('k', 1, context => ARRAY[.5])", "context")
    assert first.one("SELECT count(*) FROM tvgp.arms('k', 5) WHERE sd > 0") == "6"
    first.fails("22023", "SELECT tvgp.ask(NULL)", "NULL")
    for name in "rk":
        assert first.state(name) == Store(place).state(name)


def estimates(place):
    first = Store(place)
    first.create("e", store.describe("tv-gp-ucb") + " exploration.floor=.3")
    for t in range(60):
        q = first.ask("e", t)
        first.tell("e", q["id"], .1 * q["arm"], None, None)
    used, dr, error = first.one("SELECT used, dr, dr_se FROM tvgp.off_policy_value('e', 'uniform')").split("|")
    assert used == "60" and abs(float(dr) - .5) < 4 * float(error) + .02, (used, dr, error)
    assert float(first.one(f"SELECT dr FROM tvgp.off_policy_value('e', '{store.describe('gp-ucb')}', 30)")) > .4
    first.fails("22023", "SELECT tvgp.off_policy_value('e', 'gp-ucb grid=0:1:4 se=.3')", "4 arms")
    first.fails("22023", "SELECT tvgp.shares('e', power => 0)", "power")
    first.fails("22023", "SELECT tvgp.ask_slate('e', 99)", "slate")


def cancelled(place):
    """A time limit ends a replay; the next call is right."""
    first = Store(place)
    first.create("slow", "auto-gp-ucb grid=0:1:101")
    first.rows("UPDATE tvgp.policy SET snapshot_every = 1000000 WHERE name = 'slow'")
    first.close()
    first = Store(place)
    first.rows("DO $$ DECLARE q record; BEGIN FOR i IN 1..120 LOOP q := tvgp.ask('slow', i); PERFORM tvgp.tell('slow', q.id, sin(i)); END LOOP; END $$")
    before = first.state("slow")
    other = Store(place)
    other.rows("SET statement_timeout = 2")
    other.fails("57014", "SELECT tvgp.state('slow')", "timeout")
    other.rows("RESET statement_timeout")
    assert other.state("slow") == before


def guide(place):
    first = Store(place)
    for block in store.page("postgresql.md", "sql"):
        for statement in block.split(";"):
            if statement.strip() and not statement.strip().startswith("CREATE EXTENSION"):
                first.rows(statement.strip())
    assert first.asked("price") >= 1


def prepare(place):
    """A server with the extension in an empty folder."""
    shutil.copy(MODULE, place / "tvgp.so")
    os.chmod(place, 0o755)
    os.mkdir(place / "data")
    if os.getuid() == 0:
        shutil.chown(place, "postgres")
        shutil.chown(place / "data", "postgres")
    server(place, "initdb", "-A", "trust", "-N", "-U", "postgres")
    server(place, "pg_ctl", "-w", "-l", str(place / "data/log"), "start")
    install(place)


def main():
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        store.skip("no user postgres")
    place = pathlib.Path(tempfile.mkdtemp())
    try:
        prepare(place)
        if sys.argv[3:]:
            for part in sys.argv[3:]:
                globals()[part](place)
            return
        for part in (transactions, damage, refused, cancelled, estimates, named, rights, trimmed, hostile_clients, same_row, reentrant, limited, long_log, messages, widest):
            part(place)
        store.policies(Store(place), lambda: Store(place))
        store.serving(Store(place), lambda: Store(place))
        if store.ALL:
            store.most_arms(Store(place), lambda: Store(place))
        workers(place)
        guide(place)
        crashes(place)
    finally:
        server(place, "pg_ctl", "-m", "immediate", "-w", "stop")
        shutil.rmtree(place)


if __name__ == "__main__":
    if sys.argv[3:4] == ["worker"]:
        store.worker(lambda: Store(sys.argv[4]), "w", 100000)
    else:
        main()
