# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals in data frames: which overlap, which are nearest, how much they cover, their union, and what it leaves."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns.keys import ordered_pair
from ..columns.libraries import library_of
from ..columns.values import either, nulls_on_host
from ..errors import InvalidArgument, Unsupported
from ..frames.frame import Frame, Rows, suffixed
from ..frames.tables import by_named, columns_named, frames
from ..lookups.border import public
from ..lookups.calls import Stages
from ..lookups.intervals import Intervals
from ..types import Closed, How, IntervalSide, Table
from .join import group_pair, with_alone
from .lazy import is_lazy, lazily_whole

Names = str | list[str] | None  # of columns
Ends = tuple[str, str] | list[str]  # the names of the starts and the ends


class _Side(NamedTuple):
    """A frame, and the names of its columns."""

    frame: Frame
    start: Any
    end: Any
    by: list[Any]

    def others(self) -> list[Any]:
        """The columns that are not equal in both frames of a match."""
        return [name for name in self.frame.names if name not in self.by]


def _side(frame: Frame, name: str, own: Any, both: Any, what: str, by: list[Any]) -> _Side:
    """@param name what the call calls the frame @param what the argument of this frame alone"""
    shared = own is None
    names = columns_named(own, both if shared else None, what, "on", frame.names)
    what = f"{name}: on" if shared else what
    if len(names) != 2:
        raise InvalidArgument(f"{what} names {len(names)} columns, {names!r}; it must name those of starts and ends")
    frame.expect(names, what)
    if any(library_of(frame.column(one)) is not None for one in names):
        raise Unsupported(f"{what} names arrays on a device, which warpdex.Intervals takes, and frames do not")
    return _Side(frame, names[0], names[1], by)


def _of_one_type(columns: list[Values]) -> list[Values]:
    """Columns of integers or of floats in the type that holds all of them, if there is one; answers to them are plain."""
    parts = [column.plain().whole() for column in columns]
    arrays = [part.column for part in parts]
    if all(isinstance(array, np.ndarray) and array.dtype.kind in "iuf" for array in arrays):
        wide = np.result_type(*(array.dtype for array in arrays))
        if wide.kind != "f" or all(array.dtype.kind == "f" for array in arrays):
            parts = [Part(part.column.astype(wide, copy=False), part.size, part.nulls, part.misses) for part in parts]
    return [column.changed(parts=[part], give=None) for column, part in zip(columns, parts)]


class _Pair:
    """Intervals of a right frame, and those of a left one as their probes."""

    def __init__(self, left: _Side, right: _Side, closed: Closed, device: Any, threads: int) -> None:
        self.left, self.right, self._threads = left, right, threads
        names = (left.start, right.start), (left.end, right.end)
        starts, ends = (ordered_pair((left.frame.key(a), str(a)), (right.frame.key(b), str(b)))[:2] for a, b in names)
        self._start, start, self._end, end = _of_one_type([*starts, *ends])
        pairs = [(left.frame.key(a), right.frame.key(b), a) for a, b in zip(left.by, right.by)]
        groups = group_pair(pairs, False, threads) if pairs else (None, None)
        self.index = Intervals(start, end, groups[1], closed, device, threads=threads)
        self._by = groups[0]

    def probes(self) -> dict[str, Any]:
        """The left intervals, as arguments of `Intervals`."""
        return {"points": self._start, "end": self._end, "by": self._by, "threads": self._threads}

    def nulls(self) -> np.ndarray | None:
        """Which left intervals have a null."""
        return either([nulls_on_host(self._start), nulls_on_host(self._end)])


def _pair(
    left: Any,
    right: Any,
    on: Any,
    sides: tuple[Any, Any],
    groups: tuple[Any, Any, Any],
    closed: Closed,
    run: tuple[bool, Any, int],
    keeps_left: bool = False,
    names: tuple[str, str] = ("left", "right"),
) -> _Pair:
    """Reads both frames. @param sides, groups left_on and right_on; by, by_left and by_right @param run nan_is_null, device
    and threads @param names what the call calls them"""
    nan_is_null, device, threads = run
    left_frame, right_frame = frames(
        left, right, nan_is_null=nan_is_null, names=names, keeps_left=keeps_left, threads=threads
    )
    left_by, right_by = by_named(left_frame, right_frame, *groups, sides=names)
    of_left = _side(left_frame, names[0], sides[0], on, "left_on", left_by)
    return _Pair(of_left, _side(right_frame, names[1], sides[1], on, "right_on", right_by), closed, device, threads)


