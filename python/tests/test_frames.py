# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of data frames, against pandas and Polars."""

import datetime
import re

import numpy as np
import pytest

import warpdex
from warpdex import Index

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
merge_asof = pytest.importorskip("warpdex.pandas").merge_asof

SEEDS = range(4)


def some(rng, size, limit, kind, nulls=0.1):
    """A Polars column."""
    values = rng.integers(0, limit, size)
    column = {
        "int": lambda: pl.Series(values),
        "small": lambda: pl.Series(values.astype("i1")),
        "float": lambda: pl.Series(np.where(rng.random(size) < 0.1, np.nan, values / 4)),
        "str": lambda: pl.Series([f"w{v}" for v in values], dtype=pl.String),
        "date": lambda: pl.Series(values.astype("i4")).cast(pl.Date),
        "time": lambda: pl.Series(values * 1_000_000).cast(pl.Datetime("us")),
        "cat": lambda: pl.Series([f"w{v}" for v in values], dtype=pl.Categorical),
    }[kind]()
    gone = rng.random(size) < nulls
    return (
        column.zip_with(pl.Series(~gone), pl.Series([None], dtype=column.dtype).new_from_index(0, size))
        if size
        else column
    )


def frames_of(seed, keys, sizes=(70, 50), nulls=0.1):
    rng = np.random.default_rng(seed)
    left = pl.DataFrame(
        {
            **{f"k{i}": some(rng, sizes[0], 25 if len(keys) == 1 else 6, kind, nulls) for i, kind in enumerate(keys)},
            "a": np.arange(sizes[0]),
            "b": np.arange(sizes[0]) * 2,
        }
    )
    right = pl.DataFrame(
        {
            **{f"k{i}": some(rng, sizes[1], 25 if len(keys) == 1 else 6, kind, nulls) for i, kind in enumerate(keys)},
            "a": np.arange(sizes[1]) + 1000,
            "c": np.arange(sizes[1]),
        }
    )
    return left, right


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("keys", [["int"], ["str"], ["float"], ["time"], ["int", "str"], ["date", "int", "float"]])
@pytest.mark.parametrize("nulls_equal", [False, True])
def test_joins_answer_as_polars(seed, how, keys, nulls_equal):
    left, right = frames_of(seed, keys)
    on = [f"k{i}" for i in range(len(keys))]
    for order in ("left_right", "right_left") if how not in ("semi", "anti") else ("left",):
        for coalesce in (None, True, False):
            if how in ("semi", "anti") and coalesce is not None:
                continue
            expected = left.join(
                right, on=on, how=how, nulls_equal=nulls_equal, maintain_order=order, coalesce=coalesce
            )
            found = warpdex.join(left, right, on, how, nulls_equal=nulls_equal, maintain_order=order, coalesce=coalesce)
            assert found.equals(expected), (order, coalesce)
    if how not in ("semi", "anti", "right"):
        default = warpdex.join(left, right, on, how, nulls_equal=nulls_equal)
        assert default.equals(left.join(right, on=on, how=how, nulls_equal=nulls_equal, maintain_order="left_right"))


def test_joins_of_columns_of_two_names():
    left, right = frames_of(1, ["int"])
    right = right.rename({"k0": "a2"})
    for how in ("inner", "left", "right", "full", "semi", "anti"):
        for coalesce in (None, True) if how in ("semi", "anti") else (None, True, False):
            expected = left.join(
                right, left_on="k0", right_on="a2", how=how, suffix="!", coalesce=coalesce, maintain_order="left_right"
            )
            found = warpdex.join(
                left,
                right,
                left_on="k0",
                right_on="a2",
                how=how,
                suffix="!",
                coalesce=coalesce,
                maintain_order="left_right",
            )
            assert found.equals(expected), (how, coalesce)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_joins_with_an_index_and_of_other_libraries(how):
    left, right = frames_of(2, ["int"])
    expected = warpdex.join(left, right, "k0", how)
    assert warpdex.join(left, right, "k0", how, index=Index(right["k0"])).equals(expected)
    table = warpdex.join(left.to_arrow(), right.to_arrow(), "k0", how)
    assert isinstance(table, pa.Table) and pl.from_arrow(table).equals(expected)
    mixed = warpdex.join(left, right.to_arrow(), "k0", how)
    assert mixed.equals(expected)
    frame = warpdex.join(
        left.to_pandas(use_pyarrow_extension_array=True), right.to_pandas(use_pyarrow_extension_array=True), "k0", how
    )
    assert isinstance(frame, pd.DataFrame) and pl.from_pandas(frame).equals(expected)


