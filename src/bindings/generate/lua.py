# SPDX-License-Identifier: MIT
"""Declarations for LuaJIT, and the roles of arguments as a table."""
import json

from shared import NOTE, base_of, folded


def c_declaration(name, function):
    return folded(f"{function['returns']} {name}(", [f"{a['type']} {a['name']}".replace("* ", "*") for a in function["args"]] or ["void"], ");", 4)


def cdef(abi):
    lines = ["-- SPDX-License-Identifier: MIT", f"-- The headers for LuaJIT. {NOTE}", 'require("ffi").cdef([[', "typedef int32_t tvgp_status;"]
    lines += [f"typedef struct {name} {name};" for name in abi["opaque"]]
    lines += [f"typedef {f['returns']} (*{name})({', '.join(a['type'] + ' ' + a['name'] for a in f['args'])});" for name, f in abi["callbacks"].items()]
    for name, record in abi["structs"].items():
        fields = []
        for field in record["fields"]:
            count = f"[{field['count']}]" if field["count"] > 1 or field["name"] == "reserved" else ""
            call = field.get("callback")
            fields.append(f"{call['returns']} (*{field['name']})({', '.join(a['type'] + ' ' + a['name'] for a in call['args'])});" if call
                          else f"{field['type']} {field['name']}{count};")
        lines.append(folded(f"typedef struct {name} {{ ", fields, f" }} {name};", 4, " "))
    lines += [c_declaration(name, function) for name, function in abi["functions"].items()]
    return "\n".join([*lines, "]])"]) + "\n"


def value_of(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {value_of(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "{ " + ", ".join(value_of(v) for v in value) + " }" if value else "{}"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else json.dumps(value)


def pointer_type(call):
    return f"{call['returns']} (*)({', '.join(a['type'] for a in call['args'])})"


def signatures(abi):
    lines = ["-- SPDX-License-Identifier: MIT", f"-- Roles of the arguments of every function, and members of records. {NOTE}",
             "return {", "    callbacks = {"]
    for name, call in abi["callbacks"].items():
        lines.append(f"        {name} = {value_of({'returns': call['returns'], 'pointer': pointer_type(call)})},")
    lines += ["    },", "    structs = {"]
    for name, record in abi["structs"].items():
        lines.append(f"        {name} = {{")
        for field in record["fields"]:
            call = field.get("callback")
            extra = {"returns": call["returns"], "pointer": pointer_type(call)} if call else {"base": base_of(field["type"])}
            lines.append(f"            {value_of({'name': field['name'], 'type': field['type'], 'count': field['count'], **extra})},")
        lines.append("        },")
    lines += ["    },", "    functions = {"]
    for name, function in abi["functions"].items():
        head = {"returns": function["returns"], **({"again": True} if function.get("again") else {})}
        lines.append(f"        {name[5:]} = {{ {value_of(head)[2:-2]}, args = {{")
        for arg in function["args"]:
            lines.append(f"            {value_of({**arg, 'base': base_of(arg['type'])})},")
        lines.append("        } },")
    return "\n".join([*lines, "    },", "}"]) + "\n"
