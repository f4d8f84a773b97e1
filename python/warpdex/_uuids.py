# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""UUIDs: 16 bytes in network order, which are strings or numbers of 128 bits to the library. They come as such bytes, as
objects, and as text of 36 letters."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._columns import Column, spans
from ._core import Part
from ._errors import InvalidArgument, KeyTypeError

WIDTH = 16
_LETTERS = 36
_HYPHENS = np.array([8, 13, 18, 23])
_DIGITS = np.setdiff1d(np.arange(_LETTERS), _HYPHENS)
_VALUES = np.full(256, 255, np.uint8)  # of the letters of hexadecimal numbers
for _value, _letter in enumerate("0123456789abcdef"):
    _VALUES[ord(_letter)] = _VALUES[ord(_letter.upper())] = _value


def takes_uuids(family: str | None) -> bool:
    """Whether keys of a family are compared with UUIDs."""
    return family is not None and (family == "uuid" or is_wide(family))


def is_wide(family: str | None) -> bool:
    """Whether keys of a family are numbers of 128 bits."""
    return family is not None and family.startswith("u128")


def expect_strings(found: str, name: str, family: str | None) -> None:
    """Checks that strings, or UUIDs, which are not compared with others, may be asked for."""
    if family in (None, found):
        return
    if found == "uuid" and family == "string":
        raise KeyTypeError(f"{name} holds UUIDs, but the keys are strings; ask with their texts, or their bytes")
    raise KeyTypeError(f"{name} holds {'UUIDs' if found == 'uuid' else 'strings'}, but the keys are of type {family}")


def are_uuids(core: _core.Index) -> bool:
    """Whether keys of a file without a note are UUIDs by their form: the first one, the middle one and the last one."""
    _, keys, _, size, _ = core.describe()
    if keys != "bytes" or not size:
        return False
    found: Any = core.keys_at(np.array([0, size // 2, size - 1], np.uint64), 0)
    if (np.diff(found[1]) != WIDTH).any():
        return False
    made = found[0].reshape(3, WIDTH)
    version = made[:, 6] >> 4
    return bool(((made[:, 8] >> 6 == 2) & (version >= 1) & (version <= 8)).all())


def uuid_part(column: Column, size: int, name: str, family: str, missing: np.ndarray | None, text: Any) -> Part:
    """Strings as UUIDs, as keys of a family.

    @param missing which strings are null, whatever they hold @param text whether strings, or which of them, are text, so
    that 16 letters are no UUID
    """
    begins, lengths = spans(column)
    kept = np.ones(size, bool) if missing is None else ~missing
    written, raw = kept & (lengths == _LETTERS), kept & (lengths == WIDTH) & ~np.asarray(text)
    made = np.zeros((size, WIDTH), np.uint8)
    made[raw] = _at(column[0], begins[raw], WIDTH)
    letters = _at(column[0], begins[written], _LETTERS)
    digits = _VALUES[letters[:, _DIGITS]]
    written[written] = (digits < 16).all(axis=1) & (letters[:, _HYPHENS] == ord("-")).all(axis=1)
    if (wrong := kept & ~written & ~raw).any():
        place = int(np.argmax(wrong))
        shown = column[0][begins[place] : begins[place] + min(lengths[place], 40)].tobytes()
        value = shown.decode(errors="backslashreplace") if np.broadcast_to(text, size)[place] else shown
        raise InvalidArgument(f"{name}[{place}] is {value!r}, which is no UUID")
    made[written] = digits[:, 0::2] << 4 | digits[:, 1::2]
    if is_wide(family):
        return Part(np.ascontiguousarray(made[:, ::-1]).view(np.uint64), size)
    return Part((made.reshape(-1), WIDTH, size), size)


def _at(letters: np.ndarray, begins: np.ndarray, width: int) -> np.ndarray:
    """The `width` bytes from each place on. Where they follow each other, they are not copied."""
    if begins.size and (np.diff(begins) == width).all():
        return letters[begins[0] : begins[0] + begins.size * width].reshape(-1, width)
    return letters[begins[:, None] + np.arange(width)]
