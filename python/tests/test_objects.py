# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lists and columns of objects hold what they say: random mixtures against Python's own comparisons of the objects."""

import bisect
import collections
import datetime
import decimal
import functools
import ipaddress
import math
import random
import uuid

import numpy as np
import pytest

import warpdex
from warpdex import GroupedIndex, Index, Intervals

ODD = 2**53 + 1  # no float equals it
SIGNED = [-(2**63), -ODD, -(2**53), -3, 0, 1, 2, 7, 2**53, ODD, 2**62 + 1, 2**63 - 1]
UNSIGNED = [0, 1, 2, 7, 2**53, ODD, 2**63, 2**63 + 1, 2**64 - 1]
FLOATS = [-math.inf, -(2.0**63), -(2.0**53), -2.5, 0.0, 0.5, 1.0, 2.0, 2.5, 2.0**53, 2.0**63, 2.0**64, 1e300, math.inf]
PROBES = [*SIGNED, *UNSIGNED, *FLOATS, 2**70, -(2**70), 10**400]
KEYS = {"signed": SIGNED, "unsigned": UNSIGNED, "floats": FLOATS}


def mixture(rng, count, pool=PROBES):
    """Integers and floats, also of NumPy, which no one type holds."""
    result = [ODD, 0.5, *rng.choices(pool, k=count)]
    rng.shuffle(result)

    def other(value):
        if isinstance(value, float):
            return np.float32(value) if float(np.float32(min(value, 3e38))) == value else np.float64(value)
        return np.int64(value) if -(2**63) <= value < 2**63 else value

    return [other(value) if rng.random() < 0.3 else value for value in result]


def narrow_mixture(rng, count):
    """One whose integers 64 bits hold, for columns that are read as a whole."""
    return mixture(rng, count, [*SIGNED, *FLOATS[2:-4]])


def plain(values):
    return [value.item() if isinstance(value, np.generic) else value for value in values]


