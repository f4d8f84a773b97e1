# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Windows: quantiles, values of types that have no sums, prevailing rows, and several windows in one call."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex
from warpdex import Index, RangeQuantiles

START = datetime.datetime(2024, 3, 1, 9)
LIBRARIES = {
    "pandas": lambda columns: pd.DataFrame({name: pd.array(values) for name, values in columns.items()}),
    "arrow in pandas": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": lambda columns: pa.table(columns),
}


@pytest.fixture(params=LIBRARIES)
def frame(request):
    return LIBRARIES[request.param]


def listed(table, name):
    """A column as Python's values, of which null is None."""
    if isinstance(table, pd.DataFrame):
        values = [None if pd.isna(value) else value for value in table[name].tolist()]
        return [value.to_pydatetime() if isinstance(value, pd.Timestamp) else value for value in values]
    return table.column(name).to_pylist() if isinstance(table, pa.Table) else table.get_column(name).to_list()


def some(rng, values, size, nulls):
    """Random values, some of which are None."""
    picked = [values[i] for i in rng.integers(0, len(values), size)]
    return [None if nulls and rng.random() < 0.2 else value for value in picked]


def values_of(rng, kind, size, nulls):
    choices = {
        "int": list(range(-9, 10)),
        "float": [value / 4 for value in range(-9, 10)],
        "str": [f"s{value}" for value in range(12)],
        "bool": [False, True],
        "time": [START + datetime.timedelta(seconds=value) for value in range(9)],
        "length": [datetime.timedelta(seconds=value) for value in range(-4, 5)],
        "decimal": [decimal.Decimal(value) / 100 for value in range(-9, 10)],
    }
    return some(rng, choices[kind], size, nulls)


def rows_in(left, right, t, before, after):
    """The right rows of a window, closed on both sides, in any order."""
    return [i for i, key in enumerate(right) if key is not None and t - before <= key <= t + after]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("kind", ["int", "float", "str", "bool", "time", "length", "decimal"])
def test_quantiles_and_ends(frame, kind, nulls):
    rng = np.random.default_rng([len(kind), nulls])
    left = {"t": rng.integers(0, 60, 50).tolist()}
    right = {"t": rng.integers(0, 60, 90).tolist(), "v": values_of(rng, kind, 90, nulls)}
    agg = {"v": ["min", "max", "median", ("quantile", 0.25), "count"]}
    found = warpdex.window(frame(left), frame(right), on="t", before=4, after=3, agg=agg)
    is_number = kind in ("int", "float", "bool", "decimal")
    for row, t in enumerate(left["t"]):
        inside = (right["v"][i] for i in rows_in(left, right["t"], t, 4, 3))
        values = sorted(value for value in inside if value is not None)
        got = {name: listed(found, f"v_{name}")[row] for name in ("min", "max", "median", "quantile_0.25", "count")}
        assert got["count"] == len(values)
        if not values:
            assert [got[name] for name in ("min", "max", "median", "quantile_0.25")] == [None] * 4
            continue
        assert (got["min"], got["max"]) == (values[0], values[-1])
        for name, q in (("median", 0.5), ("quantile_0.25", 0.25)):
            if is_number:
                assert got[name] == pytest.approx(np.quantile(np.array(values, float), q)), (row, name)
            else:
                assert got[name] == values[int(q * (len(values) - 1))], (row, name)


