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


def check_docker(path):
    """What a build of the image would stumble over: stages, folders, presets, components, and lists of packages that stay."""
    text = re.sub(r"\\\n", " ", path.read_text("utf-8"))
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    stages, final = [], max(i for i, (verb, _) in enumerate(steps) if verb == "FROM")
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text("utf-8"))["configurePresets"]}
    cmake = "".join(p.read_text("utf-8") for p in (ROOT / "src/package").glob("*.cmake"))
    must(steps[0][0] == "FROM", f"{path.name}: the first step must be FROM")
    for i, (verb, rest) in enumerate(steps):
        must(verb in ("FROM", "RUN", "COPY", "WORKDIR", "USER", "ENTRYPOINT"), f"{path.name}: {verb} is no step of this recipe")
        if verb == "FROM":
            must(re.match(r"debian:[a-z]+-slim( AS \w+)?$", rest), f"{path.name}: {rest} must be a slim Debian by name")
            stages += re.findall(r"AS (\w+)", rest)
        for stage in re.findall(r"--from=(\w+)", rest if verb == "COPY" else ""):
            must(stage in stages, f"{path.name}: there is no stage {stage}")
        if "apt-get install" in rest:
            must("apt-get update &&" in rest and "--no-install-recommends" in rest, f"{path.name}: '{rest[:40]}..' must update and leave out recommendations")
            must(i < final or "rm -rf /var/lib/apt/lists/*" in rest, f"{path.name}: the lists of packages must not stay in the image")
        must(all(p in presets for p in re.findall(r"--preset (\w+)", rest)), f"{path.name}: there is no such preset in '{rest[:40]}..'")
        must(all((ROOT / folder).is_dir() for folder in re.findall(r"\bcd (\S+)", rest)), f"{path.name}: there is no such folder in '{rest[:40]}..'")
        for parts in re.findall(r"for part in ([\w ]+);", rest):
            must(all(re.search(rf"COMPONENT {p}\b", cmake) for p in parts.split()), f"{path.name}: one of {parts} is no component")
    users = [rest for verb, rest in steps[final:] if verb == "USER"]
    must(users and not users[-1].startswith(("0", "root")), f"{path.name}: the image must not run as root")
    if shutil.which("hadolint"):
        done = subprocess.run(["hadolint", path], capture_output=True, text=True, check=False)
        must(done.returncode == 0, f"{path.name}: {done.stdout}")


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
check_docker(HERE / "docker/Dockerfile")
json.loads((HERE / "vcpkg/tvgp/vcpkg.json").read_text("utf-8"))
print("\n".join(wrong) or "the recipes can be read")
sys.exit(bool(wrong))