FORMS = {
    "list": list,
    "tuple": tuple,
    "deque": collections.deque,
    "objects": lambda values: np.array(values, object),
    "two dimensions": lambda values: [values[: len(values) // 2], values[len(values) // 2 :]],
}


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("kind", list(KEYS))
@pytest.mark.parametrize("spec", ["AO+BS", "B+(16)", "HT(open)"])
def test_probes_that_are_integers_and_floats(form, kind, spec):
    rng = random.Random(f"{form} {kind} {spec}")
    keys = sorted(rng.choices(KEYS[kind], k=30) + KEYS[kind])
    index = Index(keys, spec)

    def asked(call, *columns, **options):
        return np.asarray(call(*(FORMS[form](column) for column in columns), **options)).reshape(-1).tolist()

    def first(value):
        return keys.index(value) if value in keys else -1

    for _ in range(5):
        given = mixture(rng, 20)
        probes = plain(given)
        assert asked(index.find, given) == [first(p) for p in probes]
        assert asked(index.contains, given) == [p in keys for p in probes]
        assert asked(index.count, given) == [keys.count(p) for p in probes]
        if spec == "HT(open)":
            continue
        below, upto = [bisect.bisect_left(keys, p) for p in probes], [bisect.bisect_right(keys, p) for p in probes]
        assert asked(index.lower_bound, given) == below
        assert asked(index.upper_bound, given) == upto
        assert asked(index.floor, given) == [first(keys[n - 1]) if n else -1 for n in upto]
        assert asked(index.ceil, given) == [n if n < len(keys) else -1 for n in below]
        others = rng.sample(given, len(given))
        for closed in ("both", "left", "right", "none"):
            lows = below if closed in ("both", "left") else upto
            highs = [
                (bisect.bisect_right if closed in ("both", "right") else bisect.bisect_left)(keys, p)
                for p in plain(others)
            ]
            counts = asked(index.range_count, given, others, closed=closed)
            assert counts == [max(high - low, 0) for low, high in zip(lows, highs)], closed


@pytest.mark.parametrize("kind", list(KEYS))
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(kind, side):
    rng, keys = random.Random(f"{kind} {side}"), sorted(KEYS[kind])
    find = bisect.bisect_left if side == "left" else bisect.bisect_right
    for _ in range(10):
        given = mixture(rng, 20)
        wanted = [find(keys, p) for p in plain(given)]
        for probes in (given, np.array(given, object), [given]):
            assert np.asarray(warpdex.searchsorted(keys, probes, side)).reshape(-1).tolist() == wanted
    with pytest.raises(warpdex.errors.InvalidArgument, match=f"a has {ODD} and 0.5"):
        warpdex.searchsorted([0.5, ODD], [1])


def test_keys_that_no_type_holds_are_refused_by_name():
    text = f"has {ODD} and 0.5, and no type of numbers holds both"
    for call, name in (
        (lambda: Index([ODD, 0.5]), "keys"),
        (lambda: Index(np.array([ODD, 0.5], object)), "keys"),
        (lambda: Index(([1, 2], [ODD, 0.5])), r"keys\[1\]"),
        (lambda: GroupedIndex([ODD, 0.5], [1, 2]), "groups"),
        (lambda: GroupedIndex([1, 1], [ODD, 0.5]), "keys"),
        (lambda: Intervals([ODD, 0.5], [ODD, 0.5]), "end"),
        (lambda: Intervals([0, 1], [5, 9], by=[ODD, 0.5]), "by"),
        (lambda: warpdex.joins.hash_join([ODD, 0.5], [ODD, 0.5]), "right"),
        (lambda: warpdex.joins.asof_merge([ODD, 0.5], [1, 2]), "left"),
    ):
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"^{name} {text}$"):
            call()
    with pytest.raises(warpdex.errors.InvalidArgument, match=f"keys has {ODD} and nan"):
        Index([ODD, math.nan])
    with pytest.raises(warpdex.errors.InvalidArgument, match="points has 0.5, which is no integer"):
        Intervals([0, ODD], [1, 2**60]).find([ODD, 0.5])
    index = Index([ODD, 5])
    with pytest.raises(warpdex.Error, match="0.5"):
        index.insert([2**53 + 3, 0.5], [7, 8])
    assert len(index) == 2


def test_keys_that_one_type_holds_are_kept():
    for keys in (
        [ODD, 2.0, 2**63 - 1],
        [2**53, 0.5, 7],
        [1, 2.5, math.inf],
        [2**63, 2.0, ODD],
        [True, np.False_, None],
    ):
        index = Index(keys)
        assert index.find(keys).tolist() == [-1 if key is None else n for n, key in enumerate(keys)], keys
    assert Index([ODD, 2.0]).find([2**53, 2.0**53, ODD, 2]).tolist() == [-1, -1, 0, 1]
    assert Index([2**53, 0.5]).find([ODD, 0.5]).tolist() == [-1, 1]
    assert Index([1, math.nan, 0.5], "AO+BS").find([math.nan, 1.0]).tolist() == [1, 0]
    assert Index([3, ODD], "AO+BS").lower_bound([math.nan, ODD, 0.5]).tolist() == [2, 1, 0]
    assert Index([1, 2]).find([np.ma.masked, 2]).tolist() == [-1, 1]


@pytest.mark.parametrize(
    "values",
    [
        [True, 2],
        [0.5, True],
        [decimal.Decimal("1.5"), 2.5],
        [np.timedelta64(1, "s"), 5],
        [np.timedelta64(1, "s"), np.timedelta64(1, "M")],
        [1, "1"],
        [datetime.time(1), datetime.date(2020, 1, 1)],
        [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)],
        [uuid.UUID(int=1), "a"],
    ],
    ids=str,
)
def test_kinds_that_are_not_compared(values):
    for result in (values, values[::-1], np.array([*values, None], object), [values, values]):
        with pytest.raises(warpdex.errors.KeyTypeError, match="not compared|a time zone|but the keys are of type"):
            Index([1]).find(result)
        if not isinstance(result[0], list):
            with pytest.raises(warpdex.errors.KeyTypeError, match="not compared|a time zone"):
                Index(result)


