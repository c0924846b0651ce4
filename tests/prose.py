# SPDX-License-Identifier: MIT
"""The style check: phrases that a new reader would not understand, per 1000 words, in each kind of text.

prose.py [--list] [SCOPE]: prints for each scope the words, matches per 1000 words, the mean sentence length and the sentences of more
than 35 words, and fails if a scope exceeds its limit. --list prints every match with its place. Code, code spans and quotations are
skipped. An exception is a line "phrase<TAB>file<TAB>reason" in tests/prose_exceptions.txt."""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Phrases, each as a regular expression of whole words. Comments name the word to write instead.
PHRASES = [
    r"told (?:nothing|all|a kernel|the truth|the model|so|the law|its?)",  # with default settings, with the true hyperparameters
    r"(?:was|were|is|are|be|been) told",  # configured with, supplied with, reported
    r"anew", r"afresh",  # again
    r"(?<!side )(?<!side by )beside", r"but for",  # in addition to, except
    r"foretells?", r"foretold", r"foresees?", r"foreseen",  # predict, forecast
    r"go(?:es)? by",  # uses
    r"so many",  # n
    r"(?:is|are|was|were) made (?:of|from|by|when|anew)",  # is computed, is created
    r"(?:is|are|be|was|were) shown (?:to|the|an?|all|so|some|it|by)",  # is conditioned on
    r"likeness", r"(?<!look )alike",  # similarity, correlated
    r"(?<!my )dear(?:er|est)?",  # expensive
    r"in place of",  # instead of
    r"nobody", r"somebody", r"one believes",  # the caller, the user
    r"(?:time )?laws?(?! of large| enforcement)(?! of total)", r"law of change",  # temporal kernel, drift model
    r"beliefs?", r"believed?s?",  # posterior, predicted
    r"what (?:came|is believed|is told|was told|is asked|it knows|it learns)",  # the outcome
    r"(?:late|lost) answers?", r"answers?(?!\.\*\*)",  # delayed, missing feedback, outcome
    r"doubts?(?!ful)",  # robust mode
    r"yardsticks?",  # normalised metric
    r"log evidence", r"(?<!\()evidence",  # log marginal likelihood
    r"atlas", r"aside",  # inducing points, incremental change of basis
    r"climbs?", r"climbed",  # hyperparameter optimisation
    r"(?:code |the |one |every |same |a )floors?(?! function| of the function)",  # layer
    r"house(?:d|s)?(?! number)",  # code base
    r"tickets?",  # pending query
    r"(?:banks?) of (?:filters|kalman)", r"the bank",  # mixture of Kalman filters
    r"mutants? (?:lives?|dies?)",  # survives
    r"the user's own", r"whoever", r"who (?:does|has|is) not",  # the caller
    r"is not there", r"are not there",  # is missing
    r"of its own accord", r"goes its way", r"on its own account",
    r"hereby", r"whereof", r"thereof", r"heretofore",
    r"players?", r"the zoo",  # algorithms, the benchmark
    r"kernel of NULL",  # no kernel (hyperparameters learned)
    r"redrawn?s?", r"slots?",  # abrupt change, change-point hypothesis
    r"places? and names?", r"arms (?:are|as) (?:places|names)", r"no places",  # numeric, categorical arms
    r"place of an action",  # point
    r"learned logs?", r"log that is learned", r"(?:told|learns?|learned) (?:from )?(?:a|the) log",  # historical data
    r"a fit", r"the fits?",  # hyperparameter optimisation
    r"(?:its|wider|narrow|wide|the) widths?", r"widths? of the (?:bound|theory|theorems?)",  # exploration coefficient
    r"moves less", r"(?:number|share|counts?) of moves", r"the way from",  # switches, switching distance
    r"limits? on (?:an |further )?outputs?", r"limits? that (?:is|are) kept",  # constraint
    r"limit k", r"(?:breaks|keeps|all) (?:its |their )?limits?", r"over (?:the|all) limits", r"by its limits",  # constraint
    r"what (?:[\w']+ ){1,4}takes for", r"holds? for (?:them|those)",  # the expected .., applies to
    r"arms that (?:come|came)",  # new arms
    r"(?:the|a) screens?", r"(?:the|a) form (?:of|without|at)",  # bound that rules out arms, predictive function
    r"rooms?(?= (?:of|in) the (?:house|code))",  # directory
    r"(?:a|the|big) surprises",  # mean squared standardised residual
    r"the user's number", r"is a guess",  # the value may be misspecified
    r"algorithms of others", r"(?<!that )of others",  # third-party algorithms
    r"that of(?! (?:all|each|every))", r"those of", r"(?:(?<=[.;:] )|^)(?-i:What|Whoever)(?=[^?]*$)(?!.* \.$)",  # headless: name the noun
    r"he", r"his", r"him",  # the caller, the policy
    r"nats(?= of evidence)",  # nats, explained once
]
# Words that the field does not use for what they named in src; lint.py refuses them in its names and comments.
INVENTED = r"told|settled|sharpen(?:s|ed)?|laws?|banks?|paces?|watch(?:es)?|speakers?|spokesman|tends?|heeds?|dtc|beliefs?|wants?"
WORD = re.compile(r"(?<![\w.-])(?:" + "|".join(PHRASES) + r")(?![\w-])", re.I)
# Matches per 1000 words: limits fall when a kind of text is rewritten, and are never raised.
LIMITS = {"README": 0, "guide": 1.5, "pages": 5, "headers": 1.5, "comments": 4, "docstrings": 2, "examples": 3, "bench": 8, "tests": 8, "messages": 0, "commits": 5}


