# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Joins of Datasets of Ray with an index: a copy per worker, or shards that actors hold. The semantics are those of the
functions of these names over data frames."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np

from . import _join
from ._border import public, public_methods
from ._errors import Error, InvalidArgument, KeyTypeError, Unsupported
from ._index import Index
from ._lazy import Over
from ._values import extra

ray = extra("ray")
pyarrow = extra("pyarrow")

_BATCH = 1 << 20
_ROW = "__warpdex_row"  # the position of a row: of a right one among all, of a left one in its batch
_SAMPLE = 1 << 12  # values per block from which borders come
_DEATHS = 3
_PLACEMENTS = ("replicate", "range", "auto")
_REPLICATED = 1 << 28  # bytes up to which `auto` sends each worker a copy
_JOINS: dict[str, Any] = {"join": _join.join, "join_asof": _join.join_asof, "join_between": _join.join_between}
_LOOKUPS = ("find", "contains", "count")
_About = tuple[str, list[str], str, str]  # of a side: on, by, spec and device


class _Side:
    """Right rows, and an index over them that serves all batches of one process."""

    def __init__(self, table: Any, on: str, by: list[str], spec: str, device: str, built: Any = None) -> None:
        self.table, self.on, self.by = table.drop_columns([_ROW]), on, by
        self._rows = table.column(_ROW).to_numpy()
        self._index = _indexed(self.table, on, by, spec, device) if built is None else built
        if self._index is not None:
            self._index.version = self._index.index._core.version

    def joined(self, name: str, batch: Any, options: dict[str, Any]) -> Any:
        """What a join makes of a batch."""
        lefts = [*options.get("by_left", []), options["left_on"] if "left_on" in options else options.get("lower")]
        rights = [*self.by, self.on]
        differ = any(batch.schema.field(a).type != self.table.schema.field(b).type for a, b in zip(lefts, rights))
        index = None if differ else self._index  # which compares as its own type does
        return _JOINS[name](batch, self.table, **options, index=index)

    def looked_up(self, lookup: str, batch: Any, column: str, named: str) -> Any:
        """A batch with the answers of a lookup."""
        size = len(batch)
        if self._index is None:  # no keys
            found: Any = (
                np.full(size, -1) if lookup == "find" else np.zeros(size, bool if lookup == "contains" else int)
            )
        else:
            answers = getattr(self._index.index, lookup)(batch.column(column))
            found = np.asarray(answers.fill_null(False if lookup == "contains" else -1))
        if lookup == "find":
            rows = self._rows if len(self._rows) else np.zeros(1, np.int64)
            return batch.append_column(named, pyarrow.array(np.where(found < 0, -1, rows[found]), mask=found < 0))
        return batch.append_column(named, pyarrow.array(found if lookup == "contains" else np.maximum(found, 0)))


def _indexed(table: Any, on: str, by: list[str], spec: str, device: str) -> Any:
    """The index over a table; None if one index cannot serve joins with it, or there are no keys."""
    if len(by) > 1:
        return None
    return Over((*by, on), spec).built(table, {"device": device, "threads": 0, "index": None})


def _fetched(refs: list[Any], path: str | None) -> Any:
    """The table of a side: from the object store, or from its file if the store has lost it."""
    try:
        return ray.get(refs[0])
    except ray.exceptions.RayError:
        if path is None:
            raise
        return _read(pathlib.Path(path))


def _read(path: pathlib.Path) -> Any:
    with pyarrow.memory_map(str(path)) as source:
        return pyarrow.ipc.open_file(source).read_all()


def _written(table: Any, path: pathlib.Path) -> None:
    with pyarrow.OSFile(str(path), "wb") as to, pyarrow.ipc.new_file(to, table.schema) as writer:
        writer.write_table(table)


class _Copy:
    """A worker that has all right rows. References in its arguments are not resolved, so that it can restart."""

    def __init__(self, refs: list[Any], path: str | None, about: _About, run: Any) -> None:
        table = _fetched(refs, path)
        try:
            built = ray.get(refs[1]) if len(refs) > 1 else None
        except ray.exceptions.RayError:
            built = None
        self._side, self._run = _Side(table, *about, built=built), run

    def __call__(self, batch: Any) -> Any:
        return self._run(self._side, batch)


