# SPDX-License-Identifier: MIT
"""Writes the reference of options and statistics from the tables of the library: python3 docs/make_options.py LIBTVGP_SO > docs/reference/options.md.

A test compares the committed file with the output of this program. It fails if a key belongs to no concept, or if README, a first
page or an example sets an advanced option (TVGP_OPTION_ADVANCED)."""
import ctypes
import re
import sys
import textwrap
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path


class OptionInfo(ctypes.Structure):
    _fields_ = [("key", c_char_p), ("doc", c_char_p), ("choices", POINTER(c_char_p)), ("default_str", c_char_p),
                ("default_num", c_double), ("lower", c_double), ("upper", c_double), ("type", c_int32), ("flags", c_uint32)]


class StatInfo(ctypes.Structure):
    _fields_ = [("key", c_char_p), ("doc", c_char_p), ("unit", c_char_p), ("kind", c_uint32), ("type", c_int32)]


F64, I64, STR = 0, 1, 2
OPEN_LOWER, OPEN_UPPER, INFINITE, ADVANCED = 1, 2, 4, 16
# Keys by concept. A trailing star stands for any ending; "key@policy" is the key of that policy only.
CONCEPTS = {
    "Dictionary": "dictionary.* qbar update.growth lambda@bkb distinct@bkb effective_dimension posterior.exact",
    "Side queries": "side.* kdpp.* distinct",
    "History": "history.*",
    "Constraints": "constraint.* safe.* budget.* cost.*",
    "Delays": "pending* failed.* delay.* time.max_step time.clamp context.* values partial skipped failed cancelled unsolicited ignored clock",
    "Learning": "fit* prior* log_marginal_likelihood",
    "Resources": "memory.* rank* rows.* forget.* search.* observations.stored jitter",
    "Exploration": "width* choice horizon exploration.* holdout.* incumbent.* seed propensity.* rb.rule arm asked switch.* mean sd "
                   "information_gain variation_budget",
    "Model": "sense outcome.* outlier* noise* epsilon half_life time.* season.* drift.* changepoint.* scale* arm_change.* model.* offset* "
             "mixture.* reset* window* decay lambda age.* trigger.* alpha* observations* surprise rate* filters weight.*"}
ORDER = ("Model", "Exploration", "Constraints", "History", "Delays", "Side queries", "Dictionary", "Learning", "Resources")
SHOWN = ("README.md", "docs/start", "examples")
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
    info = StatInfo()
    call("tvgp_policy_stat_info", policy, i, byref(info))
    kinds = [name for bit, name in enumerate(("headline", "learned", "counter", "diagnostic")) if info.kind >> bit & 1]
    return info.key.decode(), (info.doc.decode(), ", ".join(kinds), info.unit.decode()), None


def collect(policies, what, read):
    """(key, text) -> {policy: default}; the same key with another meaning is another row."""
    table = {}
    for name, policy in policies:
        for key, text, value in entries(policy, what, read):
            table.setdefault((key, text), {})[name] = value
    return table


def who(names):
    """The policies of a group of rows, in one sentence: those that have it or, if they are fewer, those that do not."""
    missing = [name for name, _ in policies if name not in names]
    listed = ", ".join(f"`{name}`" for name in (missing if len(missing) < len(names) else names))
    return ("All policies" + (f" except {listed}" if missing else "") if len(missing) < len(names) else listed) + ":"


def concept(key, names):
    """The first concept with a pattern of this key; of a key with a policy, if the policy has it too."""
    for title, patterns in CONCEPTS.items():
        for pattern in patterns.split():
            stem, _, policy = pattern.partition("@")
            if (key.startswith(stem[:-1]) if stem.endswith("*") else key == stem) and (not policy or policy in names):
                return title
    sys.exit(f"make_options.py: `{key}` belongs to no concept, see CONCEPTS")


def grouped(table, header, row):
    """A heading for each concept, and under it a table for each set of policies; the keys of most policies come first."""
    places = {}
    for (key, text), users in table.items():
        places.setdefault(concept(key, users), {}).setdefault(tuple(users), []).append(row(key, text, users))
    for title in ORDER:
        if title in places:
            print(f"\n### {title}")
        for users, rows in sorted(places.get(title, {}).items(), key=lambda group: -len(group[0])):
            print(f"\n{textwrap.fill(who(users), 100, break_on_hyphens=False)}\n\n{header}")
            print("\n".join(rows))


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


def cells(*texts):
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def option_row(key, text, users):
    kind, limits, doc, advanced = text
    return cells(f"`{key}`", kind + (", advanced" if advanced else ""), defaults(users), limits, doc)


def stat_row(key, text, _):
    return cells(f"`{key}`", *text)


call("tvgp_ctx_create", None, byref(ctx))
call("tvgp_domain_indices", ctx, c_size_t(2), byref(domain))
call("tvgp_kernel_se", ctx, c_size_t(1), c_double(1), c_size_t(1), byref(c_double(1)), byref(kernel))
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
if advanced & shown:
    sys.exit(f"{', '.join(sorted(advanced & shown))}: advanced options are set in {', '.join(SHOWN)}")

print("""# Options and statistics

All options and statistics of all policies, grouped by concept. The page is written by
`docs/make_options.py` from the tables of the library.

## Options

Set options before the first ask or tell: as text with `tvgp_policy_set`, for instance
"noise=.01 width.schedule=igp", or one at a time with `tvgp_policy_set_f64`, `_i64` and `_str`. The
page of each policy under `docs/policies/` explains its own options. Advanced options
(`TVGP_OPTION_ADVANCED`) are for experts and experimental: they may change in a minor version.""")
grouped(table, "| key | type | default | bounds or choices | meaning |\n| --- | --- | --- | --- | --- |", option_row)
print("""
## Statistics

Read statistics with `tvgp_policy_stat`. Before the first ask or tell they are 0 unless the meaning
says otherwise. `tvgp_policy_stat_info` gives the kind: headline: one of the
[four that matter](../guide/monitoring.md); learned: about the problem; counter: never
decreases; diagnostic: internal working of the policy. A statistic without a unit is a number. A key
that ends in .0 or .1 describes the first of several items.""")
grouped(collect(policies, "stat", read_stat), "| key | meaning | kind | unit |\n| --- | --- | --- | --- |", stat_row)

for _, policy in policies:
    library.tvgp_policy_destroy(policy)
for name, handle in (("kernel", kernel), ("domain", domain), ("ctx", ctx)):
    getattr(library, f"tvgp_{name}_destroy")(handle)