def test_sums_and_means_of_times_and_bools(frame):
    rng = np.random.default_rng(4)
    left = {"t": [10, 30, 90]}
    right = {"t": rng.integers(0, 60, 80).tolist()}
    right |= {kind: values_of(rng, kind, 80, True) for kind in ("bool", "time", "length")}
    agg = {"bool": ["sum", "mean", "std"], "time": "mean", "length": ["sum", "mean"]}
    found = warpdex.window(frame(left), frame(right), on="t", before=9, after=9, agg=agg)
    for row, t in enumerate(left["t"]):
        inside = rows_in(left, right["t"], t, 9, 9)
        of = {name: [right[name][i] for i in inside if right[name][i] is not None] for name in agg}
        assert listed(found, "bool_sum")[row] == sum(of["bool"])
        assert listed(found, "length_sum")[row] == sum(of["length"], datetime.timedelta())
        if not inside:
            assert all(listed(found, name)[row] is None for name in ("bool_mean", "time_mean", "length_mean"))
            continue
        assert listed(found, "bool_mean")[row] == pytest.approx(np.mean(of["bool"]))
        assert listed(found, "bool_std")[row] == pytest.approx(np.std(np.array(of["bool"], float), ddof=1))
        micro = datetime.timedelta(microseconds=1)
        mean = sum((time - START for time in of["time"]), datetime.timedelta()) // micro // len(of["time"]) * micro
        assert abs(listed(found, "time_mean")[row] - (START + mean)) <= micro
        mean = sum(of["length"], datetime.timedelta()) // micro // len(of["length"]) * micro
        assert abs(listed(found, "length_mean")[row] - mean) <= micro


@pytest.mark.parametrize(
    "make", [lambda s: s.dt.tz_localize("Europe/Berlin"), lambda s: s.dt.as_unit("ms"), lambda s: s]
)
def test_means_have_the_type_of_the_column(make):
    times = make(pd.Series(pd.to_datetime(["2024-01-01 00:00:00", "2024-01-01 00:00:03"])))
    left, right = pd.DataFrame({"t": [1, 9]}), pd.DataFrame({"t": [1, 1], "v": times})
    found = warpdex.window(left, right, on="t", before=0, after=0, agg={"v": ["mean", "min"]})
    assert found["v_mean"].dtype == found["v_min"].dtype == times.dtype
    assert found["v_mean"][0] - times[0] == pd.Timedelta(seconds=1.5) and found["v_mean"].isna().tolist() == [
        False,
        True,
    ]
    days = pl.DataFrame({"t": [1, 1], "v": [datetime.date(2024, 1, 1), datetime.date(2024, 1, 4)]})
    found = warpdex.window(pl.DataFrame({"t": [1]}), days, on="t", before=0, after=0, agg={"v": ["mean", "max"]})
    assert found["v_mean"].to_list() == [datetime.date(2024, 1, 2)] and found["v_max"].dtype == pl.Date


@pytest.mark.parametrize("closed", ["both", "left", "right", "none"])
@pytest.mark.parametrize("kind", [int, float])
def test_prevailing_rows(frame, closed, kind):
    rng = np.random.default_rng(len(closed))
    left = {"t": [kind(t) for t in rng.integers(0, 60, 60)], "g": rng.integers(0, 4, 60).tolist()}
    right = {"t": [kind(t) for t in rng.integers(0, 60, 40)], "g": rng.integers(0, 4, 40).tolist()}
    right["v"] = list(range(40))
    found = warpdex.window(
        frame(left),
        frame(right),
        on="t",
        by="g",
        before=kind(4),
        after=kind(3),
        closed=closed,
        include_prevailing=True,
        agg={"*": "count", "v": ["first", "sum"]},
    )
    for row, (t, g) in enumerate(zip(left["t"], left["g"])):
        mine = sorted((key, i) for i, key in enumerate(right["t"]) if right["g"][i] == g)
        starts = (lambda key: key >= t - 4) if closed in ("both", "left") else (lambda key: key > t - 4)
        ends = (lambda key: key <= t + 3) if closed in ("both", "right") else (lambda key: key < t + 3)
        inside = [i for key, i in mine if starts(key) and ends(key)]
        prevailing = [i for key, i in mine if key <= t - 4][-1:]
        rows = inside if prevailing and prevailing[0] in inside else prevailing + inside
        assert listed(found, "count")[row] == len(rows), (row, closed)
        assert listed(found, "v_sum")[row] == sum(rows)
        assert listed(found, "v_first")[row] == (rows[0] if rows else None)


