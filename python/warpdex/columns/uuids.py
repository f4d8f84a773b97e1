# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""UUIDs: 16 bytes in network order, which are strings or numbers of 128 bits to the library. They come as such bytes, as
objects, and as text of 36 letters."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..errors import KeyTypeError

WIDTH = 16


def takes_uuids(family: str | None) -> bool:
    """Whether keys of a family are compared with UUIDs."""
    return family is not None and (family == "uuid" or is_wide(family))


def is_wide(family: str | None) -> bool:
    """Whether keys of a family are numbers of 128 bits."""
    return family is not None and family.startswith("u128") and "decimal" not in family


def expect_strings(found: str, name: str, family: str | None) -> None:
    """Checks that strings, or UUIDs, which are not compared with others, may be probes."""
    if family in (None, found):
        return
    if found == "uuid" and family == "string":
        raise KeyTypeError(f"{name} holds UUIDs, but the keys are strings; ask with their texts, or their bytes")
    raise KeyTypeError(f"{name} holds {'UUIDs' if found == 'uuid' else 'strings'}, but the keys are of type {family}")


def are_uuids(core: _core.Index) -> bool:
    """Whether keys of a file without a note are UUIDs by their form: the first one, the middle one and the last one."""
    _, keys, _, size, _ = core.describe()
    if keys != "bytes" or not size or not core.facts()["ordered"]:
        return False
    found: Any = core.keys_at(np.array([0, size // 2, size - 1], np.uint64), 0)
    if (np.diff(found[1]) != WIDTH).any():
        return False
    made = found[0].reshape(3, WIDTH)
    version = made[:, 6] >> 4
    return bool(((made[:, 8] >> 6 == 2) & (version >= 1) & (version <= 8)).all())
