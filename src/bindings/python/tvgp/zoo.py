# SPDX-License-Identifier: MIT
"""The benchmark suite: plays any algorithm on the problems of bench/zoo.h, and compares it with policies of the library.

    class Mine:
        def __init__(self, problem): ...            # problem.arms, .steps, .points, ..
        def ask(self, t, available): ...            # the arm to play; on a box (problem.arms == 0) a point
        def tell(self, t, asked, y): ...            # the outcome of what was asked at time t, when it arrives

    print(tvgp.zoo.play("ou", Mine, runs=5))

`python3 -m tvgp.zoo FILE [PROBLEM ..]` plays the class Player of a file, `python3 -m tvgp.zoo --policy ./libmine.so:NAME [PROBLEM ..]`
the policy NAME that a library registers (tvgp/extend.h): the library is linked with libtvgp and exports
`tvgp_status tvgp_register(tvgp_ctx *)`. A wheel has the library libtvgp_zoo.so; otherwise it is built with the benchmarks, and
TVGP_ZOO_LIBRARY names it, or it is looked for next to libtvgp.so and in bench/ there."""
import ctypes
import importlib.util
import math
import os
import pathlib
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

from . import _model, _native
from ._policy import Policy


class _Info(ctypes.Structure):
    _fields_ = ([(name, c_char_p) for name in ("name", "family", "doc", "level")] +
                [(name, c_size_t) for name in ("steps", "arms", "dim")] + [("flags", c_uint32)] +
                [(name, c_double) for name in ("period", "mean", "sd", "noise", "low", "high", "epsilon", "variation", "changes",
                                               "path", "half")])


_SIGNATURES = {
    "count": [POINTER(c_size_t)],
    "name_at": [c_size_t, POINTER(c_char_p), POINTER(c_char_p), POINTER(c_char_p)],
    "open": [c_void_p, c_char_p, c_char_p, c_uint64, POINTER(c_void_p), c_char_p, c_size_t],
    "info_of": [c_void_p, POINTER(_Info)],
    "domain": [c_void_p, POINTER(c_void_p)],
    "step": [c_void_p, c_size_t, POINTER(c_double), POINTER(c_uint8)],
    "answer": [c_void_p, c_size_t, c_int64, POINTER(c_double), POINTER(c_double), POINTER(c_size_t)],
    "value": [c_void_p, c_size_t, c_int64, POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double)],
}
_NEVER = c_size_t(-1).value


def _load() -> Any:
    data = pathlib.Path(__file__).resolve().parent / "data"
    if data.is_dir():
        os.environ.setdefault("TVGP_ZOO_DATA", str(data))
    near = pathlib.Path(_native.PATH).resolve().parent
    places = [os.environ.get("TVGP_ZOO_LIBRARY"), near / "libtvgp_zoo.so", near / "bench" / "libtvgp_zoo.so", "libtvgp_zoo.so"]
    for place in places:
        if place and (place == places[-1] or pathlib.Path(place).is_file()):
            library = ctypes.CDLL(str(place))
            for name, arguments in _SIGNATURES.items():
                getattr(library, f"tvgp_zoo_{name}").argtypes = arguments
                getattr(library, f"tvgp_zoo_{name}").restype = c_int32
            library.tvgp_zoo_close.argtypes, library.tvgp_zoo_close.restype = [c_void_p], None
            return library
    raise ImportError("libtvgp_zoo.so was not found: TVGP_ZOO_LIBRARY names it")


_zoo: Any = None


def _call(name: str, *arguments: Any) -> None:
    global _zoo
    _zoo = _zoo or _load()
    status = getattr(_zoo, f"tvgp_zoo_{name}")(*arguments)
    if status < 0:
        raise _native.Error(status, f"tvgp_zoo_{name}")


def problems() -> "dict[str, tuple[str, str]]":
    """The problems there are: family and a line about each, by name."""
    n, texts, found = c_size_t(), [c_char_p() for _ in range(3)], {}
    _call("count", byref(n))
    for i in range(n.value):
        _call("name_at", i, *(byref(text) for text in texts))
        name, family, doc = (_native.text(text) for text in texts)
        found[name] = (family, doc)
    return found