class _Shard:
    """An actor that has the right rows between two borders."""

    def __init__(self, refs: list[Any], path: str | None, about: _About) -> None:
        self._side = _Side(_fetched(refs, path), *about)

    def run(self, asked: Any, batch: Any) -> Any:
        return asked(self._side, batch)

    def size(self) -> int:
        return len(self._side.table)


class _Router:
    """A worker that sends the rows of each batch to their shards, and brings the answers into the order of the batch."""

    def __init__(self, shards: list[Any], borders: Any, column: str, run: Any) -> None:
        self._shards, self._column, self._run = shards, column, run
        self._borders = Index(borders, "AO+BS") if len(borders) else None

    def __call__(self, batch: Any) -> Any:
        numbers = np.zeros(len(batch), np.int64)
        if self._borders is not None:
            numbers = np.asarray(self._borders.upper_bound(batch.column(self._column)).fill_null(0))
        marked = batch.append_column(_ROW, pyarrow.array(np.arange(len(batch))))
        wanted = np.unique(numbers).tolist() or [0]
        asked = [(one, self._shards[one].run.remote(self._run, marked.filter(numbers == one))) for one in wanted]
        parts = []
        for number, ref in asked:
            try:
                parts.append(ray.get(ref))
            except ray.exceptions.RayActorError as why:
                raise Error(f"shard {number} of {len(self._shards)} is gone: {str(why).splitlines()[0]}") from None
        made = pyarrow.concat_tables(parts)
        order = np.argsort(made.column(_ROW).to_numpy(), kind="stable")
        return made.take(order).drop_columns([_ROW])


def _measured(block: Any) -> tuple[int, int]:
    return len(block), block.nbytes


def _sample(block: Any, column: str) -> Any:
    values = block.column(column).drop_null()
    places = np.random.default_rng(len(values)).integers(0, max(len(values), 1), min(len(values), _SAMPLE))
    return values.take(places)


def _split(block: Any, first: int, borders: Any, column: str) -> Any:
    """The rows of a block for each shard, with their positions among all."""
    marked = block.append_column(_ROW, pyarrow.array(np.arange(first, first + len(block))))
    numbers = np.zeros(len(block), np.int64)
    if len(borders):
        numbers = np.asarray(Index(borders, "AO+BS").upper_bound(block.column(column)).fill_null(0))
    pieces = [marked.filter(numbers == one) for one in range(len(borders) + 1)]
    return pieces if len(pieces) > 1 else pieces[0]


def _whole(*pieces: Any) -> Any:
    return pyarrow.concat_tables(pieces)


def _ends(table: Any, on: str) -> tuple[Any, Any]:
    """The first and the last row of the least key, and those of the greatest one."""
    from pyarrow import compute

    keys = table.column(on)
    if len(keys) == keys.null_count:
        return table.slice(0, 0), table.slice(0, 0)
    found = []
    for key in compute.min_max(keys).values():
        rows = np.flatnonzero(np.asarray(compute.equal(keys, key).fill_null(False)))
        found.append(table.take(np.unique(rows[[0, -1]])))
    return found[0], found[1]


def _between(ends: list[tuple[Any, Any]], number: int, table: Any) -> Any:
    """A shard with the nearest rows of its neighbours, among which an as-of join may find the nearest key."""
    below = [great for _, great in ends[:number] if len(great)]
    above = [least for least, _ in ends[number + 1 :] if len(least)]
    return pyarrow.concat_tables([*below[-1:], table, *above[:1]])


