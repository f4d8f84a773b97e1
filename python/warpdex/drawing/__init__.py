# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Drawings of small indexes: their levels, nodes, slots, pivots, chains and gaps, and the path of a probe.

A drawing is made from the arrays of an index that was built for it, so it shows what is in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import Error, InvalidArgument, reading
from ..lookups.border import public
from ..lookups.calls import described
from ..lookups.index import Index
from ._arrangements import ARRANGEMENTS, any_arrays
from ._figures import Drawn, Probe
from ._stored import Code, Stored
from ._svg import svg

__all__ = ["Drawing"]

_MOST = 1000


class Drawing:
    """An SVG, which notebooks show; `str` is its text.

    >>> str(draw("AO+BS", [30, 10, 20]))[:4]
    '<svg'
    """

    def __init__(self, text: str, *facts: str) -> None:
        self._text, self._facts = text, facts

    def __repr__(self) -> str:
        return described("Drawing", *self._facts)

    def __str__(self) -> str:
        return self._text

    def _repr_svg_(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        """The SVG as a part of the page, whose colours it takes; a wide one scrolls by itself."""
        return f'<div class="wdx-scroll" style="overflow-x: auto" tabindex="0">{self._text}</div>'


@public
def draw(spec: str, keys: Any, probe: Any = None) -> Drawing:
    """Draws the index of a spec over some keys, up to 1000, and the path of a probe through it.

    Boxes are elements of the arrays that the index has in its file; an entry shows its key and its row id. Nodes
    have a frame, free slots are dashed, and many that look alike are one box with their number. GRT, cgRX and RX have no
    array beyond their entries in files: their upper rows are what follows from these. A path goes over the nodes that a
    search reads, to the entry that answers it: the first one that is not less than the probe, or in a hash table, which
    has no order, its key. Without such an entry it ends where the search does.

    >>> picture = draw("AO+PB+BS", [30, 10, 20, 50, 40], probe=40)
    >>> str(picture).startswith("<svg")
    True
    """
    index = Index(keys, spec).to("cpu")
    if len(index) > _MOST:
        raise InvalidArgument(f"keys has {len(index)} keys; a drawing takes {_MOST} at most")
    sorted_keys = Index(keys, "AO+BS").to("cpu")
    shown = None if probe is None else _shown(probe)
    stored = Stored(index._core.to_bytes().tobytes())
    ordered = Stored(sorted_keys._core.to_bytes().tobytes())
    texts = _texts(sorted_keys)
    names = {slot.code: texts[slot.row] for slot in ordered.slots}
    found = None if probe is None else _probe(index, sorted_keys, [slot.code for slot in ordered.slots], probe)
    drawn = Drawn(stored, texts, names, found)
    ARRANGEMENTS.get(stored.structure, any_arrays)(drawn)
    title = f"{stored.spec} over {len(index)} keys"
    return Drawing(
        svg(drawn.figure, title, _described(drawn, shown)), f"{len(index)} keys", stored.spec.partition("/")[0]
    )


def _shown(key: Any) -> str:
    if isinstance(key, tuple):
        return ", ".join(map(_shown, key))
    text = key.decode(errors="backslashreplace") if isinstance(key, bytes) else str(key)
    return text if len(text) <= 24 else text[:21] + "..."


def _texts(index: Index) -> dict[int, str]:
    """The key of each row as text."""
    if not len(index):
        return {}
    ranks = np.arange(len(index))
    keys = index.keys_at(ranks)
    listed = zip(*keys) if isinstance(keys, list) else list(keys)
    return {int(row): _shown(key) for row, key in zip(index.rows_at(ranks), listed)}


def _probe(index: Index, ordered: Index, codes: list[Code], probe: Any) -> Probe:
    """What lookups say about a probe. Changes both indexes."""
    with reading("probe"):
        column = tuple([value] for value in probe) if isinstance(probe, tuple) else [probe]
        rank = int(ordered.lower_bound(column)[0])
        row = int(index.find(column)[0])
    below = codes[rank - 1] if rank else None
    equal = codes[rank] if row >= 0 else None
    is_ordered = index._core.facts()["ordered"]
    if row < 0 and rank < len(codes) and is_ordered:
        row = int(ordered.rows_at([rank])[0])
    return Probe(below, equal, row if row >= 0 else None, _code(ordered if is_ordered else index, column))


def _code(index: Index, column: Any) -> Code | None:
    """A probe as an index holds keys: that of an entry which is added for it."""
    seed = Stored(index._core.to_bytes().tobytes()).numbers("table", 8)[:1]
    row = (1 << 31) - 1  # none of the few that a drawing has
    try:
        index.insert(column, [row])
    except Error:
        return None
    stored = Stored(index._core.to_bytes().tobytes())
    is_same = stored.numbers("table", 8)[:1] == seed
    return next((slot.code for slot in stored.slots if slot.row == row and is_same), None)


def _described(drawn: Drawn, probe: str | None) -> str:
    """The drawing in words."""
    rows = "; ".join(
        f"{row.label}: {len(row.nodes)} {'node' if len(row.nodes) == 1 else 'nodes'} of "
        f"{sum(map(len, row.nodes))} elements"
        for row in drawn.figure.rows
        if row.label
    )
    if probe is None:
        return rows + "."
    end = drawn.slot_of_answer()
    where = "no entry" if end is None else f"slot {end}, with key {drawn.texts.get(drawn.stored.slots[end].row, '')}"
    steps = len(drawn.figure.path)
    return f"{rows}. The search for {probe} looks at {steps} {'place' if steps == 1 else 'places'} and ends at {where}."
