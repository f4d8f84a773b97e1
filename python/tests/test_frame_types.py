# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns, types, labels and indexes of joined frames: they are those that the frames' own library gives."""

import datetime
import uuid

import numpy as np
import pytest

import warpdex

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
merge_asof = pytest.importorskip("warpdex.pandas").merge_asof

DAY = datetime.date(2024, 1, 2)
NOON = datetime.datetime(2024, 1, 2, 12, 30)
LATER = datetime.datetime(2024, 1, 2, 12, 30, 0, 1)
SPAN = datetime.timedelta(seconds=2)
ZONE = "Europe/Berlin"

# Two types, values of both of which the first are equal, and the finest type of both.
POLARS_PAIRS = [
    (pl.Int8, pl.Int64, [7, 1], [7, 2**40], pl.Int64),
    (pl.Int32, pl.Int64, [7, -1], [7, 2**40], pl.Int64),
    (pl.Int32, pl.UInt32, [7, -1], [7, 2**32 - 1], pl.Int64),
    (pl.Int64, pl.UInt64, [7, -1], [7, 2**64 - 1], pl.Int128),
    (pl.Float32, pl.Float64, [7.5, 0.25], [7.5, 0.1], pl.Float64),
    (pl.Date, pl.Datetime("us"), [DAY, None], [datetime.datetime(2024, 1, 2), NOON], pl.Datetime("us")),
    (pl.Datetime("ms"), pl.Datetime("us"), [NOON, None], [NOON, LATER], pl.Datetime("us")),
    (pl.Datetime("ms"), pl.Datetime("ns"), [NOON, None], [NOON, LATER], pl.Datetime("ns")),
    (pl.Datetime("ms", ZONE), pl.Datetime("us", "UTC"), [NOON, None], [NOON, LATER], pl.Datetime("us", ZONE)),
    (pl.Duration("ms"), pl.Duration("us"), [SPAN, None], [SPAN, LATER - NOON], pl.Duration("us")),
    (pl.Enum(["a", "b"]), pl.Enum(["c", "a"]), ["a", "b"], ["a", "c"], pl.String),
    (pl.Enum(["a", "b"]), pl.String, ["a", "b"], ["a", "c"], pl.String),
    (pl.Categorical, pl.String, ["a", "b"], ["a", "c"], pl.String),
    (pl.Categorical(pl.Categories("one")), pl.Categorical(pl.Categories("two")), ["a", "b"], ["a", "c"], pl.String),
    (pl.Enum(["a", "b"]), pl.Binary, ["a", "b"], [b"a", b"\xff"], pl.Binary),
    (pl.Null, pl.Date, [None, None], [DAY, DAY], pl.Date),
]


def series(values, kind):
    zone = getattr(kind, "time_zone", None)
    if zone is None:
        return pl.Series("k", values, dtype=kind)
    moments = pl.Series("k", values, dtype=pl.Datetime(kind.time_unit)).dt.replace_time_zone("UTC")
    return moments.dt.convert_time_zone(zone)


def as_kind(column, kind):
    text = column.cast(pl.String) if kind != column.dtype and column.dtype == pl.Binary else column
    return text.cast(kind)


@pytest.mark.parametrize("one, two, lefts, rights, kind", POLARS_PAIRS, ids=lambda value: str(value)[:20])
def test_keys_of_full_joins_have_the_finest_type_of_both_sides(one, two, lefts, rights, kind):
    for (mine, values), (other, others) in (((one, lefts), (two, rights)), ((two, rights), (one, lefts))):
        left = pl.DataFrame({"k": series(values, mine), "a": [0, 1]})
        right = pl.DataFrame({"k": series(others, other), "b": [0, 1]})
        found = warpdex.join(left, right, "k", "full", coalesce=True)
        zone = getattr(mine, "time_zone", None)
        assert found["k"].dtype == (pl.Datetime(kind.time_unit, zone) if zone else kind)
        from_left, from_right = found.filter(pl.col("a").is_not_null()), found.filter(pl.col("a").is_null())
        assert as_kind(from_left["k"], mine).equals(left["k"][from_left["a"]], null_equal=True)
        assert as_kind(from_right["k"], other).equals(right["k"][from_right["b"]], null_equal=True)
        assert len(found) == 3 + (pl.Null in (one, two))
        if kind in (pl.Int64, pl.Int128, pl.Float64):
            expected = left.join(right, on="k", how="full", coalesce=True, maintain_order="left_right")
            assert found.equals(expected) and found.schema == expected.schema
        lazy = warpdex.join(left.lazy(), right.lazy(), "k", "full", coalesce=True)
        assert lazy.collect_schema() == found.schema and lazy.collect().equals(found)