def test_joins_of_pandas_frames_upcast_as_pandas_does():
    left, right = pd.DataFrame({"k": [3, 1, 2], "v": [1, 2, 3]}), pd.DataFrame({"k": [1, 1, 4], "w": [7, 8, 9]})
    found = warpdex.join(left, right, "k", "left")
    pd.testing.assert_frame_equal(found, left.merge(right, on="k", how="left"))
    pd.testing.assert_frame_equal(warpdex.join(left, right, "k"), left.merge(right, on="k"))


def test_validate():
    once, twice = pl.DataFrame({"k": [1, 2, None, None]}), pl.DataFrame({"k": [1, 1, 2]})
    assert len(warpdex.join(once, once, "k", validate="1:1")) == 2
    assert len(warpdex.join(twice, once, "k", validate="m:1")) == 3
    for frames, validate in (((once, twice), "1:1"), ((once, twice), "m:1"), ((twice, once), "1:m")):
        with pytest.raises(ValueError, match="repeat"):
            warpdex.join(*frames, "k", validate=validate)
    with pytest.raises(ValueError, match="validate is '2:2'"):
        warpdex.join(once, twice, "k", validate="2:2")


def test_bad_joins():
    left, right = pl.DataFrame({"k": [1], "v": [1], "v_right": [2]}), pl.DataFrame({"k": [1], "v": [3]})
    for words, call in [
        ("how is 'cross'", lambda: warpdex.join(left, right, "k", "cross")),
        ("left: on names the column 'q'", lambda: warpdex.join(left, right, "q")),
        ("suffix is '_right'", lambda: warpdex.join(left, right, "k")),
        ("neither on nor left_on", lambda: warpdex.join(left, right)),
        ("both on and left_on", lambda: warpdex.join(left, right, "k", left_on="k")),
        ("maintain_order is 'up'", lambda: warpdex.join(left, right, "k", maintain_order="up")),
        ("left_on names 2 columns", lambda: warpdex.join(left, right, left_on=["k", "v"], right_on=["k"])),
        ("index has 2 keys", lambda: warpdex.join(left, right, "k", "semi", index=Index([1, 2]))),
        ("strategy is 'up'", lambda: warpdex.join_asof(left, right, on="k", strategy="up")),
        ("must be a number from 0", lambda: warpdex.join_asof(left, right, on="k", tolerance=-1)),
        ("closed is 'open'", lambda: warpdex.join_between(left, right, "k", "k", "v", "open")),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="LazyFrame"):
        warpdex.join(left, right.lazy(), "k")
    with pytest.raises(TypeError, match="which are not compared"):
        warpdex.join(left, pl.DataFrame({"k": ["a"]}), "k")
    with pytest.raises(TypeError, match="left is a dict of arrays, but right is not"):
        warpdex.join({}, right, "k")
    with pytest.raises(NotImplementedError, match="months"):
        times = pd.DataFrame({"t": np.array([1, 2], "M8[s]")})
        warpdex.join_asof(times, times, on="t", tolerance="1mo")
    with pytest.raises(ValueError, match="no duration"):
        warpdex.join_asof(times, times, on="t", tolerance="soon")
    with pytest.raises(warpdex.errors.KeyTypeError, match="tolerance is 'soon', which is no distance"):
        warpdex.join_asof(left, right, on="k", tolerance="soon")


