# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an index is over a column: its row ids are positions, and its keys are the values there."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import Part, Values
from ..errors import InvalidArgument
from .asking import Asking

_SAMPLE = 1 << 12  # rows that are looked up if the index does not know its column


def fingerprint(parts: list[Part]) -> int:
    """A number from the values of a column and their positions."""
    total = at = 0
    for part in parts:
        total += _core.fingerprint(part.plain(), at)
        at += part.size
    return total % 2**64


@dataclass(slots=True)
class Checked:
    """An index that is over the right column of a join, as long as it has this version."""

    index: Any  # an Index, or a GroupedIndex over groups and keys
    version: int

    @property
    def _core(self) -> _core.Index:
        core: _core.Index = self.index._core
        return core

    def unchanged(self) -> AbstractContextManager[None]:
        """Holds the index for a part of the join. @throws Busy if it was updated"""
        held: AbstractContextManager[None] = self.index._unchanged_since(self.version)
        return held


def over_column(index: Any, column: Any, name: str) -> Any:
    """Returns an index over a column of the right side; refuses one over another.

    What an index remembers of its column is compared with all rows. If it remembers nothing, because it was built with
    row ids, loaded or updated, so are its size and what it finds for rows that are spread evenly.
    """
    if isinstance(index, Checked):
        return index.index
    values = index._read(column, str(name), "equal")
    present = values.size - sum(0 if part.nulls is None else int(part.nulls.sum()) for part in values.parts)
    if len(index) != present:
        raise InvalidArgument(f"index has {len(index)} keys, but right has {present} values in {name!r}")
    none_misses = all(part.misses is None for part in values.parts)
    if not none_misses or not _matches(index, values):
        raise InvalidArgument(f"index is not over right's column {name!r}, whose rows have other keys")
    return index


def _matches(index: Asking, values: Values) -> bool:
    if index._fingerprint is not None and index._core.version == 0:  # no update changed what was built
        return fingerprint(values.parts) == index._fingerprint
    part = values.whole()
    rows = np.arange(part.size) if part.nulls is None else np.flatnonzero(~part.nulls)
    if rows.size == 0:
        return True
    rows = rows[np.linspace(0, rows.size - 1, min(rows.size, _SAMPLE)).astype(np.int64)]
    keys = part.take(rows)
    found = index._found(Values(values.family, [keys], rows.size), 0)  # the first row of each key
    if ((found < 0) | (found > rows)).any() or (part.nulls is not None and part.nulls[found].any()):
        return False
    return fingerprint([part.take(found)]) == fingerprint([keys])