def test_key_columns_without_a_common_type_are_refused():
    far = pl.DataFrame({"k": [datetime.datetime(9999, 1, 1)]}).cast(pl.Datetime("ms"))
    near = pl.DataFrame({"k": [NOON]}).cast(pl.Datetime("ns"))
    for left, right in (
        (far, near),
        (far.to_arrow(), near.to_arrow()),
        (far.to_pandas(), near.to_pandas()),
    ):
        assert len(warpdex.join(left, right, "k", "full")) == 2
        with pytest.raises(warpdex.errors.InvalidArgument, match="^'k' and 'k' have no type that holds both: [^\n]*$"):
            warpdex.join(left, right, "k", "full", coalesce=True)


ARROW_PAIRS = [
    (pa.int8(), pa.int64(), [7, 1], [7, 2**40], pa.int64()),
    (pa.int32(), pa.int64(), [7, -1], [7, 2**40], pa.int64()),
    (pa.int32(), pa.uint32(), [7, -1], [7, 2**32 - 1], pa.int64()),
    (pa.int64(), pa.uint64(), [7, -1], [7, 2**64 - 1], pa.decimal128(20)),
    (pa.float32(), pa.float64(), [7.5, 0.25], [7.5, 0.1], pa.float64()),
    (pa.date32(), pa.timestamp("us"), [DAY, None], [datetime.datetime(2024, 1, 2), NOON], pa.timestamp("us")),
    (pa.date32(), pa.date64(), [DAY, None], [DAY, datetime.date(2024, 1, 3)], pa.date64()),
    (pa.timestamp("ms"), pa.timestamp("us"), [NOON, None], [NOON, LATER], pa.timestamp("us")),
    (pa.timestamp("s"), pa.timestamp("ns"), [NOON, None], [NOON, LATER], pa.timestamp("ns")),
    (pa.duration("ms"), pa.duration("us"), [SPAN, None], [SPAN, LATER - NOON], pa.duration("us")),
    (pa.dictionary(pa.int8(), pa.string()), pa.string(), ["a", "b"], ["a", "c"], pa.large_string()),
    (pa.string(), pa.large_string(), ["a", "b"], ["a", "c"], pa.large_string()),
    (pa.string(), pa.string_view(), ["a", "b"], ["a", "c"], pa.large_string()),
    (pa.string(), pa.binary(1), ["a", "b"], [b"a", b"\xff"], pa.large_binary()),
    (pa.null(), pa.date32(), [None, None], [DAY, DAY], pa.date32()),
]


@pytest.mark.parametrize("one, two, lefts, rights, kind", ARROW_PAIRS, ids=lambda value: str(value)[:20])
def test_keys_of_full_joins_of_tables_have_the_finest_type(one, two, lefts, rights, kind):
    for (mine, values), (other, others) in (((one, lefts), (two, rights)), ((two, rights), (one, lefts))):
        left = pa.table({"k": pa.array(values, mine), "a": [0, 1]})
        right = pa.table({"k": pa.array(others, other), "b": [0, 1]})
        found = warpdex.join(left, right, "k", "full", coalesce=True)
        assert found["k"].type == kind
        rows = [(a, b) for a, b in zip(found["a"].to_pylist(), found["b"].to_pylist())]
        keys = [values[a] if a is not None else others[b] for a, b in rows]
        exact = [pa.array([key], mine if a is not None else other).cast(kind)[0] for key, (a, _) in zip(keys, rows)]
        assert found["k"].to_pylist() == [key.as_py() for key in exact]


