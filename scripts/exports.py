#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""exports.py LIBRARY [NARROW]: prints src/exports.map, the symbols that the shared library shows: of those of LIBRARY, a
build that shows all (WARPDEX_EXPORT_INTERNALS), the ones that public headers declare. With NARROW, a library linked by
that map, instead fails unless the map is up to date and NARROW shows what it says and no more.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_END = "[!a-z_]*"  # after a name: parameters, arguments of a template, or a tag; version scripts have no parentheses
_HEAD = """/* SPDX-FileCopyrightText: 2026 The warpdex authors
   SPDX-License-Identifier: Apache-2.0

   What the shared library shows: what public headers declare, and nothing of its own parts nor of the libraries that it
   was built with. Made by scripts/exports.py. */
{
  global:
    warpdex_*;
    extern "C++" {
"""
_TAIL = """    };
  local: *;
};
"""


_OF_CLASS = re.compile(r"(?:typeinfo|vtable) for warpdex::(\w+)$")  # what casts and calls of virtual functions need


def shown(library):
    """The symbols of a library that are no copies of templates and inline functions, as C++ writes them."""
    listed = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True)
    lines = (line.split(" ", 2) for line in listed.stdout.splitlines())
    return {name for _, kind, name in lines if kind in "TBDR" or (kind == "V" and _OF_CLASS.match(name))}


def declared():
    """The names of classes, and of what public headers call or declare like functions."""
    classes, functions = set(), set()
    for header in sorted((_ROOT / "include/warpdex").glob("*.hpp")):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        classes |= set(re.findall(r"^(?:class|struct) (\w+)[^;{]*\{", text, re.MULTILINE))
        functions |= set(re.findall(r"^(?:\[\[noreturn\]\] )?\w[^\n;(]*?\b(\w+)\(", text, re.MULTILINE))
    return classes, functions


def instantiated():
    """The names of public class templates whose members are compiled in the library alone."""
    headers = "".join(header.read_text() for header in (_ROOT / "include/warpdex").glob("*.hpp"))
    sources = "".join(source.read_text() for source in (_ROOT / "src").rglob("*.cpp"))
    made = set(re.findall(r"^template (?:class|struct) (\w+)<", sources, re.MULTILINE))
    return made & set(re.findall(r"^template <[^>]*> (?:class|struct) (\w+) ", headers, re.MULTILINE))


def wanted(names):
    """The patterns of a version script for names of a library."""
    classes, functions = declared()
    patterns = {f"warpdex::{name}{_END}" for name in instantiated()}
    for name in names:
        if (of_class := _OF_CLASS.match(name)) and of_class[1] in classes:
            patterns.add(f'"{name}"')
        found = re.match(r"warpdex::((?:detail::)?)(\w+)(?:\[abi:cxx11\])?(::|\()", name)
        if found is None:
            continue
        within, word, then = found.groups()
        if then == "::" and word in classes:
            patterns.add(f"warpdex::{word}::*")
        elif then == "(" and word in functions:
            patterns.add(f"warpdex::{within}{word}{_END}")
    return sorted(patterns)


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern.strip('"')) for pattern in patterns)


def main():
    patterns = wanted(shown(sys.argv[1]))
    text = _HEAD + "".join(f"      {p};\n" for p in patterns) + _TAIL
    if len(sys.argv) == 2:
        print(text, end="")
        return
    if (_ROOT / "src/exports.map").read_text() != text:
        sys.exit(f"src/exports.map is out of date: scripts/exports.py {sys.argv[1]} >src/exports.map")
    listed = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[2]], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        name = line.split(" ", 2)[2]
        if not name.startswith("warpdex_") and not matches(name, patterns):
            sys.exit(f"{sys.argv[2]} shows what no public header declares: {name}")
    if missing := {n for n in shown(sys.argv[1]) if matches(n, patterns)} - shown(sys.argv[2]):
        sys.exit(f"{sys.argv[2]} does not show {min(missing)}")
    print(len(listed.stdout.splitlines()), "symbols are shown")


main()
