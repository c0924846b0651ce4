# SPDX-License-Identifier: MIT
"""Shared parts of the tests of the integrations: a game with delayed, missing, repeated and unsolicited outcomes, workers that are
killed, and the commands of a guide page. A store has create(name, description), ask(name, t) -> dict or None, tell(name, id, y or
None, t, epoch) -> bool, observe(name, x, y, t), state(name) -> bytes, asked(name) and events(name) -> lines."""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALL = os.environ.get("TVGP_TESTS") == "all"
PAIRS = 1000 if ALL else 200
SEED = int(os.environ.get("TVGP_SEED", time.strftime("%j", time.gmtime())))  # by date
POLICIES = ("auto-gp-ucb", "tv-gp-ucb", "sparq-gp-ucb")
EVERY = ("gp-ucb", "igp-ucb", "tv-gp-ucb", "sw-gp-ucb", "w-gp-ucb", "ui-gp-ucb", "auto-gp-ucb", "r-gp-ucb", "br-gp-ucb", "et-gp-ucb",
         "pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb", "sparq-gp-ucb", "w-sparq-gp-ucb", "bkb", "random", "constant-arm")


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def describe(policy):
    return f"{policy} grid=0:1:11 se=.2"


def outcome(i):
    return round((i * 0.618034) % 1 * 4 - 2, 6)


def wrong_epoch(store, name, query):
    """An outcome of another epoch is refused."""
    try:
        assert not store.tell(name, query["id"], 1, None, query["epoch"] ^ 1), "another epoch"
    except AssertionError:
        raise
    except Exception as e:  # pylint: disable=broad-except
        assert "epoch" in str(e), e


def play(store, name, steps, clocks=(0.0, 0.0)):
    """A game; the hosts' clocks differ."""
    late = None
    for i in range(steps):
        q = store.ask(name, i + clocks[i % 2])
        if not q:
            continue
        if i % 5 == 4:
            assert store.tell(name, q["id"], None, None, None)
        elif i % 3 == 2 and late is None:
            late = q
        else:
            assert store.tell(name, q["id"], outcome(i), None, q["epoch"])
            assert not store.tell(name, q["id"], outcome(i), None, q["epoch"]), "an outcome counts once"
        if i % 4 == 3 and late:
            wrong_epoch(store, name, late)
            assert store.tell(name, late["id"], outcome(i), i + .5, late["epoch"])
            late = None
        if i % 6 == 5:
            store.observe(name, [0.5], outcome(i + 1), i + .25)


def policies(store, again):
    """All policies; `again` is a store of another worker."""
    for i, policy in enumerate(EVERY if ALL else POLICIES):
        store.create(f"p{i}", describe(policy))
        play(store, f"p{i}", 30, (0.0, -5.0) if i % 2 else (0.0, 0.0))
        assert store.state(f"p{i}") == again().state(f"p{i}"), policy


