# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of drawings: rows of boxes, arrows between them, and the facts of a probe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ._stored import Code, Stored


@dataclass
class Cell:
    """A box: the element of an array at `position`, or `span` elements from there on that look alike."""

    text: str
    kind: str  # entry, pivot, link, hash, free: the colour
    array: str
    position: int
    note: str = ""  # the second line
    span: int = 1


@dataclass
class Row:
    """Nodes side by side."""

    label: str
    nodes: list[list[Cell]]


class Spot(NamedTuple):
    """A node of a row, and a cell in it, that a search looks at; -1 for the node as a whole."""

    row: int
    node: int
    cell: int = -1


class Link(NamedTuple):
    """An arrow from a cell to a node of another row."""

    begin: Spot
    end: Spot


@dataclass
class Figure:
    rows: list[Row] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    path: list[Spot] = field(default_factory=list)


class Probe(NamedTuple):
    """Where a probe is among the codes of all entries, as a lookup of the index has said."""

    below: Code | None  # the largest code that is less than the probe
    equal: Code | None  # the probe's own code, if it is there
    row: int | None  # the row id of the first entry that is not less than the probe, or of a hash table of its key
    code: Code | None  # the probe as the index would hold it: in a hash table its hash. None for what cannot be a key

    def above(self, code: Code) -> bool:
        """Whether the probe is greater than a code."""
        return self.below is not None and code <= self.below  # type: ignore[operator]

    def reaches(self, code: int) -> bool:
        """Whether the probe is not less than a code. Models also hold the number that follows a key."""
        return code == self.equal or isinstance(self.below, int) and code <= self.below + 1


class Drawn:
    """What the rows of all structures have in common: the arrays, the texts of keys, and the probe."""

    def __init__(self, stored: Stored, texts: dict[int, str], names: dict[Code, str], probe: Probe | None) -> None:
        self.stored, self.texts, self.names, self.probe = stored, texts, names, probe
        self.figure = Figure()

    def entry(self, slot: int) -> Cell:
        code, row = self.stored.slots[slot]
        array = "pairs" if "pairs" in self.stored.arrays else "rows"
        if row == self.stored.no_row:
            return Cell("", "free", array, slot)
        hashed = self.stored.structure == "HT"
        note = f"{code:0{2 * (self.stored.key_bytes or 8)}x}"[:4] if isinstance(code, int) and hashed else str(row)
        return Cell(self.texts.get(row, f"@{row}"), "hash" if hashed else "entry", array, slot, note)

    def entries(self, label: str, ends: list[int], begin: int = 0) -> int:
        """A row of slots, cut into nodes that end at `ends`. @return the number of the row"""
        nodes = [[self.entry(slot) for slot in range(a, b)] for a, b in zip([begin, *ends], ends)]
        return self.row(label, nodes)

    def key(self, array: str, position: int, code: int, kind: str = "pivot", note: str = "") -> Cell:
        text = self.names.get(code)
        if text is None and code - 1 in self.names:
            text = self.names[code - 1] + "+1"
        elif text is None:
            text = "max" if code == (1 << 8 * self.stored.key_bytes) - 1 else str(code)
        return Cell(text, "free" if text == "max" else kind, array, position, note)

    def row(self, label: str, nodes: list[list[Cell]]) -> int:
        self.figure.rows.append(Row(label, nodes))
        return len(self.figure.rows) - 1

    def slot_of_answer(self) -> int | None:
        """The slot that answers the probe."""
        if self.probe is None or self.probe.row is None:
            return None
        cells = (cell for row in self.figure.rows for node in row.nodes for cell in node)
        held = (cell.position for cell in cells if cell.kind in ("entry", "hash"))
        return next((position for position in held if self.stored.slots[position].row == self.probe.row), None)

    def end_at_answer(self, row: int) -> None:
        """The path ends in the slot that answers the probe, in a row of slots."""
        position = self.slot_of_answer()
        for number, node in enumerate(self.figure.rows[row].nodes):
            for at, cell in enumerate(node):
                if cell.position == position and cell.kind in ("entry", "hash"):
                    self.figure.path.append(Spot(row, number, at))
                    return

    def descend(self, level: Row, number: int, row: int, codes: list[int]) -> int:
        """Adds a node of pivots to the path. @return the child to which the search goes on"""
        probe, node = self.probe, level.nodes[number]
        assert probe is not None
        child = sum(probe.above(codes[cell.position]) for cell in node)
        self.figure.path.append(Spot(row, number, min(child, len(node) - 1)))
        return child


def cuts(size: int, width: int) -> list[int]:
    """Where nodes of `width` elements end; the last one may have fewer."""
    return [min(end, size) for end in range(width, size + width, width)] if size else []