def test_durations_are_in_units_of_polars_or_pandas():
    times = pd.DataFrame({"t": pd.to_datetime(["2024-01-01"])})
    week = {"7d": 0, "7D": 0, "168h": 0, "168H": 0, "10080m": 0, "10080min": 0, "6d 24h": 0, "1w": 0, "604800S": 0}
    for text, one_less in (week | {"6d23h59m59s": 1, "604799s": 1, "604799999ms": 1}).items():
        later = times + pd.Timedelta(days=7)
        found = warpdex.join_asof(later, times.assign(v=1), on="t", tolerance=text)["v"]
        assert found.isna().tolist() == [bool(one_less)], text
    for offset in (pd.offsets.Hour(168), pd.offsets.Minute(10080), pd.offsets.Second(604800)):
        assert warpdex.join_asof(later, times.assign(v=1), on="t", tolerance=offset)["v"].tolist() == [1]
        counted = warpdex.window(later, times, on="t", before=offset, after=pd.offsets.Second(0), agg={"*": "count"})
        assert counted["count"].tolist() == [1]
    later = Index(np.array(["2024-01-08"], "M8[s]"))
    assert later.join_asof(times["t"], offsets=["7d", "10080min", "6d"], strategy="forward").tolist() == [[0], [0], [0]]
    assert later.join_asof(times["t"], offsets=["7d", "10080min", "6d"]).tolist() == [[0], [0], [-1]]
    for text in ("", "1", "d", "1.5h", "1 fortnight", "1d?", "--1d"):
        with pytest.raises(warpdex.errors.InvalidArgument, match="units are ns, us, ms, s, m, h, d, w"):
            warpdex.join_asof(times, times, on="t", tolerance=text)
    for text in ("1mo", "1q", "1y", "1M", "1ME"):
        with pytest.raises(warpdex.errors.Unsupported, match="no fixed length"):
            warpdex.join_asof(times, times, on="t", tolerance=text)
    with pytest.raises(warpdex.errors.InvalidArgument, match="longer than 292 years"):
        warpdex.join_asof(times, times, on="t", tolerance="20000w")


def asof_frames(seed, kind, groups, sizes=(90, 60)):
    rng = np.random.default_rng(seed)
    result = []
    for size in sizes:
        columns = {"t": some(rng, size, 80, kind, 0)}
        for i, group in enumerate(groups):
            columns[f"g{i}"] = some(rng, size, 3, group, 0.1)
        columns["v"] = pl.Series(np.arange(size))
        result.append(
            pl.DataFrame(columns).filter(pl.col("t").is_not_nan()) if kind == "float" else pl.DataFrame(columns)
        )
    return result


