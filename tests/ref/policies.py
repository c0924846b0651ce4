# SPDX-License-Identifier: MIT
"""Policies with one prior on 25 arms: each is a rule for the data in use, their noise, and the exploration coefficient."""
import kdpp
import numpy as np
import schedules
from kernels import forgetting, kernel, wiener
from posterior import on_arms


def choose(score):
    """The best arm (ties: the smallest) and its lead over the second."""
    best = int(np.argmax(score))
    return best, score[best] - np.max(np.delete(score, best))


class Game:
    """One run. data: (arm, time, y, noise) of the observations in use."""

    def __init__(self, name, run, K, F):
        self.name, self.p, self.K, self.F, self.run = name, run["params"], K, F, run
        self.data, self.asked, self.last_reset, self.resets = [], [], 0, []
        self.noise = self.p.get("lam", self.p["sn2"])

    def time_kernel(self, s, t):
        if "eps" in self.p:
            return forgetting(s, t, self.p["eps"])
        return wiener(s, t, self.p["sw2"]) if self.name == "ui_wiener" else np.ones((len(s), len(t)))

    def noise_now(self, t):
        """Noise variances of the data at an ask at time t."""
        noise = np.array([d[3] for d in self.data])
        age = t - np.array([d[1] for d in self.data], float)
        if "gamma" in self.p:
            return noise * self.p["gamma"] ** -(age - (self.p["ref"] == "last"))
        if self.name == "ui_diag":
            return noise + self.p["sw2"] * age
        return noise * (age if self.name == "wsparq_ui" else 1)  # 1 + age to the newest, which is of t - 1

    def width(self, t, K, noise):
        if self.p["width"] == "logdet":
            return schedules.logdet_width(K, noise, self.p["delta"], self.p["B"])
        if "R" in self.p:
            gain = 0.5 * np.linalg.slogdet(np.eye(len(K)) + K / self.noise)[1]
            return schedules.igp_width(gain, self.p["B"], self.p["R"], self.p["delta"])
        return np.sqrt(schedules.log_beta(t))

    def forget(self, t):
        every = self.p.get("N", self.p.get("H"))
        if every and (t - 1) % every == 0:
            self.data = []
        self.data = self.data[-self.p.get("W", 10**6):]

    def side(self, t, step):
        """A round of side queries: exact values at present, chosen greedily among the arms asked so far."""
        ground = list(dict.fromkeys(self.asked))
        Q = 1 if t == 1 else int(np.ceil(3 * np.log(t)))
        step["queries"] = [ground[i] for i in kdpp.greedy(self.K[np.ix_(ground, ground)], min(Q, len(ground)))]
        noise = self.p.get("sbar2", self.p["sn2"])
        return [(x, t, self.F[t - 1][x], noise) for x in step["queries"]]

    def observe(self, t, x, y, step):
        own = (x, t, y, self.noise)
        if self.name.startswith("sparq"):
            self.data = self.side(t, step)
            ages = range(len(self.asked) if self.name == "sparq_000" else 0)
            self.data += [(self.asked[t - 1 - a], t - a, self.F[t - 1 - a][self.asked[t - 1 - a]], self.noise * (a * a + 1))
                          for a in reversed(ages) if a * a + 1 <= np.log(t)]
        elif self.name.startswith("wsparq") and t in self.p["starts"]:
            self.data = self.side(t, step)
        else:
            self.data.append(own)
        if self.name.startswith("et"):
            self.trigger(t, own, step)
        elif "sparq" in self.name:
            step.setdefault("queries", [])
            step["nreg"] = len(self.data)

    def trigger(self, t, own, step):
        """Event trigger, ET algorithm 1, with the mean and sd used for the choice."""
        tp = step["tprime"] = step["n"] + 1 if "size" in self.name else t - self.last_reset
        threshold = np.sqrt(schedules.et_rho(tp, self.p["deltaB"])) * step["sd"]
        step["psi"] = abs(own[2] - step["mu"])
        step["kappa"] = threshold + schedules.et_wbar(tp, self.p["deltaB"], self.p["sn2"])
        step["reset"] = bool(step["psi"] > step["kappa"])
        if step["reset"]:
            self.data, self.last_reset = [] if self.name == "et_empty" else [own], t
            self.resets.append(t)

    def play(self, T):
        log = []
        for t in range(1, T + 1):
            self.forget(t)
            (arms, times, y), noise = ([d[i] for d in self.data] for i in range(3)), self.noise_now(t)
            mean, sd, K = on_arms(self.K, arms, y, noise, self.time_kernel, times, t)
            width = self.width(t, K, noise)
            x, gap = choose(mean + width * sd)
            step = {"t": t, "arm": x, "n": len(self.data), "width": width, "mu": mean[x], "sd": sd[x],
                    "ucb": mean[x] + width * sd[x], "gap": gap}
            self.asked.append(x)
            self.observe(t, x, self.F[t - 1][x], step)
            log.append(step)
        return log


def make(g):
    K, F = kernel("se", g["arms"], g["arms"], 0.3), np.array(g["F"])
    for name, run in g["policies"].items():
        game = Game(name, run, K, F)
        run["log"] = game.play(g["T"])
        run["arms"] = game.asked
        run["y"] = F[np.arange(g["T"]), game.asked]
        run["cumulative_regret"] = np.sum(np.max(F, axis=1) - run["y"])
        run["min_gap_t_ge_2"] = min(s["gap"] for s in run["log"][1:])
        if name.startswith("et"):
            run["resets"] = game.resets
        if "sparq" in name:
            run["total_queries"] = sum(len(s["queries"]) for s in run["log"])
