# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python-stub.sh.
from typing import Any, overload

import numpy as np

from ..types import Closed, Column, DeviceArray, OnHost, Scalar, Value
from .asking import Asking, Lookup
from .probes import Pieces

class Row:
    what: Lookup
    summary: str
    example: str
    sample: Any
    @property
    def signature(self) -> str: ...
    @property
    def answers(self) -> str: ...
    @property
    def stub(self) -> str: ...

TABLE: dict[str, Row]

class Lookups(Asking):
    @overload
    def find(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def find(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def find(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def find(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def contains(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def contains(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.bool_: ...
    @overload
    def contains(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def contains(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def count(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def count(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def count(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def count(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def lower_bound(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def lower_bound(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def lower_bound(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def lower_bound(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def upper_bound(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def upper_bound(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def upper_bound(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def upper_bound(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def floor(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def floor(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def floor(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def floor(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def ceil(
        self, probes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def ceil(
        self, probes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def ceil(
        self, probes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def ceil(
        self, probes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def retrieve(self, probes: Pieces, *, stream: Any = None, threads: int = 0, progress: Any = False) -> list[Any]: ...
    @overload
    def retrieve(
        self, probes: DeviceArray, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def retrieve(
        self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def find_unordered(
        self, probes: Pieces, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def find_unordered(
        self, probes: DeviceArray, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def find_unordered(
        self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def range_count(
        self,
        lower: None,
        upper: OnHost,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> np.ndarray: ...
    @overload
    def range_count(
        self,
        lower: None,
        upper: Column,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Column: ...
    @overload
    def range_count(
        self,
        lower: Pieces,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> list[Any]: ...
    @overload
    def range_count(
        self,
        lower: Value,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> np.integer[Any]: ...
    @overload
    def range_count(
        self,
        lower: OnHost,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> np.ndarray: ...
    @overload
    def range_count(
        self,
        lower: Column,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Column: ...
    @overload
    def range_sum(
        self,
        lower: None,
        upper: OnHost,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> np.ndarray: ...
    @overload
    def range_sum(
        self,
        lower: None,
        upper: Column,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Column: ...
    @overload
    def range_sum(
        self,
        lower: Pieces,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> list[Any]: ...
    @overload
    def range_sum(
        self,
        lower: Value,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> np.integer[Any]: ...
    @overload
    def range_sum(
        self,
        lower: OnHost,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> np.ndarray: ...
    @overload
    def range_sum(
        self,
        lower: Column,
        upper: Any,
        closed: Closed = "both",
        *,
        out: Any = None,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> Column: ...
    @overload
    def equal_range(
        self,
        lower: None,
        upper: DeviceArray,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def equal_range(
        self,
        lower: Pieces,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> list[Any]: ...
    @overload
    def equal_range(
        self,
        lower: DeviceArray,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def equal_range(
        self,
        lower: Any,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def range_retrieve(
        self,
        lower: None,
        upper: DeviceArray,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def range_retrieve(
        self,
        lower: Pieces,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> list[Any]: ...
    @overload
    def range_retrieve(
        self,
        lower: DeviceArray,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def range_retrieve(
        self,
        lower: Any,
        upper: Any,
        closed: Closed = "both",
        *,
        stream: Any = None,
        threads: int = 0,
        progress: Any = False,
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def prefix_count(
        self, prefixes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def prefix_count(
        self, prefixes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def prefix_count(
        self, prefixes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def prefix_count(
        self, prefixes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def prefix_sum(
        self, prefixes: Pieces, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def prefix_sum(
        self, prefixes: Scalar, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.integer[Any]: ...
    @overload
    def prefix_sum(
        self, prefixes: OnHost, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> np.ndarray: ...
    @overload
    def prefix_sum(
        self, prefixes: Column, *, out: Any = None, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> Column: ...
    @overload
    def prefix_retrieve(
        self, prefixes: Pieces, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def prefix_retrieve(
        self, prefixes: DeviceArray, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def prefix_retrieve(
        self, prefixes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[np.ndarray, np.ndarray]: ...
    @overload
    def longest_prefix(
        self, probes: Pieces, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> list[Any]: ...
    @overload
    def longest_prefix(
        self, probes: DeviceArray, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[DeviceArray, DeviceArray]: ...
    @overload
    def longest_prefix(
        self, probes: Any, *, stream: Any = None, threads: int = 0, progress: Any = False
    ) -> tuple[np.ndarray, np.ndarray]: ...
