# SPDX-License-Identifier: MIT
"""Every function for tvgp.hpp."""
from shared import GIVEN, NOTE, Function, base_of, brief, comment, folded

CLASSES = {"ctx": "Context", "domain": "Domain", "kernel": "Kernel", "policy": "Policy", "gp": "GP"}
HEAD = """/* SPDX-License-Identifier: MIT */
/* Every function of the library by its name in C without tvgp_: tvgp::c::policy_ask_one(policy, t). What the C function
 * is given is given here in the same order, but for the lengths of arrays, which are known; what it writes is returned, several
 * things in a struct. Failures are thrown. Included by tvgp.hpp. %s */
#ifndef TVGP_FUNCTIONS_HPP
#define TVGP_FUNCTIONS_HPP

#include "tvgp.hpp"

namespace tvgp {
namespace c {

template <typename T> auto address(const T &object) -> decltype(object.get()) { return object.get(); }
template <typename T> auto address(const T *object) -> decltype(object->get()) { return object ? object->get() : nullptr; }
/* Of an array without entries too: NULL would say that there is none. */
template <typename T> const T *data(const std::vector<T> &values) {
    static const T none = T();
    return values.empty() ? &none : values.data();
}
template <typename T> const T *data(const std::vector<T> *values) { return values ? data(*values) : nullptr; }
template <typename T> T *room(std::vector<T> &values) {
    if (values.capacity() == 0)
        values.reserve(1);
    return values.data();
}
/* Whether a name is one of those in a text, with blanks between. */
inline bool wants(const std::string &wanted, const std::string &name) {
    return (" " + wanted + " ").find(" " + name + " ") != std::string::npos;
}
inline double *wanted_room(std::vector<double> &values) { return values.empty() ? nullptr : values.data(); }
inline std::string text_of(const char *text) { return text ? text : ""; }
inline std::size_t quotient(const char *what, std::size_t n, std::size_t by) {
    if (by == 0 || n %% by)
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(n) + " entries, no multiple of " +
                                    std::to_string(by));
    return n / by;
}

inline std::size_t dim_of(const Domain &domain) { return domain.dim(); }
inline std::size_t dim_of(const Policy &policy) {
    std::size_t dim = 0;
    checked(policy.shared(), tvgp_policy_dim(policy.get(), &dim));
    return dim;
}
inline std::size_t dim_of(const Kernel &kernel) {
    std::size_t dim = 0;
    checked(kernel.shared(), tvgp_kernel_dim(kernel.get(), &dim));
    return dim;
}
inline std::size_t dim_of(const GP &gp) { return gp.dim(); }
inline std::size_t arms_of(const Domain &domain) { return domain.size(); }
inline std::size_t arms_of(const Policy &policy) { return policy.domain().size(); }
inline std::size_t parameters_of(const Kernel &kernel) {
    std::size_t n = 0;
    checked(kernel.shared(), tvgp_kernel_param_count(kernel.get(), &n));
    return n;
}
inline std::size_t parameters_of(const GP &gp) {
    tvgp_kernel *space = nullptr, *time = nullptr;
    checked(gp.shared(), tvgp_gp_kernels(gp.get(), &space, &time));
    const Kernel first(gp.shared(), space), second(gp.shared(), time);
    return parameters_of(first) + (time ? parameters_of(second) : 0) + 1;
}
"""
TAIL = """
} // namespace c
} // namespace tvgp

#endif
"""


def type_of(kind):
    """Of one value."""
    kind = base_of(kind)
    return {"size_t": "std::size_t", "char": "std::string"}.get(kind, "std::" + kind if kind.endswith("_t") and not kind.startswith("tvgp") else kind)


def member(a):
    """The name of an output in the struct of outputs."""
    return a["name"].removesuffix("_or_null")


SIZED = set()  # structs whose first member is their size


