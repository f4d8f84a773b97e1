# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The sdist, and a wheel as it is packed, have the same bytes in every folder and at every time. What is compiled in a
wheel is compared by scripts/reproduce.sh."""

import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
pytest.importorskip("scikit_build_core")

_SAMPLE = ["pyproject.toml", "README.md", "LICENSE", "include", "python/warpdex"]  # a part, which takes less time
_MAKE = """import os, sys
from scikit_build_core import build
os.umask(int(sys.argv[1], 8))
build.build_sdist(sys.argv[2])
build.build_wheel(sys.argv[2], {"wheel.cmake": "false", "wheel.py-api": "py3"})
"""


def packages_of(sources, folder, umask):
    """The hashes of the packages of an archive that is unpacked in a folder."""
    with tarfile.open(fileobj=io.BytesIO(sources)) as archive:
        archive.extractall(folder, filter="data")
    out = folder.with_name(folder.name + "-out")
    subprocess.run(
        [sys.executable, "-c", _MAKE, umask, str(out)],
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
        check=True,
        capture_output=True,
    )
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}


def test_packages_are_the_same_bytes(tmp_path):
    archive = subprocess.run(["git", "archive", "HEAD", *_SAMPLE], cwd=ROOT, capture_output=True)
    if archive.returncode:
        pytest.skip("not a clone")
    found = packages_of(archive.stdout, tmp_path / "a", "022")
    for path in sorted(tmp_path.glob("a/*")):
        os.utime(path)  # later than all files of the other folder
    assert len(found) == 2 and packages_of(archive.stdout, tmp_path / "another", "077") == found
