# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python-stub.sh.
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def build(keys: object, spec: str, rows: object | None, threads: int) -> Index: ...
def load(arg0: str, arg1: bool, /) -> Index: ...
def from_bytes(
    arg: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu", writable=False)], /
) -> Index: ...
def advised(arg0: str, arg1: int, arg2: int, arg3: bool, /) -> tuple[Any, ...]: ...

class Index:
    def find(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def contains(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def count(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def lower_bound(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def upper_bound(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def prefix_count(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def floor(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def ceil(
        self, arg0: object, arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")], arg2: int, /
    ) -> None: ...
    def range_count(
        self,
        arg0: object,
        arg1: object,
        arg2: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
        arg3: int,
        /,
    ) -> None: ...
    def range_sum(
        self,
        arg0: object,
        arg1: object,
        arg2: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
        arg3: int,
        /,
    ) -> None: ...
    def retrieve(self, arg0: object, arg1: int, /) -> tuple[Any, ...]: ...
    def range_retrieve(self, arg0: object, arg1: object, arg2: int, /) -> tuple[Any, ...]: ...
    def insert(
        self,
        arg0: object,
        arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu", writable=False)],
        arg2: int,
        /,
    ) -> tuple[Any, ...]: ...
    def insert_or_assign(
        self,
        arg0: object,
        arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu", writable=False)],
        arg2: int,
        /,
    ) -> tuple[Any, ...]: ...
    def update(
        self,
        arg0: object,
        arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu", writable=False)],
        arg2: object,
        arg3: int,
        /,
    ) -> tuple[Any, ...]: ...
    def erase(self, arg0: object, arg1: int, /) -> tuple[Any, ...]: ...
    def match_longest(
        self,
        arg0: object,
        arg1: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
        arg2: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
        arg3: int,
        /,
    ) -> None: ...
    def to_bytes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...
    def save(self, arg: str, /) -> None: ...
    def keys_at(
        self, arg: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu", writable=False)], /
    ) -> object: ...
    def facts(self) -> dict[str, Any]: ...
    def describe(self) -> tuple[Any, ...]: ...
    def join(self, probes: object, valid: object | None, how: str, threads: int) -> tuple[Any, ...]: ...
    def range_join(
        self,
        lower: object,
        lower_valid: object | None,
        upper: object,
        upper_valid: object | None,
        lower_closed: bool,
        upper_closed: bool,
        how: str,
        threads: int,
    ) -> tuple[Any, ...]: ...
    def join_asof(
        self,
        probes: object,
        valid: object | None,
        out: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
        how: tuple[Any, ...],
        threads: int,
    ) -> None: ...
    def keys_repeat(self) -> bool: ...

def read_arrow(values: object) -> list[Any]:
    """
    The chunks of an object of Arrow's C interface: (format, length, values, nulls, dictionary) of each.
    """

class ArrowArray:
    """An Arrow array over a NumPy array."""

    def __init__(self, values: object, nulls: object | None) -> None: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, ...]: ...

class AsofIndex:
    @staticmethod
    def build(
        groups: object, group_valid: object | None, keys: object, valid: object | None, threads: int
    ) -> AsofIndex: ...
    def row_bytes(self) -> int: ...
    def join(
        self,
        groups: object,
        group_valid: object | None,
        probes: object,
        valid: object | None,
        out: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
        how: tuple[Any, ...],
        threads: int,
    ) -> None: ...

def asof_merge(
    left: object,
    right: object,
    out: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
    how: tuple[Any, ...],
    threads: int,
) -> bool: ...
def bounds_in(
    keys: object,
    probes: object,
    out: Annotated[NDArray[Any], dict(shape=(None,), order="C", device="cpu")],
    upper: bool,
    threads: int,
) -> None: ...
def encode(columns: list[Any], threads: int) -> object: ...
