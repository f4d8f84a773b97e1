# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The page of the Python interface has every public name, once, and every name has a text that tells the truth about
its arguments."""

import inspect
import pathlib
import re

import pytest

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


PUBLIC = [(name, getattr(warpdex, name)) for name in warpdex.__all__]
CLASSES = [(name, one) for name, one in PUBLIC if isinstance(one, type)]
MEMBERS = [(f"{name}.{each}", getattr(one, each)) for name, one in CLASSES for each in dir(one) if each[0] != "_"]
NAMES = {name.rpartition(".")[2] for name, one in PUBLIC + MEMBERS if callable(one)}
# Words of Python and of other libraries, and parts of names.
OTHERS = {"with", "str", "ipaddress", "match", "__cuda_array_interface__", "column_aggregate", "_", "warpdex"}


def arguments(one):
    """Those of a call or a property; of a class also those of its members."""
    found = set()
    for each in [one, *(getattr(one, name) for name in dir(one) if name[0] != "_")] if isinstance(one, type) else [one]:
        each = each.fget if isinstance(each, property) else each
        if callable(each):
            try:
                found |= set(inspect.signature(each).parameters)
            except (TypeError, ValueError):  # one that is written in C, or a protocol
                pass
    return found


def lies(one, of=None):
    """The words between backquotes that are meant as names, and name nothing."""
    own = arguments(one) | set(dir(of or one))
    text = (one.fget if isinstance(one, property) else one).__doc__ or ""
    code = re.findall(r"`([^`]+)`", text)
    named = {word for word in code if re.fullmatch(r"[A-Za-z_]\w*", word)} - NAMES - OTHERS
    set_ = {word for text in code if "(" not in text for word in re.findall(r"(\w+)=", text)}
    return sorted((named | set_) - own)


@pytest.mark.parametrize("name, one", [*PUBLIC, *MEMBERS], ids=lambda each: each if isinstance(each, str) else "")
def test_texts_name_arguments_that_exist(name, one):
    found = lies(one, getattr(warpdex, name.partition(".")[0]))
    assert not found, f"{name}: its text names {found}, which are no arguments of it"


def test_a_lie_is_noticed():
    def call(probes, how):
        """Reads `probes`, and `rows` by `how`; `side="left"` and `Index` and `warpdex.find(x, y=1)` too."""

    assert lies(call) == ["rows", "side"]