@public
def overlaps(
    left: Table,
    right: Any,
    on: Ends = ("start", "end"),
    how: How = "inner",
    *,
    left_on: Ends | None = None,
    right_on: Ends | None = None,
    by: Names = None,
    by_left: Names = None,
    by_right: Names = None,
    closed: Closed = "both",
    min_overlap: Any = None,
    suffix: str = "_right",
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Joins each interval of a frame with those of another one that it overlaps, as `Intervals.join`.

    `on` names the columns of starts and ends in both frames, `by` those of groups, such as chromosomes. The frames are of
    pandas, Polars or pyarrow, and the result is of left's kind. `closed` says which ends belong to intervals, as in
    `Intervals`; `min_overlap` is the least length of an overlap. Rows come in the order of the left frame, then of the
    right starts. The result has all columns of left, and right's without those of groups. `progress` is told when the
    intervals are sorted, when the pairs are found, and when their rows are gathered; of lazy frames it is not.

    >>> import pandas as pd
    >>> genes = pd.DataFrame({"chrom": ["1", "1"], "start": [0, 100], "end": [50, 160], "gene": ["A", "B"]})
    >>> reads = pd.DataFrame({"chrom": ["1", "2"], "start": [40, 40], "end": [120, 90]})
    >>> overlaps(reads, genes, by="chrom", closed="left")["gene"].tolist()
    ['A', 'B']
    """
    if is_lazy(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        return lazily_whole(lambda table, others: overlaps(table, *others, **options), left, [right])
    stages = Stages(progress, 3)
    run = nan_is_null, device, threads
    pair = stages.after(_pair(left, right, on, (left_on, right_on), (by, by_left, by_right), closed, run))
    lefts, rights = stages.after(pair.index.join(**pair.probes(), how=how, min_overlap=min_overlap))
    left_frame, right_frame = pair.left.frame, pair.right.frame
    added = right_frame.take(pair.right.others(), rights) if how in ("inner", "left") else {}
    return stages.after(left_frame.made(left_frame.at(left_frame.names, lefts), added, suffix))


@public
def nearest(
    left: Table,
    right: Any,
    on: Ends = ("start", "end"),
    how: Literal["inner", "left"] = "left",
    *,
    left_on: Ends | None = None,
    right_on: Ends | None = None,
    by: Names = None,
    by_left: Names = None,
    by_right: Names = None,
    k: int = 1,
    side: IntervalSide = "both",
    ignore_overlaps: bool = False,
    closed: Closed = "both",
    suffix: str = "_right",
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Joins each interval of a frame with the `k` nearest ones of another frame, as `Intervals.nearest`: first those that
    it overlaps, then the others by distance, of equal ones those before it first.

    `side` and `ignore_overlaps` leave some out. The column "distance" is 0 for an overlap, else the distance of the
    nearer ends, which is 0 too if they touch; of times it is in the finer unit of both frames. With how="left" a row
    without a neighbour has nulls. Other arguments are those of `overlaps`.

    >>> import pandas as pd
    >>> genes = pd.DataFrame({"start": [0, 100], "end": [50, 160], "gene": ["A", "B"]})
    >>> peaks = pd.DataFrame({"start": [60, 90], "end": [70, 95]})
    >>> found = nearest(peaks, genes)
    >>> found["gene"].tolist(), found["distance"].tolist()
    (['A', 'B'], [10, 5])
    """
    if how not in ("inner", "left"):
        raise InvalidArgument(f"how is {how!r}; it must be 'inner' or 'left'")
    if is_lazy(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        return lazily_whole(lambda table, others: nearest(table, *others, **options), left, [right])
    stages = Stages(progress, 3)
    run = nan_is_null, device, threads
    pair = stages.after(_pair(left, right, on, (left_on, right_on), (by, by_left, by_right), closed, run))
    limits: Any = {"k": k, "side": side, "ignore_overlaps": ignore_overlaps, "distances": True}
    offsets, found, away = stages.after(pair.index.nearest(**pair.probes(), **limits))
    lefts, rights = with_alone(np.diff(offsets), found)
    if how == "inner":
        lefts, rights = lefts[rights >= 0], found
    distances = np.zeros(lefts.size, away.dtype)
    distances[rights >= 0] = away
    left_frame, right_frame = pair.left.frame, pair.right.frame
    added = right_frame.take(pair.right.others(), rights)
    if "distance" in added:
        added[suffixed("distance", suffix)] = added.pop("distance")
    added["distance"] = left_frame.numbers(distances, rights < 0)
    return stages.after(left_frame.made(left_frame.at(left_frame.names, lefts), added, suffix))


@public
def coverage(
    left: Table,
    right: Any,
    on: Ends = ("start", "end"),
    *,
    left_on: Ends | None = None,
    right_on: Ends | None = None,
    by: Names = None,
    by_left: Names = None,
    by_right: Names = None,
    suffix: str = "_right",
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Adds to each interval of a frame the column `coverage`: the length of the part that the intervals of another frame
    cover, as `Intervals.coverage`. Of times it is in the finer unit of both frames, and of a null it is null. Other
    arguments are those of `overlaps`.

    >>> import pandas as pd
    >>> reads = pd.DataFrame({"start": [0, 2, 8], "end": [3, 5, 9]})
    >>> coverage(pd.DataFrame({"start": [1, 4], "end": [9, 8]}), reads)["coverage"].tolist()
    [5, 1]
    """
    if is_lazy(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        return lazily_whole(lambda table, others: coverage(table, *others, **options), left, [right])
    stages = Stages(progress, 3)
    run = nan_is_null, device, threads
    pair = stages.after(_pair(left, right, on, (left_on, right_on), (by, by_left, by_right), "both", run, True))
    frame = pair.left.frame
    lengths = stages.after(np.asarray(pair.index.coverage(**pair.probes())))
    return stages.after(frame.made(frame.whole(), {"coverage": frame.numbers(lengths, pair.nulls())}, suffix))


@public
def subtract_intervals(
    left: Table,
    right: Any,
    on: Ends = ("start", "end"),
    *,
    left_on: Ends | None = None,
    right_on: Ends | None = None,
    by: Names = None,
    by_left: Names = None,
    by_right: Names = None,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """The parts of the intervals of a frame that those of another frame do not cover, as `Intervals.gaps`: rows of left,
    none or several for each, with the starts and ends of the parts. A row with a null has none. Other arguments are those
    of `overlaps`.

    >>> import pandas as pd
    >>> shifts, breaks = pd.DataFrame({"start": [0], "end": [8]}), pd.DataFrame({"start": [2, 5], "end": [3, 6]})
    >>> subtract_intervals(shifts, breaks).to_dict("list")
    {'start': [0, 3, 6], 'end': [2, 5, 8]}
    """
    if is_lazy(left):
        options = {name: value for name, value in locals().items() if name not in ("left", "right", "progress")}
        return lazily_whole(lambda table, others: subtract_intervals(table, *others, **options), left, [right])
    stages = Stages(progress, 3)
    run = nan_is_null, device, threads
    pair = stages.after(_pair(left, right, on, (left_on, right_on), (by, by_left, by_right), "both", run))
    return _subtracted(pair, stages)


def _subtracted(pair: _Pair, stages: Stages) -> Any:
    """The rows of left, with the ends of their parts that right does not cover."""
    offsets, before, after = stages.after(pair.index.gaps(**pair.probes()))
    (frame, start, end, _), (other, other_start, other_end, _) = pair.left, pair.right
    lefts = np.repeat(np.arange(len(frame)), np.diff(offsets))
    result = frame.take(frame.names, lefts)
    result[start] = frame.merged(start, np.where(before < 0, lefts, -1), other, other_end, before)
    result[end] = frame.merged(end, np.where(after < 0, lefts, -1), other, other_start, after)
    return stages.after(frame.table_of(result))


class _Union:
    """The intervals of one frame, and their union. Groups come in the order of their first rows."""

    def __init__(self, table: Any, on: Any, by: Any, run: tuple[bool, Any, int], keeps: bool = False) -> None:
        nan_is_null, device, threads = run
        (self.frame,) = frames(table, nan_is_null=nan_is_null, names=("frame",), keeps_left=keeps, threads=threads)
        names = columns_named(by, None, "by", "by", self.frame.names)
        self.frame.expect(names, "by")
        self.side = _side(self.frame, "frame", None, on, "on", names)
        self.groups: np.ndarray | None = None
        groups = None
        if names:
            columns = [self.frame.key(name) for name in names]
            pairs = [(column, column, name) for column, name in zip(columns, names)]
            of_left, of_right = group_pair(pairs, False, threads)
            self.groups = _core.first_match(of_left.whole(), of_right.whole(), -1, threads)
            groups = Values("integer", [Part(self.groups, len(self.frame), self.groups < 0)], len(self.frame))
        ends = ((self.frame.key(name), str(name)) for name in (self.side.start, self.side.end))
        start, end, _ = ordered_pair(*ends)
        self.index = Intervals(start, end, groups, "both", device, threads=threads)
        self.threads = threads

    def merged(self) -> tuple[Any, ...]:
        """What `merge` answers, and then what `cluster` does."""
        return self.index._merged(Call(threads=self.threads))

    def table(self, first: Rows, last: Rows, names: tuple[Any, Any]) -> dict[Any, Any]:
        """Columns of groups, starts and ends. @param first, last rows of both ends @param names of their columns"""
        side = self.side
        result = self.frame.take([*side.by, names[0]], first)
        end = self.frame.take([names[1]], last)[names[1]]
        return {**{name: result[name] for name in side.by}, side.start: result[names[0]], side.end: end}


@public
def merge_intervals(
    frame: Table,
    on: Ends = ("start", "end"),
    by: Names = None,
    *,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """The union of the intervals of a frame, as `Intervals.merge`: intervals without a gap between them become one. The
    result has the columns `by`, start and end, and `count`, the number of intervals. Groups come in the order of their
    first rows, and in them the starts ascend. Rows with a null are left out.

    >>> import pandas as pd
    >>> merge_intervals(pd.DataFrame({"start": [7, 0, 3], "end": [9, 4, 6]})).to_dict("list")
    {'start': [0, 7], 'end': [6, 9], 'count': [2, 1]}
    """
    stages = Stages(progress, 3)
    of = stages.after(_Union(frame, on, by, (nan_is_null, device, threads)))
    first, last, counts, _ = stages.after(of.merged())
    added = {"count": of.frame.numbers(counts, None)}
    return stages.after(of.frame.made(of.table(first, last, (of.side.start, of.side.end)), added, "_intervals"))


@public
def cluster_intervals(
    frame: Table,
    on: Ends = ("start", "end"),
    by: Names = None,
    *,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """Adds to each interval of a frame the column `cluster`: the row of `merge_intervals` that it is part of, null for a
    row with a null.

    >>> import pandas as pd
    >>> cluster_intervals(pd.DataFrame({"start": [7, 0, 3], "end": [9, 4, 6]}))["cluster"].tolist()
    [1, 0, 0]
    """
    stages = Stages(progress, 3)
    of = stages.after(_Union(frame, on, by, (nan_is_null, device, threads), True))
    *_, clusters = stages.after(of.merged())
    added = {"cluster": of.frame.numbers(clusters, clusters < 0)}
    return stages.after(of.frame.made(of.frame.whole(), added, "_intervals"))


@public
def complement_intervals(
    frame: Table,
    view: Any = None,
    on: Ends = ("start", "end"),
    by: Names = None,
    *,
    nan_is_null: bool = True,
    device: Any = "cpu",
    threads: int = 0,
    progress: Any = False,
) -> Table:
    """What the intervals of a frame do not cover: of `view`, a frame of intervals such as whole chromosomes, with the same
    columns; without it what is between the intervals of each group.

    >>> import pandas as pd
    >>> shifts = pd.DataFrame({"start": [7, 0, 3], "end": [9, 4, 6]})
    >>> complement_intervals(shifts).to_dict("list")
    {'start': [6], 'end': [7]}
    >>> complement_intervals(shifts, pd.DataFrame({"start": [-1], "end": [9]})).to_dict("list")
    {'start': [-1, 6], 'end': [0, 7]}
    """
    stages = Stages(progress, 3)
    run = nan_is_null, device, threads
    if view is not None:
        pair = _pair(view, frame, on, (None, None), (by, None, None), "both", run, names=("view", "frame"))
        return _subtracted(stages.after(pair), stages)
    of = stages.after(_Union(frame, on, by, run))
    first, last, *_ = stages.after(of.merged())
    follows = np.ones(max(first.size - 1, 0), bool)
    if of.groups is not None:
        follows = of.groups[first[1:]] == of.groups[first[:-1]]
    parts = of.table(last[:-1][follows], first[1:][follows], (of.side.end, of.side.start))
    return stages.after(of.frame.table_of(parts))
