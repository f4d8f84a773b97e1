# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How the arrays of each structure become rows of boxes, and which of them a search for a probe reads."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import groupby
from math import isqrt

from ._figures import Cell, Drawn, Link, Spot, cuts
from ._hash_rows import hash_table
from ._stored import Code


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
    for step in reversed(range(size.bit_length())):
        if 1 << step <= at:
            drawn.figure.path.append(Spot(row, 0, at - (1 << step)))
            at -= 0 if drawn.probe.above(drawn.stored.slots[at - (1 << step)].code) else 1 << step
    drawn.end_at_answer(row)


def interpolated(drawn: Drawn) -> None:
    """AO+IS: both ends, then guesses by interpolation, each followed by a step and by a half."""
    size = drawn.stored.size
    row = drawn.entries("sorted pairs: key, row id", [size] if size else [])
    if drawn.probe is None:
        return
    if size and isinstance(drawn.probe.code, int):
        codes = [int(slot.code) for slot in drawn.stored.slots]
        drawn.figure.path += [Spot(row, 0, slot) for slot in _interpolation(codes, drawn.probe.code)]
    drawn.end_at_answer(row)


def _interpolation(codes: list[int], target: int) -> Iterator[int]:
    """The slots that a search visits, as in include/warpdex/search/interpolated.hpp."""
    first, last = 0, len(codes) - 1
    yield from (first, last) if last else (first,)
    if not codes[first] < target <= codes[last]:
        return
    at, visits = _guess(codes, first, last, target), 3
    while last - first > 1:
        yield at
        width, is_before = last - first, codes[at] < target
        first, last = (at, last) if is_before else (first, at)
        left = last - first
        if visits % 3 == 0:
            step = isqrt(width)
            at = _between(first, last, step if is_before else left - min(step, left))
        elif visits % 3 == 1:
            at = first + left // 2
        else:
            at = _guess(codes, first, last, target)
        visits += 1


def _guess(codes: list[int], first: int, last: int, target: int) -> int:
    """The slot of the target between two others, if keys are evenly spread."""
    spread = float(codes[last] - codes[first])
    return _between(first, last, int(float(target - codes[first]) / spread * (last - first)))


def _between(first: int, last: int, offset: int) -> int:
    return first + max(1, min(offset, last - first - 1))


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
            if cell.position >= lead + stored.size:
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
        nodes = [range(first + node * width, first + (node + 1) * width) for node in range(count)]
        cells = [[drawn.key(array, position, codes[position]) for position in node] for node in nodes]
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
    """Harmonia(32): the same, with the first child of each node in a second region."""
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
    """cgRXu: a scene of bounds, and for each its chain of nodes."""
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
    for position in range(first, first + count):
        rank, slope = struct.unpack_from("<If" if width == 4 else "<Qd", lines, position * 2 * width)
        shift = eps if "levels" not in stored.arrays or first == 0 else int(stored.arguments.get("1", eps))
        cells.append([drawn.key(array, position, codes[position], note=f"{rank - shift} + {slope:.3g} d")])
    return drawn.row(label, cells)


def _last_reached(drawn: Drawn, row: int, codes: list[int]) -> None:
    """A search takes the last segment whose key is not greater than the probe."""
    if drawn.probe is None:
        return
    cells = [node[0] for node in drawn.figure.rows[row].nodes]
    reached = sum(drawn.probe.reaches(codes[cell.position]) for cell in cells)
    if cells:
        drawn.figure.path.append(Spot(row, max(reached - 1, 0), 0))


def _over_lines(drawn: Drawn, rows: list[int], codes: list[int]) -> None:
    """The sorted pairs below segments, each of which leads to the entries from its key on."""
    stored = drawn.stored
    entries = drawn.entries("sorted pairs: key, row id", [stored.size] if stored.size else [])
    keys = [slot.code for slot in stored.slots]
    for row, below in zip(rows, [*rows[1:], entries]):
        targets = keys if below == entries else [codes[node[0].position] for node in drawn.figure.rows[below].nodes]
        for number, node in enumerate(drawn.figure.rows[row].nodes):
            at = bisect_left(targets, codes[node[0].position])
            if at < len(targets):
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
    if drawn.probe is not None and isinstance(drawn.probe.code, int) and table:
        drawn.figure.path.append(Spot(over, 0, min(max(drawn.probe.code - origin, 0) >> shift, cells - 1)))
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
    firsts = [[node[0].position for node in drawn.figure.rows[r].nodes] for r in rows]
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


def any_arrays(drawn: Drawn) -> None:
    """A structure that is not listed below: its arrays as rows of numbers, and its slots."""
    stored = drawn.stored
    for name in stored.arrays:
        if name not in ("keys", "rows", "pairs", "offsets", "bytes"):
            numbers = stored.numbers(name, stored.row_bytes)
            drawn.row(name, [[Cell(str(n), "link", name, i) for i, n in enumerate(numbers)]])
    drawn.end_at_answer(drawn.entries("slots: key, row id", [len(stored.slots)] if stored.slots else []))


ARRANGEMENTS: dict[str, Callable[[Drawn], None]] = {
    "AO+BS": sorted_array,
    "AO+IS": interpolated,
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
