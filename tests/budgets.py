#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""budgets.py ROOT [LIBRARY]: compares the tree with tests/budgets.json, which may only fall.

Fails for what exceeds its budget, and for what is 5 % or more below it: then the budget is lowered. Lines are those of
files that git tracks, or without git of all; measured cells (bench/results) are data and not counted. LIBRARY is one
that was built with the default options; its views, kernels and bytes are compared if it was compiled for GPUs of one
architecture, else its views alone."""

import json
import pathlib
import subprocess
import sys

AREAS = {
    "src and include": ("src/", "include/"),
    "python": ("python/",),
    "docs": ("docs/",),
    "scripts": ("scripts/", ".ci/"),
    "tests": ("tests/",),
    "all": ("",),
}
TEXTS = {
    ".c",
    ".cmake",
    ".cpp",
    ".cu",
    ".cuh",
    ".h",
    ".hpp",
    ".in",
    ".md",
    ".py",
    ".pyi",
    ".sh",
    ".txt",
    ".yaml",
    ".yml",
}


def files_of(root: pathlib.Path) -> list[str]:
    try:
        text = subprocess.run(["git", "-C", root, "ls-files"], check=True, capture_output=True, text=True).stdout
        return text.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and "build" not in p.parts]


def lines_of(root: pathlib.Path) -> dict[str, int]:
    counts = dict.fromkeys(AREAS, 0)
    for name in files_of(root):
        path = root / name
        if not path.is_file() or (path.suffix not in TEXTS and path.suffix):
            continue
        lines = path.read_bytes().count(b"\n")
        for area, folders in AREAS.items():
            counts[area] += lines if name.startswith(folders) else 0
    return counts


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    budgets = json.loads((root / "tests/budgets.json").read_text())
    found = {"lines": lines_of(root), "library": {}}
    if len(sys.argv) > 2:
        counted = json.loads(
            subprocess.run(
                [sys.executable, root / "tests/count_kernels.py", sys.argv[2]],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        found["library"] = counted if counted["kernels"] else {k: counted[k] for k in ("views", "wide")}
    failures = 0
    for kind, values in found.items():
        for name, value in values.items():
            budget = budgets[kind].get(name)
            if budget is None:
                continue
            state = (
                "exceeds its budget"
                if value > budget
                else "is far below its budget: lower it"
                if value < 0.95 * budget
                else ""
            )
            failures += bool(state)
            print(f"{kind}: {name} {value} of {budget} {state}".rstrip())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
