# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks and Intervals of Datasets of Ray. A host has their rows once, of which each of its workers makes its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..columns.values import extra
from ..errors import Error, InvalidArgument
from ..frames.tables import frames
from ..lookups import intervals, networks
from ..lookups.border import public_methods
from ..types import Closed, Dataset, HostBits, How
from .data import Held, blocks_of, expect_dataset, expect_gpus, groups_of, here, listed, over_actors, run_over
from .workers import Copy, whole

ray = extra("ray")
pyarrow = extra("pyarrow")

_Columns = dict[str, list[str]]  # the names of columns for each argument; several are a tuple


def _given(table: Any, columns: _Columns) -> dict[str, Any]:
    """Arguments, of the columns of a table."""
    taken = {name: tuple(table.column(name) for name in names) for name, names in columns.items()}
    return {name: of if len(of) > 1 else of[0] for name, of in taken.items()}


class _Side(NamedTuple):
    """Right rows, and the index over them."""

    table: Any
    index: Any


class _Made(NamedTuple):
    """How workers make a side of right rows."""

    kind: Any
    columns: _Columns
    options: dict[str, Any]

    def __call__(self, table: Any) -> _Side:
        return _Side(table, self.kind(**_given(table, self.columns), **self.options))


class _Answered(NamedTuple):
    """A batch with a column of answers, as workers make it. Rows of several answers are a list."""

    what: str
    columns: _Columns
    options: dict[str, Any]
    named: str

    def __call__(self, side: _Side, batch: Any) -> Any:
        if self.named in batch.schema.names:
            raise InvalidArgument(f"named is {self.named!r}, which is a column of left")
        answers = getattr(side.index, self.what)(**_given(batch, self.columns), **self.options)
        if isinstance(answers, tuple):
            answers = pyarrow.LargeListArray.from_arrays(*map(pyarrow.array, answers))
        return batch.append_column(self.named, answers)


class _Paired(NamedTuple):
    """A batch joined with right rows, as workers make it."""

    pairs: Any  # of an index, columns and options: positions in the batch, and rows or -1
    columns: _Columns
    options: dict[str, Any]
    suffix: str

    def __call__(self, side: _Side, batch: Any) -> Any:
        lefts, rights = self.pairs(side.index, **_given(batch, self.columns), **self.options)
        left, right = frames(batch, side.table)
        added = right.take(right.names, rights) if self.options["how"] in ("inner", "left") else {}
        return left.made(left.take(left.names, lefts), added, self.suffix)


