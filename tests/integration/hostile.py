# SPDX-License-Identifier: MIT
"""Shared tests of clients that make mistakes and interrupt each other. A store has the functions of store.py, and ask(name, t, context,
candidates, slate), costs(name, costs), trim(name, t), and modes: for each way to enclose a call (alone, in a transaction, ..) a
function that is given the call and returns its error, or None."""
import random

import store

CONTEXT = "gp-ucb indices=3 contexts=2"
# A description, a call that is refused, and one that is taken afterwards.
REFUSED = (
    (CONTEXT, lambda s, n: s.ask(n, 5, context=[1], candidates=[[0, 1], [1, 1]]), lambda s, n: s.ask(n, 6, context=[1])),
    (CONTEXT, lambda s, n: s.ask(n, 1e300, context=[1]), lambda s, n: s.ask(n, 6, context=[0])),
    (CONTEXT, lambda s, n: s.ask(n, 5, context=[.5]), lambda s, n: s.ask(n, 6, context=[0])),
    (CONTEXT, lambda s, n: s.ask(n, 5, context=[2]), lambda s, n: s.ask(n, 6, context=[0])),
    ("gp-ucb indices=3 contexts=0:1 se=1", lambda s, n: s.ask(n, 5, context=[.5], candidates=[[0, .5]]), lambda s, n: s.ask(n, 6, context=[.1])),
    ("gp-ucb indices=3 contexts=0:1 se=1", lambda s, n: s.ask(n, 5, context=[.1, .2]), lambda s, n: s.ask(n, 6, context=[.1])),
    ("gp-ucb box=0:1 se=.3", lambda s, n: s.ask(n, 5, candidates=[[.1], [1.2]]), lambda s, n: s.ask(n, 6)),
    ("gp-ucb box=0:1 se=.3", lambda s, n: s.ask(n, 1e300, candidates=[[.1], [.2]]), lambda s, n: s.ask(n, 6)),
    ("gp-ucb box=0:1 exploration.floor=.1 holdout.share=.2 se=.3", lambda s, n: s.ask(n, 5, candidates=[[.1], [.2]]),
     lambda s, n: s.observe(n, [.5], 1, 6)),
    (CONTEXT + " at_most=0 constraint.fallback=error", lambda s, n: s.ask(n, 1, context=[0]), lambda s, n: s.observe(n, [1, 0], -3, 2)),
    ("gp-ucb indices=3", lambda s, n: s.observe(n, [3], 1, 1), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.observe(n, [1, 1], 1, 1), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.observe(n, [1], 1e300, 1), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.charge(n, 1, 1), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.budget(n, -1, 1, 1, [1, 1, 1]), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.costs(n, [1, 1]), lambda s, n: s.ask(n, 6)),
    ("gp-ucb box=0:1 se=.3", lambda s, n: s.shares(n, 1, 0), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.shares(n, 0, 0), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.create(n, "gp-ucb indices=4"), lambda s, n: s.ask(n, 6)),
    ("gp-ucb indices=3", lambda s, n: s.stat(n, "nope"), lambda s, n: s.ask(n, 6)),
)


def fresh(again, name):
    """The state in a new session."""
    session = again()
    found = session.state(name)
    session.close()
    return found


def refusals(first, again):
    """A refused call, however it is enclosed, leaves state and log as they are, and the next call is taken."""
    other, names = again(), []
    for i, (description, refused, taken) in enumerate(REFUSED):
        for mode, enclose in first.modes().items():
            name, where = f"no{i}{mode}", f"case {i}, {description}, {mode}"
            first.create(name, description)
            names.append(name)
            for _ in range(2):
                before, log = first.state(name), first.events(name)
                assert enclose(lambda n=name, f=refused: f(first, n)), f"{where}: the call was not refused"
                assert (first.state(name), first.events(name)) == (before, log), f"{where}: the refused call left a trace"
                failed = enclose(lambda n=name, f=taken: f(first, n))
                assert not failed, f"{where}: the next call failed: {failed}"
                assert first.state(name) == other.state(name), f"{where}: another session differs"
    other.close()
    other = again()
    for name in names:
        assert first.state(name) == other.state(name), f"{name}: a new session differs"
    other.close()


def clocks(first):
    """A client that sends milliseconds is refused, and does not move the clock of the others."""
    first.create("ms", "gp-ucb indices=3")
    for t in range(20):
        first.ask("ms", 1.7e9 + t)
    try:
        first.ask("ms", 1.7e12)
    except first.FAILED as e:
        assert "max_step" in str(e), e
    else:
        raise AssertionError("a time in milliseconds was taken")
    assert first.ask("ms", 1.7e9 + 20) and first.stat("ms", "clock") == 1.7e9 + 20


def steps(name):
    """Calls of a game on 11 arms; each is given the store."""
    found = []
    for t in range(4):
        found += [lambda s, t=t: s.ask(name, 3 * t), lambda s, t=t: s.tell(name, t + 1, store.outcome(t), None, None),
                  lambda s, t=t: s.observe(name, [.5], store.outcome(t), 3 * t + 1)]
    return found


def rollbacks(first, again, label, begin, end):
    """The first k calls are undone, the transaction goes on with all of them or ends: the state is that of a run without."""
    twin = "twin" + label
    other = again()
    first.create(twin, store.describe("tv-gp-ucb"))
    for call in steps(twin):
        call(first)
    for k in range(len(steps("")) + 1):
        name = f"undone{label}{k}"
        first.create(name, store.describe("tv-gp-ucb"))
        before = first.state(name)
        begin()
        for call in steps(name)[:k]:
            call(first)
        end(False)
        assert first.state(name) == before, f"{k} calls were undone"
        for call in steps(name)[:k]:
            call(first)
        begin()
        for call in steps(name)[k:]:
            call(first)
        end(True)
        assert first.state(name) == other.state(name) == first.state(twin), f"{k} calls were undone, then made"
    assert first.state(name) == fresh(again, name)
    other.close()


def interrupting(clients, name, again, moves, turns=300):
    """Clients that ask, report and undo in random order. Every copy is that of a new session, and the log has no gap."""
    rng = random.Random(store.SEED)
    clients[0].create(name, store.describe("tv-gp-ucb"))
    ids = [1]
    for turn in range(turns):
        client = rng.choice(clients)
        move = rng.choice(("ask", "ask", "tell", "tell", "observe", "state", *moves))
        try:
            if move == "ask":
                query = client.ask(name, turn)
                ids.append(query["id"] if query else 1)
            elif move == "tell":
                client.tell(name, rng.choice(ids), store.outcome(turn), None, None)
            elif move == "observe":
                client.observe(name, [.5], store.outcome(turn), turn)
            elif move == "state":
                client.state(name)
            else:
                moves[move](client)
        except client.FAILED as e:
            assert any(word in str(e) for word in client.EXPECTED), f"seed {store.SEED}, turn {turn}, {move}: {e}"
    for client in clients:
        moves["end"](client)
    for client in clients:
        assert client.state(name) == fresh(again, name), f"seed {store.SEED}"
    store.check_log(clients[0], name)
