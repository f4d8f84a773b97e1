# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The page of the Python interface has every public name, once, and every name has a text that tells the truth about
its arguments."""

import ast
import inspect
import pathlib
import re

import pytest
from public_names import public_names

import warpdex

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/api/python.md").read_text()
NAMED = re.findall(r"^\.\. auto\w+:: warpdex\.([\w.]+)$", PAGE, re.M)


# What else has public names. They are read and not imported, since not every machine has the library that they need.
MODULES = {
    "duckdb": ["duckdb.py"],
    "pandas": ["pandas.py"],
    "ray": ["ray/__init__.py", "ray/spans.py"],
    "torch": ["torch.py"],
}


def public(path):
    """The public functions and classes of a file, without an import of what it needs."""
    tree = ast.parse(path.read_text())
    return [one for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name[0] != "_"]


BESIDE = [
    (f"{module}.{one.name}", one)
    for module, files in MODULES.items()
    for file in files
    for one in public(ROOT / "python/warpdex" / file)
]


def test_names_are_on_the_page_once():
    members = [f"Index.{name}" for name in dir(warpdex.Index) if name[0] != "_"]
    beside = [name for name, _ in BESIDE]
    assert sorted([*public_names(), *members, *beside, "polars.Lookups"]) == sorted(NAMED)


def test_names_have_texts():
    for name, one in public_names().items():
        members = [getattr(one, each) for each in dir(one) if each[0] != "_"] if isinstance(one, type) else []
        # Those of exceptions are Python's own, and a field of a tuple is told with the tuple.
        for each in [one] if issubclass(type(one), type) and issubclass(one, (Exception, tuple)) else [one, *members]:
            each = each.fget if isinstance(each, property) else each
            assert not callable(each) or (each.__doc__ or "").strip(), f"{name}: {each} has no text"


PUBLIC = list(public_names().items())
CLASSES = [(name, one) for name, one in PUBLIC if isinstance(one, type)]
MEMBERS = [(f"{name}.{each}", getattr(one, each)) for name, one in CLASSES for each in dir(one) if each[0] != "_"]
NAMES = {name.rpartition(".")[2] for name, one in PUBLIC + MEMBERS if callable(one)}
NAMES_BESIDE = {name.rpartition(".")[2] for name, _ in BESIDE}
# Words of Python and of other libraries, parts of names, and values of arguments.
OTHERS = {"with", "str", "print", "ipaddress", "match", "unnest", "__cuda_array_interface__", "column_aggregate"}
OTHERS |= {"_", "warpdex", "auto"}


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
    text = (one.fget if isinstance(one, property) else one).__doc__ or ""
    return lies_in(text, arguments(one) | set(dir(of or one)))


def lies_in(text, own):
    """The same of a text, where `own` are the names that it may use."""
    code = re.findall(r"`([^`]+)`", text)
    named = {word for word in code if re.fullmatch(r"[A-Za-z_]\w*", word)} - NAMES - OTHERS
    set_ = {word for text in code if "(" not in text for word in re.findall(r"(\w+)=", text)}
    return sorted((named | set_) - own)


@pytest.mark.parametrize("name, one", [*PUBLIC, *MEMBERS], ids=lambda each: each if isinstance(each, str) else "")
def test_texts_name_arguments_that_exist(name, one):
    found = lies(one, next((owner for known, owner in CLASSES if name.startswith(f"{known}.")), one))
    assert not found, f"{name}: its text names {found}, which are no arguments of it"


def texts_of(one):
    """The texts of a function or class that was read, with the names that each may use, in classes those of all members."""
    calls = [each for each in ast.walk(one) if isinstance(each, ast.FunctionDef)]
    own = {each.name for each in calls} | {
        each.arg for call in calls for each in ast.walk(call.args) if isinstance(each, ast.arg)
    }
    told = [one, *(call for call in calls if call is not one and call.name[0] != "_")]
    return [(each.name, ast.get_docstring(each) or "", own) for each in told]


@pytest.mark.parametrize("name, one", BESIDE, ids=lambda each: each if isinstance(each, str) else "")
def test_texts_beside_them_name_arguments_that_exist(name, one):
    for member, text, own in texts_of(one):
        assert text, f"{name}: {member} has no text"
        found = lies_in(text, own | NAMES_BESIDE)
        assert not found, f"{name}: the text of {member} names {found}, which are no arguments of it"


def test_a_lie_is_noticed():
    def call(probes, how):
        """Reads `probes`, and `rows` by `how`; `side="left"` and `Index` and `warpdex.find(x, y=1)` too."""

    assert lies(call) == ["rows", "side"]


def defined(path):
    """The names of a file and the arguments of each, without an import of what it needs."""
    tree = ast.parse(path.read_text())
    return {
        one.name: {each.arg for each in one.args.args + one.args.kwonlyargs} | ({"**"} if one.args.kwarg else set())
        for one in tree.body
        if isinstance(one, ast.FunctionDef)
    }


SHOWN = [
    (f"{page.relative_to(ROOT)}:{at}", block)
    for page in sorted(ROOT.glob("docs/**/*.md"))
    for at, block in enumerate(re.findall(r"^```(?:python|\{code-cell\})\n(.*?)^```", page.read_text(), re.M | re.S), 1)
]


def wrong_in(block):
    """The calls of warpdex and warpdex.ray in a piece of code that name what there is not."""
    code = "\n".join(line for line in block.split("\n") if not re.match(r":\w+:|%", line))
    modules = {"wr": defined(ROOT / "python/warpdex/ray/__init__.py")}
    wrong = []
    for call in (one for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Call)):
        name = ast.unparse(call.func)
        head, _, last = name.rpartition(".")
        if head in modules:
            known = modules[head].get(last)
        elif head in ("warpdex", "warpdex.Index"):
            one = getattr(warpdex if head == "warpdex" else warpdex.Index, last, None)
            known = None if one is None else arguments(one.__init__ if isinstance(one, type) else one)
            known = {"**"} if known and {"options", "kwargs"} & known else known
        else:
            continue
        if known is None:
            wrong.append(name)
        elif "**" not in known:
            wrong += [f"{name}({each.arg}=)" for each in call.keywords if each.arg and each.arg not in known]
    return wrong


@pytest.mark.parametrize("place, block", SHOWN, ids=[place for place, _ in SHOWN])
def test_code_on_pages_calls_what_there_is(place, block):
    assert not wrong_in(block), f"{place} calls {wrong_in(block)}"


def test_a_wrong_call_is_noticed():
    assert wrong_in("warpdex.Index(k, devices=[0]).find(p)\nwr.build(d, on='a')\n") == []
    assert wrong_in("warpdex.Index(k, gpus=2)\n") == ["warpdex.Index(gpus=)"]
    assert wrong_in("warpdex.Index.open(f)\nwr.builds(d)\nwr.build(d, at=1)\n") == [
        "warpdex.Index.open",
        "wr.builds",
        "wr.build(at=)",
    ]


def rows_of_names():
    """The cells of the tables that name the counterparts of public names."""
    lines = (ROOT / "docs/guide/coming-from.md").read_text().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]


def test_each_name_has_its_counterparts():
    rows = rows_of_names()
    assert all(len(row) == 5 and all(row) for row in rows)
    told = [name for row in rows for name in re.findall(r"`([\w.]+)`", row[0])]
    wholly = {name for row in rows if " and its fields" in row[0] for name in re.findall(r"`([\w.]+)`", row[0])}
    members = {
        f"{name}.{each}"
        for name, one in CLASSES
        if not issubclass(one, Exception) and name not in wholly
        for each in dir(one)
        if each[0] != "_" and not (issubclass(one, tuple) and hasattr(tuple, each))
    }
    assert sorted(told) == sorted({*NAMED, *members})


@pytest.mark.parametrize("column, module", [(1, "pandas"), (2, "polars"), (4, "duckdb")])
def test_counterparts_exist(column, module):
    owner = pytest.importorskip(module)
    for name in {name for row in rows_of_names() for name in re.findall(r"`([A-Za-z_]\w*(?:\.\w+)*)`", row[column])}:
        if module != "duckdb" or name in ("Error", "create_function"):  # others are words of SQL
            assert hasattr(getattr(owner, name.split(".")[0]), "".join(name.split(".")[1:]) or "__class__"), name
