# SPDX-License-Identifier: MIT
"""check.py: checks the recipes without their tools: each can be parsed, and the options that it sets exist.
tests/lint.py compares their versions with CMakeLists.txt."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
READ = {"arch/PKGBUILD": ["bash", "-n"], "homebrew/tvgp.rb": ["ruby", "-c"], "nix/default.nix": ["nix-instantiate", "--parse"],
        "conan/conanfile.py": ["python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"], "debian/rules": ["make", "-n", "-f"]}
NEEDS = {"debian/rules": "dh"}  # a command that the first one calls
wrong = []


def must(right, what):
    if not right:
        wrong.append(what)


options = {"TVGP_PG_CONFIG"}
for path in [ROOT / "CMakeLists.txt", *ROOT.glob("src/package/*.cmake"), *ROOT.glob("bench/CMakeLists.txt"), *ROOT.glob("tests/CMakeLists.txt")]:
    options |= set(re.findall(r"(?:option|set)\(\s*(TVGP_[A-Z_]+)", path.read_text("utf-8")))
for path in sorted(p for p in HERE.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
    key, text = path.relative_to(HERE).as_posix(), path.read_text("utf-8")
    for option in re.findall(r"(?:-D|\[\")(TVGP_[A-Z_]+)", text):
        must(option in options, f"{key} sets {option}, which CMake does not know")
    if key in READ and shutil.which(READ[key][0]) and shutil.which(NEEDS.get(key, READ[key][0])):
        done = subprocess.run([*READ[key], path], capture_output=True, text=True, check=False)
        must(done.returncode == 0, f"{key}: {done.stderr.strip()}")
json.loads((HERE / "vcpkg/tvgp/vcpkg.json").read_text("utf-8"))
print("\n".join(wrong) or "the recipes can be read")
sys.exit(bool(wrong))