def objects(*values):
    return pd.Series(values, dtype=object)


PANDAS_PAIRS = [
    (pd.Series([7, -1], dtype="i4"), pd.Series([7, 2**40]), "int64"),
    (pd.Series([7, -1], dtype="i4"), pd.Series([7, None], dtype="Int64"), "Int64"),
    (pd.Series([7, -1]), pd.Series([7, 9], dtype="u8"), "float64"),
    (pd.Series([7, -1]), pd.Series([7, 2**64 - 1], dtype="u8"), "object"),
    (pd.Series([7, None], dtype="Int64"), pd.Series([7, 2**64 - 1], dtype="UInt64"), "object"),
    (pd.Series([7.5, 0.25], dtype="f4"), pd.Series([7.5, 0.1]), "float64"),
    (pd.Series([NOON, None], dtype="M8[s]"), pd.Series([NOON, LATER], dtype="M8[ns]"), "datetime64[ns]"),
    (pd.Series([NOON, LATER]), pd.Series([DAY, DAY], dtype=pd.ArrowDtype(pa.date32())), "timestamp[us][pyarrow]"),
    (pd.Series([SPAN, None], dtype="m8[s]"), pd.Series([SPAN, LATER - NOON], dtype="m8[us]"), "timedelta64[us]"),
    (pd.Series(["a", "b"], dtype="category"), pd.Series(["a", "c"], dtype="category"), "str"),
    (pd.Series(["a", "b"], dtype="category"), objects("a", "c"), "object"),
    (pd.Series(["a", "b"]), objects("a", "c"), "object"),
    (objects(7, None), pd.Series([7, 8]), "object"),
]


@pytest.mark.parametrize("one, two, kind", PANDAS_PAIRS, ids=lambda value: getattr(value, "dtype", value))
def test_keys_of_full_joins_of_pandas_frames_hold_both_sides(one, two, kind):
    for lefts, rights in ((one, two), (two, one)):
        left, right = pd.DataFrame({"k": lefts, "a": [0, 1]}), pd.DataFrame({"k": rights, "b": [0, 1]})
        found = warpdex.join(left, right, "k", "full", coalesce=True)
        assert found["k"].dtype == kind
        for side, keys in (("a", lefts), ("b", rights)):
            here = found[found["a"].notna() if side == "a" else found["a"].isna()]
            for result, row in zip(here["k"], here[side]):
                key = pd.Timestamp(keys[int(row)]) if keys.dtype == "date32[day][pyarrow]" else keys[int(row)]
                assert (pd.isna(result) and pd.isna(key)) or result == key


OBJECTS = {
    "text": ["a", None],
    "dates": [DAY, None],
    "moments": [NOON, None],
    "spans": [SPAN, None],
    "zoned": [pd.Timestamp(NOON, tz="UTC"), None],
    "periods": [pd.Period("2024-01"), None],
    "numbers": [1, 2],
    "bools": [True, False],
    "ids": [uuid.UUID(int=1), None],
    "lists": [[1], [2]],
}


