# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What the workers, actors and tasks of `warpdex.ray` run."""

from __future__ import annotations

import hashlib
import pathlib
from typing import Any, NamedTuple

import numpy as np

from ..columns.values import extra
from ..errors import Error, FileError, FormatError, InvalidArgument
from ..joins import join, window
from ..lookups.asking import arguments
from ..lookups.origin import Checked
from ..lookups.grouped import GroupedIndex
from ..lookups.index import Index

ray = extra("ray")
pyarrow = extra("pyarrow")

ROW = "__warpdex_row"  # the position of a row: of a right one among all, of a left one in its batch
_SAMPLE = 1 << 12  # values per block from which borders come
_JOINS: dict[str, Any] = {"join": join.join, "join_asof": join.join_asof, "join_between": join.join_between}


class About(NamedTuple):
    """What an index is over, and where."""

    on: str
    by: list[str]
    spec: str
    device: str


def indexed(table: Any, about: About) -> Checked | None:
    """The index over a table; None if the type of its keys is not known."""
    columns = arguments([table.column(name) for name in (*about.by, about.on)])
    if any(pyarrow.types.is_null(table.field(name).type) for name in (*about.by, about.on)):
        return None
    result: Any = (
        GroupedIndex(columns[0], columns[1], about.spec, about.device)
        if about.by
        else Index(columns[0], about.spec, device=about.device)
    )
    return Checked(result, result._core.version)


class Side:
    """Right rows, and an index over them that serves all batches of one process."""

    def __init__(self, table: Any, about: About, stored: Any = None) -> None:
        """@param stored what `stored_index` made of all rows; by default the index is built here"""
        self.table, self._about = table.drop_columns([ROW]), about
        self._rows = table.column(ROW)
        self._is_whole = stored is not None
        self._index = indexed(self.table, about) if stored is None else _restored(stored, about)

    def joined(self, name: str, batch: Any, options: dict[str, Any]) -> Any:
        """What a join makes of a batch."""
        if name == "window":  # which makes its own index
            return window.window(batch, self.table, **options)
        lefts = [*options.get("by_left", []), options["left_on"] if "left_on" in options else options.get("lower")]
        rights = [*self._about.by, self._about.on]
        differ = any(batch.schema.field(a).type != self.table.schema.field(b).type for a, b in zip(lefts, rights))
        index = None if differ else self._index  # which compares as its own type does
        return _JOINS[name](batch, self.table, **options, index=index)

    def looked_up(self, lookup: str, batch: Any, keys: list[str], named: str) -> Any:
        """A batch with the answers of a lookup."""
        if named in batch.schema.names:
            raise InvalidArgument(f"named is {named!r}, which is a column of left")
        probes = [batch.column(name) for name in keys]
        if self._index is None:  # no keys
            found = pyarrow.nulls(len(batch), pyarrow.int32())
        else:
            find = getattr(self._index.index, lookup)
            if not len(batch):  # whose types count all the same
                find(*arguments([pyarrow.nulls(1, column.type) for column in probes]))
            found = find(*arguments(probes))
        if lookup == "find":
            return batch.append_column(named, found.cast(pyarrow.int64()) if self._is_whole else self._rows.take(found))
        kind = pyarrow.bool_() if lookup == "contains" else found.type
        return batch.append_column(named, found.cast(kind).fill_null(pyarrow.scalar(0).cast(kind)))


