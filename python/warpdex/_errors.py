# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of warpdex. Each is also the exception of Python that fits."""

from collections.abc import Iterator
from contextlib import contextmanager


class Error(Exception):
    """Base of all exceptions that the library raises."""


class InvalidArgument(Error, ValueError):
    """An argument is invalid: lengths differ, or a row id does not fit."""


class SpecError(InvalidArgument):
    """A spec does not parse, or names an impossible index."""


class KeyTypeError(Error, TypeError):
    """An array has a type that the index does not take."""


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


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Gives errors about an object of another library the name of the argument. What the library itself raises becomes
    an error of warpdex with that as its cause."""
    try:
        yield
    except Error as why:
        raise type(why)(f"{name}: {why}") from None
    except TypeError as why:
        raise KeyTypeError(f"{name}: {why}") from why
    except Exception as why:
        raise InvalidArgument(f"{name}: {type(why).__name__}: {why}") from why