class Problem:
    """One run of a problem: what bench/zoo.h says of it. settings: "small", "middle", "hard", or key=value pairs."""

    name: str
    family: str
    doc: str
    level: str
    steps: int
    arms: int
    dim: int
    flags: int
    period: float
    mean: float
    sd: float
    noise: float
    low: float
    high: float
    epsilon: float
    variation: float
    changes: float
    path: float
    half: float

    def __init__(self, name: str, settings: str = "middle", seed: int = 1) -> None:
        self._context, self._handle, message = _native.Context(), c_void_p(), ctypes.create_string_buffer(1000)
        try:
            _call("open", self._context.handle, name.encode(), settings.encode(), seed, byref(self._handle), message, 1000)
        except _native.Error as failed:
            raise _native.Error(failed.status, message.value.decode() or str(failed)) from None
        info = _Info()
        _call("info_of", self._handle, byref(info))
        for key, kind in _Info._fields_:
            value = getattr(info, key)
            setattr(self, key, value.decode() if kind is c_char_p else value)
        self.settings, self.seed, self._mask = settings, seed, (c_uint8 * max(self.arms, 1))()

    def __del__(self) -> None:
        if self._handle:
            _zoo.tvgp_zoo_close(self._handle)

    @property
    def domain(self) -> _model.Domain:
        """Where actions live, for tvgp.Policy."""
        if not self.arms:
            return _model.box([0.0] * self.dim, [1.0] * self.dim)
        points = self.points
        return _model.indices(self.arms) if self.dim == 1 and [p[0] for p in points] == list(range(self.arms)) else _model.arms(points)

    @property
    def points(self) -> "list[list[float]]":
        """Coordinates of the arms."""
        domain, x = c_void_p(), (c_double * self.dim)()
        _call("domain", self._handle, byref(domain))
        out = []
        for arm in range(self.arms):
            self._context.call("tvgp_domain_point", domain, arm, x)
            out.append(list(x))
        return out

    def step(self, step: int) -> "tuple[float, list[int] | None]":
        """Time of step 0 .. steps - 1, and the arms that may be asked; None on a box."""
        t = c_double()
        _call("step", self._handle, step, byref(t), self._mask)
        return t.value, [i for i in range(self.arms) if self._mask[i]] if self.arms else None

    def _place(self, asked: Any) -> tuple[int, Any]:
        if self.arms:
            return int(asked), None
        return -1, (c_double * self.dim)(*asked)

    def answer(self, step: int, asked: Any) -> "tuple[float, int | None]":
        """The outcome, and the step at whose end it arrives; None: never."""
        y, due = c_double(), c_size_t()
        _call("answer", self._handle, step, *self._place(asked), byref(y), byref(due))
        return y.value, None if due.value == _NEVER else due.value

    def value(self, step: int, asked: Any) -> "tuple[float, float, float]":
        """The truth: value of what was asked, best value, mean over what could be asked. For regret alone."""
        value, best, uniform = c_double(), c_double(), c_double()
        _call("value", self._handle, step, *self._place(asked), byref(value), byref(best), byref(uniform))
        return value.value, best.value, uniform.value


def plain_kernel(problem: Problem) -> _model.Kernel:
    """For policies that learn none: squared exponential over a fifth of each coordinate's span, with the variance of the values."""
    spans = [list(span) for span in zip(*problem.points)] if problem.arms else [[0.0, 1.0]] * problem.dim
    return _model.se([(max(span) - min(span) or 1.0) / 5 for span in spans], variance=problem.sd**2)


