# SPDX-License-Identifier: MIT
"""check.py: what can be said of the recipes where their tools are not: all are of this version, they can be read, the options they give
exist, and a recipe says the same of itself as the others."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERSION = re.search(r"project\(tvgp\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text("utf-8")).group(1)
FILES = {"debian": ["changelog", "control", "rules", "build.sh"], "conda": ["meta.yaml"], "vcpkg/tvgp": ["portfile.cmake", "vcpkg.json"],
         "homebrew": ["tvgp.rb"], "arch": ["PKGBUILD"]}
SAYS = {"debian/changelog": r"^tvgp \(([\d.]+)-\d+\)", "conda/meta.yaml": r'set version = "([\d.]+)"', "vcpkg/tvgp/vcpkg.json": r'"version": "([\d.]+)"',
        "homebrew/tvgp.rb": r"/v([\d.]+)\.tar\.gz", "arch/PKGBUILD": r"^pkgver=(\S+)"}
READ = {"arch/PKGBUILD": ["bash", "-n"], "homebrew/tvgp.rb": ["ruby", "-c"], "debian/build.sh": ["sh", "-n"], "debian/rules": ["make", "-n", "-f"]}
wrong = []


def must(right, what):
    if not right:
        wrong.append(what)


options = set()
for path in [ROOT / "CMakeLists.txt", *ROOT.glob("src/package/*.cmake"), *ROOT.glob("bench/CMakeLists.txt"), *ROOT.glob("tests/CMakeLists.txt")]:
    options |= set(re.findall(r"(?:option|set)\(\s*(TVGP_[A-Z_]+)", path.read_text("utf-8")))
for folder, names in FILES.items():
    for name in names:
        path, text = HERE / folder / name, (HERE / folder / name).read_text("utf-8")
        key = f"{folder}/{name}"
        if key in SAYS:
            found = re.search(SAYS[key], text, re.M)
            must(found and found.group(1) == VERSION, f"{key} is of {found and found.group(1)}, the project {VERSION}")
        for option in re.findall(r"-D(TVGP_[A-Z_]+)", text):
            must(option in options, f"{key} gives {option}, which CMake does not know")
        if key in READ and shutil.which(READ[key][0]):
            done = subprocess.run([*READ[key], path], capture_output=True, text=True, check=False)
            must(done.returncode == 0, f"{key}: {done.stderr.strip()}")
json.loads((HERE / "vcpkg/tvgp/vcpkg.json").read_text("utf-8"))
packages = re.findall(r"^Package: (\S+)", (HERE / "debian/control").read_text("utf-8"), re.M)
soversion = re.search(r"set\(tvgp_soversion (\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
must(soversion and f"libtvgp{soversion.group(1)}" in packages, f"debian/control has {packages}, and CMakeLists.txt SOVERSION {soversion and soversion.group(1)}")
print("\n".join(wrong) or f"the recipes are of {VERSION}")
sys.exit(bool(wrong))