def test_columns_of_objects_stay_columns_of_objects():
    columns = {name: objects(*values) for name, values in OBJECTS.items()}
    frame = pd.DataFrame({"k": [1, 2], "hi": [2, 3], **columns})
    other = pd.DataFrame({"k": [1, 2, 2], "v": [1, 2, 3]})
    merged = frame.merge(other, on="k")
    pd.testing.assert_frame_equal(warpdex.join(frame, other, "k"), merged)
    pd.testing.assert_frame_equal(warpdex.join(other, frame, "k"), other.merge(frame, on="k"))
    outer = warpdex.join(frame[:1], other, "k", "full", coalesce=True)
    pd.testing.assert_frame_equal(outer, frame[:1].merge(other, on="k", how="outer"))
    pd.testing.assert_frame_equal(warpdex.join_asof(other, frame, on="k"), pd.merge_asof(other, frame, on="k"))
    pd.testing.assert_frame_equal(merge_asof(other, frame, on="k"), pd.merge_asof(other, frame, on="k"))
    between = warpdex.join_between(frame, other, "k", "k", "hi")
    assert all(between[name].dtype == object for name in OBJECTS)
    assert between["text"].tolist() == ["a", "a", "a", None, None]


def test_as_of_joins_keep_the_right_key_of_another_name():
    left = pl.DataFrame({"t": [2, 5], "g": [1, 1], "a": [1, 2]})
    right = pl.DataFrame({"u": [1, 4], "h": [1, 1], "a": [3, 4]})
    for options in (
        {"left_on": "t", "right_on": "u"},
        {"left_on": "t", "right_on": "a"},
        {"left_on": "t", "right_on": "u", "by_left": "g", "by_right": "h"},
    ):
        for coalesce in (True, False):
            expected = left.join_asof(right, check_sortedness=False, coalesce=coalesce, **options)
            assert warpdex.join_asof(left, right, coalesce=coalesce, **options).equals(expected)
            lazy = warpdex.join_asof(left.lazy(), right.lazy(), coalesce=coalesce, **options)
            assert lazy.collect_schema() == expected.schema and lazy.collect().equals(expected)
    assert warpdex.join_asof(left, right.rename({"u": "t"}), on="t").columns == ["t", "g", "a", "h", "a_right"]


def assert_same(found, expected):
    """pandas has two types for mixed labels."""
    assert found.columns.tolist() == expected.columns.tolist()
    pd.testing.assert_frame_equal(found.set_axis(expected.columns, axis=1), expected)


@pytest.mark.parametrize("label", [0, "", pd.Timestamp(NOON)])
def test_labels_of_pandas_may_be_anything(label):
    left = pd.DataFrame({label: [1, 4], 1: [2, 5]})
    right = pd.DataFrame({label: [1, 3], 1: [6, 7]})
    for options in ({"on": label}, {"on": label, "by": 1}, {"on": 1, "by": label}, {"left_on": label, "right_on": 1}):
        expected = pd.merge_asof(left, right, **options)
        if "left_on" in options:  # pandas adds a column "key_0"
            expected = expected[expected.columns[1:]]
        assert_same(merge_asof(left, right, **options), expected)
    merged = left.merge(right, on=label, how="left", suffixes=("", "_right")).set_axis([label, 1, "1_right"], axis=1)
    for on in (label, [label]):
        assert_same(warpdex.join(left, right, on, "left"), merged)
    assert warpdex.join_asof(left, right, on=label, by=[1])[label].tolist() == [1, 4]
    assert warpdex.join_between(left, right, label, label, 1).columns.tolist() == [
        label,
        1,
        f"{label}_right",
        "1_right",
    ]


def test_labels_of_several_levels():
    left = pd.DataFrame({("z", "t"): [1, 5], ("z", "a"): [1, 2]})
    right = pd.DataFrame({("z", "t"): [1, 2], ("z", "a"): [5, 6], ("y", "a"): [1, 1]})
    for frame in (left, right):
        frame.columns.names = ["one", "two"]
    for on in (("z", "t"), [("z", "t")]):
        found = merge_asof(left, right, on=on)
        assert found.columns.tolist() == [("z", "t"), ("z_x", "a"), ("z_y", "a"), ("y", "a")]
        assert found.columns.names == ["one", "two"] and found.to_numpy().tolist() == [[1, 1, 5, 1], [5, 2, 6, 1]]
        joined = warpdex.join(left, right, on)
        assert joined.columns.tolist() == [("z", "t"), ("z", "a"), ("z_right", "a"), ("y", "a")]
        assert joined.columns.names == ["one", "two"]


