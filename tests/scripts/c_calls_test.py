#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""tests/c_api/calls.txt has each public call of C++: functions of C that do the same, or a reason why there is none. Each
function of C is in it, but for those that have no call of their own in C++, and a test in C calls it."""

import re
import unittest

from api_pages_test import HEADERS, ROOT, calls

FOLDER = ROOT / "tests/c_api"
DECLARED = {*re.findall(r"^(?:int32_t|char const\*|void|double) (warpdex_\w+)\(", HEADERS["warpdex.h"], re.M)}
# Of what C++ does by constructors and destructors, or by the type of an object.
WITHOUT_A_CALL = {"warpdex_build_networks", "warpdex_build_aggregates", "warpdex_control_make", "warpdex_kind"}
WITHOUT_A_CALL |= {"warpdex_build_set", "warpdex_build_quantiles", "warpdex_free", "warpdex_release"}
WITHOUT_A_CALL |= {"warpdex_control_free", "warpdex_encoder_free"}


def rows():
    """What the table says: by header and class the calls of each row, and what C has."""
    for line in (FOLDER / "calls.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, names, answer = re.fullmatch(r"(\w+\.hpp(?: \w+)?): (.+?) = (.+)", line).groups()
            yield place, names.split(), answer


def public_calls():
    """All public calls: by header, and by header and class."""
    for path in sorted((ROOT / "include/warpdex").glob("*.hpp")):
        name, text = path.name, path.read_text()
        text = re.sub(r"^namespace detail \{\n.*?^\}  // namespace detail$", "", text, flags=re.M | re.S)
        text = re.sub(r"^template <.*> (?=class )", "", text, flags=re.M)
        heads = r"^(?!//|return\b|using\b|template\b|extern\b)(?:[\w:<>,&*]+ )+(\w+)\("
        yield name, {*re.findall(heads, text, re.M)}
        for of in re.findall(r"^class (\w+)[^;\n]*\{", text, re.M):
            yield f"{name} {of}", calls(text, of)


class Calls(unittest.TestCase):
    def test_each_call_has_a_row(self):
        table = {}
        for place, names, _ in rows():
            for name in names:
                self.assertNotIn(name, table.setdefault(place, []), place)
                table[place].append(name)
        for place, names in public_calls():
            known = table.pop(place, [])
            with self.subTest(place):
                gone = [name for name in known if name != "*" and name not in names]
                self.assertEqual(gone, [], f"{place} has no such calls")
                missing = sorted(names - {*known}) if "*" not in known else []
                self.assertEqual(missing, [], f"{place}: calls.txt has no row")
        self.assertEqual(table, {}, "rows without a header or class")

    def test_each_function_exists(self):
        used = {name for _, _, answer in rows() if not answer.startswith("- ") for name in answer.split()}
        self.assertEqual(sorted(used - DECLARED), [])
        self.assertEqual(sorted(DECLARED - used - WITHOUT_A_CALL), [])

    def test_each_function_is_tested(self):
        tests = "".join(path.read_text() for path in FOLDER.glob("*.c"))
        self.assertEqual([name for name in sorted(DECLARED) if f"{name}(" not in tests], [])


if __name__ == "__main__":
    unittest.main()
