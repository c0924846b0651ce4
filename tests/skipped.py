# SPDX-License-Identifier: MIT
"""skipped.py PRESET: prints one line for each test that `run_tests` of tests/build.sh skipped, with the reason that the test gave, and
one with the number of loop cases that only tests/night.sh runs (harness_add_if of tests/harness.h)."""
import pathlib
import re
import sys
import xml.etree.ElementTree

preset = sys.argv[1]
report = pathlib.Path(__file__).resolve().parent.parent / "build" / preset / "tests.xml"
by_night = 0
for test in xml.etree.ElementTree.parse(report).iter("testcase"):
    output = test.findtext("system-out") or ""
    by_night += sum(int(n) for n in re.findall(r"^by night: (\d+) more$", output, re.M))
    if test.find("skipped") is None:
        continue
    said = re.findall(r"^skipped: (.*)$", output, re.M)
    print(f"  {preset}: {test.get('name')}: {said[-1] if said else test.find('skipped').get('message')}")
if by_night:
    print(f"  {preset}: {by_night} cases of loops over policies, kernels and sizes: by night")
