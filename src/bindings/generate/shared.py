# SPDX-License-Identifier: MIT
"""The common part of all languages: functions with the roles of their arguments, and lines of text."""
import re

WIDTH = 128
NOTE = "Made by src/bindings/generate from tvgp.json: do not edit."
GIVEN = ("handle", "number", "text", "array", "bytes", "table", "values", "callback", "pointer", "user")  # roles of what the caller gives


def base_of(kind):
    return kind.replace("const", "").replace("*", "").strip()


def folded(head, parts, tail, indent, comma=", "):
    """head + parts + tail, in lines of at most WIDTH."""
    lines, line = [], head
    for i, part in enumerate(parts):
        part += comma if i + 1 < len(parts) else tail
        if len(line) + len(part.rstrip()) > WIDTH:
            lines.append(line.rstrip())
            line = " " * indent
        line += part
    return "\n".join([*lines, line if parts else head + tail])


def brief(doc):
    """The first sentence of a comment."""
    return re.split(r"(?<![.])(?<!e\.g)\. (?=[A-Z*])", doc)[0].rstrip(".") + "."


def comment(text, prefix):
    return folded(prefix, text.split(" "), "", 0, " ").replace("\n", "\n" + prefix)


class Function:
    """One function, its arguments by role."""

    def __init__(self, name, spec):
        self.name, self.short, self.args, self.spec = name, name[5:], spec["args"], spec
        self.members = next((a["members"] for a in self.args if a["role"] == "values"), [])
        self.outs = [a for a in self.args if a["role"] in ("out", "made")] + self.members
        self.handles = [a for a in self.args if a["role"] == "handle"]

    def role(self, *roles):
        return [a for a in self.args if a["role"] in roles]

    def kind(self, object_name):
        return next(a["class"] for a in self.handles if a["name"] == object_name)

    def counted(self, factor):
        """The array that tells this count."""
        return next((a["of"] for a in self.args if a["role"] == "count" and a["name"] == factor), None)

    def fills(self, count):
        return any(count in a.get("length", ()) for a in self.outs)
