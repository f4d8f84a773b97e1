# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of warpdex. Each is also the exception of Python that fits."""

import re
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


__all__ = [
    "Busy",
    "Cancelled",
    "DeviceError",
    "FileError",
    "FormatError",
    "InvalidArgument",
    "KeyTypeError",
    "MissingPackage",
    "MixedError",
    "OutOfMemory",
    "SpecError",
    "Unsupported",
    "UntypedError",
]


class Error(Exception):
    """Base of all exceptions that the library raises. Their text is one line."""

    of_call = False  # whether the text begins with a call of the package, which was made of the exception's cause

    def __init__(self, text: str = "") -> None:
        super().__init__(re.sub(r"\s*[\r\n]+\s*", " ", text))


class InvalidArgument(Error, ValueError):
    """An argument is invalid: lengths differ, or a row id does not fit."""


class SpecError(InvalidArgument):
    """A spec does not parse, or names an impossible index."""

    def __init__(self, text: str = "") -> None:
        what, *lines = text.splitlines() or [""]
        if len(lines) == 2 and lines[1].strip() == "^":  # which is below the part of the spec that is wrong
            spec, rest = lines[0].strip(), lines[0][lines[1].index("^") :]
            text = f"{what}, at {rest!r} in {spec!r}" if rest else f"{what}, at the end of {spec!r}"
        super().__init__(text)


class KeyTypeError(Error, TypeError):
    """An array has a type that the index does not take."""


class UntypedError(KeyTypeError):
    """A column holds nothing, or nulls alone, and does not say of which type."""


class MixedError(InvalidArgument):
    """A column of objects holds values that no one type holds."""


class Unsupported(Error, NotImplementedError):
    """The operation exists, but not for this structure or key type."""


class OutOfMemory(Error, MemoryError):
    """Memory has run out."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class FormatError(Error, ValueError):
    """A file has wrong contents."""


class Cancelled(Error, RuntimeError):
    """A call was stopped."""


class DeviceError(Error, RuntimeError):
    """A device failed."""


class Busy(Error, RuntimeError):
    """Other calls use the index for longer than `Index.max_wait`, or it was updated in the middle of a call.

    Calls take turns in the order in which they come: an update waits for the calls that run, and later ones wait for
    it. A call sees the index before or after an update, however many probes it has; so do joins of frames with an
    index. A thread within a call, as in a function that receives progress, may use the same index; an update there
    raises this. What is asked batch by batch raises it if the index was updated since it began: a LazyFrame since its
    first batch, an expression of Polars since it was made, a reader of a join with DuckDB since it was opened."""


class MissingPackage(Error, ImportError):
    """A library that a call needs is not installed."""


Error.__module__ = "warpdex"  # where callers find it, as tracebacks say

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = 80


def shown(value: Any) -> str:
    """A value of a caller in a message, cut if it is long."""
    return _repr.repr(value)


# Exceptions of these become the package's own. Those of a caller's own classes, of the system and of signals pass.
_ROOTS = frozenset(("builtins", "numpy", "pandas", "polars", "pyarrow", "duckdb", "_duckdb"))
_PASS = (Error, OSError, Warning, StopIteration, StopAsyncIteration)
_OWN = {TypeError: KeyTypeError, AttributeError: KeyTypeError, MemoryError: OutOfMemory, ImportError: MissingPackage}


def translated(why: Exception, what: str) -> Error | None:
    """The package's exception for one of Python or of a library; None for one that passes as it is."""
    if isinstance(why, _PASS) or type(why).__module__.partition(".")[0] not in _ROOTS or hasattr(why, "of_caller"):
        return None
    kind = next((own for other, own in _OWN.items() if isinstance(why, other)), InvalidArgument)
    return kind(f"{what}: {(str(why).splitlines() or [type(why).__name__])[0]}")


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Gives errors about an object of another library the name of the argument."""
    try:
        yield
    except Error as why:
        raise type(why)(f"{name}: {why}") from None
    except Exception as why:
        if (failure := translated(why, name)) is None:
            raise
        raise failure from why
