# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How lookups run: columns become those of the core, which answers them piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.devices import stream_number
from ..columns.families import family_over
from ..columns.parts import family_of, halves, narrowed, wide_numbers
from ..columns.values import NUMBER_TYPES, in_type, read
from ..errors import Busy, InvalidArgument, KeyTypeError
from . import calls
from .calls import AsofHow, checked_out, type_shown

_CoreIndex = _core.Index


class Lookup(NamedTuple):
    """A row of the core's table of lookups."""

    number: int
    name: str
    takes: str  # keys, ranges or prefixes
    writes: tuple[str, ...]  # the kinds of its answers
    rounding: str  # what becomes of probes between two units of the index
    lists: bool
    needs_places: bool  # whether it has no answer to a null, in a kind of answers that knows no nulls


LOOKUPS = {row[1]: Lookup(*row) for row in _core.LOOKUPS}
_FIND = LOOKUPS["find"]
_RANKS = LOOKUPS["lower_bound"], LOOKUPS["upper_bound"]  # of the first entry in a range with a closed or an open bound

_Columns = tuple[Values, ...]  # what is looked up: a column of keys or of prefixes, or the two of ranges
_Opens = tuple[bool, bool]  # whether lower and upper bounds are open


def _without_words(column: Values) -> Values:
    """The same without dictionaries, for answers that are not those of words alone."""
    return column.changed(parts=column.plain().parts)


def _limits(key_type: str) -> tuple[int, int] | None:
    """The least and the greatest key of a type of integers; None for other types."""
    if key_type == "u128":
        return 0, 2**128 - 1
    dtype = np.dtype(NUMBER_TYPES.get(key_type, "f8"))
    return None if dtype.kind == "f" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def in_one_type(column: Values, key_type: str, side: int = 0, is_open: bool = False) -> Values:
    """Integers or times as keys of a type. Of probes those beyond it are misses. Of lower bounds (`side` is 1) those above
    it are, of upper ones (-1) those below it, and the others leave out no key. Open bounds become closed ones."""
    limits = _limits(key_type)
    assert limits is not None
    least, greatest = limits

    def inside(part: Part) -> Part:
        numbers = wide_numbers(part.column) if part.column.ndim == 2 else part.column.astype(object)
        misses = np.zeros(part.size, bool) if part.misses is None else part.misses
        if is_open:  # misses are beyond all keys, on the side where they leave out none
            numbers, misses = numbers + side * (~misses).astype(object), np.zeros(part.size, bool)
        if side >= 0:
            misses = misses | (numbers > greatest).astype(bool)
        if side <= 0:
            misses = misses | (numbers < least).astype(bool)
        held = np.clip(numbers, least, greatest)
        result = halves(held) if key_type == "u128" else held.astype(NUMBER_TYPES[key_type])
        return Part(result, part.size, part.nulls, misses if misses.any() else None)

    return column.changed(parts=[inside(part) for part in column.plain().parts])


def joined(column: Values, key_type: str) -> Values:
    """Probes of which no type of 64 bits holds all, as one part."""
    are_mixed = _are_mixed(column) and _limits(key_type) is not None
    return in_one_type(column, key_type) if are_mixed else column


def _are_mixed(column: Values) -> bool:
    """Whether a column has integers with a sign, and others that need 64 bits without one."""
    if column.place is not None or column.family != "integer":
        return False
    return len({part.column.dtype for part in column.parts}) > 1


def expect_places(columns: _Columns) -> None:
    """Checks that no probe is null, of a kind of columns whose answers cannot be."""
    if columns[0].nulls_are_known:
        return
    for column in columns:
        if (nulls := column.nulls()) is None:
            continue
        if column.place is not None:
            raise InvalidArgument("probes may be null, which has no place in the order")
        if nulls.any():
            raise InvalidArgument(f"{column.name}[{int(np.argmax(nulls))}] is null, which has no place in the order")


_OPENS = {"both": (False, False), "left": (False, True), "right": (True, False), "none": (True, True)}


def closed_word(closed: str) -> str:
    """What `closed` says, in which pandas says neither for none."""
    return "none" if closed == "neither" else closed


def opens_of(closed: str) -> _Opens:
    """Whether the lower bounds and the upper ones are open."""
    return _OPENS[closed_word(closed)]


_ReadOne = Callable[[Any, str, str, Any], Values]  # reads a column of a name, with a rounding, on a stream


