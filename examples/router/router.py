# SPDX-License-Identifier: MIT
"""Routes the prompts of a month among five simulated language models whose quality, latency and price differ and drift.

Feedback is late (up to two hours) or missing (one in six), calls are charged with what they really cost, and the process is restarted in the
middle of the month. Prints what was earned, what was spent, and what two other rules would have earned, estimated from the log.
Usage: router.py [FILE.csv]: writes the month for figure.gp."""
import math
import random
import sys

import tvgp

MODELS = ["tiny", "small", "medium", "large", "huge"]
PRICE = [0.02, 0.06, 0.2, 0.6, 1.5]  # expected, in cents a call
HOURS, CALLS, BUDGET = 720.0, 2400, 600.0
random.seed(7)
WOBBLE = [[random.gauss(0, 1) for _ in range(6)] for _ in MODELS]


def quality(model, t):
    """Value of a reply, less the cost of waiting for it. The medium model is improved after two weeks."""
    drift = sum(w * math.sin(2 * math.pi * (k + 1) * t / (2 * HOURS) + k) / (k + 1) for k, w in enumerate(WOBBLE[model]))
    latency = 0.1 + 0.12 * model + (0.4 if model == 4 and 300 < t < 400 else 0)
    return 0.3 + 0.16 * model + 0.2 * drift + (0.2 if model == 2 and t > 336 else 0) - 0.3 * latency


def make():
    policy = tvgp.Policy("auto-gp-ucb", tvgp.indices(len(MODELS)), seed=1, **{"exploration.floor": 0.05})
    policy.set_budget(BUDGET, period=HOURS, asks=CALLS)
    policy.set_costs(PRICE)
    return policy


def close(policy, due, t, log):
    """Outcomes that have arrived by time t; a missing one closes its query."""
    while due and due[0][0] <= t:
        _, query, row, y = due.pop(0)
        if y is None:
            policy.tell(query, outcome="skipped")
        else:
            policy.tell(query, y)
            log[row]["y"] = y


def month():
    policy, log, due = make(), [], []
    for call in range(CALLS):
        t = HOURS * call / CALLS
        if call == CALLS // 2:
            policy = tvgp.Policy.restore(policy.save(full=True))  # the process was restarted
        close(policy, due, t, log)
        means = list(policy.predict(t)[0])
        query = policy.ask(t)
        if query is None:
            log.append({"t": t, "arm": None, "cost": 0.0})
            continue
        cost = PRICE[query.arm] * math.exp(0.4 * random.gauss(0, 1) - 0.08)
        policy.charge(query, cost)
        y = None if random.random() < 1 / 6 else quality(query.arm, t) + 0.2 * random.gauss(0, 1)
        due.append((t + 2 * random.random(), query, len(log), y))
        due.sort(key=lambda one: one[0])
        log.append({"t": t, "arm": query.arm, "cost": cost, "propensity": query.propensity, "means": means, "y": math.nan})
    close(policy, due, math.inf, log)
    return policy, log


def at_price(price):
    """The choices of one who knows all and pays this price: what they are worth, and what they cost."""
    worth = cost = 0.0
    for call in range(CALLS):
        t = HOURS * call / CALLS
        arm = max(range(len(MODELS)), key=lambda a: quality(a, t) - price * PRICE[a])
        worth, cost = worth + quality(arm, t), cost + PRICE[arm]
    return worth, cost


def best_in_hindsight():
    low, high = 0.0, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if at_price(middle)[1] > BUDGET else (low, middle)
    return at_price(high)[0]


def evaluate(log, name, target):
    seen = [r for r in log if r["arm"] is not None]
    value = tvgp.off_policy_value(([r["t"] for r in seen], [r["arm"] for r in seen], [r["y"] for r in seen], [r["propensity"] for r in seen]),
                                [target(r["t"]) for r in seen], [r["means"] for r in seen])
    true = sum(p * quality(a, r["t"]) for r in seen for a, p in enumerate(target(r["t"]))) / len(seen)
    print(f"{name}: {value.dr:.3f} +- {1.96 * value.dr_se:.3f} (true {true:.3f}); the rarest model is expected {value.expected:.0f} times")


def main():
    policy, log = month()
    spent = sum(r["cost"] for r in log)
    earned = sum(quality(r["arm"], r["t"]) for r in log if r["arm"] is not None)
    best, calls = best_in_hindsight(), sum(r["arm"] is not None for r in log)
    print(f"{calls} of {CALLS} prompts answered, {spent:.0f} of {BUDGET:.0f} cents spent, {policy.stat('budget.left'):.0f} left")
    print("share of each model:", ", ".join(f"{name} {sum(r['arm'] == a for r in log) / calls:.2f}" for a, name in enumerate(MODELS)))
    print(f"value {earned / CALLS:.3f} a prompt; best fixed price in hindsight {best / CALLS:.3f}; regret {(best - earned) / CALLS:.3f}; "
          f"at random {sum(quality(a, r['t']) for r in log for a in range(5)) / 5 / CALLS:.3f}, for {CALLS * sum(PRICE) / 5:.0f} cents")
    missing = sum(r["arm"] is not None and math.isnan(r["y"]) for r in log)
    print(f"feedback is missing for {missing} prompts")
    evaluate(log, "medium for all", lambda t: [0, 0, 1, 0, 0])
    evaluate(log, "small by day, medium by night", lambda t: [0, 1, 0, 0, 0] if 8 <= t % 24 < 20 else [0, 0, 1, 0, 0])
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as table:
            total = 0.0
            for r in log:
                total += r["cost"]
                print(f"{r['t'] / 24:.4f},{total:.4f},{BUDGET * r['t'] / HOURS:.4f},{-1 if r['arm'] is None else r['arm']}", file=table)


main()
