# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How an index is asked: piece by piece on the host, and at once on a device."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from . import _core, _device, _pieces
from ._columns import Column, Part, column_size, family_of, narrowed
from ._errors import Busy, InvalidArgument, Unsupported
from ._pieces import (
    Meter,
    absent_of,
    as_it_is,
    bits_of,
    checked_out,
    pairs_of_codes,
    pieces_of,
    rows_of_codes,
)
from ._values import NUMBER_TYPES, Values, read

_CoreIndex = _core.Index

# Families that files know only by a note; the type of their keys is that of plain numbers or strings.
_NOTED = re.compile(r"(M8|m8)\[\d*(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]( UTC| of day)?|bool|uuid")


def note_of(family: str) -> str:
    """What a file says of keys that are times, bools or UUIDs."""
    note = family.replace("datetime64", "M8").replace("timedelta64", "m8").replace("u128 uuid", "uuid")
    return note if _NOTED.fullmatch(note) else ""


def noted_family(note: str) -> str | None:
    """The family of a note; None for a note of others."""
    return note.replace("M8", "datetime64").replace("m8", "timedelta64") if _NOTED.fullmatch(note) else None


def _family_over(plain: str, noted: str | None) -> str:
    """The family of keys whose type has a plain family. Another note means nothing."""
    if noted is None or noted == plain:
        return plain
    if noted == "uuid":
        return {"string": noted, "u128": "u128 uuid"}.get(plain, plain)
    return noted if plain == "integer" or noted == f"{plain} uuid" else plain


# Probes on the host between two looks at signals, if the index is on a device: copies and searches overlap in them.
PIECE_FOR_DEVICES = 1 << 26


def given(probes: Values, answers: np.ndarray, none: Any, nulls: np.ndarray | None) -> Any:
    """Answers as their caller gets them: in the kind of the probes, where no row is null if that kind has nulls."""
    if none == -1 and probes.nulls_are_known and (found_none := answers == -1).any():
        nulls = found_none
    return probes.give(answers, nulls)