class PolicyAgent:
    """A policy of the library with default settings, as an agent: PolicyAgent("auto-gp-ucb"). kernel: a function of the problem."""

    _policy: Policy
    _box: bool
    _ids: "dict[float, int]"
    _arms: int
    _masked: bool

    def __init__(self, name: str, kernel: Any = None, **options: Any) -> None:
        self.__name__, self._name, self._kernel, self._options = name, name, kernel, options

    def __call__(self, problem: Problem) -> "PolicyAgent":
        made = PolicyAgent(self._name, self._kernel, **self._options)
        kernel = self._kernel and self._kernel(problem)
        made._policy, made._box, made._ids = Policy(self._name, problem.domain, kernel, seed=problem.seed, **self._options), not problem.arms, {}
        made._arms, made._masked = problem.arms, False
        return made

    def ask(self, t: float, available: "list[int] | None") -> Any:
        if available is not None and (self._masked or len(available) < self._arms):
            there, self._masked = set(available), True
            self._policy.set_available([i in there for i in range(self._arms)])
        query = self._policy.ask(t)
        if query is None:
            raise RuntimeError(f"t = {t}: nothing can be asked before outcomes arrive")
        self._ids[t] = query.id
        return query.x if self._box else query.arm

    def tell(self, t: float, asked: Any, y: float) -> None:
        self._policy.tell(self._ids.pop(t), y)


class Row(NamedTuple):
    """Regret of an agent relative to uniform play, 0 clairvoyant and 1 random: mean over the runs and its standard error."""

    problem: str
    settings: str
    agent: str
    runs: int
    share: float
    error: float

    def __str__(self) -> str:
        return f"{self.problem:14} {self.settings:10} {self.agent:24} {self.runs:3} runs  {self.share:.3f} +- {self.error:.3f}"


def _play_once(problem: Problem, agent: Any) -> float:
    regret = uniform = 0.0
    waiting: "dict[int, list[Any]]" = {}
    for step in range(problem.steps):
        t, available = problem.step(step)
        asked = agent.ask(t, available)
        if available is not None and asked not in available:
            raise ValueError(f"step {step}: arm {asked} cannot be asked now")
        y, due = problem.answer(step, asked)
        if due is not None:
            waiting.setdefault(due, []).append((t, asked, y))
        value, best, average = problem.value(step, asked)
        regret, uniform = regret + best - value, uniform + best - average
        for answer in waiting.pop(step, ()):
            agent.tell(*answer)
    return regret / uniform


def play(problem: str, agent: Any, settings: str = "middle", runs: int = 1, seed: int = 1) -> Row:
    """Plays a class (or any function of a Problem that returns an object with ask and tell) again in every run, seeds seed, seed +
    1, ..: the same truth and noise for all algorithms."""
    shares = [_play_once(problem_run, agent(problem_run)) for problem_run in (Problem(problem, settings, seed + r) for r in range(runs))]
    mean = sum(shares) / runs
    error = math.sqrt(sum((s - mean) ** 2 for s in shares) / (runs - 1) / runs) if runs > 1 else math.nan
    return Row(problem, settings, getattr(agent, "__name__", str(agent)), runs, mean, error)


def registered(entry: str) -> PolicyAgent:
    """The agent of LIBRARY:NAME, a policy that the shared library registers by tvgp_register, with `plain_kernel`; without a colon one
    of tvgp's own."""
    path, colon, name = entry.rpartition(":")
    if colon:
        register = ctypes.CDLL(str(pathlib.Path(path).resolve())).tvgp_register
        register.argtypes, register.restype = [c_void_p], c_int32
        _native.registrars.append(register)
    return PolicyAgent(name, plain_kernel if colon else None)


def _agent_of(path: str) -> Any:
    spec: Any = importlib.util.spec_from_file_location("agent", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Player


def main(arguments: "list[str]") -> int:
    """FILE or --policy LIBRARY:NAME, then PROBLEM ..: three runs of each problem (default: ou redrawn swing), with policies of the
    library for comparison."""
    if not arguments or arguments == ["--policy"]:
        print("usage: python3 -m tvgp.zoo FILE [PROBLEM ..]\n       python3 -m tvgp.zoo --policy LIBRARY:NAME [PROBLEM ..]\n" +
              "\n".join(f"  {n:14} {d}" for n, (_, d) in problems().items()))
        return 2
    if arguments[0] == "--policy":
        agents, chosen = [registered(arguments[1]), *map(PolicyAgent, ("auto-gp-ucb", "tv-gp-ucb", "random"))], arguments[2:]
    else:
        agents, chosen = [_agent_of(arguments[0]), PolicyAgent("auto-gp-ucb")], arguments[1:]
    for problem in chosen or ("ou", "redrawn", "swing"):
        for agent in agents:
            print(play(problem, agent, runs=3), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
