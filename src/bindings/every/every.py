# SPDX-License-Identifier: MIT
"""every.py TVGP_JSON LANGUAGE: the game of calls.py as a program of that language, behind its start.* here, which has the functions
that are called back and show(), by which every output is printed: numbers bit by bit, so that programs can be compared. Or, for LANGUAGE: `counting`, a library that notes what is called; `table DIR PAGE
[--write]`, the table of what was called according to DIR."""
import json
import pathlib
import sys

import calls
import names

HERE = pathlib.Path(__file__).resolve().parent
CODES = {"double": "d", "char": "s"}
GIVEN = ("handle", "number", "text", "array", "bytes", "table", "values", "callback", "pointer")


def base_of(kind):
    return kind.replace("const", "").replace("*", "").strip()


class Program:
    """The common part of all languages. A subclass says how values and calls are written."""

    none, end, opens, closes = "None", "", "[", "]"

    def __init__(self, abi):
        self.abi, self.names, self.lines = abi, {}, []

    def outputs(self, spec):
        """Name, code and arity of each output: d, i, s, o (an object), b (bytes), r (a record)."""
        found = []
        for a in spec["args"]:
            base = base_of(a["type"])
            if a["role"] in ("out", "made"):
                code = "o" if a["role"] == "made" else "r" if base in self.abi["structs"] else CODES.get(base, "i")
                found.append((a["name"].removesuffix("_or_null"), code, a))
            elif a["role"] == "buffer":
                found.append((a["name"], "b", a))
            found += [(m["name"], "d", m) for m in a.get("members", ())]
        if spec["returns"] == "const char *":
            found.append(("text", "s", None))
        return found + [("status", "i", None)] * bool(spec.get("again"))

    def fields(self, kind):
        """Members that can be compared."""
        return [(f["name"], CODES.get(base_of(f["type"]), "i")) for f in self.abi["structs"][kind]["fields"]
                if f["name"] != "reserved" and ("*" not in f["type"] or f["type"] == "const char *")]

    def text(self, value):
        return json.dumps(value)

    def value(self, value, arg):
        if isinstance(value, calls.Ref):
            return self.names[value]
        if isinstance(value, calls.Function):
            return str(value)
        if value is None:
            return self.none
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return self.opens + ", ".join(self.value(v, arg) for v in value) + self.closes
        return self.record(value, arg) if isinstance(value, dict) else repr(value)

    def arguments(self, function, given):
        wanted = [a for a in self.abi["functions"]["tvgp_" + function]["args"]
                  if a["role"] in GIVEN]
        return [self.value(v, a) for v, a in zip(given, wanted)]

    def call(self, function, given, results):
        """One call; the names its outputs have from now on."""
        raise NotImplementedError

    def program(self):
        for function, given, results in calls.CALLS:
            outputs = self.outputs(self.abi["functions"]["tvgp_" + function])
            if len(outputs) != len(results):
                sys.exit(f"calls.py: {function} returns {[o[0] for o in outputs]}, not {results}")
            self.call(function, given, results)
            for name, (_, code, arg) in zip(results, outputs):
                if not name.startswith("_"):
                    self.show(name, code, arg)
        return "\n".join(self.lines) + "\n"

    def show(self, name, code, arg):
        fields = self.value([[f, c] for f, c in self.fields(base_of(arg["type"]))], None) if code == "r" else ""
        self.lines.append(f"show({self.text(name)}, {self.text(code)}, {self.names[name]}{', ' + fields if fields else ''}){self.end}")


class Python(Program):
    start = "start.py"

    def record(self, value, arg):
        return repr(value)

    def call(self, function, given, results):
        self.names.update({name: f"v.{name}" for name in results})
        assigned = ", ".join(f"v.{name}" for name in results) + " = " if results else ""
        self.lines.append(f"{assigned}c.{function}({', '.join(self.arguments(function, given))})")


class Node(Python):
    start, none, end = "start.js", "null", ";"

    def record(self, value, arg):
        return json.dumps(value)

    def call(self, function, given, results):
        self.names.update({name: f"v.{name}" for name in results})
        targets = [f"v.{name}" for name in results]
        assigned = "" if not targets else f"{targets[0]} = " if len(targets) == 1 else f"[{', '.join(targets)}] = "
        self.lines.append(f"{assigned}c.{function}({', '.join(self.arguments(function, given))});")


class Lua(Python):
    start, none, opens, closes = "start.lua", "nil", "{", "}"

    def record(self, value, arg):
        return "{" + ", ".join(f"{k} = {v!r}" for k, v in value.items()) + "}"


