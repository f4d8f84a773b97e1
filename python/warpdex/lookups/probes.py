# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Probes that are no whole column of keys: the first columns of tuples, and pieces on several devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.devices import device_number, device_numbers
from ..columns.values import columns_in, either, families_in, read, read_leading
from ..errors import InvalidArgument, KeyTypeError, Unsupported, shown
from .asking import LOOKUPS, Asking, Lookup, expect_places, opens_of
from .border import public, public_methods
from .calls import described

# Lookups by the first columns of tuples. All tuples that begin with the values of a probe equal it; they are neighbours in
# the order, so ranks say which they are.


def are_leading(index: Asking, what: Lookup, *probes: Any) -> bool:
    """Whether some columns of probes are fewer than those of the keys, or end with beginnings of strings."""
    size = len(families_in(index._family) or ())
    most = size if what.takes == "prefixes" and len(what.writes) == 1 else size - 1
    return any(1 <= len(columns_in(columns) or ()) <= most for columns in probes)


def by_leading(index: Asking, what: Lookup, probes: tuple[Any, ...], closed: str, call: Call) -> Any:
    """The answers of a lookup, in the kind of the first probes."""
    if what.takes == "prefixes" and len(what.writes) == 1:
        begins, _ = _read(index, probes[0], "prefixes", "equal", True)
        return (index._list if what.lists else index._ask)(what, (begins,), call)
    answered = _ANSWERS.get(what.name)
    if answered is None:
        raise Unsupported(f"probes has fewer columns than the keys, which {what.name} does not take")
    plain = Call(threads=call.threads, stream=call.stream)
    if what.takes == "ranges":
        names, opens = ("lower", "upper"), opens_of(closed)
        bounds = [None if bound is None else _read(index, bound, name, "exact") for bound, name in zip(probes, names)]
        sides = [side for side in bounds if side is not None]
        if what.needs_places:
            expect_places(tuple(side[0] for side in sides))
        if sides[0][0].size != sides[-1][0].size:
            raise InvalidArgument(f"lower has {sides[0][0].size} values, upper {sides[-1][0].size}")
        begin, end = (
            np.full(sides[0][0].size, none) if side is None else _ranks(index, side, after, plain)
            for side, after, none in zip(bounds, (opens[0], not opens[1]), (0, len(index)))
        )
    else:
        sides = [_read(index, probes[0], "probes", "exact" if what.needs_places else "equal")]
        if what.needs_places:
            expect_places(sides[0][:1])
        begin, end = (_ranks(index, sides[0], after, plain) for after in (False, True))
    query = sides[0][0]
    counts = np.maximum(end - begin, 0)
    if (nulls := either(side[0].nulls() for side in sides)) is not None:
        counts[nulls] = 0
    spans = _Spans(index, begin, counts, index._where((query,), plain))
    answers = answered(spans)
    if what.lists:
        return libraries.adopted(answers, query)
    if call.out is not None:
        index._target(what.writes[0], (query,), call.out)[1][:] = answers[0]
        return call.out
    result = [
        _core.given((query,), answer.astype(index._core.type_of(kind), copy=False), kind)
        for answer, kind in zip(answers, what.writes)
    ]
    return result[0] if len(result) == 1 else tuple(result)


_Side = tuple[Values, "Values | None"]  # what `read_leading` gives; whole tuples are both


def _read(index: Asking, probes: Any, name: str, rounding: str, last_open: bool = False) -> _Side:
    columns = columns_in(probes) or []
    if not last_open and not 1 <= len(columns) < len(families_in(index._family) or ()):
        whole = index._read(probes, name, rounding)
        return whole, whole
    return read_leading(columns, name, index._family, rounding, last_open)


