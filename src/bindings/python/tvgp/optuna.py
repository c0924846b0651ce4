# SPDX-License-Identifier: MIT
"""A sampler for Optuna (https://optuna.org) whose objective may change over time: it searches areas again that were tried long ago.

    study = optuna.create_study(sampler=tvgp.optuna.Sampler())

Needs Optuna 3.1 or later. The trials of the study are the only state: a sampler in another process, or after a restart, observes them."""
from __future__ import annotations

import math
import random
import threading
import warnings
from typing import Any, Callable, Sequence

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial, TrialState

from . import _native as native
from ._model import Domain, arms, box, indices
from ._policy import Policy

_MOST_ARMS = 1024  # the largest discrete space whose points are all arms
_DRAWN = 256  # candidates of an ask: as many drawn from everywhere, and near good recent trials
_RECENT = 50  # trials that candidates may be near to


class _Parameter:
    """One parameter: coordinates from 0 to 1 of its values, one for each choice of three or more."""

    def __init__(self, distribution: Any) -> None:
        self.of = distribution
        self.choices = isinstance(distribution, CategoricalDistribution)
        self.log = not self.choices and distribution.log
        step = None if self.choices or self.log and isinstance(distribution, FloatDistribution) else distribution.step
        self.levels = len(distribution.choices) if self.choices else int((distribution.high - distribution.low) / step + 1.5) if step else 0
        self.width = self.levels if self.choices and self.levels > 2 else 1

    def encode(self, value: Any) -> list[float]:
        if self.choices:
            i = int(self.of.to_internal_repr(value))
            return [float(i)] if self.width == 1 else [float(i == k) for k in range(self.levels)]
        if self.log:
            return [math.log(value / self.of.low) / math.log(self.of.high / self.of.low)]
        return [(value - self.of.low) / (self.of.high - self.of.low)]

    def decode(self, x: Any) -> Any:
        """The nearest value."""
        if self.choices:
            return self.of.choices[max(range(self.levels), key=lambda k: float(x[k])) if self.width > 1 else round(x[0])]
        low, high, u = self.of.low, self.of.high, min(max(float(x[0]), 0.0), 1.0)
        value = low * math.exp(u * math.log(high / low)) if self.log else low + u * (high - low)
        if self.levels:
            value = low + round((value - low) / self.of.step) * self.of.step
        value = min(max(value, low), high)
        return float(value) if isinstance(self.of, FloatDistribution) else int(value)

    def draw(self, rng: random.Random, near: Any = None, scale: float = 1.0) -> Any:
        """A value from everywhere, or of a number near another: the next one at least."""
        if near is None or self.choices:
            return self.decode([rng.random() for _ in range(self.width)] if self.width > 1 or not self.choices else [rng.randrange(self.levels)])
        step = rng.gauss(0, scale)
        return self.decode([self.encode(near)[0] + math.copysign(max(abs(step), 1 / (self.levels - 1) if self.levels and not self.log else 0), step)])