def _longest(nets: Any, ips: Any, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of positions of addresses and the rows of their longest networks."""
    if how not in ("inner", "left", "semi", "anti"):
        raise InvalidArgument(f"how is {how!r}; it must be 'inner', 'left', 'semi' or 'anti'")
    rows = np.asarray(nets.find(ips).fill_null(-1))
    wanted = {"left": rows >= -1, "anti": rows < 0}.get(how, rows >= 0)
    return np.flatnonzero(wanted), rows[wanted]


def _size(make: _Made, table: Any) -> int | Error:
    """How many entries an index has, or why there is none."""
    try:
        size: int = len(make(table).index)
        return size
    except Error as why:
        return why


class _Spans(Held):
    """What a host has once, and what workers make of it."""

    def __init__(self, data: Any, columns: list[str] | None, kind: Any, over: _Columns, options: Any, num_gpus: float):
        expect_dataset(data, "data")
        blocks = blocks_of(data, [name for names in over.values() for name in names], columns)
        expect_gpus(num_gpus, 1)
        super().__init__()
        result = _Made(kind, over, options)
        self._made = result._replace(options={**options, "device": "cuda"}) if num_gpus else result
        self._none, self._num_gpus = result(blocks.schema.empty_table()), num_gpus
        self._source = data  # from whose objects Ray makes again what a host has lost
        self._refs = [here(whole).remote(blocks.schema.empty_table(), *blocks.refs)]
        size = ray.get(here(_size).remote(result, self._refs[0]))
        if isinstance(size, Error):
            raise size
        self._size: int = size

    def __len__(self) -> int:
        return self._size

    def _end(self) -> None:
        self._refs, self._source = [], None
        super().close()

    def _run(self, left: Any, run: _Answered | _Paired, concurrency: Any) -> Any:
        expect_dataset(left, "left")
        self._expect_open()

        def of_none(schema: Any) -> Any:  # one row of nulls, as an empty column may have any type
            return run(self._none, pyarrow.table({field.name: pyarrow.nulls(1, field.type) for field in schema}))

        names = [name for names in run.columns.values() for name in names]
        arguments = self._refs, None, self._made, run
        return run_over(left, names, of_none, lambda: over_actors(left, Copy, arguments, concurrency, self._num_gpus))


@public_methods(held="")
class Networks(_Spans):
    """Networks of IP addresses of a Dataset, which is run, as `warpdex.Networks`: `cidrs` and `lengths` name columns.
    `columns` are those that `join` adds, by default all. With `num_gpus` workers have the networks on that part of a
    GPU. A host has the rows once, and each worker makes its own networks of them once per call, so that many rows want
    few workers. A network that is none is an error here. They are not saved. It is a context manager; after `close` no
    object of it is left.

    >>> import ray
    >>> nets = Networks(ray.data.from_items([{"cidr": "10.0.0.0/8"}, {"cidr": "10.1.0.0/16"}]), "cidr")
    >>> nets.find(ray.data.from_items([{"ip": "10.1.2.3"}, {"ip": "::1"}]), "ip").take_all()
    [{'ip': '10.1.2.3', 'row': 1}, {'ip': '::1', 'row': None}]
    """

    def __init__(
        self,
        data: Any,
        cidrs: str,
        lengths: str | None = None,
        *,
        host_bits: HostBits = "error",
        spec: str = "AO+BS",
        columns: list[str] | None = None,
        num_gpus: float = 0,
    ) -> None:
        over = {"cidrs": [cidrs]} | ({} if lengths is None else {"lengths": [lengths]})
        super().__init__(data, columns, networks.Networks, over, {"host_bits": host_bits, "spec": spec}, num_gpus)

    def close(self) -> None:
        """Gives back its objects.

        >>> import ray
        >>> Networks(ray.data.from_items([{"cidr": "::/0"}]), "cidr").close()
        """
        self._end()

    def find(self, left: Dataset, ips: str, *, named: str = "row", concurrency: Any = None) -> Dataset:
        """Adds to a Dataset the row of the longest network that holds each address of its column `ips`, null for none.

        >>> import ray
        >>> nets = Networks(ray.data.from_items([{"cidr": "::/0"}]), "cidr")
        >>> nets.find(ray.data.from_items([{"ip": "::1"}]), "ip", named="net").take_all()
        [{'ip': '::1', 'net': 0}]
        """
        return self._run(left, _Answered("find", {"ips": [ips]}, {}, named), concurrency)

    def covering(self, left: Dataset, ips: str, *, named: str = "rows", concurrency: Any = None) -> Dataset:
        """Adds to a Dataset the list of the rows of all networks that hold each address, from short to long.

        >>> import ray
        >>> nets = Networks(ray.data.from_items([{"cidr": "10.1.0.0/16"}, {"cidr": "10.0.0.0/8"}]), "cidr")
        >>> nets.covering(ray.data.from_items([{"ip": "10.1.2.3"}]), "ip").take_all()
        [{'ip': '10.1.2.3', 'rows': [1, 0]}]
        """
        return self._run(left, _Answered("covering", {"ips": [ips]}, {}, named), concurrency)

    def join(
        self, left: Dataset, ips: str, how: How = "inner", *, suffix: str = "_right", concurrency: Any = None
    ) -> Dataset:
        """Joins each row of a Dataset with that of the longest network that holds its address; `how` is inner, left,
        semi or anti.

        >>> import ray
        >>> nets = Networks(ray.data.from_items([{"cidr": "10.0.0.0/8", "site": "Ulm"}]), "cidr")
        >>> nets.join(ray.data.from_items([{"ip": "10.1.2.3"}, {"ip": "::1"}]), "ip").take_all()
        [{'ip': '10.1.2.3', 'cidr': '10.0.0.0/8', 'site': 'Ulm'}]
        """
        return self._run(left, _Paired(_longest, {"ips": [ips]}, {"how": how}, suffix), concurrency)


@public_methods(held="")
class Intervals(_Spans):
    """Intervals of a Dataset, which is run, as `warpdex.Intervals`: `start`, `end` and `by` name columns. `columns` are
    those that `join` adds, by default all. With `num_gpus` workers have the intervals on that part of a GPU. It is a
    context manager; after `close` no object of it is left.

    Each call takes the name of the column of points, or with `end` of those of intervals; `by` names the left columns
    of groups, by default those of the intervals.

    >>> import ray
    >>> shifts = Intervals(ray.data.from_items([{"a": 0, "b": 10}, {"a": 10, "b": 20}]), "a", "b", closed="left")
    >>> shifts.count(ray.data.from_items([{"t": 3}, {"t": 20}]), "t").take_all()
    [{'t': 3, 'count': 1}, {'t': 20, 'count': 0}]
    """

    def __init__(
        self,
        data: Any,
        start: str,
        end: str,
        by: str | list[str] | None = None,
        closed: Closed = "both",
        *,
        columns: list[str] | None = None,
        num_gpus: float = 0,
    ) -> None:
        self.by = listed(by, [])
        over = {"start": [start], "end": [end]} | ({"by": self.by} if self.by else {})
        super().__init__(data, columns, intervals.Intervals, over, {"closed": closed}, num_gpus)

    def close(self) -> None:
        """Gives back its objects.

        >>> import ray
        >>> Intervals(ray.data.from_items([{"a": 0, "b": 10}]), "a", "b").close()
        """
        self._end()

    def _probes(self, points: str, end: str | None, by: Any) -> _Columns:
        groups = groups_of(by, self.by)
        return {"points": [points]} | ({} if end is None else {"end": [end]}) | ({"by": groups} if groups else {})

    def count(
        self,
        left: Dataset,
        points: str,
        end: str | None = None,
        by: Any = None,
        *,
        named: str = "count",
        concurrency: Any = None,
    ) -> Dataset:
        """Adds to a Dataset how many intervals contain each point, or overlap each interval.

        >>> import ray
        >>> found = Intervals(ray.data.from_items([{"a": 0, "b": 9}, {"a": 5, "b": 6}]), "a", "b")
        >>> found.count(ray.data.from_items([{"from": 7, "to": 8}]), "from", "to").take_all()
        [{'from': 7, 'to': 8, 'count': 1}]
        """
        return self._run(left, _Answered("count", self._probes(points, end, by), {}, named), concurrency)

    def find(
        self,
        left: Dataset,
        points: str,
        end: str | None = None,
        by: Any = None,
        *,
        named: str = "row",
        concurrency: Any = None,
    ) -> Dataset:
        """Adds to a Dataset the row of the first of these intervals, by start, then row; null for none.

        >>> import ray
        >>> found = Intervals(ray.data.from_items([{"a": 5, "b": 6}, {"a": 0, "b": 9}]), "a", "b")
        >>> found.find(ray.data.from_items([{"t": 5}, {"t": 10}]), "t").take_all()
        [{'t': 5, 'row': 1}, {'t': 10, 'row': None}]
        """
        return self._run(left, _Answered("find", self._probes(points, end, by), {}, named), concurrency)

    def retrieve(
        self,
        left: Dataset,
        points: str,
        end: str | None = None,
        by: Any = None,
        *,
        named: str = "rows",
        concurrency: Any = None,
    ) -> Dataset:
        """Adds to a Dataset the list of the rows of all of them, by start, then row.

        >>> import ray
        >>> found = Intervals(ray.data.from_items([{"a": 5, "b": 6}, {"a": 0, "b": 9}]), "a", "b")
        >>> found.retrieve(ray.data.from_items([{"t": 5}]), "t").take_all()
        [{'t': 5, 'rows': [1, 0]}]
        """
        return self._run(left, _Answered("retrieve", self._probes(points, end, by), {}, named), concurrency)

    def nearest(
        self, left: Dataset, points: str, k: int = 1, by: Any = None, *, named: str = "rows", concurrency: Any = None
    ) -> Dataset:
        """Adds to a Dataset the list of the rows of the k intervals nearest to each point.

        >>> import ray
        >>> found = Intervals(ray.data.from_items([{"a": 0, "b": 4}, {"a": 10, "b": 20}]), "a", "b")
        >>> found.nearest(ray.data.from_items([{"t": 8}]), "t").take_all()
        [{'t': 8, 'rows': [1]}]
        """
        return self._run(left, _Answered("nearest", self._probes(points, None, by), {"k": k}, named), concurrency)

    def coverage(
        self,
        left: Dataset,
        points: str,
        end: str | None = None,
        by: Any = None,
        *,
        named: str = "coverage",
        concurrency: Any = None,
    ) -> Dataset:
        """Adds to a Dataset the length of the part of each interval that the intervals cover; of a point 1 or 0.

        >>> import ray
        >>> found = Intervals(ray.data.from_items([{"a": 0, "b": 3}, {"a": 2, "b": 5}]), "a", "b")
        >>> found.coverage(ray.data.from_items([{"from": 1, "to": 9}]), "from", "to").take_all()
        [{'from': 1, 'to': 9, 'coverage': 4}]
        """
        return self._run(left, _Answered("coverage", self._probes(points, end, by), {}, named), concurrency)

    def join(
        self,
        left: Dataset,
        points: str,
        end: str | None = None,
        how: How = "inner",
        by: Any = None,
        *,
        min_overlap: Any = None,
        suffix: str = "_right",
        concurrency: Any = None,
    ) -> Dataset:
        """Joins each row of a Dataset with the rows of the intervals that match it; `how` is inner, left, semi or anti.
        With `min_overlap` each batch sorts them.

        >>> import ray
        >>> shifts = Intervals(ray.data.from_items([{"a": 0, "b": 10, "who": "Ada"}]), "a", "b", columns=["who"])
        >>> shifts.join(ray.data.from_items([{"t": 3}, {"t": 11}]), "t").take_all()
        [{'t': 3, 'a': 0, 'b': 10, 'who': 'Ada'}]
        """
        options = {"how": how, "min_overlap": min_overlap}
        run = _Paired(intervals.Intervals.join, self._probes(points, end, by), options, suffix)
        return self._run(left, run, concurrency)
