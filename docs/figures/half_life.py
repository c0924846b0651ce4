# SPDX-License-Identifier: MIT
"""Draws the half-life that auto-gp-ucb infers beside the true one, from what `unknown_rate --csv` printed:
python3 docs/figures/half_life.py docs/experiments/unknown-rate.csv > docs/figures/half_life.svg"""
import csv
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 60, 30, 34, 40
SHORTEST, LONGEST = 1, 3000  # steps; longer ones are drawn at the top


def x_of(t, last):
    return LEFT + (WIDTH - LEFT - RIGHT) * t / last


def y_of(half_life):
    place = math.log(min(max(half_life, SHORTEST), LONGEST) / SHORTEST) / math.log(LONGEST / SHORTEST)
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - place)


def path(points, colour, width):
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{line}"/>'


def text(x, y, words, anchor="middle", colour="#333"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


with open(sys.argv[1], newline="", encoding="ascii") as file:
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
last = rows[-1]["t"]
bottom = HEIGHT - BOTTOM
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"><title>Inferred and true half-life</title>')
print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
for half_life, label in ((1, "1"), (10, "10"), (100, "100"), (1000, "1000"), (3000, "longer")):
    y = y_of(half_life)
    print(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
    print(text(LEFT - 6, y + 4, label, "end"))
for t in range(0, int(last) + 1, 250):
    print(text(x_of(t, last), bottom + 16, t))
before = 0
for row in rows:  # a tick at every reset
    if row["resets"] > before:
        x = x_of(row["t"], last)
        print(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom - 12}" y2="{bottom}" stroke="#2a7" stroke-width="1.5"/>')
    before = row["resets"]
print(path([(x_of(row["t"], last), y_of(row["true_half_life"])) for row in rows], "#bbb", 5))
print(path([(x_of(row["t"], last), y_of(row["inferred_half_life"])) for row in rows], "#c33", 1.5))
print(text(WIDTH / 2, HEIGHT - 6, "step"))
print(text(LEFT, 18, "half-life in steps:", "start"))
print(text(LEFT + 120, 18, "true", "start", "#888"))
print(text(LEFT + 160, 18, "inferred", "start", "#c33"))
print(text(LEFT + 225, 18, "ticks: resets", "start", "#2a7"))
print("</svg>")
