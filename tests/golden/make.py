#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes golden_*.h and golden_*.txt, next to this script or into OUTPUT, from the golden JSON files, which tests/ref/golden.py computes.
The headers have types, comments and short arrays, and functions golden_read_*, which read the long arrays from the text files.

Usage: python3 make.py DIRECTORY [OUTPUT]    (the one with kernels.json, posterior.json, lml.json, betas.json, policies.json,
priors.json, dpp.json, windows.json, bkb.json, box.json, learn.json, learn_loop.json, records.json, auto2.json, safety.json,
history.json, defaults4.json, share5.json, counts5.json, contexts5.json). Headers whose files are not all there are left out.
Another run or schedule is added by naming it in RUNS or BETAS.
"""
import contextlib
import json
import math
import os
import re
import sys
import textwrap

RUNS = ["gp_ucb", "igp_ucb", "tv_gp_ucb", "r_gp_ucb", "br_gp_ucb", "sw_gp_ucb", "sw_igp", "w_gp_ucb_last",
        "w_gp_ucb_now", "ui_diag", "ui_wiener", "et_since", "et_size", "et_empty", "et_since_sn005", "et_size_sn005",
        "sparq_000", "sparq_003", "wsparq_ui", "wsparq_const"]
BETAS = ["log_beta", "srinivas_finite_beta", "srinivas_cont_beta", "et_thm1_beta", "igp_width", "pe_width_A", "pe_width_B",
         "rgp_thm2_beta", "rgp_N"]
UNKNOWN_BUDGET = ["zhou_window", "deng_gamma"]
KINDS = {"se": "REF_SE", "matern12": "REF_MATERN12", "matern32": "REF_MATERN32", "matern52": "REF_MATERN52",
         "rq": "REF_RATIONAL_QUADRATIC", "periodic": "REF_PERIODIC", "linear": "REF_LINEAR"}


def c(value):
    """A C initialiser; repr of a double is the shortest text that reads back exactly."""
    if isinstance(value, list):
        return "{" + ", ".join(c(v) for v in value) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f".{k} = {c(v)}" for k, v in value.items()) + "}"
    if isinstance(value, float):
        assert math.isfinite(value) or value < 0
        return repr(value)
    return str(value)


def flat(rows):
    return [float(v) for row in rows for v in (row if isinstance(row, list) else [row])]


def pair(value):
    return flat([value] if isinstance(value, list) else [[value, value]])


def kernel(case):
    p = case["params"]
    ref = {"kind": KINDS[case["kernel"]], "dim": 2, "variance": p["sf2"], "l": pair(p["l"])}
    ref.update({k: p[k] for k in ("alpha", "bias") if k in p})
    if "p" in p:
        ref["period"] = pair(p["p"])
    return ref


def array(declaration, rows):
    lines = [textwrap.fill(c(row) + ",", 120, initial_indent="    ", subsequent_indent="     ") for row in rows]
    return f"static const {declaration} = {{\n" + "\n".join(lines) + "\n};\n"


ARRAY = re.compile(r"static const (struct \w+|double|int|int64_t) (\w+)((?:\[[\d *]+\])+) = \{\n(.*?)\n\};\n", re.S)
LONG = 6  # lines of an array that stays in its header
FIELDS = {"double": "d", "int": "i", "int64_t": "l", "uint32_t": "u"}


def layout(kind, body):
    """(field, length, name) of each member of a type; None if one of them is no number."""
    if kind in FIELDS:
        return [(FIELDS[kind], 1, "")]
    text, found = re.search(rf"{kind} {{\n(.*?)\n}}", body, re.S), []
    for of, names in re.findall(r"(\S[^;]*?) ([^;]+);", re.sub(r"/\*.*?\*/", "", text.group(1), flags=re.S) if text else "struct x;"):
        for name in names.split(","):
            name, _, length = name.strip().rstrip("]").partition("[")
            if of not in FIELDS or not re.fullmatch(r"[\d *]*", length):
                return None
            found.append((FIELDS[of], math.prod(int(n) for n in length.split("*")) if length else 1, name))
    return found


def initialiser(tokens):
    """A list, a dictionary or a token, from the tokens of a C initialiser."""
    first = tokens.pop(0)
    if first != "{":
        return first
    rows, named = [], {}
    while tokens[0] != "}":
        member = tokens.pop(0)[1:] if tokens[0][0] == "." and tokens[1] == "=" else None
        if member:
            tokens.pop(0)
            named[member] = initialiser(tokens)
        else:
            rows.append(initialiser(tokens))
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return named or rows


def leaves(value):
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, list) else [value]


def members(row, fields):
    """All numbers of a row in the order of its members; those that C would set to 0 are 0."""
    numbers = []
    for i, (_, length, name) in enumerate(fields):
        value = leaves(row.get(name, []) if isinstance(row, dict) else row[i] if i < len(row) else [])
        numbers += value + ["0"] * (length - len(value))
    return numbers


def split(body):
    """The body without its long arrays, which are declared only; their names and fields; and their numbers as text."""
    names, data = [], []

    def move(found):
        kind, name, dims, text = found.groups()
        fields, dims = layout(kind, body), [math.prod(int(n) for n in d.split("*")) for d in re.findall(r"\[(.*?)\]", dims)]
        if not fields or text.count("\n") < LONG:
            return found.group()
        rows = initialiser(["{", *re.findall(r"[{},=]|[^\s{},=]+", text), "}"])
        if kind in FIELDS:
            numbers = leaves(rows)
            assert len(numbers) == math.prod(dims)
            fields, rows = [(FIELDS[kind], dims[-1], "")], [numbers[i:i + dims[-1]] for i in range(0, len(numbers), dims[-1])]
        else:
            rows = [members(row, fields) for row in rows]
        assert len({len(row) for row in rows}) == 1 and len(rows) == (math.prod(dims[:-1]) if kind in FIELDS else dims[0])
        of = "".join(f"{field}{length}" for field, length, _ in fields)
        lines = [textwrap.fill(" ".join(row).replace("INFINITY", "inf"), 120, subsequent_indent="  ", break_on_hyphens=False) for row in rows]
        names.append((name, of))
        data.append(f"{name} {len(rows)} {of}\n" + "\n".join(lines) + "\n")
        return f"static {kind} {name}{found.group(3)};\n"

    return ARRAY.sub(move, body), names, "".join(data)


def write(name, sources, body):
    guard = f"GOLDEN_{name.upper()}_H"
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(folder, f"golden_{name}.h")
    body, names, data = split(body)
    if names:
        body = '#include "golden.h"\n' + body + f"\nstatic void golden_read_{name}(void) {{\n    const struct golden_array arrays[] = {{\n"
        body += "".join(f'        GOLDEN_ARRAY({array}, "{of}"),\n' for array, of in names)
        body += f'    }};\n    golden_read("{name}", sizeof arrays / sizeof *arrays, arrays);\n}}\n'
        with open(os.path.join(folder, f"golden_{name}.txt"), "w") as out:
            out.write(f"# Made by make.py from {sources.split(':')[0]}. Do not edit. Types and comments are in golden_{name}.h.\n{data}")
    with open(path, "w") as out:
        out.write(f"/* SPDX-License-Identifier: MIT */\n/* Made by make.py from {sources}. Do not edit. */\n"
                  f"/* clang-format off */\n#ifndef {guard}\n#define {guard}\n\n{body}\n#endif\n")


def kernels(load):
    g = load("kernels")
    cases = [{"kernel": kernel(k), "k_xy": flat(k["K_XY"]), "k_xx": flat(k["K_XX"])} for k in g["cases"]]
    time, wiener = g["temporal"], g["wiener"]
    assert time["ti"] == wiener["ti"] and time["tj"] == wiener["tj"]
    write("kernels", "kernels.json",
          '#include "ref/ref_kernel.h"\n\n'
          + array("double golden_kernel_x[4][2]", g["X"]) + array("double golden_kernel_y[3][2]", g["Y"])
          + "struct golden_kernel {\n    struct ref_kernel kernel;\n    double k_xy[4 * 3], k_xx[4 * 4];\n};\n"
          + array(f"struct golden_kernel golden_kernels[{len(cases)}]", cases)
          + f"enum {{ GOLDEN_KERNELS = {len(cases)} }};\n"
          + array("double golden_time_x[4]", flat(time["ti"])) + array("double golden_time_y[3]", flat(time["tj"]))
          + f"/* epsilon {time['eps']} */\n" + array("double golden_forgetting[4 * 3]", flat(time["K"]))
          + f"/* rate {wiener['sw2']}, origin 0 */\n" + array("double golden_wiener[4 * 3]", flat(wiener["K"]))
          + f"/* {g['product']['doc']} */\n" + array("double golden_product[4 * 3]", flat(g["product"]["K"])))


def posteriors(load):
    g, evidence = load("posterior"), load("lml")
    assert g["X"] == evidence["X"] and g["y"] == evidence["y"]

    def case(k):
        noise = k["noise"] if isinstance(k["noise"], list) else [k["noise"]] * 7
        out = {"kernel": kernel(k), "noise": noise, "evidence": k["lml"]}
        if "mu" in k:
            out.update({"affine": int(k["mean"] == "affine"), "mean": k["mu"], "var": k["var"]})
        return out

    cases, lml = [case(k) for k in g["cases"]], [case(k) for k in evidence["cases"]]
    write("posterior", "posterior.json and lml.json",
          '#include "ref/ref_kernel.h"\n\n'
          + array("double golden_x[7][2]", g["X"]) + array("double golden_y[7]", flat(g["y"]))
          + array("double golden_xs[4][2]", g["Xs"])
          + "/* the affine prior mean at these points */\n"
          + array("double golden_prior_mean_x[7]", flat(g["prior_mean_at_X"]))
          + array("double golden_prior_mean_xs[4]", flat(g["prior_mean_at_Xs"]))
          + "struct golden_posterior {\n    struct ref_kernel kernel;\n    int affine;\n"
          "    double noise[7], evidence, mean[4], var[4];\n};\n"
          + array(f"struct golden_posterior golden_posteriors[{len(cases)}]", cases)
          + "/* marginal likelihood only */\n" + array(f"struct golden_posterior golden_evidences[{len(lml)}]", lml)
          + f"enum {{ GOLDEN_POSTERIORS = {len(cases)}, GOLDEN_EVIDENCES = {len(lml)} }};\n"
          + f"/* {g['tv']['doc']} */\n" + array("double golden_tv_mean[4]", g["tv"]["mu"])
          + array("double golden_tv_var[4]", g["tv"]["var"]))


def betas(load):
    g = load("betas")
    body = "".join(f"/* {', '.join(g[name][0])} */\n"
                   + array(f"double golden_{name}[{len(g[name])}][{len(g[name][0])}]",
                           [[float(v) for v in row.values()] for row in g[name]]) for name in BETAS)
    body += "".join(f"/* {', '.join(g[name][0])}; a budget that is not known counts as 1 */\n"
                    + array(f"double golden_{name}[{len(g[name])}][{len(g[name][0])}]",
                            [[1.0 if v is None else float(v) for v in row.values()] for row in g[name]])
                    for name in UNKNOWN_BUDGET)
    first = g["logdet_width"][0]
    body += (f"/* K, Sigma of logdet_width: B = {first['B']}, delta = {first['delta']} */\n"
             + array("double golden_logdet_k[7][7]", first["K"]) + array("double golden_logdet_sigma[7]", first["Sigma"])
             + "/* with these data, without any */\n"
             + array("double golden_logdet_width[2]", [case["v"] for case in g["logdet_width"]]))
    write("betas", "betas.json (columns as named; *_beta goes under a square root)", body)


def policies(load):
    g = load("policies")
    body = (array("double golden_arms[25][2]", g["arms"]) + array("double golden_f[30][25]", g["F"])
            + "/* mean, sd, width and gap to the second best score at the chosen arm, before y was given */\n"
            "struct golden_step {\n    int arm;\n    double y, mean, sd, width, gap;\n};\n"
            "/* of event triggers, after y was given */\n"
            "struct golden_trigger {\n    double statistic, threshold;\n    int reset;\n};\n"
            "/* side queries after y was given */\nstruct golden_queries {\n    int n, arm[12];\n};\n")
    for name in RUNS:
        run = g["policies"][name]
        params = ", ".join(f"{k} = {v}" for k, v in run["params"].items() if not isinstance(v, list))
        steps = [[s["arm"], y] + [float(s[k]) for k in ("mu", "sd", "width", "gap")]
                 for s, y in zip(run["log"], run["y"])]
        assert [s[0] for s in steps] == run["arms"]
        body += f"/* {params}; {run['note']} */\n" + array(f"struct golden_step golden_{name}[30]", steps)
        if "psi" in run["log"][0]:
            body += array(f"struct golden_trigger golden_{name}_trigger[30]",
                          [[float(s["psi"]), float(s["kappa"]), int(s["reset"])] for s in run["log"]])
        if "queries" in run["log"][0]:
            queries = [{"n": len(s["queries"]), "arm": s["queries"] or [0]} for s in run["log"]]
            body += array(f"struct golden_queries golden_{name}_queries[30]", queries)
    write("policies", "policies.json", body)


def priors(load):
    g = load("priors")
    body = (array("double golden_priors_x[25][2]", g["arms"]) + array("double golden_priors_mean[4][25]", g["means"])
            + array("double golden_priors_f[25]", flat(g["f"]))
            + "/* before y was given: who chose what, mean and sd (with its prior mean), score, exploration coefficient (0: none), and of\n"
            "   each prior: log marginal likelihood (MLE), weight (FullyBayes), 1 while it lives (PE, RegretBalancing); after: the two\n"
            "   sides of the elimination test of the chosen prior (PE) */\n"
            "struct golden_prior_step {\n    int arm, prior;\n    double y, mean, sd, score, width, of[4], lhs, rhs;\n};\n")
    for name, run in g["runs"].items():
        steps = []
        for s, y in zip(run["log"], run["y"]):
            of = s.get("lml") or s.get("weights") or [int(i in s["alive"]) for i in range(4)]
            numbers = [y, s["mu"], s["sd"], s["ucb"], s.get("width", 0), of, s.get("lhs", 0), s.get("rhs", 0)]
            steps.append([s["arm"], s["prior"]] + numbers)
        assert [s[0] for s in steps] == run["arms"]
        body += array(f"struct golden_prior_step golden_{name.replace('.', '')}[30]", steps)
    write("priors", f"priors.json: {g['doc']}", body)


def dpp(load):
    g = load("dpp")
    body = (f"/* {g['doc']} */\n"
            + array("double golden_dpp_k6[6 * 6]", flat(g["K6"])) + array("double golden_dpp_k12[12 * 12]", flat(g["K12"]))
            + array("int golden_dpp_subsets[20][3]", g["subsets"]) + array("double golden_dpp_probs[20]", g["probs"])
            + array("int golden_dpp_greedy6_3[3]", g["greedy6_3"]) + array("int golden_dpp_greedy6_5[5]", g["greedy6_5"])
            + array(f"int golden_dpp_start[{g['M']}]", g["Z0"])
            + f"enum {{ GOLDEN_DPP_DRAWS = {len(g['draws'])}, GOLDEN_DPP_M = {g['M']} }};\n"
            + array(f"double golden_dpp_draws[{len(g['draws'])}][3]", g["draws"])
            + "/* the set after each draw */\n" + array(f"int golden_dpp_path[{len(g['path'])}][{g['M']}]", g["path"]))
    assert len(g["path"]) == len(g["draws"])
    write("dpp", "dpp.json", body)


def windows(load):
    g = load("windows")
    cases = [{"alpha": c["alpha"], "alpha_tilde": c["alpha_tilde"], "n": len(c["starts"]), "start": c["starts"]}
             for c in g["cases"]]
    longest = max(case["n"] for case in cases)
    assert any(c["float_differs"] for c in g["cases"])
    write("windows", "windows.json",
          f"/* {g['doc']}; T = {g['T']} */\n"
          f"struct golden_windows {{\n    int alpha[2], alpha_tilde[2], n, start[{longest}];\n}};\n"
          + array(f"struct golden_windows golden_windows[{len(cases)}]", cases)
          + f"enum {{ GOLDEN_WINDOWS = {len(cases)} }};\n")


def bkb(load):
    g = load("bkb")
    d, step = g["dtc"], "struct golden_bkb_step {\n    int arm, distinct;\n    double y, mean, var, width, gap;\n};\n"
    body = (f"/* {g['doc']} */\n" + f"enum {{ GOLDEN_BKB_ARMS = {len(g['arms'])}, GOLDEN_DTC_PULLS = {len(d['X'])}, "
            f"GOLDEN_DTC_MEMBERS = {len(d['S'])} }};\n"
            + array("double golden_bkb_k[25 * 25]", g["K"]).replace("    {", "    ").replace("},", ",")
            + array("double golden_bkb_f[25]", flat(g["f"]))
            + array("double golden_bkb_uniform[31][30]", g["uniforms"])
            + "/* before y was given: mean and var / lambda of the arm, the exploration coefficient, of sqrt(var / lambda);\n"
            " * after it: distinct arms in the dictionary */\n" + step)
    for name, run in g["runs"].items():
        rows = [[s["arm"], len({run["arms"][i] for i in s["S"]}), y, s["mu_sel"], s["sig2_sel"], s["width"], s["gap"]]
                for s, y in zip(run["steps"], run["y"][1:])]
        assert [r[0] for r in rows] == run["arms"][1:] and run["arms"][0] == 7
        body += array(f"struct golden_bkb_step golden_bkb_{name}[{len(rows)}]", rows)
    body += (f"static const double golden_dtc_lambda = {d['lam']}, golden_dtc_dimension = {d['d_eff']};\n"
             + array(f"int golden_dtc_s[{len(d['S'])}]", d["S"]) + array(f"int golden_dtc_x[{len(d['X'])}]", d["X"])
             + array(f"double golden_dtc_y[{len(d['y'])}]", d["y"])
             + array("double golden_dtc_mean[25]", d["mu"]) + "/* divided by lambda, as is the next */\n"
             + array("double golden_dtc_var[25]", d["sig2"]) + array("double golden_dtc_exact_var[25]", d["exact_sig2"]))
    write("bkb", "bkb.json", body)


def box_kernel(k, dim):
    """A reference kernel as C text: parts are compound literals, which have static storage at file scope."""
    if "of" in k:
        a, b = (f"&(const struct ref_kernel){box_kernel(part, dim)}" for part in k["of"])
        return f"{{.kind = REF_{k['family'].upper()}, .dim = {dim}, .a = {a}, .b = {b}}}"
    kind = {"matern": f"REF_MATERN{int(2 * k.get('nu', 0))}2", "rational_quadratic": "REF_RATIONAL_QUADRATIC"}
    family = kind.get(k["family"], f"REF_{k['family'].upper()}")
    rest = "".join(f", .{name} = {c(float(k[name]))}" for name in ("alpha", "bias") if name in k)
    rest += f", .period = {c(flat(k['period']))}" if "period" in k else ""
    return f"{{.kind = {family}, .dim = {dim}, .variance = {k['variance']}, .l = {c(flat(k['lengthscale']))}{rest}}}"


def box(load):
    g = load("box")
    law = {"static": 0, "forgetting": 1, "wiener": 2}
    body = ('#include "ref/ref_kernel.h"\n\nenum { GOLDEN_STATIC, GOLDEN_FORGETTING, GOLDEN_WIENER };\n'
            "/* nine observations, predicted at six points at time `now`; gradients by the point; score = mean + width sd */\n"
            "struct golden_box {\n    struct ref_kernel kernel;\n    int law;\n    double rate, now, width;\n"
            "    double x[9 * 3], t[9], y[9], noise[9], z[6 * 3];\n"
            "    double mean[6], var[6], dmean[6 * 3], dvar[6 * 3], score[6], dscore[6 * 3];\n};\n"
            f"static const struct golden_box golden_boxes[{len(g['posterior'])}] = {{\n")
    for case in g["posterior"]:
        numbers = ", ".join([str(law[case["law"][0]])] + [c(float(v)) for v in (case["law"][1], case["now"], case["width"])]
                            + [c(flat(case[k])) for k in ("X", "t", "y", "noise", "Z", "mean", "var", "dmean", "dvar",
                                                          "score", "dscore")])
        text = f"{{{box_kernel(case['kernel'], len(case['X'][0]))}, {numbers}}},"
        body += textwrap.fill(text, 120, initial_indent="    ", subsequent_indent="     ") + "\n"
    body += f"}};\nenum {{ GOLDEN_BOXES = {len(g['posterior'])} }};\n"
    body += ("/* before y was given: index on the grid, mean, sd, score and gap to the second best score */\n"
             "struct golden_box_step {\n    double t;\n    int index;\n    double mean, sd, score, gap, y;\n};\n")
    for run in g["runs"]:
        steps = [[float(s["t"]), int(s["index"])] + [float(s[k]) for k in ("mean", "sd", "score", "gap", "y")]
                 for s in run["steps"]]
        name = run["policy"].replace("-", "_")
        params = ", ".join(f"{k} {run[k]}" for k in ("lower", "upper", "search_grid", "kernel", "noise", "epsilon", "c1", "c2"))
        body += f"/* {params} */\n" + array(f"struct golden_box_step golden_box_{name}[{len(steps)}]", steps)
    write("box", "box.json", body)


LEARN_KERNELS = ["se", "matern12", "matern32", "matern52", "rational_quadratic", "periodic", "linear", "se + linear",
                 "matern32 * periodic"]
LEARN_LAWS = ["none", "forgetting", "matern32", "wiener"]


def learn_order(names):
    """As the library lists parameters: of a before of b; variance, lengthscales, the others; then time and noise."""
    kinds = ["variance", "lengthscale", "alpha", "period", "bias", "rate", "noise"]

    def key(name):
        parts = name.split(".")
        prefix = parts.pop(0) if parts[0] in ("a", "b") else ""
        return name in ("rate", "noise"), prefix, kinds.index(parts[0]), name

    return sorted(names, key=key)


def learn(load):
    g = load("learn")
    numbers = ("int kernel, law, n;\n    double value[10];", "plain, plain_by[10], collapsed, collapsed_by[10], mean, scale;")
    cases = []
    for k in g["cases"]:
        names = learn_order(k["params"])
        cases.append([LEARN_KERNELS.index(k["kernel"]), LEARN_LAWS.index(k["law"]), len(names),
                      [float(k["params"][p]) for p in names], k["plain"], [k["plain_grad_log"][p] for p in names],
                      k["collapsed"], [k["collapsed_grad_log"][p] for p in names], k["mean"], k["scale"]])
    segmented = []
    for k in g["segmented"]:
        names = learn_order(k["params"])
        segmented.append([LEARN_KERNELS.index(k["kernel"]), LEARN_LAWS.index(k["law"]), len(names),
                          [float(k["params"][p]) for p in names], k["value"], [k["grad_log"][p] for p in names]])
    body = (f"/* kernels: {', '.join(LEARN_KERNELS)}; drift\n"
            f" * models: {', '.join(LEARN_LAWS)} (rate: kappa for forgetting). Values: variance, lengthscales, then alpha,\n"
            " * periods or bias, of a before of b; the rate; the noise. Gradients by their logarithms, in the same order. plain: the mean\n"
            " * is known; collapsed: C + noise I, scale on top. */\n"
            f"enum {{ GOLDEN_LEARN_N = {len(g['y'])}, GOLDEN_LEARN_CASES = {len(cases)} }};\n"
            f"static const double golden_learn_mean = {g['mean']}, golden_learn_a0 = {g['a0']}, golden_learn_b0 = {g['b0']};\n"
            + array("double golden_learn_x[12][2]", g["X"]) + array("double golden_learn_t[12]", flat(g["t"]))
            + array("double golden_learn_y[12]", flat(g["y"]))
            + f"struct golden_learn {{\n    {numbers[0]}\n    double {numbers[1]}\n}};\n"
            + array(f"struct golden_learn golden_learns[{len(cases)}]", cases)
            + "/* two segments, noise of its own for each observation, the mean integrated out, no noise parameter */\n"
            + array("int64_t golden_learn_segment[12]", g["segment"]) + array("double golden_learn_noise[12]", flat(g["noise_var"]))
            + f"struct golden_segmented {{\n    {numbers[0]}\n    double plain, plain_by[10];\n}};\n"
            + array(f"struct golden_segmented golden_segmenteds[{len(segmented)}]", segmented)
            + "/* the most probable parameters on [0, 1]^d; rate 0: nothing changes */\n"
            "struct golden_optimum {\n    int n, d;\n    double b0, median_dt, lengthscale[6], noise_ratio, rate, objective, evidence, "
            "mean, scale;\n    const double *x, *t, *y;\n};\n")
    optima = ""
    for i, o in enumerate(g["optima"]):
        body += "".join(array(f"double golden_optimum_{name.lower()}_{i}[{len(flat(o[name]))}]", flat(o[name])) for name in "Xty")
        values = ", ".join(c(v) for v in [o["n"], o["d"], o["b0"], o["median_dt"], o["lengthscale"], o["noise_ratio"],
                                          o["rate"] or 0.0, o["objective"], o["evidence"], o["mean"], o["scale"]])
        optima += textwrap.fill(f"{{{values}, " + ", ".join(f"golden_optimum_{name}_{i}" for name in "xty") + "},", 120,
                                initial_indent="    ", subsequent_indent="     ") + "\n"
    body += f"static const struct golden_optimum golden_optima[{len(g['optima'])}] = {{\n{optima}}};\n"
    write("learn", "learn.json", "#include <stdint.h>\n\n" + body)


def lengthscale_prior(load):
    g = load("lengthscale_prior")
    cases = [{"d": k["d"], "shape": k["shape"], "rate": k["rate"], "lengthscale": k["lengthscale"], "ratio": k["ratio"],
              "objective": k["objective"], "by": k["gradient"]} for k in g["cases"]]
    write("lengthscale_prior", "lengthscale_prior.json",
          "/* Gamma priors of lengthscales; gradients by the logarithms of lengthscales, then of the noise ratio. */\n"
          "struct golden_lengthscale_prior {\n    int d;\n    double shape, rate, lengthscale[2], ratio, objective, by[3];\n};\n"
          + array("double golden_prior_x[12][2]", g["X"]) + array("double golden_prior_y[12]", flat(g["y"]))
          + array(f"struct golden_lengthscale_prior golden_lengthscale_priors[{len(cases)}]", cases))


def learn_loop(load):
    g = load("learn_loop")
    steps = [[s["arm"], s["gap"], s["y"]] + [float(s.get(k, 0)) for k in ("lengthscale", "noise_ratio", "mean", "scale",
                                                                          "objective")] for s in g["steps"]]
    write("learn_loop", "learn_loop.json",
          "/* before y was given; parameters from step 3 on (0: not given) */\n"
          "struct golden_learn_step {\n    int arm;\n    double gap, y, lengthscale, noise_ratio, mean, scale, objective;\n};\n"
          + array(f"double golden_loop_arms[{len(g['arms'])}]", flat(g["arms"]))
          + array(f"struct golden_learn_step golden_loop[{len(steps)}]", steps)
          + f"enum {{ GOLDEN_LOOP = {len(steps)} }};\n")


def records(load):
    cases = load("records")
    one = [k for k in cases if k["form"] == "collapsed" and k["kernel"] == "matern52"][::2]
    n, raw = len(one[0]["y"]), one[0]["raw"]
    for k in cases:  # the same data in all but the segments
        assert all(k[name] == one[0][name] for name in ("x", "t", "arm", "y", "count", "within", "a0", "b0", "kappa"))
        assert k["raw"] == raw and k["segment"] == one[k["segments"] - 1]["segment"] and k["lengthscale_or_correlation"] == 0.4
    rows = [[int(k["kernel"] == "categorical"), int(k["form"] == "flat"), k["segments"], k["g"], k["log_evidence"], k["c"],
             k["s"], [k["gradient"][name] for name in ("logl", "logk", "logg")]] for k in cases]
    body = (f"/* {len(raw['y'])} outcomes at 5 arms, put together as {n} means. Matern 5/2 of lengthscale 0.4 (by the place) or\n"
            " * categorical of correlation 0.4 (by the arm), forgetting of rate kappa; s integrated out or 1 (flat). Gradients by the\n"
            " * logarithms of lengthscale or correlation, kappa and g. */\n"
            f"enum {{ GOLDEN_RECORDS = {n}, GOLDEN_RECORDS_RAW = {len(raw['y'])}, GOLDEN_RECORDS_CASES = {len(cases)} }};\n"
            + "static const double " + ", ".join(f"golden_records_{k} = {c(one[0][k])}" for k in ("within", "a0", "b0", "kappa"))
            + ";\n" + "".join(array(f"double golden_records_{k}[{n}]", flat(one[0][k])) for k in ("x", "t", "arm", "y", "count"))
            + array(f"int64_t golden_records_segment[2][{n}]", [k["segment"] for k in one])
            + "".join(array(f"double golden_records_raw_{k}[{len(raw[k])}]", flat(raw[k])) for k in ("arm", "t", "y"))
            + "struct golden_record {\n    int categorical, flat, segments;\n    double g, log_marginal_likelihood, mean, scale, by[3];\n};\n"
            + array(f"struct golden_record golden_records[{len(cases)}]", rows))
    write("records", "records.json", "#include <stdint.h>\n\n" + body)


def misspecified(load):
    def rounded(values, n):  # 13 digits; what a run does not have is 0, what an empty slot does not have is -infinity
        return [float("-inf") if v is None else float(f"{v:.13g}") for v in values] + [0.0] * (n - len(values))

    body = ("struct golden_misspecified_step {\n    int arm, resets, slot_arm, confirmed;\n    double t, y, width, mean[7], var[7];\n"
            "    int available[7];\n    double log_weight[34], a[34], b[34], constant[33], constant_var[33], jumped[33];\n};\n"
            "struct golden_misspecified_run {\n    int arms, steps;\n    double noise, K[7 * 7], mean[7];\n"
            "    const struct golden_misspecified_step *step;\n};\n")
    runs = ""
    for i, g in enumerate(load("auto2")["runs"]):
        n = len(g["K"])
        steps = [[s["arm"], s["resets"], s["slot_arm"], int(s["confirmed"]), s["t"], s["y"], s["width"], rounded(s["mean"], 7),
                  rounded(s["var"], 7), (g["available"][j] if g["available"] else [1] * n) + [0] * (7 - n),
                  rounded(s["log_weight_after"], 34), rounded(s["a_after"], 34), rounded(s["b_after"], 34),
                  rounded(s["constant_mean_after"], 33), rounded(s["constant_var_after"], 33),
                  rounded(s["jump_probability"], 33)] for j, s in enumerate(g["steps"])]
        body += array(f"struct golden_misspecified_step golden_misspecified_{i}[{len(steps)}]", steps).replace("-inf", "-INFINITY")
        runs += textwrap.fill(f"{{{n}, {len(steps)}, {c(g['noise'])}, {c(rounded(flat(g['K']), 49))}, "
                              f"{c(rounded(g['mean'] or [], 7))}, golden_misspecified_{i}}},", 120, initial_indent="    ",
                              subsequent_indent="     ") + "\n"
    write("misspecified", "auto2.json", "#include <math.h>\n\n" + body
          + f"static const struct golden_misspecified_run golden_misspecified[] = {{\n{runs}}};\n")


def constraints(load):
    """The numbers of both models where there are two limits, else 0; the set as bits, one for each of the 31 arms."""
    def three(values):
        return list(values) + [0.0] * (3 - len(values))

    scope, fallback = {"mean": "average"}, {"refuse": "error", "likeliest": "safest"}
    body, runs = "", ""
    for i, g in enumerate(load("safety")["runs"]):
        steps = [{"arm": s["asked"], "expanded": int(s["expanded"]), "fallback": int(s["fallback"]),
                  "safe": sum(1 << arm for arm in s["safe"]), "t": s["t"], "risk": s["risk"], "risk_at_15": s["risk_at_15"],
                  "theta": three(s["theta"])[:2], "spent": s["spent"], "mean": three(s["mean"]), "sd": three(s["sd"])}
                 for s in g["steps"]]
        missing = {tuple(m) for m in g.get("missing", [])}
        for n, s in enumerate(steps):
            s["missing"] = sum(1 << k for k in range(3) if (n, k) in missing)
        body += array(f"struct golden_constraints_step golden_constraints_{i}[{len(steps)}]", steps)
        options = (f"constraint.confidence={g['confidence']} constraint.scope={scope.get(g['per'], g['per'])} constraint.margin_step={g['adapt']} "
                   f"constraint.exploration_share={g['expand']} constraint.fallback={fallback[g['none']]}")
        side = [("TVGP_AT_LEAST" if at_least > 0 else "TVGP_AT_MOST") + ("" if measured else " | TVGP_OF_MEAN")
                for _, at_least, measured in g["limits"]]
        lengths = [k[1] for k in g["kernels"]]
        runs += (f"    {{.name = \"{g['name']}\", .options = \"{options}\", .limits = {len(side)}, .steps = {len(steps)}, "
                 f".seeds = {len(g['seeds'])},\n     .seed = {c(g['seeds'] or [0])}, "
                 f".matern = {c([int(k[0] == 'm52') for k in g['kernels']])}, .lengthscale = {c(lengths)}, "
                 f".variance = {c([k[2] for k in g['kernels']])},\n     .noise = {c(g['noise'])}, "
                 f".epsilon = {c(g['epsilon'])}, .prior_mean = {c(g['mean'])}, .bound = {c([l[0] for l in g['limits']])}, "
                 f".flags = {{{', '.join(side)}}},\n     .step = golden_constraints_{i}}},\n")
    write("constraints", "safety.json",
          '#include <stdint.h>\n\n#include "tvgp/types.h"\n\n'
          "/* theta as it is at the ask, spent as it is after it; of the reward and the limited outputs at the arm asked */\n"
          "struct golden_constraints_step {\n    int arm, expanded, fallback, missing;\n    uint32_t safe;\n"
          "    double t, risk, risk_at_15, theta[2], spent, mean[3], sd[3];\n};\n"
          "struct golden_constraints_run {\n    const char *name, *options;\n    int limits, steps, seeds, seed[2], matern[3];\n"
          "    double lengthscale[3], variance[3], noise[3], epsilon[3], prior_mean[3], bound[2];\n    uint32_t flags[2];\n"
          "    const struct golden_constraints_step *step;\n};\n"
          + body + f"static const struct golden_constraints_run golden_constraints[] = {{\n{runs}}};\n")


def history(load):
    g, grid = load("history"), load("history")["grid_demand"]
    body = (f"/* {g['formula']} */\n"
            f"enum {{ GOLDEN_HISTORY_ROWS = {g['rows']}, GOLDEN_HISTORY_ARMS = {g['arms']}, GOLDEN_HISTORY_CANDIDATES = 18 }};\n"
            + array("double golden_history_row[5]", g["y_row0"])
            + "/* of periods 2 .. 12 */\n" + array("double golden_history_explained[11]", list(g["explained"].values()))
            + "".join(array(f"double golden_history_{k}[5]", g[k]) for k in ("level_inf", "level_4"))
            + "".join(array(f"double golden_history_{k}[6][5]", g[k]) for k in ("profile_inf", "profile_3"))
            + "/* s infinite, tau 6 */\n" + array("double golden_history_mean[6][5]", g["mean_36_41"]["inf,6"])
            + array("double golden_history_scores[18]", g["errors"])
            + array("double golden_history_kernel[5][5]", g["kernel"])
            + "/* grid_demand.csv, rows 0 .. 503 */\n"
            + "static const double " + ", ".join(f"golden_grid_{k} = {c(grid[k])}" for k in (
                "mean", "sd", "explained_24", "explained_23", "explained_48", "explained_168", "trace", "sum")) + ";\n"
            + array("double golden_grid_scores[18]", grid["scores"])
            + "".join(array(f"double golden_grid_{k}[54]", grid[k]) for k in ("mean_504", "mean_515", "K_row0")))
    write("history", "history.json", body)


def defaults(load):
    """Outcomes that come late are those of steps with a delay; a step without an outcome has delay -1. The games of defaults4
    have a share of the prior that stays, those of share5 one that follows the information of the outcome."""
    most, body, runs = 8, "", ""
    for constant, source in ((1, "defaults4"), (0, "share5")):
        for g in load(source)["worlds"]:
            steps, name = [], g["name"] + ("" if constant else " of share5")
            for k, s in enumerate(g["steps"], 1):
                weights = dict(s["weights"])
                steps.append({"arm": s["arm"], "observations": s["observations"],
                              "closed": sum(1 << a for a in g["unavailable"].get(str(k), [])), "t": g["times"][k - 1],
                              "delay": -1 if k in g["missing"] else g["delay"][k - 1], "outcome": g["outcomes"][k - 1],
                              "score": s["score"], "mean": s["mean"], "sd": s["sd"], "coefficient": s["coefficient"],
                              "factor": s["factor"], "level": s["level"], "noise": s["noise"], "scale": s["scale"],
                              "unit": s["unit"], "filter": list(weights), "weight": list(weights.values())})
            array_name = "golden_default_" + re.sub(r"\W", "_", name)
            body += array(f"struct golden_default_step {array_name}[{len(steps)}]", steps)
            runs += f'    {{"{name}", {g["arms"]}, {len(steps)}, {constant}, {array_name}}},\n'
    write("defaults", "defaults4.json and share5.json",
          "/* closed: arms that are not available; delay in steps, -1: no outcome comes */\n"
          "struct golden_default_step {\n    int arm, observations, closed, delay, filter[3];\n"
          f"    double t, outcome[{most}], score, mean[{most}], sd[{most}], coefficient, factor, level, noise, scale, unit, "
          "weight[3];\n};\n"
          "struct golden_default_run {\n    const char *name;\n    int arms, steps, constant_share;\n"
          "    const struct golden_default_step *step;\n};\n"
          + body + f"static const struct golden_default_run golden_defaults[] = {{\n{runs}}};\n")


def counts(load):
    """Games with counts; moments are on the scale of the link."""
    most, body, games = 6, "", ""
    for g in load("counts5")["games"]:
        asks = []
        for t, exposure, count, a in zip(g["times"], g["exposure"], g["counts"], g["asks"]):
            weights = dict(a["weights"])
            asks.append({"arm": a["arm"], "tied": int(a["gap"] == 0), "filter": list(weights), "t": t, "exposure": exposure,
                         "count": [float(k) for k in count], "coefficient": a["coefficient"], "score": a["scores"],
                         "mean": a["mean"], "sd": a["sd"], "weight": list(weights.values())})
        body += array(f"struct golden_count_ask golden_count_{g['name']}[{len(asks)}]", asks)
        games += f'    {{"{g["name"]}", "{g["type"]}", {g["arms"]}, {len(asks)}, golden_count_{g["name"]}}},\n'
    write("counts", "counts5.json",
          f"struct golden_count_ask {{\n    int arm, tied, filter[3];\n    double t, exposure, count[{most}], coefficient, "
          f"score[{most}], mean[{most}], sd[{most}], weight[3];\n}};\n"
          "struct golden_count_game {\n    const char *name, *type;\n    int arms, asks;\n    const struct golden_count_ask *ask;\n};\n"
          + body + f"static const struct golden_count_game golden_counts[] = {{\n{games}}};\n")


def contexts(load):
    """Two games of actions in numbered contexts, with a constant share of the prior; times are the steps from 0."""
    most, body, games, source = 7, "", "", load("contexts5")
    for name in ("steps", "many"):
        g, asks = source[name], []
        for context, outcome, a in zip(g["context"], g["outcomes"], g["asks"]):
            weights = dict(a["weights"])
            asks.append({"arm": a["arm"], "context": context, "filter": list(weights), "outcome": outcome,
                         "coefficient": a["coefficient"], "factor": a["factor"], "noise": a["noise"], "score": a["score"],
                         "mean": a["mean"], "sd": a["sd"], "weight": list(weights.values())})
        body += array(f"struct golden_context_ask golden_context_{name}[{len(asks)}]", asks)
        games += f'    {{"{name}", {g["arms"]}, {g["contexts"]}, {len(asks)}, golden_context_{name}}},\n'
    filters = [{"rate": f["eps"], "noise": f["noise"], "prior": f["prior"]} for f in source["model"]["filters"]]
    body += array(f"struct golden_context_filter golden_context_filters[{len(filters)}]", filters)
    write("contexts", "contexts5.json",
          f"struct golden_context_ask {{\n    int arm, context, filter[3];\n    double outcome[{most}], coefficient, factor, noise, "
          f"score, mean[{most}], sd[{most}], weight[3];\n}};\n"
          "struct golden_context_game {\n    const char *name;\n    int arms, contexts, asks;\n"
          "    const struct golden_context_ask *ask;\n};\n"
          "struct golden_context_filter {\n    double rate, noise, prior;\n};\n"
          + body + f"static const struct golden_context_game golden_contexts[] = {{\n{games}}};\n")


def main():
    def load(name):
        with open(os.path.join(sys.argv[1], name + ".json")) as f:
            return json.load(f)

    for make in (kernels, posteriors, betas, policies, priors, dpp, windows, bkb, box, learn, lengthscale_prior, learn_loop, records,
                 misspecified, constraints, history, defaults, counts, contexts):
        with contextlib.suppress(FileNotFoundError):
            make(load)


main()