def read_bound(
    read_one: _ReadOne, key_type: str, values: Any, name: str, is_open: bool, stream: Any
) -> tuple[Values, bool]:
    """Reads the `lower` bounds or the `upper` ones, so that those between two units of the keys stay in their places, and
    those beyond all keys beyond them; and says whether they still are open."""
    is_upper = name == "upper"
    bounds = _without_words(read_one(values, name, "up" if is_open == is_upper else "down", stream))
    if _limits(key_type) is not None and (_are_mixed(bounds) or (is_open and bounds.misses() is not None)):
        return in_one_type(bounds, key_type, -1 if is_upper else 1, is_open), False
    return bounds, is_open


def groups_of(groups: Any, family: str, name: str, stream: Any, size: int) -> Values:
    """Reads groups, of which one that callers give without a column is that of all probes. @param size their number"""
    is_one = _is_one(groups)
    if is_one and isinstance(groups, tuple) and family.startswith("tuple("):
        groups = tuple([value] for value in groups)
    column = read(groups, name, family, "equal", stream)
    if not is_one or column.size != 1 or size == 1:
        return column
    return column.changed(parts=[column.whole().take(np.zeros(size, np.int64))], size=size)


def _is_one(values: Any) -> bool:
    """Whether a caller gives one value, or of several columns one tuple of values."""
    if isinstance(values, tuple):
        return all(map(_is_one, values))
    return isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0


def integers(values: Any, name: str, stream: Any = None) -> Values:
    """Reads integers without nulls, as one part."""
    result = read(values, name, "integer", stream=stream)
    if result.family != "integer" or result.nulls() is not None:
        raise KeyTypeError(f"{name} has nulls or is of type {result.family}; it must be a column of integers")
    return result.changed(parts=[result.whole()])


def out_of(counts: np.ndarray, most: int) -> int:
    """The first of some integers that is not from 0 to `most`."""
    return int(counts[(counts < 0) | (counts > most)][0])


def where_of(device: int, columns: _Columns, call: Call) -> int:
    """Where a call runs: a stream, or on the host its most threads."""
    place = columns[0].place
    for column in columns[1:]:
        if (column.place is None) != (place is None):
            raise InvalidArgument("some columns are on a device, and others do not")
        if place is not None and column.place.stream != place.stream:
            _core.wait_for(place.device, place.stream, column.place.stream)
    if place is not None:
        return int(place.stream)
    if device >= 0:
        return stream_number(call.stream) or 0
    if call.stream is not None:
        raise InvalidArgument(f"stream is {call.stream!r}, but the index is on the CPU, which has none")
    return call.threads


def where_at(device: int, columns: _Columns, call: Call) -> int:
    """The same; columns on another device are refused."""
    for column in columns:
        if column.place is not None:
            libraries.expected(column, device)
    return where_of(device, columns, call)


def arguments(columns: Sequence[Any]) -> list[Any]:
    """Columns as a lookup takes them: that of probes, after those of groups, of which several are a tuple."""
    *groups, probes = columns
    return [*([tuple(groups)] if len(groups) > 1 else groups), probes]


class Searched:
    """What batchers, modules of Torch, DuckDB and Polars ask: an index, or one within groups."""

    _core: _CoreIndex
    _device: int  # -1 for the host
    _row_type: np.dtype[Any]

    @property
    def _column_types(self) -> list[tuple[str, str]]:
        """The family and the type of the core of each column that a lookup takes: those of groups, then that of keys."""
        raise NotImplementedError

    @property
    def _group_columns(self) -> int:
        return len(self._column_types) - 1

    def _columns_of(self, keys: list[Any]) -> tuple[Any, ...]:
        """The columns of a lookup of some keys, each of which may be a tuple."""
        raise NotImplementedError

    def _unchanged_since(self, version: int) -> AbstractContextManager[None]:
        """Holds the index for a part of a call that began when it had this version."""
        raise NotImplementedError

    @property
    def _kind_shown(self) -> str:
        """How many keys of which type it has."""
        raise NotImplementedError


