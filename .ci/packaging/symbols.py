# SPDX-License-Identifier: MIT
"""symbols.py: prints debian/libtvgp1.symbols, the list of exported functions with the version that introduced each, from
src/package/tvgp.map. A function of node TVGP_1.3 exists since 1.3.0. Run it after a change of the map:
python3 .ci/packaging/symbols.py > .ci/packaging/debian/libtvgp1.symbols; tests/release.sh compares the two."""
import pathlib
import re


def symbols(text):
    """The file for the text of a version script."""
    lines = []
    for node, body in re.findall(r"^(TVGP_[\w.]+) \{(.*?)^\}", text, re.M | re.S):
        since = node.removeprefix("TVGP_") + ".0" if node != "TVGP_EXPERIMENTAL" else "1.0.0"
        names = re.findall(r"^\s*(tvgp_\w+);", body, re.M)
        lines += [f" {name}@{node} {since}" for name in [node, *names]]
    return "libtvgp.so.1 libtvgp1 #MINVER#\n* Build-Depends-Package: libtvgp-dev\n" + "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    print(symbols((root / "src/package/tvgp.map").read_text("utf-8")), end="")
