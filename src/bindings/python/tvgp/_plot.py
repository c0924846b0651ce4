# SPDX-License-Identifier: MIT
"""Figures as SVG text for notebooks, browsers and files, without further packages. They follow the light or dark mode of the page."""
from __future__ import annotations

import datetime
import html
import json
import math
import pathlib
from typing import Any

WIDTH, LEFT, RIGHT = 800, 64, 24
MOST_CELLS = 2000  # of a map over time
DATES = 5e8  # times beyond it count as seconds since 1970
STYLE = """<style>
.ink{fill:#222}.axis{stroke:#ccc}.mean{fill:none;stroke:#0b62a4;stroke-width:2}.band{fill:#0b62a4;opacity:.18}.told{fill:#b3541e}
.best{fill:none;stroke:#111;stroke-width:2}.mark{fill:none;stroke:#fff;stroke-width:3}.told2{fill:#ff9d5c;stroke:#222;stroke-width:.6}
rect{shape-rendering:crispEdges}.line0{fill:none;stroke:#0b62a4;stroke-width:2}.line1{fill:none;stroke:#b3541e;stroke-width:2}
.line2{fill:none;stroke:#2c7a4b;stroke-width:2}.line3{fill:none;stroke:#888;stroke-width:2;stroke-dasharray:5 4}
.line4{fill:none;stroke:#7a3fa0;stroke-width:2}.ground{fill:#fff}
@media(prefers-color-scheme:dark){.ink{fill:#ddd}.axis{stroke:#444}.ground{fill:#16181b}.mean,.line0{stroke:#6cb4ee}.band{fill:#6cb4ee}
.told{fill:#f0955c}.best{stroke:#fff}.line1{stroke:#f0955c}.line2{stroke:#6fcf97}.line4{stroke:#c39be0}}
</style>"""
COLOURS = ((0xF3, 0xF0, 0xDC), (0x8F, 0xC7, 0xB5), (0x2F, 0x7F, 0xA8), (0x1D, 0x2F, 0x6F))  # of low to high


class Picture:
    """An SVG picture: `svg` is its text, save(path) writes it, and a notebook shows it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | pathlib.Path) -> None:
        """Writes the picture to a file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_html_(self) -> str:
        return self.svg


class Panel:
    """One pair of axes: numbers in, places of the picture out."""

    def __init__(self, top: Any, bottom: Any, x: Any, y: Any, title: Any, label: Any, log: Any = False, times: Any = False) -> None:
        self.top, self.bottom, self.log = top, bottom, log
        self.parts: list[str] = []
        self.x_low, self.x_high = _span(x)
        self.y_low, self.y_high = _span([math.log10(v) for v in y if v > 0] if log else y)
        self._axes(title, label, times and self.x_low > DATES)

    def across(self, x: Any) -> Any:
        return LEFT + (x - self.x_low) / (self.x_high - self.x_low) * (WIDTH - LEFT - RIGHT)

    def up(self, y: Any) -> Any:
        y = math.log10(max(y, 1e-300)) if self.log else y
        inside = min(1.05, max(-0.05, (y - self.y_low) / (self.y_high - self.y_low)))
        return self.bottom - inside * (self.bottom - self.top)

    def text(self, x: Any, y: Any, words: Any, anchor: Any = "middle") -> None:
        self.parts.append(f'<text class="ink" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(str(words))}</text>')

    def _axes(self, title: Any, label: Any, dates: Any) -> None:
        for value in _ticks(self.y_low, self.y_high):
            y = self.bottom - (value - self.y_low) / (self.y_high - self.y_low) * (self.bottom - self.top)
            self.parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            self.text(LEFT - 6, y + 4, _short(10**value if self.log else value), "end")
        for value, words in _dates(self.x_low, self.x_high) if dates else ((v, _short(v)) for v in _ticks(self.x_low, self.x_high)):
            self.text(self.across(value), self.bottom + 16, words)
        self.text(LEFT, self.top - 8, title, "start")
        self.text(WIDTH - RIGHT, self.bottom + 32, label, "end")

    def line(self, x: Any, y: Any, kind: Any) -> None:
        """A line through the points that are numbers."""
        points = [(self.across(a), self.up(b)) for a, b in zip(x, y) if b == b]
        if points:
            self.parts.append(f'<path class="{kind}" d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in points)}"/>')

    def band(self, x: Any, low: Any, high: Any) -> None:
        edge = [*zip(x, high), *reversed(list(zip(x, low)))]
        self.parts.append(f'<path class="band" d="M{"L".join(f"{self.across(a):.1f} {self.up(b):.1f}" for a, b in edge)}Z"/>')

    def dot(self, x: Any, y: Any, kind: Any = "told", opacity: Any = 1.0, r: Any = 3.5) -> None:
        self.parts.append(f'<circle class="{kind}" cx="{self.across(x):.1f}" cy="{self.up(y):.1f}" r="{r}" opacity="{opacity:.2f}"/>')

    def cell(self, x: Any, y: Any, width: Any, height: Any, share: Any) -> None:
        """A rectangle of a heat map, in the colour of a share from 0 to 1."""
        left, right = self.across(x - width / 2), self.across(x + width / 2)
        low, high = self.up(y - height / 2), self.up(y + height / 2)
        self.parts.append(f'<rect x="{left:.1f}" y="{high:.1f}" width="{right - left + .4:.1f}" height="{low - high + .4:.1f}" fill="{_colour(share)}"/>')


