# SPDX-License-Identifier: MIT
"""Words of each page against its limit plus 10 %, and of all pages together; words and links of the README. page_size.py [--all]

Text, lists and tables count. Code, formulas, comments, pages of results, pages that a program writes and tables that a program writes (after a comment
`<!-- table: .. -->`) do not count."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALL = 48000
GENERATED = ("policies/index.md", "reference/options.md", "reference/statistics.md", "reference/functions.md", "benchmarks/suite/", "benchmarks/paper-results.md", "benchmarks/papers-more.md",
             "benchmarks/experiments")
LIMITS = {
    "../README.md": 500, "index.md": 200, "changelog.md": 340, "SECURITY.md": 50, "CONTRIBUTING.md": 50,
    "start/install.md": 400, "start/quickstart.md": 500, "start/tutorial.md": 1200,
    "guide/choosing-a-domain.md": 500, "guide/choosing-a-policy.md": 600, "guide/model-assumptions.md": 600, "guide/hyperparameters.md": 700,
    "guide/historical-data.md": 800, "guide/continuous-domains.md": 800, "guide/candidates.md": 700, "guide/independent-arms.md": 400,
    "guide/contexts.md": 700, "guide/seasonality.md": 700, "guide/constraints.md": 900, "guide/delayed-feedback.md": 900, "guide/prices-and-revenue.md": 700,
    "guide/changing-arms.md": 700, "guide/minimising-costs.md": 800, "guide/thompson-sampling.md": 450, "guide/fleets.md": 600,
    "guide/shares-and-evaluation.md": 800, "guide/slates.md": 450, "guide/gaussian-process.md": 600, "guide/diverse-subset.md": 450, "guide/budgets.md": 500, "guide/cost-weight.md": 500, "guide/advice.md": 250, "guide/openfeature.md": 600, "guide/time-outs.md": 400, "guide/counts-and-rates.md": 700, "guide/prices-and-revenue.md": 800,
    "guide/sqlite.md": 700, "guide/postgresql.md": 800, "guide/redis.md": 700, "guide/nginx.md": 600, "guide/sharing-a-policy.md": 700, "guide/sharing-from-python.md": 600, "guide/optuna.md": 500,
    "guide/persistence.md": 800, "guide/monitoring.md": 700, "guide/replaying-data.md": 600, "guide/command-line.md": 800,
    "guide/distributed.md": 800, "guide/embedded.md": 450, "guide/cross-compiling.md": 450, "guide/sizing.md": 450, "guide/faq.md": 500, "guide/glossary.md": 900,
    "policies/auto-gp-ucb.md": 1700, "policies/": 400,
    "reference/protocol.md": 1400, "reference/errors.md": 400, "reference/guarantees.md": 1500, "reference/snapshot-format.md": 1800,
    "reference/bindings.md": 1500, "reference/stores.md": 400, "reference/": 300,
    "theory/model.md": 900, "theory/posteriors.md": 1100, "theory/hyperparameter-learning.md": 1600, "theory/search.md": 700,
    "benchmarks/suite.md": 800, "benchmarks/performance.md": 900,
    "project/compatibility.md": 600, "project/security.md": 700, "project/architecture.md": 1400, "project/extending.md": 1000, "project/adding-a-policy.md": 200, "project/adding-a-posterior.md": 250,
    "project/contributing.md": 600, "project/releasing.md": 600, "project/citing.md": 100,
}


def words(path):
    count, fenced, generated, before = 0, False, False, ""
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", lambda formula: "\n" * formula[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.S)
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    ") and not before.startswith(("*", "-", "1", " ")):
            continue
        elif line.startswith("<!--"):
            generated = line.startswith("<!-- table:")
        elif not (generated and line.startswith("|")):
            count += len(re.findall(r"[A-Za-z][\w'.-]*", re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", line))))
            generated = generated and not line.strip()
        before = line if line.strip() else before
    return count


def limit_of(name):
    return LIMITS.get(name) or LIMITS.get(name.split("/")[0] + "/")


def main():
    total, wrong = 0, []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = str(path.relative_to(ROOT / "docs")) if path.parent != ROOT else "../README.md"
        if name.startswith(GENERATED):
            continue
        count, limit = words(path), limit_of(name)
        total += count
        if "--all" in sys.argv:
            print(f"{count:6} of {limit or 0:5}  {name}")
        if not limit:
            wrong.append(f"{name}: no limit in tests/page_size.py")
        elif count > 1.1 * limit or name == "../README.md" and count > limit:
            wrong.append(f"{name}: {count} words, at most {limit}")
    links = len(re.findall(r"\]\(", (ROOT / "README.md").read_text(encoding="utf-8"))) - 1  # the figure is no link
    if links > 12:
        wrong.append(f"README.md: {links} links, at most 12")
    print(f"{total} words in all, at most {ALL}")
    if total > ALL:
        wrong.append(f"{total} words in all, at most {ALL}")
    sys.exit("\n".join(wrong) if wrong else 0)


main()
