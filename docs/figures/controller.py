# SPDX-License-Identifier: MIT
"""Draws what the controller's episodes cost, and the gains it chose, from what `controller --csv` printed:
controller --csv | python3 docs/figures/controller.py > docs/figures/controller.svg"""
import csv
import math
import sys

WIDTH, TOP, PANEL, GAP, LEFT, RIGHT, BOTTOM = 720, 34, 170, 34, 60, 10, 40
COSTS = (("best", "#2a7", "best gains of each step"), ("best_fixed", "#888", "best fixed gains"),
         ("tuned_once", "#36c", "tuned once"), ("learned", "#c33", "learned"))
GAINS = (("proportional", "#c33"), ("integral", "#36c"), ("derivative", "#2a7"))
LEAST, MOST = 0.2, 2  # of the cost, on a logarithmic scale

rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(sys.stdin)]
last = rows[-1]["t"]
height = TOP + 2 * PANEL + GAP + BOTTOM


def x_of(t):
    return LEFT + (WIDTH - LEFT - RIGHT) * t / last


def y_of(value, low, high, top):
    place = math.log(min(max(value, low), high) / low) / math.log(high / low)
    return top + PANEL * (1 - place)


def path(key, colour, low, high, top):
    line = " ".join(f"{x_of(row['t']):.1f},{y_of(row[key], low, high, top):.1f}" for row in rows)
    return f'<polyline fill="none" stroke="{colour}" stroke-width="1.3" points="{line}"/>'


def text(x, y, words, anchor="middle", colour="#333"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def scale(values, low, high, top):
    for value in values:
        y = y_of(value, low, high, top)
        print(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        print(text(LEFT - 6, y + 4, f"{value:g}", "end"))


print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">')
print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
scale((0.2, 0.5, 1, 2), LEAST, MOST, TOP)
place = LEFT
print(text(place, 18, "cost:", "start"))
place += 40
for key, colour, words in COSTS:
    print(path(key, colour, LEAST, MOST, TOP))
    print(text(place, 18, words, "start", colour))
    place += 7 * len(words) + 14
below = TOP + PANEL + GAP
scale((0.01, 0.1, 1, 10), 0.01, 10, below)
place = LEFT
print(text(place, below - 8, "gains learned:", "start"))
place += 95
for key, colour in GAINS:
    print(path(key, colour, 0.01, 10, below))
    print(text(place, below - 8, key, "start", colour))
    place += 7 * len(key) + 14
for t in range(0, int(last) + 1, 100):
    print(text(x_of(t), height - BOTTOM + 16, t))
print(text(WIDTH / 2, height - 6, "episode"))
print("</svg>")
