# SPDX-License-Identifier: MIT
"""keys.py [--write]: no policy, option, choice of an option or statistic of release 1.0 has disappeared, and no default has changed.
Additions are allowed, and options with the flag TVGP_OPTION_ADVANCED may change. tvgp-1.0.keys records each with the policies that
have it; --write records those of the library that TVGP_LIBRARY names. Needs the Python package."""
import collections
import pathlib
import sys

import tvgp

FILE = pathlib.Path(__file__).resolve().parent / "tvgp-1.0.keys"


def keys():
    """The policies that have a key, for each key."""
    found = collections.defaultdict(set)
    for name in tvgp.policies():
        policy = tvgp.Policy(name, tvgp.grid(0, 1, 3), tvgp.se(1))
        for key, option in policy.options().items():
            if not option.advanced:
                for about in (f"= {option.default!r}", *(f"may be {choice}" for choice in option.choices or ())):
                    found[f"option {key} {about}"].add(name)
        policy.observe([0.5], 0.0, t=0)
        for about in policy.stat_info():
            found[f"statistic {about.key}"].add(name)
    return found


if sys.argv[1:] == ["--write"]:
    FILE.write_text("".join(f"{key}: {' '.join(sorted(names))}\n" for key, names in sorted(keys().items())), encoding="utf-8")
    sys.exit()
now = keys()
missing = []
for line in FILE.read_text(encoding="utf-8").splitlines():
    key, names = line.rsplit(": ", 1)
    missing += [f"{key} ({name})" for name in names.split() if name not in now[key]]
if missing:
    sys.exit("recorded for 1.0 and no longer so:\n" + "\n".join(missing))
