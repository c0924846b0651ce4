# SPDX-License-Identifier: MIT
"""The build backend of the package (PEP 517): wheel and source distribution, with nothing but Python and, for the library, CMake
and a C compiler. A wheel carries the shared library that TVGP_LIBRARY names. If it names none, the library is compiled from the
sources around this file, without BLAS, so that it needs libc and libm only. The problems of tvgp.zoo are a library of their own,
next to it or in bench/ there; a wheel without that library has no tvgp.zoo. Equal files give an equal wheel."""
import base64
import calendar
import gzip
import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sysconfig
import tarfile
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HOME = "https://EXAMPLE/tvgp"
PARTS = ("TESTS", "EXAMPLES", "TOOL", "INTEGRATIONS")
SOURCES = ("include", "src", "bench", "examples")  # and files at the top level
LEFT_OUT = {"__pycache__", "node_modules", "target", "made", "native", "integration"}
CLASSIFIERS = ("Development Status :: 5 - Production/Stable", "Intended Audience :: Developers", "Intended Audience :: Science/Research",
               "License :: OSI Approved :: MIT License", "Operating System :: POSIX :: Linux", "Operating System :: MacOS",
               "Programming Language :: C", "Programming Language :: Python :: 3",
               "Topic :: Scientific/Engineering :: Artificial Intelligence", "Typing :: Typed")
# What a manylinux wheel may take from the system here (PEP 600); everything else would have to be inside.
SYSTEM = re.compile(r"lib(c|m|pthread|dl|rt)\.so\.\d+|ld-linux[\w.-]*|libtvgp.*")


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(tvgp VERSION ([\d.]+)", text).group(1)


def _now():
    """The time of every entry, in seconds: files of a wheel have no times before 1980."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), calendar.timegm((1980, 1, 1, 0, 0, 0)))


def _library(work):
    """The path of libtvgp.so."""
    path = os.environ.get("TVGP_LIBRARY")
    if not path:
        options = ["-DTVGP_BLAS=none", "-DCMAKE_BUILD_TYPE=Release", "-DTVGP_MPI=OFF", "-DTVGP_INSTALL=OFF", "-DTVGP_BUILD_BENCH=ON",
                   "-DTVGP_ZOO_DATA=data",
                   *(f"-DTVGP_BUILD_{part}=OFF" for part in PARTS)]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", work, *options], check=True)
        subprocess.run(["cmake", "--build", work, "--target", "tvgp", "tvgp_json", "tvgp_zoo", "-j", str(os.cpu_count() or 1)], check=True)
        path = os.path.join(work, "libtvgp.so")
    return pathlib.Path(path).resolve()


def _signatures(library):
    places = [library.parent / "tvgp.json", *(p / "share" / "tvgp" / "tvgp.json" for p in library.parents[:4])]
    return next(p for p in places if p.is_file()).read_bytes()


def _zoo(library):
    """The files of tvgp.zoo besides its module: the library of problems, and the data of those that are recorded."""
    places = [library.parent / "libtvgp_zoo.so", library.parent / "bench" / "libtvgp_zoo.so"]
    found = next((p for p in places if p.is_file()), None)
    if not found:
        return {}
    data = {f"tvgp/data/{path.name}": path.read_bytes() for path in sorted((ROOT / "examples/data").glob("*.csv"))}
    return {"tvgp/libtvgp_zoo.so": found.read_bytes(), **data}


def needs(library):
    """The needs of a shared library, as bytes: names of libraries, and the newest version of glibc."""
    names = {name.decode() for name in re.findall(rb"(?<=\0)((?:lib|ld-)[\w.+-]+\.so[.\d]*)(?=\0)", library)}
    return names, max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)), default=0)


def platform_tag(libraries):
    """The oldest system on which these libraries run: manylinux where glibc suffices, else the platform of this Python."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    found = [needs(library) for library in libraries]
    names = set().union(*(names for names, _ in found))
    glibc = max(minor for _, minor in found)
    if here.startswith("linux") and glibc and all(map(SYSTEM.fullmatch, names)):
        return f"manylinux_2_{max(glibc, 17)}_{platform.machine()}"
    return here


def _metadata():
    head = ["Metadata-Version: 2.1", "Name: tvgp", f"Version: {_version()}", "Summary: Time-varying Gaussian-process bandits",
            "Author: The libtvgp authors", "Maintainer-email: The libtvgp maintainers <maintainers@tvgp.example>", "License: MIT",
            f"Home-page: {HOME}", f"Project-URL: Source, {HOME}", f"Project-URL: Documentation, {HOME}/tree/main/docs",
            f"Project-URL: Changelog, {HOME}/blob/main/docs/changelog.md", f"Project-URL: Issues, {HOME}/issues",
            "Keywords: bandits,gaussian process,bayesian optimization,non-stationary", *(f"Classifier: {one}" for one in CLASSIFIERS),
            "Requires-Python: >=3.9", "Description-Content-Type: text/markdown", "License-File: LICENSE", ""]
    return ("\n".join(head) + "\n" + (HERE / "README.md").read_text(encoding="utf-8")).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as work:
        library = _library(work)
        files = {f"tvgp/{path.name}": path.read_bytes() for path in (HERE / "tvgp").iterdir() if path.suffix in (".py", ".html")}
        files.update({"tvgp/py.typed": b"", "tvgp/tvgp.json": _signatures(library), "tvgp/" + library.name: library.read_bytes()})
        zoo = _zoo(library)
        files.update(zoo)
        if not zoo:
            del files["tvgp/zoo.py"]
    version = _version()
    tag = "py3-none-" + platform_tag([data for name, data in files.items() if ".so" in name or ".dylib" in name])
    info = f"tvgp-{version}.dist-info"
    files[f"{info}/METADATA"] = _metadata()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: libtvgp\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={_digest(files[name])},{len(files[name])}\n" for name in sorted(files))
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"tvgp-{version}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, time.gmtime(_now())[:6])
            entry.external_attr, entry.create_system, entry.compress_type = 0o100644 << 16, 3, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[path])
    return name


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _sources():
    """The files from which the library and this package are built, as they lie in the tree."""
    files = [path for path in ROOT.iterdir() if path.name in ("CMakeLists.txt", "LICENSE", "README.md")]
    files += (ROOT / "tests").glob("comm_fork.[ch]")  # of a benchmark
    for folder in SOURCES:
        files += [path for path in (ROOT / folder).rglob("*") if path.is_file() and not LEFT_OUT & set(path.relative_to(ROOT).parts)]
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files}


def build_sdist(sdist_directory, config_settings=None):
    top = f"tvgp-{_version()}"
    project = (HERE / "pyproject.toml").read_bytes().replace(b'backend-path = ["."]', b'backend-path = ["src/bindings/python"]')
    files = {**_sources(), "pyproject.toml": project, "PKG-INFO": _metadata()}
    with open(os.path.join(sdist_directory, top + ".tar.gz"), "wb") as out, \
            gzip.GzipFile("", "wb", 9, out, mtime=_now()) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(files[name]), _now(), 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    return top + ".tar.gz"
