# SPDX-License-Identifier: MIT
"""documented_errors.py INCLUDE LOGS PROGRAM: every error that a public header documents (@retval TVGP_ERR_..) was caused by a test.

LOGS is the directory into which the test programs wrote "function status" lines (tests/error_log.c). Logs older than PROGRAM, which
has most tests, are of earlier tests and are removed. Skipped when fewer than half of the test programs have run. A NULL handle leaves
no line, because its context is not known; tests/test_badinput.c passes NULL to every function."""
import pathlib
import re
import sys

# Errors that cannot be caused or recorded, with the reason.
EXCEPTIONS = {
    ("tvgp_shares", "TVGP_ERR_ARG"): "has no context that could record it, see tests/test_serve.c",
    ("tvgp_shares", "TVGP_ERR_NONFINITE"): "has no context",
    ("tvgp_assign", "TVGP_ERR_ARG"): "has no context",
    ("tvgp_assign", "TVGP_ERR_NONFINITE"): "has no context",
    ("tvgp_policy_create_described", "TVGP_ERR_OPTION"): "is recorded as tvgp_policy_set, see tests/test_errors.c",
    ("tvgp_policy_create_described", "TVGP_ERR_NOTFOUND"): "is recorded as tvgp_policy_set, see tests/test_errors.c",
    ("tvgp_domain_grid_shared", "TVGP_ERR_UNSUPPORTED"): "is the check of tvgp_domain_arms_shared",
    ("tvgp_prior_learn", "TVGP_ERR_NUMERIC"): "no data are known that cause it",
    ("tvgp_policy_ask", "TVGP_ERR_NUMERIC"): "no data are known that cause it",
    ("tvgp_policy_tell_values", "TVGP_ERR_NUMERIC"): "is the check of tvgp_policy_tell",
}

include, logs, program = map(pathlib.Path, sys.argv[1:])
built = program.stat().st_mtime
caused = set()
for log in logs.iterdir():
    if log.stat().st_mtime < built:
        log.unlink()
        continue
    caused |= {tuple(line.split()) for line in log.read_text(encoding="utf-8").splitlines() if " " in line}
if len({function for function, _ in caused}) < 80:
    print("skipped: too few tests have run")
    sys.exit(77)

documented, missing = 0, []
for header in sorted(include.rglob("*.h")):
    text = header.read_text(encoding="utf-8")
    for comment, name in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*TVGP_API [^;(]*?(tvgp_\w+)\(", text, re.S):
        for status, condition in re.findall(r"@retval (TVGP_ERR_\w+)\s+([^\n]*)", comment):
            if re.match(r"(A pointer|ctx|domain|n|out) is NULL", condition):
                continue
            documented += 1
            if (name, status) not in caused and (name, status) not in EXCEPTIONS:
                missing.append(f"{header.name}: {name}: {status}: {condition}")
print("\n".join(missing))
print(f"{documented} documented errors, {len(missing)} without a test that causes them")
sys.exit(bool(missing))
