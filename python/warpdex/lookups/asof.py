# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""As-of joins: distances of each probe, and probes that are between two units of an index, or beyond all that its type
holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.arrays import nearest_float
from ..columns.families import exact_numbers, scale_of, unit_of
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError, Unsupported
from ..types import Direction
from .asking import LOOKUPS, Asking
from .calls import AsofHow, distance_of


class Distances(NamedTuple):
    """Distances in units of the keys: one for all rows, or one for each."""

    lengths: Any  # int, float, or an array of int64 or float64
    nulls: np.ndarray | None


def is_column(distance: Any) -> bool:
    """Whether a distance is one for each row."""
    return hasattr(distance, "__len__") and not isinstance(distance, str) and np.ndim(distance) != 0


def distances(distance: Any, name: str, family: str, size: int, rows: str) -> Distances:
    """@param size, rows how many rows there are, in words too"""
    if not is_column(distance):
        return Distances(distance_of(distance, family, name), None)
    own = family.partition(" ")[0].replace("datetime64", "timedelta64")
    if "[" in own and not (plain := read(distance, name).family).startswith("timedelta64"):
        raise KeyTypeError(f"{name} is of type {plain}, but the keys are times; give timedeltas, which have a unit")
    values = read(distance, name, own if "[" in own or scale_of(family) is not None else None, "exact")
    if values.size != size:
        raise InvalidArgument(f"{name} has {values.size} values, {rows}")
    part: Part = values.plain().whole()
    if not isinstance(part.column, np.ndarray) or part.column.ndim != 1:
        raise KeyTypeError(f"{name} is of type {values.family}, which is no distance of keys of type {family}")
    numbers = part.column.view(np.int64) if part.column.dtype.kind in "mM" else part.column
    if numbers.dtype.kind == "f" and family != "float" and not (family == "integer" and name == "tolerance"):
        raise KeyTypeError(f"{name} is of type {values.family}, but the keys are of type {family}")
    if numbers.dtype == np.uint64 and numbers.size and int(numbers.max()) >= 2**63:
        raise InvalidArgument(f"{name} has {numbers.max()}, which takes more than 63 bits")
    return Distances(numbers.astype(np.float64 if numbers.dtype.kind == "f" else np.int64, copy=False), part.nulls)


def how_of_keys(how: AsofHow, family: str, size: int, rows: str = "") -> AsofHow:
    """How a join looks among keys of a family. @param size, rows of the probes, as in `distances`"""
    if how.relative and family == "string":
        raise KeyTypeError(f"relative is {how.relative}, but the keys are strings, which have no distances")
    if not is_column(how.tolerance):
        return how.of_keys(family)
    lengths, nulls = distances(how.tolerance, "tolerance", family, size, rows or f"probes {size}")
    part = Part(lengths, size, nulls)
    result = replace(how, tolerance=None).of_keys(family)
    return replace(result, tolerances=Values("integer", [part], size, name="tolerance"))


def asof(index: Asking, probes: Any, values: Values, name: str, how: AsofHow, call: Call) -> np.ndarray:
    """The row of each probe as an array of NumPy, in which -1 means none or null.

    @param values the probes, read with rounding "equal" @param how with the tolerance in units of the keys
    """
    call = Call(stream=call.stream, threads=call.threads, progress=call.progress)
    rows: np.ndarray = index._asof(values.changed(give=None), how, call)
    if (odd := values.misses()) is not None:
        positions = np.flatnonzero(odd if (nulls := values.nulls()) is None else odd & ~nulls)
        rows[positions] = _odd_rows(index, probes, positions, name, how, Call(threads=call.threads))
    return rows


def plain_asof(how: AsofHow, values: Values | None = None) -> bool:
    """Whether a join has all ties, or offsets, which probes between two units of the keys cannot have."""
    between = values is not None and values.place is None and values.misses() is not None
    each = "a tolerance of each probe" if how.tolerances is not None else "a relative tolerance" if how.relative else ""
    if each and (how.all_ties or between):
        why = "ties is 'all'" if how.all_ties else "some probes are between two units of the keys"
        raise Unsupported(f"there is {each}, but {why}")
    if not how.all_ties and how.offsets is None:
        return False
    if how.all_ties and how.offsets is not None:
        raise Unsupported("ties is 'all'; with offsets it must be 'first', 'last' or 'adjacent'")
    if between:
        what = "ties is 'all'" if how.all_ties else "offsets are given"
        raise Unsupported(f"{what}, but some probes are between two units of the keys")
    return True


def at_offsets(how: AsofHow, join: Callable[[AsofHow], Any]) -> Any:
    """The rows of a join, or with offsets an array of those of one join for each."""
    if how.offsets is None:
        return join(how)
    result = [join(replace(how, offsets=(offset,))) for offset in how.offsets]
    return np.stack(result) if result else np.zeros((0, 0), np.int32)


