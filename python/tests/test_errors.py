# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Every function of the package with every wrong kind of argument: what fails is a `warpdex.Error` of one line that names
the argument."""

import datetime
import decimal
import fractions
import inspect
import os
import pickle
import sys
import uuid

import numpy as np
import pytest
from public_names import public_names

import warpdex
from warpdex import Index
from warpdex.lookups import border

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

import warpdex.duckdb  # noqa: E402
import warpdex.pandas  # noqa: E402
import warpdex.polars  # noqa: E402


def hostile(*names):
    """An object whose methods fail."""

    def fail(*given, **named):
        raise ZeroDivisionError("no\nsuch thing")

    return type("Hostile", (), dict.fromkeys(names, fail))()


WRONG = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "2**70": lambda: 2**70,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "1j": lambda: 1j,
    "text": lambda: "x",
    "no text": lambda: "",
    "text with NUL": lambda: "a\0b",
    "a surrogate": lambda: "\udcff",
    "bytes": lambda: b"x",
    "bytes of no text": lambda: b"\xff",
    "no tuple": lambda: (),
    "tuple": lambda: (1,),
    "triple": lambda: (1, 2, 3),
    "no list": lambda: [],
    "list of None": lambda: [None],
    "list of texts": lambda: ["x", "y"],
    "list of surrogates": lambda: ["\udcff"],
    "list of 3": lambda: [0, 1, 2],
    "ragged list": lambda: [[1], [2, 3]],
    "list of objects": lambda: [object()],
    "mixed list": lambda: [1, "a", None, 2.5],
    "dict": lambda: {"a": 1},
    "set": lambda: {1},
    "object": object,
    "type": lambda: int,
    "iterator": lambda: iter([1]),
    "range": lambda: range(3),
    "bytearray": lambda: bytearray(b"xy"),
    "memoryview": lambda: memoryview(b"xy"),
    "timedelta": lambda: datetime.timedelta(1),
    "date": lambda: datetime.date(2020, 1, 1),
    "UUID": lambda: uuid.UUID(int=1),
    "Decimal": lambda: decimal.Decimal("1.5"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "int8": lambda: np.int8(1),
    "NaT": lambda: np.datetime64("NaT"),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "years": lambda: np.timedelta64(1, "Y"),
    "array of 0 dimensions": lambda: np.array(5),
    "array of 2 dimensions": lambda: np.zeros((2, 2)),
    "array of 3 zeros": lambda: np.zeros(3, np.int64),
    "array of floats": lambda: np.array([0.5, 1e300, np.inf]),
    "array of complex": lambda: np.array([1j]),
    "array of objects": lambda: np.array([object()], object),
    "array of records": lambda: np.array([(1, 2)], "i4,i4"),
    "array of strings": lambda: np.array(["a", "b"]),
    "array of bytes": lambda: np.array([b"a"]),
    "array of foreign bytes": lambda: np.array([1], ">i4"),
    "array of longdouble": lambda: np.array([1], np.longdouble),
    "array of times": lambda: np.array(["2020-01-01"], "M8[D]"),
    "array without unit": lambda: np.array([1], "m8"),
    "masked array": lambda: np.ma.masked_array([1, 2], [True, False]),
    "pandas.DataFrame": lambda: pd.DataFrame({"a": [1]}),
    "pandas.Series": lambda: pd.Series([1, None]),
    "pandas.MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, 2)]),
    "pandas.Interval": lambda: pd.Interval(0, 1),
    "pandas intervals": lambda: pd.Series(pd.interval_range(0, 2)),
    "pandas.Timedelta": lambda: pd.Timedelta(1, "h"),
    "pandas.NA": lambda: pd.NA,
    "pandas periods": lambda: pd.Series(pd.period_range("2020", periods=2)),
    "polars.Series": lambda: pl.Series([1, None]),
    "polars lists": lambda: pl.Series([[1], [2]]),
    "polars.DataFrame": lambda: pl.DataFrame({"a": [1]}),
    "polars.LazyFrame": lambda: pl.LazyFrame({"a": [1]}),
    "polars.Expr": lambda: pl.col("a"),
    "pyarrow.Table": lambda: pa.table({"a": [1]}),
    "pyarrow lists": lambda: pa.array([[1]]),
    "pyarrow nulls": lambda: pa.nulls(2),
    "an index": lambda: Index([1]),
    "hostile array": lambda: hostile("__array__"),
    "hostile numbers": lambda: hostile("__index__", "__float__", "__bool__", "__len__", "__iter__", "__getitem__"),
    "hostile path": lambda: hostile("__fspath__", "__str__", "__repr__"),
    "hostile Arrow": lambda: hostile("__arrow_c_array__"),
    "hostile DLPack": lambda: hostile("__dlpack__", "__dlpack_device__"),
    "hostile stream": lambda: hostile("__cuda_stream__", "__eq__", "__hash__"),
    "hostile attributes": lambda: hostile("__getattr__"),
}

ORDERS = {"k": [1, 3], "t": [1, 2], "end": [4, 5]}
CUSTOMERS = {"k": [1, 2], "t": [0, 9], "v": [5, 6]}

# Arguments that are right, by name.
RIGHT = {
    "keys": lambda: [1],
    "rows": lambda: [5],
    "ranks": lambda: [0],
    "groups": lambda: [1],
    "insert_rows": lambda: [7],
    "path": lambda: "some.wdx",
    "device": lambda: "cpu",
    "stored": lambda: Index([1]).to_bytes(),
    "a": lambda: [1, 2],
    "v": lambda: [1],
    "index": lambda: Index([1, 2]),
    "networks": lambda: warpdex.Networks(["::/0"]),
    "con": duckdb.connect,
    "sql": lambda: "select 1 as k",
    "on": lambda: "k",
    "indexes": lambda: Index([1]),
}
FRAMES = {
    "join": {"on": lambda: "k"},
    "join_asof": {"on": lambda: "t"},
    "join_between": {"on": lambda: "t", "lower": lambda: "t", "upper": lambda: "end"},
    "merge_asof": {"on": lambda: "t"},
    "join_networks": {
        "right": lambda: pl.DataFrame({"net": ["::/0", "10.0.0.0/8"]}),
        "left_on": lambda: "k",
        "right_on": lambda: "net",
    },
    **{name: {"on": lambda: ("t", "t")} for name in ("overlaps", "nearest", "coverage", "subtract_intervals")},
}
OTHERS = {
    **{
        f"{name}_intervals": {"frame": lambda: pd.DataFrame(ORDERS), "on": lambda: ("t", "end")}
        for name in ("merge", "cluster", "complement")
    },
    "ascends": {"values": lambda: [1, 2]},
    "asof_merge": {"left": lambda: [1], "right": lambda: [1, 2]},
    "draw": {"spec": lambda: "AO+BS"},
    "drop_duplicates": {"frame": lambda: pd.DataFrame(ORDERS)},
    "duplicates": {},
    "first_match": {"left": lambda: [1], "right": lambda: [1, 2]},
    "gather": {"rows": lambda: [0], "values": lambda: [1, 2]},
    "gather_rows": {"rows": lambda: [0], "table": lambda: np.ones((2, 2))},
    "gather_table": {"rows": lambda: [0], "table": lambda: pd.DataFrame(ORDERS)},
    "hash_join": {"left": lambda: [1], "right": lambda: [1, 2]},
    "join_columns": {"left": lambda: [1], "right": lambda: [1, 2]},
    "merge_join": {"left": lambda: [1], "right": lambda: [1, 2]},
    "measured_links": {},
    "measured_rates": {},
    "parse_addresses": {"texts": lambda: ["::1"]},
    "parse_networks": {"texts": lambda: ["::/0"]},
    "plan_join": {"rates": lambda: warpdex.joins.JoinRates(*[1.0] * 8), "left": lambda: 1, "right": lambda: 2},
    "prefix_borders": {"addresses": lambda: [0], "bits": lambda: [0]},
    "point_in_time": {
        "spine": lambda: pd.DataFrame(ORDERS),
        "tables": lambda: {"customers": pd.DataFrame(CUSTOMERS)},
        "on": lambda: "t",
    },
    "searchsorted": {},
    "unique": {},
    "window": {
        "left": lambda: pd.DataFrame(ORDERS),
        "right": lambda: pd.DataFrame(CUSTOMERS),
        "on": lambda: "t",
        "before": lambda: 1,
        "after": lambda: 1,
        "agg": lambda: {"v": "sum"},
    },
}
OBJECTS = {
    "Batcher": (
        lambda: warpdex.Batcher(Index([1])),
        {"index": lambda: Index([1]), "lookup": lambda: "find", "key": lambda: 1},
    ),
    "Drawing": (lambda: warpdex.draw("AO+BS", [1]), {"text": lambda: "<svg/>"}),
    "GroupedIndex": (
        lambda: warpdex.GroupedIndex([1], [1]),
        {
            **{name: lambda: [1] for name in ("groups", "keys", "probes", "lower", "upper", "values")},
            **{name: lambda: [1] for name in ("insert_groups", "insert_keys", "erase_groups", "erase_keys")},
        },
    ),
    "KeyEncoder": (
        lambda: warpdex.KeyEncoder.narrow(["u32", "u32"], [[1], [2]]),
        {
            "fields": lambda: ["u32", "u32"],
            "columns": lambda: [[1], [2]],
            "leading": lambda: [[1]],
            **{name: lambda: [2] for name in ("lower", "upper")},
            "keys": lambda: warpdex.KeyEncoder.narrow(["u32", "u32"], [[1], [2]]).encode([[1], [2]]),
        },
    ),
    "Networks": (
        lambda: warpdex.Networks(["::/0"]),
        {"cidrs": lambda: ["10.0.0.0/8"], "ips": lambda: ["::1"]},
    ),
    "Intervals": (
        lambda: warpdex.Intervals([1], [2]),
        {"start": lambda: [1], "end": lambda: [2], "points": lambda: [1]},
    ),
    "RangeAggregates": (
        lambda: warpdex.RangeAggregates(Index([1], "AO+BS"), [1]),
        {
            "index": lambda: Index([1], "AO+BS"),
            "values": lambda: [1],
            **{name: lambda: [1] for name in ("lower", "upper", "keys", "end")},
            "begin": lambda: [0],
            "k": lambda: 1,
        },
    ),
    "Marks": (lambda: warpdex.lookups.Marks(9), {"size": lambda: 9}),
    "Set": (
        lambda: warpdex.Set([1], rows=[2]),
        {
            "keys": lambda: [1],
            "probes": lambda: [1],
            "stored": lambda: warpdex.Set([1]).to_bytes(),
            "batches": lambda: [[1]],
        },
    ),
    "Pieces": (lambda: warpdex.devices.Pieces([[1]]), {"pieces": lambda: [[1]]}),
}
COLUMNS = ("keys", "probes", "prefixes", "lower", "upper", "target", "insert_keys", "erase_keys")
STRINGS = ("prefix_count", "prefix_sum", "prefix_retrieve", "longest_prefix")


def functions():
    """Every public function, and the right values of the arguments that it needs."""
    found = {}

    def add(name, function, right):
        found[name] = function, right

    for whole, one in public_names().items():
        name = whole.rpartition(".")[2]
        if inspect.isfunction(one):
            if name in OTHERS:
                add(name, one, OTHERS[name])
                continue
            for kind, make in (("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.table)):
                sides = {"left": lambda make=make: make(ORDERS), "right": lambda make=make: make(CUSTOMERS)}
                add(f"{name} of {kind}", one, {**sides, **FRAMES[name]})
            if name in FRAMES:
                sides = {"left": lambda: pl.LazyFrame(ORDERS), "right": lambda: pl.LazyFrame(CUSTOMERS)}
                add(f"{name} of lazy frames", one, {**sides, **FRAMES[name]})
    sides = {"left": lambda: pd.DataFrame(ORDERS), "right": lambda: pd.DataFrame(CUSTOMERS)}
    add("merge_asof", warpdex.pandas.merge_asof, {**sides, **FRAMES["merge_asof"]})
    add("Index", Index, {})
    classes = {name.rpartition(".")[2]: one for name, one in public_names().items()}
    for name, (make, right) in OBJECTS.items():
        add(name, classes[name], {**right, "keys": lambda: [1]})
        for method, member in inspect.getmembers(classes[name], inspect.isfunction):
            if not method.startswith("_"):
                first = {"self": make, **({"columns": lambda: [[1]]} if method == "leading" else {})}
                if (name, method) == ("Set", "insert"):
                    first = {"self": lambda: warpdex.Set([1])}  # whose keys come without rows
                add(f"{name}.{method}", member, {**right, **first})
    for name, member in inspect.getmembers(Index):
        if name.startswith("_") or not callable(member):
            continue
        if inspect.ismethod(member):  # of the class
            add(name, member, {"keys": lambda: np.array([1], np.uint32)} if name == "over_sorted" else {})
            continue
        for keys in ([1, 2], [1.5, 2.5], ["a", "b"], np.array(["2020-01-01"], "M8[D]")):
            if (name in STRINGS) == isinstance(keys[0], str) or name in ("find", "join_asof", "insert"):
                columns = dict.fromkeys(COLUMNS, lambda keys=keys: keys[:1])
                one = {"self": lambda keys=keys: Index(keys, "AO+BS"), "parents": lambda keys=keys: keys, **columns}
                add(f"{name} of {np.asarray(keys).dtype}", member, one)
    for name in ("join", "attach", "detach"):
        add(f"duckdb.{name}", getattr(warpdex.duckdb, name), {})
    for name, member in inspect.getmembers(warpdex.polars.Lookups, inspect.isfunction):
        if not name.startswith("_"):
            add(f"polars.{name}", member, {"self": lambda: pl.col("k").warpdex})
    return found


def right_values(function, right):
    parameters = inspect.signature(function).parameters
    given = {}
    for name, parameter in parameters.items():
        if (
            parameter.default is parameter.empty
            and (name in right or name in RIGHT)
            or name in ("on", "end", "before", "after")
            and name in right
        ):
            given[name] = (right.get(name) or RIGHT[name])()
    return given, parameters


def call(function, parameters, given):
    """Calls with arguments by name; by place where that is the only way."""
    first, named = [], {}
    by_place = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
    for name, value in given.items():
        kind = parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named["some"] = value
        elif by_place and kind is not inspect.Parameter.KEYWORD_ONLY:
            first.append(value)
        else:
            named[name] = value
    done = function(*first, **named)
    return done.collect() if isinstance(done, pl.LazyFrame) else done


FUNCTIONS = functions()


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Index([1]).save("some.wdx")


# Messages may name these instead.
ALSO = {
    "on": ("left", "right", "sql"),
    "left": ("lower", "on", "left_on"),
    "right": ("on", "right_on"),
    **dict.fromkeys(("by", "by_left", "by_right", "left_by", "right_by"), ("left", "right")),
    "first": ("how",),
    "spine": ("on",),
    "points": ("probes",),
    "key": ("probes",),
    "stored": ("memory: ",),
    "insert_keys": ("insert_rows",),
    "path": ("cannot open",),
    "indexes": ("some",),
    "last_open": ("columns",),
    **dict.fromkeys(("begin", "end"), ("first rank", "last rank")),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments(name):
    function, right = FUNCTIONS[name]
    given, parameters = right_values(function, right)
    call(function, parameters, given)
    bad = []
    for parameter in parameters:
        for kind, make in WRONG.items() if parameter != "self" else ():
            given, _ = right_values(function, right)
            try:
                call(
                    function,
                    parameters,
                    {n: make() if n == parameter else given[n] for n in parameters if n in given or n == parameter},
                )
            except warpdex.Error as why:
                text = str(why)
                if len(text.splitlines()) != 1 or not any(n in text for n in (parameter, *ALSO.get(parameter, ()))):
                    bad.append(f"{parameter} {kind}: {text!r}")
            except Exception as why:
                bad.append(f"{parameter} {kind}: {type(why)} {str(why)[:100]!r}")
    assert not bad, "\n".join(bad)


def test_errors_name_the_call_that_callers_know(monkeypatch):
    def fails(*given, **named):
        raise ZeroDivisionError("no such thing")

    @border.public
    def outer(keys):
        return Outer(keys)

    @border.public_methods()
    class Outer:
        def __init__(self, keys):
            self.index = Index(keys)

    grouped = warpdex.GroupedIndex([1], [2])
    for module in ("index", "grouped", "aggregates"):
        monkeypatch.setattr(f"warpdex.lookups.{module}.read", fails)
    for call, called in (
        (lambda: Index([1], device="cpu"), "Index(keys=[1], device='cpu')"),
        (lambda: warpdex.GroupedIndex([1], [2]), "GroupedIndex(groups=[1], keys=[2])"),
        (lambda: grouped.aggregates([1]), "aggregates(values=[1])"),  # which makes a RangeAggregates
        (lambda: Outer([1]), "Outer(keys=[1])"),
        (lambda: outer([1]), "outer(keys=[1])"),
    ):
        with pytest.raises(warpdex.errors.InvalidArgument) as caught:
            call()
        assert str(caught.value) == f"{called}: no such thing"
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_public_names_are_those_of_calls():
    for whole, member in public_names().items():
        name = whole.rpartition(".")[2]
        result = member.__init__ if inspect.isclass(member) else member
        if hasattr(result, "__wrapped__"):
            assert border.name_of(result.__wrapped__) == name


def test_a_wrong_number_of_arguments_is_pythons_own_error():
    index = Index([1])
    for call in (lambda: index.find(), lambda: index.find([1], [2]), lambda: index.count([1], some=2), lambda: Index()):
        with pytest.raises(TypeError, match="argument") as caught:
            call()
        assert not isinstance(caught.value, warpdex.Error)


@pytest.mark.parametrize("name", ["Error", *warpdex.errors.__all__])
def test_exceptions_are_pickled(name):
    kind = getattr(warpdex.errors, name)
    back = pickle.loads(pickle.dumps(kind("no\nsuch file")))
    assert type(back) is kind and str(back) == "no such file"
    assert getattr(sys.modules[kind.__module__], name) is kind  # as tracebacks say


def test_exceptions_of_callers_pass():
    class Own(ValueError):
        pass

    def fail(with_what):
        raise with_what

    index = Index([1])
    for why in (Own("a\nb"), ValueError("a\nb"), KeyError(1), OSError(5, "x")):
        with pytest.raises(type(why)) as caught:
            index.find([1], progress=lambda done: fail(why))
        assert caught.value is why

    class Array:
        def __array__(self, dtype=None, copy=None):
            raise why

    why = Own("mine")
    with pytest.raises(Own, match="mine"):
        index.find(Array())
    why = AttributeError("no\nsuch")
    with pytest.raises(warpdex.errors.KeyTypeError, match="probes is .*Array.*, which is no column: no$") as caught:
        index.find(Array())
    assert caught.value.__cause__ is why


@pytest.mark.parametrize("name", ["plain", b"bytes", "\udcff", b"\xff", "\u00e9"])
def test_paths_of_all_kinds(name, tmp_path):
    Index([5, 7]).save(name)
    assert Index.load(name).find([7]).tolist() == [1]
    assert os.fsencode(name) in os.listdir(os.fsencode(tmp_path))
    with pytest.raises(warpdex.errors.FileError, match="none"):
        Index.load(os.path.join(name, b"none" if isinstance(name, bytes) else "none"))


def test_a_path_with_a_zero_byte_is_refused():
    for name in ("a\0b", b"a\0b"):
        with pytest.raises(warpdex.errors.InvalidArgument, match="path is .*; a path has"):
            Index([1]).save(name)
        with pytest.raises(warpdex.errors.InvalidArgument, match="path is .*; a path has"):
            Index.load(name)
    assert os.listdir() == ["some.wdx"]


def test_tolerances_beyond_64_bits():
    index = Index(np.array([0, 2**64 - 1], np.uint64))
    assert index.join_asof([2**63], "nearest", tolerance=2**64 - 1).tolist() == [1]
    assert index.join_asof([2**63], tolerance=2**70).tolist() == [0]
    with pytest.raises(warpdex.errors.InvalidArgument, match="tolerance is 9223372036854775808"):
        index.join_asof([1], tolerance=2**63)
    for wrong in (-1, -(2**70)):
        with pytest.raises(warpdex.errors.InvalidArgument, match="tolerance"):
            index.join_asof([1], tolerance=wrong)
    with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance"):
        Index([1.5]).join_asof([1.5], tolerance=10**400)
    days = Index(np.array(["2020-01-01", "2020-01-05"], "M8[D]"))
    for days_apart, expected in ((1, -1), (3, 1)):
        found = days.get_indexer(np.array(["2020-01-03"], "M8[D]"), "nearest", tolerance=pd.Timedelta(days_apart, "D"))
        assert found.tolist() == [expected]
