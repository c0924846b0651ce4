# SPDX-License-Identifier: MIT
"""serve.py [RUNS] [TABLE ..]: what slates, shares, an exploration floor, estimates of value, a budget and counts bring.

Worlds: arms on a line, squared exponential kernel (variance 1, length scale .2), drift epsilon, noise variance .1; tv-gp-ucb is
configured with the true model. Prints means and standard errors over RUNS runs (20). Tables: slates, shares, floor, values, budget, counts, texts."""
import itertools
import math
import random
import sys

import tvgp


def cholesky(K):
    n = len(K)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = K[i][j] - sum(L[i][k] * L[j][k] for k in range(j))
            L[i][j] = math.sqrt(max(rest, 1e-12)) if i == j else rest / L[j][j]
    return L


def mean_of(values):
    return sum(values) / len(values)


def error_of(values):
    mean = mean_of(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / len(values) / max(len(values) - 1, 1))


def highest(values):
    return max(range(len(values)), key=lambda i: values[i])


class World:
    """f moves to sqrt(1 - epsilon) f + sqrt(epsilon) g at each step, with g drawn from the prior."""

    def __init__(self, seed, arms, epsilon, length=0.2):
        self.seed, self.rng = seed, random.Random(seed)
        x = [i / (arms - 1) for i in range(arms)]
        self.root = cholesky([[math.exp(-0.5 * ((a - b) / length) ** 2) + (1e-9 if a == b else 0) for b in x] for a in x])
        self.epsilon, self.arms, self.f = epsilon, arms, self.draw()

    def draw(self):
        z = [self.rng.gauss(0, 1) for _ in self.root]
        return [sum(a * b for a, b in zip(row, z)) for row in self.root]

    def step(self):
        keep, take = math.sqrt(1 - self.epsilon), math.sqrt(self.epsilon)
        self.f = [keep * a + take * b for a, b in zip(self.f, self.draw())]

    def noise(self, variance=0.1):
        return math.sqrt(variance) * self.rng.gauss(0, 1)


def policy_for(world, epsilon=None, length=0.2, **options):
    """The exploration coefficient would limit draws of choice=thompson, so it is left out there."""
    width = {} if options.get("choice") == "thompson" else {"width.schedule": "constant", "width.value": 2}
    return tvgp.Policy("tv-gp-ucb", tvgp.grid(0, 1, world.arms), tvgp.se(length), epsilon=epsilon or world.epsilon, noise=0.1,
                       seed=world.seed, **width, **options)


def line(name, *columns):
    """A row: mean +- standard error of each column over the runs."""
    print(f"  {name:34}" + "   ".join(f"{mean_of(c):.3f} +- {error_of(c):.3f}" for c in columns), flush=True)


def slates(runs, steps=200, k=3):
    """With epsilon .003 one game in about 200 stays at a second peak, so that 20 runs show too little regret."""
    print("slates: regret a step, 3 of 20 arms, mean of items; best item")

    def play(seed, epsilon, how):
        world = World(seed, 20, epsilon)
        policy = policy_for(world, choice="thompson" if how == "3 Thompson draws" else "ucb")
        mean = best = 0.0
        for t in range(steps):
            if how == "top 3 by UCB":
                score = policy.evaluate(t, want="score").score
                items = sorted(range(20), key=lambda i: -score[i])[:k]
                policy.observe([[i / 19] for i in items], [world.f[i] + world.noise() for i in items], t=t)
            else:
                queries = policy.ask(t, slate=k)
                items = [q.arm for q in queries]
                policy.tell(queries, [world.f[i] + world.noise() for i in items])
            values = [world.f[i] for i in items]
            mean += (mean_of(sorted(world.f)[-k:]) - mean_of(values)) / steps
            best += (max(world.f) - max(values)) / steps
            world.step()
        return mean, best

    for epsilon in (.03, .003):
        for how in ("top 3 by UCB", "pending", "3 Thompson draws"):
            line(f"epsilon {epsilon}, {how}", *zip(*(play(seed, epsilon, how) for seed in range(runs))))


def shares(runs, steps=200, users=60):
    print("shares: regret a step, 60 users a batch, noise variance 6 a user, 20 arms")

    def play(seed, epsilon, power):
        world, regret = World(seed, 20, epsilon), 0.0
        policy = policy_for(world)
        for t in range(steps):
            if power:
                share = tvgp.shares(policy.best_probability(t, draws=500), power=power)
                drawn = world.rng.choices(range(20), share, k=users)
                count = [drawn.count(a) for a in range(20)]
            else:
                query = policy.ask(t)
                count = [users if a == query.arm else 0 for a in range(20)]
                policy.tell(query, outcome="cancelled")
            for arm in (a for a in range(20) if count[a]):
                policy.observe(arm / 19, world.f[arm] + world.noise(6 / count[arm]), t=t, noise_var=6 / count[arm])
            regret += (max(world.f) - sum(c * f for c, f in zip(count, world.f)) / users) / steps
            world.step()
        return regret

    for epsilon in (.03, .003):
        for power in (0, 1, 2, 4):
            line(f"epsilon {epsilon}, " + (f"power {power}" if power else "UCB, one arm"), [play(s, epsilon, power) for s in range(runs)])


