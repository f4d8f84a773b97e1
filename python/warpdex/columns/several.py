# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Several columns as one column of keys: tuples, which are ordered by the first column, then by the second, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Part, Values
from ..errors import InvalidArgument, KeyTypeError, reading
from .libraries import HostGiver
from .parts import arrow_column, without_float

_TYPES = {"integer": "i64", "float": "f64", "bool": "u32", "string": "bytes"}
_FRAMES = {("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")}


def _type_of(family: str) -> str:
    """The type of a field of tuples; "" if there is none."""
    return _TYPES.get(family, "i64" if "[" in family or family.startswith("decimal(") else "")


def columns_in(values: Any) -> list[Any] | None:
    """The columns of a data frame, or of a tuple of columns; None for one column."""
    kind = type(values)
    if kind is tuple:
        are_columns = [hasattr(one, "__len__") and not isinstance(one, (str, bytes)) for one in values]
        return list(values) if values and all(are_columns) else None
    root = kind.__module__.partition(".")[0]
    if (root, kind.__name__) not in _FRAMES:
        return None
    names = values.column_names if root == "pyarrow" else list(values.columns)
    if root == "pandas":
        return [values.iloc[:, number] for number in range(len(names))]
    return [arrow_column(values, name) if root == "pyarrow" else values.get_column(name) for name in names]


def families_in(family: str | None) -> list[str] | None:
    """The families of the columns of tuples; None for another family."""
    if family is None or not family.startswith("tuple("):
        return None
    return family[len("tuple(") : -1].split(", ")


Reader = Callable[[Any, str, "str | None", str], Values]


def read_several(columns: list[Any], name: str, family: str | None, rounding: str, read: Reader) -> Values:
    """Reads columns as keys of tuples. A tuple with a null is null."""
    families = families_in(family)
    if family is not None and families is None:
        raise KeyTypeError(f"{name} has {len(columns)} columns, but the keys are of type {family}")
    if families is not None and len(families) != len(columns):
        raise InvalidArgument(f"{name} has {len(columns)} columns; the keys have {len(families)}")
    fields = _fields(columns, name, families, rounding, read)
    return fields.keys(_encoder(fields.families).encode(fields.parts, -1, 0), f"tuple({', '.join(fields.families)})")


def read_leading(
    columns: list[Any], name: str, family: str, rounding: str, last_open: bool, read: Reader
) -> tuple[Values, Values | None]:
    """Reads the first columns of tuples as the least and the greatest key that begin so; of keys that are strings as what
    these begin with, and None. With `last_open` the last column holds beginnings of strings."""
    families = families_in(family) or []
    fields = _fields(columns, name, families[: len(columns)], rounding, read)
    with reading(name):
        least, greatest = _encoder(families).leading(fields.parts, last_open, -1, 0)
    return fields.keys(least, family), None if greatest is None else fields.keys(greatest, family)


class _Fields(NamedTuple):
    """The fields of tuples: parts without nulls, and which tuples are null or equal no key."""

    parts: list[Part]
    families: list[str]
    name: str
    nulls: np.ndarray | None
    misses: np.ndarray | None
    give: Any  # how the tuples are answered

    def keys(self, column: Any, family: str) -> Values:
        """The keys of the fields."""
        size = self.parts[0].size
        return Values(family, [Part(column, size, self.nulls, self.misses)], size, self.give, name=self.name)


def _encoder(families: list[str]) -> _core.KeyEncoder:
    return _core.KeyEncoder([(_type_of(one), False, False, False) for one in families])


def _fields(columns: list[Any], name: str, families: list[str] | None, rounding: str, read: Reader) -> _Fields:
    how = "equal" if rounding == "equal" else "exact"
    found = [
        read(column, f"{name}[{number}]", families[number] if families else None, how)
        for number, column in enumerate(columns)
    ]
    sizes = {one.size for one in found}
    if len(sizes) > 1:
        raise InvalidArgument(f"{name} has columns of {' and '.join(map(str, sorted(sizes)))} values")
    if any(one.place is not None for one in found):
        raise KeyTypeError(f"{name} has columns on a device; KeyEncoder makes keys of them")
    families = families or [one.family for one in found]
    types = [_type_of(one) for one in families]
    if "" in types:
        number = types.index("")
        raise KeyTypeError(f"{name}[{number}] is of type {families[number]}, which no column of tuples has")
    parts = [_plain(one, type, f"{name}[{number}]", how) for number, (one, type) in enumerate(zip(found, types))]
    nulls, misses = (either([getattr(part, flag) for part in parts]) for flag in ("nulls", "misses"))
    if nulls is not None and misses is not None:
        misses = misses & ~nulls
    give = found[0].give if isinstance(found[0].give, HostGiver) else None
    return _Fields([Part(part.column, part.size) for part in parts], families, name, nulls, misses, give)


def shown_tuples(keys: Any, size: int, family: str, shown: Callable[[Any, str], np.ndarray]) -> list[np.ndarray]:
    """The columns of keys."""
    families = families_in(family) or []
    made = _encoder(families).decode(Part(keys, size), -1, 0)
    return [shown(column, one) for (column, _), one in zip(made, families)]


def _plain(values: Values, type: str, name: str, how: str) -> Part:
    """A column as its field has it: integers of 64 bits, floats of 64 bits, bools of 32, or strings."""
    part: Part = values.whole()
    if type == "bytes":
        return part
    column, misses = part.column, part.misses
    if type == "i64" and column.dtype == np.uint64:
        beyond = column > np.uint64(2**63 - 1)
        if how != "equal" and beyond.any():
            raise InvalidArgument(f"{name} has {column[beyond][0]}, which integers of 64 bits with a sign do not hold")
        misses = either([misses, beyond if beyond.any() else None])
    wanted = {"i64": np.int64, "f64": np.float64, "u32": np.uint32}[type]
    if column.dtype.kind in "mM":
        column = column.view(np.int64)
    if type == "i64" and column.dtype.kind == "f":  # probes that are floats
        whole = np.isfinite(column) & (np.floor(column) == column) & (np.abs(column) < 2.0**63)
        if how != "equal" and not whole.all():
            raise InvalidArgument(f"{name} has {column[~whole][0]}, which is no integer")
        misses = either([misses, None if whole.all() else ~whole])
        column = np.where(whole, column, 0)
    if type == "f64" and column.dtype.kind in "iu":  # probes that are integers, which not all have an equal float
        odd = without_float(column)
        if how != "equal" and odd.any():
            raise InvalidArgument(f"{name} has {column[odd][0]}, which no float equals")
        misses = either([misses, odd if odd.any() else None])
    return Part(np.ascontiguousarray(column.astype(wanted)), part.size, part.nulls, misses)


def either(flags: Iterable[np.ndarray | None]) -> np.ndarray | None:
    """Which values one of some flags names; None if none does."""
    known = [one for one in flags if one is not None]
    return None if not known else np.logical_or.reduce(known)
