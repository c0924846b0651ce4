# SPDX-License-Identifier: MIT
"""wheel.py WHEEL: the platform tag promises no older system than the libraries inside need. Reads their dynamic sections with readelf,
independently of build_wheel.py."""
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ALLOWED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

path = pathlib.Path(sys.argv[1])
tag = re.search(r"-py3-none-manylinux_2_(\d+)_(\w+)\.whl$", path.name)
if not tag:
    sys.exit(f"{path.name}: no manylinux tag, the Python index refuses it")
newest, needed = 0, set()
with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as wheel:
    for name in wheel.namelist():
        if ".so" in name:
            said = subprocess.run(["readelf", "-dVW", wheel.extract(name, folder)], capture_output=True, text=True, check=True).stdout
            needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
            newest = max([newest, *(int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", said))])
    times = {entry.date_time for entry in wheel.infolist()}
needed = {name for name in needed if not name.startswith("libtvgp.so")}  # which is in the wheel
if needed - ALLOWED:
    sys.exit(f"{path.name} needs {', '.join(sorted(needed - ALLOWED))}")
if newest > int(tag.group(1)):
    sys.exit(f"{path.name} needs glibc 2.{newest}")
if len(times) != 1:
    sys.exit(f"{path.name}: {len(times)} different times")
print(f"{path.name}: needs glibc 2.{newest}")