def git(*arguments):
    """The output of git; nothing where it is not installed, and in a source archive."""
    try:
        return subprocess.run(["git", *arguments], check=False, capture_output=True, text=True, cwd=ROOT).stdout
    except FileNotFoundError:
        return ""


def git_files(*patterns):
    """The files of the tree; of a source archive without what a build makes in it."""
    names = git("ls-files", *patterns).split()
    paths = [ROOT / name for name in names] if names else [p for pattern in patterns for p in ROOT.glob(
        pattern if "/" in pattern else f"**/{pattern}") if not {"build", "node_modules", "target", "made"} & set(p.relative_to(ROOT).parts)]
    return [path for path in dict.fromkeys(paths) if path.is_file()]


def markdown(path):
    """Paragraphs of prose as (line, text): without code blocks, tables, code spans, link targets and quotations."""
    fenced, found = False, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            found.append((number, ""))
            continue
        if fenced or line.startswith("    ") or line.lstrip().startswith(("|", ">", "<!--")):
            found.append((number, ""))
            continue
        line = re.sub(r"`[^`]*`", "CODE", line)
        line = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", line)
        line = re.sub(r"\"[^\"]*\"|“[^”]*”", "QUOTE", line)
        found.append((number, re.sub(r"^[#*\-\s\d.]+", "", line) + (" ." if line.startswith("#") else "")))
    return found


def comments(path):
    """Lines of C comments as (line, text)."""
    text = path.read_text(encoding="utf-8")
    found = []
    for comment in re.finditer(r"/\*(.*?)\*/", text, re.S):
        if "SPDX" in comment.group(1):
            continue
        start = text.count("\n", 0, comment.start()) + 1
        for offset, line in enumerate(comment.group(1).splitlines()):
            line = re.sub(r"^\s*\*+<?\s?|^[*<]+\s?", "", line)
            line = re.sub(r"`[^`]*`|\b\w+__?\w*\([^)]*\)|\"[^\"]*\"", "CODE", line)
            found.append((start + offset, re.sub(r"@(?:param|retval|return|file|name)(?:\[out\])?\s*(?:TVGP_\w+|\w+)?", " . ", line)))
        found.append((start, " ."))
    return found


