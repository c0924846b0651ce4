# SPDX-License-Identifier: MIT
"""Declarations and every function for Rust."""
from shared import GIVEN, NOTE, Function, base_of, brief, comment, folded

TYPES = {"int32_t": "i32", "int64_t": "i64", "uint32_t": "u32", "uint64_t": "u64", "uint8_t": "u8", "size_t": "usize", "double": "f64",
        "char": "c_char", "void": "c_void", "tvgp_status": "i32"}
KEYWORDS = {"type": "r#type"}
CLASSES = {"ctx": "Context", "domain": "Domain", "kernel": "Kernel", "policy": "Policy", "gp": "Gp"}


def type_of(kind):
    """const T *const * -> *const *const T."""
    kind = kind.strip()
    if kind.endswith("*"):
        inner = kind[:-1].strip()
        const = inner.startswith("const") and "*" not in inner or inner.endswith("const")
        inner = inner.removesuffix("const").strip() if inner.endswith("const") else inner
        return ("*const " if const else "*mut ") + type_of(inner)
    return TYPES.get(base_of(kind), base_of(kind))


def name_of(name):
    return KEYWORDS.get(name, name)


def function_type(call):
    returns = f" -> {type_of(call['returns'])}" if call["returns"] != "void" else ""
    return f"Option<unsafe extern \"C\" fn({', '.join(name_of(a['name']) + ': ' + type_of(a['type']) for a in call['args'])}){returns}>"


def sys(abi):
    lines = ["// SPDX-License-Identifier: MIT", f"// The headers for Rust: what the crate tvgp-sys includes. {NOTE}",
             "use std::os::raw::{c_char, c_void};", ""]
    for name in abi["opaque"]:
        lines += ["#[repr(C)]", f"pub struct {name} {{", "    _private: [u8; 0],", "}"]
    lines += [f"pub type {name} = {function_type(call)};" for name, call in abi["callbacks"].items()]
    for name, record in abi["structs"].items():
        lines += ["", "#[repr(C)]", "#[derive(Clone, Copy)]", f"pub struct {name} {{"]
        for field in record["fields"]:
            kind = function_type(field["callback"]) if "callback" in field else type_of(field["type"])
            many = field["count"] > 1 or field["name"] == "reserved"
            lines.append(f"    pub {name_of(field['name'])}: " + (f"[{kind}; {field['count']}]," if many else f"{kind},"))
        size = "std::mem::size_of::<Self>()"
        first = record["fields"][0]["name"] == "struct_size"
        lines += ["}", f"impl Default for {name} {{", "    fn default() -> Self {",
                  "        " + (f"Self {{ struct_size: {size}, ..unsafe {{ std::mem::zeroed() }} }}" if first else "unsafe { std::mem::zeroed() }"), "    }", "}"]
    lines.append("")
    for name, value in abi["constants"].items():
        unsigned = name.startswith(("TVGP_OBS_", "TVGP_OPTION_", "TVGP_PARAM_EPSILON", "TVGP_PARAM_SCALES"))
        lines.append(f"pub const {name}: {'u32' if unsigned else 'i32'} = {value};")
    lines += ["", 'extern "C" {']
    for name, f in abi["functions"].items():
        returns = f" -> {type_of(f['returns'])}" if f["returns"] != "void" else ""
        lines.append(folded(f"    pub fn {name}(", [f"{name_of(a['name'])}: {type_of(a['type'])}" for a in f["args"]], f"){returns};", 8))
    return "\n".join([*lines, "}"]) + "\n"


HEAD = """// SPDX-License-Identifier: MIT
// What module tvgp::c includes. %s
use crate::{c_string, misuse, same, text, Context, Domain, Gp, Kernel, Policy, Raw, Result};
use std::os::raw::c_void;
use std::ptr;
use std::rc::Rc;
use tvgp_sys as sys;

fn quotient(what: &str, n: usize, by: usize) -> Result<usize> {
    match n.checked_rem(by) {
        Some(0) => Ok(n / by),
        _ => Err(misuse(&format!("{what} has {n} entries, no multiple of {by}"))),
    }
}

/// The status of a call without a context.
fn plain(status: i32) -> Result<i32> {
    if status >= 0 {
        return Ok(status);
    }
    Err(crate::Error { status, message: text(unsafe { sys::tvgp_status_name(status) }) })
}

/// How many values there are of a quantity: none if it is not one of the names in a text, with blanks between.
fn wanted_count(wanted: &str, name: &str, n: usize) -> usize {
    if wanted.split_whitespace().any(|word| word == name) { n } else { 0 }
}

fn wanted_room(values: &mut [f64]) -> *mut f64 {
    if values.is_empty() { ptr::null_mut() } else { values.as_mut_ptr() }
}

/// A text, empty where there is none.
fn text_of(borrowed: *const std::os::raw::c_char) -> String {
    if borrowed.is_null() { String::new() } else { text(borrowed) }
}

/// Objects of which lengths are made.
trait Measured {
    fn dim(&self) -> Result<usize> {
        Err(misuse("it has no dimension"))
    }
    fn arms(&self) -> Result<usize> {
        Err(misuse("it has no arms"))
    }
    fn parameters(&self) -> Result<usize> {
        Err(misuse("it has no parameters"))
    }
}
impl Measured for Domain {
    fn dim(&self) -> Result<usize> {
        domain_dim(self)
    }
    fn arms(&self) -> Result<usize> {
        domain_size(self)
    }
}
impl Measured for Policy {
    fn dim(&self) -> Result<usize> {
        policy_dim(self)
    }
    fn arms(&self) -> Result<usize> {
        domain_size(&policy_domain(self)?)
    }
}
impl Measured for Kernel {
    fn dim(&self) -> Result<usize> {
        kernel_dim(self)
    }
    fn parameters(&self) -> Result<usize> {
        kernel_param_count(self)
    }
}
impl Measured for Gp {
    fn dim(&self) -> Result<usize> {
        kernel_dim(&gp_kernels(self)?.0)
    }
    fn parameters(&self) -> Result<usize> {
        let (space, time) = gp_kernels(self)?;
        Ok(kernel_param_count(&space)? + time.as_ref().map_or(Ok(0), kernel_param_count)? + 1)
    }
}
"""


