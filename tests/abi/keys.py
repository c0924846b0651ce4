# SPDX-License-Identifier: MIT
"""keys.py [--write]: no policy, option, choice of an option or statistic of release 1.0 has disappeared, and no default has changed.
Additions are allowed, and options with the flag TVGP_OPTION_ADVANCED may change. tvgp-1.0.keys records them; --write records those of the library that TVGP_LIBRARY names. Needs the Python package."""
import pathlib
import sys

import tvgp

FILE = pathlib.Path(__file__).resolve().parent / "tvgp-1.0.keys"


def keys():
    """One line for each name."""
    found = []
    for name in tvgp.policies():
        policy = tvgp.Policy(name, tvgp.grid(0, 1, 3), tvgp.se(1))
        found.append(f"policy {name}")
        for key, option in policy.options().items():
            if not option.advanced:
                found.append(f"option {name} {key} = {option.default!r}")
                found += [f"choice {name} {key} = {choice}" for choice in option.choices or ()]
        policy.observe([0.5], 0.0, t=0)
        found += [f"statistic {name} {about.key}" for about in policy.stat_info()]
    return sorted(found)


if sys.argv[1:] == ["--write"]:
    FILE.write_text("\n".join(keys()) + "\n", encoding="utf-8")
    sys.exit()
missing = sorted(set(FILE.read_text(encoding="utf-8").splitlines()) - set(keys()))
if missing:
    sys.exit("recorded for 1.0 and no longer so:\n" + "\n".join(missing))
