#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Begins a structure, or says where it is missing (docs/design/adding-a-structure.md).

scripts/structure.py new NAME SPEC     writes the skeleton of a structure, a binary search, to be made into another one
scripts/structure.py check [NAME...]   fails with a line per place that lacks a structure, of all by default
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "src/structures/CMakeLists.txt"
# What the skeleton is made of. The view is that of a sorted array, the family and its record those of another one.
VIEW, FAMILY = ("sorted_array", "AO+BS"), ("interpolated", "AO+IS")


def listed() -> list[str]:
    return re.findall(r"^warpdex_structure\((\w+)", LIST.read_text(), re.MULTILINE)


def specs_of(name: str) -> list[str]:
    """The names that specs of a structure have, such as "EO+KS"."""
    records = ROOT / f"src/structures/{name}/{name}.cpp"
    return re.findall(r'\.name = "([^"(]+)', records.read_text()) if records.exists() else []


def places(name: str) -> list[tuple[str, bool, str]]:
    """The places that a structure has: a path, whether it is there, and what is wanted."""
    specs, view = specs_of(name), f"include/warpdex/search/{name}.hpp"

    def has(path: str, words: list[str]) -> tuple[str, bool, str]:
        file = ROOT / path
        lacking = [word for word in words if not file.exists() or word not in file.read_text()]
        return path, not lacking, " and ".join(repr(word) for word in lacking or words)

    golden = [path.name for path in (ROOT / "tests/io/golden").glob("*.wdx")]
    stems = [spec.replace("+", "p") for spec in specs]
    cost = [spec for spec in specs if spec not in ("RX", "cgRXu")]  # which cost what cgRX does
    return [
        (view, (ROOT / view).exists(), "a file"),
        has(f"src/structures/{name}/{name}.hpp", [f"struct {name}_family"]),
        has(f"src/structures/{name}/{name}.cpp", [f"{name}_records()", ".summary", ".source", ".samples"]),
        ("src/structures/CMakeLists.txt", name in listed(), f"warpdex_structure({name})"),
        has("docs/api/cpp/structures.rst", [f"doxygenfile:: {name}.hpp"]),
        has("docs/reference/structures.md", specs),
        has("docs/reference/format.md", specs),
        has("include/warpdex/index.hpp", cost),
        has("python/warpdex/drawing/_arrangements.py", [f'"{spec}' for spec in specs]),
        *(
            (
                f"tests/io/golden/{stem}_*.wdx",
                any(one.startswith(f"{stem}_") for one in golden),
                "files of each key type",
            )
            for stem in stems
        ),
        ("src/structures", bool(specs), f"a record of {name} with a name for specs"),
    ]


def check(names: list[str]) -> int:
    lacking = [(name, path, wanted) for name in names or listed() for path, there, wanted in places(name) if not there]
    for name, path, wanted in lacking:
        print(f"{name}: {path} lacks {wanted}")
    return int(bool(lacking))


def renamed(path: str, old: tuple[str, str], name: str, spec: str) -> str:
    text = (ROOT / path).read_text().replace(old[1], spec)
    return re.sub(rf"\b{old[0]}(?=\b|_)|(?<=_){old[0]}\b", name, text)


def begin(name: str, spec: str) -> int:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in listed():
        print(f"NAME is {name!r}; it must be a new one in snake_case", file=sys.stderr)
        return 2
    family, folder = FAMILY[0], ROOT / f"src/structures/{name}"
    folder.mkdir()
    view = renamed(f"include/warpdex/search/{VIEW[0]}.hpp", VIEW, name, spec)
    (ROOT / f"include/warpdex/search/{name}.hpp").write_text(view)
    for end in ("hpp", "cpp"):
        text = renamed(f"src/structures/{family}/{family}.{end}", FAMILY, name, spec)
        (folder / f"{name}.{end}").write_text(text)
    LIST.write_text(
        LIST.read_text().replace(
            f"warpdex_structure({family})\n", f"warpdex_structure({family})\nwarpdex_structure({name})\n"
        )
    )
    print(f"wrote a binary search as {spec}; what is left:")
    check([name])
    return 0


def main(words: list[str]) -> int:
    if words[:1] == ["check"]:
        return check(words[1:])
    if words[:1] == ["new"] and len(words) == 3:
        return begin(*words[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