def _span(values: Any) -> Any:
    values = [v for v in values if v == v and abs(v) != math.inf] or [0.0]
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _ticks(low: Any, high: Any) -> Any:
    step = 10 ** math.floor(math.log10((high - low) / 2))
    step *= next(m for m in (1, 2, 5, 10, 20) if (high - low) / (step * m) <= 6)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _dates(low: Any, high: Any) -> Any:
    """Round times between two that are seconds since 1970, with what to call them."""
    step = next((s for s in (60, 300, 900, 3600, 14400, 43200, 86400, 3 * 86400, 7 * 86400, 14 * 86400, 28 * 86400, 91 * 86400) if (high - low) / s <= 7),
                365 * 86400)
    shape = "%H:%M" if high - low < 86400 else "%d %b %H:%M" if step < 86400 else "%Y-%m-%d"
    return [(v, _moment(v).strftime(shape)) for v in range(math.ceil(low / step) * step, math.floor(high) + 1, step)]


def _moment(t: Any) -> Any:
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc)


def _when(t: Any) -> Any:
    """A time as a person reads it."""
    return f"{_moment(t):%Y-%m-%d %H:%M}" if t > DATES else f"t = {_short(t)}"


def _short(value: Any) -> Any:
    return f"{value:.6g}" if abs(value) >= 1e-12 else "0"


def _colour(share: Any) -> Any:
    place = min(max(share, 0.0), 1.0) * (len(COLOURS) - 1)
    i = min(int(place), len(COLOURS) - 2)
    mixed = (round(a + (b - a) * (place - i)) for a, b in zip(COLOURS[i], COLOURS[i + 1]))
    return "#" + "".join(f"{c:02x}" for c in mixed)


def picture(panels: Any, height: Any, title: Any) -> Picture:
    """The panels, one below the other, as one SVG."""
    inside = "".join("\n".join(panel.parts) + "\n" for panel in panels)
    return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" '
                   f'font-family="sans-serif" font-size="12"><title>{html.escape(title)}</title>{STYLE}'
                   f'<rect class="ground" width="{WIDTH}" height="{height}"/>\n{inside}</svg>\n')


# ---- the posterior


def belief(policy: Any, t: Any, told: Any) -> Picture:
    """Policy.plot."""
    dim = policy.domain.dim
    if dim > 2:
        raise ValueError(f"plot: the domain has {dim} coordinates, a picture has one or two")
    lower, upper = ([float(v) for v in part] for part in policy.domain.bounds())
    told = [(x if hasattr(x, "__len__") else (x,), y) for x, y in told]
    best = policy.best(t)
    draw = _map if dim == 2 else _curve
    return draw(policy, t, lower, upper, told, best)


def _curve(policy: Any, t: Any, lower: Any, upper: Any, told: Any, best: Any) -> Picture:
    arms = policy.domain.n
    x = sorted({float(policy.domain.point(i)[0]) for i in range(arms)}) if 0 < arms <= 2000 else \
        [lower[0] + (upper[0] - lower[0]) * i / 300 for i in range(301)]
    mean, var = policy.predict(t, [[v] for v in x])
    sd = [math.sqrt(v) for v in var]
    low, high = [m - 2 * s for m, s in zip(mean, sd)], [m + 2 * s for m, s in zip(mean, sd)]
    panel = Panel(40, 330, x, [*low, *high, *(y for _, y in told)], f"{policy.name} at {_when(t)}: posterior mean +- 2 sd, observations; ring: best mean", "coordinate")
    if policy.domain.type in ("indices",):
        for a, m, below, above in zip(x, mean, low, high):
            panel.line([a, a], [below, above], "mean")
            panel.dot(a, m, "told", 0.0)
    else:
        panel.band(x, low, high)
        panel.line(x, mean, "mean")
    for i, (at, y) in enumerate(told):
        panel.dot(float(at[0]), float(y), "told", 0.2 + 0.8 * (i + 1) / len(told))
    panel.dot(float(best.x[0]), float(policy.predict(t, [list(best.x)])[0][0]), "best", r=6)
    return picture([panel], 374, f"posterior of {policy.name} at {_when(t)}")