def test_numbers_wider_than_the_keys_are_refused():
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(warpdex.errors.KeyTypeError, match=r"keys\[0\] is .*longdouble.*, which is no key"):
            Index([np.longdouble(1) / 3, None])


def test_tuples_groups_and_intervals_take_mixtures_as_probes():
    rng = random.Random(6)
    for kind in ("signed", "floats"):
        keys = KEYS[kind]
        given = narrow_mixture(rng, 30)
        probes, some = plain(given), ["a", "b"] * 16
        index = Index((keys, ["a"] * len(keys)))
        found = [keys.index(p) if p in keys and word == "a" else -1 for p, word in zip(probes, some)]
        assert index.find((given, some)).tolist() == found
        grouped = GroupedIndex(keys, [5] * len(keys))
        assert grouped.find(given, [5] * 32).tolist() == [keys.index(p) if p in keys else -1 for p in probes]
        inner = GroupedIndex([0] * len(keys), keys)
        assert inner.find([0] * 32, given).tolist() == [keys.index(p) if p in keys else -1 for p in probes]
        upper = [sum(key <= p for key in keys) for p in probes]
        assert inner.range_count([0] * 32, None, given).tolist() == upper
        spans = Intervals([0] * len(keys), [9] * len(keys), by=keys)
        assert spans.count([5] * 32, by=given).tolist() == [keys.count(p) for p in probes]


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize("kind", list(KEYS))
def test_joins_of_columns(how, kind):
    rng, keys = random.Random(how + kind), KEYS[kind]
    for _ in range(5):
        given = mixture(rng, 20)
        pairs = [(i, j) for i, p in enumerate(plain(given)) for j, key in enumerate(keys) if p == key]
        lefts = {i for i, _ in pairs}
        alone = [(i, -1) for i in range(len(given)) if i not in lefts]
        if how in ("semi", "anti"):
            wanted = [i for i in range(len(given)) if (i in lefts) == (how == "semi")]
            assert warpdex.joins.hash_join(given, keys, how)[0].tolist() == wanted
            continue
        found = zip(*(side.tolist() for side in warpdex.joins.hash_join(given, keys, how)))
        assert sorted(found) == sorted(pairs + (alone if how == "left" else []))
        given = narrow_mixture(rng, 20)
        pairs = [(j, i) for j, key in enumerate(keys) for i, p in enumerate(plain(given)) if p == key]
        assert sorted(zip(*(side.tolist() for side in warpdex.joins.hash_join(keys, given)))) == pairs


@pytest.mark.parametrize("kind", list(KEYS))
def test_joins_of_pandas_objects(kind):
    pd = pytest.importorskip("pandas")
    rng, keys = random.Random(kind), KEYS[kind]
    given = [*mixture(rng, 20), None, math.nan]
    left = pd.DataFrame({"k": pd.Series(given, dtype=object), "g": 0, "l": range(len(given))})
    right = pd.DataFrame({"k": keys, "g": 0, "r": range(len(keys))})
    wanted = sorted((i, j) for i, p in enumerate(plain(given)) for j, key in enumerate(keys) if p == key)
    for on in ("k", ["k", "g"]):
        found = warpdex.join(left, right, on)
        assert sorted(zip(found["l"], found["r"])) == wanted
        found = warpdex.join(right, left, on)
        assert sorted(zip(found["l"], found["r"])) == wanted
    ranges = pd.DataFrame({"low": pd.Series([0.5, ODD], dtype=object), "high": pd.Series([ODD, 2.0**63], dtype=object)})
    found = warpdex.join_between(ranges, right, "k", "low", "high")["k"].tolist()
    assert found == [key for low, high in ((0.5, ODD), (ODD, 2.0**63)) for key in sorted(keys) if low <= key <= high]


# Times.

DAY = datetime.date(2024, 1, 2)
FAR = np.datetime64("9999-01-01", "D")
EXACT = np.datetime64("2024-01-01T00:00:00.000000001", "ns")
ATTOSECONDS = {"D": 86400 * 10**18, "h": 3600 * 10**18, "s": 10**18, "ms": 10**15, "us": 10**12, "ns": 10**9}


