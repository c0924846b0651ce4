# SPDX-License-Identifier: MIT
"""Numbers of pages against committed CSV files: page_numbers.py [write].

A table after a comment `<!-- table: SCRIPT ARGUMENTS -->` equals the output of the Python script, and a page with a comment
`<!-- page: SCRIPT -->` as a whole; `write` updates them."""
import contextlib
import io
import os
import pathlib
import re
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = re.compile(r"(<!-- table: (\S+\.py) ?(.*?) -->\n\n?)((?:\|.*\n)+)")
PAGE = re.compile(r"^<!-- page: (\S+\.py) -->$", re.M)


def output(script, arguments):
    """What a Python script prints, run in this process, which is faster than one of its own."""
    before, sys.argv = sys.argv, [script, *arguments]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            runpy.run_path(str(ROOT / script), run_name="__main__")
    finally:
        sys.argv = before
    return said.getvalue()


def printed(text, wrong, name):
    """The text with the tables that their scripts print."""
    if whole := PAGE.search(text):
        said = output(whole[1], [])
        if said != text:
            wrong.append(f"{name}: differs from what {whole[1]} prints")
        return said

    def table(found):
        said = output(found[2], found[3].split())
        if said != found[4]:
            wrong.append(f"{name}: the table differs from `{found[2]} {found[3]}`:\n{said}")
        return found[1] + said
    return TABLE.sub(table, text)


def main():
    os.chdir(ROOT)
    wrong, tables = [], 0
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        now = printed(text, wrong, path.relative_to(ROOT))
        tables += len(TABLE.findall(text))
        if now != text and "write" in sys.argv:
            path.write_text(now, encoding="utf-8")
    print(f"{tables} tables")
    if wrong and "write" not in sys.argv:
        sys.exit("\n".join(wrong))


main()
