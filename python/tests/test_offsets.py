# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""As-of joins of frames at several offsets, and groups whose nulls equal each other, against Polars and plain Python."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import warpdex

LIBRARIES = {
    "polars": (lambda made: made, lambda made: made),
    "chunks": (lambda made: pl.concat([made[:7], made[7:]], rechunk=False), lambda made: made),
    "pandas": (pl.DataFrame.to_pandas, pl.from_pandas),
    "pyarrow": (pl.DataFrame.to_arrow, pl.from_arrow),
}
START = datetime.datetime(2026, 1, 5, 9, 30)


def frames(seed, kind, sort=False):
    rng = np.random.default_rng(seed)

    def keys(size):
        numbers = rng.integers(0, 60, size)
        numbers = np.sort(numbers) if sort else numbers
        if kind == "time":
            return pl.Series([START + datetime.timedelta(seconds=int(one)) for one in numbers])
        return pl.Series(numbers / 2 if kind == "float" else numbers)

    left = pl.DataFrame({"t": keys(40), "g": rng.integers(0, 4, 40), "trade": range(40)})
    right = pl.DataFrame({"t": keys(70), "g": rng.integers(0, 3, 70), "quote": range(70)})
    return left, right


def moved(left, right, offset, by, **options):
    """Polars' answer at one offset: that of left keys that are moved."""
    late = left.with_columns(t=pl.col("t") + offset).with_row_index()
    found = late.sort("t").join_asof(
        right.sort("t", maintain_order=True), on="t", by=by, check_sortedness=False, **options
    )
    return found.sort("index")["quote"].to_list()