class Asking:
    """An index of the core, and what all lookups in it have in common."""

    _core: _CoreIndex
    _key_type: str
    _family: str
    _row_type: np.dtype[Any]
    _probe_type: np.dtype[Any] | None  # arrays of this type are probes as they are
    _device: int  # -1 for the host
    _fingerprint: int | None = None  # of the column over which it was built; None if that is unknown

    def _set(self, core: _CoreIndex, family: str | None) -> None:
        self._core = core
        self._device = core.device
        _, keys, row_bytes, _, _ = core.describe()
        self._key_type = keys
        self._family = _family_over(family_of(keys), family)
        self._row_type = np.dtype(f"i{row_bytes}")
        number = NUMBER_TYPES.get(keys)
        plain = self._device < 0 and self._family in ("integer", "float")
        self._probe_type = np.dtype(number) if number and plain else None

    @contextmanager
    def _unchanged_since(self, version: int) -> Iterator[None]:
        """Holds the index for a part of a call that began when it had this version."""
        with self._core:
            if self._core.version != version:
                raise Busy("the index was updated between two parts of one call")
            yield

    def __len__(self) -> int:
        return int(self._core.describe()[3])

    def _read(self, values: Any, name: str, rounding: str = "exact", stream: Any = None) -> Values:
        """Reads a column of probes, of bounds or of keys. Those on a device must be on that of the index."""
        library = _device.library_of(values)
        if library is None:
            made = read(values, name, self._family, rounding)
            made.name = name
            if self._key_type == "date":
                made.parts = [narrowed(part, name, rounding) for part in made.parts]
            return made
        found = library.read(values, name, _device.stream_number(stream))
        _device.expected(found, name, self._device, self._family)
        return Values(found.family, [Part(found.column, found.size)], found.size, as_it_is, False, found, name)

    def _where(self, columns: tuple[Values, ...], stream: Any, threads: int) -> int:
        """Where a call runs: a stream, or on the host its most threads."""
        if (found := columns[0].found) is not None:
            if any(column.found is None for column in columns):
                raise InvalidArgument("some columns lie on a device, and others do not")
            return found.place.stream
        if any(column.found is not None for column in columns):
            raise InvalidArgument("some columns lie on a device, and others do not")
        if self._device >= 0:
            return _device.stream_number(stream) or 0
        if stream is not None:
            raise InvalidArgument(f"stream is {stream!r}, but the index lies on the CPU, which has none")
        return threads

    def _pieces(self, columns: tuple[Values, ...]) -> Any:
        return pieces_of(columns, _pieces.PIECE if self._device < 0 else PIECE_FOR_DEVICES)

    def _ask_one(
        self,
        lookup: Any,
        dtype: Any,
        none: Any,
        probes: Any,
        rounding: str,
        out: Any,
        stream: Any,
        threads: int,
        progress: Any,
        nulls_fail: bool = False,
        beyond: Any = None,
    ) -> Any:
        """Asks with one column of probes."""
        if self._device >= 0 and (library := _device.library_of(probes)) is not None:
            found = library.read(probes, "probes", _device.stream_number(stream))
            _device.expected(found, "probes", self._device, self._family)
            return _device.ask(lookup, dtype, none, (found,), out, nulls_fail)
        columns = (self._read(probes, "probes", rounding, stream),)
        return self._ask(lookup, dtype, none, columns, out, stream, threads, progress, nulls_fail, beyond)

    def _ask(
        self,
        lookup: Any,
        dtype: Any,
        none: Any,
        columns: tuple[Values, ...],
        out: Any,
        stream: Any,
        threads: int,
        progress: Any = False,
        nulls_fail: bool = False,
        beyond: Any = None,
    ) -> Any:
        """Asks piece by piece. Null probes, and those that equal no key whatever the keys are, have the answer `none`; if
        given, the latter have the answer `beyond`."""
        size = columns[0].size
        if any(column.size != size for column in columns):
            raise InvalidArgument(f"{' and '.join(f'{c.name} has {c.size}' for c in columns)} values")
        where = self._where(columns, stream, threads)
        if columns[0].found is not None:
            on_device = tuple(column.found for column in columns if column.found is not None)
            return _device.ask(lookup, dtype, none, on_device, out, nulls_fail)
        answers = np.empty(size, dtype) if out is None else checked_out(out, dtype, size, columns)
        meter = Meter(progress, size)
        plain_nulls = nulls_fail and not columns[0].nulls_are_known
        nulls: np.ndarray | None = None
        looked_up: tuple[Column, np.ndarray] | None = None  # a dictionary and its answers
        at = 0
        for parts in self._pieces(columns):
            first = parts[0]
            part = answers[at : at + first.size]
            if first.codes is not None and len(parts) == 1:
                if looked_up is None or looked_up[0] is not first.column:
                    whole = Values(
                        "", [Part(first.column, column_size(first.column))], column_size(first.column), as_it_is
                    )
                    looked_up = first.column, self._ask(lookup, dtype, none, (whole,), None, stream, threads)
                if looked_up[1].size:
                    looked_up[1].take(first.codes, out=part, mode="clip")
                else:
                    part[:] = none
            else:
                lookup(*(p.plain().column for p in parts), part, where)
            for p, column in zip(parts, columns):
                if p.nulls is not None:
                    if plain_nulls:
                        raise InvalidArgument(
                            f"{column.name}[{at + int(np.argmax(p.nulls))}] is null, which has no place in the order"
                        )
                    nulls = np.zeros(size, bool) if nulls is None else nulls
                    nulls[at : at + first.size] |= p.nulls
                if p.misses is not None:
                    part[p.misses] = none if beyond is None else beyond
                if p.nulls is not None:
                    part[p.nulls] = none
            at += first.size
            meter.add(first.size)
        if out is not None:
            return out
        return given(columns[0], answers, none, nulls)

    def _is_plain(self, probes: Any, out: Any, stream: Any) -> bool:
        """Whether probes are an array that needs neither checks nor conversions."""
        return (
            type(probes) is np.ndarray
            and probes.dtype is self._probe_type
            and out is None
            and stream is None
            and probes.ndim == 1
            and probes.size < _pieces.PIECE
            and probes.flags.c_contiguous
        )

    def _listed(
        self, lookup: Any, columns: tuple[Values, ...], stream: Any, threads: int, progress: Any = False
    ) -> tuple[Any, Any]:
        where = self._where(columns, stream, threads)
        if (found := columns[0].found) is not None:
            if any(column.found.valid is not None for column in columns if column.found is not None):
                raise Unsupported("null probes on a device have no lists of rows; join leaves them out")
            offsets, rows = lookup(*(column.parts[0].column for column in columns), where)
            return found.place.library.adopt(offsets, found.place), found.place.library.adopt(rows, found.place)
        all_counts: list[np.ndarray] = []
        all_rows: list[np.ndarray] = []
        meter = Meter(progress, columns[0].size)
        words: tuple[Column, tuple[np.ndarray, np.ndarray]] | None = None  # a dictionary, offsets and rows
        for parts in self._pieces(columns):
            first = parts[0]
            gone = absent_of(parts)
            if first.codes is not None and len(parts) == 1:
                if words is None or words[0] is not first.column:
                    words = first.column, lookup(first.column, where)
                counts, rows = rows_of_codes(*words[1], first.codes, gone)
            else:
                offsets, rows = lookup(*(p.plain().column for p in parts), where)
                counts = np.diff(offsets)
                if gone is not None:
                    rows = rows[np.repeat(~gone, counts)]
                    counts[gone] = 0
            all_counts.append(counts)
            all_rows.append(rows)
            meter.add(first.size)
        ends = np.zeros(columns[0].size + 1, np.int64)
        if not all_rows:
            return ends, np.empty(0, self._row_type)
        np.cumsum(np.concatenate(all_counts), out=ends[1:])
        return ends, all_rows[0] if len(all_rows) == 1 else np.concatenate(all_rows)

    def _asof_lookup(self, how: tuple[Any, ...]) -> Callable[[Column, Any, int], None]:
        """@param how (direction, exact, tolerance in units of the keys, later, last_below, last_above)"""

        def lookup(column: Column, answers: Any, where: int) -> None:
            self._core.join_asof(column, None, answers, how, where)

        return lookup

    def _plain_answers(self, lookup: Any, values: Values, threads: int, progress: Any = False) -> np.ndarray:
        """Rows as an array of NumPy, in which -1 means none or null."""
        plain = replace(values, give=as_it_is)
        answers: np.ndarray = self._ask(lookup, self._row_type, -1, (plain,), None, None, threads, progress)
        return answers

    def _joined(
        self, join: Any, columns: tuple[Values, ...], how: str, stream: Any, threads: int, progress: Any = False
    ) -> tuple[Any, Any]:
        where = self._where(columns, stream, threads)
        if (on_device := columns[0].found) is not None:
            given = [x for c in columns for x in (c.parts[0].column, c.found.valid if c.found else None)]
            pairs = join(*given, how, where)
            adopt = on_device.place.library.adopt
            # Pairs for which a device has no room come to the host.
            left, right = (p if isinstance(p, np.ndarray) else adopt(p, on_device.place) for p in pairs)
            return left, right
        lefts: list[np.ndarray] = []
        rights: list[np.ndarray] = []
        at = 0
        meter = Meter(progress, columns[0].size)
        words: tuple[Column, tuple[np.ndarray, np.ndarray]] | None = None  # a dictionary, offsets and rows
        for parts in self._pieces(columns):
            first = parts[0]
            if first.codes is not None and len(parts) == 1 and how in ("inner", "left", "semi", "anti"):
                if words is None or words[0] is not first.column:
                    words = first.column, self._core.retrieve(first.column, where)
                left, right = pairs_of_codes(*words[1], first.codes, absent_of(parts), how)
            else:
                given = [x for p in parts for x in (p.plain().column, bits_of(p.absent()))]
                left, right = join(*given, how, where)
            lefts.append(left if at == 0 else left.astype(np.int64) + at)
            rights.append(right)
            at += first.size
            meter.add(first.size)
        if not lefts:
            none = self._read([], "probes").parts[0].column
            left, right = join(*(x for _ in columns for x in (none, None)), how, where)
            return left, right
        if len(lefts) == 1:
            return lefts[0], rights[0]
        number = np.int32 if at <= np.iinfo(np.int32).max else np.int64
        return np.concatenate(lefts).astype(number, copy=False), np.concatenate(rights)
