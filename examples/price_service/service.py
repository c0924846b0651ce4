# SPDX-License-Identifier: MIT
"""service.py SECONDS SEED: the workers of run.sh, and what kills them. A worker asks for a price, sells at it, and reports the profit. The
best price drifts between about 11 and 17."""
import math
import os
import random
import subprocess
import sys
import time

WORKERS = 4


class Session:
    """A psql process that reads statements and replies in lines."""

    def __init__(self):
        self.psql = subprocess.Popen([os.environ["PSQL"], "-XAtq", "postgres"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1)

    def rows(self, statement):
        self.psql.stdin.write(statement + ";\n\\echo .\n")
        self.psql.stdin.flush()
        found = []
        for line in iter(self.psql.stdout.readline, ".\n"):
            if not line:
                sys.exit("the server is gone")
            found.append(line.rstrip("\n").split("|"))
        return found


def profit(price, t, rng):
    best = 14 + 3 * math.sin(t / 10)
    return 10 - (price - best) ** 2 / 8 + rng.gauss(0, 1)


def work(seed):
    session, rng, parent = Session(), random.Random(seed), os.getppid()
    while os.getppid() == parent:  # until its service ends
        query, epoch, price = session.rows("SELECT id, epoch, x[1] FROM tvgp.ask('price')")[0]
        time.sleep(.02)  # the sale
        session.rows(f"SELECT tvgp.tell('price', {query}, {profit(float(price), time.time(), rng)}, epoch => {epoch})")


def main(seconds, seed):
    session, rng, workers, kills = Session(), random.Random(seed), [], 0
    session.rows("SELECT tvgp.create('price', 'tv-gp-ucb grid=5:25:41 se=4:10 noise=1 half_life=15')")
    end = shown = time.time()
    end += seconds
    while time.time() < end:
        while len(workers) < WORKERS:
            workers.append(subprocess.Popen([sys.executable, "-B", __file__, "worker", str(rng.random())]))
        time.sleep(.2)
        if rng.random() < .2:
            rng.choice(workers).kill()
            kills += 1
        workers = [w for w in workers if w.poll() is None]
        if time.time() > shown + 2:
            shown = time.time()
            asked, price, mean, sd = session.rows("SELECT tvgp.stat('price', 'asked'), x[1], mean, sd FROM tvgp.best('price')")[0]
            print(f"{asked:>6} sales, best price {float(price):5.1f} (now {14 + 3 * math.sin(shown / 10):4.1f}), "
                  f"profit {float(mean):4.1f} +- {float(sd):.1f}, {kills} workers killed", flush=True)
    for w in workers:
        w.kill()
        w.wait()
    time.sleep(.5)
    asks = session.rows("SELECT count(*), count(DISTINCT (line::json ->> 'epoch', line::json ->> 'id')) FROM tvgp.event"
                        " WHERE line::json ->> 'call' = 'ask'")[0]
    last = session.rows("SELECT max(n) = count(*) FROM tvgp.event")[0]
    print(f"{asks[0]} queries, all different: {asks[0] == asks[1]}; the log has no gap: {last[0] == 't'}")
    return 0 if asks[0] == asks[1] and last[0] == "t" and int(asks[0]) > 0 else 1


if sys.argv[1] == "worker":
    work(sys.argv[2])
else:
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
