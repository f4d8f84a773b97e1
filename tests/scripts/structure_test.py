# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""scripts/structure.py: all structures are in all places, and a skeleton compiles and says which places lack it."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(root, *words):
    return subprocess.run([sys.executable, root / "scripts/structure.py", *words], capture_output=True, text=True)


found = run(ROOT, "check")
assert found.returncode == 0 and not found.stdout, found.stdout
with tempfile.TemporaryDirectory() as folder:
    copy = Path(folder)
    for part in (
        "include",
        "src",
        "scripts",
        "docs/api/cpp",
        "docs/reference",
        "tests/io/golden",
        "python/warpdex/drawing",
    ):
        shutil.copytree(ROOT / part, copy / part)
    begun = run(copy, "new", "my_search", "AO+MY")
    assert begun.returncode == 0, begun.stderr
    lacking = [line.split(" lacks ")[0] for line in begun.stdout.splitlines()[1:]]
    expected = ["docs/api/cpp/structures.rst", "docs/reference/structures.md", "docs/reference/format.md"]
    expected += ["include/warpdex/index.hpp", "python/warpdex/drawing/_arrangements.py", "tests/io/golden/AOpMY_*.wdx"]
    assert lacking == [f"my_search: {path}" for path in expected], begun.stdout
    assert run(copy, "check", "my_search").returncode == 1
    for wrong in (["new", "my_search", "AO+MY"], ["new", "MySearch", "AO+MY"], ["new"], ["look"]):
        assert run(copy, *wrong).returncode == 2, wrong
    if len(sys.argv) > 1:  # a compiler
        source, flags = (
            copy / "src/structures/my_search/my_search.cpp",
            ["-std=c++20", "-fsyntax-only", "-Wall", "-Werror"],
        )
        folders = [f"-I{copy / 'include'}", f"-I{copy / 'src'}", *(f"-I{path}" for path in sys.argv[2:])]
        built = subprocess.run([sys.argv[1], *flags, *folders, source], capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
