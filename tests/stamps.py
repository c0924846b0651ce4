# SPDX-License-Identifier: MIT
"""Decisions have a number, and results the number they were played with: stamps.py [--write]

tests/golden/decisions holds the number and, for each file of golden games, a hash of the number and of the file's content. A commit that
changes what the library decides changes a golden game: then this fails, and `--write` raises the number. A file that is added or whose
comments change does not raise it. `check` is a part of tests/lint.py: it counts the files of results that were played before (their
stamps are of bench/stamp.py) and the tables in docs/benchmarks that no macro prints; docs/project/architecture.md has the limits. It
refuses revisions in pages."""
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import stamp  # noqa: E402

PAGES = ROOT / "docs/benchmarks"
MACRO = re.compile(r"<!-- table: \S+\.py .*-->")
PAGE = re.compile(r"^<!-- page: \S+\.py -->$", re.M)
REVISION = re.compile(r"(?<![\w.#-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\w.-])")
NUMBER = re.compile(r"[-+*<~(]*\.?\d[\d.,;+/()%* to-]*$")


def games():
    return [*sorted((ROOT / "tests/golden").glob("golden_*.[ht]*")), ROOT / "examples/router/expected.txt"]


def content(path):
    """What a game says, without comments and blanks."""
    comments = r"^#.*$" if path.suffix == ".txt" else r"/\*.*?\*/"
    return "".join(re.sub(comments, "", path.read_text(encoding="utf-8"), flags=re.M if path.suffix == ".txt" else re.S).split())


def hashes(number):
    return {path.name: hashlib.sha256(f"{number} {content(path)}".encode()).hexdigest()[:16] for path in games()}


def recorded():
    """The recorded hashes by name of the file."""
    return dict(re.findall(r"^(\S+\.\w+) ([0-9a-f]{16})$", stamp.DECISIONS.read_text(encoding="utf-8"), re.M))


def changed():
    now, before = hashes(stamp.decisions()), recorded()
    return [name for name in before if name not in now or now[name] != before[name]], [name for name in now if name not in before]


def write():
    number = stamp.decisions() + bool(changed()[0])
    head = "".join(f"{text}\n" for text in stamp.DECISIONS.read_text(encoding="utf-8").splitlines() if text.startswith("#"))
    stamp.DECISIONS.write_text(head + f"decisions {number}\n" + "".join(f"{name} {hash}\n" for name, hash in hashes(number).items()), encoding="utf-8")
    print(f"decisions {number}")


def old_results():
    """Files of results that were played with other decisions, or have no stamp."""
    now = stamp.decisions()
    return [path.relative_to(ROOT) for path in sorted(PAGES.rglob("*.csv")) if stamp.of(path) != now]


def typed_tables(text):
    """Lines at which a table begins that no macro prints and that has results: most rows have a number in a cell other than the first."""
    found, lines = [], [] if PAGE.search(text) else text.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("|") or number and lines[number - 1].startswith("|"):
            continue
        above = next((l for l in reversed(lines[:number]) if l.strip()), "")
        rows = []
        for row in lines[number + 2:]:
            if not row.startswith("|"):
                break
            rows.append(sum(bool(NUMBER.match(cell.strip())) for cell in row.strip("|").split("|")[1:]))
        if 2 * sum(n > 0 for n in rows) > len(rows) and not MACRO.match(above):
            found.append(number + 1)
    return found


def check(limits, wrong):
    """The lint: appends to `wrong`, and returns a note about what is to be replayed."""
    other, new = changed()
    for name in other:
        wrong.append(f"{name}: a golden game changed: python3 -B tests/stamps.py --write raises the number of decisions")
    for name in new:
        wrong.append(f"{name}: not in tests/golden/decisions: python3 -B tests/stamps.py --write")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for name in REVISION.findall(page.read_text(encoding="utf-8")):
            wrong.append(f"{page.relative_to(ROOT)}: names the revision {name}: a stamp of a CSV file may, a page may not")
    old = old_results()
    tables = [f"{page.relative_to(ROOT)}:{at}" for page in sorted(PAGES.rglob("*.md")) for at in typed_tables(page.read_text(encoding="utf-8"))]
    for measure, found in (("files of results to be replayed", old), ("tables of results that are typed", tables)):
        if len(found) > limits[measure]:
            wrong.append(f"{measure}: {len(found)}, at most {limits[measure]} (docs/project/architecture.md): {', '.join(map(str, found))}")
    return f"{len(old)} files of results are to be replayed: {', '.join(path.name for path in old)}" if old else ""


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        faults = changed()[0] + changed()[1]
        print("\n".join(faults) or f"decisions {stamp.decisions()}")
        sys.exit(bool(faults))
