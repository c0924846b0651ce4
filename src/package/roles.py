# SPDX-License-Identifier: MIT
"""The role of each argument of an exported function, so that a binding can pass arrays without lengths and return what is written.

role      the caller gives               the binding does
handle    an object of `class`           passes its address; NULL where `optional` and nothing is given
number    a number                       checks that C can hold it
text      a string                       passes it, ended by a NUL
array     `length` numbers or records    passes their address; NULL where `optional` and nothing is given
bytes     bytes                          passes their address
table     a struct of functions          passes its address
callback  a function                     passes its address
pointer   an address of the caller's     passes it as it is
user      -                              passes what its callback needs (where functions cannot carry it, the caller gives it)
count     -                              works it out from the array that it counts; without that array 0, or the number of arms
                                         where the function writes as many values
values    names of `members`, with blanks  returns each member, `length` values; of one that is not named none
made      -                              returns a new object of `class`
out       -                              returns `length` values, one value where the length is empty
written   -                              shortens the outputs of `limit` entries to this number
buffer    -                              calls twice, first with NULL, and returns the bytes
room, needed                             belong to the buffer

A length is a list of factors: names of arguments, or `x.dim`, `x.arms`, `x.parameters` of the object x; `larger.arms-policy.arms`
is a difference. SHAPES has the roles that do not follow from names."""

# Lengths by the name of the argument (without _or_null); "dim" is the argument of that name, else that of the object.
NAMES = {"X": ["n", "dim"], "Z": ["m", "dim"], "W": ["n", "m"], "lower": ["dim"], "upper": ["dim"], "points": ["dim"], "x": ["dim"],
         "lengthscale": ["n_lengthscale"], "period": ["n_period"], "mask": ["n"], "z": ["n"], "dmean": ["n", "dim"],
         "dvar": ["n", "dim"], "gradient": ["parameters"], "values": ["parameters"], "slope": ["dim"], "obs": ["n"]}
# Lengths that the names do not tell.
SHAPES = {
    "tvgp_kernel_table": {"K": ["n_arms", "n_arms"]},
    "tvgp_kernel_gram": {"K": ["n", "m"]},
    "tvgp_domain_seasonal_mean": {"mean": ["bins", "domain.arms"]},
    "tvgp_policy_add_prior": {"mean_or_null": ["n_mean"]},
    "tvgp_policy_apply": {"events": ["n"], "x_or_null": ["n_x"]},
    "tvgp_event_describe": {"event": [], "x_or_null": ["n_x"]},
    "tvgp_event_format": {"event": [], "x_or_null": ["n_x"]},
    "tvgp_event_parse": {"event": [], "x_or_null": ["capacity"]},
    "tvgp_policy_extend": {"new_mean_or_null": ["larger.arms-policy.arms"]},
    "tvgp_policy_ask": {"q": ["cap"], "x": ["cap", "policy.dim"]},
    "tvgp_policy_ask_one": {"q": []},
    "tvgp_policy_ask_slate": {"q": ["k"], "x": ["k", "policy.dim"]},
    "tvgp_event_off_policy_value": {"events": ["n"], "x_or_null": ["n_x"], "out": []},
    "tvgp_off_policy_value": {"target": ["n", "arms"], "model_or_null": ["n", "arms"], "out": []},
    "tvgp_policy_pending": {"q_or_null": ["cap"], "x_or_null": ["cap", "policy.dim"]},
    "tvgp_policy_learn_history": {"x": ["n", "policy.dim"]},
    "tvgp_policy_learn_history_table": {"t_or_null": ["rows"], "value": ["rows", "policy.arms"]},
    "tvgp_policy_tell": {"x_or_null": ["n", "policy.dim"]},
    "tvgp_gp_predict_covariance": {"covariance": ["n", "n"]},
    "tvgp_gp_sample": {"out": ["draws", "n"]},
    "tvgp_gp_fit": {"lower_or_null": ["gp.parameters"], "upper_or_null": ["gp.parameters"]},
    "tvgp_kdpp_sample": {"index": ["k"]},
    "tvgp_policy_set_incumbent": {"x_or_null": ["policy.dim"]},
    "tvgp_prior_learn": {"first": ["n_runs"], "mean": ["domain.arms"]},
}
# Counts that say how much of an output was written, and the argument that limits it.
WRITTEN = {("tvgp_policy_ask", "n"): "cap", ("tvgp_policy_ask_slate", "n"): "k", ("tvgp_policy_pending", "n"): "cap",
           ("tvgp_kdpp_sample", "n_index"): "k",
           ("tvgp_event_parse", "n_x"): "capacity"}
