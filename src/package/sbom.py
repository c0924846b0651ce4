# SPDX-License-Identifier: MIT
"""sbom.py ROOT OUT: writes the bill of materials of a source tree as SPDX 2.3 JSON: every file of the library and of its program with
its licence and checksum, and what a build may link. Equal trees give an equal file: the date is SOURCE_DATE_EPOCH."""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

FOLDERS = ("include", "src")
# What is linked, and when.
LINKED = {"openblas": ("OpenBLAS", "BSD-3-Clause", "if TVGP_BLAS is openblas"), "lapacke": ("LAPACKE", "BSD-3-Clause", "if TVGP_BLAS is openblas")}


def licence(text):
    found = re.search(r"SPDX-License-Identifier: ([\w.-]+)", text)
    return found.group(1) if found else "NOASSERTION"


def entry(root, path):
    data = path.read_bytes()
    sums = [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), data).hexdigest()} for name in ("SHA1", "SHA256")]
    name = path.relative_to(root).as_posix()
    said = licence(data.decode("utf-8", "replace"))
    return {"SPDXID": "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "fileName": "./" + name, "checksums": sums,
            "licenseConcluded": said, "licenseInfoInFiles": [said], "copyrightText": "NOASSERTION"}


def package(key, name, version, said, **more):
    return {"SPDXID": f"SPDXRef-Package-{key}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": said, "licenseDeclared": said, "copyrightText": "NOASSERTION", **more}


def bill(root):
    version = re.search(r"project\(tvgp VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text("utf-8")).group(1)
    paths = sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in (".c", ".h") and p.is_file())
    files = [entry(root, path) for path in paths]
    code = hashlib.sha1("".join(sorted(f["checksums"][0]["checksumValue"] for f in files)).encode()).hexdigest()
    own = package("tvgp", "libtvgp", version, "MIT", filesAnalyzed=True, packageVerificationCode={"packageVerificationCodeValue": code},
                  licenseInfoFromFiles=sorted({f["licenseConcluded"] for f in files}))
    links = [package(key, name, "NOASSERTION", said, comment=f"Linked {when}.") for key, (name, said, when) in LINKED.items()]
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), datetime.timezone.utc)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])] + [(own["SPDXID"], "CONTAINS", f["SPDXID"]) for f in files] + \
                [(link["SPDXID"], "OPTIONAL_DEPENDENCY_OF", own["SPDXID"]) for link in links]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"libtvgp-{version}",
            "documentNamespace": f"https://EXAMPLE/tvgp/spdx/{version}/{code}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: src/package/sbom.py"]},
            "packages": [own, *links], "files": files,
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}


if __name__ == "__main__":
    made = bill(pathlib.Path(sys.argv[1]).resolve())
    pathlib.Path(sys.argv[2]).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    unknown = [f["fileName"] for f in made["files"] if f["licenseConcluded"] == "NOASSERTION"]
    if unknown:
        sys.exit("no SPDX line in " + ", ".join(unknown))