def test_names_that_are_none():
    left, right = pl.DataFrame({"k": [1], "v": [1]}), pl.DataFrame({"k": [1], "w": [1]})
    calls = (
        (r"neither on nor left_on names a column; they are \[\] and None", lambda: warpdex.join(left, right, [])),
        (r"neither on nor left_on names a column; they are \(\) and None", lambda: warpdex.join(left, right, ())),
        ("left: on names the column 0; there are 'k', 'v'", lambda: warpdex.join(left, right, 0)),
        ("left_on names 2 columns", lambda: warpdex.join_asof(left, right, on=["k", "v"])),
        ("neither on nor left_on", lambda: warpdex.join(left.lazy(), right.lazy(), on=[])),
        ("neither on nor right_on", lambda: warpdex.join(left, right, left_on="k")),
        ("neither on nor left_on", lambda: warpdex.join_asof(left, right, on=[])),
        ("both by and left_by", lambda: merge_asof(left.to_pandas(), right.to_pandas(), on="k", by="k", left_by="k")),
    )
    for words, call in calls:
        with pytest.raises(warpdex.errors.InvalidArgument, match=f"^{words}[^\n]*$"):
            call()
    for on in ({"k"}, np.array(["k"])):
        with pytest.raises(warpdex.errors.KeyTypeError, match="which names no column"):
            warpdex.join(left, right, on)


def test_indexes_of_pandas_as_of_joins():
    left = pd.DataFrame({"a": [1, 2], "g": [1, 1]}, index=pd.Index([3, 11]))
    named = left.rename_axis("t")
    right = pd.DataFrame({"t": [10], "h": [1], "v": [10]})
    keyed = right.set_index("t")
    groups = {"left_by": "g", "right_by": "h"}
    for one, two, options in (
        (left, right, {"left_index": True, "right_on": "t"}),
        (named, right, {"left_index": True, "right_on": "t"}),
        (named, right, {"left_index": True, "right_on": "t", **groups}),
        (left.assign(t=0), right, {"left_index": True, "right_on": "t"}),
        (left + 10, right, {"left_index": True, "right_on": "t", "direction": "nearest"}),
        (left.set_axis(["x", "y"]), keyed, {"left_on": "a", "right_index": True}),
        (left.set_axis(pd.Index(["x", "x"], name="n")), keyed, {"left_on": "a", "right_index": True}),
        (left.set_axis(["x", "y"]), keyed, {"left_on": "a", "right_index": True, **groups}),
        (left.set_axis(pd.MultiIndex.from_tuples([(1, 2), (1, 3)])), keyed, {"left_on": "a", "right_index": True}),
        (named, keyed, {"left_index": True, "right_index": True, **groups}),
    ):
        pd.testing.assert_frame_equal(merge_asof(one, two, **options), pd.merge_asof(one, two, **options))
    # With `by` pandas leaves the left key out, or adds a column "key_1".
    assert merge_asof(left, right, left_index=True, right_on="t", **groups)["t"].isna().tolist() == [True, False]


@pytest.mark.parametrize("order", ["left", "right", "left_right", "right_left", None])
@pytest.mark.parametrize("how", ["semi", "anti"])
def test_semi_and_anti_joins_in_any_order(how, order):
    left, right = pl.DataFrame({"k": [3, 1, 2, 3]}), pl.DataFrame({"k": [3, 3, 2]})
    expected = left.join(right, on="k", how=how, maintain_order=order)
    assert warpdex.join(left, right, "k", how, maintain_order=order).equals(expected)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_tuples_are_validated_in_lazy_and_empty_frames(how):
    left = pl.DataFrame({"a": [1, 1], "b": [1, 2]})
    for validate in ("1:1", "1:m", "m:1"):
        for one, two in ((left, left), (left[:0], left), (left, left[:0]), (left[:0], left[:0])):
            expected = one.join(
                two, on=["a", "b"], how=how, maintain_order=None if how in ("semi", "anti") else "left_right"
            )
            assert warpdex.join(one, two, ["a", "b"], how, validate=validate).equals(expected)
            lazy = warpdex.join(one.lazy(), two.lazy(), ["a", "b"], how, validate=validate)
            assert lazy.collect().equals(expected)
    twice = pl.concat([left, left])
    with pytest.raises(warpdex.errors.InvalidArgument, match="repeat"):
        warpdex.join(left, twice, ["a", "b"], how, validate="1:1")


