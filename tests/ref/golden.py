# SPDX-License-Identifier: MIT
"""Golden vectors of an independent dense implementation.

python3 golden.py FOLDER [NAME ..]            writes the JSON files, which ../golden/make.py turns into headers and text files
python3 golden.py --compare FOLDER [NAME ..]  compares all numbers of the files recorded in FOLDER within 1e-9
python3 golden.py --headers                   compares the numbers of ../golden/golden_*; all of them with TVGP_TESTS=all

inputs.json has what is not computed: points, outcomes, uniforms, settings."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import bkb
import box
import counts
import history
import kdpp
import kernels
import learn
import limits
import mixture
import policies
import posterior
import priors
import robust
import schedules

MAKERS = {"kernels": kernels.make, "posterior": posterior.make, "lml": posterior.make_lml, "betas": schedules.make,
          "windows": schedules.make_windows, "policies": policies.make, "priors": priors.make, "dpp": kdpp.make, "bkb": bkb.make,
          "box": box.make, "records": learn.make_records, "lengthscale_prior": learn.make_prior, "safety": limits.make, "auto2": robust.make, "learn": learn.make,
          "learn_loop": learn.make_loop, "defaults4": mixture.make, "share5": mixture.make_share, "contexts5": mixture.make_contexts,
          "counts5": counts.make, "history": history.make}
QUICK = list(MAKERS)[:14]  # a second or two together
INPUTS = pathlib.Path(__file__).with_name("inputs.json")
TOLERANCE = 1e-9
# Maxima of a likelihood: an error of 1e-9 in the value is one of 3e-5 in the place. The recorded optimiser stopped earlier.
PLACES = re.compile(r"(learn\.optima|learn_loop\.steps).*\.(?!objective|evidence)")


def plain(value):
    """A value as JSON has it: no arrays; infinity is a text, minus infinity none."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return {np.inf: "inf", -np.inf: None}.get(value, float(value))
    return value.item() if isinstance(value, np.generic) else value


def made(name):
    g = json.loads(INPUTS.read_text(encoding="utf-8"))[name]
    return plain(MAKERS[name](g) or g)


def differences(path, recorded, computed):
    """Where a recorded value is not computed, or differs; texts are not compared except infinity."""
    if isinstance(recorded, dict):
        for k, v in recorded.items():
            yield from differences(f"{path}.{k}", v, computed.get(k) if isinstance(computed, dict) else None)
    elif isinstance(recorded, list):
        if not isinstance(computed, list) or len(computed) != len(recorded):
            yield f"{path}: {str(recorded)[:60]}, computed {str(computed)[:60]}"
            return
        for i, v in enumerate(recorded):
            yield from differences(f"{path}[{i}]", v, computed[i])
    elif isinstance(recorded, float) and isinstance(computed, (int, float)):
        if abs(recorded - computed) > (1e-5 if PLACES.match(path) else TOLERANCE) * max(1, abs(recorded)):
            yield f"{path}: {recorded!r}, computed {computed!r}"
    elif recorded != computed and not (isinstance(recorded, str) and recorded != "inf"):
        yield f"{path}: {recorded!r}, computed {computed!r}"


def compare(folder, names):
    wrong = 0
    for name in names:
        if not (folder / f"{name}.json").exists():
            print(f"{name}: not recorded")
            continue
        recorded = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        found = list(differences(name, recorded, made(name)))
        print(f"{name}: {len(found)} differences")
        print("".join(f"  {line}\n" for line in found[:10]), end="")
        wrong += len(found)
    return wrong


def numbers(path):
    """The numbers of a file, and the text between them."""
    parts = re.split(r"(?<![\w.])(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?!\w)", path.read_text(encoding="utf-8"))
    return [float(v) for v in parts[1::2]], "".join(parts[::2]).split()


def headers(names):
    """Compares the headers and text files that these files make with the ones in the tree."""
    folder, wrong, root = pathlib.Path(tempfile.mkdtemp()), 0, INPUTS.parent.parent / "golden"
    write(folder, names)
    subprocess.run([sys.executable, "-B", root / "make.py", folder, folder], check=True)
    for path in sorted(folder.glob("golden_*.[ht]*")):
        (ours, text), (theirs, recorded) = numbers(path), numbers(root / path.name)
        apart = [(a, b) for a, b in zip(ours, theirs) if abs(a - b) > TOLERANCE * max(1, abs(b))]
        same = len(ours) == len(theirs) and text == recorded
        print(f"{path.name}: {len(ours)} numbers, {len(apart)} differ{'' if same else ', the text differs'}", *apart[:3])
        wrong += len(apart) + (not same)
    return wrong


def write(folder, names):
    for name in names:
        (folder / f"{name}.json").write_text(json.dumps(made(name)), encoding="utf-8")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    names = arguments[1:] or list(MAKERS)
    if "--headers" in sys.argv:
        sys.exit(headers(names if os.environ.get("TVGP_TESTS") == "all" else QUICK) > 0)
    if "--compare" in sys.argv:
        sys.exit(compare(pathlib.Path(arguments[0]), names) > 0)
    write(pathlib.Path(arguments[0]), names)


if __name__ == "__main__":
    main()
