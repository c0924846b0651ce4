# SPDX-License-Identifier: MIT
"""Writes the option and statistics reference from the library's own tables: python3 docs/make_options.py LIBTVGP_SO > docs/reference/options.md.
A test compares the committed file with this program's output. An option is advanced exactly when no example, guide or
experiment sets it: where the flag says otherwise, the program says which and fails."""
import ctypes
import re
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path


class OptionInfo(ctypes.Structure):
    _fields_ = [("key", c_char_p), ("doc", c_char_p), ("choices", POINTER(c_char_p)), ("default_str", c_char_p),
                ("default_num", c_double), ("lower", c_double), ("upper", c_double), ("type", c_int32), ("flags", c_uint32)]


F64, I64, STR = 0, 1, 2
OPEN_LOWER, OPEN_UPPER, INFINITE, ADVANCED = 1, 2, 4, 16
SHOWN = ("README.md", "examples", "bench", "docs/guide", "docs/benchmarks")
TEXTS = {".c", ".cpp", ".csv", ".h", ".hpp", ".js", ".lua", ".md", ".py", ".rs", ".sh"}

library = ctypes.CDLL(sys.argv[1])
ctx, domain, kernel = c_void_p(), c_void_p(), c_void_p()


def call(name, *arguments):
    if getattr(library, name)(*arguments) != 0:
        sys.exit(f"{name} failed")


def number(value):
    return "inf" if value == float("inf") else "-inf" if value == -float("inf") else f"{value:.10g}"


def bounds(info):
    if info.type == STR:
        if not info.choices:
            return "text"
        choices, i = [], 0
        while info.choices[i]:
            choices.append(f"`{info.choices[i].decode()}`")
            i += 1
        return ", ".join(choices)
    left = "(" if info.flags & OPEN_LOWER or info.lower == -float("inf") else "["
    right = ")" if info.flags & OPEN_UPPER or info.upper == float("inf") else "]"
    if info.flags & INFINITE:
        right = "]"
    return f"{left}{number(info.lower)}, {number(info.upper)}{right}"


def default(info):
    return f"`{info.default_str.decode()}`" if info.type == STR else number(info.default_num)


def entries(policy, what, read):
    n = c_size_t()
    call(f"tvgp_policy_{what}_count", policy, byref(n))
    return [read(policy, c_size_t(i)) for i in range(n.value)]


def read_option(policy, i):
    info = OptionInfo()
    call("tvgp_policy_option_info", policy, i, byref(info))
    text = ["f64", "i64", "str"][info.type], bounds(info), info.doc.decode(), bool(info.flags & ADVANCED)
    return info.key.decode(), text, default(info)


def read_stat(policy, i):
    key, doc, unit, kind = c_char_p(), c_char_p(), c_char_p(), c_uint32()
    call("tvgp_policy_stat_name_at", policy, i, byref(key), byref(doc))
    call("tvgp_policy_stat_kind_at", policy, i, byref(kind), byref(unit))
    kinds = [name for bit, name in enumerate(("headline", "learned", "counter", "diagnostic")) if kind.value >> bit & 1]
    return key.value.decode(), (doc.value.decode(), ", ".join(kinds), unit.value.decode()), None


def collect(policies, what, read):
    """(key, text) -> {policy: default}; the same key with another meaning is another row."""
    table = {}
    for name, policy in policies:
        for key, text, value in entries(policy, what, read):
            table.setdefault((key, text), {})[name] = value
    return table


def who(names, policies):
    missing = [name for name, _ in policies if name not in names]
    if len(missing) < len(names):
        return "all but " + ", ".join(missing) if missing else "all"
    return ", ".join(names)


def defaults(by_policy):
    values = list(by_policy.values())
    usual = max(values, key=values.count)
    others = [f"{name}: {value}" for name, value in by_policy.items() if value != usual]
    return usual + (f" ({', '.join(others)})" if others else "")


