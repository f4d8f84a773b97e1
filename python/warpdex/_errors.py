# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of warpdex. Each is also the exception of Python that fits."""


class Error(Exception):
    """Base of all exceptions that the library raises."""


class InvalidArgument(Error, ValueError):
    """An argument is invalid: lengths differ, or a row id does not fit."""


class SpecError(InvalidArgument):
    """A spec does not parse, or names an impossible index."""


class KeyTypeError(Error, TypeError):
    """An array has a type that the index does not take."""


class UntypedError(KeyTypeError):
    """A column holds nothing, or nulls alone, and does not say of which type."""


class Unsupported(Error, NotImplementedError):
    """The operation exists, but not for this structure or key type."""


class OutOfMemory(Error, MemoryError):
    """Memory has run out."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class FormatError(Error, ValueError):
    """A file has wrong contents."""


class Cancelled(Error, RuntimeError):
    """A call was asked to stop."""


class DeviceError(Error, RuntimeError):
    """A device failed."""
