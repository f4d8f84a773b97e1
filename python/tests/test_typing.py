# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What the annotations of public functions say. Type checkers read them in `test_process`."""

import ast
import inspect
import typing

import pytest
from public_names import public_names

MODULES = ("duckdb", "pandas", "polars", "ray", "torch")


def public_callables():
    """All public functions, and the methods and properties of public classes, by name."""
    found = public_names()
    for module in MODULES:
        try:
            owner = getattr(__import__(f"warpdex.{module}"), module)
        except ImportError:
            continue
        own = {name: value for name, value in vars(owner).items() if not name.startswith("_")}
        homes = f"warpdex.{module}", "warpdex.ray.spans"
        found |= {f"{module}.{name}": value for name, value in own.items() if getattr(value, "__module__", "") in homes}
    for name, value in found.items():
        if not isinstance(value, type):
            if callable(value):
                yield name, value
            continue
        for member in dir(value):
            if member.startswith("_") or not _is_ours(value, member):
                continue
            of = inspect.getattr_static(value, member)
            of = of.fget if isinstance(of, property) else of
            of = of.__func__ if isinstance(of, (classmethod, staticmethod)) else of
            if inspect.isfunction(of):
                yield f"{name}.{member}", of


def _is_ours(kind, member):
    owner = next((base for base in kind.__mro__ if member in vars(base)), None)
    return owner is not None and owner.__module__.startswith("warpdex")


def _answers(function):
    """The types that a function answers, as texts: of all overloads, if it has some. A missing one is Any."""
    plain = inspect.unwrap(function)
    each = typing.get_overloads(plain) or [plain]
    return [inspect.formatannotation(one.__annotations__.get("return", "Any")).strip("'") for one in each]


def _is_any(text):
    """Whether a type is Any, or a union or a tuple with Any in it."""
    tree = text if isinstance(text, ast.AST) else ast.parse(str(text), mode="eval").body
    if isinstance(tree, ast.BinOp):
        return _is_any(tree.left) or _is_any(tree.right)
    if isinstance(tree, ast.Starred):
        return _is_any(tree.value)
    if isinstance(tree, ast.Subscript) and ast.unparse(tree.value) == "tuple":
        items = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
        return any(map(_is_any, items))
    return ast.unparse(tree) in ("Any", "typing.Any", "object")


CALLABLES = dict(public_callables())


def test_there_are_public_functions_of_all_kinds():
    for name in ("Index.find", "Index.load", "Index.nbytes", "Intervals.nearest", "joins.hash_join", "gather"):
        assert name in CALLABLES


@pytest.mark.parametrize("name", CALLABLES)
def test_public_functions_say_what_they_answer(name):
    answers = _answers(CALLABLES[name])
    assert not any(map(_is_any, answers)), f"{name} answers {answers}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Any", True),
        ("tuple[Any, int]", True),
        ("tuple[int, *tuple[Any, ...]]", True),
        ("int | Any", True),
        ("tuple[Table, *tuple[Array, ...]]", False),
        ("list[Any]", False),
        ("np.integer[Any]", False),
        ("None", False),
    ],
)
def test_what_is_any(text, expected):
    assert _is_any(text) == expected