class Cpp(Program):
    start, none, end, opens, closes = "start.cpp", "nullptr", ";", "{", "}"

    def record(self, value, arg):
        fields = self.abi["structs"][base_of(arg["type"])]["fields"]
        zero = {f["name"]: "{" + ", ".join("0" * f["count"]) + "}" if f["name"] == "reserved" else 0 for f in fields}
        return "{" + ", ".join(map(str, {**zero, **value}.values())) + "}"

    def value(self, value, arg):
        text = super().value(value, arg)
        if isinstance(value, list) and arg and arg["role"] == "array":
            base = base_of(arg["type"])
            text = f"std::vector<{'std::' + base if base.endswith('_t') else base}>{text}"
            if arg.get("optional"):
                self.lines.append(f"const auto given_{len(self.lines)} = {text};")
                return f"&given_{len(self.lines) - 1}"
        return text

    def arguments(self, function, given):
        parts = super().arguments(function, given)
        wanted = self.abi["functions"]["tvgp_" + function]["args"]
        for place, arg in enumerate(a for a in wanted if a["role"] in (*GIVEN, "user")):
            if arg["role"] == "user":
                parts.insert(place, "nullptr")
            elif arg["role"] == "handle" and arg.get("optional") and parts[place] != self.none:
                parts[place] = "&" + parts[place]
        return parts

    def call(self, function, given, results):
        call = f"c::{function}({', '.join(self.arguments(function, given))})"
        if len(results) < 2:
            self.names.update({name: f"v_{name}" for name in results})
            self.lines.append((f"auto v_{results[0]} = " if results else "") + call + ";")
            return
        whole = f"from_{len(self.lines)}"
        outputs = [name for name, _, _ in self.outputs(self.abi["functions"]["tvgp_" + function])]
        self.names.update({name: f"{whole}.{member}" for name, member in zip(results, outputs)})
        self.lines.append(f"auto {whole} = {call};")

    def show(self, name, code, arg):
        self.lines.append(f"show({self.text(name)}, {self.names[name]});")

    def program(self):
        body = super().program()
        shows = []
        for kind in ("tvgp_query", "tvgp_param_info", "tvgp_option_info", "tvgp_stat_info", "tvgp_event", "tvgp_value_estimate"):
            parts = " ".join(f'show(name + ".{f}", r.{f});' for f, _ in self.fields(kind))
            shows.append(f"static void show(const std::string &name, const {kind} &r) {{ {parts} }}")
        return "\n".join(shows) + "\n#include \"lists.hpp\"\nint main() {\n" + body + "}\n"


class Rust(Cpp):
    start, none, opens, closes = "start.rs", "None", "&[", "]"

    def record(self, value, arg):
        members = ", ".join(f"{k}: {v!r}" for k, v in value.items())
        return f"sys::{base_of(arg['type'])} {{ {members}, ..Default::default() }}"

    def value(self, value, arg):
        text = Program.value(self, value, arg)
        if arg and arg["role"] == "handle" and not (value is None):
            mutable = arg["class"] != "ctx" and not arg["type"].startswith("const")
            text = f"Some(&{text})" if arg.get("optional") else f"&{'mut ' if mutable else ''}{text}"
        elif arg and arg["role"] == "bytes":
            text = "&" + text
        elif arg and arg["role"] == "pointer":
            text = "std::ptr::null_mut()"
        elif arg and arg["role"] == "callback" and value is not None:
            text = f"Some({text})"
        elif arg and arg["role"] == "table" and value is not None:
            text = f"&{text}()"
        elif isinstance(value, list) and arg and arg.get("optional"):
            text = f"Some({text})"
        return text

    def arguments(self, function, given):
        parts = Program.arguments(self, function, given)
        wanted = [a for a in self.abi["functions"]["tvgp_" + function]["args"] if a["role"] in
                  (*GIVEN, "user")]
        for place, arg in enumerate(wanted):
            if arg["role"] == "user":
                parts.insert(place, "std::ptr::null_mut()")
        return parts

    def call(self, function, given, results):
        spec = self.abi["functions"]["tvgp_" + function]
        parts = self.arguments(function, given)
        if function.endswith("_destroy"):
            parts = [part.replace("&mut ", "").replace("&", "") for part in parts]
        call = f"c::{function}({', '.join(parts)})"
        if any(a["role"] in ("callback", "table", "pointer") for a in spec["args"]):
            call = f"unsafe {{ {call} }}"
        if spec["returns"] == "tvgp_status":
            call += "?"
        self.names.update({name: f"v_{name}" for name in results})
        names = [("mut " if code == "o" else "") + "v_" + name for name, (_, code, _) in zip(results, self.outputs(spec))]
        target = "" if not names else f"let {names[0]} = " if len(names) == 1 else f"let ({', '.join(names)}) = "
        self.lines.append(target + call + ";")

    def show(self, name, code, arg):
        self.lines.append(f"{self.names[name]}.show({self.text(name)});")

    def program(self):
        body = Program.program(self)
        shows = []
        for kind in ("tvgp_query", "tvgp_param_info", "tvgp_option_info", "tvgp_stat_info", "tvgp_event", "tvgp_value_estimate"):
            parts = " ".join(f'self.r#{f}.show(&format!("{{name}}.{f}"));' for f, _ in self.fields(kind))
            shows.append(f"impl Show for sys::{kind} {{ fn show(&self, name: &str) {{ {parts} }} }}")
        return "\n".join(shows) + "\n#[allow(unused_mut)]\nfn main() -> tvgp::Result<()> {\n" + body + "Ok(())\n}\n"


