# SPDX-License-Identifier: MIT
"""look.py DOM PNG: the live page as a browser has it and as it looks. The policy was played, and better than chance; its posterior, the
outcomes and both regrets are lines of some length, in their colours, where they belong."""
import json
import re
import struct
import sys
import zlib

dom = open(sys.argv[1], encoding="utf-8").read()
played = json.loads(re.search(r'data-played="([^"]*)"', dom).group(1).replace("&quot;", '"'))
assert played["steps"] == 300 and 0 < played["regret"] < 0.5 * played["chance"], played
assert len(re.findall(r"<circle[^>]*opacity", dom)) == 40, "answers"
for name, points in (("truth", 101), ("mean", 101), ("band", 202), ("regret", 250), ("chance", 250)):
    drawn = re.search(rf'class="{name}" d="([^"]*)"', dom).group(1)
    assert drawn.count("L") + 1 >= points, f"{name} has {drawn.count('L') + 1} points"


def pixels(path):
    """Rows of (r, g, b) of a PNG with 8 bits a channel, not interlaced."""
    data = open(path, "rb").read()
    at, packed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, colour = head[:4]
    assert depth == 8 and colour in (2, 6) and head[6] == 0
    step = 3 if colour == 2 else 4
    raw, before = zlib.decompress(packed), bytearray(width * step)
    rows = []
    for y in range(height):
        start = y * (width * step + 1)
        rule, line = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for i, value in enumerate(line):
            left, above, corner = (line[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
            guess = left + above - corner
            nearest = min((left, above, corner), key=lambda v: abs(guess - v))
            line[i] = (value + (0, left, above, (left + above) // 2, nearest)[rule]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, len(line), step)])
        before = line
    return rows


rows = pixels(sys.argv[2])
background = max(set(rows[-1]), key=rows[-1].count)


def near(colour, tolerance=60):
    """Rows in which the colour is, and how often it is there."""
    hits = [sum(abs(a - b) <= tolerance for a, b in zip(p, colour)) == 3 for row in rows for p in row]
    width = len(rows[0])
    where = [i // width for i, hit in enumerate(hits) if hit]
    return len(where), (where[0], where[-1]) if where else None


assert len(rows[0]) == 800 and sum(p != background for row in rows for p in row) > 20000, "an empty page"
for name, colour in (("mean and regret", (0x0b, 0x62, 0xa4)), ("answers", (0xb3, 0x54, 0x1e))):
    count, span = near(colour)
    assert count > 300, f"{name}: {count} pixels"
print(f"live page: regret {played['regret']:.1f} of {played['chance']:.1f} at random, drawn on {len(rows[0])} x {len(rows)} pixels")