class Cpp:
    def __init__(self, name, spec):
        self.f = Function(name, spec)

    def parameter(self, a):
        role, name = a["role"], a["name"]
        if role == "handle":
            const = "const " if a["class"] == "ctx" or a["type"].startswith("const") or a.get("optional") else ""
            return f"{const}{CLASSES[a['class']]} {'*' if a.get('optional') else '&'}{name}"
        if role == "array":
            return f"const std::vector<{type_of(a['type'])}> {'*' if a.get('optional') else '&'}{name}"
        if role == "table":
            return f"const {base_of(a['type'])} {'*' if a.get('optional') else '&'}{name}"
        if role == "values":
            return "const std::string &wanted"
        return {"number": f"{type_of(a['type'])} {name}", "text": f"const std::string &{name}", "user": f"void *{name}",
                "bytes": f"const std::vector<std::uint8_t> &{name}", "callback": f"{a['type']} {name}", "pointer": f"void *{name}"}[role]

    def factor(self, f):
        if "-" in f:
            return " - ".join(self.factor(part) for part in f.split("-"))
        if "." in f:
            name, size = f.split(".")
            return f"{size}_of({name})"
        return f

    def size(self, a):
        array = f"{a['name']}{'->' if a.get('optional') else '.'}size()"
        return array

    def lengths(self, lines):
        """Counts from the arrays that tell them; the lengths of the others are looked at."""
        told = {a["of"] for a in self.f.role("count")}
        for a in self.f.role("bytes"):
            count = next(c["name"] for c in self.f.role("count") if c["of"] == a["name"])
            lines.append(f"const std::size_t {count} = {a['name']}.size();")
        for a in sorted(self.f.role("array"), key=lambda a: a["name"] not in told):
            count = next((f for f in a["length"] if self.f.counted(f) == a["name"]), None)
            others = [self.factor(f) for f in a["length"] if f != count]
            if count:
                value = f'quotient("{self.f.short}: {a["name"]}", {self.size(a)}, {" * ".join(others)})' if others else self.size(a)
                if a.get("optional"):
                    value = f"{a['name']} ? {value} : " + (self.factor(f"{self.f.handles[0]['name']}.arms") if self.f.fills(count) else "0")
                lines.append(f"const std::size_t {count} = {value};")
            else:
                if a.get("optional"):
                    lines.append(f"if ({a['name']})")
                lines.append(("    " if a.get("optional") else "") + f'same("{self.f.short}: {a["name"]}", {self.size(a)}, {" * ".join(others) or "1"});')

    def argument(self, a, result):
        role, name = a["role"], a["name"]
        if role == "handle":
            return f"address({name})"
        if role in ("array", "bytes"):
            return f"data({name})"
        if role == "text":
            return f"c_text({name})"
        if role == "table":
            return name if a.get("optional") else f"&{name}"
        if role == "values":
            return "&values"
        if role == "written":
            return f"&{name}"
        if role == "made" or role == "out" and base_of(a["type"]) == "char":
            return f"&{name}_"
        if role == "out":
            return f"room({result(a)})" if a["length"] else f"&{result(a)}"
        return name

    def out_type(self, a):
        if a["role"] == "made":
            return CLASSES[a["class"]]
        one = type_of(a["type"])
        return f"std::vector<{one}>" if a["length"] else one

    def body(self, single, lines):
        f = self.f
        mixed = not single and any(a["role"] == "made" for a in f.outs)  # objects cannot be made before the call
        result = (lambda a: f"{a['name']}_") if mixed else (lambda a: "found") if single else (lambda a: f"found.{member(a)}")
        checked = "checked({}, {})".format(f"{f.handles[0]['name']}.shared()" if f.handles else "nullptr", "{}")
        if f.role("buffer"):
            head = ", ".join(self.argument(a, result) for a in f.args if a["role"] not in ("buffer", "room", "needed"))
            return lines + ["std::size_t needed = 0;", checked.format(f"{f.name}({head}, 0, nullptr, &needed)") + ";", "std::vector<std::uint8_t> found(needed);",
                            checked.format(f"{f.name}({head}, needed, room(found), &needed)") + ";", "return found;"]
        shared = f"{f.handles[0]['name']}.shared()" if f.handles else "Shared()"
        for a in f.outs:
            base = base_of(a["type"])
            if a["role"] == "made":
                lines.append(f"{base} *{a['name']}_ = nullptr;")
            elif base == "char":
                lines.append(f"const char *{a['name']}_ = nullptr;")
            elif mixed:
                size = f"({' * '.join(self.factor(x) for x in a['length'])})" if a["length"] else " = " + self.out_type(a) + "()"
                lines.append(f"{self.out_type(a)} {a['name']}_{size};")
        for a in f.role("written"):
            lines.append(f"std::size_t {a['name']} = 0;")
        made = [a for a in f.outs if a["role"] == "made"]
        if single and not made and base_of(f.outs[0]["type"]) != "char":
            kind, one = self.out_type(f.outs[0]), f.outs[0]
            lines.append(f"{kind} found({' * '.join(self.factor(x) for x in one['length'])});" if one["length"] else f"{kind} found = {kind}();")
            if kind in SIZED:
                lines.append("found.struct_size = sizeof found;")
        elif f.outs and not single and not made:
            lines.append(f"{f.short}_result found = {f.short}_result();")
            for a in f.outs:
                if a.get("length"):
                    size = " * ".join(self.factor(x) for x in a["length"])
                    lines.append(f"found.{member(a)}.resize(" + (f'wants(wanted, "{a["name"]}") ? {size} : 0' if a in f.members else size) + ");")
        for a in f.role("values"):
            lines += [f"{base_of(a['type'])} values = {base_of(a['type'])}();", "values.struct_size = sizeof values;"]
            lines += [f"values.{m['name']} = wanted_room(found.{m['name']});" for m in f.members]
        call = checked.format(folded(f"{f.name}(", [self.argument(a, result) for a in f.args], ")", 12))
        lines.append(("found.status = " if f.spec.get("again") else "") + call + ";")
        for a in f.outs:
            limit = next((w for w in f.role("written") if a.get("length") and w["limit"] in a["length"]), None)
            if limit:
                rest = [self.factor(x) for x in a["length"] if x != limit["limit"]]
                lines.append(f"{result(a)}.resize({' * '.join([limit['name'], *rest])});")
        if made and single:
            return lines + [f"return {self.out_type(made[0])}({shared}, {made[0]['name']}_);"] if made[0]["class"] != "ctx" else lines + [
                f"return Context(Shared({made[0]['name']}_, tvgp_ctx_destroy));"]
        if made:
            parts = ", ".join(f"{CLASSES[a['class']]}({shared}, {a['name']}_)" if a["role"] == "made" else f"{a['name']}_" for a in f.outs)
            return lines + [f"return {f.short}_result{{{parts}}};"]
        for a in f.outs:
            if base_of(a["type"]) == "char":
                if single:
                    return lines + [f"return text_of({a['name']}_);"]
                lines.append(f"{result(a)} = text_of({a['name']}_);")
        return lines + (["return found;"] if f.outs else [])

    def text(self):
        f = self.f
        parameters = [self.parameter(a) for a in f.args if a["role"] in GIVEN]
        lines = [""]
        if f.short.endswith("_destroy"):
            kind = f.handles[0]["class"]
            return "\n".join(["", comment(f"Gives up the {kind}.", "/* ") + " */",
                              f"inline void {f.short}({CLASSES[kind]} &{kind}) {{ {kind}.reset(); }}"])
        single = len(f.outs) + bool(f.spec.get("again")) == 1
        if f.spec["returns"] != "tvgp_status":
            returns, body = "std::string", [f"return text_of({f.name}({', '.join(self.argument(a, None) for a in f.args)}));"]
        else:
            if len(f.outs) + bool(f.spec.get("again")) > 1:
                members = [f"{self.out_type(a)} {member(a)};" for a in f.outs] + ["tvgp_status status;"] * bool(f.spec.get("again"))
                lines.append(f"struct {f.short}_result {{\n" + "\n".join("    " + m for m in members) + "\n};")
            body = []
            self.lengths(body)
            body = self.body(single, body)
            buffer = bool(f.role("buffer"))
            returns = "std::vector<std::uint8_t>" if buffer else "void" if not f.outs else self.out_type(f.outs[0]) if single else f"{f.short}_result"
        lines.append(comment(brief(f.spec["doc"]), " * ").replace(" * ", "/* ", 1) + " */")
        lines.append(folded(f"inline {returns} {f.short}(", parameters, ") {", 4))
        return "\n".join(lines + ["    " + line for line in body] + ["}"])


def functions(abi):
    SIZED.update(name for name, record in abi["structs"].items() if record["fields"][0]["name"] == "struct_size")
    return HEAD % NOTE + "".join(Cpp(name, spec).text() + "\n" for name, spec in abi["functions"].items()) + TAIL
