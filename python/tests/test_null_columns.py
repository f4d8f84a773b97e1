# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of nulls alone, or of nothing, that name no type: as keys and groups of joins, of readers too, and in windows."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpdex

FULL = pa.table({"k": [1, 2, 2], "g": ["x", "y", "y"], "v": [1.5, 2.5, 4.0]})
NONE = {
    "nothing": pa.table({"k": pa.nulls(0), "g": pa.nulls(0), "v": pa.nulls(0)}),
    "nulls": pa.table({"k": pa.nulls(2), "g": pa.nulls(2), "v": pa.nulls(2)}),
}
HOWS = ("inner", "left", "semi", "anti")


def _as(kind, table):
    if kind == "lazy":
        return pl.from_arrow(table).lazy()
    if kind == "reader":
        return table.to_reader(max_chunksize=2)
    return table.to_pandas() if kind == "pandas" else pl.from_arrow(table) if kind == "polars" else table


def _rows(made):
    if isinstance(made, pl.LazyFrame):
        made = made.collect()
    if isinstance(made, pa.RecordBatchReader):
        made = made.read_all()
    if isinstance(made, pa.Table):
        made = pl.from_arrow(made)
    if isinstance(made, pd.DataFrame):
        made = pl.DataFrame({name: [None if pd.isna(one) else one for one in made[name]] for name in made})
    return made.rows()


CALLS = {
    **{how: lambda a, b, how=how: warpdex.join(a, b, "k", how) for how in HOWS},
    "asof": lambda a, b: warpdex.join_asof(a, b, on="k"),
    "asof by": lambda a, b: warpdex.join_asof(a, b, on="k", by="g"),
    "between": lambda a, b: warpdex.join_between(a, b, "k", "k", "k", how="left"),
    "between by": lambda a, b: warpdex.join_between(a, b, "k", "k", "k", how="left", by="g"),
}


@pytest.mark.parametrize("none", list(NONE.values()), ids=list(NONE))
@pytest.mark.parametrize("call", list(CALLS.values()), ids=list(CALLS))
def test_joins_with_columns_without_a_type(none, call):
    typed = none.cast(FULL.schema)
    for one, two, one_typed, two_typed in (
        (FULL, none, FULL, typed),
        (none, FULL, typed, FULL),
        (none, none, typed, typed),
    ):
        wanted = _rows(call(one_typed, two_typed))
        for left, right in (
            ("pyarrow", "pyarrow"),
            ("polars", "polars"),
            ("pandas", "pandas"),
            ("reader", "pyarrow"),
            ("reader", "polars"),
            ("reader", "pandas"),
            ("lazy", "polars"),
            ("lazy", "lazy"),
        ):
            assert _rows(call(_as(left, one), _as(right, two))) == wanted, (left, right)


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "pandas"])
@pytest.mark.parametrize("none", list(NONE.values()), ids=list(NONE))
def test_windows_over_columns_without_a_type(kind, none):
    names = ["count", "sum", "mean", "std", "min", "max"]
    for table in (none, FULL.slice(0, len(none)).set_column(2, "v", none["v"])):
        result = warpdex.window(_as(kind, FULL), _as(kind, table), on="k", before=1, after=1, agg={"v": names})
        for row in _rows(result):
            assert row[3:] == (0, 0, None, None, None, None)
    ends = warpdex.window(_as(kind, FULL), _as(kind, none), on="k", before=1, after=1, agg={"v": ["first", "last"]})
    assert all(row[3:] == (None, None) for row in _rows(ends))
    none_left = warpdex.window(
        _as(kind, none), _as(kind, FULL), on="k", before=1, after=1, agg={"v": "sum", "*": "count"}
    )
    assert all(row[3:] == (0, 0) for row in _rows(none_left))


@pytest.mark.parametrize("units", [("ns", "ns"), ("ms", "us")])
@pytest.mark.parametrize("arrow", [(False, False), (True, True), (True, False), (False, True)])
def test_a_full_join_of_two_time_zones_has_that_of_the_left_side(units, arrow):
    def moments(texts, zone, unit, arrow):
        result = (
            pd.Series(pd.to_datetime(texts))
            .dt.tz_localize("UTC")
            .dt.tz_convert(zone)
            .astype(f"datetime64[{unit}, {zone}]")
        )
        return result.astype(pd.ArrowDtype(pa.timestamp(unit, zone))) if arrow else result

    left = pd.DataFrame(
        {"t": moments(["2024-01-01 12:00", "2024-01-02 00:00"], "UTC", units[0], arrow[0]), "a": [1, 2]}
    )
    right = pd.DataFrame(
        {"t": moments(["2024-01-02 00:00", "2024-03-01 06:00"], "Asia/Tokyo", units[1], arrow[1]), "b": [3, 4]}
    )
    result = warpdex.join(left, right, "t", "full", coalesce=True)
    assert str(result["t"].dt.tz) == "UTC"
    assert [str(one) for one in result["t"].dt.tz_localize(None)] == [
        "2024-01-01 12:00:00",
        "2024-01-02 00:00:00",
        "2024-03-01 06:00:00",
    ]
    assert str(warpdex.join(right, left, "t", "full", coalesce=True)["t"].dt.tz) == "Asia/Tokyo"
    if arrow == (False, False) and units[0] == units[1]:
        assert result["t"].dtype == pd.merge(left, right, on="t", how="outer")["t"].dtype
