# SPDX-License-Identifier: MIT
"""Random mutants: changes one operator or constant, or deletes one statement, and runs the tests that could detect it.

usage: mutants.py TREE BUILD SEED N DIRECTORY ..    e.g. mutants.py /tmp/copy /tmp/copy/build/release 57 60 src/parts/serve src/parts/features
TREE is a copy of the tree that nothing else uses (git worktree add), BUILD a build of it with its tests. Each place in the C files of
the directories is as likely as any other. Prints the list before the first run, then the fate of each mutant: the test that fails, or
`survives` after the tests of its directory (TESTS, the fastest first, up to the first failure) and all quick tests of the library. --list prints
the list only, --only I,J runs these. A mutant that does not compile is replaced by the next draw."""
import pathlib
import random
import re
import subprocess
import sys

# For the beginning of a path: targets to build, and tests (ctest -R) in their order.
LIBRARY = ["tvgp_tests"]
OWN_PROGRAM = "test_(fuzz|small|shared|conservative|snapshot_|box_memory|box_threads|threads)" # not built again for each mutant
GAMES = ["test_golden_policies", "test_golden_priors", "test_conformance", "test_box_conformance", "test_golden"]
TESTS = [
    ("src/integration/sqlite", ["tvgp_sqlite"], ["integration_sqlite"]),
    ("src/integration/redis", ["tvgp_redis", "test_fuzz_dump"], ["test_fuzz_dump", "integration_redis"]),
    ("src/integration/postgres", ["tvgp_postgres"], ["integration_postgres$"]),
    ("src/integration/lua", ["tvgp_lua5.1"], ["integration_lua5.1"]),
    ("src/parts/serve/store", LIBRARY + ["tvgp_sqlite", "tvgp_redis"], ["test_store", "integration_sqlite", "integration_redis"]),
    ("src/parts/serve/estimate", LIBRARY + ["tvgp"], ["test_event", "test_serve", "test_payoffs", "tool$"]),
    ("src/parts/serve", LIBRARY + ["test_fuzz_event", "tvgp"], ["test_description", "test_event", "test_event_extend", "test_store", "test_payoffs",
                                                          "test_failures", "test_fuzz_event", "test_resume", "tool$"]),
    ("src/parts/features/constraints", LIBRARY, ["test_golden_constraints", "test_constraints_edges", "test_constraints$", "test_golden_counts"]),
    ("src/parts/features/budget", LIBRARY, ["test_budget", "test_event$"]),
    ("src/parts/features/conservative", LIBRARY + ["test_conservative"], ["test_conservative", "test_constraints_edges"]),
    ("src/parts/history", LIBRARY, ["test_history_prior", "test_history_prior_held"]),
    ("src/parts/features", LIBRARY, ["test_floor", "test_slate", "test_payoffs", "test_switching_cost", "test_counts", "test_robust", "test_event$"]),
    ("src/protocol/actions", LIBRARY, ["test_candidates", "test_slate", "test_context", "test_policy$", "test_box$", "test_floor", "test_order", "test_corners"]),
    ("src/model", LIBRARY, ["test_models", "test_model_methods", *GAMES]),
    ("src/learn", LIBRARY, ["test_golden_learn", *GAMES]),
    ("src/choose", LIBRARY, GAMES),
    ("src/policy", LIBRARY, GAMES),
    ("src/protocol/copies", LIBRARY + ["test_shared"], ["test_resume", "test_extend", "test_score", "test_evaluate", "test_serve", "test_growth",
                                               "test_snapshot$", "test_shared"]),
]
RULES = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" \+ ", " - "),
         (r" - ", " + "), (r" \* ", " / "), (r" && ", " || "), (r" \|\| ", " && "), (r"\b0\b", "1"), (r"\b1\b", "2"), (r"\b1\b", "0"),
         (r"\b2\b", "3"), (r"fmax\(", "fmin("), (r"fmin\(", "fmax("), (r"\+\+", "--"), (r"!(?=[a-z(])", ""),
         (r" \? ([^:;]+) : ([^;,)]+)", r" ? \2 : \1")]
LEFT_OUT = ("error_set", '"', "enum", "static const", "(void)")


def places(path):
    """(line, its text, its mutant) of a file."""
    found, comment = [], False
    for i, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
        text = line.strip()
        if comment or text.startswith("/*"):
            comment = "*/" not in text
            continue
        if not line.startswith(" ") or any(word in text for word in LEFT_OUT):
            continue
        code = line.split("/*")[0]
        for old, new in RULES:
            for m in re.finditer(old, code):
                mutant = code[:m.start()] + m.expand(new) + code[m.end():]
                if mutant != code:
                    found.append((i, line, mutant))
        if re.fullmatch(r"(\*?[a-z_>.\[\]\-]+ [-+*|]?= .*|[a-z_>.\-]+\(.*\)|.*\+\+);", text):
            found.append((i, line, "    ;"))
    return found


def draw(tree, seed, directories):
    files = sorted(f for d in directories for f in (tree / d).rglob("*.c"))
    all_places = [(f.relative_to(tree), *place) for f in files for place in places(f)]
    random.Random(seed).shuffle(all_places)
    return all_places


def run(command, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 1, "time-out"


def fate(build, file):
    """None: it does not compile; else the test that fails, or `survives`."""
    targets, tests = next((t, n) for begin, t, n in TESTS if str(file).startswith(begin))
    if run(["cmake", "--build", build, "-j2", "--target", *targets], 900)[0]:
        return None
    for test in tests:
        code, said = run(["ctest", "--test-dir", build, "-R", test, "--timeout", "150", "--stop-on-failure"], 900)
        if code:
            return "fails " + " ".join(sorted(set(re.findall(r"\d+ - (\S+) \(", said)))) if said != "time-out" else said
    if not str(file).startswith("src/integration"):
        code, said = run(["ctest", "--test-dir", build, "-L", "quick", "-R", "^test_", "-E", OWN_PROGRAM, "--timeout", "150", "--stop-on-failure"], 1800)
        if code:
            return "fails only " + " ".join(re.findall(r"\d+ - (\S+) \(", said))
    return "survives"


def main(words):
    chosen = {int(i) for i in words.pop(words.index("--only") + 1).split(",")} if "--only" in words else None
    tree, build, seed, n, *directories = [word for word in words if not word.startswith("--")]
    tree, drawn, survivors = pathlib.Path(tree), draw(pathlib.Path(tree), int(seed), directories), 0
    print(f"seed {seed}, {len(drawn)} places")
    for i, (file, line, old, new) in enumerate(drawn[:int(n) + int(n) // 4]):
        print(f"{i:3} {file}:{line + 1}: {old.strip()}  ->  {new.strip()}", flush=True)
    done = 0
    for i, (file, line, old, new) in enumerate(drawn):
        if "--list" in words or done == int(n):
            break
        if chosen and i not in chosen:
            continue
        source = (tree / file).read_text(encoding="utf-8")
        text = source.split("\n")
        text[line] = new
        (tree / file).write_text("\n".join(text), encoding="utf-8")
        try:
            found = fate(build, file)
        finally:
            (tree / file).write_text(source, encoding="utf-8")
        done += found is not None
        survivors += found == "survives"
        print(f"{i:3} {file}:{line + 1} {found or 'does not compile'}", flush=True)
    print(f"{done} mutants, {survivors} survive")


main(sys.argv[1:])