@pytest.mark.parametrize("values", [[], [None], [None, None]])
@pytest.mark.parametrize("other", [[1, 2], [0.5], ["a", None], [NOON], [True], [uuid.UUID(int=1)], [None], []], ids=str)
def test_a_side_without_values_has_the_type_of_the_other(values, other):
    """Empty partitions, and columns that are null alone."""
    untyped, known = objects(*values), objects(*other) if uuid.UUID(int=1) in other else pd.Series(other)
    for kind in ("object", "category"):
        for one, two in ((untyped.astype(kind), known), (known, untyped.astype(kind))):
            left, right = pd.DataFrame({"k": one, "t": 1}), pd.DataFrame({"k": two, "t": 1, "v": 2})
            for how in ("inner", "left", "right", "full", "semi", "anti"):
                inside = 0 if how in ("inner", "semi") else len(left) if how != "right" else len(right)
                assert len(warpdex.join(left, right, "k", how)) == inside + (len(right) if how == "full" else 0)
                assert len(warpdex.join(left, right, ["k", "t"], how, validate="m:m")) >= inside
            for call in (warpdex.join_asof, merge_asof):
                assert len(call(left, right, on="t", by="k")) == len(left)
            assert len(warpdex.join_between(right, left, "k", "k", "k")) == 0
            if not len(left) or not len(right):
                assert merge_asof(left.dropna(), right.dropna(), on="k")["k"].dtype == left["k"].dtype
    nothing = pl.DataFrame({"k": values}, schema={"k": pl.Null})
    typed = pl.DataFrame({"k": [v.bytes if isinstance(v, uuid.UUID) else v for v in other]})
    for left, right in ((nothing, typed), (typed, nothing)):
        for how in ("inner", "left", "right", "full", "semi", "anti"):
            found = warpdex.join(left, right, "k", how)
            assert warpdex.join(left.lazy(), right.lazy(), "k", how).collect().equals(found)
        assert len(warpdex.join_asof(left, right, on="k")) == len(left)
        assert len(warpdex.join_between(left.lazy(), right.lazy(), "k", "k", "k").collect()) == 0


def test_columns_that_are_nan_alone_are_null_beside_other_types():
    gone = pd.DataFrame({"k": objects(np.nan, np.nan), "t": [1, 2]})
    for other in (["a", "b"], [NOON, NOON], [1, 2]):
        full = pd.DataFrame({"k": other, "t": [1, 2]})
        for left, right in ((gone, full), (full, gone)):
            assert len(warpdex.join(left, right, "k")) == 0 and len(warpdex.join(left, right, "k", "left")) == 2
            assert merge_asof(left, right, on="t", by="k")["k"].tolist() == left["k"].tolist() or left is gone


def test_columns_without_a_type_are_refused_by_name():
    for keys, words in (
        ([], "keys is empty and has no type"),
        (pd.Series([], dtype=object), "keys is empty and has no type"),
        ([None], "keys holds nulls alone, which have no type"),
        (pa.nulls(2), "keys is of the null type"),
    ):
        with pytest.raises(warpdex.errors.KeyTypeError, match=words):
            warpdex.Index(keys)
    for keys in (np.array([], "U3"), np.array([], "S3"), pd.Series([None], dtype="string"), pa.array([], pa.string())):
        assert warpdex.Index(keys).find(["a"]).tolist() == [-1]