class Joined:
    """A join, as workers run it."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self._name, self._options = name, options

    def __call__(self, side: Side, batch: Any) -> Any:
        return side.joined(self._name, batch, self._options)


class LookedUp:
    """A lookup, as workers run it."""

    def __init__(self, lookup: str, keys: list[str], named: str) -> None:
        self._lookup, self._keys, self._named = lookup, keys, named

    def __call__(self, side: Side, batch: Any) -> Any:
        return side.looked_up(self._lookup, batch, self._keys, self._named)


class Saved(NamedTuple):
    """A table in a file of a folder."""

    what: str
    path: pathlib.Path
    checksum: str


def checksum_of(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read(file: Saved) -> Any:
    """The table of a file, whose bytes are those that were written."""
    if not file.path.is_file():
        raise FileError(f"folder lacks {file.what}: {file.path}")
    try:
        if checksum_of(file.path) != file.checksum:
            raise FormatError(
                f"{file.what} is damaged, or that of another index: {file.path}: its checksum is another one"
            )
        with pyarrow.memory_map(str(file.path)) as source:
            return pyarrow.ipc.open_file(source).read_all()
    except pyarrow.ArrowException as why:
        raise FormatError(f"{file.what} is damaged: {file.path}: {str(why).splitlines()[0]}") from None
    except OSError as why:
        raise FileError(f"{file.what} cannot be read: {file.path}: {why}") from None


def written(table: Any, path: pathlib.Path) -> str:
    """Writes a table. @return the checksum of the file"""
    with pyarrow.OSFile(str(path), "wb") as to, pyarrow.ipc.new_file(to, table.schema) as writer:
        writer.write_table(table)
    return checksum_of(path)


def _fetched(refs: list[Any], file: Saved | None) -> Any:
    """The table of a side: from the object store, or from its file if the store has lost it."""
    try:
        return ray.get(refs[0])
    except ray.exceptions.RayError:
        if file is None:
            raise
        return read(file)


def run_with_copy(batch: Any, refs: list[Any], file: Saved | None, about: About, run: Any) -> Any:
    """Runs a batch with all right rows, which the processes of a host share, and so their index. References in arguments
    are not resolved, so that the task can be repeated.

    @param refs the rows, and what `stored_index` made of them
    """
    table = _fetched(refs, file)
    try:
        stored = ray.get(refs[1])
    except ray.exceptions.RayError:
        stored = None
    return run(Side(table, about, stored), batch)


class Copy:
    """A worker that has all right rows, and its own index over them.

    @param made what makes of rows the side that `run` takes
    """

    def __init__(self, refs: list[Any], file: Saved | None, make: Any, run: Any) -> None:
        self._side, self._run = make(_fetched(refs, file)), run

    def __call__(self, batch: Any) -> Any:
        return self._run(self._side, batch)


class Shard:
    """An actor that has the right rows between two borders."""

    def __init__(self, refs: list[Any], file: Saved | None, about: About) -> None:
        self._side = Side(_fetched(refs, file), about)

    def run(self, query: Any, batch: Any) -> Any:
        return query(self._side, batch)

    def size(self) -> int:
        return len(self._side.table)


def answers_of(query: list[tuple[int, Any]], shards: int) -> list[Any]:
    """What some of the shards answer. @param asked their numbers, and references to the answers"""
    found = []
    for number, ref in query:
        try:
            found.append(ray.get(ref))
        except ray.exceptions.RayActorError as why:
            raise Error(f"shard {number} of {shards} is gone: {str(why).splitlines()[0]}") from None
    return found


def over_borders(borders: Any) -> Index | None:
    return Index(borders, "AO+BS") if len(borders) else None


def shards_of(values: Any, borders: Index | None) -> Any:
    """The number of the shard of each value."""
    if borders is None:
        return np.zeros(len(values), np.int64)
    return np.asarray(borders.upper_bound(values).fill_null(0))


def ascending(values: Any) -> Any:
    """Which of some values are greater than as many others as are before them: all, if they ascend."""
    index = over_borders(values)
    return np.ones(0, bool) if index is None else np.asarray(index.lower_bound(values)) == np.arange(len(values))


class Router:
    """A worker that sends the rows of a batch to their shards, and brings the answers into the order of the batch."""

    def __init__(self, shards: list[Any], borders: Any, column: str, run: Any) -> None:
        self._shards, self._column, self._run = shards, column, run
        self._borders = over_borders(borders)

    def __call__(self, batch: Any) -> Any:
        numbers = shards_of(batch.column(self._column), self._borders)
        marked = batch.append_column(ROW, pyarrow.array(np.arange(len(batch))))
        wanted = np.unique(numbers).tolist() or [0]
        query = [
            (number, self._shards[number].run.remote(self._run, marked.filter(numbers == number))) for number in wanted
        ]
        parts = answers_of(query, len(self._shards))
        result = pyarrow.concat_tables(parts)
        order = np.argsort(result.column(ROW).to_numpy(), kind="stable")
        return result.take(order).drop_columns([ROW])


# Tasks.


def stored_index(table: Any, about: About) -> Any:
    """The bytes of the index over a table, which processes share; None if there is no such index."""
    result = indexed(table.drop_columns([ROW]), about)
    return None if result is None else np.frombuffer(result.index.to_bytes(), np.uint8)


def _restored(stored: Any, about: About) -> Checked:
    result: Any = (GroupedIndex if about.by else Index)._trusted(stored)
    return Checked(result, result._core.version)


def measured(block: Any) -> tuple[int, int, Any]:
    return len(block), block.nbytes, block.schema


def border_type(kind: Any) -> Any:
    """The type of the borders between values, which Arrow sorts."""
    if pyarrow.types.is_dictionary(kind):
        return border_type(kind.value_type)
    return pyarrow.float32() if pyarrow.types.is_float16(kind) else kind


def sample(block: Any, column: str, kind: Any) -> Any:
    values = block.column(column).drop_null()
    positions = np.random.default_rng(len(values)).integers(0, max(len(values), 1), min(len(values), _SAMPLE))
    return values.take(positions).cast(kind)


def split(block: Any, first: int, borders: Any, column: str) -> Any:
    """The rows of a block for each shard, with their positions among all."""
    marked = block.append_column(ROW, pyarrow.array(np.arange(first, first + len(block))))
    numbers = shards_of(block.column(column), over_borders(borders))
    pieces = [marked.filter(numbers == number) for number in range(len(borders) + 1)]
    return pieces if len(pieces) > 1 else pieces[0]


def whole(*pieces: Any) -> Any:
    """One table, each of whose columns is in one piece, so that workers share it."""
    return pyarrow.concat_tables(pieces, promote_options="permissive").combine_chunks()


def ends(table: Any, on: str) -> tuple[Any, Any]:
    """The first and the last row of the least key, and those of the greatest one."""
    keys = table.column(on)
    if len(keys) == keys.null_count:
        return table.slice(0, 0), table.slice(0, 0)
    index = Index(keys, "AO+BS")
    last = len(index) - 1
    least, greatest = index.count(keys.take(index.rows_at([0, last]))).to_pylist()
    rows = index.rows_at([0, least - 1, last + 1 - greatest, last])
    return table.take(np.unique(rows[:2])), table.take(np.unique(rows[2:]))


def between(ends: list[tuple[Any, Any]], number: int, table: Any) -> Any:
    """A shard with the nearest rows of its neighbours, among which an as-of join may find the nearest key."""
    below = [great for _, great in ends[:number] if len(great)]
    above = [least for least, _ in ends[number + 1 :] if len(least)]
    return whole(*below[-1:], table, *above[:1])


def examined(table: Any, file: Saved, number: int, borders: Any, keys: list[str], rows: int) -> tuple[Any, int]:
    """The columns of a shard that was read, and how many rows are its own; others are the nearest of its neighbours.

    @param keys the columns of groups, and that of the index @param rows of all shards @throws FormatError
    """
    schema = table.schema
    if lacking := [name for name in (*keys, ROW) if schema.names.count(name) != 1]:
        raise FormatError(f"{file.what} has no column {lacking[0]!r}: {file.path}")
    if borders.type != border_type(schema.field(keys[0]).type):
        raise FormatError(f"{file.what} has other keys than the file of borders: {file.path}")
    column = table.column(ROW)
    if column.type != pyarrow.int64() or column.null_count:
        raise FormatError(f"{file.what} has rows without a number: {file.path}")
    are_own = shards_of(table.column(keys[0]), over_borders(borders)) == number
    numbers = column.to_numpy()
    own = numbers[are_own]
    if len(keys) > 1 and len(own) != len(numbers):
        raise FormatError(f"{file.what} has keys beyond its borders: {file.path}")
    if ((numbers < 0) | (numbers >= rows)).any() or (own[1:] <= own[:-1]).any():
        raise FormatError(f"{file.what} has rows with wrong numbers: {file.path}")
    return schema.remove(schema.get_field_index(ROW)).remove_metadata(), len(own)
