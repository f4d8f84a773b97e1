# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays of an index, as its file names them (docs/reference/format.md)."""

from __future__ import annotations

import re
from typing import NamedTuple

# A key as it is stored: a number after the encoding that keeps its order, or a string.
Code = int | bytes


class Slot(NamedTuple):
    """A place for an entry: of a hash table over numbers the hash of the key instead of the key."""

    code: Code
    row: int


def _number(stored: bytes, at: int, width: int) -> int:
    return int.from_bytes(stored[at : at + width], "little")


class Stored:
    """The named arrays of an index file, and its resolved spec."""

    def __init__(self, file: bytes) -> None:
        table = 64 + (_number(file, 36, 4) + 7) // 8 * 8
        self.spec = file[64 : 64 + _number(file, 36, 4)].decode()
        self.size = _number(file, 24, 8)
        self.key_bytes = (4, 8, 4, 8, 4, 8, 4, 8, 16, 0)[file[32]]
        self.row_bytes = 8 if file[33] else 4
        self.arrays: dict[str, bytes] = {}
        for record in range(table, table + 64 * _number(file, 34, 2), 64):
            begin = _number(file, record + 32, 8)
            name = file[record : record + 32].rstrip(b"\0").decode()
            self.arrays[name] = file[begin : begin + _number(file, record + 40, 8)]
        self.slots = self._slots()

    @property
    def structure(self) -> str:
        """The name of the structure, without arguments."""
        return re.split(r"[(/]", self.spec, maxsplit=1)[0]

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the spec; those without a name have their place as name."""
        found = re.match(r"[^(/]+\(([^)]*)\)", self.spec)
        parts = found[1].split(",") if found else []
        pairs = [part.partition("=") for part in parts]
        return {name if value else str(at): value or name for at, (name, _, value) in enumerate(pairs)}

    @property
    def no_row(self) -> int:
        """The row id of a slot without an entry."""
        return (1 << 8 * self.row_bytes) - 1

    def numbers(self, name: str, width: int) -> list[int]:
        """An array of numbers of `width` bytes; no numbers if the index has no such array."""
        stored = self.arrays.get(name, b"")
        return [_number(stored, at, width) for at in range(0, len(stored), width)]

    def keys(self, name: str) -> list[int]:
        """An array of keys."""
        return self.numbers(name, self.key_bytes)

    def _slots(self) -> list[Slot]:
        if "records" in self.arrays:
            return [slot if slot.row == self.no_row else self._recorded(slot) for slot in self._pairs(8)]
        if "offsets" not in self.arrays or "bytes" not in self.arrays:
            return self._pairs(self.key_bytes)
        rows = self.numbers("rows", self.row_bytes)
        width = len(self.arrays["offsets"]) // (len(rows) + 1)
        ends = self.numbers("offsets", width)
        return [Slot(self.arrays["bytes"][a:b], row) for a, b, row in zip(ends, ends[1:], rows)]

    def _pairs(self, key_bytes: int) -> list[Slot]:
        if "pairs" not in self.arrays:
            return [Slot(*both) for both in zip(self.numbers("keys", key_bytes), self.numbers("rows", self.row_bytes))]
        stored, key, row = self.arrays["pairs"], key_bytes, self.row_bytes
        if "/layout=packed" not in self.spec:
            key = row = max(key, row)
        steps = range(0, len(stored), key + row)
        return [Slot(_number(stored, at, key_bytes), _number(stored, at + key, self.row_bytes)) for at in steps]

    def _recorded(self, slot: Slot) -> Slot:
        """A slot of a hash table over strings has the place of a record, and this the row, or where rows are listed."""
        value = _number(self.arrays["records"], 16 * slot.row + self.row_bytes, self.row_bytes)
        listed = self.numbers("list_rows", self.row_bytes)
        return Slot(slot.code, listed[value] if listed else value)