OFFSETS = {
    "integer": ([0, 7, -3], [0, 7, -3]),
    "float": ([0.5, -1.25], [0.5, -1.25]),
    "time": (["0s", "10s", "-1m"], [datetime.timedelta(seconds=one) for one in (0, 10, -60)]),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("by", [None, "g"])
@pytest.mark.parametrize("kind", OFFSETS)
@pytest.mark.parametrize("sort", [False, True])
def test_each_left_row_comes_once_for_each_offset(library, by, kind, sort):
    left, right = frames(3, kind, sort)
    give, back = LIBRARIES[library]
    offsets, steps = OFFSETS[kind]
    for strategy in ("backward", "forward"):
        found = back(warpdex.join_asof(give(left), give(right), on="t", by=by, strategy=strategy, offsets=offsets))
        assert found["trade"].to_list() == [row for row in range(40) for _ in offsets]
        assert found["offset"].to_list() == steps * 40
        assert found.columns[:4] == ["t", "g", "trade", "offset"]
        for number, step in enumerate(steps):
            quotes = pd.Series(found["quote"].to_list()[number :: len(steps)]).astype("Float64")
            expected = pd.Series(moved(left, right, step, by, strategy=strategy)).astype("Float64")
            assert quotes.fillna(-1).tolist() == expected.fillna(-1).tolist()


def test_offsets_of_lazy_frames_readers_dicts_and_indexes():
    left, right = frames(4, "integer")
    for by in (None, "g"):
        options = {"on": "t", "by": by, "offsets": [0, 5], "tolerance": 4}
        plain = warpdex.join_asof(left, right, **options)
        assert warpdex.join_asof(left.lazy(), right.lazy(), **options).collect().equals(plain)
        reader = warpdex.join_asof(left.to_arrow().to_reader(7), right.to_arrow(), **options)
        assert pl.from_arrow(reader.read_all()).equals(plain)
        sides = ({name: side[name].to_numpy() for name in side.columns} for side in (left, right))
        found = warpdex.join_asof(*sides, **options)
        assert (
            found["offset"].tolist() == plain["offset"].to_list()
            and found["trade"].tolist() == plain["trade"].to_list()
        )
    index = warpdex.Index(right["t"], "AO+BS")
    plain = warpdex.join_asof(left, right, on="t", offsets=[0, 5])
    assert warpdex.join_asof(left, right, on="t", offsets=[0, 5], index=index).equals(plain)
    assert len(warpdex.join_asof(left, right, on="t", offsets=[])) == 0
    assert warpdex.join_asof(left[:0], right, on="t", offsets=[1]).columns == [
        "t",
        "g",
        "trade",
        "offset",
        "g_right",
        "quote",
    ]


def test_wrong_offsets():
    left, right = frames(5, "integer")
    times, _ = frames(5, "time")
    for one, other, offsets, what in (
        (left, right, 5, "offsets is 5; it must be a list"),
        (left, right, "5", "offsets is '5'; it must be a list"),
        (left, right, [0.5], "offsets is 0.5"),
        (times, times, [5], "offsets is 5, but the keys are times"),
        (left.rename({"trade": "offset"}), right, [5], "left has a column 'offset'"),
    ):
        with pytest.raises(warpdex.Error, match=what):
            warpdex.join_asof(one, other, on="t", offsets=offsets)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("nulls_equal", [False, True])
@pytest.mark.parametrize("kind", ["integer", "string"])
def test_null_groups_equal_each_other_if_asked(library, nulls_equal, kind):
    rng = np.random.default_rng(7)
    give, back = LIBRARIES[library]

    def side(size, name):
        groups = [
            None if one == 3 else one if kind == "integer" else f"g{one}" for one in rng.integers(0, 4, size).tolist()
        ]
        return pl.DataFrame({"t": rng.integers(0, 50, size), "g": groups, name: range(size)})

    left, right = side(40, "a"), side(50, "b")
    rows = list(zip(right["t"].to_list(), right["g"].to_list()))
    found = back(warpdex.join_asof(give(left), give(right), on="t", by="g", nulls_equal=nulls_equal))
    counts = back(
        warpdex.window(
            give(left), give(right), on="t", by="g", before=9, after=4, agg={"*": "count"}, nulls_equal=nulls_equal
        )
    )
    for number, (t, g) in enumerate(zip(left["t"].to_list(), left["g"].to_list())):
        of = [(at, row) for row, (at, group) in enumerate(rows) if group == g and (nulls_equal or g is not None)]
        best = max(((at, row) for at, row in of if at <= t), default=(None, None))[1]
        value = found["b"][number]
        assert (None if value is None or value != value else int(value)) == best
        assert counts["count"][number] == sum(t - 9 <= at <= t + 4 for at, _ in of)
    known = back(warpdex.point_in_time(give(left), {"r": give(right)}, on="t", by="g", nulls_equal=nulls_equal))
    assert known["b"].equals(found["b"])
    bounds = left.with_columns(lo=pl.col("t") - 9, hi=pl.col("t") + 4)
    options = {"how": "semi", "by": "g", "nulls_equal": nulls_equal}
    among = back(warpdex.join_between(give(bounds), give(right), "t", "lo", "hi", **options))
    assert among["a"].to_list() == [row for row, count in enumerate(counts["count"]) if count]
    assert warpdex.join_between(bounds.lazy(), right, "t", "lo", "hi", **options).collect()["a"].equals(among["a"])
    lazy = warpdex.join_asof(left.lazy(), right, on="t", by="g", nulls_equal=nulls_equal).collect()
    assert lazy.equals(warpdex.join_asof(left, right, on="t", by="g", nulls_equal=nulls_equal))


def test_columns_of_polars_are_names_of_keys():
    left = pl.DataFrame({"t": [4, 9], "g": [1, 2], "lo": [0, 5], "hi": [5, 9]})
    right = pl.DataFrame({"t": [3, 8], "g": [1, 2], "v": [7, 8]})
    t, g, lo, hi = map(pl.col, ("t", "g", "lo", "hi"))
    for give in (pl.DataFrame.lazy, lambda frame: frame, pl.DataFrame.to_pandas):
        a, b = give(left), give(right)
        pairs = [
            (warpdex.join(a, b, g), warpdex.join(a, b, "g")),
            (warpdex.join(a, b, [g]), warpdex.join(a, b, "g")),
            (warpdex.join(a, b, left_on=(g, t), right_on=["g", "t"]), warpdex.join(a, b, ["g", "t"])),
            (warpdex.join_asof(a, b, on=t, by=[g]), warpdex.join_asof(a, b, on="t", by="g")),
            (
                warpdex.join_asof(a, b, left_on=t, right_on=t, by_left=g, by_right="g"),
                warpdex.join_asof(a, b, on="t", by="g"),
            ),
            (warpdex.join_between(a, b, t, lo, hi, by=g), warpdex.join_between(a, b, "t", "lo", "hi", by="g")),
            (
                warpdex.window(a, b, on=t, by=g, before=2, after=0, agg={"v": "sum"}),
                warpdex.window(a, b, on="t", by="g", before=2, after=0, agg={"v": "sum"}),
            ),
            (
                warpdex.point_in_time(a, {"r": b}, on=t, by=g),
                warpdex.point_in_time(a, {"r": b}, on="t", by="g"),
            ),
        ]
        for found, expected in pairs:
            if isinstance(found, pl.LazyFrame):
                found, expected = found.collect(), expected.collect()
            assert found.equals(expected)
    unique = pl.DataFrame({"g": [1, 1]})
    assert warpdex.drop_duplicates(unique, subset=g).equals(warpdex.drop_duplicates(unique, subset="g"))
    for wrong in (t + 1, pl.col("t", "g"), pl.lit(1)):
        with pytest.raises(warpdex.errors.KeyTypeError, match="on is the expression .*must be the name of a column"):
            warpdex.join(left, right, wrong)
        with pytest.raises(warpdex.errors.KeyTypeError, match="must be the name of a column"):
            warpdex.join_between(left, right, wrong, "lo", "hi")
