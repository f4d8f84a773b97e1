# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How the arrays of each structure become rows of boxes, and which of them a search for a probe reads."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ._stored import Code, Stored


@dataclass
class Cell:
    """A box: the element of an array at `place`, or `span` elements from there on that look alike."""

    text: str
    kind: str  # entry, pivot, link, hash, free: the colour
    array: str
    place: int
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

    def key(self, array: str, place: int, code: int, kind: str = "pivot", note: str = "") -> Cell:
        text = self.names.get(code)
        if text is None and code - 1 in self.names:
            text = self.names[code - 1] + "+1"
        elif text is None:
            text = "max" if code == (1 << 8 * self.stored.key_bytes) - 1 else str(code)
        return Cell(text, "free" if text == "max" else kind, array, place, note)

    def row(self, label: str, nodes: list[list[Cell]]) -> int:
        self.figure.rows.append(Row(label, nodes))
        return len(self.figure.rows) - 1

    def slot_of_answer(self) -> int | None:
        """The slot that answers the probe."""
        if self.probe is None or self.probe.row is None:
            return None
        cells = (cell for row in self.figure.rows for node in row.nodes for cell in node)
        held = (cell.place for cell in cells if cell.kind in ("entry", "hash"))
        return next((place for place in held if self.stored.slots[place].row == self.probe.row), None)

    def end_at_answer(self, row: int) -> None:
        """The path ends in the slot that answers the probe, in a row of slots."""
        place = self.slot_of_answer()
        for number, node in enumerate(self.figure.rows[row].nodes):
            for at, cell in enumerate(node):
                if cell.place == place and cell.kind in ("entry", "hash"):
                    self.figure.path.append(Spot(row, number, at))
                    return

    def descend(self, level: Row, number: int, row: int, codes: list[int]) -> int:
        """Adds a node of pivots to the path. @return the child to which the search goes on"""
        probe, node = self.probe, level.nodes[number]
        assert probe is not None
        child = sum(probe.above(codes[cell.place]) for cell in node)
        self.figure.path.append(Spot(row, number, min(child, len(node) - 1)))
        return child


def cuts(size: int, width: int) -> list[int]:
    """Where nodes of `width` elements end; the last one may have fewer."""
    return [min(end, size) for end in range(width, size + width, width)] if size else []


