# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""How the slots of hash tables become rows of boxes, and which of them a search for a probe reads."""

from __future__ import annotations

from collections.abc import Iterator

from ._figures import Cell, Drawn, Link, Spot, cuts
from ._stored import Stored


def hash_table(drawn: Drawn) -> None:
    """HT(open), HT(buckets): slots in the order of hashes."""
    stored = drawn.stored
    _, homes, units, _ = [*stored.numbers("table", 8), 0, 0, 0, 0][:4]
    chained = _chained(drawn)
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
            following = drawn.stored.slots[node[-1].position].row
            last = node[-1]
            last.kind, last.text, last.note = ("link", f"n{following}", "") if following else ("free", "", "")
            if following:
                begin, end = Spot(row, number, len(node) - 1), Spot(rows[1], following - 1)
                drawn.figure.links.append(Link(begin, end))
                yield Spot(row, number), end


def _lists(stored: Stored) -> Iterator[list[Cell]]:
    starts, rows = stored.numbers("list_starts", stored.row_bytes), stored.numbers("list_rows", stored.row_bytes)
    for begin, end in zip(starts, starts[1:]):
        yield [Cell(str(rows[position]), "link", "list_rows", position) for position in range(begin, end)]


def _follow_hash(drawn: Drawn, row: int, homes: int, nexts: dict[Spot, Spot]) -> None:
    """The path goes from the home of a hash, from bucket to bucket or along the chain, to where its slot is or would be."""
    slot, nodes = drawn.slot_of_answer(), drawn.figure.rows[row].nodes
    code = None if drawn.probe is None else drawn.probe.code if slot is None else drawn.stored.slots[slot].code
    if not isinstance(code, int) or not homes:
        return
    node: Spot | None = Spot(row, _begin(drawn, homes, len(nodes[0]), code))
    while node is not None:
        cells = drawn.figure.rows[node.row].nodes[node.node]
        at = next((at for at, cell in enumerate(cells) if cell.position == slot and cell.kind == "hash"), -1)
        drawn.figure.path.append(node._replace(cell=at))
        if at >= 0 or code <= _last_hash(drawn, cells):
            return
        after = Spot(row, node.node + 1) if node.node + 1 < len(nodes) else None
        node = nexts.get(node) if _chained(drawn) else after


def _chained(drawn: Drawn) -> bool:
    return drawn.stored.arguments.get("0") == "buckets"


def _last_hash(drawn: Drawn, cells: list[Cell]) -> int:
    """The last hash of a bucket, which is all ones if a slot is free; that of a node comes before the next node."""
    return int(drawn.stored.slots[cells[-2 if _chained(drawn) else -1].position].code)


def _begin(drawn: Drawn, homes: int, width: int, code: int) -> int:
    """The bucket where a search begins: the home of a hash or, at high loads, as much later as all of 8 homes are."""
    slots, bits = drawn.stored.slots, 8 * (drawn.stored.key_bytes or 8)
    home = code * homes >> bits
    if _chained(drawn) or float(drawn.stored.arguments["load"]) <= 0.85:
        return home

    def shift(of: int) -> int:
        taken = (slot for slot in range(of * width, len(slots)) if int(slots[slot].code) * homes >> bits >= of)
        return next(taken, len(slots)) // width - of

    return home + min(map(shift, range(home // 8 * 8, min(home // 8 * 8 + 8, homes))))