@public_methods("close", held="")
class RayIndex:
    """Right rows of a Dataset and an index over them, which the functions of this module search. It is a context manager;
    after `close` no actor and no object of it is left.

    >>> import ray
    >>> ray.init(num_cpus=1, log_to_driver=False, include_dashboard=False) and None
    >>> quotes = ray.data.from_items([{"ts": 1, "bid": 10}, {"ts": 5, "bid": 50}])
    >>> with build(quotes, on="ts") as index:
    ...     found = join_asof(ray.data.from_items([{"ts": 4}]), index, on="ts").take_all()
    >>> found
    [{'ts': 4, 'bid': 10}]
    """

    def __init__(self, about: dict[str, Any], refs: list[Any], paths: list[str | None], num_gpus: float) -> None:
        self.on, self.by, self.placement = about["on"], about["by"], about["placement"]
        self._about, self._refs, self._paths, self._num_gpus = about, refs, paths, num_gpus
        self._closed = False
        self._shards: list[Any] = []
        self._built: list[Any] = []  # the index that workers on the host share
        if self.placement == "range":
            actor = ray.remote(num_cpus=0, num_gpus=num_gpus, max_restarts=_DEATHS - 1, max_task_retries=-1)(_Shard)
            self._shards = [actor.remote([ref], path, self._held()) for ref, path in zip(refs, paths)]
        elif not num_gpus:
            indexed = ray.remote(lambda table, *held: _indexed(table.drop_columns([_ROW]), *held))
            self._built = [indexed.remote(refs[0], *self._held())]

    def _held(self) -> _About:
        device = "cuda" if self._num_gpus else "cpu"
        return self.on, self.by, self._about["spec"], device

    def __enter__(self) -> RayIndex:
        return self

    def __exit__(self, *why: Any) -> None:
        self.close()

    def _expect_open(self) -> None:
        if self._closed:
            raise InvalidArgument("the index is closed")

    def close(self) -> None:
        """Ends its actors and gives back its objects.

        >>> import ray
        >>> index = build(ray.data.from_items([{"ts": 1}]), on="ts")
        >>> index.close()
        >>> index.explain()
        Traceback (most recent call last):
        warpdex._errors.InvalidArgument: the index is closed
        """
        for shard in self._shards:
            ray.kill(shard)
        self._shards, self._refs, self._built, self._closed = [], [], [], True

    def explain(self) -> str:
        """What is where.

        >>> import ray
        >>> print(build(ray.data.from_items([{"ts": 1}]), on="ts").explain())
        AO+BS over ts: replicate, 1 rows in the object store
        """
        self._expect_open()
        over = ", ".join([*self.by, self.on])
        head = f"{self._about['spec']} over {over}: {self.placement}"
        if not self._shards:
            return f"{head}, {self._about['rows']} rows in the object store"
        sizes = ray.get([shard.size.remote() for shard in self._shards])
        lines = [f"shard {number}: {size} rows" for number, size in enumerate(sizes)]
        return "\n".join([f"{head}, {self._about['rows']} rows in {len(self._shards)} actors", *lines])

    def save(self, folder: str | pathlib.Path) -> None:
        """Writes a folder that `load` reads. Workers that lose their rows read them there from then on.

        >>> import ray
        >>> build(ray.data.from_items([{"ts": 1}]), on="ts").save("quotes")
        >>> load("quotes").explain()
        'AO+BS over ts: replicate, 1 rows in the object store'
        """
        self._expect_open()
        to = pathlib.Path(folder).resolve()
        to.mkdir(parents=True, exist_ok=True)
        for number, ref in enumerate(self._refs):
            _written(ray.get(ref), to / f"{number}.arrow")
            self._paths[number] = str(to / f"{number}.arrow")
        _written(pyarrow.table({"borders": self._about["borders"]}), to / "borders.arrow")
        about = {name: value for name, value in self._about.items() if name != "borders"}
        (to / "manifest.json").write_text(json.dumps({**about, "files": len(self._refs)}))

    def _mapped(self, left: Any, run: Any, column: str, concurrency: Any) -> Any:
        self._expect_open()
        how = {"batch_format": "pyarrow", "batch_size": _BATCH, "zero_copy_batch": True}
        how["concurrency"] = concurrency or (1, max(int(ray.cluster_resources().get("CPU", 1)) // 2, 1))
        if self.placement == "range":
            arguments: tuple[Any, ...] = self._shards, self._about["borders"], column, run
            return left.map_batches(_Router, fn_constructor_args=arguments, num_cpus=0, **how)
        arguments = [self._refs[0], *self._built], self._paths[0], self._held(), run
        return left.map_batches(_Copy, fn_constructor_args=arguments, num_gpus=self._num_gpus or None, **how)


def _expect_dataset(data: Any, name: str) -> None:
    if not isinstance(data, ray.data.Dataset):
        raise KeyTypeError(f"{name} is {type(data).__name__}; it must be a Dataset of Ray")


def _expect_names(wanted: list[str], known: list[str], name: str) -> None:
    """Checks that a Dataset has some columns."""
    if unknown := [one for one in wanted if one not in known]:
        raise InvalidArgument(f"{name} has no column {unknown[0]!r}; there are {', '.join(map(repr, known))}")


def _expect_ray(num_gpus: float, actors: int) -> None:
    """Checks what a build would otherwise wait for."""
    if not ray.is_initialized():
        raise InvalidArgument("Ray is not started; ray.init() starts it")
    have = ray.cluster_resources().get("GPU", 0)
    if num_gpus * actors > have:
        raise InvalidArgument(f"num_gpus is {num_gpus} for {actors} actors, but Ray has {have:g} GPUs")


@public
def build(
    data: Any,
    on: str,
    by: str | list[str] | None = None,
    *,
    spec: str = "auto",
    placement: str = "auto",
    shards: int = 2,
    columns: list[str] | None = None,
    num_gpus: float = 0,
) -> RayIndex:
    """Builds an index over the columns `by` and `on` of a Dataset, which is run. `columns` are what joins add, by default
    all. With placement="replicate" each worker searches a copy of the rows, which a host has once; with "range" each of
    `shards` actors has those between two borders of its first column. `auto` replicates up to 256 MiB. With `num_gpus`
    each worker or actor has its index on that part of a GPU.

    >>> import ray
    >>> quotes = ray.data.from_items([{"ts": 1, "symbol": "A"}, {"ts": 5, "symbol": "B"}])
    >>> build(quotes, "ts", "symbol", placement="range").explain().splitlines()[0]
    'AO+BS over symbol, ts: range, 2 rows in 2 actors'
    """
    _expect_dataset(data, "data")
    if placement not in _PLACEMENTS:
        raise InvalidArgument(f"placement is {placement!r}; it must be one of {', '.join(map(repr, _PLACEMENTS))}")
    if shards < 1:
        raise InvalidArgument(f"shards is {shards}; there is one at least")
    groups = [] if by is None else [by] if isinstance(by, str) else list(by)
    known = data.schema().names if data.schema() is not None else []
    wanted = {*groups, on, *(known if columns is None else columns)}
    _expect_names(sorted(wanted), known, "data")
    _expect_ray(num_gpus, shards if placement == "range" else 1)
    blocks = data.select_columns([name for name in known if name in wanted]).to_arrow_refs()
    measure = ray.remote(_measured)
    measured = ray.get([measure.remote(block) for block in blocks])
    sizes = [rows for rows, _ in measured]
    if placement == "auto":
        placement = "replicate" if sum(taken for _, taken in measured) <= _REPLICATED else "range"
    about = {"on": on, "by": groups, "spec": "AO+BS" if spec == "auto" else spec, "placement": placement}
    column = groups[0] if groups else on
    borders = _borders(blocks, column, shards) if placement == "range" else pyarrow.nulls(0)
    refs = _dealt(blocks, sizes, borders, column, on if not groups else None)
    return RayIndex({**about, "rows": sum(sizes), "borders": borders}, refs, [None] * len(refs), num_gpus)


def _borders(blocks: list[Any], column: str, shards: int) -> Any:
    """Values between which shards are, all different."""
    if not blocks:
        return pyarrow.nulls(0)
    sample = ray.remote(_sample)
    parts = ray.get([sample.remote(one, column) for one in blocks])
    ordered = pyarrow.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type).sort()
    if len(ordered) == 0:
        return pyarrow.nulls(0)
    places = [len(ordered) * one // shards for one in range(1, shards)]
    return ordered.take(places).unique()


def _dealt(blocks: list[Any], sizes: list[int], borders: Any, column: str, nearest_of: str | None) -> list[Any]:
    """References to the rows of each shard.

    @param nearest_of the key by which a shard also has the nearest rows of its neighbours; None within groups
    """
    count = len(borders) + 1
    split = ray.remote(num_returns=count)(_split)
    firsts = np.cumsum([0, *sizes[:-1]]).tolist() if sizes else []
    pieces = [split.remote(block, first, borders, column) for block, first in zip(blocks, firsts)]
    rows = [[piece] if count == 1 else piece for piece in pieces]
    whole = ray.remote(_whole)
    tables = [whole.remote(*[piece[number] for piece in rows]) for number in range(count)]
    if nearest_of is None or count == 1:
        return tables
    ends = ray.get([ray.remote(_ends).remote(table, nearest_of) for table in tables])
    between = ray.remote(_between)
    return [between.remote(ends, number, table) for number, table in enumerate(tables)]


@public
def load(folder: str | pathlib.Path, num_gpus: float = 0) -> RayIndex:
    """Reads a folder that `RayIndex.save` wrote. All hosts must see it.

    >>> import ray
    >>> build(ray.data.from_items([{"ts": 1}]), on="ts").save("some")
    >>> load("some").on
    'ts'
    """
    at = pathlib.Path(folder).resolve()
    if not (at / "manifest.json").exists():
        raise InvalidArgument(f"folder is {str(folder)!r}, in which there is no manifest.json")
    about = json.loads((at / "manifest.json").read_text())
    _expect_ray(num_gpus, about["files"])
    about["borders"] = _read(at / "borders.arrow").column("borders")
    paths = [str(at / f"{number}.arrow") for number in range(about.pop("files"))]
    if missing := [path for path in paths if not pathlib.Path(path).exists()]:
        raise InvalidArgument(f"folder lacks the file of shard {paths.index(missing[0])}: {missing[0]}")
    refs = [ray.remote(lambda path: _read(pathlib.Path(path))).remote(path) for path in paths]
    return RayIndex(about, refs, list(paths), num_gpus)


class _Joined:
    """A join, as workers run it."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self._name, self._options = name, options

    def __call__(self, side: _Side, batch: Any) -> Any:
        return side.joined(self._name, batch, self._options)


class _LookedUp:
    """A lookup, as workers run it."""

    def __init__(self, lookup: str, column: str, named: str) -> None:
        self._lookup, self._column, self._named = lookup, column, named

    def __call__(self, side: _Side, batch: Any) -> Any:
        return side.looked_up(self._lookup, batch, self._column, self._named)


def _expect(left: Any, right: Any, names: list[str]) -> None:
    _expect_dataset(left, "left")
    if not isinstance(right, RayIndex):
        raise KeyTypeError(f"right is {type(right).__name__}; build() makes an index")
    right._expect_open()
    _expect_names(names, left.schema().names if left.schema() is not None else names, "left")


def _listed(names: str | list[str] | None, default: list[str]) -> list[str]:
    return default if names is None else [names] if isinstance(names, str) else list(names)


@public
def join(
    left: Any,
    right: RayIndex,
    on: str | None = None,
    how: str = "inner",
    *,
    left_on: str | None = None,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Any:
    """Joins a Dataset with the rows of an index on its key, as `warpdex.join`; `how` is inner, left, semi or anti. The result
    is a Dataset that runs when it is used.

    >>> import ray
    >>> names = build(ray.data.from_items([{"id": 1, "name": "Ada"}]), on="id")
    >>> join(ray.data.from_items([{"id": 1}, {"id": 2}]), names, "id").take_all()
    [{'id': 1, 'name': 'Ada'}]
    """
    if how not in ("inner", "left", "semi", "anti"):
        raise Unsupported(f"how is {how!r}; over a Dataset it is 'inner', 'left', 'semi' or 'anti'")
    key = str(left_on or on or getattr(right, "on", ""))
    _expect(left, right, [key])
    if right.by:
        raise Unsupported("the index is within groups; joins on equal keys need one without by")
    options = {"how": how, "left_on": key, "right_on": right.on, "suffix": suffix}
    return right._mapped(left, _Joined("join", options), key, concurrency)


@public
def join_asof(
    left: Any,
    right: RayIndex,
    on: str | None = None,
    *,
    left_on: str | None = None,
    by: str | list[str] | None = None,
    strategy: str = "backward",
    tolerance: Any = None,
    allow_exact_matches: bool = True,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Any:
    """Joins each row of a Dataset with the row of an index whose key is nearest, as `warpdex.join_asof`. `by` names the left
    columns of groups, by default those of the index.

    >>> import ray
    >>> quotes = build(ray.data.from_items([{"ts": 1, "s": "A", "bid": 10}]), on="ts", by="s")
    >>> join_asof(ray.data.from_items([{"ts": 3, "s": "A"}]), quotes).take_all()
    [{'ts': 3, 's': 'A', 'bid': 10}]
    """
    key = str(left_on or on or getattr(right, "on", ""))
    groups = _listed(by, getattr(right, "by", []))
    _expect(left, right, [*groups, key])
    if len(groups) != len(right.by):
        raise InvalidArgument(f"by names {len(groups)} columns; the index has {len(right.by)}")
    options = {"left_on": key, "right_on": right.on, "strategy": strategy, "tolerance": tolerance, "suffix": suffix}
    options |= {"allow_exact_matches": allow_exact_matches}
    if groups:
        options |= {"by_left": groups, "by_right": right.by}
    return right._mapped(left, _Joined("join_asof", options), groups[0] if groups else key, concurrency)


@public
def join_between(
    left: Any,
    right: RayIndex,
    lower: str,
    upper: str,
    closed: str = "both",
    how: str = "inner",
    *,
    by: str | list[str] | None = None,
    suffix: str = "_right",
    concurrency: Any = None,
) -> Any:
    """Joins each row of a Dataset with the rows of an index whose key is between its columns `lower` and `upper`, as
    `warpdex.join_between`. Of an index in shards, groups must be given: a range may meet several.

    >>> import ray
    >>> events = build(ray.data.from_items([{"at": 3}, {"at": 12}]), on="at")
    >>> join_between(ray.data.from_items([{"begin": 0, "end": 10}]), events, "begin", "end").take_all()
    [{'begin': 0, 'end': 10, 'at': 3}]
    """
    groups = _listed(by, getattr(right, "by", []))
    _expect(left, right, [*groups, lower, upper])
    if right.placement == "range" and not groups:
        raise Unsupported("ranges without by need placement='replicate'")
    options: dict[str, Any] = {"on": right.on, "lower": lower, "upper": upper, "closed": closed, "how": how}
    options |= {"suffix": suffix}
    if groups:
        options |= {"by_left": groups, "by_right": right.by}
    return right._mapped(left, _Joined("join_between", options), groups[0] if groups else lower, concurrency)


@public
def lookup(left: Any, right: RayIndex, on: str | None = None, what: str = "find", *, named: str = "row") -> Any:
    """Adds to a Dataset what a lookup of its column `on` answers: the first row, whether there is one, or how many. `what`
    is find, contains or count.

    >>> import ray
    >>> ids = build(ray.data.from_items([{"id": 7}, {"id": 9}]), on="id")
    >>> lookup(ray.data.from_items([{"id": 9}, {"id": 8}]), ids).take_all()
    [{'id': 9, 'row': 1}, {'id': 8, 'row': None}]
    """
    if what not in _LOOKUPS:
        raise InvalidArgument(f"what is {what!r}; it must be one of {', '.join(map(repr, _LOOKUPS))}")
    key = str(on or getattr(right, "on", ""))
    _expect(left, right, [key])
    if right.by:
        raise Unsupported("the index is within groups; lookups need one without by")
    return right._mapped(left, _LookedUp(what, key, named), key, None)