class Asking(Searched):
    """An index of the core, and what all lookups in it have in common."""

    _key_type: str
    _family: str
    _is_tuple: bool  # whether keys are of several columns
    _quick: Any = None  # answers arrays and numbers of the keys' own type, if they are probes as they are
    _at_devices: dict[int, _CoreIndex]  # an index over several devices, for calls on each of them
    _borrowed: Any = None  # the keys of an index over those of a caller
    _fingerprint: int | None = None  # of the column over which it was built; None if that is unknown

    def _set(self, core: _CoreIndex, family: str | None) -> None:
        self._core = core
        self._device = core.device
        self._at_devices = {}
        _, keys, row_bytes, _, _ = core.describe()
        self._key_type = keys
        self._family = family_over(family_of(keys), family)
        self._is_tuple = self._family.startswith("tuple(")
        self._row_type = np.dtype(f"i{row_bytes}")
        plain = self._device < 0 and keys in NUMBER_TYPES and self._family in ("integer", "float")
        self._quick = core.quick if plain else None

    @property
    def _column_types(self) -> list[tuple[str, str]]:
        return [(self._family, self._key_type)]

    def _columns_of(self, keys: list[Any]) -> tuple[Any, ...]:
        return (tuple(list(column) for column in zip(*keys, strict=True)) if self._is_tuple else keys,)

    @property
    def _kind_shown(self) -> str:
        return f"{len(self)} {type_shown(self._family, self._key_type)} keys"

    @contextmanager
    def _unchanged_since(self, version: int) -> Iterator[None]:
        """Holds the index for a part of a call that began when it had this version."""
        with self._core:
            if self._core.version != version:
                raise Busy("the index was updated between two parts of one call")
            yield

    def __len__(self) -> int:
        return int(self._core.describe()[3])

    # Columns.

    def _read(self, values: Any, name: str, rounding: str = "exact", stream: Any = None) -> Values:
        """Reads a column of probes, of bounds or of keys. Those on a device must be on that of the index."""
        result = read(values, name, self._family, rounding, stream)
        if result.place is not None:
            libraries.expected(result, *(self._core.devices if self._device < 0 else [self._device]))
        elif self._key_type == "date":
            result.parts = [narrowed(part, name, rounding) for part in result.parts]
        return result

    def _ranks(self, ranks: Any, name: str, call: Call) -> tuple[Any, int, Values]:
        """Ranks as the core takes them, where the call runs, and the column of them."""
        values = integers(ranks, name, call.stream)
        where, column = self._where((values,), call), values.parts[0].column
        if values.place is None:
            return in_type(values.parts[0], "u64", name).column, where, values
        if column.type not in ("i8", "u8"):
            raise KeyTypeError(f"{name} has the type {column.type}; on a device ranks are integers of 64 bits")
        return column, where, values

    def _bounds(self, lower: Any, upper: Any, closed: str, stream: Any) -> tuple[_Columns, _Opens]:
        """Reads the bounds of both sides. Where one is None, ranges have none on that side: they reach to the last key."""
        opens = opens_of(closed)
        if lower is None or upper is None:
            if lower is upper:
                raise InvalidArgument("lower and upper are None, so that there is no range; one of them is a column")
            name, values, is_open = ("upper", upper, opens[1]) if lower is None else ("lower", lower, opens[0])
            bound, is_open = read_bound(self._read, self._key_type, values, name, is_open, stream)
            last = self._last_keys(bound, 0 if lower is None else -1)
            return ((last, bound), (False, is_open)) if lower is None else ((bound, last), (is_open, False))
        low, lower_open = read_bound(self._read, self._key_type, lower, "lower", opens[0], stream)
        high, upper_open = read_bound(self._read, self._key_type, upper, "upper", opens[1], stream)
        if low.size != high.size:
            raise InvalidArgument(f"lower has {low.size} values, upper {high.size}")
        return (low, high), (lower_open, upper_open)

    def _last_keys(self, like: Values, end: int) -> Values:
        """A column of the first key or the last one, as often as another column has rows; that one if there is no key."""
        if len(self) == 0 or like.size == 0:
            return like
        rank = len(self) + end if end else 0
        if like.place is not None:
            ranks, _ = libraries.target(None, np.int64, like.size, like.place)
            ranks[:] = rank
            wanted, where, query = self._ranks(ranks, "ranks", Call(stream=like.place.stream))
            keys = self._core_at((query,)).keys_at(wanted, where)
            return self._read(libraries.adopted(keys, query), like.name, stream=like.place.stream)
        part = Part(self._core.keys_at(np.full(like.size, rank, np.uint64), 0), like.size, like.nulls())
        return like.changed(parts=[part])

    def _where(self, columns: _Columns, call: Call) -> int:
        return where_of(self._device, columns, call)

    # Calls.

    def _core_at(self, columns: _Columns) -> _CoreIndex:
        """The index of the core for a call where its columns are: one over several devices is used from any of them."""
        place = columns[0].place
        if place is None or place.device == self._device:
            return self._core
        if place.device not in self._at_devices:
            self._at_devices[place.device] = self._core.at(place.device)
        return self._at_devices[place.device]

    def _target(self, kind: str, columns: _Columns, out: Any = None) -> tuple[Any, Any]:
        """The array for the answers of a kind, new or the caller's, and what the core sees of it."""
        dtype, first = self._core.type_of(kind), columns[0]
        if first.place is None and out is not None:
            out = checked_out(libraries.on_host(out, "out")[0], dtype, first.size, columns)
        return libraries.target(out, dtype, first.size, first.place)

    def _ask(self, what: Lookup, columns: _Columns, call: Call, opens: _Opens = (False, False)) -> Any:
        """Answers of a lookup in the kind of the probes, or what it wrote to `call.out`."""
        where, most, outs = self._where(columns, call), calls.piece_of(call), None
        if what.needs_places:
            expect_places(columns)
        if "position" in what.writes:  # which count from the first probe on
            most, columns = (
                columns[0].size,
                tuple(column.changed(parts=[joined(column, self._key_type).whole()]) for column in columns),
            )
        if call.out is not None or columns[0].place is not None:
            answers, outs = zip(*[self._target(kind, columns, call.out) for kind in what.writes])
        found = self._core_at(columns).ask(what.number, columns, outs, *opens, where, most, call.told)
        answers = found if outs is None else answers
        if what.writes[0] == "rank":
            self._beyond(what, columns, answers[0], call, opens)
        if call.out is not None:
            return call.out
        if len(answers) == 1:
            return _core.given(columns, answers[0], what.writes[0])
        return tuple(_core.given(columns, answer, kind) for answer, kind in zip(answers, what.writes))

    def _beyond(self, what: Lookup, columns: _Columns, ranks: Any, call: Call, opens: _Opens) -> None:
        """Writes the ranks of probes that are beyond all keys."""
        if all(column.misses() is None for column in columns):
            return
        if what.takes == "ranges":
            low = columns[0].changed(give=None)
            ranks[:] = self._ask(_RANKS[opens[0]], (low,), Call(threads=call.threads))
        else:
            ranks[columns[0].misses()] = len(self) if what.rounding == "up" else 0

    def _list(self, what: Lookup, columns: _Columns, call: Call, opens: _Opens = (False, False)) -> Any:
        """The rows of each probe: offsets, and all rows."""
        where = self._where(columns, call)
        found = self._core_at(columns).ask_lists(what.number, columns, *opens, where, calls.piece_of(call), call.told)
        return libraries.adopted(found, columns[0])

    def _pairs(
        self, columns: _Columns, how: str, call: Call, opens: _Opens = (False, False), asof: AsofHow | None = None
    ) -> Any:
        """Pairs of probes or ranges, and rows. @param asof how probes are matched with the nearest keys"""
        if asof is not None:
            columns = tuple(map(_without_words, columns))
        where = self._where(columns, call)
        found = self._core_at(columns).ask_pairs(columns, how, asof, *opens, where, calls.piece_of(call), call.told)
        return libraries.adopted(found, columns[0])

    def _asof(self, values: Values, how: AsofHow, call: Call) -> Any:
        """The row of the nearest key. @param how with the tolerance in units of the keys"""
        columns = (values,) if how.tolerances is None else (_without_words(values), how.tolerances)
        where, answers, out = self._where(columns, call), None, None
        if call.out is not None or values.place is not None:
            answers, out = self._target("row", columns, call.out)
        found = self._core_at(columns).ask_asof(columns, out, how, where, calls.piece_of(call), call.told)
        if call.out is not None:
            return call.out
        return _core.given(columns, found if out is None else answers, "row")

    def _found(self, values: Values, threads: int) -> np.ndarray:
        """The row of each probe as an array of NumPy, in which -1 means none or null."""
        answers: np.ndarray = self._ask(_FIND, (values.changed(give=None),), Call(threads=threads))
        return answers
