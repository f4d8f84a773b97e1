# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Database indexes over columns."""

from ._errors import (DeviceError, Error, FileError, FormatError, InvalidArgument, KeyTypeError, OutOfMemory, SpecError,
                      Unsupported)
from ._index import Index

__all__ = ["DeviceError", "Error", "FileError", "FormatError", "Index", "InvalidArgument", "KeyTypeError",
           "OutOfMemory", "SpecError", "Unsupported"]