def set_somewhere():
    """The keys that are set in what a user is shown: key=value, or the key in quotes; of a series the first."""
    root = Path(__file__).resolve().parent.parent
    files = [file for place in SHOWN for file in [root / place, *(root / place).rglob("*")] if file.suffix in TEXTS and file.is_file()]
    words = {word for file in files for word in re.findall(r"""([a-z][a-z_0-9.]*)(?:=|["'])""", file.read_text("utf-8"))}
    return {re.sub(r"\.\d+$", ".0", word) for word in words}


def options(rows, advanced):
    print("| key | type | default | bounds or choices | meaning | policies |\n| --- | --- | --- | --- | --- | --- |")
    for (key, (kind, limits, doc, expert)), users in rows.items():
        if expert == advanced:
            print(f"| `{key}` | {kind} | {defaults(users)} | {limits} | {doc} | {who(users, policies)} |".replace("||", "\\|\\|"))


call("tvgp_ctx_create", None, byref(ctx))
call("tvgp_domain_indices", ctx, c_size_t(2), byref(domain))
call("tvgp_kernel_se", ctx, c_size_t(1), c_double(1), byref(c_double(1)), c_size_t(1), byref(kernel))
count = c_size_t()
call("tvgp_policy_count", ctx, byref(count))
policies = []
for index in range(count.value):
    policy_name, policy = c_char_p(), c_void_p()
    call("tvgp_policy_name_at", ctx, c_size_t(index), byref(policy_name), None)
    call("tvgp_policy_create", ctx, policy_name, domain, kernel, byref(policy))
    policies.append((policy_name.value.decode(), policy))
    model = c_void_p()
    call("tvgp_policy_create", ctx, b"gp-ucb", domain, kernel, byref(model))
    library.tvgp_policy_add_constraint(policy, model, c_uint32(0), c_double(0))  # those that can: so statistics of limits are listed
    library.tvgp_policy_destroy(model)

table, shown = collect(policies, "option", read_option), set_somewhere()
advanced = {key for key, text in table if text[-1]}
wrong = [f"`{key}` is set" for key in sorted(advanced & shown)]
wrong += [f"`{key}` is not set" for key in sorted({key for key, _ in table} - advanced - shown)]
if wrong:
    sys.exit("TVGP_OPTION_ADVANCED is wrong: in " + ", ".join(SHOWN) + " " + ", ".join(wrong))

print("""# Options and statistics

Written by `docs/make_options.py` from the tables of the library. Options are set before the first
ask or tell, as text with `tvgp_policy_set` ("noise=.01 width.schedule=igp") or with
`tvgp_policy_set_f64`, `_i64` and `_str`; integers are taken for real options and integral values
for integer ones. What each policy does with its own is told in its page under `docs/policies/`.

## Options
""")
options(table, False)
print("""
## Advanced options

For experts: no example, guide or experiment here sets them, but for those that look for the cause
of a [loss](../benchmarks/suite/losses.md) (`TVGP_OPTION_ADVANCED`).
""")
options(table, True)
print("""
## Statistics

Read with `tvgp_policy_stat`; a policy that has not started yet answers 0 unless the text says
otherwise. What they are for (`tvgp_policy_stat_kind_at`): headline, one of the
[four that matter](../guide/monitoring.md); learned, about the world; counter, never falls;
diagnostic, how the policy goes about it. Without a unit it is a number.

| key | meaning | kind | unit | policies |
| --- | --- | --- | --- | --- |""")
for (key, (doc, kind, unit)), users in collect(policies, "stat", read_stat).items():
    print(f"| `{key}` | {doc} | {kind} | {unit} | {who(users, policies)} |")

for _, policy in policies:
    library.tvgp_policy_destroy(policy)
for name, handle in (("kernel", kernel), ("domain", domain), ("ctx", ctx)):
    getattr(library, f"tvgp_{name}_destroy")(handle)
