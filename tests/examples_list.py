# SPDX-License-Identifier: MIT
"""examples_list.py BUILD: what examples/README.md says that programs print, they print, in this order."""
import os
import pathlib
import re
import subprocess
import sys

page = (pathlib.Path(__file__).resolve().parent.parent / "examples/README.md").read_text("utf-8")
said, wrong = {}, []
for line in re.search(r"^```text\n(.*?)^```$", page, re.M | re.S).group(1).splitlines():
    if line.startswith("$ "):
        said[line[2:]] = []
    else:
        said[list(said)[-1]].append(line)
for command, lines in said.items():
    words = command.split()
    done = subprocess.run([f"{sys.argv[1]}/examples/{words[0]}", *words[1:]], capture_output=True, text=True, check=True,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    printed = iter(done.stdout.splitlines())
    for line in lines:  # what follows in a line, such as a time, is not compared
        if not any(other.startswith(line) for other in printed):
            wrong.append(f"{command} does not print: {line}")
assert len(said) > 8 and all(said.values())
print("\n".join(wrong) or f"{len(said)} programs print what the list says")
sys.exit(bool(wrong))