def _map(policy: Any, t: Any, lower: Any, upper: Any, told: Any, best: Any) -> Picture:
    if policy.domain.n:
        points = [tuple(map(float, policy.domain.point(i))) for i in range(policy.domain.n)]
        if len(points) > 10000:
            raise ValueError(f"plot: {len(points)} arms in a plane, at most 10000")
        sizes = [sorted({p[k] for p in points}) for k in range(2)]
        step = [(s[-1] - s[0]) / (len(s) - 1) if len(s) > 1 else 1.0 for s in sizes]
    else:
        points = [tuple(lower[k] + (upper[k] - lower[k]) * (i[k] + 0.5) / 50 for k in range(2)) for i in ((a, b) for a in range(50) for b in range(50))]
        step = [(upper[k] - lower[k]) / 50 for k in range(2)]
    mean, _ = policy.predict(t, [list(p) for p in points])
    low, high = _span([float(m) for m in mean])
    edge = [[lower[k] - step[k] / 2, upper[k] + step[k] / 2] if policy.domain.n else [lower[k], upper[k]] for k in range(2)]
    panel = Panel(40, 560, edge[0], edge[1], f"{policy.name} at {_when(t)}: mean, light {_short(low)} to dark {_short(high)}; ring: best mean", "first coordinate (upwards: second)")
    for (a, b), m in zip(points, mean):
        panel.cell(a, b, step[0], step[1], (float(m) - low) / (high - low))
    for i, (at, _) in enumerate(told):
        panel.dot(float(at[0]), float(at[1]), "told2", 0.2 + 0.8 * (i + 1) / len(told))
    panel.dot(float(best.x[0]), float(best.x[1]), "mark", r=7)
    return picture([panel], 604, f"posterior of {policy.name} at {_when(t)}")


# ---- a run


def read_log(log: Any) -> Any:
    """Records of a run: a list of dictionaries, or the log of a state file of the program tvgp, whose asks
    and outcomes are joined."""
    if not isinstance(log, (str, pathlib.Path)):
        return list(log)
    lines = [json.loads(line) for line in pathlib.Path(log).read_text(encoding="utf-8").splitlines() if line.strip()]
    numbered = {}
    for line in lines:
        numbered[line["n"]] = line  # of two lines of one number the later counts
    asked, records = {}, []
    for line in numbered.values():
        if line["call"] == "ask":
            x = line.get("x")
            record = {"t": line["t"], "x": x[0] if isinstance(x, list) and x else line.get("arm") if x is None else x}
            best = line.get("best_x")
            record["best"] = best[0] if isinstance(best, list) and best else line.get("best_arm") if best is None else best
            asked[line["id"]] = record
            records.append(record)
        elif line["call"] == "tell" and line["id"] in asked:
            asked[line["id"]]["y"] = line["y"]
    return records


def run(log: Any, title: Any = "a run") -> Picture:
    """plot_run."""
    records = read_log(log)
    if not records:
        raise ValueError("plot_run: the log has no asks")
    t = [float(r["t"]) for r in records]
    panels, top = [], 40

    def add(height: Any, y: Any, words: Any, log_scale: Any = False) -> Any:
        nonlocal top
        panels.append(Panel(top, top + height, t, y, words, "time", log_scale, True))
        top += height + 64
        return panels[-1]

    if any("regret" in r for r in records):
        regret = [float(r.get("regret", math.nan)) for r in records]
        add(150, [0.0, *regret], "regret so far").line(t, regret, "line0")
    _asked(records, t, add)
    shortest = 1e-6 * (t[-1] - t[0])  # below: a reset
    lives = [v if shortest < v < math.inf else math.nan for v in (float(r.get("half_life") or 0) for r in records)]
    if any(v == v for v in lives):
        add(110, [v for v in lives if v == v], "half-life", True).line(t, lives, "line2")
    return picture(panels, top - 22, title)


def _asked(records: Any, t: Any, add: Any) -> None:
    """The queries over time, on a map of the mean where the records have one."""
    x = [float(r["x"]) for r in records]
    means = [r for r in records if r.get("mean") is not None]
    places = [float(v) for v in means[0].get("places") or range(len(means[0]["mean"]))] if means else []
    step = (max(places) - min(places)) / (len(places) - 1) if len(places) > 1 else 1.0
    best = [float(r["best"]) if r.get("best") is not None else math.nan for r in records]
    edge = [min(places) - step / 2, max(places) + step / 2] if places else []
    panel = add(230, [*x, *edge], "action" + (", on the posterior mean (dark: high)" if means else "") + ("; line: best mean" if any(b == b for b in best) else ""))
    if means:
        low, high = _span([float(v) for r in means for v in r["mean"]])
        every = -(-len(means) * len(places) // MOST_CELLS)
        shown = means[::every]
        wide = (t[-1] - t[0]) / max(1, len(shown) - 1) or 1.0
        for r in shown:
            for place, value in zip(places, r["mean"]):
                panel.cell(min(max(float(r["t"]), t[0] + wide / 2), t[-1] - wide / 2) if len(shown) > 1 else float(r["t"]), place, wide, step, (float(value) - low) / (high - low))
    for a, b in zip(t, x):
        panel.dot(a, b, "told2", 1.0, 2.2)
    panel.line(t, best, "line3")
