# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Datasets of Ray with an index: a copy per worker, or shards that actors hold. The semantics are those of the
functions of these names over data frames."""

from __future__ import annotations

import functools
import numbers
import pathlib
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..columns.values import extra
from ..errors import InvalidArgument, KeyTypeError, Unsupported, shown
from ..lookups.border import public, public_methods
from ..types import Closed, Dataset, Direction, HowOfFrames, Placement, RayLookup
from . import storage
from .data import (
    BATCHES,
    Held,
    blocks_of,
    expect_dataset,
    expect_divisible,
    expect_gpus,
    expect_ray,
    groups_of,
    here,
    listed,
    over_actors,
    run_over,
    workers_of,
)
from .spans import Intervals as Intervals, Networks as Networks
from .workers import (
    ROW,
    About,
    Copy,
    Joined,
    LookedUp,
    Router,
    Shard,
    Side,
    answers_of,
    ascending,
    between,
    border_type,
    ends,
    run_with_copy,
    sample,
    split,
    stored_index,
    whole,
)

ray = extra("ray")
pyarrow = extra("pyarrow")
strategies = extra("ray.util.scheduling_strategies")

_DEATHS = 3
_REPLICATED = 1 << 28  # bytes up to which `auto` sends each worker a copy


@public_methods("close", held="")
class RayIndex(Held):
    """Right rows of a Dataset and an index over them, which the functions of this module search. It is a context
    manager; after `close` no actor and no object of it is left.

    An actor that dies is replaced, twice; then the job ends with an error that names the shard. What a host that dies
    held of the rows is made again from the source. Workers fetch their rows from the object store or, if that has lost
    them, from the folder of the index, which all hosts must see. Results run in batches of 2^20 rows; `concurrency` of
    a join is the number of its workers, or a pair of the least and the most. Right rows with equal keys keep the order
    of their Dataset. Joins that look at the left side as a whole are refused, and so are columns, types and time zones
    that do not fit, at the call. No Dataset may have a column named __warpdex_row.

    >>> import ray
    >>> quotes = ray.data.from_items([{"ts": 1, "bid": 10}, {"ts": 5, "bid": 50}])
    >>> with build(quotes, on="ts") as index:
    ...     found = join_asof(ray.data.from_items([{"ts": 4}]), index, on="ts").take_all()
    >>> found
    [{'ts': 4, 'bid': 10}]
    """

    def __init__(
        self, facts: dict[str, Any], refs: list[Any], files: list[Any], num_gpus: float, source: Any = None
    ) -> None:
        """@param files those of the shards, or None for each
        @param source the Dataset, from whose objects Ray makes again what a host has lost"""
        super().__init__()
        self.on, self.by, self.placement = facts["on"], facts["by"], facts["placement"]
        self._facts, self._refs, self._files, self._num_gpus = facts, refs, files, num_gpus
        self._about = About(self.on, self.by, facts["spec"], "cuda" if num_gpus else "cpu")
        self._none = _without_rows(facts["schema"], self._about)
        self._source = source
        self._shards: list[Any] = []
        self._built: list[Any] = []  # the index that workers on the host share
        if self.placement == "range":
            again = {"max_restarts": _DEATHS - 1, "max_task_retries": -1}
            actor = ray.remote(num_cpus=0, num_gpus=num_gpus, **again)(Shard)
            spread = [actor.options(scheduling_strategy=_on_host(number, num_gpus)) for number in range(len(refs))]
            self._shards = [actor.remote([ref], file, self._about) for actor, ref, file in zip(spread, refs, files)]
        elif not num_gpus:
            self._built = [here(stored_index).remote(refs[0], self._about)]

    def close(self) -> None:
        """Ends its actors and gives back its objects.

        >>> import ray
        >>> index = build(ray.data.from_items([{"ts": 1}]), on="ts")
        >>> index.close()
        >>> index.explain()
        Traceback (most recent call last):
        warpdex.errors.InvalidArgument: the index is closed
        """
        if self._is_there():
            for shard in self._shards:
                ray.kill(shard)
        self._shards, self._refs, self._built, self._source = [], [], [], None
        super().close()

    def explain(self) -> str:
        """What is where.

        >>> import ray
        >>> print(build(ray.data.from_items([{"ts": 1}]), on="ts").explain())
        AO+BS over ts: replicate, 1 rows in the object store
        """
        self._expect_open()
        over = ", ".join([*self.by, self.on])
        head = f"{self._about.spec} over {over}: {self.placement}"
        if not self._shards:
            return f"{head}, {self._facts['rows']} rows in the object store"
        sizes = answers_of(
            [(number, shard.size.remote()) for number, shard in enumerate(self._shards)], len(self._shards)
        )
        lines = [f"shard {number}: {size} rows" for number, size in enumerate(sizes)]
        return "\n".join([f"{head}, {self._facts['rows']} rows in {len(self._shards)} actors", *lines])

    def save(self, folder: str | pathlib.Path) -> None:
        """Writes a folder that `load` reads. Workers of joins that begin later, and those of an index that was loaded,
        read their rows there if the object store has lost them. The folder has a file of rows per shard and a manifest
        with the SHA-256 checksum of each, which comes last: until then an index that was there remains. Whoever reads a
        file compares it. Several processes may save to a folder and load it at once.

        >>> import ray
        >>> build(ray.data.from_items([{"ts": 1}]), on="ts").save("quotes")
        >>> load("quotes").explain()
        'AO+BS over ts: replicate, 1 rows in the object store'
        """
        self._expect_open()
        self._files = storage.save(pathlib.Path(folder), self._facts, self._refs)

    def _mapped(self, left: Any, run: Any, column: str, concurrency: Any) -> Any:
        if self._built:
            copies = [*self._refs, *self._built], self._files[0], self._about, run
            tasks = ray.data.TaskPoolStrategy(size=workers_of(concurrency)[1])
            return left.map_batches(run_with_copy, fn_args=copies, compute=tasks, **BATCHES)
        if self.placement == "range":
            shards = self._shards, self._facts["borders"], column, run
            return over_actors(left, Router, shards, concurrency, num_cpus=0)
        result = functools.partial(Side, about=self._about)
        return over_actors(left, Copy, (self._refs, self._files[0], result, run), concurrency, self._num_gpus)


def _without_rows(schema: Any, about: About) -> Side:
    """A side of no rows, which refuses what one with rows refuses."""
    return Side(schema.append(pyarrow.field(ROW, pyarrow.int64())).empty_table(), about._replace(device="cpu"))


def _on_host(number: int, num_gpus: float) -> Any:
    """Shards go to the hosts in turn, and elsewhere if theirs is full or dead."""
    hosts = [node["NodeID"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("GPU", 0) >= num_gpus]
    return strategies.NodeAffinitySchedulingStrategy(hosts[number % len(hosts)], soft=True)


@public
def build(
    data: Any,
    on: str,
    by: str | list[str] | None = None,
    *,
    spec: str = "auto",
    placement: Placement = "auto",
    shards: int = 2,
    columns: list[str] | None = None,
    num_gpus: float = 0,
) -> RayIndex:
    """Builds an index over the columns `by` and `on` of a Dataset, which is run. `columns` are what joins add, by
    default all. With placement="replicate" each worker searches a copy of the rows, which a host has once; with "range"
    each of `shards` actors has those between two borders of its first column. `auto` replicates up to 256 MiB. With
    `num_gpus` each worker or actor has its index on that part of a GPU; too few GPUs are an error. Without `by` a shard
    also has the nearest rows of its neighbours, so as-of joins find them.

    >>> import ray
    >>> quotes = ray.data.from_items([{"ts": 1, "symbol": "A"}, {"ts": 5, "symbol": "B"}])
    >>> build(quotes, "ts", "symbol", placement="range").explain().splitlines()[0]
    'AO+BS over symbol, ts: range, 2 rows in 2 actors'
    """
    expect_dataset(data, "data")
    if not isinstance(shards, numbers.Integral) or not 1 <= shards <= storage.MOST_SHARDS:
        raise InvalidArgument(f"shards is {shown(shards)}; it must be a number from 1 to {storage.MOST_SHARDS}")
    groups = listed(by, [])
    blocks = blocks_of(data, [*groups, on], columns)
    if placement == "auto":
        placement = "replicate" if blocks.bytes <= _REPLICATED else "range"
    about = About(on, groups, "AO+BS" if spec == "auto" else spec, "cpu")
    _without_rows(blocks.schema, about)  # before tasks fail
    if placement == "range":
        expect_divisible(blocks.schema, "data")
    expect_gpus(num_gpus, shards if placement == "range" else 1)
    column = (*groups, on)[0]
    kind = border_type(blocks.schema.field(column).type)
    borders = _borders(blocks.refs, column, kind, shards if placement == "range" else 1)
    refs = _dealt(blocks.refs, blocks.sizes, borders, column, None if groups else on)
    result = {"id": secrets.token_hex(8), "on": on, "by": groups, "spec": about.spec, "placement": placement}
    result["rows"] = sum(blocks.sizes)
    return RayIndex({**result, "borders": borders, "schema": blocks.schema}, refs, [None] * len(refs), num_gpus, data)


def _borders(blocks: list[Any], column: str, kind: Any, shards: int) -> Any:
    """Values between which shards are, which ascend."""
    if shards == 1:
        return pyarrow.nulls(0, kind)
    some = ray.remote(sample)
    parts = ray.get([some.remote(block, column, kind) for block in blocks])
    ordered = pyarrow.chunked_array([chunk for part in parts for chunk in part.chunks], kind).sort()
    positions = [len(ordered) * shard // shards for shard in range(1, shards)] if len(ordered) else []
    values = ordered.take(pyarrow.array(positions, pyarrow.int64())).unique()
    return values.filter(pyarrow.array(ascending(values)))  # which takes -0.0 and 0.0 for one


def _dealt(blocks: list[Any], sizes: Any, borders: Any, column: str, nearest_of: str | None) -> list[Any]:
    """References to the rows of each shard.

    @param nearest_of the key by which a shard also has the nearest rows of its neighbours; None within groups
    """
    count = len(borders) + 1
    dealt, joined = ray.remote(num_returns=count)(split), here(whole) if count == 1 else ray.remote(whole)
    firsts = np.cumsum([0, *sizes]).tolist()
    pieces = [dealt.remote(block, first, borders, column) for block, first in zip(blocks, firsts)]
    rows = [[piece] if count == 1 else piece for piece in pieces]
    tables = [joined.remote(*[piece[number] for piece in rows]) for number in range(count)]
    if nearest_of is None or count == 1:
        return tables
    nearest, widened = ray.remote(ends), ray.remote(between)
    found = ray.get([nearest.remote(table, nearest_of) for table in tables])
    return [widened.remote(found, number, table) for number, table in enumerate(tables)]


@public
def load(folder: str | pathlib.Path, num_gpus: float = 0) -> RayIndex:
    """Reads a folder that `RayIndex.save` wrote. All hosts must see it.

    >>> import ray
    >>> build(ray.data.from_items([{"ts": 1}]), on="ts").save("some")
    >>> load("some").on
    'ts'
    """

    def _index(facts: dict[str, Any], files: list[Any]) -> RayIndex:
        expect_ray()
        expect_gpus(num_gpus, len(files))
        refs, schema = storage.rows_of(facts, files)
        return RayIndex({**facts, "schema": schema}, refs, files, num_gpus)

    return storage.load(pathlib.Path(folder), _index)


def _expect(left: Any, right: Any) -> None:
    expect_dataset(left, "left")
    if not isinstance(right, RayIndex):
        raise KeyTypeError(f"right is {type(right).__name__}; build() makes an index")
    right._expect_open()


def _run(left: Any, right: RayIndex, run: Joined | LookedUp, keys: list[str], concurrency: Any) -> Any:
    """@param keys columns of the left side, of which the first one decides to which shard a row goes"""

    def of_none(schema: Any) -> Any:
        if right.placement == "range":
            expect_divisible(schema, "left")
        return run(right._none, schema.empty_table())

    return run_over(left, keys, of_none, lambda: right._mapped(left, run, keys[0], concurrency))


def _run_within(
    left: Any, right: RayIndex, name: str, by: Any, keys: list[str], options: dict[str, Any], concurrency: Any
) -> Any:
    """The Dataset that a join makes, within the groups of an index if it has some."""
    groups = groups_of(by, right.by)
    if groups:
        options |= {"by_left": groups, "by_right": right.by}
    return _run(left, right, Joined(name, options), [*groups, *keys], concurrency)


def _expect_groups(right: RayIndex, what: str) -> None:
    if right.placement == "range" and not right.by:
        raise Unsupported(f"{what} without by need placement='replicate'")


@public
def join(
    left: Dataset,
    right: RayIndex,
    on: str | None = None,
    how: HowOfFrames = "inner",
    *,
    left_on: str | None = None,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Dataset:
    """Joins a Dataset with the rows of an index on its key, as `warpdex.join`; `how` is inner, left, semi or anti. The
    result is a Dataset that runs when it is used.

    >>> import ray
    >>> names = build(ray.data.from_items([{"id": 1, "name": "Ada"}]), on="id")
    >>> join(ray.data.from_items([{"id": 1}, {"id": 2}]), names, "id").take_all()
    [{'id': 1, 'name': 'Ada'}]
    """
    if how not in ("inner", "left", "semi", "anti"):
        raise Unsupported(f"how is {how!r}; over a Dataset it is 'inner', 'left', 'semi' or 'anti'")
    _expect(left, right)
    key = left_on or on or right.on
    if right.by:
        raise Unsupported("the index is within groups; joins on equal keys need one without by")
    options = {"how": how, "left_on": key, "right_on": right.on, "suffix": suffix}
    return _run(left, right, Joined("join", options), [key], concurrency)


@public
def join_asof(
    left: Dataset,
    right: RayIndex,
    on: str | None = None,
    *,
    left_on: str | None = None,
    by: str | list[str] | None = None,
    strategy: Direction = "backward",
    tolerance: Any = None,
    offsets: Any = None,
    allow_exact_matches: bool = True,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Dataset:
    """Joins each row of a Dataset with the row of an index whose key is nearest, as `warpdex.join_asof`. `by` names the
    left columns of groups, by default those of the index. Of an index in shards, groups must be given for `offsets`: a
    key that is moved may belong to another shard.

    >>> import ray
    >>> quotes = build(ray.data.from_items([{"ts": 1, "s": "A", "bid": 10}]), on="ts", by="s")
    >>> join_asof(ray.data.from_items([{"ts": 3, "s": "A"}]), quotes).take_all()
    [{'ts': 3, 's': 'A', 'bid': 10}]
    """
    _expect(left, right)
    key = left_on or on or right.on
    options = {"left_on": key, "right_on": right.on, "strategy": strategy, "tolerance": tolerance, "suffix": suffix}
    options |= {"allow_exact_matches": allow_exact_matches}
    if offsets is not None:
        _expect_groups(right, "offsets")
        options["offsets"] = offsets
    return _run_within(left, right, "join_asof", by, [key], options, concurrency)


@public
def join_between(
    left: Dataset,
    right: RayIndex,
    lower: str,
    upper: str,
    closed: Closed = "both",
    how: HowOfFrames = "inner",
    *,
    by: str | list[str] | None = None,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Dataset:
    """Joins each row of a Dataset with the rows of an index whose key is between its columns `lower` and `upper`, as
    `warpdex.join_between`. Of an index in shards, groups must be given: a range may meet several.

    >>> import ray
    >>> events = build(ray.data.from_items([{"at": 3}, {"at": 12}]), on="at")
    >>> join_between(ray.data.from_items([{"begin": 0, "end": 10}]), events, "begin", "end").take_all()
    [{'begin': 0, 'end': 10, 'at': 3}]
    """
    _expect(left, right)
    _expect_groups(right, "ranges")
    options: dict[str, Any] = {"on": right.on, "lower": lower, "upper": upper, "closed": closed, "how": how}
    options |= {"suffix": suffix}
    return _run_within(left, right, "join_between", by, [lower, upper], options, concurrency)


@public
def window(
    left: Dataset,
    right: RayIndex,
    on: str | None = None,
    *,
    left_on: str | None = None,
    by: str | list[str] | None = None,
    before: Any = None,
    after: Any = None,
    windows: Any = None,
    agg: Any,
    closed: Closed = "both",
    include_last_before: bool = False,
    include_prevailing: bool = False,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Dataset:
    """Adds to each row of a Dataset aggregates of the rows of an index whose key is between its own less `before` and
    its own plus `after`, as `warpdex.window`. Each batch sorts the right rows of its worker anew. Of an index in
    shards, groups must be given: a window may meet several.

    >>> import ray
    >>> quotes = build(ray.data.from_items([{"ts": 1, "bid": 10}, {"ts": 2, "bid": 20}]), on="ts")
    >>> window(ray.data.from_items([{"ts": 3}]), quotes, before=2, after=0, agg={"bid": "max"}).take_all()
    [{'ts': 3, 'bid_max': 20}]
    """
    _expect(left, right)
    key = left_on or on or right.on
    _expect_groups(right, "windows")
    options = {"left_on": key, "right_on": right.on, "before": before, "after": after, "windows": windows, "agg": agg}
    options |= {"closed": closed, "include_last_before": include_last_before, "suffix": suffix}
    options |= {"include_prevailing": include_prevailing}
    return _run_within(left, right, "window", by, [key], options, concurrency)


@public
def point_in_time(
    spine: Dataset, tables: Any, *, tolerance: Any = None, suffix: str | None = None, concurrency: Any = None
) -> Dataset:
    """Adds to each row of a Dataset what each of several indexes knew at its time, as `warpdex.point_in_time`. `tables`
    maps names to indexes, whose keys and groups have the names of the spine's columns.

    >>> import ray
    >>> orders = build(ray.data.from_items([{"ts": 3, "user": 1, "amount": 30}]), on="ts", by="user")
    >>> clicks = build(ray.data.from_items([{"ts": 1, "user": 1, "page": 7}]), on="ts", by="user")
    >>> spine = ray.data.from_items([{"ts": 5, "user": 1}])
    >>> point_in_time(spine, {"orders": orders, "clicks": clicks}, tolerance={"orders": 9}).take_all()
    [{'ts': 5, 'user': 1, 'amount': 30, 'page': 7}]
    """
    if not isinstance(tables, Mapping):
        raise KeyTypeError(f"tables is {type(tables).__name__}; it must be a dict of names and indexes")
    tolerances = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(tables, tolerance)
    if unknown := [name for name in tolerances if name not in tables]:
        raise InvalidArgument(f"tolerance names the table {unknown[0]!r}; there are {', '.join(map(repr, tables))}")
    for name, index in tables.items():
        end = f"_{name}" if suffix is None else suffix
        spine = join_asof(spine, index, tolerance=tolerances.get(name), suffix=end, concurrency=concurrency)
    return spine


@public
def lookup(
    left: Dataset,
    right: RayIndex,
    on: str | None = None,
    what: RayLookup = "find",
    *,
    by: str | list[str] | None = None,
    named: str = "row",
    concurrency: Any = None,
) -> Dataset:
    """Adds to a Dataset what a lookup of its column `on` answers: the first row, whether there is one, or how many.
    `what` is find, contains or count. `by` names the columns of groups, by default those of the index.

    >>> import ray
    >>> ids = build(ray.data.from_items([{"id": 7}, {"id": 9}]), on="id")
    >>> lookup(ray.data.from_items([{"id": 9}, {"id": 8}]), ids).take_all()
    [{'id': 9, 'row': 1}, {'id': 8, 'row': None}]
    """
    _expect(left, right)
    keys = [*groups_of(by, right.by), on or right.on]
    return _run(left, right, LookedUp(what, keys, named), keys, concurrency)
