#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The pages of the C++ and the C interface have every public header once, and every call of the indexes."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = {path.name: path.read_text() for path in (ROOT / "include/warpdex").rglob("*.*")}
PAGES = [path.read_text() for path in sorted((ROOT / "docs/api").rglob("*.rst"))]
CLASSES = {"any_index": "any_index.hpp", "index": "index.hpp"}  # whose members are on several pages


def listed(pages, name):
    """The members of a class that pages list, one by one."""
    found = re.findall(rf"^\.\. doxygenclass:: warpdex::{name}\n   :members: (.*)$", "\n".join(pages), re.M)
    return [member for line in found for member in line.split(", ")]


def calls(header, name):
    """The public calls of a class, without its constructors and those that it has from its base."""
    public = re.search(rf"^class {name}\b.*?^ public:\n(.*?)^(?: private:| protected:|\}};)", header, re.M | re.S)[1]
    heads = re.findall(r"^  (?!//|return\b)(?:[\w:<>,&*~]+ )+(\w+)\(", public, re.M)
    again = {*re.findall(r"^  .*?\b(\w+)\([^;{]*\boverride;", public, re.M)}
    return {*heads} - (again - {"save"}) - {name}  # an index is also saved without a path


class Pages(unittest.TestCase):
    def test_each_header_is_on_a_page(self):
        files = [file for page in PAGES for file in re.findall(r"^\.\. doxygenfile:: (\S+)$", page, re.M)]
        self.assertEqual(sorted(files), sorted(HEADERS.keys() - {*CLASSES.values()}))

    def test_each_call_is_on_a_page(self):
        for name, header in CLASSES.items():
            with self.subTest(name):
                members = listed(PAGES, name)
                self.assertEqual(sorted(members), sorted(calls(HEADERS[header], name)))

    def test_each_struct_beside_them_is_on_a_page(self):
        structs = re.findall(r"^\.\. doxygenstruct:: warpdex::(\w+)$", "\n".join(PAGES), re.M)
        for header in CLASSES.values():
            for struct in re.findall(r"^struct (\w+) \{", HEADERS[header], re.M):
                self.assertIn(struct, structs)


if __name__ == "__main__":
    unittest.main()
