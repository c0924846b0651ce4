# SPDX-License-Identifier: MIT
"""close.py WANTED FOUND: the same lines; FOUND may have others around them (a page). Words must be the same, except real numbers,
which are printed as their bits: they to 1e-6, where other functions exp and log round otherwise."""
import html
import re
import struct
import sys

wanted, found = ([html.unescape(line.rstrip("\n")) for line in open(path, encoding="utf-8")] for path in sys.argv[1:])
first = next(i for i, line in enumerate(found) if line.endswith(wanted[0]))
found = found[first:first + len(wanted)]
found[0] = found[0][found[0].index(wanted[0]):]
furthest = 0.0


def distance(a, b):
    """How far two words are apart, in units of what is allowed."""
    if a == b:
        return 0.0
    if re.fullmatch(r"[0-9a-f]{16}", a) and re.fullmatch(r"[0-9a-f]{16}", b):
        x, y = (struct.unpack(">d", bytes.fromhex(word))[0] for word in (a, b))
        return abs(x - y) / max(1, abs(x)) / 1e-6
    return float("inf")


different = []
for one, other in zip(wanted, found):
    name, words, words_found = one.split(":")[0] + " ", one.split(), other.split()
    far = [distance(a, b) for a, b in zip(words, words_found)] + [float("inf")] * (len(words) != len(words_found))
    furthest = max([furthest, *(x for x in far if x < 1)])
    if max(far, default=0) >= 1:
        place = next(i for i, x in enumerate(far) if x >= 1)
        different.append(f"{name}word {place}: {' '.join(words[place:place + 6])} | {' '.join(words_found[place:place + 6])}")
if different or len(wanted) != len(found):
    sys.exit("\n".join(different) or f"{len(found)} lines, not {len(wanted)}")
print(f"the same {len(wanted)} lines ({sum(len(line.split()) for line in wanted)} words), numbers within {furthest:.2g} of what is allowed")