def tree_levels(leaves: int, fanout: int) -> list[int]:
    """The nodes of each level above `leaves`, from the root down."""
    counts: list[int] = []
    while leaves > 1:
        leaves = -(-leaves // fanout)
        counts.insert(0, leaves)
    return counts


def sorted_array(drawn: Drawn) -> None:
    """AO+BS: steps of falling powers of two, from the end to the front."""
    size = drawn.stored.size
    row = drawn.entries("sorted pairs: key, row id", [size] if size else [])
    if drawn.probe is None:
        return
    at = size
    for step in reversed(range(size.bit_length() if drawn.stored.structure == "AO+BS" else 0)):
        if 1 << step <= at:
            drawn.figure.path.append(Spot(row, 0, at - (1 << step)))
            at -= 0 if drawn.probe.above(drawn.stored.slots[at - (1 << step)].code) else 1 << step
    drawn.end_at_answer(row)


def eytzinger(drawn: Drawn) -> None:
    """EO+BS, EO+KS(K): a complete K-ary tree, level by level."""
    stored = drawn.stored
    fanout = int(stored.arguments.get("0", 2))
    lead, width = (1 if fanout == 2 else 0), fanout - 1
    nodes = (len(stored.slots) - lead) // width if stored.size else 0
    first, count = 0, 1
    rows: list[int] = []
    while first < nodes:
        last = min(first + count, nodes)
        ends = [lead + (node + 1) * width for node in range(first, last)]
        rows.append(drawn.entries(f"level {len(rows)}", ends, lead + first * width))
        for cell in (cell for node in drawn.figure.rows[rows[-1]].nodes for cell in node):
            if cell.place >= lead + stored.size:
                cell.kind, cell.text, cell.note = "free", "", ""
        first, count = last, count * fanout
    _link_levels(drawn, rows, [fanout] * len(rows))
    if drawn.probe is None:
        return
    codes = [slot.code for slot in stored.slots]
    node = 0
    for row in rows:
        if node >= len(drawn.figure.rows[row].nodes):
            break
        node = node * fanout + drawn.descend(drawn.figure.rows[row], node, row, codes)  # type: ignore[arg-type]
    if drawn.slot_of_answer() is not None:
        _end_above(drawn, rows)


def _end_above(drawn: Drawn, rows: list[int]) -> None:
    """The answer of a search may be in a node that it has passed."""
    for row in rows:
        drawn.end_at_answer(row)
    if len(drawn.figure.path) > 1 and drawn.figure.path[-1] == drawn.figure.path[-2]:
        drawn.figure.path.pop()


def _link_levels(drawn: Drawn, rows: list[int], fanouts: list[int]) -> None:
    """Arrows from the children of each node to the nodes of the next row, which are in the same order."""
    for (row, below), fanout in zip(zip(rows, rows[1:]), fanouts):
        width, last = len(drawn.figure.rows[row].nodes[0]), len(drawn.figure.rows[below].nodes)
        for child in range(min(last, fanout * len(drawn.figure.rows[row].nodes))):
            begin = Spot(row, child // fanout, min(child % fanout, width - 1))
            drawn.figure.links.append(Link(begin, Spot(below, child)))


def _pivot_rows(drawn: Drawn, array: str, counts: list[int], width: int) -> tuple[list[int], list[int]]:
    """A row for each level of pivots that is in memory. @return the rows and all pivots"""
    codes, rows, first = drawn.stored.keys(array), [], 0
    for level, count in enumerate(counts):
        if first + count * width > len(codes):
            break
        places = [range(first + node * width, first + (node + 1) * width) for node in range(count)]
        cells = [[drawn.key(array, place, codes[place]) for place in node] for node in places]
        rows.append(drawn.row(f"level {level}: pivots", cells))
        first += count * width
    return rows, codes


def pivot_tree(drawn: Drawn) -> None:
    """AO+PB+BS, AO+PB+KS(K): sorted pairs in leaves of K-1 below a buffer of pivots."""
    size = drawn.stored.size
    fanout = int(drawn.stored.arguments.get("0", 2))
    leaves = -(-size // (fanout - 1))
    counts = tree_levels(leaves, fanout)
    rows, codes = _pivot_rows(drawn, "pivots", counts, fanout - 1)
    row = drawn.entries("sorted pairs: key, row id", cuts(size, fanout - 1))
    # A child of the last level in memory begins after `below` leaves of the one before.
    below = fanout ** (len(counts) - len(rows))
    _link_levels(drawn, rows, [fanout] * len(rows))
    for child in range(-(-leaves // below) if rows else 0):
        begin = Spot(rows[-1], child // fanout, min(child % fanout, fanout - 2))
        drawn.figure.links.append(Link(begin, Spot(row, child * below)))
    _search_tree(drawn, rows, codes, lambda _, node, child: node * fanout + child, row)


def _search_tree(
    drawn: Drawn, rows: list[int], codes: list[int], next_node: Callable[[int, int, int], int], entries: int
) -> None:
    """The path of a search from the root to the slots. One that passes the last key stays in the last node."""
    if drawn.probe is None:
        return
    node = 0
    for level, row in enumerate(rows):
        node = min(node, len(drawn.figure.rows[row].nodes) - 1)
        node = next_node(level, node, drawn.descend(drawn.figure.rows[row], node, row, codes))
    drawn.end_at_answer(entries)


def _leaves(drawn: Drawn, width: int) -> int:
    return drawn.entries("leaves: key, row id", cuts(len(drawn.stored.slots), width))


def bplus_tree(drawn: Drawn) -> None:
    """B+(16), B+(page=4096): leaves with free slots under nodes with a pivot per child."""
    stored = drawn.stored
    pair = stored.key_bytes + stored.row_bytes
    if "/layout=AoS" in stored.spec:
        pair = 2 * max(stored.key_bytes, stored.row_bytes)
    paged = "page" in stored.arguments
    width = 1 << ((4096 // pair).bit_length() - 1) if paged else 16
    fanout = 4096 // stored.key_bytes if paged else 16
    counts = tree_levels(-(-len(stored.slots) // width), fanout)
    rows, codes = _pivot_rows(drawn, "pivots", counts, fanout)
    row = _leaves(drawn, width)
    _link_levels(drawn, [*rows, row], [fanout] * len(rows))
    _search_tree(drawn, rows, codes, lambda _, node, child: node * fanout + child, row)


def harmonia(drawn: Drawn) -> None:
    """Harmonia(32): the same, with the first child of each node in a region of its own."""
    stored, width = drawn.stored, 32
    children = stored.numbers("children", stored.row_bytes)
    counts = tree_levels(-(-len(stored.slots) // width), width + 1)
    rows, codes = _pivot_rows(drawn, "pivots", counts, width)
    if children:
        drawn.row(
            "children: the first child of each node",
            [[Cell(str(c), "link", "children", i)] for i, c in enumerate(children)],
        )
    row = _leaves(drawn, width)
    firsts = [sum(counts[:level]) for level in range(len(counts) + 1)]
    for level, (here, below) in enumerate(zip(rows, [*rows[1:], row])):
        for node in range(counts[level]):
            begin = children[firsts[level] + node]
            after = firsts[level] + node + 1
            end = children[after] if node + 1 < counts[level] else begin + width + 1
            nodes = len(drawn.figure.rows[below].nodes)
            for child in range(begin, min(end, firsts[level + 1] + nodes)):
                spot = Spot(below, child - firsts[level + 1])
                drawn.figure.links.append(Link(Spot(here, node, min(child - begin, width - 1)), spot))
    _search_tree(
        drawn,
        rows,
        codes,
        lambda level, node, child: children[firsts[level] + node] + child - firsts[level + 1],
        row,
    )


def chains(drawn: Drawn) -> None:
    """cgRXu: a scene of bounds, and for each the chain of nodes behind it."""
    stored = drawn.stored
    bounds, maxima = stored.keys("bounds"), stored.keys("pivots")
    begins = stored.numbers("chains", stored.row_bytes)
    scene = drawn.row("bounds: what rays hit", [[drawn.key("bounds", i, c)] for i, c in enumerate(bounds)])
    chain = drawn.row(
        "chains: the first node of each", [[Cell(str(c), "link", "chains", i)] for i, c in enumerate(begins)]
    )
    last = drawn.row("pivots: the last key of each node", [[drawn.key("pivots", i, c)] for i, c in enumerate(maxima)])
    row = _leaves(drawn, int(stored.arguments["node"]))
    for bucket, begin in enumerate(begins[:-1]):
        drawn.figure.links.append(Link(Spot(scene, bucket, 0), Spot(chain, bucket)))
        if begin < len(maxima):
            drawn.figure.links.append(Link(Spot(chain, bucket, 0), Spot(last, begin)))
    _first_not_less(drawn, [(scene, bounds), (chain, bounds), (last, maxima)], row)


def _first_not_less(drawn: Drawn, over: list[tuple[int, list[int]]], entries: int) -> None:
    """The path goes over the first key of each row that is not less than the probe."""
    if drawn.probe is None:
        return
    for row, codes in over:
        at = sum(drawn.probe.above(code) for code in codes)
        if at < len(codes):
            drawn.figure.path.append(Spot(row, at, 0))
    drawn.end_at_answer(entries)


def buckets_of_rays(drawn: Drawn) -> None:
    """cgRX, RX: sorted pairs in buckets. Rays find the last key of a bucket, its representative."""
    stored = drawn.stored
    ends = cuts(stored.size, int(stored.arguments.get("bucket", 1)))
    if stored.structure == "RX":
        codes = [slot.code for slot in stored.slots]
        ends = [i + 1 for i in range(len(codes)) if codes[i : i + 1] != codes[i + 1 : i + 2]]
    array = "pairs" if "pairs" in stored.arrays else "keys"
    codes_at_ends = [int(stored.slots[end - 1].code) for end in ends]
    cells = [[drawn.key(array, end - 1, code)] for end, code in zip(ends, codes_at_ends)]
    scene = drawn.row("scene: the last key of each bucket, which rays hit", cells)
    row = drawn.entries("sorted pairs: key, row id", ends)
    drawn.figure.links += [Link(Spot(scene, bucket, 0), Spot(row, bucket)) for bucket in range(len(ends))]
    _first_not_less(drawn, [(scene, codes_at_ends)], row)


def _segments(drawn: Drawn, array: str, label: str, first: int, count: int) -> int:
    """A row of segments: the first key of each, and the rank that its line predicts there."""
    stored, width = drawn.stored, drawn.stored.row_bytes
    codes, lines = stored.keys(array), stored.arrays["lines"]
    eps = int(stored.arguments["eps" if "eps" in stored.arguments else "0"])
    cells = []
    for place in range(first, first + count):
        rank, slope = struct.unpack_from("<If" if width == 4 else "<Qd", lines, place * 2 * width)
        shift = eps if "levels" not in stored.arrays or first == 0 else int(stored.arguments.get("1", eps))
        cells.append([drawn.key(array, place, codes[place], note=f"{rank - shift} + {slope:.3g} d")])
    return drawn.row(label, cells)


def _last_reached(drawn: Drawn, row: int, codes: list[int]) -> None:
    """A search takes the last segment whose key is not greater than the probe."""
    if drawn.probe is None:
        return
    cells = [node[0] for node in drawn.figure.rows[row].nodes]
    reached = sum(drawn.probe.reaches(codes[cell.place]) for cell in cells)
    if cells:
        drawn.figure.path.append(Spot(row, max(reached - 1, 0), 0))


def _over_lines(drawn: Drawn, rows: list[int], codes: list[int]) -> None:
    """The sorted pairs below segments, each of which leads to the entries from its key on."""
    stored = drawn.stored
    entries = drawn.entries("sorted pairs: key, row id", [stored.size] if stored.size else [])
    keys = [slot.code for slot in stored.slots]
    for row, below in zip(rows, [*rows[1:], entries]):
        places = keys if below == entries else [codes[node[0].place] for node in drawn.figure.rows[below].nodes]
        for number, node in enumerate(drawn.figure.rows[row].nodes):
            at = bisect_left(places, codes[node[0].place])
            if at < len(places):
                end = Spot(below, 0, at) if below == entries else Spot(below, at)
                drawn.figure.links.append(Link(Spot(row, number, 0), end))
    for row in rows:
        _last_reached(drawn, row, codes)
    if drawn.probe is not None:
        drawn.end_at_answer(entries)


def pgm(drawn: Drawn) -> None:
    """PGM: levels of segments, the highest first."""
    counts = drawn.stored.numbers("levels", 8)
    firsts = [0]
    for count in counts:
        firsts.append(firsts[-1] + (count // 16 + 1) * 16)
    rows = [
        _segments(drawn, "segments", f"level {level + 1}: first key, rank after d keys", firsts[level], counts[level])
        for level in reversed(range(len(counts)))
    ]
    _over_lines(drawn, rows, drawn.stored.keys("segments"))


def radix_spline(drawn: Drawn) -> None:
    """RS: a table over the upper bits of keys, the points of a spline, and the pairs."""
    stored = drawn.stored
    count, origin, shift, cells = [*stored.numbers("grid", 8), 0, 0, 0, 0][:4]
    table = stored.numbers("table", stored.row_bytes)
    over = drawn.row(
        "table: points before each cell",
        [[Cell(str(c), "link", "table", i) for i, c in enumerate(table)]] if table else [],
    )
    rows = [_segments(drawn, "points", "points: key, rank after d keys", 0, count)]
    drawn.figure.links += [Link(Spot(over, 0, i), Spot(rows[0], c)) for i, c in enumerate(table[:-1]) if c < count]
    code = drawn.probe and (drawn.probe.equal if drawn.probe.equal is not None else drawn.probe.below)
    if isinstance(code, int) and table:
        drawn.figure.path.append(Spot(over, 0, min(max(code - origin, 0) >> shift, cells - 1)))
    _over_lines(drawn, rows, stored.keys("points"))


def _bytes_of(code: Code, width: int) -> bytes:
    return code if isinstance(code, bytes) else code.to_bytes(width, "big")


def radix_tree(drawn: Drawn) -> None:
    """GRT: runs of entries that share their first bytes, until a leaf takes them."""
    stored = drawn.stored
    most = int(stored.arguments["leaf"])
    keys = [_bytes_of(slot.code, stored.key_bytes) for slot in stored.slots]
    array = "pairs" if "pairs" in stored.arrays else "bytes" if "bytes" in stored.arrays else "keys"
    levels: list[list[list[Cell]]] = []
    found: list[tuple[Spot, int]] = []  # a child, and its first entry
    ends: list[int] = []

    def shared(begin: int, end: int) -> int:
        first, last = keys[begin], keys[end - 1]
        return next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))

    def visit(begin: int, end: int, level: int, depth: int) -> None:
        if end - begin <= most or keys[begin] == keys[end - 1]:
            ends.append(end)
            return
        split = shared(begin, end)
        levels.extend([] for _ in range(level + 1 - len(levels)))
        node = (
            [Cell(" ".join(f"{byte:02x}" for byte in keys[begin][depth:split]), "free", array, begin)]
            if split > depth
            else []
        )
        levels[level].append(node)
        number = len(levels[level]) - 1
        at = begin
        for byte, same in groupby(keys[begin:end], lambda key: key[split : split + 1]):
            after = at + len(list(same))
            node.append(Cell(byte.hex() or "end", "pivot", array, at))
            found.append((Spot(level, number, len(node) - 1), at))
            visit(at, after, level + 1, split + 1)
            at = after

    if keys:
        visit(0, len(keys), 0, 0)
    rows = [drawn.row(f"level {i}: path (dashed), bytes of children", nodes) for i, nodes in enumerate(levels)]
    row = drawn.entries("sorted pairs: key, row id", ends)
    _link_bytes(drawn, rows, row, ends, found)


def _link_bytes(drawn: Drawn, rows: list[int], row: int, ends: list[int], found: list[tuple[Spot, int]]) -> None:
    """Arrows from the bytes of nodes to the nodes or leaves that begin with the same entry, and the path."""
    firsts = [[node[0].place for node in drawn.figure.rows[r].nodes] for r in rows]
    leaves = [0, *ends]
    answer = drawn.slot_of_answer()
    for begin, entry in found:
        below = begin.row + 1
        if below < len(rows) and entry in firsts[below]:
            end = Spot(rows[below], firsts[below].index(entry))
        else:
            end = Spot(row, leaves.index(entry))
        drawn.figure.links.append(Link(begin, end))
    if answer is None:
        return
    for number, level in enumerate(rows):
        here = [spot for spot, entry in found if spot.row == level and entry <= answer]
        if here and (number == 0 or drawn.figure.path and _leads(drawn, drawn.figure.path[-1], here[-1])):
            drawn.figure.path.append(here[-1])
    drawn.end_at_answer(row)


def _leads(drawn: Drawn, begin: Spot, end: Spot) -> bool:
    return Link(begin, Spot(end.row, end.node)) in drawn.figure.links


def hash_table(drawn: Drawn) -> None:
    """HT(open), HT(buckets): slots in the order of hashes."""
    stored = drawn.stored
    _, homes, units, _ = [*stored.numbers("table", 8), 0, 0, 0, 0][:4]
    chained = stored.arguments.get("0") == "buckets"
    width = 4 * (4 if chained else 1) if chained else len(stored.slots) // units if units else 1
    base = homes * width if chained else len(stored.slots)
    row = drawn.entries("buckets: key, first digits of its hash", cuts(base, width))
    nexts = {}
    if chained:
        chain = drawn.entries("nodes of chains", [base + end for end in cuts(len(stored.slots) - base, 4)], base)
        nexts = dict(_chain_links(drawn, (row, chain)))
    for block, mark in enumerate(_lists(stored)):
        drawn.row("row lists: all rows of a key that has several" if block == 0 else "", [mark])
    _follow_hash(drawn, row, homes, nexts)


def _chain_links(drawn: Drawn, rows: tuple[int, int]) -> Iterator[tuple[Spot, Spot]]:
    """The last slot of each node has the number of the next one, from 1, or 0."""
    for row in rows:
        for number, node in enumerate(drawn.figure.rows[row].nodes):
            following = drawn.stored.slots[node[-1].place].row
            last = node[-1]
            last.kind, last.text, last.note = ("link", f"n{following}", "") if following else ("free", "", "")
            if following:
                begin, end = Spot(row, number, len(node) - 1), Spot(rows[1], following - 1)
                drawn.figure.links.append(Link(begin, end))
                yield Spot(row, number), end


def _lists(stored: Stored) -> Iterator[list[Cell]]:
    starts, rows = stored.numbers("list_starts", stored.row_bytes), stored.numbers("list_rows", stored.row_bytes)
    for begin, end in zip(starts, starts[1:]):
        yield [Cell(str(rows[place]), "link", "list_rows", place) for place in range(begin, end)]


def _follow_hash(drawn: Drawn, row: int, homes: int, nexts: dict[Spot, Spot]) -> None:
    """The path goes from the home of a hash to its slot, from bucket to bucket or along the chain."""
    slot = drawn.slot_of_answer()
    if slot is None or not homes:
        return
    bits = 8 * (drawn.stored.key_bytes or 8)
    node = Spot(row, int(drawn.stored.slots[slot].code) * homes >> bits)
    drawn.figure.path.append(node)
    while not any(cell.place == slot and cell.kind == "hash" for cell in drawn.figure.rows[node.row].nodes[node.node]):
        node = nexts.get(node, Spot(node.row, node.node + 1)) if nexts else Spot(node.row, node.node + 1)
        drawn.figure.path.append(node)
    at = next(i for i, cell in enumerate(drawn.figure.rows[node.row].nodes[node.node]) if cell.place == slot)
    drawn.figure.path[-1] = Spot(node.row, node.node, at)


def any_arrays(drawn: Drawn) -> None:
    """A structure that is not listed below: its arrays as rows of numbers."""
    for name in drawn.stored.arrays:
        width = drawn.stored.row_bytes
        if name == "keys":
            drawn.entries("keys, row ids", [len(drawn.stored.slots)])
        elif name not in ("rows", "pairs", "offsets", "bytes"):
            drawn.row(name, [[Cell(str(n), "link", name, i) for i, n in enumerate(drawn.stored.numbers(name, width))]])


ARRANGEMENTS: dict[str, Callable[[Drawn], None]] = {
    "AO+BS": sorted_array,
    "AO+IS": sorted_array,
    "EO+BS": eytzinger,
    "EO+KS": eytzinger,
    "AO+PB+BS": pivot_tree,
    "AO+PB+KS": pivot_tree,
    "PGM": pgm,
    "RS": radix_spline,
    "GRT": radix_tree,
    "cgRX": buckets_of_rays,
    "RX": buckets_of_rays,
    "B+": bplus_tree,
    "Harmonia": harmonia,
    "cgRXu": chains,
    "HT": hash_table,
}
