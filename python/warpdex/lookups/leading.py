# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Lookups in an index over several columns by the first ones of them. All tuples that begin with the values of a probe
equal it; they are neighbours in the order, so ranks say which they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Call, Part, Values
from ..columns import libraries
from ..columns.several import columns_in, either, families_in, read_leading
from ..columns.values import read
from ..errors import InvalidArgument, Unsupported
from .asking import LOOKUPS, Asking, Lookup, expect_places, opens_of


def are_leading(index: Asking, what: Lookup, *probes: Any) -> bool:
    """Whether some columns of probes are fewer than those of the keys, or end with beginnings of strings."""
    size = len(families_in(index._family) or ())
    most = size if what.takes == "prefixes" and len(what.writes) == 1 else size - 1
    return any(1 <= len(columns_in(one) or ()) <= most for one in probes)


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
        sides = [_read(index, one, name, "exact") for one, name in zip(probes, names)]
        if what.needs_places:
            expect_places(tuple(side[0] for side in sides))
        if sides[0][0].size != sides[1][0].size:
            raise InvalidArgument(f"lower has {sides[0][0].size} values, upper {sides[1][0].size}")
        begin, end = (_ranks(index, side, after, plain) for side, after in zip(sides, (opens[0], not opens[1])))
    else:
        sides = [_read(index, probes[0], "probes", "exact" if what.needs_places else "equal")]
        if what.needs_places:
            expect_places(sides[0][:1])
        begin, end = (_ranks(index, sides[0], after, plain) for after in (False, True))
    asked = sides[0][0]
    counts = np.maximum(end - begin, 0)
    if (nulls := either(side[0].nulls() for side in sides)) is not None:
        counts[nulls] = 0
    spans = _Spans(index, begin, counts, index._where((asked,), plain))
    answers = answered(spans)
    if what.lists:
        return libraries.adopted(answers, asked)
    if call.out is not None:
        index._target(what.writes[0], (asked,), call.out)[1][:] = answers[0]
        return call.out
    given = [
        _core.given((asked,), one.astype(index._core.type_of(kind), copy=False), kind)
        for one, kind in zip(answers, what.writes)
    ]
    return given[0] if len(given) == 1 else tuple(given)


_Side = tuple[Values, "Values | None"]  # what `read_leading` gives; whole tuples are both


def _read(index: Asking, probes: Any, name: str, rounding: str, last_open: bool = False) -> _Side:
    columns = columns_in(probes) or []
    if not last_open and not 1 <= len(columns) < len(families_in(index._family) or ()):
        whole = index._read(probes, name, rounding)
        return whole, whole
    return read_leading(columns, name, index._family, rounding, last_open, read)


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
        made = np.full(self.counts.size, none, dtype)
        if rows.size:
            made[some] = by.reduceat(rows.astype(dtype), offsets[:-1][some])
        return made


_ANSWERS: dict[str, Callable[[_Spans], tuple[np.ndarray, ...]]] = {
    "find": lambda spans: (spans.reduced(np.minimum, -1, np.int64),),
    "contains": lambda spans: (spans.counts > 0,),
    "lower_bound": lambda spans: (spans.begin,),
    "upper_bound": lambda spans: (spans.begin + spans.counts,),
    "retrieve": _Spans.rows,
    "range_retrieve": _Spans.rows,
    "rank_range": lambda spans: (spans.begin, spans.counts),
    "range_sum": lambda spans: (spans.reduced(np.add, 0, np.uint64),),
    **dict.fromkeys(("count", "range_count"), lambda spans: (spans.counts,)),
}