def _ranks(index: Asking, side: _Side, after: bool, call: Call) -> np.ndarray:
    """The number of entries before those that equal each probe, or with `after` also of these. Nulls and misses equal none."""

    def ask(name: str, values: Values) -> np.ndarray:
        bare = values.changed(parts=[Part(values.parts[0].column, values.size)], give=None)
        ranks: np.ndarray = index._ask(LOOKUPS[name], (bare,), call)
        return ranks.astype(np.int64, copy=False)

    least, greatest = side
    if after and greatest is not None:
        ranks = ask("upper_bound", greatest)
    else:
        ranks = ask("lower_bound", least)
        if after:
            ranks = ranks + ask("prefix_count", least)
    for flags in (least.nulls(), least.misses()):
        if flags is not None:
            ranks[flags] = 0
    return ranks


class _Spans(NamedTuple):
    """Neighbours in the order of an index: from a rank on, as many as a count says."""

    of: Asking
    begin: np.ndarray
    counts: np.ndarray
    where: int

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Offsets, and all rows in the order of the keys."""
        offsets = np.zeros(self.counts.size + 1, np.int64)
        np.cumsum(self.counts, out=offsets[1:])
        ranks = np.repeat(self.begin - offsets[:-1], self.counts) + np.arange(offsets[-1])
        return offsets, self.of._core.rows_at(ranks.astype(np.uint64), self.where)

    def reduced(self, by: np.ufunc, none: int, dtype: Any) -> np.ndarray:
        """One number for the rows of each span."""
        offsets, rows = self.rows()
        some = self.counts > 0
        result = np.full(self.counts.size, none, dtype)
        if rows.size:
            result[some] = by.reduceat(rows.astype(dtype), offsets[:-1][some])
        return result


_ANSWERS: dict[str, Callable[[_Spans], tuple[np.ndarray, ...]]] = {
    "find": lambda spans: (spans.reduced(np.minimum, -1, np.int64),),
    "contains": lambda spans: (spans.counts > 0,),
    "lower_bound": lambda spans: (spans.begin,),
    "upper_bound": lambda spans: (spans.begin + spans.counts,),
    "retrieve": _Spans.rows,
    "range_retrieve": _Spans.rows,
    "equal_range": lambda spans: (spans.begin, spans.counts),
    "range_sum": lambda spans: (spans.reduced(np.add, 0, np.uint64),),
    **dict.fromkeys(("count", "range_count"), lambda spans: (spans.counts,)),
}


# Pieces, such as an array on each device: keys and probes of an index over several of them.


@public_methods(held="")
class Pieces:
    """A column in pieces, each a column of any kind: keys or probes of an index over several devices.

    A piece of keys is on the host or on one of the devices. The row id of a key is its position in all pieces, one
    after the other. Of probes there is a piece per device, on that device or on the host; each is a call there, and all
    run at once. The answers are a list, each where its piece is. Lookups that list rows take no pieces. Keys in pieces
    are numbers without nulls; row ids, outputs and streams of the caller go with one column.

    >>> index = Index(Pieces([[30, 10], [20]]), devices=["cpu", "cpu"])
    >>> [rows.tolist() for rows in index.find(Pieces([[10], [20, 25]]))]
    [[1], [2, -1]]
    """

    def __init__(self, pieces: Any) -> None:
        if not isinstance(pieces, (list, tuple)):
            raise KeyTypeError(f"pieces is {shown(pieces)}; it must be a list of columns")
        self._pieces = tuple(pieces)

    def __repr__(self) -> str:
        return described("Pieces", f"{len(self._pieces)} columns")


def homes(device: Any, devices: Any, placement: str, shards: Any) -> tuple[int | None, list[int] | None]:
    """Where an index is built: a device, None for that of its keys; or several devices, None for one."""
    number = None if device is None else device_number(device)
    over = None if devices is None else device_numbers(devices)
    if over is None and placement != "auto":
        raise InvalidArgument(f"placement is {placement!r}; it goes with devices")
    if over is not None and number is not None:
        raise InvalidArgument(f"device is {device!r} and devices is {devices!r}; one of them is given")
    if shards is not None and (over is None or not isinstance(shards, (int, np.integer)) or not 0 < shards < 1 << 32):
        raise InvalidArgument(f"shards is {shards!r}; it must be a whole number from 1 on, and goes with devices")
    return number, over


def built_of_pieces(
    keys: Pieces, spec: str, rows: Any, devices: list[int] | None, placement: str, shards: int, threads: int
) -> tuple[_core.Index, str]:
    """The index of the core over keys in pieces, and their family."""
    if devices is None or rows is not None:
        raise InvalidArgument(
            "keys are in pieces, which need devices" if devices is None else "rows go with one column of keys"
        )
    columns = [read(piece, f"piece {number} of keys") for number, piece in enumerate(keys._pieces)]
    if not columns:
        raise InvalidArgument("keys has no pieces")
    parts = [column.plain().whole() for column in columns]
    for column, part in zip(columns, parts):
        if column.family != columns[0].family:
            raise KeyTypeError(
                f"{column.name} is of type {column.family}, but {columns[0].name} of type {columns[0].family}"
            )
        if part.nulls is not None:
            raise InvalidArgument(f"{column.name} may hold nulls; keys in pieces have none")
    return _core.build_spread(parts, spec, devices, placement, shards, threads), columns[0].family


class _Asked(NamedTuple):
    """A piece of probes, and where its answers go."""

    columns: tuple[Values, ...]
    opens: tuple[bool, bool]
    answers: tuple[Any, ...]
    targets: tuple[Any, ...]  # what the core sees of the answers


def _asked(index: Asking, what: Lookup, piece: tuple[Any, ...], closed: str) -> _Asked:
    columns: tuple[Values, ...]
    if what.takes == "ranges":
        lower, upper = piece
        columns, opens = index._bounds(lower, upper, closed, None)
    else:
        columns, opens = (index._read(piece[0], "probes", what.rounding),), (False, False)
    if what.needs_places:
        expect_places(columns)
    columns = tuple(column.changed(parts=[column.plain().whole()]) for column in columns)
    answers, targets = zip(*[index._target(kind, columns) for kind in what.writes])
    return _Asked(columns, opens, answers, targets)


def ask_pieces(index: Asking, what: Lookup, probes: tuple[Any, ...], closed: str, call: Call) -> list[Any]:
    """The answers of a lookup to each piece of its probes."""
    if what.lists:
        raise Unsupported(f"{what.name} takes no pieces; it takes one column")
    if call.out is not None or call.stream is not None or call.told is not None or call.threads:
        raise InvalidArgument("out, stream, threads and progress go with one column; probes are in pieces")
    sides = [side._pieces for side in probes if isinstance(side, Pieces)]
    if len(sides) < len(probes) or len({len(side) for side in sides}) > 1:
        raise InvalidArgument("lower and upper must be in as many pieces as each other")
    query = [_asked(index, what, piece, closed) for piece in zip(*sides)]
    index._core.ask_spread(what.number, [(piece.columns, piece.targets, *piece.opens) for piece in query])
    return [_given(index, what, piece, call) for piece in query]


def _given(index: Asking, what: Lookup, piece: _Asked, call: Call) -> Any:
    """The answers to a piece in its kind."""
    if what.writes[0] == "rank":
        index._beyond(what, piece.columns, piece.answers[0], call, piece.opens)
    result = [_core.given(piece.columns, answer, kind) for answer, kind in zip(piece.answers, what.writes)]
    return result[0] if len(result) == 1 else tuple(result)


class DeviceLink(NamedTuple):
    """How fast bytes go from one device to another, in bytes per second."""

    source: int
    target: int
    peers: bool  #: whether each reads the other's memory, so that copies go directly
    one_way: float  #: alone
    both_ways: float  #: in both directions together, while as much comes back
    through_host: float  #: to page-locked host memory, and then from there


@public
def measured_links(nbytes: int = 1 << 28) -> list[DeviceLink]:
    """Measures the links between all pairs of devices, with copies of `nbytes` bytes. There are none without two
    devices.

    >>> all(link.one_way > 0 for link in measured_links())
    True
    """
    return [DeviceLink(*link) for link in _core.measured_links(nbytes)]
