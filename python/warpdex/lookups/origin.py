# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""What an index is over: a column, whose values it has at their positions, or a file that it uses in place."""

from __future__ import annotations

import os
import pathlib
import pickle
import stat
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .. import _core
from .._core import Part, Values
from ..columns.devices import device_number
from ..columns.libraries import Native
from ..errors import FileError, FormatError, InvalidArgument, Unsupported
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
    if values.place is not None:
        if not _matches_on_device(index, column, values):
            raise InvalidArgument(f"index is not over right's column {name!r}, whose rows have other keys")
        return index
    present = values.size - sum(0 if part.nulls is None else int(part.nulls.sum()) for part in values.parts)
    if len(index) != present:
        raise InvalidArgument(f"index has {len(index)} keys, but right has {present} values in {name!r}")
    none_misses = all(part.misses is None for part in values.parts)
    if not none_misses or not _matches(index, values):
        raise InvalidArgument(f"index is not over right's column {name!r}, whose rows have other keys")
    return index


def _matches_on_device(index: Any, column: Any, values: Values) -> bool:
    """Whether an index finds each value of an array of CuPy or Torch in a row that has it."""
    if not isinstance(values.place.library, Native):
        raise Unsupported("index is over a column of Arrow's device interface; of arrays on a device it may be given")
    if len(index) != values.size or not values.size:
        return len(index) == values.size
    rows = index.find(column)
    return bool(((rows >= 0) & ((column[rows] == column) | (column != column))).all())


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


# Indexes that use a file in place pickle as its path: who unpickles them maps the same file.

# In the header of a file: of the rest of it, which has those of all arrays (docs/reference/format.md).
_CHECKSUM = slice(56, 64)


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


# How files of others begin, at an offset.
_BEGINNINGS = (
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1", "a file of Arrow's IPC format"),
    (0, b"\xff\xff\xff\xff", "a stream of Arrow's IPC format"),
    (0, b"ORC", "an ORC file"),
    (0, b"\x93NUMPY", "a .npy file of NumPy"),
    (0, b"\x89HDF", "an HDF5 file"),
    (0, b"PK\x03\x04", "a zip file, such as .npz or .xlsx"),
    (0, b"\x1f\x8b", "a gzip file"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd file"),
    (0, b"\x80\x04\x95", "a pickle"),
    (0, b"\x80\x05\x95", "a pickle"),
    (0, b"SQLite format 3", "a database of SQLite"),
    (8, b"DUCK", "a database of DuckDB"),
)
_MAGIC = b"\x89WDX\r\n\x1a\n"  # how those of this library do


def _foreign_kind(path: bytes) -> str | None:
    """What a file seems to be that is none of this library; None if that is not known, or it is one."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            head = file.read(4096) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return None
    if head[: len(_MAGIC)] == _MAGIC[: len(head)]:
        return None
    for offset, beginning, kind in _BEGINNINGS:
        if head[offset:].startswith(beginning):
            return kind
    try:
        text = head.decode("utf-8-sig", "strict" if len(head) < 4096 else "ignore")
    except UnicodeDecodeError:
        return None
    if not text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        return None
    if text.lstrip()[:1] in ("{", "["):
        return "a JSON file"
    lines = text.splitlines()[:9]
    return "a CSV file" if any(all(separator in line for line in lines) for separator in ",\t;|") else "a text file"


@contextmanager
def loading(path: bytes) -> Iterator[None]:
    """Within it a file is loaded. If it is one of another kind, the error says what it seems to be."""
    try:
        yield
    except FormatError:
        if (kind := _foreign_kind(path)) is None:
            raise
        name = os.fsdecode(path)
        raise FormatError(f"path is {name!r}, which seems to be {kind}; load reads a file that save wrote") from None


class MappedFile(NamedTuple):
    """A file that an index uses in place."""

    path: bytes
    checksum: bytes | None

    def holds(self, core: Any) -> bool:
        """Whether the file still holds an index that was mapped from it: neither was changed."""
        unchanged = getattr(core, "version", 0) == 0  # networks have no updates, so no version
        return unchanged and self.checksum is not None and _checksum(self.path) == self.checksum


def mapped_file(path: bytes, mmap: bool, device: int) -> MappedFile | None:
    """The file that an index will use; None if it copies what is there."""
    if not mmap or device >= 0:
        return None
    return MappedFile(os.path.abspath(path), _checksum(path))


def restored(kind: Any, stored: Any, device: str) -> Any:
    """Unpickles what was pickled as the bytes of its file, to the device on which it was."""
    return kind._of_bytes(np.frombuffer(stored, np.uint8), device, True)


def remapped(kind: Any, path: bytes, checksum: bytes) -> Any:
    """Unpickles an index that was pickled as the path of its file."""
    if (now := _checksum(path)) != checksum:
        what = "cannot be read" if now is None else "holds another index"
        raise FileError(f"path is {os.fsdecode(path)!r}, which {what}; an index that is pickled as this path needs it")
    return kind.load(path, mmap=True)


def pickled_folder(index: Any, devices: list[str]) -> Any:
    """Pickles an index in shards as the files of its folder, for the same devices."""
    with tempfile.TemporaryDirectory() as folder:
        index.save(folder)
        files = {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}
    places = [device for i, device in enumerate(devices) if device == "cpu" or device not in devices[:i]]
    return _restored_folder, (type(index), files, places)


def _restored_folder(kind: Any, files: dict[str, bytes], devices: list[str]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        for name, stored in files.items():
            pathlib.Path(folder, name).write_bytes(stored)
        return kind.load(folder, devices=devices)


class Stored:
    """What has a file, and may use it in place."""

    _kind: ClassVar[Any]  # of the core, which loads it
    _over: ClassVar[Any]  # makes it of what was loaded, and the device
    _file: MappedFile | None = None  # which is used in place

    @classmethod
    def _of_file(cls, path: str | bytes | os.PathLike[Any], mmap: bool, device: Any) -> Self:
        name, number = os.fsencode(path), device_number(device)
        file = mapped_file(name, mmap, number)
        with loading(name):
            result: Self = cls._over(cls._kind.load(name, mmap, number), number)
        result._file = file
        return result

    @classmethod
    def _of_bytes(cls, stored: np.ndarray, device: Any, share: bool) -> Self:
        number = device_number(device)
        result: Self = cls._over(cls._kind.from_bytes(stored, number, share), number)
        return result

    @classmethod
    def _of_buffer(cls, stored: Any, device: Any) -> Self:
        plain = np.frombuffer(stored, np.uint8)
        return cls._of_bytes(plain, device, not plain.flags.writeable)

    def __reduce_ex__(self, protocol: Any) -> Any:
        own: Any = self
        if self._file is not None and self._file.holds(own._core):
            return remapped, (type(self), *self._file)
        stored = own.to_bytes()
        return restored, (type(self), pickle.PickleBuffer(stored) if protocol >= 5 else stored, own.device)