def attoseconds(value):
    """A moment since 1970, or a duration, of any library."""
    if isinstance(value, datetime.datetime) and not hasattr(value, "to_numpy"):
        zero = datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo and datetime.timezone.utc)
        return (value - zero) // datetime.timedelta(microseconds=1) * 10**12
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return (value - datetime.date(1970, 1, 1)).days * ATTOSECONDS["D"]
    if isinstance(value, datetime.timedelta) and not hasattr(value, "to_numpy"):
        return value // datetime.timedelta(microseconds=1) * 10**12
    value = value.to_numpy() if hasattr(value, "to_numpy") else value
    return int(value.astype(np.int64)) * ATTOSECONDS[np.datetime_data(value.dtype)[0]]


def moments(rng, count):
    pd = pytest.importorskip("pandas")
    whole = datetime.datetime(2024, 1, 1)
    pool = [
        DAY,
        datetime.date(9999, 12, 31),
        datetime.date(1, 1, 1),
        whole,
        whole + datetime.timedelta(microseconds=1),
        datetime.datetime.max,
        FAR,
        EXACT,
        np.datetime64("2024-01-01", "ns"),
        np.datetime64("2024-01-01T00", "h"),
        np.datetime64("2024-01-01T00:00:00.001", "ms"),
        np.datetime64(10**14, "D"),
        np.datetime64(-(10**17), "s"),
        pd.Timestamp("2024-01-02"),
        pd.Timestamp("2024-01-01T00:00:00.000000001"),
        pd.Timestamp("9000-01-01").as_unit("s"),
    ]
    return rng.choices(pool, k=count)


def durations(rng, count):
    pd = pytest.importorskip("pandas")
    pool = [
        datetime.timedelta(1),
        datetime.timedelta(microseconds=1),
        datetime.timedelta(days=999999999),
        datetime.timedelta(days=-999999999),
        np.timedelta64(1, "D"),
        np.timedelta64(24, "h"),
        np.timedelta64(10**14, "D"),
        np.timedelta64(1, "ns"),
        np.timedelta64(10**6, "us"),
        np.timedelta64(1, "s"),
        pd.Timedelta(1, "ns"),
        pd.Timedelta(days=1),
    ]
    return rng.choices(pool, k=count)


