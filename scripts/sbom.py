#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""sbom.py FOLDER VERSION: a bill of materials of the packages in FOLDER, in CycloneDX's JSON: their checksums, and what is
compiled into them or needed by them. The time is that of SOURCE_DATE_EPOCH, so that it is the same for the same packages."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

COMPILED_IN = {"libfmt-dev": "MIT", "libxxhash-dev": "BSD-2-Clause", "nlohmann-json3-dev": "MIT"}  # packages of Debian


def component(name, version, license_, purl, **more):
    return {
        "type": "library",
        "name": name,
        "version": version,
        "licenses": [{"license": {"id": license_}}],
        "purl": purl,
    } | more


def debian(name, license_):
    command = ["dpkg-query", "--show", "--showformat=${Version}", name]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return component(name, version, license_, f"pkg:deb/debian/{name}@{version}", scope="required")


def packages(folder):
    for path in sorted(one for one in folder.rglob("*") if re.search(r"\.(whl|deb|tar\.gz)$", one.name)):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        name = str(path.relative_to(folder))
        yield {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def main():
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.UTC)
    parts = [debian(*one) for one in COMPILED_IN.items()]
    parts.append(component("numpy", ">=1.26", "BSD-3-Clause", "pkg:pypi/numpy", scope="required"))
    parts.append(component("nanobind", ">=3.0", "BSD-3-Clause", "pkg:pypi/nanobind", scope="required"))
    about = component("warpdex", version, "Apache-2.0", f"pkg:pypi/warpdex@{version}")
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1}
    bill["metadata"] = {"timestamp": f"{time:%Y-%m-%dT%H:%M:%SZ}", "component": about}
    print(json.dumps(bill | {"components": [*parts, *packages(folder)]}, indent=1))


if __name__ == "__main__":
    main()