def docstrings(path):
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            found += [(node.body[0].lineno, re.sub(r"`[^`]*`|\"[^\"]*\"", "CODE", line)) for line in ast.get_docstring(node).splitlines()]
            found.append((0, " ."))
    return found


def messages(path):
    """Texts of errors, log lines and option help: string literals of more than two words."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = re.sub(r"/\*.*?\*/|^\s*\*.*", "", line)
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            if literal.count(" ") >= 2:
                found.append((number, literal + " ."))
    return found


def manual(path):
    """Lines of a manual page as (line, text), without macros."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(number, re.sub(r"^\.\w+ ?|\\f.", "", line)) for number, line in enumerate(lines, 1) if not line.startswith((".\\\"", ".B", ".nf"))]


def commits():
    return [(number, subject + " .") for number, subject in enumerate(git("log", "-50", "--format=%s").splitlines(), 1)]


def scopes():
    pages = git_files("docs/*.md", "docs/**/*.md")
    guide = [p for p in pages if "docs/guide" in str(p) or "docs/start" in str(p)]
    python = [p for p in git_files("*.py") if "site-packages" not in str(p)]
    return {
        "README": [(p, markdown(p)) for p in [ROOT / "README.md"]],
        "guide": [(p, markdown(p)) for p in guide],
        "pages": [(p, markdown(p)) for p in pages if p not in guide],
        "headers": [(p, comments(p)) for p in git_files("include/*.h", "include/**/*.h")],
        "comments": [(p, comments(p)) for p in git_files("src/*.c", "src/*.h", "src/**/*.c", "src/**/*.h")],
        "docstrings": [(p, docstrings(p)) for p in python],
        **{folder: [(p, comments(p)) for p in git_files(f"{folder}/*.c", f"{folder}/**/*.c", f"{folder}/*.h", f"{folder}/**/*.h")]
           for folder in ("examples", "bench", "tests")},
        "messages": [(p, messages(p)) for p in git_files("src/**/*.c")] + [(p, manual(p)) for p in git_files("src/package/*.1", "src/package/*.3")],
        "commits": [(pathlib.Path("git log"), commits())],
    }


def main():
    listing = "--list" in sys.argv
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    exceptions = set()
    listed = ROOT / "tests/prose_exceptions.txt"
    if listed.exists():
        rows = [line.split("\t") for line in listed.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        exceptions = {(phrase.lower(), name) for phrase, name, _ in rows}
        if len(rows) > 20:
            sys.exit("more than 20 exceptions")
    failed = False
    print(f"{'scope':12} {'words':>8} {'per 1000':>9} {'limit':>6} {'mean':>6} {'over 35':>8}")
    for scope, texts in scopes().items():
        if wanted and scope not in wanted:
            continue
        words = matches = sentences = long = 0
        for path, lines in texts:
            name = str(path.relative_to(ROOT)) if path.is_absolute() else str(path)
            for number, line in lines:
                words += len(re.findall(r"[A-Za-z][\w'-]*", line))
                for match in WORD.finditer(line):
                    if (match.group(0).lower(), name) in exceptions:
                        continue
                    matches += 1
                    if listing:
                        print(f"{name}:{number}: {match.group(0)}: {line.strip()[:100]}")
            prose = re.sub(r"\n\s*\n", " . ", "\n".join(line for _, line in lines))
            for sentence in re.split(r"[.!?:;](?=\s)", prose):
                n = len(re.findall(r"[A-Za-z][\w'-]*", sentence))
                if n > 2:
                    sentences, long = sentences + 1, long + (n > 35)
        rate = 1000 * matches / max(words, 1)
        bad = rate > LIMITS[scope]
        failed |= bad
        print(f"{scope:12} {words:8} {rate:9.1f} {LIMITS[scope]:6} {words / max(sentences, 1):6.1f} {long:8}{'  above the limit' if bad else ''}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