@pytest.mark.parametrize("made", [moments, durations])
@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_times_of_several_units_as_probes(made, unit):
    rng = random.Random(unit)
    kind = "M8" if made is moments else "m8"
    base = 19723 * ATTOSECONDS["D"] // ATTOSECONDS[unit] if made is moments else 0
    numbers = sorted({base, base + 1, 0, 1, 2**62, -(2**62), base + ATTOSECONDS["D"] // ATTOSECONDS[unit]})
    keys, exact = np.array(numbers).view(f"{kind}[{unit}]"), [number * ATTOSECONDS[unit] for number in numbers]
    index = Index(keys, "AO+BS")
    for _ in range(10):
        given = made(rng, 20)
        probes = [attoseconds(value) for value in given]
        below, upto = [bisect.bisect_left(exact, p) for p in probes], [bisect.bisect_right(exact, p) for p in probes]
        for values in (given, np.array([*given, None], object)[:-1], [given]):
            found = np.asarray(index.find(values)).reshape(-1).tolist()
            assert found == [exact.index(p) if p in exact else -1 for p in probes]
            assert np.asarray(index.floor(values)).reshape(-1).tolist() == [n - 1 for n in upto]
            assert np.asarray(index.lower_bound(values)).reshape(-1).tolist() == below
            assert np.asarray(warpdex.searchsorted(keys, values, "right")).reshape(-1).tolist() == upto
        counts = [max(high - low, 0) for low, high in zip(below, upto[::-1])]
        assert index.range_count(given, given[::-1]).tolist() == counts


@pytest.mark.parametrize("made", [moments, durations])
def test_times_of_several_units_as_keys(made):
    rng, held = random.Random(3), 0
    for _ in range(60):
        keys = made(rng, 3)
        exact = [attoseconds(key) for key in keys]
        units = [unit for unit in ATTOSECONDS if all(one % ATTOSECONDS[unit] == 0 for one in exact)]
        can = any(all(abs(one // ATTOSECONDS[unit]) < 2**63 for one in exact) for unit in units)
        try:
            index = Index(keys, "AO+BS")
        except warpdex.errors.InvalidArgument as why:
            assert not can and "does not hold" in str(why), keys
            continue
        held += can
        assert can and index.find(keys).tolist() == [exact.index(one) for one in exact], keys
        assert index.lower_bound(keys).tolist() == [sum(other < one for other in exact) for one in exact], keys
    assert held > 10


def test_far_moments_are_named():
    with pytest.raises(
        warpdex.errors.InvalidArgument, match=r"keys has 9999-01-01, which datetime64\[ns\] does not hold"
    ):
        Index([FAR, EXACT])
    with pytest.raises(warpdex.errors.InvalidArgument, match=r"keys has 9999-01-01 of type datetime64\[D\]"):
        Index(np.array([EXACT])).insert([FAR], [1])
    with pytest.raises(warpdex.errors.InvalidArgument, match="takes more than 64 bits"):
        Index([datetime.timedelta.max])
    early = datetime.datetime(1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    assert Index([early]).find([early + datetime.timedelta(1), early]).tolist() == [-1, 0]
    wide = np.timedelta64(10**6, "D")  # more than the nanoseconds of 64 bits
    index = Index(np.array([EXACT]))
    assert index.join_asof(np.array(["1800-01-01"], "M8[D]"), "nearest", tolerance=wide).tolist() == [0]
    assert Index(np.array([3], "M8[M]")).join_asof(
        np.array([5], "M8[M]"), tolerance=np.timedelta64(2, "M")
    ).tolist() == [0]


def test_times_of_several_units_in_frames():
    pd = pytest.importorskip("pandas")
    left = pd.DataFrame({"k": pd.Series([FAR, EXACT, DAY, pd.Timestamp(DAY)], dtype=object), "l": range(4)})
    right = pd.DataFrame({"k": np.array([EXACT, DAY], "M8[ns]"), "r": range(2)})
    found = warpdex.join(left, right, "k")
    assert list(zip(found["l"], found["r"])) == [(1, 0), (2, 1), (3, 1)]
    assert [side.tolist() for side in warpdex.joins.hash_join([FAR, EXACT], right["k"].to_numpy())] == [[1], [0]]
    index = Index(([1, 2], np.array([EXACT, DAY], "M8[ns]")))
    assert index.find(([1, 2, 2], [EXACT, DAY, FAR])).tolist() == [0, 1, -1]


# NaN of objects in frames.


@pytest.mark.parametrize("nan_is_null", [True, False])
def test_nan_of_objects_in_frames(nan_is_null):
    pd = pytest.importorskip("pandas")
    values = [1.5, math.nan, None, 2]
    frame = pd.DataFrame({"k": pd.Series(values, dtype=object), "g": 1, "t": [1, 2, 3, 4], "row": range(4)})
    rows = [0, 3] if nan_is_null else [0, 1, 3]
    call = functools.partial
    for join in (
        call(warpdex.join, on="k"),
        call(warpdex.join, on=["k", "g"]),
        call(warpdex.join_between, on="k", lower="k", upper="k"),
        call(warpdex.join_between, on="t", lower="t", upper="t", by="k"),
    ):
        found = join(frame, frame, nan_is_null=nan_is_null)
        assert sorted(zip(found["row"], found["row_right"])) == [(row, row) for row in rows]
    for join in (
        call(warpdex.join_asof, on="t", by="k"),
        call(warpdex.join_asof, on="k", tolerance=0.0),
        call(warpdex.join, on="k", how="left"),
    ):
        found = join(frame, frame, nan_is_null=nan_is_null)["row_right"]
        assert found.dropna().tolist() == rows
    for options in ({"on": "t", "by": "k"}, {"on": "k"}):
        counts = warpdex.window(
            frame, frame, before=0, after=0, agg={"*": "count"}, nan_is_null=nan_is_null, **options
        )["count"]
        assert np.flatnonzero(counts).tolist() == rows
    seen = warpdex.point_in_time(frame, {"r": frame}, on="t", by="k", nan_is_null=nan_is_null)["row_r"]
    assert seen.dropna().tolist() == rows
    assert len(warpdex.join(frame, frame, "k", nulls_equal=True, nan_is_null=nan_is_null)) == (6 if nan_is_null else 4)


def test_null_groups_of_merge_asof_are_one_as_in_pandas():
    pd = pytest.importorskip("pandas")
    import warpdex.pandas as own

    left = pd.DataFrame({"t": [1, 2, 3, 4], "k": pd.Series([1.5, math.nan, None, 2.0], dtype=object)})
    right = pd.DataFrame({"t": [1, 1, 1], "k": pd.Series([math.nan, None, 2.0], dtype=object), "v": [1, 2, 3]})
    pd.testing.assert_frame_equal(own.merge_asof(left, right, "t", by="k"), pd.merge_asof(left, right, "t", by="k"))


def test_words_of_categories_of_both_signs():
    pd = pytest.importorskip("pandas")
    column = pd.Series([2**63, -1, 2**63], dtype=object).astype("category")
    with pytest.raises(warpdex.errors.InvalidArgument, match="no type of 64 bits holds both"):
        Index([1]).find(column)


# Polars' columns of objects.


def objects(values):
    pl = pytest.importorskip("polars")
    return pl.Series("k", values, dtype=pl.Object)


def test_objects_of_polars():
    pl = pytest.importorskip("polars")
    ids = [uuid.UUID(int=n << 70) for n in (5, 3, 9)]
    index = Index(objects([*ids, None]))
    for one in (index, Index.from_buffer(index.to_bytes()), Index(ids)):
        assert one.find(objects([ids[2], None, ids[0], uuid.UUID(int=1)])).to_list() == [2, None, 0, None]
        assert one.find([str(one) for one in ids]).tolist() == [0, 1, 2]
    frame = pl.DataFrame({"k": objects(ids), "row": [0, 1, 2]})
    again = pl.DataFrame({"k": objects([uuid.UUID(int=one.int) for one in ids[::-1]]), "t": [1, 2, 3]})
    assert warpdex.join(frame, again, "k")["t"].to_list() == [3, 2, 1]
    assert warpdex.join(frame.lazy(), again, "k").collect()["t"].to_list() == [3, 2, 1]
    assert warpdex.join(frame, again, "k", "full", coalesce=True)["k"].to_list() == ids
    last = again.with_columns(v=pl.col("t") * 10)
    assert warpdex.join_asof(again, last, on="t", by="k")["v"].to_list() == [10, 20, 30]
    assert again.select(pl.col("k").warpdex.find(index))["k"].to_list() == [2, 1, 0]
    numbers = Index((objects([1, ODD]), ["a", "b"]))
    assert numbers.find(pl.DataFrame({"k": objects([ODD, 0.5]), "w": ["b", "a"]})).tolist() == [1, -1]
    assert warpdex.joins.hash_join(objects([ODD, 0.5]), [ODD])[0].tolist() == [0]
    for wrong in ([object()], [[1]]):
        with pytest.raises(warpdex.errors.KeyTypeError, match=r"keys\[0\] is .*, which is no key"):
            Index(objects(wrong))
    nets = warpdex.Networks(["10.0.0.0/8", "::/0"])
    found = nets.find(objects([ipaddress.ip_address("10.1.1.1"), None, ipaddress.ip_address("::5")]))
    assert found.to_list() == [0, None, 1]


def test_objects_of_polars_are_no_column_of_pyarrow():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    right = pl.DataFrame({"k": objects([uuid.UUID(int=1)]), "row": [0]})
    with pytest.raises(warpdex.errors.Unsupported, match="the column 'k' is of objects of Python"):
        warpdex.join(pa.table({"row": [0]}), right, "row")


def test_gathered_lists_hold_what_they_say():
    assert warpdex.gather([1, 0], [ODD, 0.5]).tolist() == [0.5, ODD]
    assert warpdex.gather([1, -1], [FAR, EXACT], fill_value=None).tolist() == [EXACT, None]
