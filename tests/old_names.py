# SPDX-License-Identifier: MIT
"""old_names.py TVGP_JSON LIBRARY TOOL: names of the interface that were replaced before 1.0 do not come back.

Compares each name with the names of its own kind (exported functions, members of public records, option keys and choices, statistic
keys, attributes of the Python package, words of the command line), and all of them with the code spans of the pages. PYTHONPATH
has the Python package."""
import ctypes
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ["TVGP_LIBRARY"] = sys.argv[2]

FUNCTIONS = {
    "tvgp_policy_add_limit": "tvgp_policy_add_constraint", "tvgp_policy_set_limit": "tvgp_policy_set_constraint",
    "tvgp_policy_learn_log": "tvgp_policy_learn_history", "tvgp_policy_learn_table": "tvgp_policy_learn_history_table",
    "tvgp_gp_log_evidence": "tvgp_gp_log_marginal_likelihood",
    "tvgp_gp_log_evidence_gradient": "tvgp_gp_log_marginal_likelihood_gradient", "tvgp_kernel_clone": "tvgp_kernel_with_params",
    "tvgp_policy_save_whole": "tvgp_policy_save_full", "tvgp_policy_create_from": "tvgp_policy_restore",
    "tvgp_policy_set_context_x": "tvgp_policy_set_context_point", "tvgp_policy_mean": "tvgp_policy_prior_mean",
    "tvgp_obs_unasked": "tvgp_obs_unsolicited", "tvgp_policy_stat_kind_at": "tvgp_policy_stat_info",
    "tvgp_policy_stat_name_at": "tvgp_policy_stat_info", "tvgp_policy_predict_gradient": "tvgp_policy_evaluate",
    "tvgp_policy_score": "tvgp_policy_evaluate", "tvgp_policy_risk": "tvgp_policy_evaluate",
    "tvgp_domain_share": "tvgp_domain_shard_range", "tvgp_domain_owned_arms": "tvgp_domain_shard_range",
    "tvgp_kernel_contract": "tvgp_kernel_param_gradient", "tvgp_policy_set_mean": "tvgp_policy_set_prior_mean",
    "tvgp_policy_set_mean_fn": "tvgp_policy_set_prior_mean_fn", "tvgp_gp_set_mean": "tvgp_gp_set_prior_mean",
    "tvgp_estimate_value": "tvgp_off_policy_value", "tvgp_estimate_policy_value": "tvgp_off_policy_value",
    "tvgp_estimate_events": "tvgp_event_off_policy_value"}
MEMBERS = {("tvgp_kernel_type", "reach"): "lengthscale", ("tvgp_kernel_type", "clone"): "with_params",
           ("tvgp_kernel_type", "contract"): "param_gradient", ("tvgp_domain_type", "names"): "categorical",
           ("tvgp_policy_set_incumbent", "budget"): "max_loss_share",
           ("tvgp_policy_add_constraint", "limit"): "bound", ("tvgp_policy_set_constraint", "limit"): "bound"}  # the last three are parameters
OPTIONS = {  # None: removed
    "limit.confidence": "constraint.confidence", "limit.per": "constraint.scope", "limit.adapt": "constraint.margin_step",
    "limit.expand": "constraint.exploration_share", "limit.margin": "constraint.initial_margin", "limit.none": "constraint.fallback",
    "log.period": "history.periods", "log.refit": "history.refit_interval", "log.retell": "history.max_replayed",
    "log.width": "history.width_factor", "doubt": "model.assume_misspecified", "model.misspecified": "model.assume_misspecified",
    "laws": "drift.models", "time.law": "time.kernel", "late.limit": "delay.exact_observations", "switch.way": "switch.distance_cost",
    "jump": None, "hazard": "changepoint.hazard", "confirm": "changepoint.confirm_by",
    "changepoint.confirm": "changepoint.confirm_by", "recycle": "mixture.switching_probability", "constant": "offset.variance",
    "scale": "scale.learn", "noise.levels": "noise.factors", "fit.gain": "fit.min_improvement", "fit.evals": "fit.max_evals",
    "fit.tol": None, "fit.keep": "fit.stored_observations", "expert.noise": "side.noise",
    "queries.power": "side.round_exponent", "queries.scale": "side.round_factor", "queries.points": "side.points",
    "keep_recent": "side.action_outcomes", "side.own_observations": "side.action_outcomes",
    "side.own_exponent": "side.action_exponent", "growth": "noise_growth", "growth.rate": "noise_growth.rate",
    "growth.alpha": "noise_growth.exponent", "gain": "information_gain", "budget": "variation_budget",
    "trigger.keep": "trigger.keep_last", "exact": "dictionary.exact", "inclusion": None,
    "accuracy": "dictionary.accuracy", "replay.limit": None,
    "age.reference": None, "arm_change.probability": None, "dictionary.inclusion": None, "fit.tolerance": None, "prior.max_replayed": None,
    "search.grid": None, "time.origin": None, "width.r": None, "width.since_reset": None}
