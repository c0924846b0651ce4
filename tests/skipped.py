# SPDX-License-Identifier: MIT
"""skipped.py PRESET: prints one line for each test that `run_tests` of tests/build.sh skipped, with the reason that the test gave."""
import pathlib
import re
import sys
import xml.etree.ElementTree

preset = sys.argv[1]
report = pathlib.Path(__file__).resolve().parent.parent / "build" / preset / "tests.xml"
for test in xml.etree.ElementTree.parse(report).iter("testcase"):
    if test.find("skipped") is None:
        continue
    said = re.findall(r"^skipped: (.*)$", test.findtext("system-out") or "", re.M)
    print(f"  {preset}: {test.get('name')}: {said[-1] if said else test.find('skipped').get('message')}")
