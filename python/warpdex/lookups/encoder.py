# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Keys from other columns: tuples, and prefixes of numbers."""

from __future__ import annotations

import hashlib
import operator
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.families import shown_values
from ..columns.parts import Column, Keys, family_of, halves, keys_of, narrowed
from ..columns.values import in_type, read
from ..errors import InvalidArgument, KeyTypeError, reading, shown
from ..types import Closed
from .asking import integers, opens_of, out_of
from .border import Run, public, public_methods
from .calls import described
from .origin import loading


_TYPES = ("u32", "u64", "i32", "i64", "f32", "f64", "u128", "date", "timestamp", "bytes")


class Field(NamedTuple):
    """A field of a tuple."""

    type: str  # u32, u64, i32, i64, f32, f64, u128, date, timestamp (microseconds) or bytes
    descending: bool = False
    nullable: bool = False
    nulls_last: bool = False


@public_methods(held="index")
class KeyEncoder:
    """Makes keys of tuples, whose order is that of the tuples: by the first field, then by the second, and so on. Fields are
    names of types or `Field`s. Columns may be on a device, all of them.

    >>> places = KeyEncoder(["u32", "bytes"])
    >>> index = Index(places.encode([[49, 33, 49], ["Ulm", "Nice", "Bonn"]]))
    >>> index.find(places.encode([[49, 49], ["Bonn", "Kiel"]])).tolist()
    [2, -1]
    """

    def __init__(self, fields: Sequence[str | Field | tuple[Any, ...]]) -> None:
        if not isinstance(fields, (list, tuple)):
            raise KeyTypeError(f"fields is {shown(fields)}; it must be a list of names of types, or of Fields")
        for number, one in enumerate(fields):
            if (kind := one if isinstance(one, str) else next(iter(one), None)) not in _TYPES:
                raise KeyTypeError(f"fields[{number}] is {shown(kind)}; it must be one of {', '.join(_TYPES)}")
        self.fields = [Field(one) if isinstance(one, str) else Field(*one) for one in fields]
        with reading("fields"):
            self._core = _core.KeyEncoder([tuple(one) for one in self.fields])

    @classmethod
    def narrow(cls, fields: Sequence[str | Field | tuple[Any, ...]], columns: Any, **run: Unpack[Run]) -> KeyEncoder:
        """An encoder for the tuples of some columns, whose keys are integers of 64 bits in the order of the tuples: the
        number of all fields but the last, then that of the last. `points` and `ranges` make probes of an index over
        such keys. There are at least two fields; the last ascends and is not nullable.

        >>> columns = [["b", "a", "b"], [20, 10, 30]]
        >>> places = KeyEncoder.narrow(["bytes", "i64"], columns)
        >>> index = Index(places.encode(columns), "AO+BS")
        >>> index.find(places.points([["b", "a", "c"], [30, 11, 10]])).tolist()
        [2, -1, -1]
        >>> index.range_count(*places.ranges([["b", "a"]], lower=[10, 15])).tolist()
        [2, 0]
        """
        self = cls(fields)
        self._expect(columns, len(self.fields), "columns")
        parts, _, device, where = self._columns(columns, Call(**run))
        with reading("columns"):
            self._core = _core.KeyEncoder.narrow([tuple(one) for one in self.fields], parts, device, where)
        return self

    @classmethod
    def _over(cls, core: _core.KeyEncoder) -> KeyEncoder:
        self = cls.__new__(cls)
        self.fields, self._core = [Field(*one) for one in core.fields], core
        return self

    @cached_property
    def _family(self) -> str:
        """Of the keys: those of a narrow encoder are compared with those of its copies alone."""
        if not self._core.is_narrow:
            return family_of(self.type)
        return f"narrow({hashlib.blake2b(self._core.to_bytes(), digest_size=4).hexdigest()})"

    def _keys(self, column: Column, place: Any) -> Keys:
        """What the core made, as keys."""
        if place is not None and self.type == "u128":
            raise KeyTypeError("these tuples are keys of 16 bytes, which are made on the CPU")
        size = len(column[1]) - 1 if isinstance(column, tuple) else len(column)
        return keys_of(self._family, column, size, None if place is None else place.library.give, place)

    @classmethod
    def load(cls, path: str | bytes | os.PathLike[Any]) -> KeyEncoder:
        """Reads a file that `save` wrote, and checks it.

        >>> KeyEncoder(["u32", "bytes"]).save("some.wdx")
        >>> KeyEncoder.load("some.wdx")
        <warpdex.KeyEncoder of 2 fields, u32, bytes, bytes keys>
        """
        name = os.fsencode(path)
        with loading(name):
            return cls._over(_core.KeyEncoder.load(name))

    @classmethod
    def from_buffer(cls, stored: Any) -> KeyEncoder:
        """Reads the bytes of such a file, from any object that has a buffer.

        >>> KeyEncoder.from_buffer(KeyEncoder(["u32"]).to_bytes()).type
        'u32'
        """
        return cls._over(_core.KeyEncoder.from_bytes(np.frombuffer(stored, np.uint8)))

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the fields to a file, which replaces a previous one only when it is complete.

        >>> KeyEncoder(["u32", "bytes"]).save("some.wdx")
        """
        self._core.save(os.fsencode(path))

    def to_bytes(self) -> bytes:
        """The bytes of the file that `save` writes.

        >>> KeyEncoder(["u32"]).to_bytes()[1:4]
        b'WDX'
        """
        return self._core.to_bytes()

    def __repr__(self) -> str:
        return described(
            "KeyEncoder", f"{len(self.fields)} fields", *(f.type for f in self.fields), f"{self.type} keys"
        )

    def __reduce__(self) -> Any:
        return KeyEncoder.from_buffer, (self.to_bytes(),)

    def explain(self) -> str:
        """The code, and how a narrow one numbers values.

        >>> print(KeyEncoder.narrow(["u32", "i64"], [[7, 9], [20, 10]]).explain(), end="")
        narrow keys of 64 bits
        leading fields: offsets of up to 2 from the least value, 2 of 64 bits
        last field: offsets of up to 10 from the least value, 4 of 64 bits
        """
        return self._core.explain()

    @property
    def type(self) -> str:
        """The type of the keys.

        >>> KeyEncoder(["u32", "i32"]).type
        'u64'
        """
        return self._core.type

    @staticmethod
    def _expect(columns: Any, count: int, name: str) -> None:
        if len(columns) != count:
            raise InvalidArgument(f"{name} has {len(columns)} of them; there are {count} fields")

    def _columns(self, columns: Any, call: Call) -> tuple[list[Part], Any, int, int]:
        """Columns of the fields, the place of all, and where a call runs."""
        named = [
            (f"columns[{number}]", column, field) for number, (column, field) in enumerate(zip(columns, self.fields))
        ]
        return self._parts(named, call)

    @staticmethod
    def _parts(named: list[tuple[str, Any, Field]], call: Call) -> tuple[list[Part], Any, int, int]:
        """The same of columns with their names and fields."""
        found = []
        for name, column, field in named:
            values = read(column, name, family_of(field.type), stream=call.stream)
            if values.place is None:
                part = values.whole()
                part = narrowed(part, name, "exact") if field.type == "date" else in_type(part, field.type, name)
                values = values.changed(parts=[part])
            found.append(values)
        device, where = libraries.together(*found, threads=call.threads)
        return [one.parts[0] for one in found], found[0].place if found else None, device, where

    def encode(self, columns: Any, **run: Unpack[Run]) -> Keys:
        """Keys of tuples, one column per field.

        >>> len(KeyEncoder(["u32", "u32"]).encode([[1, 2], [3, 4]]))
        2
        """
        self._expect(columns, len(self.fields), "columns")
        parts, place, device, where = self._columns(columns, Call(**run))
        with reading("columns"):
            return self._keys(self._core.encode(parts, device, where), place)

    def points(self, columns: Any, **run: Unpack[Run]) -> Keys:
        """Probes of a narrow encoder, one column per field: keys that equal those of `encode`. A tuple with a value that
        has no number equals no key.

        >>> places = KeyEncoder.narrow(["u32", "i64"], [[7, 9], [20, 10]])
        >>> Index(places.encode([[7, 9], [20, 10]])).contains(places.points([[9, 9], [10, 20]])).tolist()
        [True, False]
        """
        self._expect(columns, len(self.fields), "columns")
        parts, place, device, where = self._columns(columns, Call(**run))
        with reading("columns"):
            keys, misses = self._core.points(parts, device, where, place is not None)
        result = self._keys(keys, place)
        size = result.size
        result.parts = [Part(keys, size, None, misses) if place is None else Part(keys, size, (misses, 0))]
        return result

    def ranges(
        self, leading: Any, lower: Any = None, upper: Any = None, closed: Closed = "both", **run: Unpack[Run]
    ) -> tuple[Keys, Keys]:
        """Ranges of a narrow encoder, for `range_count` and the like: within the values of all fields but the last, one
        column each, those of the last between two columns of bounds. Where one is None, ranges have none on that side.

        >>> places = KeyEncoder.narrow(["u32", "i64"], [[7, 7, 9], [20, 30, 10]])
        >>> index = Index(places.encode([[7, 7, 9], [20, 30, 10]]), "AO+BS")
        >>> index.range_count(*places.ranges([[7, 9]], upper=[25, 25])).tolist()
        [1, 1]
        """
        self._expect(leading, len(self.fields) - 1, "leading")
        call, lower_open, upper_open = Call(**run), *opens_of(closed)
        named = [(f"leading[{number}]", *one) for number, one in enumerate(zip(leading, self.fields))]
        count = len(named)
        named += [
            (name, bound, self.fields[-1]) for name, bound in (("lower", lower), ("upper", upper)) if bound is not None
        ]
        parts, place, device, where = self._parts(named, call)
        bounds = iter(parts[count:])
        low, high = (None if bound is None else next(bounds) for bound in (lower, upper))
        with reading("leading"):
            keys = self._core.ranges(parts[:count], low, high, lower_open, upper_open, device, where, place is not None)
        return self._keys(keys[0], place), self._keys(keys[1], place)

    def decode(self, keys: Keys, *, threads: int = 0) -> list[Any]:
        """The columns of keys, as arrays of NumPy; those of fields that are nullable are masked. On a device they are arrays
        or pairs of bytes and offsets, those of nullable fields with their validity bits.

        >>> encoder = KeyEncoder(["u32", "bytes"])
        >>> [column.tolist() for column in encoder.decode(encoder.encode([[7], ["a"]]))]
        [[7], [b'a']]
        """
        if not isinstance(keys, Values):
            raise KeyTypeError("keys must be those that encode made")
        if keys.family != self._family:
            raise KeyTypeError(f"keys is of type {keys.family}, but this encoder makes keys of type {self._family}")
        place, result = keys.place, []
        on = libraries.together(keys, threads=threads)
        for (column, valid), field in zip(self._core.decode(keys.parts[0], *on), self.fields):
            if place is not None:
                one = libraries.adopted(column, keys)
                result.append(one if valid is None else (one, libraries.adopted(valid, keys)))
                continue
            shown = shown_values(column, family_of(field.type))
            if valid is not None:
                missing = np.unpackbits(valid, count=shown.size, bitorder="little") == 0
                shown = np.ma.masked_array(shown, missing)
            result.append(shown)
        return result

    def leading(self, columns: Any, last_open: bool = False, **run: Unpack[Run]) -> tuple[Keys, Keys | None]:
        """Bounds of the tuples that begin with the values of the first columns: a range of keys that are numbers, or of keys
        that are strings the prefixes, and None. With `last_open` the last column has beginnings of strings.

        >>> places = KeyEncoder(["u32", "u32"])
        >>> index = Index(places.encode([[49, 33, 49], [7, 1, 5]]))
        >>> index.range_count(*places.leading([[49, 34]])).tolist()
        [2, 0]
        """
        parts, place, device, where = self._columns(columns, Call(**run))
        with reading("columns"):
            lower, upper = self._core.leading(parts, last_open, device, where)
        return self._keys(lower, place), None if upper is None else self._keys(upper, place)


@public
def prefix_borders(
    addresses: Any, bits: Any, rows: Any = None, none: int | None = None
) -> tuple[np.ndarray | Keys, np.ndarray]:
    """Borders of intervals for prefixes of numbers, such as networks: keys, and the row id from each on. An index over them
    answers `floor` with the row of the longest prefix of a number, or with `none`, which is the number of prefixes unless
    you say otherwise. Addresses are uint32, uint64 or, as integers of Python, numbers of 128 bits.

    >>> keys, rows = prefix_borders(np.array([10 << 24, 10 << 24 | 1 << 16], np.uint32), [8, 16])
    >>> index = Index(keys, rows=rows)
    >>> index.floor(np.array([10 << 24 | 5, 10 << 24 | 1 << 16 | 9, 1], np.uint32)).tolist()
    [0, 1, 2]
    """
    wide = np.asarray(addresses).dtype == object
    if wide:
        array = halves(np.array([operator.index(one) for one in addresses], object))
    else:
        array = integers(addresses, "addresses").parts[0].column
        array = array if array.dtype == np.uint32 else in_type(Part(array, len(array)), "u64", "addresses").column
    counts = integers(bits, "bits").parts[0].column
    if counts.size and not 0 <= int(counts.min()) <= int(counts.max()) <= 128:
        raise InvalidArgument(f"bits has {out_of(counts, 128)}; they must be integers from 0 to 128")
    ids = np.arange(len(array)) if rows is None else integers(rows, "rows").parts[0].column
    ids = libraries.row_ids(ids, len(array), 8)[0].astype(np.uint64)
    with reading("addresses and bits"):
        result, found = _core.prefix_borders(array, counts.astype(np.uint8), ids, len(array) if none is None else none)
    return (keys_of("u128", result.reshape(-1, 2), result.size // 2) if wide else result), found