CHOICES = {("constraint.scope", "mean"): "average", ("constraint.fallback", "refuse"): "error",
           ("constraint.fallback", "likeliest"): "safest", ("drift.models", "ou+sm"): "ou+matern",
           ("drift.models", "ou8+sm3"): "ou8+matern3", ("changepoint.confirm_by", "evidence"): "likelihood",
           ("changepoint.confirm_by", "arm"): "other_arm", ("side.action_outcomes", "none"): "excluded", ("side.action_outcomes", "log"): "log_noise",
           ("side.action_outcomes", "power"): "power_noise"}
STATISTICS = {
    "log_evidence": "log_marginal_likelihood", "prior.evidence.0": "prior.log_marginal_likelihood.0", "log": "observations.stored",
    "effective_observations": "observations.effective", "moves": "switch.count", "way": "switch.distance", "safe.arms": "safe.count",
    "safe.expanded": "safe.explored", "safe.foretold": "safe.expected_violations", "limit.broken.1": "constraint.violations.1",
    "limit.declared_broken.1": "constraint.caller_safe_violations.1",
    "constraint.declared_violations.1": "constraint.caller_safe_violations.1",
    "constraint.declared_safe_violations.1": "constraint.caller_safe_violations.1", "limit.told.1": "constraint.observations.1",
    "limit.margin.1": "constraint.margin.1", "log.records": "history.records", "log.slot": "history.bin_width",
    "log.period": "history.period", "log.level": "history.level_decay", "log.season": "history.season_decay",
    "log.error": "history.error", "log.refits": "history.refits", "log.cautious": "history.model_misspecified",
    "incumbent.turns": "incumbent.asked", "incumbent.spent": "incumbent.loss", "incumbent.left": "incumbent.loss_left",
    "slot.weight": "changepoint.weight", "slot.time": "changepoint.time", "redraw_time": "changepoint.last_reset",
    "constant": "offset", "noise.level": "noise.factor", "level.0": "noise.factor.0", "jumped": "arm_change.posterior",
    "late_widened": "delay.approximated", "side_late": "side.delayed", "side_due": "side.due", "side_answered": "side.values",
    "side_skipped": "side.missing_values", "side.skipped": "side.missing_values", "side_queries": "side.asked",
    "kdpp_swaps": None, "kdpp_refreshes": None, "kdpp.swaps": None, "kdpp.refreshes": None, "window_start": "window.start", "reset_step": "reset.step",
    "reset_time": "reset.time", "trigger_statistic": "trigger.statistic", "trigger_threshold": "trigger.threshold",
    "timed_out": "pending.timed_out", "expired": "pending.expired", "fit.answers": "fit.observations", "fit.records": "fit.groups",
    "fit.cell": "fit.group_width", "spared": "prior.waived_rejections", "prior": "prior.last", "dictionary": "dictionary.size",
    "dropped": None, "dictionary.dropped": None, "dictionaries": "dictionary.draws", "exact": "posterior.exact"}
# Python: attribute of a class (or of the module, ""), or argument of a method.
ATTRIBUTES = {("Policy", "add_limit"): "add_constraint", ("Policy", "set_limit"): "set_constraint",
              ("Policy", "set_context_x"): "set_context_point", ("Policy", "mean"): "prior_mean", ("Policy", "learn"): "learn_history",
              ("Policy", "from_bytes"): "restore", ("Policy", "stats_about"): "stat_info", ("GP", "log_evidence"): "log_marginal_likelihood",
              ("Policy", "predict_gradient"): "evaluate", ("Policy", "score"): "evaluate", ("Policy", "risk"): "evaluate",
              ("zoo", "Library"): "PolicyAgent", ("Policy", "set_mean"): "set_prior_mean", ("Policy", "set_mean_fn"): "set_prior_mean_fn"}
ARGUMENTS = {("Policy.save", "whole"): "full", ("Policy.ask", "among"): "candidates", ("Policy.plot", "told"): "observations",
             ("zoo.play", "player"): "agent", ("Policy.set_constraint", "limit"): "bound"}
COMMANDS = {"tvgp history": "tvgp log", "log=": "history=", "--among": "--candidates", "atmost=": "at_most=", "atleast=": "at_least=",
            ":whole": ":integer", "PLACE": "DOMAIN", "WHERE": "POINT", "WORDS": "ARGUMENTS"}
# Old keys that are other words in code spans: a word of `tvgp create` and a kind of event, a family of the benchmark's problems.
WORDS = {"budget", "prior"}

