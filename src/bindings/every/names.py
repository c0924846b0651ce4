# SPDX-License-Identifier: MIT
"""What each binding calls a function of the library: the method or function of the same name, otherwise its name in C."""
import pathlib
import re

BINDINGS = pathlib.Path(__file__).resolve().parent.parent
# Language: files, separator, prefix of functions without a class, prefix of names in C, lines that begin a class (or end it), definitions.
SOURCES = {
    "python": ("python/tvgp/_[!n]*.py", ".", "tvgp.", "tvgp.c.", r"^class (\w+)|^def ()", r"^(?:    )?def (\w+)\("),
    "cpp": ("cpp/tvgp.hpp", "::", "tvgp::", "tvgp::c::", r"^class (\w+)|^(?:inline|template).*()", r"^(?:    )?(?:static |inline |explicit )*[\w:<>,&* ]+ [&*]?(\w+)\("),
    "node": ("node/api.js", ".", "tvgp.", "tvgp.c.", r"^ *class (\w+)|^  function ()", r"^ +(?:static |get |function |async )*(\w+)\([^;]*\) \{$"),
    "lua": ("lua/tvgp/init.lua", ":", "tvgp.", "tvgp.c.", r"^function (\w+)[.:]", r"^function (?:\w+[.:])?(\w+)\("),
    "rust": ("rust/tvgp/src/lib.rs", "::", "tvgp::", "tvgp::c::", r"^impl(?:<[^>]*>)? (?:\w+ for )?(\w+)|^pub fn ()", r"^(?:    )?pub fn (\w+)"),
}


def squashed(name):
    return name.replace("_", "").lower()


def defined(language):
    """{(class or "", name in small letters): as it is written}"""
    pattern, _, _, _, of_class, of_name = SOURCES[language]
    found = {}
    for path in sorted(BINDINGS.glob(pattern)):
        holder = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            outer, name = re.match(of_class, line), re.match(of_name, line)
            if outer:
                holder = outer.group(1) if outer.group(1) not in (None, "tvgp", "M") else ""
            if name and name.group(1)[0].islower():
                found[squashed(holder), squashed(name.group(1))] = name.group(1), holder
    return found


def names(language, functions):
    """{function: its name in this language}"""
    _, separator, plain, in_c, _, _ = SOURCES[language]
    known, shown = defined(language), {}
    for function in functions:
        kind, _, rest = function.partition("_")
        own = known.get((kind, squashed(rest)))
        short = kind == "domain" or kind == "kernel" and f"domain_{rest}" not in functions
        free = known.get(("", squashed(function))) or short and known.get(("", squashed(rest)))
        shown[function] = own[1] + separator + own[0] if own else plain + free[0] if free else in_c + function
    return shown