TOLERANCES = {
    "int": [None, 3],
    "float": [None, 1.5],
    "date": [None, "3d"],
    "time": [None, "2s", datetime.timedelta(seconds=1)],
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("strategy", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("kind", ["int", "float", "date", "time"])
@pytest.mark.parametrize("groups", [[], ["int"], ["str"], ["int", "str"]], ids=len)
def test_as_of_joins_answer_as_polars(seed, strategy, kind, groups):
    left, right = asof_frames(seed, kind, groups)
    by = [f"g{i}" for i in range(len(groups))] or None
    order = np.random.default_rng(seed).permutation(len(left))
    for tolerance in TOLERANCES[kind]:
        for exact in (True, False):
            # Polars needs sorted frames; ours does not.
            sorted_left, sorted_right = left.sort("t", maintain_order=True), right.sort("t", maintain_order=True)
            how = {"on": "t", "by": by, "strategy": strategy, "tolerance": tolerance, "allow_exact_matches": exact}
            expected = sorted_left.join_asof(sorted_right, check_sortedness=False, **how)
            assert warpdex.join_asof(sorted_left, sorted_right, **how).equals(expected), (tolerance, exact)
            shuffled = warpdex.join_asof(sorted_left[order], right, **how)
            assert shuffled.equals(expected[order]), (tolerance, exact)


@pytest.mark.parametrize("misses", [0, 1, 3, 400])
def test_columns_of_all_types_are_gathered(misses):
    """Few misses, many and none take different paths."""
    size = 400
    whole = pl.Series(np.arange(size))
    words = pl.Series([f"w{i}" for i in range(size)])
    right = pl.DataFrame(
        {
            "t": np.arange(size) + misses,
            "int": whole,
            "small": whole.cast(pl.Int8, strict=False),
            "float": whole / 4,
            "bool": whole % 2 == 0,
            "null": pl.Series([None] * size),
            "str": words,
            "date": whole.cast(pl.Date),
            "time": (whole * 1000).cast(pl.Datetime("us", "UTC")),
            "span": whole.cast(pl.Duration("ms")),
            "decimal": whole.cast(pl.Decimal(10, 2)),
            "cat": words.cast(pl.Categorical),
            "enum": words.cast(pl.Enum(words)),
            "list": [[i] for i in range(size)],
            "array": pl.Series([[i, i] for i in range(size)], dtype=pl.Array(pl.Int64, 2)),
            "struct": [{"a": i} for i in range(size)],
        }
    )
    left = pl.DataFrame({"t": np.random.default_rng(misses).permutation(size)})
    expected = left.with_row_index().sort("t").join_asof(right, on="t").sort("index").drop("index")
    for options in ({}, {"index": Index(right["t"])}):
        found = warpdex.join_asof(left, right, on="t", **options)
        assert found.equals(expected) and found.schema == expected.schema
    assert found["int"].null_count() == misses
    nothing = warpdex.join_asof(left, right[:0], on="t")
    assert nothing["int"].null_count() == size and nothing.schema == expected.schema


def test_as_of_joins_with_nulls_an_index_and_other_columns():
    left = pl.DataFrame({"t": [5, None, 1, 9], "x": [1, 2, 3, 4]})
    right = pl.DataFrame({"u": [4, None, 4, 10], "x": [10, 20, 30, 40]})
    expected = {"t": [5, None, 1, 9], "x": [1, 2, 3, 4], "u": [4, None, None, 4], "x_right": [30, None, None, 30]}
    found = warpdex.join_asof(left, right, left_on="t", right_on="u")
    assert found.to_dict(as_series=False) == expected
    index = Index(right["u"])
    assert warpdex.join_asof(left, right, left_on="t", right_on="u", index=index).equals(found)
    kept = warpdex.join_asof(left, right, left_on="t", right_on="u", coalesce=False)
    assert kept.columns == ["t", "x", "u", "x_right"]
    for frames in (
        (left.to_arrow(), right.to_arrow()),
        (left.to_pandas(use_pyarrow_extension_array=True), right.to_pandas(use_pyarrow_extension_array=True)),
    ):
        result = warpdex.join_asof(*frames, left_on="t", right_on="u", index=index)
        again = pl.from_arrow(result) if isinstance(result, pa.Table) else pl.from_pandas(result)
        assert again.equals(found)
    with pytest.raises(ValueError, match="does not ascend at 2"):
        warpdex.join_asof(pl.DataFrame({"t": [1, 5, 2]}), right, left_on="t", right_on="u", check_sortedness=True)
    with pytest.raises(TypeError, match="no distances"):
        warpdex.join_asof(pl.DataFrame({"t": ["a"]}), pl.DataFrame({"t": ["a"]}), on="t", strategy="nearest")
    with pytest.raises(TypeError, match="tolerance"):
        warpdex.join_asof(left, right, left_on="t", right_on="u", tolerance="1s")


def test_errors_name_the_side():
    naive = pl.DataFrame({"t": [datetime.datetime(2024, 1, 1)], "n": [1]})
    zoned = naive.select(pl.col("t").dt.replace_time_zone("UTC"), pl.Series("w", ["a"]))
    at_left, at_utc = "datetime64[us]", "datetime64[us] UTC"
    for call in (
        lambda one, two: warpdex.join(one, two, "t"),
        lambda one, two: warpdex.join_asof(one, two, on="t"),
        lambda one, two: merge_asof(one.to_pandas(), two.to_pandas(), on="t"),
    ):
        for one, two, types in ((naive, zoned, (at_left, at_utc)), (zoned, naive, (at_utc, at_left))):
            text = f"left has t of type {types[0]}, right has t of type {types[1]}, which are not compared"
            with pytest.raises(warpdex.errors.KeyTypeError, match=re.escape(text)):
                call(one, two)
    with pytest.raises(
        warpdex.errors.KeyTypeError, match="left has n of type integer, right has w of type string, which"
    ):
        warpdex.join(naive, zoned, left_on="n", right_on="w")
    with pytest.raises(warpdex.errors.InvalidArgument, match="right: on names the column 'n'; there are 't', 'w'"):
        warpdex.join(naive, zoned, "n")
    with pytest.raises(warpdex.errors.InvalidArgument, match="left: on names the column 'w'; there are 't', 'n'"):
        warpdex.join(naive, zoned, "w")
    with pytest.raises(warpdex.errors.InvalidArgument, match="left_on names the column 'x'"):
        warpdex.join(naive, zoned, left_on="x", right_on="t")


def test_tolerances_of_times_have_a_unit():
    moments = pl.DataFrame({"t": [datetime.datetime(2024, 1, 1)]})
    for tolerance in (2, 2.5, np.int64(2), np.timedelta64(2)):
        for call in (
            lambda: warpdex.join_asof(moments, moments.with_columns(v=1), on="t", tolerance=tolerance),
            lambda: merge_asof(moments.to_pandas(), moments.to_pandas(), on="t", tolerance=tolerance),
            lambda: warpdex.Index(moments["t"]).join_asof(moments["t"], tolerance=tolerance),
            lambda: warpdex.Index(moments["t"]).get_indexer(moments["t"], "pad", tolerance=tolerance),
        ):
            with pytest.raises(
                warpdex.errors.KeyTypeError, match="tolerance is .*2.*, but the keys are times; give a timedelta"
            ):
                call()


def test_as_of_joins_of_other_units_and_widths():
    left = pl.DataFrame({"t": pl.Series([1500, 2500]).cast(pl.Datetime("ms"))})
    right = pl.DataFrame({"t": (pl.Series([1, 2]) * 10**6).cast(pl.Datetime("us")), "v": [1, 2]})
    assert warpdex.join_asof(left, right, on="t")["v"].to_list() == [1, 2]
    narrow = warpdex.join_asof(
        pl.DataFrame({"t": pl.Series([5], dtype=pl.Int8)}),
        pl.DataFrame({"t": pl.Series([4], dtype=pl.UInt64), "v": [7]}),
        on="t",
    )
    assert narrow["v"].to_list() == [7]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("kind", ["int", "float", "time"])
@pytest.mark.parametrize("groups", [[], ["int"], ["str"], ["int", "str"]], ids=len)
def test_merge_asof_answers_as_pandas(seed, direction, kind, groups):
    left, right = (frame.to_pandas() for frame in asof_frames(seed + 100, kind, groups))
    by = [f"g{i}" for i in range(len(groups))] or None
    for frame in (left, right):
        for name in by or []:
            if frame[name].dtype.kind == "f":
                frame[name] = frame[name].astype("Int64")
    order = np.random.default_rng(seed).permutation(len(left))
    tolerances = {"int": [None, 3], "float": [None, 1.5], "time": [None, pd.Timedelta("2s")]}[kind]
    for tolerance in tolerances:
        for exact in (True, False):
            sorted_left = left.sort_values("t", kind="stable", ignore_index=True)
            sorted_right = right.sort_values("t", kind="stable", ignore_index=True)
            how = {"on": "t", "by": by, "direction": direction, "tolerance": tolerance, "allow_exact_matches": exact}
            expected = pd.merge_asof(sorted_left, sorted_right, **how)
            pd.testing.assert_frame_equal(merge_asof(sorted_left, sorted_right, **how), expected)
            shuffled = merge_asof(sorted_left.iloc[order], right, **how)
            pd.testing.assert_frame_equal(shuffled, expected.iloc[order].reset_index(drop=True))


def test_merge_asof_of_indexes_and_other_names():
    left, right = pd.DataFrame({"t": [1, 5, 10], "v": [1, 2, 3]}), pd.DataFrame({"u": [1, 2, 6], "v": [4, 5, 6]})
    pd.testing.assert_frame_equal(
        merge_asof(left, right, left_on="t", right_on="u"), pd.merge_asof(left, right, left_on="t", right_on="u")
    )
    pd.testing.assert_frame_equal(
        merge_asof(left.set_index("t"), right.set_index("u"), left_index=True, right_index=True),
        pd.merge_asof(left.set_index("t"), right.set_index("u"), left_index=True, right_index=True),
        check_names=False,
    )
    pd.testing.assert_frame_equal(
        merge_asof(left, right, left_on="t", right_on="u", left_by="v", right_by="v", suffixes=("_l", None)),
        pd.merge_asof(left, right, left_on="t", right_on="u", left_by="v", right_by="v", suffixes=("_l", None)),
    )
    with pytest.raises(ValueError, match="left has a null key in row 1"):
        merge_asof(pd.DataFrame({"t": [1.0, None]}), pd.DataFrame({"t": [1.0]}), on="t")
    with pytest.raises(TypeError, match="which are not compared"):
        merge_asof(left, pd.DataFrame({"t": ["a"]}), on="t")
    with pytest.raises(ValueError, match="direction"):
        merge_asof(left, right, left_on="t", right_on="u", direction="up")


def _forms_of_keys():
    left = pd.DataFrame({"t": [1, 5, 5], "x": [10, 11, 12], "g": [1, 2, 1]})
    right = pd.DataFrame({"t": [0, 4, 5], "y": [7, 8, 9], "g": [1, 1, 2]})
    by_t, by_g, both = ("t",), ("g",), ["t", "g"]
    forms = []
    for a in (left, left.set_index(*by_t), left.set_index(*by_g), left.set_index(both)):
        for b in (right, right.set_index(*by_t), right.set_index(*by_g), right.set_index(both)):
            forms += [(a, b, {"on": "t"}), (a, b, {"left_on": "t", "right_on": "t"}), (a, b, {"on": "t", "by": "g"})]
            forms.append((a, b, {"on": "t", "by": ["g"], "direction": "nearest"}))
    other = right.rename(columns={"t": "u", "g": "h"})
    for a in (left, left.set_index("t"), left.set_index("g")):
        for b in (other, other.set_index("u"), other.set_index("h")):
            forms.append((a, b, {"left_on": "t", "right_on": "u", "left_by": "g", "right_by": "h"}))
    keys, others = np.array([1, 5, 5]), np.array([0, 4, 5])
    for one, two in ((keys, others), (keys, "t"), ("t", others), ([keys], "t"), (pd.Series(keys, name="q"), others)):
        forms.append((left, right, {"left_on": one, "right_on": two}))
        forms.append((left, right, {"left_on": one, "right_on": two, "by": "g"}))
        forms.append(
            (
                left.drop(columns="t") if one is not two and not isinstance(one, str) else left,
                right[["t", "y"]],
                {"left_on": one, "right_on": two},
            )
        )
    forms.append((left, right[["y"]], {"left_on": "t", "right_on": pd.Index(others)}))
    forms.append((left, right[["y"]], {"left_on": "t", "right_on": pd.array(others)}))
    return forms


@pytest.mark.parametrize("left, right, how", _forms_of_keys())
def test_merge_asof_by_levels_and_arrays_answers_as_pandas(left, right, how):
    try:
        expected = pd.merge_asof(left, right, **how)
    except Exception as why:  # what pandas refuses is no question here
        pytest.skip(str(why))
    before = left.copy(), right.copy()
    pd.testing.assert_frame_equal(merge_asof(left, right, **how), expected, check_dtype=False)
    pd.testing.assert_frame_equal(left, before[0])
    pd.testing.assert_frame_equal(right, before[1])


def test_merge_asof_refuses_arrays_of_other_sizes():
    left, right = pd.DataFrame({"t": [1, 5]}), pd.DataFrame({"t": [0]})
    with pytest.raises(warpdex.errors.InvalidArgument, match="left_on has 3 values, left 2 rows"):
        merge_asof(left, right, left_on=np.arange(3), right_on="t")


@pytest.mark.parametrize("closed", ["both", "left", "right", "none"])
@pytest.mark.parametrize("kind", ["int", "float", "date"])
def test_joins_between(closed, kind):
    rng = np.random.default_rng(5)
    left = pl.DataFrame({"lo": some(rng, 40, 60, kind), "hi": some(rng, 40, 60, kind), "a": np.arange(40)})
    right = pl.DataFrame({"k": some(rng, 50, 60, kind), "a": np.arange(50)})
    lower = pl.col("k") >= pl.col("lo") if closed in ("both", "left") else pl.col("k") > pl.col("lo")
    upper = pl.col("k") <= pl.col("hi") if closed in ("both", "right") else pl.col("k") < pl.col("hi")
    expected = left.join(right, how="cross").filter(lower & upper).sort("a", "k", "a_right")
    found = warpdex.join_between(left, right, "k", "lo", "hi", closed)
    assert found.equals(expected)
    semi = warpdex.join_between(left, right, "k", "lo", "hi", closed, "semi")
    assert semi["a"].to_list() == sorted(set(expected["a"]))
    outer = warpdex.join_between(left, right, "k", "lo", "hi", closed, "left")
    assert outer.filter(pl.col("a_right").is_not_null()).equals(expected)
    assert len(outer) == len(expected) + 40 - len(semi)


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti", "full"])
@pytest.mark.parametrize("nulls_equal", [False, True])
def test_joins_of_signed_and_unsigned_columns(how, nulls_equal):
    left = pl.DataFrame(
        {"k": pl.Series([-1, 5, None, 2**63 - 1, 7], dtype=pl.Int64), "g": [1, 1, 1, 1, 2], "a": range(5)}
    )
    right = pl.DataFrame(
        {
            "k": pl.Series([2**64 - 1, 5, None, 2**63 - 1, 7, 2**63], dtype=pl.UInt64),
            "g": [1, 1, 1, 1, 1, 1],
            "b": range(6),
        }
    )
    plain = [
        (a, b)
        for a, (k, g) in enumerate(zip(left["k"], left["g"]))
        for b, (other, h) in enumerate(zip(right["k"], right["g"]))
        if g == h and k == other and (k is not None or nulls_equal)
    ]
    for on in (["k", "g"], ["k"]):
        pairs = plain if len(on) == 2 else [*plain, (4, 4)]
        found = warpdex.join(left, right, on, how, nulls_equal=nulls_equal)
        if how in ("semi", "anti"):
            matched = {a for a, _ in pairs}
            assert found["a"].to_list() == [a for a in range(5) if (a in matched) == (how == "semi")]
            continue
        rows = list(zip(found["a"], found["b"]))
        assert [row for row in rows if None not in row] == pairs
        if how == "full":
            assert len(rows) == len(pairs) + 5 - len({a for a, _ in pairs}) + 6 - len({b for _, b in pairs})


def test_as_of_joins_in_groups_of_signed_and_unsigned_numbers():
    left = pl.DataFrame({"t": [9, 9, 9], "g": pl.Series([-1, 4, 2**63 - 1], dtype=pl.Int64)})
    right = pl.DataFrame(
        {"t": [1, 2, 3, 4], "g": pl.Series([2**64 - 1, 4, 2**63 - 1, 2**63], dtype=pl.UInt64), "v": [1, 2, 3, 4]}
    )
    assert warpdex.join_asof(left, right, on="t", by="g")["v"].to_list() == [None, 2, 3]


@pytest.mark.parametrize("strategy", ["backward", "forward"])
def test_as_of_joins_of_strings(strategy):
    rng = np.random.default_rng(6)
    words = [f"w{n:02}" for n in range(40)]
    left = pl.DataFrame({"t": rng.choice(words, 50), "a": np.arange(50)})
    right = pl.DataFrame({"t": rng.choice(words[5:35], 30), "b": np.arange(30)})
    for exact in (True, False):
        found = warpdex.join_asof(left, right, on="t", strategy=strategy, allow_exact_matches=exact)
        for word, b in zip(left["t"], found["b"]):
            after = [
                (key, row)
                for row, key in enumerate(right["t"])
                if (key < word if strategy == "backward" else key > word) or (exact and key == word)
            ]
            if strategy == "backward":
                best = max(after, default=(None, None))[1]  # of equal keys the last
            else:
                best = min(after, default=(None, None))[1]
            assert b == best
    with pytest.raises(TypeError, match="nearest key"):
        warpdex.join_asof(left, right, on="t", strategy="nearest")
    with pytest.raises(TypeError, match="tolerance"):
        warpdex.join_asof(left, right, on="t", tolerance=3)
    assert merge_asof(left.to_pandas(), right.to_pandas(), on="t")["a"].tolist() == list(range(50))


def test_chunks_of_the_left_side_are_joined_like_the_whole():
    left, right = frames_of(3, ["int", "str"])
    parts = pl.concat([left[:20], left[20:50], left[50:]], rechunk=False)
    for how in ("inner", "left", "right", "full", "semi", "anti"):
        assert warpdex.join(parts, right, ["k0", "k1"], how).equals(warpdex.join(left, right, ["k0", "k1"], how))
        for key in ("k0", "k1"):
            assert warpdex.join(parts, right, key, how).equals(warpdex.join(left, right, key, how))
    trades, quotes = asof_frames(4, "int", ["str"])
    chunks = pl.concat([trades[:30], trades[30:]], rechunk=False)
    for by in (None, "g0"):
        expected = warpdex.join_asof(trades, quotes, on="t", by=by)
        assert warpdex.join_asof(chunks, quotes, on="t", by=by).equals(expected)
        in_order = trades.sort("t", maintain_order=True)
        chunks_in_order = pl.concat([in_order[:40], in_order[40:]], rechunk=False)
        expected = warpdex.join_asof(in_order, quotes, on="t", by=by)
        assert warpdex.join_asof(chunks_in_order, quotes, on="t", by=by).equals(expected)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_joins_of_categoricals(how):
    left, right = frames_of(5, ["cat"])
    plain = [frame.with_columns(pl.col("k0").cast(pl.String)) for frame in (left, right)]
    found = warpdex.join(left, right, "k0", how)
    assert found.with_columns(pl.col("k0").cast(pl.String)).equals(warpdex.join(*plain, "k0", how))


def test_repeated_names_are_refused():
    twice = pd.DataFrame([[1, 2]], columns=["k", "k"])
    once = pd.DataFrame({"k": [1]})
    for call in (
        lambda: warpdex.join(twice, once, "k"),
        lambda: warpdex.join(once, twice, "k"),
        lambda: merge_asof(twice, once, on="k"),
        lambda: warpdex.join(pa.table([[1], [2]], names=["k", "k"]), pa.table({"k": [1]}), "k"),
    ):
        with pytest.raises(ValueError, match="several columns of the name 'k'"):
            call()


def test_results_are_apart_from_their_frames():
    left = pd.DataFrame({"t": [3, 1], "v": [1.5, 2.5]}, index=[7, 9])
    right = pd.DataFrame({"t": [1, 2], "w": [10, 20]})
    for join in (lambda: merge_asof(left, right, on="t"), lambda: warpdex.join_asof(left, right, on="t")):
        result = join()
        assert result.index.tolist() == [0, 1] and result["v"].tolist() == [1.5, 2.5]
        result.loc[0, "v"] = 9.0
        left.loc[9, "v"] = 8.0
        assert left["v"].tolist() == [1.5, 8.0] and result["v"].tolist() == [9.0, 2.5]
        left.loc[9, "v"] = 2.5


def test_nan_of_pandas_is_null():
    nan = np.nan
    left, right = pd.DataFrame({"k": [1.0, nan, 2.0]}), pd.DataFrame({"k": [nan, 1.0, nan], "v": [1, 2, 3]})
    assert warpdex.join(left, right, "k")["v"].tolist() == [2]
    assert warpdex.join(left, right, "k", nulls_equal=True)["v"].tolist() == [2, 1, 3]
    assert warpdex.join(left, right, "k", nan_is_null=False)["v"].tolist() == [2, 1, 3]
    assert warpdex.join(left, right, "k", "anti")["k"].isna().tolist() == [True, False]
    shifts, events = pd.DataFrame({"lo": [1.0, 1.0], "hi": [nan, 2.0]}), pd.DataFrame({"t": [1.5, nan, 9.0]})
    assert warpdex.join_between(shifts, events, "t", "lo", "hi")["t"].tolist() == [1.5]
    assert len(warpdex.join_between(shifts, events, "t", "lo", "hi", nan_is_null=False)) == 4
    quotes = pd.DataFrame({"k": [0.5, nan, 1.5], "v": [1, 2, 3]})
    assert warpdex.join_asof(left, quotes, on="k")["v"].fillna(-1).tolist() == [1, -1, 3]
    assert warpdex.join_asof(left, quotes, on="k", nan_is_null=False)["v"].tolist() == [1, 2, 3]
    small = pd.DataFrame({"k": np.array([1, nan], np.float32)})
    assert warpdex.join(small, right, "k")["v"].tolist() == [2]
    assert warpdex.join(small, pd.DataFrame({"k": [1, 2], "v": [7, 8]}), "k")["v"].tolist() == [7]