def serving(store, again):
    """Slates, shares, budgets and counts. The store has ask_slate(name, k, t) -> queries, shares(name, power, floor) -> rows of
    probability and share, budget(name, budget, period, asks, costs), charge(name, id, cost) -> bool, count(name, id, y, exposure),
    ratio(name, id, y, reference), payoffs(name, values), costs(name, costs),
    weight(name, weight), fit(name) -> bool, stat(name, key)."""
    store.create("slates", describe("tv-gp-ucb"))
    for t in range(12):
        queries = store.ask_slate("slates", 3, t)
        assert len({q["arm"] for q in queries}) == 3 and [q["id"] for q in queries] == list(range(3 * t + 1, 3 * t + 4))
        wrong_epoch(store, "slates", queries[2])
        for i in (2, 0):
            assert store.tell("slates", queries[i]["id"], outcome(t + i), None, queries[i]["epoch"])
    before = store.state("slates")
    even = store.shares("slates", 1, 0)
    assert abs(sum(s for _, s in even) - 1) < 1e-9 and all(abs(p - s) < 1e-12 for p, s in even)
    assert min(s for _, s in store.shares("slates", 2, .11)) >= .11 / 11 - 1e-12
    assert store.state("slates") == before, "questions change nothing"
    store.create("paid", describe("gp-ucb"))
    store.budget("paid", 5, 20, 20, [.1 * i for i in range(11)])
    for t in range(10):
        q = store.ask("paid", t)
        assert store.charge("paid", q["id"], .25) and not store.charge("paid", q["id"], .25), "a cost is charged once"
        store.tell("paid", q["id"], outcome(t), None, q["epoch"])
    store.create("counts", describe("auto-gp-ucb").replace(" se=.2", " outcome.type=binomial"))
    store.create("ratios", describe("auto-gp-ucb").replace(" se=.2", " outcome.type=ratio"))
    for t in range(10):
        q = store.ask("counts", t)
        store.count("counts", q["id"], t % 4, 7)
        q = store.ask("ratios", t)
        store.ratio("ratios", q["id"], 1 + t % 3, 2)
    store.create("shop", "auto-gp-ucb names=a,b,c outcome.type=binomial")
    store.payoffs("shop", [9, 11, 13.5])
    for t in range(10):
        q = store.ask("shop", t)
        store.count("shop", q["id"], (q["arm"] + t) % 4, 7)
    assert [e["x"] for e in map(json.loads, store.events("shop")) if e["call"] == "payoffs"] == [[9, 11, 13.5]]
    try:
        store.payoffs("shop", [1, 2])
        raise AssertionError("2 payoffs for 3 arms")
    except store.FAILED as e:
        assert "payoffs" in str(e), e
    store.payoffs("shop", [])
    assert "x" not in json.loads(store.events("shop")[-1])
    store.costs("shop", [1, 2, 3])
    store.weight("shop", 0.25)
    assert json.loads(store.events("shop")[-1])["y"] == 0.25 and store.stat("shop", "cost.weight") == 0.25
    store.ask("shop", 11)
    while store.fit("shop"):
        pass
    lines = len(store.events("shop"))
    assert not store.fit("shop") and len(store.events("shop")) == lines
    largest(store)
    for name in ("slates", "paid", "counts", "ratios", "shop", "limits"):
        assert store.state(name) == again().state(name), name


def largest(store):
    """The most constraints, in each outcome, and one more."""
    store.create("limits", "gp-ucb indices=4 se=1 safe=0" + " at_most=5" * 16)
    for t in range(4):
        q = store.ask("limits", t)
        store.outputs("limits", [q["arm"]], outcome(t), t, [t + .25 * k for k in range(16)])
    assert [e["x"][-16:] for e in map(json.loads, store.events("limits")) if e["call"] == "tell"][-1] == [3 + .25 * k for k in range(16)]
    for refused in (lambda: store.outputs("limits", [0], 1, 5, [0] * 17),
                    lambda: store.create("more", "gp-ucb indices=4 se=1 safe=0" + " at_most=5" * 17)):
        try:
            refused()
            raise AssertionError("17 outputs or constraints")
        except store.FAILED as e:
            assert "17" in str(e) or "16" in str(e), e