def by_offset(how: AsofHow, dtype: Any, query: Values, out: Any, join: Callable[[AsofHow, Any], Any]) -> Any:
    """The rows of one join per offset, as an array of two dimensions.

    @param join joins with one offset, and writes an array
    """
    shape = len(how.offsets), query.size
    if out is not None and tuple(out.shape) != shape:
        raise InvalidArgument(f"out has the shape {tuple(out.shape)}; it must be {shape}")
    result = out
    if out is None:
        result = libraries.target(None, dtype, shape[0] * query.size, query.place)[0].reshape(shape)
    for offset, rows in zip(how.offsets, result):
        join(replace(how, offsets=(offset,)), rows)
    return result if out is not None else libraries.finished(result, query)


def rows_of(how: AsofHow, dtype: Any, query: Values, join: Callable[[AsofHow, Any], Any]) -> Any:
    """The rows of a join in a new array, of two dimensions if there are offsets.

    @param join joins, and writes to what the core sees of an array
    """

    def rows(each: AsofHow, out: Any = None) -> Any:
        out, target = libraries.target(out, dtype, query.size, query.place)
        join(each, target)
        return out

    if how.offsets is not None:
        return by_offset(how, dtype, query, None, rows)
    return libraries.finished(rows(how), query)


# Of each direction: how probes are rounded, and what ranks the neighbour, with what less.
_WAYS: tuple[tuple[Direction, str, str, int], ...] = (
    ("backward", "down", "upper_bound", 1),
    ("forward", "up", "lower_bound", 0),
)


def _odd_rows(index: Asking, probes: Any, positions: np.ndarray, name: str, how: AsofHow, call: Call) -> np.ndarray:
    """The rows of probes that equal no key of the index's type: the neighbours of each are those of its lower and of its
    upper unit."""
    measures = how.strategy == "nearest" or how.tolerance is not None
    exact = _exact(probes, positions, name, index._family) if measures else None
    found: list[tuple[np.ndarray, Any]] = []
    for way, rounding, bound, step in _WAYS:
        if how.strategy not in (way, "nearest"):
            continue
        values = index._read(probes, name, rounding)
        values = values.changed(parts=_taken(values.parts, positions), size=positions.size, give=None)
        rows = index._asof(values, replace(how, strategy=way, allow_exact_matches=True, tolerance=None), call)
        if measures:
            ranks = index._ask(LOOKUPS[bound], (values,), call) - step
            found.append((rows, _distances(index._core, ranks, rows, exact, index._family)))
        else:
            found.append((rows, None))
    rows, distances = found[0]
    if len(found) == 2:
        above, gaps = found[1]
        takes = (gaps <= distances) if how.prefer == "later" else (gaps < distances)
        takes = (above >= 0) & ((rows < 0) | takes)
        rows, distances = np.where(takes, above, rows), np.where(takes, gaps, distances)
    if how.tolerance is not None:
        most = how.tolerance * unit_of(index._family) if how.span is None else how.span
        rows[~(distances <= most).astype(bool)] = -1  # nan is within no distance
    return rows


def _taken(parts: list[Part], positions: np.ndarray) -> list[Part]:
    """The values of a column at some places, which ascend, in parts as before."""
    ends = np.cumsum([part.size for part in parts])
    of_parts = np.split(positions, np.searchsorted(positions, ends[:-1]))
    return [part.take(some - (end - part.size)) for part, some, end in zip(parts, of_parts, ends)]


def _exact(probes: Any, positions: np.ndarray, name: str, family: str) -> np.ndarray:
    """Some probes as numbers of Python: times in attoseconds, others in units of a family."""
    if "[" not in family:
        if family == "float":
            return np.array([*map(nearest_float, np.asarray(probes, object)[positions])], object)
        units: np.ndarray = _exact_numbers(probes, positions, name) * 10 ** (scale_of(family) or 0)
        return units
    own = read(probes, name)
    if own.family.partition("[")[2][:1] in "YM":  # months have a length in days
        own = read(probes, name, f"{own.family.partition('[')[0]}[D]", "down")
    times: np.ndarray = own.whole().column[positions].astype(object) * unit_of(own.family)
    return times


def _exact_numbers(probes: Any, positions: np.ndarray, name: str) -> np.ndarray:
    result: np.ndarray = np.empty(positions.size, object)
    if not isinstance(probes, (list, tuple, np.ndarray)):
        try:
            own = read(probes, name)
            numbers = exact_numbers(own.whole().column, own.family)[positions]
            result[:] = [Fraction(number, 10 ** (scale_of(own.family) or 0)) for number in numbers.tolist()]
            return result
        except InvalidArgument:  # integers of Python that 64 bits do not hold
            pass
    result[:] = [_exact_number(value) for value in np.asarray(probes, object).reshape(-1)[positions].tolist()]
    return result


def _exact_number(value: Any) -> Any:
    """A number of Python or NumPy as a fraction, but for infinities."""
    number = float(value) if isinstance(value, np.floating) else value
    return number if isinstance(number, float) and not math.isfinite(number) else Fraction(number)


def _distances(core: _core.Index, ranks: np.ndarray, rows: np.ndarray, exact: Any, family: str) -> np.ndarray:
    """How far the key of each rank is; 0 where there is no row."""
    found = rows >= 0
    distances = np.zeros(rows.size, object)
    keys = exact_numbers(core.keys_at(ranks[found].astype(np.uint64), 0), family)
    distances[found] = np.abs(exact[found] - keys * unit_of(family))
    return distances
