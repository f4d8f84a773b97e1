# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Values that no index of their type holds, masks, objects of Python, and bounds of all kinds, against plain Python."""

import datetime
import re
import uuid

import numpy as np
import pytest

import warpdex
from warpdex import Index
from warpdex.lookups.asking import LOOKUPS as LOOKUPS_OF

LOOKUPS = ("find", "contains", "count", "lower_bound", "upper_bound", "floor", "ceil")
SMALLEST, LARGEST = -(2**63), 2**63 - 1


def check_all(index, keys, probes, wanted=None):
    """Every lookup of probes whose numbers among those of the keys are `wanted`."""
    wanted = list(probes) if wanted is None else wanted
    order = sorted(range(len(keys)), key=lambda row: (keys[row], row))
    smallest = {}
    for row in order:
        smallest.setdefault(keys[row], row)
    for probe, at in zip(range(len(wanted)), wanted):
        below = [keys[row] for row in order if keys[row] <= at]
        above = [keys[row] for row in order if keys[row] >= at]
        expected = {
            "find": smallest.get(at, -1),
            "contains": at in smallest,
            "count": keys.count(at),
            "lower_bound": sum(key < at for key in keys),
            "upper_bound": sum(key <= at for key in keys),
            "floor": smallest[below[-1]] if below else -1,
            "ceil": smallest[above[0]] if above else -1,
        }
        for name in LOOKUPS:
            assert getattr(index, name)(probes)[probe] == expected[name], (name, probes[probe])
    upper, other = probes[::-1], wanted[::-1]
    for closed in ("both", "left", "right", "none"):

        def inside(key, low, high, closed=closed):
            return (low <= key if closed in ("both", "left") else low < key) and (
                key <= high if closed in ("both", "right") else key < high
            )

        rows = [[row for row in order if inside(keys[row], low, high)] for low, high in zip(wanted, other)]
        assert index.range_count(probes, upper, closed).tolist() == [len(found) for found in rows], closed
        assert index.range_sum(probes, upper, closed).tolist() == [sum(found) for found in rows], closed
        offsets, found = index.range_retrieve(probes, upper, closed)
        assert [found[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == rows, closed
        left, right = index.join_between(probes, upper, "inner", closed)
        assert list(zip(left.tolist(), right.tolist())) == [(i, row) for i, all_of in enumerate(rows) for row in all_of]


def nearest(keys, probe, direction, exact, tolerance, later):
    """The row of an as-of join in plain Python, -1 for none; of equal keys the first one."""
    rows = [
        row
        for row, key in enumerate(keys)
        if (direction != "backward" or key <= probe)
        and (direction != "forward" or key >= probe)
        and (exact or key != probe)
        and (tolerance is None or abs(key - probe) <= tolerance)
    ]
    return min(rows, key=lambda row: (abs(keys[row] - probe), keys[row] * (-1 if later else 1), row), default=-1)


def check_asof(index, keys, probes, wanted, tolerances):
    """As-of joins of probes whose numbers among those of the keys are `wanted`."""
    for direction in ("backward", "forward", "nearest"):
        for exact, later in ((True, False), (False, True)):
            for given, tolerance in tolerances:
                options = {"allow_exact_matches": exact, "prefer": "later" if later else "earlier"}
                found = index.join_asof(probes, direction, tolerance=given, **options).tolist()
                expected = [nearest(keys, at, direction, exact, tolerance, later) for at in wanted]
                assert found == expected, (direction, exact, later, given)


NANOSECONDS = {"W": 604800 * 10**9, "D": 86400 * 10**9, "h": 3600 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


@pytest.mark.parametrize("kind", ["M8", "m8"])
@pytest.mark.parametrize("key_unit", ["ns", "25us", "s", "D", "W", "2h"])
@pytest.mark.parametrize("probe_unit", ["ns", "us", "3ms", "s", "h", "D", "W"])
def test_times_of_all_units_and_beyond(kind, key_unit, probe_unit):
    def scale(unit):
        name = unit.lstrip("0123456789")
        return int(unit[: -len(name)] or 1) * NANOSECONDS[name]

    rng = np.random.default_rng(3)
    limits = [LARGEST, LARGEST, -LARGEST, LARGEST - 1]
    keys = np.array([*rng.integers(-9, 9, 20).tolist(), *limits]).view(f"{kind}[{key_unit}]")
    ratio = scale(key_unit) / scale(probe_unit)
    near = [int(k * ratio) + d for k in (-5, 0, 3) for d in (-1, 0, 1)] if ratio < 1e15 else [0, 1]
    edges = [e for e in (int(LARGEST * ratio), -int(LARGEST * ratio)) if abs(e) < 2**62]
    probes = np.array([*near, *edges, LARGEST, -LARGEST]).view(f"{kind}[{probe_unit}]")
    exact = [k * scale(key_unit) for k in keys.view("i8").tolist()]
    wanted = [p * scale(probe_unit) for p in probes.view("i8").tolist()]
    check_all(Index(keys), exact, probes, wanted)
    tolerances = [(None, None)] + [(np.timedelta64(n, key_unit), n * scale(key_unit)) for n in (0, 3)]
    check_asof(Index(keys), exact, probes, wanted, tolerances)
    ordered = np.sort(keys)
    for side in ("left", "right"):
        lookup = Index(keys).lower_bound if side == "left" else Index(keys).upper_bound
        np.testing.assert_array_equal(warpdex.searchsorted(ordered, probes, side), lookup(probes))


@pytest.mark.filterwarnings("ignore:The 'generic' unit")
def test_dates_beyond_nanoseconds():
    index = Index(np.array(["1969-12-31", "2024-01-01"], "M8[ns]"))
    for unit in ("D", "W", "M", "Y"):
        probes = np.array(["2300-01-01", "1600-01-01", "1970-01-01"], f"M8[{unit}]")
        assert index.find(probes).tolist() == [-1, -1, -1]
        assert index.lower_bound(probes).tolist() == [2, 0, 1]
        assert index.floor(probes).tolist() == [1, -1, 0]
        assert index.ceil(probes).tolist() == [-1, 0, 1]
    months = Index(np.array(["2024-01", "2024-02", "2024-04"], "M8[M]"))
    probes = np.array(["2024-02-01", "2024-02-02", "2024-03-31", "1677-09-22"], "M8[ns]")
    assert months.find(probes).tolist() == [1, -1, -1, -1]
    assert months.lower_bound(probes).tolist() == [1, 2, 2, 0]
    assert months.floor(probes).tolist() == [1, 1, 1, -1]
    assert months.ceil(probes).tolist() == [1, 2, 2, 0]
    years = Index(np.array(["2024", "2026"], "M8[Y]"))
    assert years.find(np.array(["2024-01", "2024-02", "2026-01"], "M8[M]")).tolist() == [0, -1, 1]
    assert years.find(np.array([2**62, -(2**62)], "M8[M]")).tolist() == [-1, -1]
    assert Index(np.array([0], "M8[D]")).upper_bound(np.array([2**62, -(2**62)], "M8[M]")).tolist() == [1, 0]
    with pytest.raises(TypeError, match="months have no length"):
        Index(np.array([1], "m8[D]")).find(np.array([1], "m8[M]"))
    with pytest.raises(TypeError, match="names no unit"):
        Index(np.array(["NaT"], "M8"))
    far = np.array(["1600-01-01", "2300-01-01", "9999-12-31"], "M8[D]")
    assert index.get_indexer(far, "nearest").tolist() == [0, 1, 1]
    assert index.get_indexer(far, "pad").tolist() == [-1, 1, 1]
    assert Index(np.array([], "M8[ns]")).join_asof(far, "nearest").tolist() == [-1, -1, -1]
    assert index.join_asof(far).tolist() == index.floor(far).tolist() == [-1, 1, 1]


def test_times_beyond_in_frames():
    pl = pytest.importorskip("polars")
    days = pl.DataFrame({"t": [datetime.date(2300, 1, 1), datetime.date(2024, 1, 1)]})
    moments = pl.DataFrame({"t": pl.Series([datetime.datetime(2024, 1, 1)]).cast(pl.Datetime("ns")), "v": [7]})
    assert warpdex.join(days, moments, "t", "left")["v"].to_list() == [None, 7]
    assert warpdex.join(moments, days, "t", "semi")["v"].to_list() == [7]
    assert warpdex.join_asof(days, moments, on="t")["v"].to_list() == [7, 7]


@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("tolerance", [None, datetime.timedelta(days=2)])
@pytest.mark.parametrize("grouped", [False, True])
def test_sentinels_in_asof_joins_of_frames(strategy, tolerance, grouped):
    """Dates of the years 1 and 9999, on both sides, with moments that count nanoseconds."""
    pl = pytest.importorskip("polars")
    dates = [datetime.date(9999, 12, 31), datetime.date(1, 1, 1), datetime.date(2024, 1, 1), None]
    dates += [datetime.date(9999, 12, 29), datetime.date(2262, 4, 12)]
    moments = [datetime.datetime(2023, 12, 31, 12), datetime.datetime(2024, 1, 5), datetime.datetime(2262, 4, 11, 12)]
    days = pl.DataFrame({"t": dates, "g": [1] * 6, "row": range(6)})
    fine = pl.DataFrame({"t": pl.Series(moments).cast(pl.Datetime("ns")), "g": [1] * 3, "row": range(3)})
    for left, right in ((days, fine), (fine, days)):
        exact = [
            [None if t is None else datetime.datetime(t.year, t.month, t.day, getattr(t, "hour", 0)) for t in side["t"]]
            for side in (left, right)
        ]
        rows = [row for row, key in enumerate(exact[1]) if key is not None]
        keys = [exact[1][row] - datetime.datetime(1, 1, 1) for row in rows]
        found = [
            -1 if t is None else nearest(keys, t - datetime.datetime(1, 1, 1), strategy, True, tolerance, True)
            for t in exact[0]
        ]
        expected = [None if place < 0 else rows[place] for place in found]
        given = warpdex.join_asof(
            left, right, on="t", strategy=strategy, tolerance=tolerance, by="g" if grouped else None
        )
        assert given["row_right"].to_list() == expected
        if not grouped:
            index = warpdex.Index(right["t"])
            again = warpdex.join_asof(left, right, on="t", strategy=strategy, tolerance=tolerance, index=index)
            assert again["row_right"].to_list() == expected


def test_half_open_ranges_to_the_end_of_time():
    pd = pytest.importorskip("pandas")
    shifts = pd.DataFrame({"begin": [datetime.date(2024, 1, 1)] * 2, "end": [datetime.date(9999, 12, 31)] * 2})
    shifts = shifts.astype("datetime64[s]")
    events = pd.DataFrame({"at": np.array(["2023-01-01", "2024-01-01", "2262-04-11"], "M8[ns]")})
    for closed, expected in (("left", [1, 2] * 2), ("right", [2, 2]), ("none", [2, 2]), ("both", [1, 2] * 2)):
        found = warpdex.join_between(shifts, events, "at", "begin", "end", closed)
        assert found["at"].tolist() == events["at"].iloc[expected].tolist()


@pytest.mark.parametrize("unit", ["Y", "M", "W", "7D", "90m", "ps"])
def test_files_know_all_units(tmp_path, unit):
    keys = np.array([5, 3], f"M8[{unit}]")
    index = Index(keys)
    index.save(tmp_path / "index.wdx")
    for again in (Index.load(tmp_path / "index.wdx"), Index.from_buffer(index.to_bytes())):
        assert again._family == index._family and again.find(keys).tolist() == [0, 1]


def test_masks_are_nulls():
    keys = np.ma.array([10, 20, 30, 20], mask=[False, True, False, False])
    index = Index(keys)
    assert index.find([10, 20, 30]).tolist() == [0, 3, 2] and len(index) == 3
    probes = np.ma.array([10, 20], mask=[True, False])
    assert index.find(probes).tolist() == [-1, 3]
    assert index.count(probes).tolist() == [0, 1]
    assert index.find(np.ma.masked_array(10, mask=True)) == -1
    assert Index(np.ma.array(["b", "a"], mask=[True, False])).find(["a", "b"]).tolist() == [1, -1]
    assert Index(np.ma.array([5, 6], "M8[s]", mask=[True, False])).find(np.array([5, 6], "M8[s]")).tolist() == [-1, 1]
    assert Index(np.ma.array([None, "a"], object, mask=[True, False])).find("a") == 1
    assert index.find(np.ma.array([10, 30])).tolist() == [0, 2]
    with pytest.raises(ValueError, match="null"):
        index.lower_bound(probes)
    with pytest.raises(ValueError, match=r"keys\[1\] is null"):
        Index(keys, nulls="error")
    with pytest.raises(ValueError, match=r"a\[1\] is null"):
        warpdex.searchsorted(keys, [1])
    with pytest.raises(ValueError, match=r"v\[0\] is null"):
        warpdex.searchsorted([1, 2], probes)
    with pytest.raises(ValueError, match="null"):
        index.insert(keys, [1, 2, 3, 4])


@pytest.mark.parametrize("keys", [[3, -1, LARGEST, SMALLEST, 3], [3, 2**64 - 1, 2**63, 0, 3], [7, 0]])
def test_integers_of_any_size(keys):
    probes = [-1, 2**63, 3, 2**70, -(2**70), SMALLEST, LARGEST, 2**64 - 1, 0, 2**63]
    index = Index(keys)
    check_all(index, keys, probes)
    check_asof(index, keys, probes, probes, [(None, None), (5, 5)])
    for probe in probes:
        for name in LOOKUPS:
            assert getattr(index, name)(probe) == getattr(index, name)([probe])[0]
    assert index.find([None, 3, -1]).tolist()[0] == -1
    ordered = np.sort(np.array(keys, np.uint64 if max(keys) > LARGEST else np.int64))
    assert warpdex.searchsorted(ordered, probes).tolist() == index.lower_bound(probes).tolist()


def test_keys_of_any_size_are_refused_by_name():
    with pytest.raises(ValueError, match="keys reach from -1 to 9223372036854775808"):
        Index([-1, 2**63])
    with pytest.raises(ValueError, match="keys holds 1180591620717411303424"):
        Index([2**70])
    assert Index([1]).join_asof([2**70, -(2**70)]).tolist() == [0, -1]
    assert Index([1]).join_asof([2**70, -(2**70)], "nearest", tolerance=2**62).tolist() == [-1, -1]


def test_objects():
    date, datetime_, delta = datetime.date, datetime.datetime, datetime.timedelta
    ids = [uuid.UUID(int=n << 64) for n in (5, 3, 9)]
    zone = datetime.timezone(delta(hours=2))
    for keys, probes, expected in [
        ([1, None, 2], [2, None, 1], [2, -1, 0]),
        ([1.5, None, float("nan")], [float("nan"), 1.5, None], [2, 0, -1]),
        ([True, None, False], [False, None], [2, -1]),
        (["a", None, b"b\0"], [b"b\0", "b", None], [2, -1, -1]),
        ([date(2024, 1, 1), None], [date(2024, 1, 1), date(2024, 1, 2)], [0, -1]),
        ([date(2024, 1, 1)], [datetime_(2024, 1, 1), datetime_(2024, 1, 1, 1)], [0, -1]),
        ([datetime_(2024, 1, 1, 12), None], np.array(["2024-01-01T12"], "M8[h]"), [0]),
        ([datetime_(2024, 1, 1, 2, tzinfo=zone)], [datetime_(2024, 1, 1, tzinfo=datetime.timezone.utc)], [0]),
        ([delta(seconds=3), None], np.array([3000], "m8[ms]"), [0]),
        ([datetime.time(12, 30)], [datetime.time(12, 30), datetime.time(1)], [0, -1]),
        (ids, [ids[2], None, uuid.UUID(int=1)], [2, -1, -1]),
        (np.array([i.bytes for i in ids], "V16"), [ids[1].bytes], [1]),
        (ids, np.array([ids[0].bytes], "V16"), [0]),
    ]:
        assert Index(keys).find(probes).tolist() == expected, keys
        assert Index(np.array(keys, object) if isinstance(keys, list) else keys).find(probes).tolist() == expected
    assert Index([date(2024, 1, 1)]).find(date(2024, 1, 1)) == 0
    assert Index(ids).find(ids[1]) == 1
    for keys, words in [
        ([1, "a"], "1 and 'a'"),
        ([datetime_(2024, 1, 1), datetime_(2024, 1, 1, tzinfo=zone)], "with and without a time zone"),
        ([1, object()], r"keys\[1\] is <object"),
        ([[1], [2, 3]], "keys is .*, which is no column"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            Index(keys)
    with pytest.raises(TypeError, match="probes holds integers"):
        Index(["a"]).find([1, None])


@pytest.mark.parametrize("dtype", ["V0", (np.record, 16), [("a", "i4")], "c16", "g"], ids=str)
def test_types_that_no_keys_have(dtype):
    array = np.zeros(2, dtype)
    with pytest.raises(
        warpdex.errors.KeyTypeError, match=re.escape(f"keys has the type {array.dtype}; keys are integers")
    ):
        Index(array)
    with pytest.raises(warpdex.errors.KeyTypeError, match=re.escape(f"probes has the type {array.dtype}")):
        Index(["a"]).find(array)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "int4", "uint2"])
def test_types_of_other_libraries(name):
    array = np.array([1, 0], getattr(pytest.importorskip("ml_dtypes"), name))
    with pytest.raises(warpdex.errors.KeyTypeError, match=f"keys has the type {name}; keys are integers"):
        Index(array)
    for keys in ([1.0], [1], ["a"]):
        with pytest.raises(warpdex.errors.KeyTypeError, match=f"probes has the type {name}"):
            Index(keys).find(array)


def test_objects_of_pandas():
    pd = pytest.importorskip("pandas")
    days = pd.Series([datetime.date(2024, 1, 1), None], dtype=object)
    assert Index(days).find(days).tolist() == [0, pd.NA]
    assert Index(pd.Series([3, None, 2**63], dtype=object)).find(pd.Series([2**63, -1], dtype=object)).tolist() == [
        2,
        pd.NA,
    ]
    moments = [pd.Timestamp("2024-01-01T00:00:00.000000001"), pd.NaT]
    assert Index(moments).find(moments).tolist() == [0, -1]


def test_scalars_are_asked_as_lists_of_one():
    pd = pytest.importorskip("pandas")
    naive, zoned = pd.Timestamp("2024-01-01 12:00"), pd.Timestamp("2024-01-01 13:00", tz="Europe/Paris")
    day, utc = datetime.datetime(2024, 1, 1, 12), datetime.timezone.utc
    scalars = [naive, zoned, zoned.tz_convert("UTC"), day, day.replace(tzinfo=utc), np.datetime64(day)]
    for keys, matches in (([day], [0, -1, -1, 0, -1, 0]), ([zoned], [-1, 0, 0, -1, 0, -1])):
        index = Index(keys)
        for scalar, expected in zip(scalars, matches):
            if expected == 0:
                assert index.find(scalar) == index.find([scalar])[0] == 0
                assert index.contains(scalar) and index.count(scalar) == 1
            else:
                for probes in (scalar, [scalar]):
                    with pytest.raises(warpdex.errors.KeyTypeError, match="probes has the type datetime64"):
                        index.find(probes)
        for null in (pd.NaT, pd.NA, None, np.datetime64("NaT")):
            for probes, first in ((null, lambda found: found), ([null], lambda found: found[0])):
                assert first(index.find(probes)) == -1 and not first(index.contains(probes))
                assert first(index.count(probes)) == 0
    assert Index([1.5]).find(pd.NA) == -1 and Index(["a"]).find(None) == -1
    assert Index([datetime.timedelta(1)]).find(pd.Timedelta("1D")) == 0
    with pytest.raises(warpdex.errors.KeyTypeError, match=r"probes\[0\] is Interval"):
        Index([1]).find(pd.Interval(0, 1))


SCALARS = "i1 u1 i2 u2 i4 u4 i8 u8 q Q f2 f4 f8".split()


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_scalars_are_asked_exactly(dtype):
    """Of Python and of NumPy: each as the same value in a list, whether or not its type is that of the keys."""
    kind = np.dtype(dtype)
    ends = (np.finfo if kind.kind == "f" else np.iinfo)(kind)
    keys = np.unique(np.array([0, 1, 2, 7, 100, 2**24, ends.min, ends.max], object).astype(kind))
    index, plain = Index(keys), keys.tolist()
    numbers = [0, 1, -1, 7, 2.5, -0.0, 2**24 + 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63)]
    numbers += [2.0**24, 0.1, float(ends.max), float("inf"), 2.0**63, 2.0**64, -(2.0**63), 2**70, -(2**70), 1e300]
    scalars = list(numbers)
    for of in map(np.dtype, SCALARS):
        if of.kind == "f":
            with np.errstate(over="ignore"):
                scalars += [of.type(float(one)) for one in numbers]
        else:
            limits = np.iinfo(of)
            scalars += [of.type(one) for one in numbers if isinstance(one, int) and limits.min <= one <= limits.max]
    for scalar in scalars:
        value = scalar.item() if isinstance(scalar, np.generic) else scalar
        expected = {
            "find": plain.index(value) if value in plain else -1,
            "contains": value in plain,
            "count": plain.count(value),
            "lower_bound": sum(key < value for key in plain),
            "upper_bound": sum(key <= value for key in plain),
            "floor": sum(key <= value for key in plain) - 1,
            "ceil": (lambda rank: rank if rank < len(plain) else -1)(sum(key < value for key in plain)),
        }
        for name in LOOKUPS:
            assert getattr(index, name)(scalar) == expected[name], (name, repr(scalar))
    for scalar in (True, np.True_):
        with pytest.raises(warpdex.errors.KeyTypeError, match="probes has the type bool"):
            index.find(scalar)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_scalars_that_the_keys_hold_need_no_array(dtype):
    index = Index(np.array([7, 3], dtype))
    numbers = [7, 7.0, *(np.dtype(of).type(7) for of in SCALARS)]
    for number in numbers:
        assert index._quick(LOOKUPS_OF["find"].number, number, 100) == 0, repr(number)
    for other in (None, True, np.True_, "7", 2**70, -(2**70), np.timedelta64(7), np.longdouble(7), np.array(7)):
        assert index._quick(LOOKUPS_OF["find"].number, other, 100) is None, repr(other)
    assert np.isnan(np.float32("nan")) and Index([np.nan, 1.0]).find(np.float32("nan")) == 0


def test_a_null_scalar_is_a_null_probe():
    pd = pytest.importorskip("pandas")
    indexes = Index([1, 2]), Index(np.array([1], "u4")), Index([1.5]), Index(["a"]), Index([True])
    for index in (*indexes, Index(np.array(["2020"], "M8[s]")), Index([uuid.UUID(int=1)])):
        for null in (None, pd.NA, pd.NaT, np.datetime64("NaT")):
            for name, answer in (("find", -1), ("floor", -1), ("ceil", -1), ("contains", False), ("count", 0)):
                assert getattr(index, name)(null) == answer, (index, name, null)
            assert [one.tolist() for one in index.retrieve(null)] == [[0, 0], []]
            for name in ("lower_bound", "upper_bound"):
                with pytest.raises(warpdex.errors.InvalidArgument, match=r"probes\[0\] is null, which has no place"):
                    getattr(index, name)(null)


@pytest.mark.parametrize("dtype", ["i8", "f8", "S", "M8[s]"])
def test_open_ranges(dtype):
    rng = np.random.default_rng(4)
    numbers = rng.integers(10, 40, 60)
    keys = numbers.astype(f"{dtype}2" if dtype == "S" else dtype)
    lower, upper = (rng.integers(10, 40, 30) for _ in range(2))
    low, high = (side.astype(keys.dtype) for side in (lower, upper))
    index = Index(keys)
    order = np.lexsort((np.arange(60), numbers))
    for closed in ("both", "left", "right", "none"):
        after = numbers[order] >= lower[:, None] if closed in ("both", "left") else numbers[order] > lower[:, None]
        before = numbers[order] <= upper[:, None] if closed in ("both", "right") else numbers[order] < upper[:, None]
        inside = after & before
        out = np.empty(30, np.int64)
        assert index.range_count(low, high, closed, out=out) is out
        np.testing.assert_array_equal(out, inside.sum(1))
        np.testing.assert_array_equal(index.range_sum(low, high, closed), (inside * order).sum(1))
        offsets, rows = index.range_retrieve(low, high, closed)
        np.testing.assert_array_equal(np.diff(offsets), inside.sum(1))
        np.testing.assert_array_equal(rows, np.concatenate([order[one] for one in inside]))
    for call in (index.range_sum, index.range_retrieve, index.range_count, index.join_between):
        with pytest.raises(ValueError, match="closed is 'open'"):
            call(low, high, closed="open")


def test_open_ranges_with_nulls_and_between_units():
    pl = pytest.importorskip("polars")
    index = Index(np.array([10, 20, 30], "M8[s]"))
    low = pl.Series([9_500, None, 10_000, 10_500]).cast(pl.Datetime("ms"))
    high = pl.Series([30_000, 30_000, 30_500, 20_000]).cast(pl.Datetime("ms"))
    assert index.range_count(low, high, "none").to_list() == [2, None, 2, 0]
    assert index.range_sum(low, high, "none").to_list() == [1, None, 3, 0]
    offsets, rows = index.range_retrieve(low, high, "none")
    assert offsets.tolist() == [0, 2, 2, 4, 4] and rows.tolist() == [0, 1, 1, 2]
    assert index.join_between(low, high, "left", "none")[1].tolist() == [0, 1, -1, 1, 2, -1]


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize("words", [True, False])
def test_dictionaries_answer_as_their_values(how, words):
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 20, 50)
    probes = [None if p == 3 else int(p) for p in rng.integers(0, 30, 80)]
    result = [None if p is None else f"w{p}" for p in probes] if words else probes
    index = Index([f"w{k}" for k in keys] if words else keys, "HT(open)" if not words else "auto")
    plain = pa.array(result)
    chunked = pa.chunked_array([plain[:30].dictionary_encode(), plain[30:].dictionary_encode()])
    for coded in (plain.dictionary_encode(), plain.dictionary_encode()[5:60], chunked):
        like = plain[5:60] if len(coded) == 55 else plain
        for found, expected in zip(index.join(coded, how), index.join(like, how)):
            np.testing.assert_array_equal(found, expected)
        for found, expected in zip(index.retrieve(coded), index.retrieve(like)):
            np.testing.assert_array_equal(found, expected)
    empty = pa.array([None, None], pa.dictionary(pa.int8(), pa.utf8() if words else pa.int64()))
    assert index.join(empty, how)[0].tolist() == ([0, 1] if how in ("left", "anti") else [])
