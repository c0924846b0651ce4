# SPDX-License-Identifier: MIT
"""Builds the wheel, for `pip wheel .` and `pip install .`: needs nothing but Python. The library inside is the one TVGP_LIBRARY
names; without that it is compiled from the sources around, without BLAS, so that it depends on libc and libm alone. The problems
of tvgp.zoo are a library of their own, next to it or in bench/ there; a wheel without that library is one without tvgp.zoo."""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def _library(work):
    """Path of libtvgp.so and text of tvgp.json."""
    path = os.environ.get("TVGP_LIBRARY")
    if not path:
        options = ["-DTVGP_BLAS=none", "-DCMAKE_BUILD_TYPE=Release"]
        options += ["-DTVGP_BUILD_BENCH=ON", *(f"-DTVGP_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES"))]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", work, *options], check=True)
        subprocess.run(["cmake", "--build", work, "--target", "tvgp", "tvgp_json", "tvgp_zoo", "-j", str(os.cpu_count() or 1)], check=True)
        path = os.path.join(work, "libtvgp.so")
    path = pathlib.Path(path).resolve()
    places = [path.parent / "tvgp.json", *(p / "share" / "tvgp" / "tvgp.json" for p in path.parents[:4])]
    return path, next(p for p in places if p.is_file()).read_text(encoding="utf-8")


def _zoo(library):
    """The files of tvgp.zoo behind its module: the library of problems, and the data of those that are recorded."""
    places = [library.parent / "libtvgp_zoo.so", library.parent / "bench" / "libtvgp_zoo.so"]
    found = next((p for p in places if p.is_file()), None)
    if not found:
        return {}
    data = {f"tvgp/data/{path.name}": path.read_bytes() for path in sorted((ROOT / "examples/data").glob("*.csv"))}
    return {"tvgp/libtvgp_zoo.so": found.read_bytes(), **data}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as work:
        library, signatures = _library(work)
        version = json.loads(signatures)["version"]
        tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
        files = {f"tvgp/{path.name}": path.read_bytes() for path in sorted((HERE / "tvgp").glob("*.py"))}
        files["tvgp/py.typed"] = b""
        files["tvgp/tvgp.json"] = signatures.encode()
        files["tvgp/" + library.name] = library.read_bytes()
        files.update(_zoo(library) or {"tvgp/zoo.py": None})
        files = {name: data for name, data in files.items() if data is not None}
    info = f"tvgp-{version}.dist-info"
    files[f"{info}/METADATA"] = _metadata(version)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: libtvgp\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    name = f"tvgp-{version}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        record = ""
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            wheel.writestr(path, data)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


def _metadata(version):
    return (f"Metadata-Version: 2.1\nName: tvgp\nVersion: {version}\nSummary: Gaussian-process bandits for things that drift\n"
            "License: MIT\nRequires-Python: >=3.9\n").encode()


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package is built from the library's own sources: pip wheel src/bindings/python")
