# SPDX-License-Identifier: MIT
"""replay_rows.py SENSOR_REPLAY DATA: in the first table of a clone, the policy with historical data loses less than every other row."""
import os
import re
import subprocess
import sys

table = subprocess.run([sys.argv[1], "--data", sys.argv[2], "--train", "504"], capture_output=True, text=True, check=True,
                       env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}).stdout.splitlines()
head = next(number for number, line in enumerate(table) if re.match(r" +regret ", line))
cells = (re.match(r"(\S.*?) {2,}(\d+\.\d)\b", line) for line in table[head + 1:])
regret = {cell[1]: float(cell[2]) for cell in cells if cell}
with_history = regret.pop("auto-gp-ucb, with history", None)
wrong = [row for row, other in regret.items() if with_history is None or not with_history < other]
for row in "auto-gp-ucb", "best arm of the hour in training", "best arm in training", "random":
    assert row in regret, f"no row {row} in\n" + "\n".join(table)
print(f"with history {with_history}: not below {wrong}" if wrong else f"with history {with_history}, {len(regret)} other rows from {min(regret.values())} on")
sys.exit(bool(wrong))
