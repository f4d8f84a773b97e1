# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups and joins within groups, window joins and joins at a point in time, against loops over all rows."""

import datetime
import decimal
import math
import pickle
import statistics

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import warpdex
from warpdex import GroupedIndex

LIBRARIES = {
    "pandas": lambda columns: pd.DataFrame({name: pd.array(values) for name, values in columns.items()}),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": lambda columns: pa.table(columns),
}


@pytest.fixture(params=LIBRARIES)
def frame(request):
    return LIBRARIES[request.param]


def listed(table, name):
    """A column as Python's values, of which null is None."""
    if isinstance(table, pd.DataFrame):
        return [None if pd.isna(one) else one for one in table[name].tolist()]
    return table.column(name).to_pylist() if isinstance(table, pa.Table) else table.get_column(name).to_list()


def some(rng, low, high, size, nulls):
    values = rng.integers(low, high, size).tolist()
    return [None if nulls and rng.random() < 0.15 else value for value in values]


def inside(key, low, high, closed):
    if key is None or low is None or high is None:
        return False
    after = key >= low if closed in ("both", "left") else key > low
    return after and (key <= high if closed in ("both", "right") else key < high)


@pytest.mark.parametrize("closed", ["both", "left", "right", "none"])
@pytest.mark.parametrize("kind", ["integer", "string", "two columns"])
def test_lookups_within_groups(closed, kind):
    rng = np.random.default_rng(sum(map(ord, closed + kind)))
    groups, keys = rng.integers(0, 5, 120), rng.integers(0, 40, 120)
    query, low = rng.integers(0, 7, 80), rng.integers(-3, 42, 80)
    high = low + rng.integers(-3, 20, 80)

    def as_groups(of):
        if kind == "integer":
            return of
        return [f"g{one}" for one in of] if kind == "string" else (of // 2, of % 2)

    result = GroupedIndex(as_groups(groups), keys)
    assert len(result) == 120
    of = as_groups(query)
    points = [[int(r) for r in np.flatnonzero((groups == g) & (keys == p))] for g, p in zip(query, low)]
    assert result.find(of, low).tolist() == [rows[0] if rows else -1 for rows in points]
    assert result.contains(of, low).tolist() == [bool(rows) for rows in points]
    assert result.count(of, low).tolist() == list(map(len, points))
    offsets, rows = result.retrieve(of, low)
    assert [rows[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == points
    order = np.lexsort((np.arange(120), keys))
    for lower, upper in ((low, high), (low, None), (None, high)):
        ranges = [
            [
                int(r)
                for r in order
                if groups[r] == g and inside(keys[r], -99 if lower is None else a, 99 if upper is None else b, closed)
            ]
            for g, a, b in zip(query, low, high)
        ]
        assert result.range_count(of, lower, upper, closed).tolist() == list(map(len, ranges))
        assert result.range_sum(of, lower, upper, closed).tolist() == list(map(sum, ranges))
        offsets, rows = result.range_retrieve(of, lower, upper, closed)
        assert [rows[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == ranges
        left, right = result.join_between(of, lower, upper, "left", closed)
        pairs = [(i, r) for i, found in enumerate(ranges) for r in found or [-1]]
        assert list(zip(left.tolist(), right.tolist())) == pairs
    for name, side in (("floor", lambda k, p: k <= p), ("ceil", lambda k, p: k >= p)):
        near = [
            [(abs(int(keys[r]) - int(p)), int(r)) for r in np.flatnonzero(groups == g) if side(keys[r], p)]
            for g, p in zip(query, low)
        ]
        assert getattr(result, name)(of, low).tolist() == [min(found)[1] if found else -1 for found in near]


def test_groups_answer_in_the_kind_of_the_probes():
    result = GroupedIndex(["a", "b", "a", None], [1, 2, None, 4])
    assert len(result) == 2
    found = result.find(pl.Series(["a", "b", None, "a"]), pl.Series([1, 2, 1, None]))
    assert found.to_list() == [0, 1, None, None]
    assert result.count(pd.Series(["a", "z"]), pd.Series([1, 1])).tolist() == [1, 0]
    times = GroupedIndex([1, 1], np.array(["2020-01-01", "2020-01-05"], "M8[D]"))
    query = np.array(["2020-01-01T12", "2020-01-05T00"], "M8[h]")
    assert times.range_count([1, 1], query, None).tolist() == [1, 1]
    assert times.range_count([1, 1], None, query, "none").tolist() == [1, 1]
    assert times.find([1, 1], query).tolist() == [-1, 1]


def test_wrong_groups():
    result = GroupedIndex([1, 2], [1, 2])
    with pytest.raises(warpdex.errors.InvalidArgument, match="groups has 1 values, keys 2"):
        GroupedIndex([1], [1, 2])
    with pytest.raises(warpdex.errors.InvalidArgument, match="groups has 1 values, probes 2"):
        result.find([1], [1, 2])
    with pytest.raises(warpdex.errors.InvalidArgument, match="groups has 1 values, upper 2"):
        result.range_count([1], None, [1, 2])
    with pytest.raises(warpdex.errors.InvalidArgument, match="closed is 'all'"):
        result.range_count([1], [1], [2], "all")
    with pytest.raises(warpdex.errors.KeyTypeError):
        result.find(["a"], [1])


def expected_windows(left, right, before, after, closed, prevailing):
    """The right rows of each left row, in the order of time, then of rows."""
    order = sorted((t, i) for i, t in enumerate(right["t"]) if t is not None and right["g"][i] is not None)
    found = []
    for t, g, a, b in zip(left["t"], left["g"], before, after):
        rows, earlier = [], []
        if None not in (t, g, a, b):
            mine = [(key, i) for key, i in order if right["g"][i] == g]
            rows = [i for key, i in mine if inside(key, t - a, t + b, closed)]
            starts = (lambda key: key < t - a) if closed in ("both", "left") else (lambda key: key <= t - a)
            earlier = [i for key, i in mine if starts(key)]
        found.append(earlier[-1:] + rows if prevailing else rows)
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("closed", ["both", "left", "right", "none"])
def test_windows(frame, closed, seed):
    rng = np.random.default_rng(seed)
    nulls = seed % 2 == 1
    left = {"t": some(rng, 0, 60, 70, nulls), "g": some(rng, 0, 4, 70, nulls)}
    right = {
        "t": some(rng, 0, 60, 90, nulls),
        "g": some(rng, 0, 4, 90, nulls),
        "v": some(rng, -50, 50, 90, nulls),
        "x": [None if one is None else one / 4 for one in some(rng, -50, 50, 90, nulls)],
        "s": [None if one is None else f"s{one}" for one in some(rng, 0, 9, 90, nulls)],
    }
    columns = seed >= 3
    before = some(rng, 0, 6, 70, nulls) if columns else [5] * 70
    after = rng.integers(0, 6, 70).tolist() if columns else [3] * 70
    prevailing = seed in (2, 5)
    agg = {
        "v": ["sum", "mean", "std", "min", "max", "count"],
        "x": ["sum", "std", "max"],
        "s": ["first", "last", "count"],
        "*": "count",
    }
    by = None if seed == 0 else "g"
    if by is None:
        left["g"], right["g"] = [0] * 70, [0] * 90
    result = warpdex.window(
        frame(left),
        frame(right),
        on="t",
        by=by,
        before=pl.Series(before) if columns else 5,
        after=np.array(after) if columns else 3,
        closed=closed,
        agg=agg,
        include_last_before=prevailing,
    )
    rows = expected_windows(left, right, before, after, closed, prevailing)
    assert listed(result, "count") == list(map(len, rows))
    for name, functions in agg.items():
        if name in ("s", "*"):
            continue
        values = [[right[name][i] for i in found if right[name][i] is not None] for found in rows]
        plain = {
            "sum": [sum(one) for one in values],
            "mean": [sum(one) / len(one) if one else None for one in values],
            "min": [min(one, default=None) for one in values],
            "max": [max(one, default=None) for one in values],
            "count": list(map(len, values)),
            "std": [pytest.approx(statistics.stdev(one)) if len(one) > 1 else None for one in values],
        }
        for function in functions:
            assert listed(result, f"{name}_{function}") == plain[function], (name, function)
    assert listed(result, "s_first") == [right["s"][found[0]] if found else None for found in rows]
    assert listed(result, "s_last") == [right["s"][found[-1]] if found else None for found in rows]
    assert listed(result, "s_count") == [sum(right["s"][i] is not None for i in found) for found in rows]
    assert listed(result, "t") == left["t"]


def test_windows_of_decimals(frame):
    rng = np.random.default_rng(8)
    values = [
        None if rng.random() < 0.2 else decimal.Decimal(int(one)).scaleb(-2) for one in rng.integers(-999, 999, 60)
    ]
    left, right = {"t": list(range(30))}, {"t": rng.integers(0, 40, 60).tolist(), "d": values}
    agg = {"d": ["sum", "min", "max", "mean", "std", "count", "last"]}
    result = warpdex.window(frame(left), frame(right), on="t", before=1, after=1, agg=agg)
    inside = [[d for t, d in zip(right["t"], values) if abs(t - at) <= 1 and d is not None] for at in left["t"]]
    assert listed(result, "d_sum") == [sum(one, decimal.Decimal()) for one in inside]
    assert listed(result, "d_min") == [min(one, default=None) for one in inside]
    assert listed(result, "d_max") == [max(one, default=None) for one in inside]
    assert listed(result, "d_count") == list(map(len, inside))
    expected = [float(sum(one) / len(one)) if one else None for one in inside]
    assert listed(result, "d_mean") == [pytest.approx(one) for one in expected]
    expected = [float(statistics.stdev(one)) if len(one) > 1 else None for one in inside]
    assert listed(result, "d_std") == [pytest.approx(one) for one in expected]
    kind = {"polars": "Decimal", "pyarrow": "decimal"}.get(type(result).__module__.partition(".")[0], "object")
    assert kind in str(result["d_sum"].dtype if hasattr(result["d_sum"], "dtype") else result["d_sum"].type)


def test_sums_of_floats_lose_nothing():
    rng = np.random.default_rng(9)
    values = rng.normal(size=400) * 10.0 ** rng.integers(-3, 17, 400)
    values[1::2] = -values[::2] * (1 + rng.integers(-1, 2, 200) * 2.0**-50)
    right = pl.DataFrame({"t": np.arange(400), "v": values})
    left = pl.DataFrame({"t": rng.integers(0, 400, 100)})
    result = warpdex.window(left, right, on="t", before=70, after=31, agg={"v": ["sum", "std"]})
    for t, total, spread in zip(left["t"].to_list(), result["v_sum"].to_list(), result["v_std"].to_list()):
        inside = values[max(0, t - 70) : t + 32].tolist()
        assert abs(total - math.fsum(inside)) <= 2 * math.ulp(math.fsum(inside))
        assert spread == pytest.approx(statistics.stdev(inside), rel=1e-12)


def test_windows_of_times(frame):
    start = datetime.datetime(2024, 3, 1, 9)
    step = datetime.timedelta(seconds=1)
    left = frame({"time": [start, start + 5 * step], "sym": ["a", "b"]})
    right = frame(
        {
            "time": [start - step, start, start + step, start + 5 * step + step / 1000],
            "sym": ["a", "a", "b", "b"],
            "bid": [1.0, 2.0, 3.0, 4.0],
        }
    )
    result = warpdex.window(
        left, right, on="time", by="sym", before="1s", after=datetime.timedelta(milliseconds=1), agg={"bid": "mean"}
    )
    assert listed(result, "bid_mean") == [1.5, 4.0]
    result = warpdex.window(
        left, right, on="time", by="sym", before="1s", after="0s", agg={"bid": ["mean"]}, include_last_before=True
    )
    assert listed(result, "bid_mean") == [1.5, 3.0]


def test_lazy_frames():
    rng = np.random.default_rng(5)
    left = pl.DataFrame({"t": rng.integers(0, 60, 70), "g": rng.integers(0, 4, 70)})
    right = pl.DataFrame({"t": rng.integers(0, 60, 90), "g": rng.integers(0, 4, 90), "v": rng.normal(size=90)})
    options = {"on": "t", "by": "g", "before": 3, "after": 2, "agg": {"v": ["sum", "std", "last"], "*": "count"}}
    expected = warpdex.window(left, right, **options)
    for other in (right, right.lazy(), right.to_pandas()):
        lazy = warpdex.window(left.lazy(), other, **options)
        assert lazy.collect_schema() == expected.schema
        assert lazy.collect().equals(expected)
    expected = warpdex.point_in_time(left, {"a": right, "b": right.rename({"v": "w"})}, on="t", by="g")
    lazy = warpdex.point_in_time(left.lazy(), {"a": right.lazy(), "b": right.rename({"v": "w"})}, on="t", by="g")
    assert lazy.collect_schema() == expected.schema and lazy.collect().equals(expected)
    with pytest.raises(warpdex.errors.KeyTypeError, match="left is lazy"):
        warpdex.window(left.lazy(), right, **{**options, "before": left["t"]})
    with pytest.raises(warpdex.errors.KeyTypeError, match="LazyFrame"):
        warpdex.window(left, right.lazy(), **options)


def test_windows_at_the_ends_of_a_type():
    left = pd.DataFrame({"t": np.array([-(2**63), 2**63 - 1, 0])})
    right = pd.DataFrame({"t": np.array([-(2**63), 2**63 - 1, 5, -5])})
    for closed, counts in (("both", [1, 1, 2]), ("none", [1, 1, 0]), ("left", [1, 1, 1])):
        result = warpdex.window(left, right, on="t", before=5, after=5, closed=closed, agg={"*": "count"})
        assert result["count"].tolist() == counts, closed


def test_windows_agree_with_duckdb():
    rng = np.random.default_rng(3)
    trades = pl.DataFrame({"i": np.arange(500), "t": rng.integers(0, 2000, 500), "g": rng.integers(0, 20, 500)})
    prices = pl.DataFrame(
        {"t": rng.integers(0, 2000, 3000), "g": rng.integers(0, 22, 3000), "v": rng.normal(size=3000)}
    )
    result = warpdex.window(trades, prices, on="t", by="g", before=40, after=25, agg={"v": ["count", "mean", "max"]})
    expected = duckdb.sql(
        "select count(r.v) n, avg(r.v) m, max(r.v) x from trades l left join prices r on l.g = r.g"
        " and r.t between l.t - 40 and l.t + 25 group by l.i order by l.i"
    ).pl()
    assert result["v_count"].to_list() == expected["n"].to_list()
    assert result["v_max"].to_list() == expected["x"].to_list()
    np.testing.assert_allclose(result["v_mean"].to_numpy(), expected["m"].to_numpy(), rtol=1e-12)


def test_wrong_windows():
    left, right = pd.DataFrame({"t": [1, 2]}), pd.DataFrame({"t": [1], "v": [2**63 - 1], "s": ["a"]})

    def ask(**changed):
        options = {"on": "t", "before": 1, "after": 1, "agg": {"v": "sum"}, **changed}
        return warpdex.window(left, right, **options)

    for changed, words in (
        ({"before": -3}, "before is -3 and after 1 at row 0"),
        ({"before": [1, -4]}, "before is -4 and after 1 at row 1"),
        ({"before": [1]}, "before has 1 values, left has 2 rows"),
        ({"before": "1s"}, "before is '1s'"),
        ({"before": [0.5, 1.0]}, "before is of type float"),
        ({"agg": {"z": "sum"}}, "agg names the column 'z'"),
        ({"agg": {"v": "mode"}}, "agg asks for 'mode' of 'v'"),
        ({"agg": {"*": "sum"}}, "agg asks for 'sum' of"),
        ({"agg": {"s": "sum"}}, "'s' is of type string"),
        ({"agg": {"v": ["sum", "sum"]}}, "asks for 'v_sum' twice"),
        ({"agg": {}}, "agg is {}"),
        ({"on": "q"}, "names the column 'q'"),
        ({"by": "q"}, "names the column 'q'"),
        ({"closed": "in"}, "closed is 'in'"),
    ):
        with pytest.raises(warpdex.Error) as raised:
            ask(**changed)
        assert words in str(raised.value), (changed, str(raised.value))
    large = pd.DataFrame({"t": [1] * 3, "v": [2**63 - 1] * 3})
    with pytest.raises(warpdex.errors.InvalidArgument, match="the sum of 'v' is 27670116110564327421 at row 0"):
        warpdex.window(left, large, on="t", before=1, after=1, agg={"v": "sum"})
    empty = warpdex.window(left[:0], right[:0], on="t", before=1, after=1, agg={"v": ["sum", "mean"], "s": "first"})
    assert len(empty) == 0 and list(empty.columns) == ["t", "v_sum", "v_mean", "s_first"]


def test_joins_between_within_groups(frame):
    rng = np.random.default_rng(8)
    for closed in ("both", "left", "right", "none"):
        for how in ("inner", "left", "semi", "anti"):
            left = {"a": some(rng, 0, 30, 40, True), "g": some(rng, 0, 4, 40, True), "h": some(rng, 0, 2, 40, False)}
            left["b"] = [None if a is None else a + int(rng.integers(-2, 9)) for a in left["a"]]
            right = {"k": some(rng, 0, 30, 50, True), "g": some(rng, 0, 5, 50, True), "h": some(rng, 0, 2, 50, False)}
            right["row"] = list(range(50))
            result = warpdex.join_between(frame(left), frame(right), "k", "a", "b", closed, how, by=["g", "h"])
            order = sorted((k, i) for i, k in enumerate(right["k"]) if k is not None)
            expected = []
            for i in range(40):
                found = [
                    r
                    for k, r in order
                    if right["g"][r] == left["g"][i] is not None
                    and right["h"][r] == left["h"][i]
                    and inside(k, left["a"][i], left["b"][i], closed)
                ]
                if how in ("semi", "anti"):
                    expected += [left["a"][i]] if bool(found) == (how == "semi") else []
                else:
                    expected += found or ([None] if how == "left" else [])
            assert listed(result, "a" if how in ("semi", "anti") else "row") == expected, (closed, how)


def test_lazy_joins_between_within_groups():
    left = pl.DataFrame({"a": [1, 5, 9], "b": [3, 6, 12], "g": ["x", "y", "x"]})
    right = pl.DataFrame({"k": [2, 5, 11, 10], "g": ["x", "x", "x", "y"]})
    expected = warpdex.join_between(left, right, "k", "a", "b", by="g")
    assert expected["k"].to_list() == [2, 11]
    assert warpdex.join_between(left.lazy(), right.lazy(), "k", "a", "b", by="g").collect().equals(expected)


def test_point_in_time(frame):
    rng = np.random.default_rng(2)
    spine = {"ts": some(rng, 0, 50, 60, True), "u": some(rng, 0, 5, 60, True), "v": list(range(60))}
    tables = {
        name: {
            "ts": some(rng, 0, 50, 40, True),
            "u": some(rng, 0, 5, 40, True),
            "v": list(range(40)),
            name: list(range(40)),
        }
        for name in ("one", "two")
    }
    result = warpdex.point_in_time(
        frame(spine), {name: frame(table) for name, table in tables.items()}, on="ts", by="u", tolerance={"two": 6}
    )
    for name, table in tables.items():
        expected = []
        for t, u in zip(spine["ts"], spine["u"]):
            known = [
                (key, i)
                for i, key in enumerate(table["ts"])
                if None not in (t, u, key) and table["u"][i] == u and key <= t and (name == "one" or t - key <= 6)
            ]
            expected.append(max(known)[1] if known else None)
        assert listed(result, name) == expected
        assert listed(result, f"v_{name}") == expected
    assert listed(result, "v") == spine["v"]
    with pytest.raises(warpdex.errors.InvalidArgument, match="tolerance names the table 'three'"):
        warpdex.point_in_time(frame(spine), {"one": frame(tables["one"])}, on="ts", tolerance={"three": 1})
    with pytest.raises(warpdex.errors.InvalidArgument, match="suffix is '' "[:12]):
        warpdex.point_in_time(frame(spine), {"one": frame(tables["one"])}, on="ts", suffix="")
    with pytest.raises(warpdex.errors.KeyTypeError, match="tables is list"):
        warpdex.point_in_time(frame(spine), [frame(tables["one"])], on="ts")


@pytest.mark.parametrize("kind", ["integer", "string", "two columns", "times"])
def test_groups_are_updated_saved_and_pickled(kind, tmp_path):
    rng = np.random.default_rng(sum(map(ord, kind)))

    def as_groups(of):
        if kind == "two columns":
            return of // 2, of % 2
        return [f"g{one}" for one in of] if kind == "string" else of

    def as_keys(of):
        return np.asarray(of).astype("M8[h]") if kind == "times" else of

    def expect(result):
        groups = np.arange(-1, 30)
        _, rows = result.range_retrieve(as_groups(groups), None, as_keys(np.full(31, 10_000)))
        expected = [row for group in groups for _, row in sorted((k, r) for g, k, r in entries if g == group)]
        assert rows.tolist() == expected

    groups, keys = rng.integers(0, 5, 60), rng.integers(0, 40, 60)
    entries = [(int(g), int(k), row) for row, (g, k) in enumerate(zip(groups, keys))]
    result = GroupedIndex(as_groups(groups), as_keys(keys))
    expect(result)
    for low, high in ((0, 5), (3, 9), (0, 28)):  # groups in it, and beyond
        groups, keys, rows = rng.integers(low, high, 20), rng.integers(0, 40 * high, 20), np.arange(20) + 100 * high
        assert result.insert(as_groups(groups), as_keys(keys), rows) == (20, 0, 0)
        entries += [(int(g), int(k), int(r)) for g, k, r in zip(groups, keys, rows)]
        expect(result)
    gone = {(g, k) for g, k, _ in entries[::3]} | {(77, 1)}
    query = np.array(sorted(gone))
    assert result.erase(as_groups(query[:, 0]), as_keys(query[:, 1]))[1] == sum((g, k) in gone for g, k, _ in entries)
    entries = [one for one in entries if one[:2] not in gone]
    expect(result)
    some = np.array(sorted({(g, k) for g, k, _ in entries})[:5])
    result.insert_or_assign(as_groups(some[:, 0]), as_keys(some[:, 1]), np.arange(5) + 9000)
    entries = [one for one in entries if [one[0], one[1]] not in some.tolist()]
    entries += [(int(g), int(k), 9000 + i) for i, (g, k) in enumerate(some)]
    expect(result)
    result.update(as_groups(np.array([29])), as_keys([3]), [7], as_groups(some[:1, 0]), as_keys(some[:1, 1]))
    entries = [(29, 3, 7), *(one for one in entries if one[:2] != tuple(some[0]))]
    expect(result)
    result.save(tmp_path / "grouped")
    for copy in (
        GroupedIndex.load(tmp_path / "grouped"),
        GroupedIndex.load(tmp_path / "grouped", mmap=True),
        GroupedIndex.from_buffer(result.to_bytes()),
        pickle.loads(pickle.dumps(result)),
        result.to("cpu"),
    ):
        expect(copy)
        assert repr(copy) == repr(result)


def test_wrong_updates_of_groups():
    result = GroupedIndex(["a", "b"], [1, 2])
    for call, words in (
        (lambda: result.insert([1], [1], [1]), "groups"),
        (lambda: result.insert(["a"], ["x"], [1]), "keys"),
        (lambda: result.insert(["a", None], [1, 2], [1, 2]), "groups[1] is null"),
        (lambda: result.insert(["a"], [1, 2], [1, 2]), "groups has 1 values, keys 2"),
        (lambda: result.erase(["a"], [1.5]), "keys"),
        (lambda: result.update(["a"], [1], [1], ["a"], [1, 2]), "erase_groups has 1 values, erase_keys 2"),
        (lambda: result.insert(["a"], [1], [1, 2]), "rows"),
    ):
        with pytest.raises(warpdex.Error) as raised:
            call()
        assert words in str(raised.value), str(raised.value)
    assert result.count(["a", "b"], [1, 2]).tolist() == [1, 1]
    with pytest.raises(warpdex.Error, match="that of a plain index"):
        GroupedIndex.from_buffer(warpdex.Index([1, 2]).to_bytes())


def test_payloads_within_groups():
    rng = np.random.default_rng(11)
    groups, keys, values = rng.integers(0, 5, 200), rng.integers(0, 40, 200), rng.integers(-50, 50, 200)
    low, high, of = rng.integers(-3, 42, 60), rng.integers(-3, 42, 60), rng.integers(0, 7, 60)
    result = GroupedIndex(groups, keys)
    amounts = result.aggregates(values, squares=True)
    for lower, upper in ((low, high), (None, high), (low, None)):
        inside = [
            (groups == g) & ((keys >= a) | (lower is None)) & ((keys <= b) | (upper is None))
            for g, a, b in zip(of, low, high)
        ]
        found, top = amounts.in_ranges(of, lower, upper), amounts.top_k(of, lower, upper, 3)
        assert found.sum.tolist() == [int(values[one].sum()) for one in inside]
        assert found.count.tolist() == [int(one.sum()) for one in inside]
        spread = [values[one].std(ddof=1) if one.sum() > 1 else np.nan for one in inside]
        np.testing.assert_allclose(found.std(), spread, rtol=1e-12)
        for i, one in enumerate(inside):
            best = sorted(values[one].tolist(), reverse=True)[:3]
            assert top.values[top.offsets[i] : top.offsets[i + 1]].tolist() == best
    assert amounts.of_keys([0], [1]).sum.tolist() == [int(values[(groups == 0) & (keys == 1)].sum())]
    sums, found = (result.aggregates(values, extremes=one).in_ranges(of, low, high) for one in (False, True))
    assert sums.sum.tolist() == found.sum.tolist() and sums.count.tolist() == found.count.tolist()
    assert not sums.min.any() and found.min.any()
    result.insert([0], [1], [0])
    with pytest.raises(warpdex.errors.Busy):
        amounts.of_keys([0], [1])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_tolerances_of_each_probe(direction, seed):
    rng = np.random.default_rng(seed)
    floats, nulls = seed % 2 == 1, seed >= 2
    unit = 0.5 if floats else 1
    keys, probes = rng.integers(0, 900, 80) * unit, rng.integers(0, 900, 60) * unit
    limits = [
        None if nulls and rng.random() < 0.2 else float(one) if floats else int(one) for one in rng.integers(0, 9, 60)
    ]
    groups, of = rng.integers(0, 3, 80), rng.integers(0, 4, 60)

    def expected(rows_of, relative):
        found = []
        for i, probe in enumerate(probes):
            sides = {"backward": keys <= probe, "forward": keys >= probe, "nearest": keys == keys}[direction]
            rows = [(abs(keys[r] - probe), keys[r], int(r)) for r in np.flatnonzero(sides & rows_of(i))]
            best = min(rows, default=None)
            limit = (
                None
                if limits[i] is None
                else max(limits[i], int(abs(probe) * relative) if not floats else probe * relative)
            )
            found.append(best[2] if best and limit is not None and best[0] <= limit else None)
        return found

    keys, probes = (keys, probes) if floats else (keys.astype(np.int64), probes.astype(np.int64))
    tolerance = pl.Series(limits)
    for relative in (0.0, 0.01):
        result = warpdex.Index(keys, "AO+BS").join_asof(
            pl.Series(probes), direction, tolerance=tolerance, relative=relative
        )
        assert result.to_list() == [None if row is None else row for row in expected(lambda i: keys == keys, relative)]
        result = GroupedIndex(groups, keys).join_asof(
            pl.Series(of), pl.Series(probes), direction, tolerance=tolerance, relative=relative
        )
        assert result.to_list() == expected(lambda i: groups == of[i], relative)
        left = pl.DataFrame({"t": probes, "g": of})
        right = pl.DataFrame({"t": keys, "g": groups, "row": np.arange(80)}).unique(
            ["t", "g"], keep="first", maintain_order=True
        )
        joined = warpdex.join_asof(
            left, right, on="t", by="g", strategy=direction, tolerance=tolerance, relative=relative
        )
        same = [row is None for row in expected(lambda i: groups == of[i], relative)]
        assert joined["row"].is_null().to_list() == same


def test_tolerances_of_times_and_wrong_ones():
    times = np.array(["2024-01-01T00", "2024-01-02T00"], "M8[h]")
    index = warpdex.Index(times, "AO+BS")
    query = times + np.timedelta64(5, "h")
    assert index.join_asof(query, tolerance=np.array([4, 5], "m8[h]")).tolist() == [-1, 1]
    assert index.join_asof(query, tolerance=[datetime.timedelta(hours=6), datetime.timedelta(hours=2)]).tolist() == [
        0,
        -1,
    ]
    plain, days = warpdex.Index([1, 5], "AO+BS"), warpdex.Index(times.astype("M8[D]"), "AO+BS")
    for call, words in (
        (lambda: plain.join_asof([1, 2], tolerance=[1]), "tolerance has 1 values, probes 2"),
        (lambda: plain.join_asof([1, 2], tolerance=[1, -1]), "negative"),
        (lambda: days.join_asof(query, tolerance=np.array([1, 1], "m8[D]")), "between two units"),
        (lambda: plain.join_asof([1, 2], tolerance=[1, 2], ties="all"), "ties is 'all'"),
        (lambda: plain.join_asof([1, 2], relative=-1), "relative is -1"),
        (lambda: plain.join_asof([1, 2], relative="a"), "relative is 'a'"),
        (lambda: index.join_asof(query, tolerance=[1, 2]), "tolerance"),
        (lambda: warpdex.join_asof(pl.LazyFrame({"t": [1]}), pl.DataFrame({"t": [1]}), on="t", tolerance=[1]), "lazy"),
    ):
        with pytest.raises(warpdex.Error) as raised:
            call()
        assert words in str(raised.value), str(raised.value)