LANGUAGES = {"python": Python, "cpp": Cpp, "node": Node, "lua": Lua, "rust": Rust}


def counting(abi):
    """A library in C with the same functions, which notes what is called in the file TVGP_CALLED and calls the one at TVGP_REAL."""
    lines = ["#include <dlfcn.h>", "#include <stdio.h>", "#include <stdlib.h>", "#define TVGP_LIBRARY", "#include <tvgp.h>", "const char tvgp_abi_1_0 = 1;",
             "static void *real(const char *name, int *seen) {",
             "    static void *library;", "    if (!library)", "        library = dlopen(getenv(\"TVGP_REAL\"), RTLD_NOW | RTLD_LOCAL);",
             "    if (!(*seen)++) {", "        FILE *file = fopen(getenv(\"TVGP_CALLED\"), \"a\");", "        fprintf(file, \"%s\\n\", name);",
             "        fclose(file);", "    }", "    return dlsym(library, name);", "}"]
    for name, f in abi["functions"].items():
        kinds = ", ".join(a["type"] for a in f["args"]) or "void"
        taken = ", ".join(f"{a['type']} {a['name']}" for a in f["args"]) or "void"
        back = "" if f["returns"] == "void" else "return "
        lines += [f"{f['returns']} {name}({taken}) {{", "    static int seen;",
                  f"    {back}(({f['returns']} (*)({kinds}))real(\"{name}\", &seen))({', '.join(a['name'] for a in f['args'])});", "}"]
    return "\n".join(lines) + "\n"


def table(abi, called, page, write):
    """The table function x language in docs/reference/functions.md: the name in each. Programs that were played have called all of them."""
    head, rows = "| function |", {name[5:]: [] for name in abi["functions"]}
    for language in LANGUAGES:
        file = called / f"{language}.called"
        seen = set(file.read_text(encoding="utf-8").split()) if file.is_file() else None
        head += {"cpp": " C++ |"}.get(language, f" {language.capitalize()} |")
        shown = names.names(language, list(rows))
        for name, row in rows.items():
            if seen is not None and "tvgp_" + name not in seen:
                sys.exit(f"{language} has not called {name}")
            row.append(f"`{shown[name]}`")
    text = "\n".join([head, "| --- |" + " --- |" * len(LANGUAGES), *(f"| `{name}` | {' | '.join(row)} |" for name, row in rows.items())]) + "\n"
    old = page.read_text(encoding="utf-8")
    start = old.index("| function |")
    if write:
        page.write_text(old[:start] + text, encoding="utf-8")
    elif old[start:] != text:
        sys.exit(f"{page.name} has another table: every.py .. table .. --write")


def main():
    abi = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    missing = set(abi["functions"]) - {"tvgp_" + function for function, _, _ in calls.CALLS}
    if missing:
        sys.exit(f"calls.py: nothing calls {', '.join(sorted(missing))}")
    if sys.argv[2] == "counting":
        sys.stdout.write(counting(abi))
    elif sys.argv[2] == "table":
        table(abi, pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]), "--write" in sys.argv)
    else:
        language = LANGUAGES[sys.argv[2]]
        sys.stdout.write((HERE / language.start).read_text(encoding="utf-8") + language(abi).program())


main()
