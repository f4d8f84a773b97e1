# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Classes that callers derive from those of pandas and Polars and from dict, as GeoPandas does."""

from collections import OrderedDict, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest

import warpdex
from warpdex.pandas import merge_asof


class Column(pd.Series):
    @property
    def _constructor(self):
        return Column

    @property
    def _constructor_expanddim(self):
        return Table


class Table(pd.DataFrame):
    """As GeoDataFrame: of its own class as long as it has a certain column, with a note that it keeps."""

    _metadata = ["note"]

    @property
    def _constructor(self):
        return lambda *values, **options: _table_if(pd.DataFrame(*values, **options))

    @property
    def _constructor_sliced(self):
        return Column


def _table_if(made):
    return Table(made) if "k" in made.columns else made


class Plain(pd.DataFrame):
    """Without a constructor, so that pandas' own answers are DataFrames."""


class Polar(pl.DataFrame):
    pass


class Strict(pl.DataFrame):
    def __init__(self, values, source):
        super().__init__(values)
        self.source = source


class Words(pl.Series):
    pass


class Arrays(dict):
    pass


LEFT = {"k": [1, 2, 3], "g": [1, 1, 2], "end": [2, 2, 9]}
RIGHT = {"k": [2, 3, 4], "g": [1, 1, 2], "v": [5.0, 6.0, 7.0]}

CALLS = {
    "join": lambda a, b: warpdex.join(a, b, "k"),
    "left": lambda a, b: warpdex.join(a, b, "k", "left"),
    "right": lambda a, b: warpdex.join(a, b, "k", "right"),
    "full": lambda a, b: warpdex.join(a, b, "k", "full", coalesce=True),
    "semi": lambda a, b: warpdex.join(a, b, "k", "semi"),
    "several": lambda a, b: warpdex.join(a, b, ["k", "g"]),
    "asof": lambda a, b: warpdex.join_asof(a, b, on="k", by="g"),
    "between": lambda a, b: warpdex.join_between(a, b, "k", "k", "end"),
    "window": lambda a, b: warpdex.window(a, b, on="k", before=1, after=1, agg={"v": "sum"}),
    "point in time": lambda a, b: warpdex.point_in_time(a, {"other": b}, on="k"),
    "distinct": lambda a, b: warpdex.drop_duplicates(a, "g"),
    "gather": lambda a, b: warpdex.gather_table([2, 0], a),
}


def _columns(frame):
    lists = {name: frame[name].to_list() for name in frame.columns}
    return {name: [None if pd.isna(value) else value for value in values] for name, values in lists.items()}


@pytest.mark.parametrize("call", list(CALLS.values()), ids=list(CALLS))
@pytest.mark.parametrize(
    ("kind", "base", "of_answers"),
    [(Table, pd.DataFrame, Table), (Plain, pd.DataFrame, pd.DataFrame), (Polar, pl.DataFrame, Polar)],
)
def test_a_frame_of_a_derived_class_is_joined_as_its_base(kind, base, of_answers, call):
    wanted = call(base(LEFT), base(RIGHT))
    for left, right in ((kind(LEFT), base(RIGHT)), (kind(LEFT), kind(RIGHT)), (base(LEFT), kind(RIGHT))):
        result = call(left, right)
        assert type(result) is (of_answers if type(left) is kind else base)
        assert _columns(result) == _columns(wanted)


def test_a_derived_frame_keeps_what_its_class_notes():
    left = Table(LEFT)
    left.note = "metres"
    for join in (lambda *sides: warpdex.join(*sides, "k"), lambda *sides: merge_asof(*sides, on="k")):
        result = join(left, pd.DataFrame(RIGHT))
        assert type(result) is Table and result.note == "metres"
        assert type(join(pd.DataFrame(RIGHT), left)) is pd.DataFrame
    result = warpdex.join(
        left, pd.DataFrame(RIGHT), left_on="k", right_on="k", how="right"
    )  # the key of the right side
    assert type(result) is Table and result.note == "metres"


def test_a_class_whose_constructor_takes_no_frame_answers_with_its_base():
    result = warpdex.join(Strict(LEFT, "file"), pl.DataFrame(RIGHT), "k")
    assert type(result) is pl.DataFrame and result["v"].to_list() == [5.0, 6.0]


def test_derived_frames_of_several_libraries():
    for left, right, base in ((Table(LEFT), Polar(RIGHT), Table), (Polar(LEFT), Table(RIGHT), Polar)):
        result = warpdex.join(left, right, "k")
        assert type(result) is base and _columns(result)["v"] == [5.0, 6.0]


@pytest.mark.parametrize("kind", [OrderedDict, Arrays, lambda result: defaultdict(list, result)])
def test_dicts_of_arrays_of_a_derived_class(kind):
    left, right = (kind({name: np.array(values) for name, values in side.items()}) for side in (LEFT, RIGHT))
    result = warpdex.join(left, right, "k")
    assert type(result) is (dict if isinstance(left, defaultdict) else type(left))
    assert result["v"].tolist() == [5.0, 6.0]
    assert warpdex.join_asof(left, right, on="k", by="g")["v"].tolist()[1:2] == [5.0]


def test_keys_probes_and_values_of_derived_classes():
    for kind in (Table, Plain, Polar):
        both = ["k", "g"]
        index = warpdex.Index(kind(LEFT)[both])
        assert index.find(kind(RIGHT)[both]).tolist() == [1, -1, -1]
    index = warpdex.Index(Column([30, 10, 20]))
    found = index.find(Column([10, 5, 30], index=[7, 8, 9], name="p"))
    assert type(found) is pd.Series and found.name == "p" and found.index.tolist() == [7, 8, 9]
    assert found.fillna(-1).tolist() == [1, -1, 0]
    assert warpdex.Index(Words("w", ["a", "b"])).find(Words("p", ["b", "c"])).to_list() == [1, None]
    assert type(warpdex.gather([1, -1], Column([1.5, 2.5]))) is Column
    assert warpdex.gather([1, -1], Words("w", ["a", "b"])).to_list() == ["b", None]
    assert type(warpdex.unique(Column([1, 2, 1], name="k"))) is Column
    assert warpdex.duplicates(Words("w", ["a", "a"])).to_list() == [False, True]
