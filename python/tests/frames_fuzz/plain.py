# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of plain values in the forms that callers have, and what an index over them answers, by scans of lists."""

import decimal
import math
import uuid
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from .columns import LIMIT, numbers, pick, word

_UNITS = {"D": 86400 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def unit(dtype):
    """The nanoseconds of a unit of times."""
    return _UNITS[np.datetime_data(dtype)[0]]


class Kind(NamedTuple):
    """Values of one type: those of small numbers, in order, and those at the ends of the type."""

    family: str  # kinds of one family are compared
    type: Any  # of NumPy, or of Arrow
    make: Any
    ends: list = []


def _integers(name):
    limits = np.iinfo(name)
    low = 20 if limits.min else 0
    return Kind("number", np.dtype(name), lambda n: n - low, [limits.min, limits.min + 1, limits.max - 1, limits.max])


def _floats(name):
    limits = np.finfo(name)
    ends = [math.nan, math.inf, -math.inf, -0.0, float(limits.max), float(limits.tiny), 2.0**63, -(2.0**63)]
    return Kind("number", np.dtype(name), lambda n: (n - 20) / 4, ends)


def _times(name):
    dtype = np.dtype(name)
    step = max(1, 5 * 10**8 // unit(dtype))  # some are between two seconds
    most = {"D": 2**31 - 1, "s": 2**63 // 1000 - 1}.get(
        np.datetime_data(dtype)[0], 2**63 - 1
    )  # Arrow's days, and Polars' seconds
    ends = [np.int64(n).view(dtype) for n in (-most, most)]
    return Kind(dtype.kind, dtype, lambda n: np.int64(n * step).view(dtype), ends)


KINDS = {
    **{name: _integers(name) for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")},
    **{name: _floats(name) for name in ("f4", "f8")},
    **{name: _times(name) for name in ("M8[D]", "M8[s]", "M8[ns]", "m8[s]", "m8[ns]")},
    "?": Kind("bool", np.dtype(bool), lambda n: n > 9),
    "text": Kind("text", pa.string(), word, ["", "\0", "a\0", "a\0b", "\uffff", "\U0010ffff"]),
    "uuid": Kind("uuid", None, lambda n: uuid.UUID(int=n << 90)),
    "decimal": Kind("decimal", pa.decimal128(30, 2), lambda n: decimal.Decimal(n - 20).scaleb(-2)),
}
_WIDE = [-(2**70), -(2**63) - 1, -(2**63), -1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70]
PROBES = {  # of integers and floats that no type holds, in lists alone
    "wide": Kind("number", None, lambda n: n - 20, _WIDE),
    "mixed": Kind("number", None, lambda n: n - 20 if n % 2 else (n - 20) / 4, [-(2.0**70), 2**70, math.inf]),
}
NUMBERS = [name for name, kind in KINDS.items() if kind.family == "number"]
MEASURED = [*NUMBERS, *(name for name, kind in KINDS.items() if kind.family in "mM")]
WHOLE = [name for name in NUMBERS if name[0] != "f"]


def kind_of(name):
    """A kind, or of a tuple of names the kinds of the columns of tuples."""
    return tuple(map(kind_of, name)) if isinstance(name, tuple) else KINDS.get(name) or PROBES[name]


def probe_kind(rng, name):
    """A kind whose values are compared with those of another one; mostly that."""
    if isinstance(name, tuple) or rng.random() < 0.6:
        return name
    family = kind_of(name).family
    same = [other for other, kind in KINDS.items() if kind.family == family]
    return pick(rng, [*same, *PROBES] if family == "number" else same)


def drawn(rng, name, size, nulls=0.0, ends=0.1, limit=LIMIT):
    """Values of a kind, of which some are None."""
    if isinstance(name, tuple):
        columns = [drawn(rng, one, size, nulls / len(name), ends, limit) for one in name]
        return list(zip(*columns))
    kind = kind_of(name)
    result = [kind.make(int(n)) for n in numbers(rng, size, limit)]
    if isinstance(kind.type, np.dtype) and kind.type.kind == "f":
        result = [kind.type.type(value).item() for value in result]
    for at in np.flatnonzero(rng.random(size) < ends) if kind.ends else []:
        result[at] = pick(rng, kind.ends)
    for at in np.flatnonzero(rng.random(size) < nulls):
        result[at] = None
    return result


def is_null(value):
    return value is None or (isinstance(value, tuple) and any(map(is_null, value)))


def place(value):
    """Where a value is in the order of all values with which it is compared."""
    if isinstance(value, tuple):
        return tuple(map(place, value))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return int(value.astype(np.int64)) * unit(value.dtype)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, uuid.UUID):
        return value.bytes
    return (1, 0) if value != value else (0, value)


def column(rng, name, values):
    """Values as a column of some library; of tuples a tuple of columns."""
    if isinstance(name, tuple):
        return tuple(column(rng, one, [value[at] for value in values]) for at, one in enumerate(name))
    kind, nulls = kind_of(name), [value is None for value in values]
    some = len(values) > 0 and not all(nulls)
    if kind.type is None or (not isinstance(kind.type, np.dtype) and some and rng.random() < 0.3):
        return values if some else in_arrow(name if name in KINDS else "i8", values)
    if not isinstance(kind.type, np.dtype):
        return _dressed(rng, in_arrow(name, values))
    forms = ["arrow", "arrow", "polars", "pandas"]
    forms += ["mask"] if any(nulls) else ["array", "stride", "odd address"]
    if some and kind.type.kind not in "mM" and not any(value != value for value in values):
        forms.append("list")
    form, array = pick(rng, forms), _in_numpy(kind, values)[0]
    if form == "list":
        return values
    if form == "mask":
        return np.ma.masked_array(array, nulls)
    if form in ("arrow", "polars"):
        result = in_arrow(name, values)
        return pl.Series(result) if form == "polars" else _dressed(rng, result)
    if form == "pandas":
        return in_pandas(name, values)
    if form == "stride":
        return np.repeat(array[::-1], 2)[::-2]
    if form == "odd address":
        return np.frombuffer(b"-" + array.tobytes(), kind.type, array.size, 1)
    return array


def _dressed(rng, array):
    form = pick(rng, ["whole", "slice", "chunks", "words"])
    if form == "slice":
        return pa.concat_arrays([array[:5], array])[len(array[:5]) :]
    if form == "chunks":
        return pa.chunked_array([array[:3], array[3:3], array[3:]], array.type)
    return array.dictionary_encode() if form == "words" and len(array) else array


def _in_numpy(kind, values):
    """Values in an array of NumPy, and which of them are null."""
    none = kind.make(0)
    nulls = np.array([value is None for value in values], bool)
    return np.array([none if value is None else value for value in values], kind.type), nulls


def in_arrow(name, values):
    kind = kind_of(name)
    if isinstance(kind.type, np.dtype):
        array, nulls = _in_numpy(kind, values)
        return pa.array(array, mask=nulls)
    if name == "uuid":
        return pa.array([value and value.bytes for value in values], pa.binary(16)).cast(pa.uuid())
    return pa.array(values, kind.type)


def in_pandas(name, values):
    kind = kind_of(name)
    if not isinstance(kind.type, np.dtype) or kind.type.kind in "mM":
        array = in_arrow(name, values)
        return pd.Series(array, dtype=pd.ArrowDtype(array.type))
    array, nulls = _in_numpy(kind, values)
    masked = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}.get(kind.type.kind, pd.arrays.IntegerArray)
    return pd.Series(masked(array, nulls))


def knows_nulls(column):
    """Whether answers in the kind of a column may be null."""
    return not isinstance(column[0] if isinstance(column, tuple) else column, (list, np.ndarray))


def listed(answers):
    """Answers as a list."""
    if isinstance(answers, pd.Series):
        return [None if value is pd.NA else value for value in answers.tolist()]
    if isinstance(answers, (pa.Array, pa.ChunkedArray)):
        return answers.to_pylist()
    return answers.to_list() if isinstance(answers, pl.Series) else answers.tolist()


def lists(answers):
    """Offsets and rows as a list of lists."""
    offsets, rows = (answer.tolist() for answer in answers)
    return [rows[begin:end] for begin, end in zip(offsets, offsets[1:])]


# What an index answers.


class Entries:
    """Keys, as tuples of places, and rows, in order. A probe may have the first places alone."""

    def __init__(self, pairs):
        self.pairs = sorted(pairs)

    def within(self, test):
        return [row for key, row in self.pairs if test(key)]

    def equal(self, probe):
        return self.within(lambda key: key[: len(probe)] == probe)

    def below(self, probe, or_equal):
        return len(self.within(lambda key: key[: len(probe)] < probe or (or_equal and key[: len(probe)] == probe)))

    def between(self, low, high, closed="both"):
        """Rows of keys between two bounds, of which None is absent."""
        begin = 0 if low is None else self.below(low, closed in ("right", "none"))
        end = len(self.pairs) if high is None else self.below(high, closed in ("both", "right"))
        return [row for _, row in self.pairs[begin:end]]

    def neighbours(self, probe, exact=True):
        """The nearest key not above a probe, and the nearest one not below it; None for none."""
        below = [key for key, _ in self.pairs if key < probe or (exact and key == probe)]
        above = [key for key, _ in self.pairs if key > probe or (exact and key == probe)]
        return max(below, default=None), min(above, default=None)

    def nearest(self, probe, direction, exact=True, tolerance=None, later=False):
        """The rows of the nearest key, and whether it is not below the probe."""
        below, above = self.neighbours(probe, exact)
        sides = {"backward": [(below, False)], "forward": [(above, True)]}.get(direction)
        if sides is None:
            sides = sorted([(below, False), (above, True)], reverse=later, key=lambda side: side[1])
        found = [
            (0 if len(sides) == 1 and tolerance is None else _distance(key, probe), key, up) for key, up in sides if key
        ]
        if not found:
            return [], False
        distance, key, up = min(found, key=lambda one: one[0])
        return ([] if tolerance is not None and distance > tolerance else self.equal(key)), up


def _distance(key, probe):
    return abs(key[0][1] - probe[0][1]) if isinstance(key[0], tuple) else abs(key[0] - probe[0])


POINTS = {
    "find": lambda entries, probe: min(entries.equal(probe), default=-1),
    "contains": lambda entries, probe: bool(entries.equal(probe)),
    "count": lambda entries, probe: len(entries.equal(probe)),
    "retrieve": lambda entries, probe: entries.equal(probe),
}
PLACES = {
    "lower_bound": lambda entries, probe: entries.below(probe, False),
    "upper_bound": lambda entries, probe: entries.below(probe, True),
}
NEIGHBOURS = {
    "floor": lambda entries, probe: min(entries.nearest(probe, "backward")[0], default=-1),
    "ceil": lambda entries, probe: min(entries.nearest(probe, "forward")[0], default=-1),
}
RANGES = {
    "range_count": len,
    "range_sum": lambda rows: sum(rows) % 2**64,
    "range_retrieve": lambda rows: rows,
}
MISSES = {"find": -1, "floor": -1, "ceil": -1, "contains": False, "retrieve": [], "range_retrieve": []}


def changed(pairs, name, added=(), gone=()):
    """Entries after an update, and what it returns: pairs of keys and rows that come, and keys that go."""
    own = {key for key, _ in added}
    both = own & set(gone) if name == "update" else set()
    gone = (own if name == "insert_or_assign" else set(gone)) - both
    kept = [pair for pair in pairs if pair[0] not in gone]
    come = [pair for pair in added if pair[0] not in both]
    return kept + come, (len(come), len(pairs) - len(kept), len(both))
