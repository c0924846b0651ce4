# SPDX-License-Identifier: MIT
"""Types of every function for index.d.ts of the npm package."""
from shared import GIVEN, NOTE, Function, base_of, brief, comment, folded

CLASSES = {"ctx": "Context", "domain": "Domain", "kernel": "Kernel", "policy": "Policy", "gp": "GP"}
HEAD = """// SPDX-License-Identifier: MIT
/* Every function of the library by its name in C without tvgp_, and its records. %s */
import type { Context, Domain, GP, Kernel, Policy } from './index';

type Numbers = number | bigint | ArrayLike<Numbers>;
/** What a pointer leads to that a function of yours is given: read(n) copies n entries, write(values) fills them. */
export interface Memory {
  readonly address: unknown;
  read(n?: number): any;
  write(values: any): void;
}
"""


def parameter(name):
    return name + "_" if name in ("var", "function", "default") else name


def camel(name):
    return "".join(part.capitalize() for part in name.removeprefix("tvgp_").split("_"))


class TypeScript:
    def __init__(self, abi):
        self.abi = abi

    def callback(self, signature):
        """The type of a function that the library calls."""
        args = [f"{parameter(a['name'])}: {self.received(a['type'])}" for a in signature["args"]]
        returns = {"void": "void", "int32_t": "number | void"}.get(signature["returns"], self.received(signature["returns"]))
        return f"(({', '.join(args)}) => {returns})"

    def received(self, kind):
        if kind == "const char *":
            return "string"
        if base_of(kind) == "void":
            return "any"
        return "Memory" if "*" in kind else "number"

    def member(self, field):
        kind = field["type"]
        if "callback" in field:
            return self.callback(field["callback"])
        if kind == "const char *":
            return "string"
        if kind.startswith("const char *const"):
            return "string[]"
        if "*" in kind:
            return "any"
        return "number[]" if field["count"] > 1 else "number"

    def record(self, name, spec):
        members = [f"  {f['name']}: {self.member(f)};" for f in spec["fields"] if f["name"] not in ("reserved", "struct_size")]
        return "\n".join([f"export interface {camel(name)} {{", *members, "}"])

    def given(self, a):
        role, base = a["role"], base_of(a["type"])
        if role == "handle":
            return CLASSES[a["class"]]
        if role == "array":
            return f"Partial<{camel(base)}>[]" if base in self.abi["structs"] else "Numbers"
        if role == "table":
            return f"Partial<{camel(base)}>"
        if role == "callback":
            return self.callback(self.abi["callbacks"][a["type"]])
        return {"number": "number | bigint", "text": "string", "values": "string", "bytes": "Uint8Array", "pointer": "unknown"}[role]

    def returned(self, a):
        base = base_of(a["type"])
        if a["role"] == "made":
            return CLASSES[a["class"]] + (" | null" if a.get("optional") or a["name"] == "time" else "")
        if base == "char":
            return "string"
        one = camel(base) if base in self.abi["structs"] else "number"
        return one if not a["length"] else "Float64Array" if base == "double" else one + "[]"

    def function(self, name, spec):
        f, parameters, tail = Function(name, spec), [], True
        for a in reversed([a for a in f.args if a["role"] in GIVEN and a["role"] != "user"]):
            optional = a.get("optional") or a["role"] in ("callback", "pointer")
            tail = tail and bool(optional)
            parameters.insert(0, f"{parameter(a['name'])}{'?' if tail else ''}: {self.given(a)}{' | null' if optional else ''}")
        outs = [self.returned(a) for a in f.outs] + ["number"] * bool(spec.get("again"))
        if f.short.endswith("_destroy"):
            returns = "void"
        elif f.role("buffer"):
            returns = "Uint8Array"
        elif spec["returns"] != "tvgp_status":
            returns = "string"
        else:
            returns = "void" if not outs else outs[0] if len(outs) == 1 else f"[{', '.join(outs)}]"
        doc = comment(brief(spec["doc"]), "   * ").replace("   * ", "  /** ", 1) + " */"
        return doc + "\n" + folded(f"  {f.short}(", parameters, f"): {returns};", 4)


def functions(abi):
    made = TypeScript(abi)
    records = [made.record(name, spec) for name, spec in abi["structs"].items()]
    calls = [made.function(name, spec) for name, spec in abi["functions"].items()]
    return HEAD % NOTE + "\n".join([*records, "export interface Functions {", *calls, "}"]) + "\n"