class _Space:
    """A search space as the domain of a policy: all points as arms if they are few, else a box. Where a box has points that mean
    nothing, such as half a choice, asks choose among candidates."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.parameters = {name: _Parameter(space[name]) for name in sorted(space)}
        parts = list(self.parameters.values())
        levels = math.prod(p.levels for p in parts)
        self.arms = bool(levels) and levels <= _MOST_ARMS
        self.categories = self.arms and len(parts) == 1 and parts[0].choices
        # a random start, without which a policy may never see the best choice: it has no reason to leave a good one
        self.start = 0 if self.arms or not any(p.choices for p in parts) else 2 * sum(p.width for p in parts)
        self.drawn = not self.arms and any(p.width > 1 or p.levels and p.log for p in parts)
        # whole numbers as such, for the search on a box
        self.units = [float(p.levels - 1) if not self.arms and p.width == 1 and p.levels and not p.log else 1.0 for p in parts for _ in range(p.width)]

    def domain(self) -> Domain:
        parts = list(self.parameters.values())
        if self.categories:
            return indices(parts[0].levels)
        if self.arms:
            points: list[list[float]] = [[]]
            for p in parts:
                values = p.of.choices if p.choices else [p.of.low + k * p.of.step for k in range(p.levels)]
                points = [[*point, *p.encode(value)] for point in points for value in values]
            return arms(points)
        return box([0.0] * len(self.units), self.units, [i for i, unit in enumerate(self.units) if unit != 1.0 or self._is_pair(i)])

    def _is_pair(self, coordinate: int) -> bool:
        owners = [p for p in self.parameters.values() for _ in range(p.width)]
        return owners[coordinate].width == 1 and owners[coordinate].levels == 2

    def encode(self, params: dict[str, Any]) -> list[float] | None:
        """The point; None if a parameter is missing or outside its range."""
        x = []
        for name, p in self.parameters.items():
            if name not in params or not p.of._contains(p.of.to_internal_repr(params[name])):
                return None
            x += [float(int(p.of.to_internal_repr(params[name])))] if self.categories else p.encode(params[name])
        return [float(round(u * unit)) if unit != 1.0 else u for u, unit in zip(x, self.units)]

    def decode(self, x: Any) -> dict[str, Any]:
        if self.categories:
            return {name: p.of.choices[int(x[0])] for name, p in self.parameters.items()}
        params, at = {}, 0
        for name, p in self.parameters.items():
            params[name] = p.decode([x[i] / self.units[i] for i in range(at, at + p.width)])
            at += p.width
        return params

    def candidates(self, rng: random.Random, good: list[dict[str, Any]]) -> list[Any]:
        """Points from everywhere, and good ones with another value of one or some parameters."""
        found = [self.encode({name: p.draw(rng) for name, p in self.parameters.items()}) for _ in range(_DRAWN)]
        for _ in range(_DRAWN if good else 0):
            near, scale = rng.choice(good), .3 * .03 ** rng.random()
            changed = rng.sample(list(self.parameters), 1 + int(len(self.parameters) * rng.random() ** 2))
            found.append(self.encode({**near, **{name: self.parameters[name].draw(rng, near[name], scale) for name in changed}}))
        return found


class Sampler(optuna.samplers.BaseSampler):
    """A policy as a sampler: floats, integers, steps, log scales and choices; one objective, minimised or maximised.

    Parameters that every completed trial has are chosen by the policy, others at random, such as in the first trial. With choices
    among other parameters, trials are random at first: two for each number and pair, two for each choice of three or more. clock: a
    function of a trial that gives its time, such as lambda trial: trial.datetime_start.timestamp(); None: the number of the trial.
    Options of the policy, with two underscores for a dot. A trial that failed is a failure of the policy; one that was pruned
    counts with its last intermediate value, if it has one. constraints_func: as in Optuna's samplers, a function of a trial that has
    ended, whose values are at most 0 where the trial is feasible; each value has a model (tvgp_policy_add_constraint)."""

    def __init__(self, policy: str = "auto-gp-ucb", *, clock: Callable[[FrozenTrial], float] | None = None, seed: int = 0,
                 constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None, **options: Any) -> None:
        if policy == "auto-gp-ucb":  # a trial takes longer than an optimisation that is not divided among asks
            options = {"fit__max_evals": 100, **options}
        if constraints_func is not None:  # no trial is declared safe
            options = {"constraint__fallback": "safest", **options}
        self._name, self._clock, self._seed, self._constraints, self._options = policy, clock, seed, constraints_func, options
        self._random = optuna.samplers.RandomSampler(seed)
        self._lock = threading.RLock()
        self._distributions: dict[str, Any] = {}
        self._limits = 0  # constraints of the policy
        self._space: Any = None
        self._policy: Any = None
        self._intersection: Any = None

    def __reduce__(self) -> Any:
        return _made, (self._name, self._clock, self._seed, self._constraints, self._options)

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Any, trial: FrozenTrial) -> dict[str, Any]:
        with self._lock:
            if self._intersection is None:
                module = getattr(optuna, "search_space", None) or optuna.samplers
                self._intersection = module.IntersectionSearchSpace()
            return {name: one for name, one in self._intersection.calculate(study).items() if not one.single()}

    def sample_independent(self, study: Any, trial: FrozenTrial, param_name: str, param_distribution: Any) -> Any:
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def sample_relative(self, study: Any, trial: FrozenTrial, search_space: dict[str, Any]) -> dict[str, Any]:
        self._raise_error_if_multi_objective(study)
        if not search_space:
            return {}
        with self._lock:
            self._follow(study, search_space)
            if len(self._known) < self._space.start:
                return {}
            points = None
            if self._space.drawn:
                best = sorted(self._recent, key=lambda one: one[0])[:_RECENT // 5]
                points = self._space.candidates(random.Random(self._seed * 1000003 + trial.number), [params for _, params in best])
            query = self._policy.ask(self._time(trial), candidates=points)
            if query is None:
                return {}
            self._asked[trial.number] = query
            return dict(self._space.decode(query.x))

    def after_trial(self, study: Any, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        if self._constraints is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return
        found = tuple(native.number("constraints_func(trial)", value) for value in self._constraints(trial))
        if any(math.isnan(value) for value in found):
            raise ValueError(f"constraints_func(trial) = {found} must have no NaN")
        study._storage.set_trial_system_attr(trial._trial_id, "constraints", found)  # where Optuna's samplers keep them

    def _time(self, trial: FrozenTrial) -> float:
        return float(trial.number) if self._clock is None else native.number("clock(trial)", self._clock(trial))

    def _follow(self, study: Any, search_space: dict[str, Any]) -> None:
        """Reports the trials that have ended since, to a new policy if the space has changed."""
        trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL))
        limits = max((len(_limits(trial)) for trial in trials), default=0) if self._constraints else 0
        if search_space != self._distributions or limits != self._limits:
            self._distributions, self._space, self._limits = dict(search_space), _Space(search_space), limits
            self._sign = 1.0 if study.direction == optuna.study.StudyDirection.MINIMIZE else -1.0
            self._policy = Policy(self._name, self._space.domain(), sense="min" if self._sign > 0 else "max", options=self._options)
            for _ in range(limits):
                self._policy.add_constraint(self._policy.model("auto-gp-ucb", fit__max_evals=100), at_most=0)
            self._known: set[int] = set()
            self._asked: dict[int, Any] = {}
            self._recent: list[tuple[float, dict[str, Any]]] = []
        for trial in trials:
            if trial.number not in self._known:
                self._known.add(trial.number)
                try:
                    self._report(trial)
                except native.Error as error:
                    warnings.warn(f"trial {trial.number} is not observed: {error}")

    def _report(self, trial: FrozenTrial) -> None:
        query, x = self._asked.pop(trial.number, None), self._space.encode(trial.params)
        usual = query is not None and x is not None and all(abs(a - b) < 1e-9 for a, b in zip(x, query.x))
        value = None if trial.state == TrialState.FAIL else trial.value
        if value is not None and not math.isfinite(value):
            value = None
        outputs = dict(enumerate(_limits(trial)[:self._limits], 1)) if value is not None else {}
        if usual and value is not None:
            self._policy.tell(query, value)
            for k in range(1, self._limits + 1):
                if k in outputs:
                    self._policy.tell(query, outputs[k], output=k)
                else:
                    self._policy.tell(query, outcome="skipped", output=k)
        elif query is not None:
            self._policy.tell(query, outcome="failed" if usual and trial.state == TrialState.FAIL else "skipped" if usual else "cancelled")
        if value is None or x is None:
            return
        if not usual:
            self._policy.observe([x], [value], t=self._time(trial))
            for k, output in outputs.items():
                self._policy.observe([x], [output], t=self._time(trial), output=k)
        self._recent = [*self._recent[1 - _RECENT:], (self._sign * value, trial.params)]


def _made(policy: str, clock: Any, seed: int, constraints_func: Any, options: dict[str, Any]) -> Sampler:
    return Sampler(policy, clock=clock, seed=seed, constraints_func=constraints_func, **options)


def _limits(trial: FrozenTrial) -> tuple[float, ...]:
    """The values of the constraints of a trial, as Optuna keeps them; an infinite one is a large one."""
    return tuple(min(max(value, -1e6), 1e6) for value in trial.system_attrs.get("constraints") or ())


def best_now(study: Any, t: float | None = None) -> dict[str, Any]:
    """The parameters with the best posterior mean at time t (None: the newest time seen) of a study with a Sampler. study.best_trial has no meaning
    when the objective changes. {} before the first completed trial."""
    sampler = study.sampler
    if not isinstance(sampler, Sampler):
        raise TypeError(f"best_now: the study has a {type(sampler).__name__}, must have a tvgp.optuna.Sampler")
    with sampler._lock:
        space = sampler.infer_relative_search_space(study, None)  # type: ignore[arg-type]
        if not space:
            return {}
        sampler._follow(study, space)
        if sampler._space.drawn:
            best = [params for _, params in sorted(sampler._recent, key=lambda one: one[0])]
            points = sampler._space.candidates(random.Random(sampler._seed), best) + [sampler._space.encode(params) for params in best]
            sampler._policy.set_candidates([x for x in points if x is not None])
        found = sampler._policy.best(sampler._policy.stat("clock") if t is None else t)
        return dict(sampler._space.decode(found.x))
