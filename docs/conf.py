# SPDX-License-Identifier: MIT
"""The documentation site: sphinx-build over docs/, as the CMake target `site` calls it. TVGP_XML is Doxygen's output, TVGP_VERSION the
version, TVGP_KATEX a directory with KaTeX; the Python package and its library are found through PYTHONPATH and TVGP_LIBRARY."""
import os
import pathlib
import shutil

from docutils import nodes

project = "libtvgp"
author = "the libtvgp developers"
copyright = author
version = release = os.environ.get("TVGP_VERSION", "")
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
exclude_patterns = ["CONTRIBUTING.md", "SECURITY.md"]
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

breathe_projects = {"tvgp": os.environ.get("TVGP_XML", "")}
breathe_default_project = "tvgp"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
primary_domain = "c"
highlight_language = "none"
C_TYPES = "size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
PYTHON_TYPES = "http.server.ThreadingHTTPServer pathlib.Path datetime.date tvgp._policy._Scalar"
nitpick_ignore = [("c:identifier", name) for name in C_TYPES.split()] + [("py:class", name) for name in PYTHON_TYPES.split()]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": True}

html_theme = "furo"
html_title = f"libtvgp {version}"
html_show_sphinx = False
html_copy_source = False
ACCENT = {"color-brand-primary": "#0b6e75", "color-brand-content": "#0b6e75"}
DARK_ACCENT = {"color-brand-primary": "#5cc8d0", "color-brand-content": "#5cc8d0"}
html_theme_options = {"light_css_variables": ACCENT, "dark_css_variables": DARK_ACCENT}
html_css_files = ["katex/katex.min.css", "narrow.css"]
html_js_files = ["katex/katex.min.js", "equations.js"]
html_math_renderer = "katex"
html_search_scorer = str(pathlib.Path(__file__).with_name("scorer.js"))

# The tree of pages: for each page the groups below it, (caption, directory, names). Pages hold no directives for it, so that they can
# be read as plain Markdown.
TREE = {
    "index": [
        ("Start", "start", "install quickstart tutorial"),
        ("Setting up", "guide", "choosing-a-domain choosing-a-policy model-assumptions hyperparameters historical-data "
         "continuous-domains candidates independent-arms"),
        ("Running", "guide", "contexts seasonality constraints delayed-feedback time-outs changing-arms minimising-costs "
         "thompson-sampling fleets"),
        ("Serving", "guide", "shares-and-evaluation advice slates budgets cost-weight counts-and-rates prices-and-revenue"),
        ("Without a policy", "guide", "gaussian-process diverse-subset"),
        ("Integrations", "guide", "sharing-a-policy sharing-from-python sqlite postgresql redis nginx optuna openfeature"),
        ("Operating", "guide", "persistence monitoring replaying-data command-line distributed embedded cross-compiling sizing faq glossary"),
        ("Reference", "", "policies/index reference/options reference/c/index reference/python "
         "reference/functions reference/bindings reference/protocol reference/errors reference/guarantees reference/snapshot-format reference/stores"),
        ("Theory", "theory", "model posteriors hyperparameter-learning search"),
        ("Benchmarks", "benchmarks", "suite suite/results suite/losses performance experiments experiments/defaults paper-results papers-more"),
        ("Project", "", "project/compatibility project/security project/architecture project/extending project/adding-a-policy project/adding-a-posterior project/contributing project/releasing project/citing changelog"),
    ],
    "policies/index": [
        ("", "policies", "auto-gp-ucb tv-gp-ucb gp-ucb igp-ucb r-gp-ucb br-gp-ucb sw-gp-ucb w-gp-ucb ui-gp-ucb et-gp-ucb sparq-gp-ucb "
         "w-sparq-gp-ucb pe-gp-ucb mle-gp-ucb fb-gp-ucb rb-gp-ucb bkb random constant-arm"),
    ],
    "reference/c/index": [
        ("", "reference/c", "ctx types domain kernel policy option priors actions constraint cost predict save event store serve fleet comm extend gp kdpp random seasonal_mean"),
    ],
}

# Every element of class `math` holds its equation in TeX.
EQUATIONS = """document.addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll(".math").forEach(function (e) {
    katex.render(e.textContent, e, {displayMode: e.tagName === "DIV", throwOnError: false});
  });
});
"""


def add_tree(app, page, source):
    for caption, directory, names in TREE.get(page, []):
        pages = "\n".join(f"/{directory}/{name}".replace("//", "/") for name in names.split())
        title = f":caption: {caption}\n" if caption else ""
        source[0] += f"\n```{{toctree}}\n:hidden:\n{title}\n{pages}\n```\n"


def inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate") + self.encode(node.astext()) + "</span>")
    raise nodes.SkipNode


def display(self, node):
    self.body.append(self.starttag(node, "div", "", CLASS="math notranslate") + self.encode(node.astext()) + "</div>\n")
    raise nodes.SkipNode


# On a phone: smaller headings and tables, whose code may break except the keys of the first column.
NARROW = """body { margin: 0 }
@media (max-width: 46em) {
  h1 { font-size: 1.8em } h2 { font-size: 1.4em }
  table.docutils { font-size: .85em } table.docutils td, table.docutils th { padding: .25rem .3rem }
  table.docutils code { white-space: normal; overflow-wrap: normal } table.docutils td:last-child { min-width: 12em }
}
"""


def finish(app, error):
    """Copies KaTeX and the live page, so that the site loads nothing from elsewhere."""
    if error or app.builder.format != "html":
        return
    static = pathlib.Path(app.outdir, "_static")
    katex = pathlib.Path(os.environ.get("TVGP_KATEX", "/usr/share/javascript/katex"))
    for name in ("katex.min.js", "katex.min.css"):
        (static / "katex").mkdir(exist_ok=True)
        shutil.copy(katex / name, static / "katex" / name)
    shutil.copytree(katex / "fonts", static / "katex/fonts", dirs_exist_ok=True)
    (static / "equations.js").write_text(EQUATIONS, encoding="utf-8")
    (static / "narrow.css").write_text(NARROW, encoding="utf-8")
    shutil.copytree(pathlib.Path(app.srcdir, "live"), pathlib.Path(app.outdir, "live"), dirs_exist_ok=True)


def setup(app):
    app.add_html_math_renderer("katex", (inline, None), (display, None))
    app.connect("source-read", add_tree)
    app.connect("build-finished", finish)