def test_prevailing_rows_at_the_ends_of_a_type():
    left = pd.DataFrame({"t": np.array([-(2**63), 2**63 - 1])})
    right = pd.DataFrame({"t": np.array([-(2**63), 5, 2**63 - 1]), "v": [1, 2, 3]})

    def sums(before, after):
        return warpdex.window(
            left, right, on="t", before=before, after=after, agg={"v": "sum"}, include_prevailing=True
        )["v_sum"].tolist()

    assert sums(3, 3) == [1, 5]
    assert sums(-1, 5) == [1, 3]
    assert sums(9, -7) == [0, 2]


def test_several_windows_are_those_of_several_calls(frame):
    rng = np.random.default_rng(2)
    left = frame({"t": rng.integers(0, 60, 50).tolist(), "g": rng.integers(0, 3, 50).tolist()})
    right = frame({"t": rng.integers(0, 60, 90).tolist(), "g": rng.integers(0, 3, 90).tolist(), "v": list(range(90))})
    options = {"on": "t", "by": "g", "agg": {"v": ["sum", "median", "max", "last"], "*": "count"}}
    sides = {"short": (2, 0), "long": (20, 5), "later": (-3, [4] * 50)}
    found = warpdex.window(left, right, windows=sides, **options)
    for name, (before, after) in sides.items():
        alone = warpdex.window(left, right, before=before, after=after, **options)
        for column in ("v_sum", "v_median", "v_max", "v_last", "count"):
            assert listed(found, f"{column}_{name}") == listed(alone, column), (name, column)


def test_wrong_questions():
    left, right = pd.DataFrame({"t": [1, 2]}), pd.DataFrame({"t": [1], "v": [3], "s": ["a"], "d": [START]})
    for changed, words in (
        ({"windows": {"a": (1, 1)}}, "give no before and after"),
        ({"before": None}, "before and after are distances"),
        ({"before": None, "after": None, "windows": {}}, "windows is {}"),
        ({"before": None, "after": None, "windows": {"a": 1}}, "windows['a'] is 1"),
        ({"include_prevailing": True, "include_last_before": True}, "both True"),
        ({"agg": {"v": ("quantile", 1.5)}}, "the quantile 1.5 of 'v'"),
        ({"agg": {"v": ("quantile", "a")}}, "the quantile 'a' of 'v'"),
        ({"agg": {"v": pl.mean}}, "it may be one of"),
        ({"agg": {"s": "mean"}}, "'s' is of type string"),
        ({"agg": {"d": "sum"}}, "has no sum"),
        ({"agg": {"d": "std"}}, "has no std"),
    ):
        options = {"on": "t", "before": 1, "after": 1, "agg": {"v": "sum"}, **changed}
        with pytest.raises(warpdex.Error) as raised:
            warpdex.window(left, right, **options)
        assert words in str(raised.value), (changed, str(raised.value))


@pytest.mark.parametrize("kind", ["int", "float", "str", "time"])
def test_quantiles_of_an_index(kind):
    rng = np.random.default_rng(len(kind))
    keys, values = rng.integers(0, 30, 200), values_of(rng, kind, 200, True)
    index = Index(keys, "AO+PB+KS(9)")
    of = RangeQuantiles(index, values)
    low = rng.integers(0, 30, 40)
    high = low + rng.integers(-2, 9, 40)
    for q, side in ((0, "lower"), (0.5, "higher"), (0.3, "nearest"), (1, "lower")):
        rows = of.in_ranges(low, high, q, side)
        for a, b, row in zip(low, high, rows.tolist()):
            inside = [(values[i], i) for i in range(200) if a <= keys[i] <= b and values[i] is not None]
            inside.sort()
            if not inside:
                assert row == -1
                continue
            rank = q * (len(inside) - 1)
            rank = {"lower": np.floor(rank), "higher": np.ceil(rank), "nearest": np.floor(rank + 0.5)}[side]
            assert row == inside[int(rank)][1]
    with pytest.raises(warpdex.errors.InvalidArgument, match="quantile is 2"):
        of.in_ranges([1], [2], 2)
    with pytest.raises(warpdex.errors.InvalidArgument, match="side is 'middle'"):
        of.in_ranges([1], [2], 0.5, "middle")
    index.insert([3], [200])
    with pytest.raises(warpdex.errors.Busy):
        of.in_ranges([1], [2], 0.5)