# Calls that succeed in more than one way: a binding returns the status as the last output.
AGAIN = ("tvgp_policy_ask", "tvgp_policy_ask_one", "tvgp_policy_ask_slate", "tvgp_policy_evaluate", "tvgp_policy_best_probability", "tvgp_policy_fit", "tvgp_gp_fit")
# Outputs of one value though there is an argument n.
SINGLE = ("n", "n_total", "first", "dim", "value", "log_posterior", "evals", "noise", "intercept", "count", "bytes", "arm", "action",
          "context", "info", "needed", "n_index")


def base_of(kind):
    return kind.replace("const", "").replace("*", "").strip()


def owner(args, opaque):
    """The first object that has a dimension."""
    for arg in args:
        if base_of(arg["type"]) in opaque and arg["type"].count("*") == 1 and arg["type"].find("tvgp_ctx") < 0:
            return arg["name"]
    return None


def length(function, arg, args, opaque):
    names = {a["name"] for a in args}
    bare = arg["name"].removesuffix("_or_null")
    factors = SHAPES.get(function, {}).get(arg["name"])
    if factors is None and bare in NAMES:
        factors = NAMES[bare]
    if factors is None:
        single = "const" not in arg["type"] and bare in SINGLE
        factors = [] if single or "n" not in names else ["n"]
        if not factors and arg["type"].startswith("const"):
            raise SystemExit(f"roles.py: how many entries has {arg['name']} of {function}? Say it in SHAPES")
    return [f if f in names or "." in f else f"{owner(args, opaque)}.{f}" for f in factors]


def role(function, arg, args, abi):
    """Role and what belongs to it."""
    kind, name = arg["type"], arg["name"]
    base, stars, opaque = base_of(kind), kind.count("*"), abi["opaque"]
    optional = {"optional": True} if name.endswith("_or_null") else {}
    if base in abi["callbacks"]:
        return {"role": "callback", **optional}
    if base in opaque:
        return {"role": "handle" if stars == 1 else "made", "class": base.removeprefix("tvgp_"), **optional}
    if base == "char":
        return {"role": "text" if stars == 1 else "out", "length": []}
    if base == "void":
        if name == "user":
            return {"role": "user"}
        if name == "bytes":
            return {"role": "bytes"}
        return {"role": "buffer"} if name == "buffer_or_null" else {"role": "pointer"}
    if stars == 0:
        return {"role": "number"}
    if base == "tvgp_prediction":
        members = [{"name": f["name"], "type": f["type"], "role": "out"} for f in abi["structs"][base]["fields"] if "*" in f["type"]]
        return {"role": "values", "members": [{**m, "length": length(function, m, args, opaque)} for m in members]}
    if base in abi["structs"] and any("callback" in f for f in abi["structs"][base]["fields"]):
        return {"role": "table", **({"optional": True} if name == "allocator" else optional)}
    if (function, name) in WRITTEN:
        return {"role": "written", "limit": WRITTEN[function, name]}
    return {"role": "array" if kind.startswith("const") else "out", "length": length(function, arg, args, opaque), **optional}


def counts(args):
    """Whole numbers that the arrays tell: of an array's length all other factors are known. Arrays that may be missing come last."""
    given = {a["name"] for a in args if a["role"] == "number"}
    for arg in sorted(args, key=lambda a: bool(a.get("optional"))):
        factors = arg.get("length", []) if arg["role"] == "array" else []
        unknown = [f for f in factors if f in given]
        if len(unknown) == 2 and unknown[0] != unknown[1] and unknown[1] == "dim":
            unknown = unknown[:1]  # n points of dim coordinates: the caller says dim
        if len(unknown) == 1:
            next(a for a in args if a["name"] == unknown[0]).update(role="count", of=arg["name"])
            given.discard(unknown[0])


def give(function, abi):
    """Adds the roles to the arguments of a function."""
    args = abi["functions"][function]["args"]
    for arg in args:
        arg.update(role(function, arg, args, abi))
    for place, arg in enumerate(args):
        if arg["role"] == "buffer":
            args[place - 1]["role"], args[place + 1]["role"] = "room", "needed"
        if arg["role"] == "bytes":
            args[place - 1].update(role="count", of=arg["name"])
    counts(args)
    if function in AGAIN:
        abi["functions"][function]["again"] = True
