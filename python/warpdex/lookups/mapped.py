# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Indexes that use a file in place pickle as its path: who unpickles them maps the same file."""

from __future__ import annotations

import os
import stat
from typing import Any, NamedTuple

from ..errors import FileError

_CHECKSUM = slice(
    56, 64
)  # in the header of a file: of the rest of it, which has those of all arrays (docs/reference/format.md)


def _open_at_once(path: str | bytes, flags: int) -> int:
    """Opens without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def _checksum(path: bytes) -> bytes | None:
    """What tells a file from others; None if it cannot be read, or is no regular file."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(_CHECKSUM.stop)[_CHECKSUM] if is_regular else None
    except OSError:
        return None


class MappedFile(NamedTuple):
    """A file that an index uses in place."""

    path: bytes
    checksum: bytes | None

    def holds(self, core: Any) -> bool:
        """Whether the file still holds an index that was mapped from it: neither was changed."""
        return core.version == 0 and self.checksum is not None and _checksum(self.path) == self.checksum


def mapped_file(path: bytes, mmap: bool, device: int) -> MappedFile | None:
    """The file that an index will use; None if it copies what is there."""
    if not mmap or device >= 0:
        return None
    return MappedFile(os.path.abspath(path), _checksum(path))


def remapped(kind: Any, path: bytes, checksum: bytes) -> Any:
    """Unpickles an index that was pickled as the path of its file."""
    if (now := _checksum(path)) != checksum:
        what = "cannot be read" if now is None else "holds another index"
        raise FileError(f"path is {os.fsdecode(path)!r}, which {what}; an index that is pickled as this path needs it")
    return kind.load(path, mmap=True)