found = []


def report(kind, old, new, where=""):
    found.append(f"{kind} '{old}'{where}: " + (f"is '{new}' since 1.0" if new else "was removed before 1.0"))


def interface(path):
    known = json.loads(pathlib.Path(path).read_text("utf-8"))
    headers = "".join(header.read_text("utf-8") for header in (ROOT / "include").rglob("*.h"))
    for old, new in FUNCTIONS.items():
        if old in known["functions"] or re.search(rf"\b{old}\b", headers):
            report("function", old, new)
        if new not in known["functions"] and not re.search(rf"\b{new}\(", headers):
            found.append(f"function '{new}' is missing")
    for (record, old), new in MEMBERS.items():
        names = [m["name"] for m in known["structs"].get(record, {}).get("fields", known["functions"].get(record, {}).get("args", []))]
        if old in names:
            report("member", old, new, f" of {record}")
        if new not in names:
            found.append(f"member '{new}' of {record} is missing")


def exported(library):
    """Names in the shared library's table of symbols, as the linker sees them."""
    handle = ctypes.CDLL(library)
    for old, new in FUNCTIONS.items():
        if hasattr(handle, old):
            report("exported function", old, new)


def keys(tvgp):
    options, choices, statistics = set(), set(), set()
    for name in tvgp.policies():
        policy = tvgp.Policy(name, tvgp.arms([[0.0], [1.0]]), tvgp.se(0.3))
        try:
            policy.add_constraint(policy.model("gp-ucb", tvgp.se(0.3)), at_least=0)
        except tvgp.Error:
            pass
        for key, option in policy.options().items():
            options.add(key)
            choices |= {(key, choice) for choice in option.choices or ()}
        statistics |= {entry.key for entry in policy.stat_info()}
    for kind, old_names, present in (("option", OPTIONS, options), ("choice", CHOICES, choices), ("statistic", STATISTICS, statistics)):
        for old, new in old_names.items():
            if old in present:
                report(kind, old, new)
            if new and (new if kind != "choice" else (old[0], new)) not in present:
                found.append(f"{kind} '{new}' is missing")
    return options, statistics, {choice for _, choice in choices}


def python(tvgp):
    for (owner, old), new in ATTRIBUTES.items():
        place = getattr(tvgp, owner)
        if hasattr(place, old):
            report("attribute", old, new, f" of {owner}")
        if not hasattr(place, new):
            found.append(f"attribute '{new}' of {owner} is missing")
    for (method, old), new in ARGUMENTS.items():
        place = tvgp
        for part in method.split("."):
            place = getattr(place, part)
        names = inspect.signature(place).parameters
        if old in names:
            report("argument", old, new, f" of {method}")
        if new not in names:
            found.append(f"argument '{new}' of {method} is missing")


def command_line(tool):
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    text += (ROOT / "src/package/tvgp.1").read_text("utf-8").replace("\\-", "-").replace("\\", "")
    for old, new in COMMANDS.items():
        if re.search(rf"(?<![\w-]){re.escape(old)}(?!\w)" if old[0] != ":" else rf"{old}\b", text):
            report("word of the command line", old, new)


def pages(options, statistics, choices):
    """Old keys where a page sets or names one: the whole span, or key=value. Words that are names today are left to the reader."""
    today = options | statistics | choices | WORDS
    old_keys = {old: new for old, new in (*OPTIONS.items(), *STATISTICS.items()) if old not in today}
    names = dict(FUNCTIONS)
    names |= {f"{name}(": new for (_, name), new in ATTRIBUTES.items() if name not in ("mean", "learn", "score", "risk")}
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]):
        where = page.relative_to(ROOT)
        text = page.read_text("utf-8")
        for span in re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)):
            for old, new in old_keys.items():
                if re.fullmatch(re.escape(old), span) or re.search(rf"(?<![\w.]){re.escape(old)}=", span):
                    report("key", old, new, f" in `{span}` of {where}")
            for old, new in names.items():
                if re.search(rf"(?<!\w){re.escape(old)}(?!\w)", span) and f"tvgp_gp_{old[:-1]}" not in span:
                    report("name", old, new, f" in `{span}` of {where}")


def main():
    import tvgp
    import tvgp.zoo  # noqa: F401
    interface(sys.argv[1])
    exported(sys.argv[2])
    present = keys(tvgp)
    python(tvgp)
    command_line(sys.argv[3])
    pages(*present)
    print("\n".join(found))
    count = sum(map(len, (FUNCTIONS, MEMBERS, OPTIONS, CHOICES, STATISTICS, ATTRIBUTES, ARGUMENTS, COMMANDS)))
    print(f"{count} old names, {len(found)} found or without their new one")
    sys.exit(bool(found))


main()
