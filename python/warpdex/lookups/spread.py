# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Columns in pieces, such as an array on each device: keys and probes of an index over several of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Values
from ..columns import libraries
from ..columns.values import read
from ..errors import InvalidArgument, KeyTypeError, Unsupported, shown
from .asking import Asking, Lookup, expect_places
from .border import public, public_methods


@public_methods(held="")
class Pieces:
    """A column in pieces, each of any kind of column: keys or probes of an index over several devices.

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
        return f"<warpdex.Pieces: {len(self._pieces)}>"


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
    columns = tuple(one.changed(parts=[one.plain().whole()]) for one in columns)
    size, place = columns[0].size, columns[0].place
    types = [np.dtype(index._core.type_of(kind)) for kind in what.writes]
    if place is None:
        answers = tuple(np.empty(size, one) for one in types)
        return _Asked(columns, opens, answers, answers)
    there, targets = zip(*[libraries.target(None, one, size, place) for one in types])
    return _Asked(columns, opens, there, targets)


def ask_pieces(index: Asking, what: Lookup, probes: tuple[Any, ...], closed: str, call: Call) -> list[Any]:
    """The answers of a lookup to each piece of its probes."""
    if what.lists:
        raise Unsupported(f"{what.name} takes no pieces; it takes one column")
    if call.out is not None or call.stream is not None or call.told is not None or call.threads:
        raise InvalidArgument("out, stream, threads and progress go with one column; probes are in pieces")
    sides = [one._pieces for one in probes if isinstance(one, Pieces)]
    if len(sides) < len(probes) or len({len(one) for one in sides}) > 1:
        raise InvalidArgument("lower and upper must be in as many pieces as each other")
    asked = [_asked(index, what, piece, closed) for piece in zip(*sides)]
    index._core.ask_spread(what.number, [(one.columns, one.targets, *one.opens) for one in asked])
    return [_given(index, what, one, call) for one in asked]


def _given(index: Asking, what: Lookup, asked: _Asked, call: Call) -> Any:
    """The answers to a piece in its kind."""
    if what.writes[0] == "rank":
        index._beyond(what, asked.columns, asked.answers[0], call, asked.opens)
    made = [_core.given(asked.columns, one, kind) for one, kind in zip(asked.answers, what.writes)]
    return made[0] if len(made) == 1 else tuple(made)


class DeviceLink(NamedTuple):
    """How fast bytes go from a device to another one, in bytes per second."""

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
