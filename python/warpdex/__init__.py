# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Database indexes over columns: lookups, joins and as-of joins of arrays and data frames."""

from ._core import version as _version
from ._errors import (
    Busy,
    Cancelled,
    DeviceError,
    Error,
    FileError,
    FormatError,
    InvalidArgument,
    KeyTypeError,
    MissingPackage,
    OutOfMemory,
    SpecError,
    Unsupported,
)
from ._index import Index
from ._indexer import searchsorted
from ._join import join, join_asof, join_between

__version__ = _version()

__all__ = [
    "Busy",
    "Cancelled",
    "DeviceError",
    "Error",
    "FileError",
    "FormatError",
    "Index",
    "InvalidArgument",
    "KeyTypeError",
    "MissingPackage",
    "OutOfMemory",
    "SpecError",
    "Unsupported",
    "join",
    "join_asof",
    "join_between",
    "searchsorted",
]