class Rust:
    def __init__(self, name, spec):
        self.f = Function(name, spec)
        self.unsafe = bool(self.f.role("callback", "table", "pointer"))

    def parameter(self, a):
        role, name = a["role"], name_of(a["name"])
        if role == "handle":
            kind = CLASSES[a["class"]]
            if a.get("optional"):
                return f"{name}: Option<&{kind}>"
            return f"{name}: &{'' if a['class'] == 'ctx' or a['type'].startswith('const') else 'mut '}{kind}"
        if role == "array":
            base = base_of(a["type"])
            one = f"&[{'sys::' + base if base.startswith('tvgp') else TYPES[base]}]"
            return f"{name}: Option<{one}>" if a.get("optional") else f"{name}: {one}"
        if role == "table":
            kind = f"&sys::{base_of(a['type'])}"
            return f"{name}: Option<{kind}>" if a.get("optional") else f"{name}: {kind}"
        if role == "number":
            return f"{name}: {TYPES[a['type']]}"
        return {"text": f"{name}: &str", "values": "wanted: &str", "user": f"{name}: *mut c_void", "bytes": f"{name}: &[u8]",
                "callback": f"{name}: sys::{a['type']}", "pointer": f"{name}: *mut c_void"}[role]

    def factor(self, f):
        if "-" in f:
            more, less = f.split("-")
            return f"{self.factor(more)}.saturating_sub({self.factor(less)})"
        if "." in f:
            name, size = f.split(".")
            return f"{name}.{size}()?"
        return f

    def lengths(self, lines):
        told = {a["of"] for a in self.f.role("count")}
        for a in self.f.role("bytes"):
            count = next(c["name"] for c in self.f.role("count") if c["of"] == a["name"])
            lines.append(f"let {count} = {a['name']}.len();")
        for a in sorted(self.f.role("array"), key=lambda a: a["name"] not in told):
            count = next((f for f in a["length"] if self.f.counted(f) == a["name"]), None)
            others = [self.factor(f) for f in a["length"] if f != count]
            what, name = f'"{self.f.short}: {a["name"]}"', a["name"]
            if count and a.get("optional"):
                inner = f"quotient({what}, given.len(), {' * '.join(others)})?" if others else "given.len()"
                none = self.factor(f"{self.f.handles[0]['name']}.arms") if self.f.fills(count) else "0"
                lines += [f"let {count} = match {name} {{", f"    Some(given) => {inner},", f"    None => {none},", "};"]
            elif count:
                lines.append(f"let {count} = " + (f"quotient({what}, {name}.len(), {' * '.join(others) or '1'})?;" if others else f"{name}.len();"))
            elif a.get("optional"):
                lines += [f"if let Some(given) = {name} {{", f"    same({what}, given.len(), {' * '.join(others) or '1'})?;", "}"]
            else:
                lines.append(f"same({what}, {name}.len(), {' * '.join(others) or '1'})?;")

    def argument(self, a):
        role, name = a["role"], name_of(a["name"])
        if role == "handle":
            inner = "{}.0 .0" if a["class"] == "ctx" else "{}.handle"
            if a.get("optional"):
                return f"{name}.map_or(ptr::null_mut(), |object| {inner.format('object')})"
            return inner.format(name)
        if role == "array":
            return f"{name}.map_or(ptr::null(), |given| given.as_ptr())" if a.get("optional") else f"{name}.as_ptr()"
        if role == "bytes":
            return f"{name}.as_ptr().cast()"
        if role == "text":
            return f"{name}.as_ptr()"
        if role == "table":
            return f"{name}.map_or(ptr::null(), |given| given)" if a.get("optional") else name
        if role == "values":
            return "&values"
        if role in ("written", "made") or role == "out" and not a["length"]:
            return f"&mut {name}_"
        if role == "out":
            return f"{name}_.as_mut_ptr()"
        return name

    def out_type(self, a):
        if a["role"] == "made":
            return f"Option<{CLASSES[a['class']]}>" if a.get("optional") else CLASSES[a["class"]]
        base = base_of(a["type"])
        one = "String" if base == "char" else f"sys::{base}" if base.startswith("tvgp_") else TYPES[base]
        return f"Vec<{one}>" if a["length"] else one

    def body(self, lines):
        f = self.f
        for a in f.role("text"):
            lines.append(f"let {name_of(a['name'])} = c_string({name_of(a['name'])})?;")
        owner = f.handles[0] if f.handles else None
        context = "" if not owner else owner["name"] if owner["class"] == "ctx" else f"{owner['name']}.ctx"
        check = (lambda call: f"{context}.0.check(unsafe {{ {call} }})?") if owner else (lambda call: f"plain(unsafe {{ {call} }})?")
        if f.role("buffer"):
            head = ", ".join(self.argument(a) for a in f.args if a["role"] not in ("buffer", "room", "needed"))
            return lines + ["let mut needed = 0;", check(f"sys::{f.name}({head}, 0, ptr::null_mut(), &mut needed)") + ";",
                            "let mut found = vec![0u8; needed];", check(f"sys::{f.name}({head}, needed, found.as_mut_ptr().cast(), &mut needed)") + ";", "Ok(found)"]
        for a in f.outs + f.role("written"):
            base, name = base_of(a["type"]), a["name"]
            zero = "ptr::null_mut()" if a["role"] == "made" else "ptr::null()" if base == "char" else f"sys::{base}::default()" if base.startswith("tvgp_") else {"double": "0.0"}.get(base, "0")
            size = " * ".join(self.factor(x) for x in a.get("length", ()))
            size = f'wanted_count(wanted, "{name}", {size})' if a in f.members else size
            lines.append(f"let mut {name}_ = " + (f"vec![{zero}; {size}];" if a.get("length") else f"{zero};"))
        for a in f.role("values"):
            lines.append(f"let mut values = sys::{base_of(a['type'])}::default();")
            lines += [f"values.{m['name']} = wanted_room(&mut {m['name']}_);" for m in f.members]
        call = folded(f"sys::{f.name}(", [self.argument(a) for a in f.args], ")", 8)
        lines.append(("let status = " if f.spec.get("again") else "") + check(call) + ";")
        parts = []
        for a in f.outs:
            name, base = a["name"] + "_", base_of(a["type"])
            limit = next((w for w in f.role("written") if a.get("length") and w["limit"] in a["length"]), None)
            if limit:
                rest = [self.factor(x) for x in a["length"] if x != limit["limit"]]
                lines.append(f"{name}.truncate({' * '.join([limit['name'] + '_', *rest])});")
            if a["role"] == "made" and a["class"] == "ctx":
                parts.append(f"Context(Rc::new(Raw({name})))")
            elif a["role"] == "made":
                held = f"{context}.clone()"
                made = {"domain": f"Domain::of({held}, {name})?", "policy": f"Policy::of({held}, {name})?", "kernel": f"Kernel {{ handle: {name}, ctx: {held} }}",
                        "gp": f"Gp {{ handle: {name}, ctx: {held} }}"}
                parts.append(f"(!{name}.is_null()).then(|| {made[a['class']]})" if a.get("optional") else made[a["class"]])
            else:
                parts.append(f"text_of({name})" if base == "char" else name)
        parts += ["status"] * bool(f.spec.get("again"))
        return lines + [f"Ok({parts[0]})" if len(parts) == 1 else f"Ok(({', '.join(parts)}))"]

    def text(self):
        f = self.f
        parameters = [self.parameter(a) for a in f.args if a["role"] in GIVEN]
        lines = ["", comment(f"Gives up the {f.handles[0]['class']}." if f.short.endswith("_destroy") else brief(f.spec["doc"]), "/// ")]
        if f.short.endswith("_destroy"):
            kind = f.handles[0]["class"]
            return "\n".join([*lines, f"pub fn {f.short}({kind}: {CLASSES[kind]}) {{", f"    drop({kind})", "}"])
        if f.spec["returns"] != "tvgp_status":
            return "\n".join([*lines, f"pub fn {f.short}({', '.join(parameters)}) -> String {{",
                              f"    text_of(unsafe {{ sys::{f.name}({', '.join(self.argument(a) for a in f.args)}) }})", "}"])
        kinds = [self.out_type(a) for a in f.outs] + ["i32"] * bool(f.spec.get("again"))
        returns = "Vec<u8>" if f.role("buffer") else kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
        body = []
        self.lengths(body)
        body = self.body(body)
        if self.unsafe:
            lines += ["///", "/// # Safety", "/// What the pointers lead to must stay as long as the object that was given them."]
        lines.append(folded(f"pub {'unsafe ' if self.unsafe else ''}fn {f.short}(", parameters, f") -> Result<{returns}> {{", 4))
        return "\n".join(lines + ["    " + line for line in body] + ["}"])


def functions(abi):
    return HEAD % NOTE + "".join(Rust(name, spec).text() + "\n" for name, spec in abi["functions"].items())