def floor(runs, steps=1000):
    print("floor: regret a step more than without, 10 arms, epsilon .03; share of floor x mean gap")

    def play(seed, share):
        world, regret, gap = World(seed, 10, .03), 0.0, 0.0
        policy = policy_for(world, **{"exploration.floor": share})
        for t in range(steps):
            query = policy.ask(t)
            policy.tell(query, world.f[query.arm] + world.noise())
            regret += (max(world.f) - world.f[query.arm]) / steps
            gap += (max(world.f) - mean_of(world.f)) / steps
            world.step()
        return regret, gap

    before = [play(s, 0) for s in range(runs)]
    for share in (.02, .05, .1):
        after = [play(s, share) for s in range(runs)]
        more = [a[0] - b[0] for a, b in zip(after, before)]
        line(f"floor {share}", more, [m / (share * a[1]) for m, a in zip(more, after)])


# Name and parameters in which the policy's model of a World with epsilon .03 is wrong.
MODELS = (("right", {}), ("prior mean 1 sd too low", {"mean": -1}), ("epsilon 10 times too small", {"epsilon": .003}),
          ("length scale 2.5 times too long", {"length": .5}))


def values(runs, steps=1000, arms=10):
    print(f"values: {steps} records, {arms} arms: bias and rmse of dm; rmse of ips, snips; bias, rmse and coverage (95 %) of dr;")
    print("  targets: uniform, arm 4, the policy's model with width 1")
    targets, cases = ("uniform", "one arm", "another UCB"), []

    def play(seed, share, model):
        world, log, means, chosen, truth = World(seed, arms, .03), [], [], [], []
        policy = policy_for(world, **model, **{"exploration.floor": share})
        for t in range(steps):
            mean, var = policy.predict(t)
            query = policy.ask(t)
            y = world.f[query.arm] + world.noise()
            policy.tell(query, y)
            log.append((t, query.arm, y, query.propensity))
            means.append(list(mean))
            chosen.append(highest([m + math.sqrt(v) for m, v in zip(mean, var)]))
            truth.append(world.f)
            world.step()
        rows = [float(a == 4) for a in range(arms)], *([float(a == b) for a in range(arms)] for b in range(arms))
        result = []
        for target in ([[1 / arms] * arms] * steps, [rows[0]] * steps, [rows[1 + a] for a in chosen]):
            v = tvgp.off_policy_value(tuple(zip(*log)), target, means)
            true = mean_of([sum(a * b for a, b in zip(f, row)) for f, row in zip(truth, target)])
            result.append((v.dm - true, v.ips - true, v.snips - true, v.dr - true, v.dr_se))
        return result

    def rmse(errors):
        return math.sqrt(mean_of([e * e for e in errors]))

    for (name, model), share in itertools.product(MODELS, (.02, .05, .1)):
        for target, rows in zip(targets, zip(*(play(seed, share, model) for seed in range(runs)))):
            dm, ips, snips, dr, se = zip(*rows)
            case = (abs(mean_of(dr)) / error_of(dr), 1 - rmse(dr) / rmse(ips), mean_of([abs(e) <= 1.96 * s for e, s in zip(dr, se)]), share)
            cases.append(case)
            print(f"  {name}, floor {share}, {target}: {mean_of(dm):+.3f}, {rmse(dm):.3f}; {rmse(ips):.3f}, {rmse(snips):.3f}; "
                  f"{mean_of(dr):+.3f} +- {error_of(dr):.3f}, {rmse(dr):.3f}, {case[2]:.2f}", flush=True)
    far, less, covered, floors = zip(*cases)
    print(f"  all {len(cases)}: bias of dr within 2 standard errors of 0 in {sum(f <= 2 for f in far)}, at most {max(far):.1f}; "
          f"rmse {100 * min(less):.0f} to {100 * max(less):.0f} % below ips; coverage "
          + ", ".join(f"{min(c)} to {max(c)} at floor {share}" for share in (.02, .05, .1)
                      for c in [[round(c, 2) for c, f in zip(covered, floors) if f == share]]))


