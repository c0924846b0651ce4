# SPDX-License-Identifier: MIT
"""What README.md says of regret is what the boards of docs/zoo/results.md say: the table "Which policy", row by row."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BOARDS = {"told nothing": "## Told nothing", "told all": "## Told all"}


def rows_after(text, heading):
    """Rows of the first table after the line that begins with the heading, as lists of cells without emphasis."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(heading))
    first = next(i for i in range(start, len(lines)) if lines[i].startswith("|"))
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    return [[cell.strip().strip("*") for cell in line.strip("|").split("|")] for line in lines[first:last]]


def scores(results, heading):
    """all[player] of a board; play at random has 1 by definition."""
    table = rows_after(results, heading)
    player, score = table[0].index("player"), table[0].index("all")
    return {row[player]: row[score] for row in table[2:]} | {"random": "1"}


class Claims(unittest.TestCase):
    def test_table(self):
        results = (ROOT / "docs/zoo/results.md").read_text(encoding="utf-8")
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        table = rows_after(readme, "## Which policy")
        self.assertEqual(table[0][2:], list(BOARDS))
        said = 0
        for row in table[2:]:
            if not any(row[2:]):  # says nothing of the zoo
                continue
            policy = re.match(r"\[([^]]*)\]", row[0]).group(1)
            for board, claim in zip(BOARDS, row[2:]):
                self.assertEqual(claim, scores(results, BOARDS[board])[policy], f"{policy}, {board}")
                said += 1
        self.assertGreaterEqual(said, 6)


if __name__ == "__main__":
    unittest.main()
