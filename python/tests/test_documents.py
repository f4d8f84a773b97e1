# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The page of the Python interface has every public name, once, and every name has a text."""

import pathlib
import re

import warpdex

PAGE = (pathlib.Path(__file__).parents[2] / "docs/api/python.md").read_text()
NAMED = re.findall(r"^\.\. auto\w+:: warpdex\.([\w.]+)$", PAGE, re.M)


def test_names_are_on_the_page_once():
    members = [f"Index.{name}" for name in dir(warpdex.Index) if name[0] != "_"]
    assert sorted([*warpdex.__all__, *members, "pandas.merge_asof"]) == sorted(NAMED)


def test_names_have_texts():
    for name in warpdex.__all__:
        one = getattr(warpdex, name)
        members = [getattr(one, each) for each in dir(one) if each[0] != "_"] if isinstance(one, type) else []
        # Those of exceptions are Python's own, and a field of a tuple is told with the tuple.
        for each in [one] if issubclass(type(one), type) and issubclass(one, (Exception, tuple)) else [one, *members]:
            each = each.fget if isinstance(each, property) else each
            assert not callable(each) or (each.__doc__ or "").strip(), f"{name}: {each} has no text"