def budget(runs, steps=1000):
    print("budget: regret a step to the best fixed price in hindsight, 11 arms, costs 0 to 2, reward f + 2 cost, T = 1000:")
    print("  stop; pacing; overspend")

    def hindsight(path, costs, all_):
        low, high = 0.0, 50.0
        for _ in range(40):
            price = (low + high) / 2
            spent = sum(costs[highest([v - price * c for v, c in zip(f, costs)])] for f in path)
            low, high = (price, high) if spent > all_ else (low, price)
        return sum(f[highest([v - high * c for v, c in zip(f, costs)])] for f in path)

    def play(seed, ratio, paced):
        world, costs, path, earned, spent = World(seed, 11, .01), [.2 * i for i in range(11)], [], 0.0, 0.0
        policy = policy_for(world)
        if paced:
            policy.set_budget(ratio * steps, period=steps, asks=steps)
            policy.set_costs(costs)
        for t in range(steps):
            reward = [f + 2 * c for f, c in zip(world.f, costs)]  # the best arms are expensive
            path.append(reward)
            query = policy.ask(t) if paced or spent < ratio * steps else None
            if query is not None:
                cost = costs[query.arm] * math.exp(.47 * world.rng.gauss(0, 1) - .11)
                if paced:
                    policy.charge(query, cost)
                policy.tell(query, reward[query.arm] + world.noise())
                spent, earned = spent + cost, earned + reward[query.arm]
            world.step()
        return (hindsight(path, costs, ratio * steps) - earned) / steps, spent / (ratio * steps) - 1

    for ratio in (.25, .5, 1):
        stop, paced = ([play(s, ratio, how) for s in range(runs)] for how in (False, True))
        line(f"B/T = {ratio}", [r[0] for r in stop], [r[0] for r in paced], [r[1] for r in paced])


# Name, outcome.type, mean rate, standard deviation of its logarithm, exposures.
COUNTS = (("Poisson, mean .5", "poisson", .5, .8, (1, 1)), ("Poisson, mean 3, exposure 1 to 9", "poisson", 3, .6, (1, 9)),
          ("Poisson, mean 2", "poisson", 2, 1.2, (1, 1)), ("Poisson, mean 2, exposure 1 to 9", "poisson", 2, 1.2, (1, 9)),
          ("clicks of 5 %, 1 to 199 visitors", "binomial", .05, .6, (1, 199)), ("clicks of 1 %, 200 visitors", "binomial", .01, .8, (200, 200)))


def counts(runs, steps=600):
    print("counts: regret / regret of random play, 12 arms, epsilon .01, auto-gp-ucb with default settings; the rate as a value, its noise learned;")
    print("  value with noise pooled rate / exposure; matched (outcome.type); matched minus the first, paired")

    def poisson(rng, mean):
        n, p, u = 0, math.exp(-mean), rng.random()
        while u > p and n < 1000:
            u, n = u - p, n + 1
            p *= mean / n
        return n

    def play(seed, kind, rate, sd, exposures, how):
        world, chance, lost, at_random, total, exposed = World(seed, 12, .01), random.Random(seed + 1000), 0.0, 0.0, 0, 0
        policy = tvgp.Policy("auto-gp-ucb", tvgp.grid(0, 1, 12), **({"outcome.type": kind} if how == 2 else {}))
        for t in range(steps):
            rates = [min(rate * math.exp(sd * f), 1e9 if kind == "poisson" else .99) for f in world.f]
            exposure, query = chance.randint(*exposures), policy.ask(t)
            r = rates[query.arm]
            y = poisson(chance, r * exposure) if kind == "poisson" else sum(chance.random() < r for _ in range(exposure))
            total, exposed = total + y, exposed + exposure
            if how == 2:
                policy.tell(query, y, exposure=exposure)
            else:
                policy.tell(query, y / exposure, **({"noise_var": (total + 1) / exposed / exposure} if how else {}))
            lost, at_random = lost + max(rates) - r, at_random + max(rates) - mean_of(rates)
            world.step()
        return lost / at_random

    for name, *world in COUNTS:
        values, pooled, matched = ([play(seed, *world, how) for seed in range(runs)] for how in range(3))
        line(name, values, pooled, matched, [m - a for m, a in zip(matched, values)])


def texts(runs, steps=400):
    print("texts: share of the possible gain over random choice, six texts with 3 to 7 % buyers of 100 to 1,000 visitors, as in the guide;")
    print("  the smoothed share p with noise p (1 - p) / n; matched (outcome.type=binomial); difference, paired")

    def rate(text, hour):
        phase = (hour / (150 + 60 * text) + text / 6) % 1
        return .03 + .08 * min(phase, 1 - phase)

    def play(seed, matched, options):
        rng, gain, possible = random.Random(seed), 0.0, 0.0
        policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(6), **options, **({"outcome.type": "binomial"} if matched else {}))
        for hour in range(steps):
            query, n, rates = policy.ask(hour), 100 + 900 * (hour % 24) // 24, [rate(text, hour) for text in range(6)]
            buyers = sum(rng.random() < rates[query.arm] for _ in range(n))
            p = (buyers + 1) / (n + 2)
            policy.tell(query, buyers if matched else p, **({"exposure": n} if matched else {"noise_var": p * (1 - p) / n}))
            gain, possible = gain + rates[query.arm] - mean_of(rates), possible + max(rates) - mean_of(rates)
        return gain / possible

    for name, options in (("default settings", {}), ("fit = map", {"fit": "map"})):
        values, matched = ([play(seed, how, options) for seed in range(runs)] for how in (0, 1))
        line(name, values, matched, [m - a for m, a in zip(matched, values)])


TABLES = {"slates": slates, "shares": shares, "floor": floor, "values": values, "budget": budget, "counts": counts, "texts": texts}
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 20
for table in sys.argv[2:] or TABLES:
    TABLES[table](COUNT)