def most_arms(store, again):
    """The most names, the longest name and the most arms of a description, and one more of each. The store has available(name, names),
    extend(name, names), arms(name) -> number of rows."""
    def refused(said, call):
        try:
            call()
        except store.FAILED as e:
            assert said in str(e), str(e)[:300]
            return
        raise AssertionError(f"nothing was refused with {said!r}")

    most = 2**20 - 1 - len(" time.clamp=1 context.clamp=1")
    for policy in ("auto-gp-ucb", "random") if ALL else ("auto-gp-ucb",):
        head = policy + " names="
        names = [f"{i:06x}" for i in range((most - len(head) + 1) // 7)]
        names[0] = "x" * (6 + (most - len(head) + 1) % 7)
        text = head + ",".join(names)
        refused(f"a description of {most + 1} bytes, at most {most}", lambda t=text: store.create("names", t + "a"))
        store.create("names" + policy, text)
        for name, arm in ((names[-1], len(names) - 1), (names[0], 0)):
            store.available("names" + policy, [name])
            q = store.ask("names" + policy, 1)
            assert q["arm"] == arm and store.tell("names" + policy, q["id"], 1, None, None)
        store.available("names" + policy, names[::2])
        assert store.ask("names" + policy, 2)["arm"] % 2 == 0
        if policy != "random":
            assert store.arms("names" + policy) == len(names)
            store.extend("names" + policy, ["more"])
            store.available("names" + policy, ["more"])
            assert store.ask("names" + policy, 3)["arm"] == len(names)
        assert store.state("names" + policy) == again().state("names" + policy)
    long = "n" * (most - len("random names=,b"))
    store.create("longest", f"random names={long},b")
    store.available("longest", [long])
    assert store.ask("longest", 1)["arm"] == 0
    refused("1000001 arms exceed the quota of 1000000 arms", lambda: store.create("many", "gp-ucb indices=1000001 se=1"))
    if not ALL:
        return
    store.create("many", "gp-ucb indices=1000000 se=1")
    for t in range(3):
        store.tell("many", store.ask("many", t)["id"], outcome(t), None, None)
    assert store.arms("many") == 1000000
    assert store.state("many") == again().state("many")


def check_log(store, name):
    """Numbers without gaps; as many asks as the policy knows; no id twice in an epoch. Returns the events."""
    events, before = [], None
    while len(events) != before:  # a server may still have calls of a killed worker
        before = len(events)
        time.sleep(.3)
        events = [json.loads(line) for line in store.events(name)]
    assert [e["n"] for e in events] == list(range(1, len(events) + 1)), "a gap in the log"
    asks = [(e["epoch"], e["id"]) for e in events if e["call"] == "ask" and e["id"]]
    assert len(asks) == len(set(asks)) == store.asked(name), (len(asks), store.asked(name))
    return events


def worker(open_store, name, pairs):
    """The loop of one worker: writes each query that it was given before it goes on. Errors of a busy store are tried again."""
    store = open_store()
    for _ in range(pairs):
        q = again(lambda: store.ask(name, None))
        os.write(1, b"%d %d\n" % (q["epoch"], q["id"]))  # one system call: print may need several, and a kill may come between
        again(lambda: store.tell(name, q["id"], outcome(q["id"]), None, q["epoch"]))


def again(call):
    for _ in range(200):
        try:
            return call()
        except Exception as e:  # pylint: disable=broad-except
            if not re.search("locked|busy|serialize", str(e)):
                raise
            time.sleep(random.random() * .01)
    raise TimeoutError("the store stays busy")


def query_of(line):
    assert re.fullmatch(r"\d+ \d+\n", line), f"a worker wrote {line!r}"
    epoch, query = line.split()
    return int(epoch), int(query)


def killed(command, pairs, kills, seed=1):
    """Two workers of `command`, killed at random and started again until `pairs` pairs were played. Returns the queries given out."""
    rng, given, workers, done = random.Random(seed), [], [], 0
    while done < pairs:
        while len(workers) < 2:
            workers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        for w in list(workers):
            line = w.stdout.readline()
            if line:
                given.append(query_of(line))
                done += 1
            else:
                assert w.wait() in (0, -signal.SIGKILL), f"a worker failed: {w.returncode}"
                workers.remove(w)
        if workers and kills and rng.random() < 2 * kills / pairs:
            rng.choice(workers).kill()
    for w in workers:
        w.kill()
        given += [query_of(line) for line in w.stdout]
        w.wait()
    assert len(given) == len(set(given)), "a query was given out twice"
    return given


def page(name, language):
    """The blocks of a guide page in one language."""
    text = (ROOT / "docs" / "guide" / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}$(.*?)^```$", text, re.M | re.S)
